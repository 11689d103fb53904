"""Lab switches in processes of their own, so that a benchmark measures the client and not the lab.

`python -m tests.benchmarks.switches FOLDER SECONDS` serves FOLDER/world.yaml, every line delayed by so many seconds:
it writes FOLDER/reach.json, says "ready", and ends with its standard input.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.providers.nxos.rack import rack

_SITE = {
    "name": "bench",
    "servers": {},
    "cables": [],
    "cluster": {"name": "lab", "domain": "example.com", "api_vip": "192.0.2.200", "machine_network": "192.0.2.0/24"},
    "credentials": {"switch": {"user": "admin", "secret": "switch-admin"}},
}
PASSWORD = "bench-Secret-1"


@contextmanager
def racks(folder: Path, switches: Mapping[str, Any], delay: float) -> Iterator[tuple[Path, list[int]]]:
    """Switches as a world has them, spread over one process per core: the reach file of all, and the process ids."""
    count = os.cpu_count() or 1
    with ExitStack() as stack:
        running = []
        for number in range(count):
            part = folder / f"rack-{number}"
            (part / "secrets").mkdir(parents=True)
            (part / "secrets" / "switch-admin").write_text(PASSWORD)
            world = {**_SITE, "switches": dict(list(switches.items())[number::count])}
            (part / "world.yaml").write_text(yaml.safe_dump(world))
            command = [sys.executable, "-m", "tests.benchmarks.switches", str(part), str(delay)]
            running.append(
                stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
            )
        for process in running:
            assert process.stdout is not None
            if process.stdout.readline() != b"ready\n":
                raise RuntimeError(f"a rack did not start; its folder is {folder}")
        yield _merged(folder, count), [process.pid for process in running]


def _merged(folder: Path, count: int) -> Path:
    parts = [folder / f"rack-{number}" for number in range(count)]
    said = [json.loads((part / "reach.json").read_text()) for part in parts]
    known = folder / "known_hosts"
    known.write_text("".join(Path(each["known_hosts"]).read_text() for each in said))
    forward = {name: where for each in said for name, where in each["forward"].items()}
    reach = folder / "reach.json"
    reach.write_text(json.dumps({"forward": forward, "known_hosts": str(known), "secrets": str(parts[0] / "secrets")}))
    return reach


def main() -> None:
    """Serve until the input ends."""
    folder, delay = Path(sys.argv[1]), float(sys.argv[2])
    with rack(folder, (folder / "world.yaml").read_text(encoding="utf-8")) as lab:
        for device in lab.side.devices.values():
            device.faults.delay = delay
        lab.write_reach(folder / "reach.json")
        print("ready", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
