"""The command line of the lab: start it in the background, look at it, end exactly what was started."""

from __future__ import annotations

import argparse
import http.client
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from http import HTTPStatus
from pathlib import Path
from typing import Any

import yaml

from podwright.lab import daemon
from podwright.lab.variants import VARIANTS, UnknownVariantError, chosen

WORLDS = Path(__file__).parent / "worlds"
PROGRAM = "podwright.lab"
"""The module that runs: by this word of its command line a process is known to be a lab."""
_MORE = "python -m podwright.lab record|replay --help: keep a real switch's answers, and check the lab against them."
READY_SECONDS = 600
"""How long `up` waits for every endpoint on a busy machine. A lab that cannot start ends, which is seen at once."""


def main(argv: list[str] | None = None) -> int:
    """Run one verb; returns the exit status."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["record"]:
        from podwright.lab.nxos.fidelity import record  # noqa: PLC0415 - its SSH client takes a second to load

        return record.main(words[1:])
    if words[:1] == ["replay"]:
        from podwright.lab.nxos.fidelity import replay  # noqa: PLC0415 - as above

        return replay.main(words[1:])
    parser = _arguments()
    args = parser.parse_args(words)
    if args.words and args.verb != "fault":
        parser.error(f"{args.verb} takes no words")
    directory: Path = (args.dir or _workplace() / ".run" / args.name).absolute()
    if args.verb == "up":
        world = _world_file(args.world)
        return _foreground(world, directory, args) if args.foreground else _up(world, directory, args)
    if args.verb == "fault":
        return _fault(directory, args.words)
    if args.verb == "counters":
        return _ask(directory, "/counters/requests")
    verbs = {"down": _down, "status": _status, "logs": _logs}
    return verbs[args.verb](directory)


def _workplace() -> Path:
    """Where `.run` is: the clone, or the working directory of an installed lab."""
    around = Path(__file__).resolve().parents[1]
    return around if (around / "pyproject.toml").exists() else Path.cwd()


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m podwright.lab", description=__doc__, epilog=_MORE)
    parser.add_argument("verb", choices=["up", "down", "status", "logs", "fault", "counters"])
    parser.add_argument(
        "words", nargs="*", metavar="KIND KEY=VALUE", help="of fault: intersight mode=502 times=3 latency_ms=200"
    )
    parser.add_argument("--name", default="lab", help="several labs side by side need a name each")
    parser.add_argument("--dir", type=Path, help="where state, secrets and logs go (default .run/<name>)")
    known = ", ".join(sorted(each.stem for each in WORLDS.glob("*.yaml")))
    parser.add_argument("--world", default="lab", help=f"world file, or the name of one that comes along: {known}")
    parser.add_argument("--only", type=lambda text: tuple(text.split(",")), help="start these sides only")
    listed = "; ".join(f"{name}={'|'.join(each.forms)}" for name, each in VARIANTS.items())
    parser.add_argument(
        "--variant", type=_variant, action="append", default=[], metavar="NAME=FORM", help=f"how devices are: {listed}"
    )
    parser.add_argument("--foreground", action="store_true", help="serve in this process until Ctrl-C")
    return parser


def _world_file(named: str) -> Path:
    """A file, or the name of a world that comes along."""
    along = WORLDS / f"{named}.yaml"
    return along if along.exists() and not Path(named).is_file() else Path(named)


def _variant(text: str) -> tuple[str, str]:
    name, _, form = text.partition("=")
    try:
        chosen({name: form})
    except UnknownVariantError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return name, form


def _foreground(world: Path, directory: Path, args: argparse.Namespace) -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("asyncssh").setLevel(logging.WARNING)
    daemon.run(world, directory, args.only, dict(args.variant))
    return 0


def _up(world: Path, directory: Path, args: argparse.Namespace) -> int:
    if _pid(directory) is not None:
        print(f"a lab runs in {directory} already", file=sys.stderr)
        return _status(directory)
    directory.mkdir(parents=True, exist_ok=True)
    _clear(directory)
    command = [
        sys.executable,
        "-m",
        PROGRAM,
        "up",
        "--foreground",
        "--dir",
        str(directory),
        "--world",
        str(world),
    ]
    command += ["--only", ",".join(args.only)] if args.only else []
    command += [word for name, form in args.variant for word in ("--variant", f"{name}={form}")]
    log_path = directory / "lab.log"
    with log_path.open("wb") as log:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    deadline = time.monotonic() + READY_SECONDS
    while not (directory / "world.json").exists():
        if child.poll() is not None or time.monotonic() > deadline:
            print(f"the lab did not come up; the end of {log_path}:", file=sys.stderr)
            print("".join(_tail(log_path, 15)), file=sys.stderr, end="")
            _down(directory)
            return 1
        time.sleep(0.05)
    return _status(directory)


def _clear(directory: Path) -> None:
    """A lab starts fresh: new credentials, no endpoint of an earlier life."""
    for name in ("world.json", "reach.json", "known_hosts", "children"):
        (directory / name).unlink(missing_ok=True)
    for secret in (directory / "secrets").glob("*"):
        secret.unlink()


def _pid(directory: Path) -> int | None:
    """The daemon's process id when that process lives and is a lab."""
    try:
        pid = int((directory / "lab.pid").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return pid if _is_ours(pid, PROGRAM) else None


def _is_ours(pid: int, word: str) -> bool:
    """A process id is reused by the system: end it only if its command line still says what was started."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z" and any(Path(part.decode(errors="replace")).name == word for part in line)


def _end(pid: int, word: str, seconds: float) -> None:
    """SIGTERM, then SIGKILL once the grace is over."""
    for number, grace in ((signal.SIGTERM, seconds), (signal.SIGKILL, 5.0)):
        if not _is_ours(pid, word):
            return
        os.kill(pid, number)
        deadline = time.monotonic() + grace
        while _is_ours(pid, word) and time.monotonic() < deadline:
            time.sleep(0.05)


def _down(directory: Path) -> int:
    pid = _pid(directory)
    if pid is not None:
        _end(pid, PROGRAM, 20)
    children = directory / "children"
    if children.exists():
        for line in reversed(children.read_text(encoding="utf-8").splitlines()):
            number, _, what = line.partition(" ")
            _end(int(number), what, 10)
        children.unlink()
    shutil.rmtree(directory / daemon.MEDIA, ignore_errors=True)
    for name in ("world.json", "lab.pid"):
        (directory / name).unlink(missing_ok=True)
    print("the lab is down" if pid is not None else f"no lab runs in {directory}")
    return 0


def _status(directory: Path) -> int:
    if _pid(directory) is None or not (directory / "world.json").exists():
        print(f"no lab runs in {directory}")
        return 1
    reach = json.loads((directory / "reach.json").read_text(encoding="utf-8"))
    print(f"{'site address':<32} listens on")
    for source, target in reach["forward"].items():
        print(f"{source:<32} {target}")
    control = json.loads((directory / "world.json").read_text(encoding="utf-8"))["url"]
    print(f"{'world control':<32} {control.removeprefix('http://')}")
    print(f"\nexport PODWRIGHT_REACH={directory.resolve() / 'reach.json'}")
    return 0


def _fault(directory: Path, words: list[str]) -> int:
    """POST /fault: the kind, then `key=value`, where a value is YAML (`3`, `true`, `{gpu-01: false}`)."""
    pairs = [word.partition("=") for word in words[1:]]
    if not words or not all(equals for _, equals, _ in pairs):
        print("what a fault is, is written as KIND KEY=VALUE …, such as: intersight mode=502 times=3", file=sys.stderr)
        return 2
    return _ask(directory, "/fault", {"kind": words[0], **{key: yaml.safe_load(value) for key, _, value in pairs}})


def _ask(directory: Path, path: str, body: dict[str, Any] | None = None) -> int:
    """One request to the world control of a running lab; its answer as JSON."""
    if _pid(directory) is None or not (directory / "world.json").exists():
        print(f"no lab runs in {directory}", file=sys.stderr)
        return 1
    url = json.loads((directory / "world.json").read_text(encoding="utf-8"))["url"]
    # Loopback: no proxy of the environment may come between.
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=READY_SECONDS)
    connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body))
    reply = connection.getresponse()
    answer = json.loads(reply.read())
    connection.close()
    if reply.status != HTTPStatus.OK:
        print(answer["error"], file=sys.stderr)
        return 1
    print(json.dumps(answer, indent=1))
    return 0


def _tail(path: Path, lines: int) -> list[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as text:
            return list(deque(text, maxlen=lines))
    except OSError:
        return []


def _logs(directory: Path) -> int:
    for path in [directory / "lab.log", *sorted((directory / "logs").glob("*.log"))]:
        print(f"==> {path}")
        print("".join(_tail(path, 40)), end="")
    return 0
