"""A first `up` whose engine dies, then a plain `destroy`: nothing is left, or each thing is named and it fails."""

import json
import os
import subprocess
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import standing
from tests.e2e.conftest import MakeSite
from tests.e2e.kills import command, plugins
from tests.e2e.site import Site

pytestmark = pytest.mark.rough

PHASES = {
    "switches": "podwright:nxos:Switch lab-spine-01 creating",
    "policies": "podwright:intersight:Policy",
    "profiles": "podwright:intersight:ServerProfile",
    "image": "making the installation image",
    "hosts": "booting the installation image",
}
"""What `up` prints when it is in each phase."""
RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(time.time())
SEED = int(os.environ.get("PODWRIGHT_PHASE") or zlib.crc32(RUN.encode()))
"""Another phase each run, one for all workers; the variable repeats one that failed, PODWRIGHT_PHASES=all takes all."""
CHOSEN = list(PHASES) if os.environ.get("PODWRIGHT_PHASES") == "all" else [list(PHASES)[SEED % 5]]
SECONDS = 240


@pytest.fixture(scope="module")
def fresh(make_site: MakeSite) -> Site:
    return make_site("first", brought_up=False)


@pytest.mark.parametrize("phase", CHOSEN)
def test_destroy_after_a_killed_first_up_leaves_nothing_or_names_it(phase: str, fresh: Site) -> None:
    before = outside(fresh)
    killed_in(fresh, PHASES[phase])
    fresh.pulumi("cancel", "--yes", check=False)
    done = fresh.pulumi("destroy", "--yes", "--skip-preview", check=False)
    printed = done.stdout + done.stderr
    left, state = set(leftovers(fresh, before)), json.dumps(fresh.export()["deployment"].get("resources", []))
    print(f"{phase}: destroy ended with {done.returncode}, left {sorted(left)}")
    # What the engine did not come to is still the state's: the next destroy takes it away.
    assert {name for name in left if name not in printed and f'"{name}"' not in state} == set(), printed
    assert (done.returncode != 0) == bool(left), printed
    if left:
        fresh.up("--refresh", "--run-program")
        fresh.refresh("--clear-pending-creates")
        fresh.destroy("--skip-preview")
    assert list(leftovers(fresh, before)) == []
    assert fresh.export()["deployment"].get("resources", []) == []


def killed_in(site: Site, sign: str) -> None:
    """Start the first `up`, kill its engine once it prints `sign`, wait until its plugins have ended."""
    log = site.folder / "killed.log"
    with log.open("w") as printed:
        running = subprocess.Popen(
            ["pulumi", "up", "--yes", "--skip-preview", "--stack", site.stack, "--non-interactive"],
            cwd=site.folder, env=site.environ, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
        )  # fmt: skip
    deadline = time.monotonic() + SECONDS
    while sign not in log.read_text() and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    working = [each for each in plugins(running.pid) if "resource-podwright" in command(each)]
    assert running.poll() is None, f"it ended before it printed {sign!r}:\n{log.read_text()}"
    assert sign in log.read_text(), log.read_text()
    running.kill()
    running.wait()
    deadline = time.monotonic() + SECONDS
    while any(map(command, [*working, *programs(site)])):
        assert time.monotonic() < deadline, "a plugin or program of ours outlives its engine"
        time.sleep(0.5)


def programs(site: Site) -> Iterator[int]:
    """Programs of a site that run."""
    for each in Path("/proc").glob("[0-9]*"):
        line = command(int(each.name))
        if "pulumi-language-python-exec" in line and str(site.folder) in line:
            yield int(each.name)


def outside(site: Site) -> standing.Standing:
    """What must be as at the factory: switches, the account, power and drives of the servers."""
    power = {name: what for name, what in standing.servers(site).items() if not name.endswith(" bios")}
    return {**standing.switches(site), **standing.intersight(site), **power}


def leftovers(site: Site, before: standing.Standing) -> Iterator[str]:
    """Names of what is not as before: switches, objects, hosts, the published image, the kubeconfig."""
    for place in standing.differences(before, outside(site)):
        thing = place.split(" / ")[0]
        yield thing.split(" ")[-3] if thing.startswith("intersight ") else thing.split(" ")[0]
    yield from (str(path) for path in (site.lab / "publish").glob("*.iso"))
    yield from (str(path.parent) for path in (site.folder / "state").rglob("kubeconfig"))
