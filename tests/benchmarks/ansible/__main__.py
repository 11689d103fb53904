"""`python -m tests.benchmarks.ansible [servers [milliseconds]]`: the same servers by Ansible and by podwright.

Pools, policies and profiles are those that podwright derives; both wait for the same states. Three commands follow each
other: a first apply, a run that finds nothing to do, and one changed BIOS token in a policy that all servers share.
Ansible takes Cisco's collection in two styles: `bench.yml` with the collection's module for server profiles, `lean.yml`
with as few requests as a playbook can. What the devices' own workflows take (seconds in
which any of them ran) is measured in Intersight for both, and each run is printed with and without.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml

from podwright.lab.intersight.side import IntersightSide, start
from tests.benchmarks import intersight
from tests.benchmarks.ansible.inventory import inventory
from tests.benchmarks.counting import Count, Run
from tests.benchmarks.intersight import KEY_ID, Resource
from tests.lab.bench import make_world
from tests.playbooks import Playbooks, playbooks

HERE = Path(__file__).parent
STYLES = ("bench", "lean")
FORKS = 32
PAUSE = 1
"""Seconds between two looks at a profile that is being deployed."""
Figures = Mapping[str, Run]
"""By command."""


@dataclass(frozen=True)
class Stand:
    """A lab of its own with so many servers claimed, and what is to be made in it."""

    side: IntersightSide
    given: list[Resource]
    folder: Path
    reach: Path
    key: Path


@contextmanager
def stand(count: int, server_model: str, latency_ms: float) -> Iterator[Stand]:
    """A lab for one measurement."""
    chosen = intersight.servers(count, server_model)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        site, lab = make_world(folder, intersight.world(chosen))
        side = start(site, lab)
        reach = folder / "reach.json"
        reach.write_text(json.dumps({"forward": side.forward, "ca": str(lab.ca.path), "secrets": str(lab.secrets)}))
        try:
            side.fault({"latency_ms": latency_ms})
            given = intersight.resources(intersight.plan(chosen))
            yield Stand(side, given, folder, reach, lab.secrets / "intersight-key")
        finally:
            side.stop()
            site.close()


def by_ansible(count: int, server_model: str, latency_ms: float, style: str, forks: int) -> Figures:
    """The three commands by playbook. Raises RuntimeError where one fails, or does not what it should."""
    found = {}
    with stand(count, server_model, latency_ms) as lab:
        books = playbooks(lab.folder / "ansible", f"http://{lab.side.http}", KEY_ID, lab.key)
        changed = intersight.with_token(lab.given)
        for name, given in (("first apply", lab.given), ("refresh", lab.given), ("shared change", changed)):
            hosts = lab.folder / "hosts.yml"
            hosts.write_text(yaml.safe_dump(inventory(given), sort_keys=False, width=1000))
            play = partial(_play, books, style, forks, hosts, changes=name != "refresh")
            counting = Count(lab.side)
            play()
            found[name] = counting.run()
    return found


def _play(books: Playbooks, style: str, forks: int, hosts: Path, *, changes: bool) -> None:
    done = books.run(HERE / f"{style}.yml", {"pause": PAUSE}, forks, hosts)
    if done.status or bool(done.sums["changed"]) is not changes:
        raise RuntimeError(f"{style}.yml ended with {done.status}, {done.sums}:\n{done.text[-8000:]}")


def by_podwright(count: int, server_model: str, latency_ms: float, parallel: int) -> dict[str, Run]:
    """The three commands by the plugin, so many operations at once."""
    return intersight.runs(count, server_model, latency_ms, parallel)[0]


def line(server_model: str, who: str, command: str, run: Run) -> str:
    """Requests and seconds of one command."""
    return (
        f"{server_model:14} {who:18} {command:14} {run.total:6} requests {run.seconds:8.1f} s, "
        f"without workflows {run.own:8.1f} s"
    )


def compare(options: argparse.Namespace, server_model: str) -> None:
    """Measure both, and print a line for each command of each, with what podwright needs of it."""
    given = options.servers, server_model, options.milliseconds
    ours = {parallel: by_podwright(*given, parallel) for parallel in options.parallel}
    for parallel, found in ours.items():
        for name, run in found.items():
            print(line(server_model, f"podwright, {parallel}", name, run), flush=True)
    for style in options.style:
        for forks in options.forks:
            for name, run in by_ansible(*given, style, forks).items():
                compared = ", ".join(
                    f"{mine[name].total / run.total:.2f} of the requests, {mine[name].seconds / run.seconds:.2f} of "
                    f"the seconds, {mine[name].own / run.own:.2f} without workflows with {parallel}"
                    for parallel, mine in ours.items()
                )
                measured = line(server_model, f"{style}.yml -f {forks}", name, run)
                print(f"{measured}; podwright {compared}", flush=True)


def write(options: argparse.Namespace) -> None:
    """The lab's world and the inventory, for `ansible-playbook` by hand against a lab that stands."""
    options.write.mkdir(parents=True, exist_ok=True)
    chosen = intersight.servers(options.servers, options.model[0])
    given = intersight.resources(intersight.plan(chosen))
    (options.write / "world.yaml").write_text(intersight.world(chosen))
    (options.write / "hosts.yml").write_text(yaml.safe_dump(inventory(given), sort_keys=False, width=1000))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.ansible", description=__doc__)
    parser.add_argument("servers", type=int, nargs="?", default=64)
    parser.add_argument("milliseconds", type=float, nargs="?", default=0.0)
    parser.add_argument("--forks", type=int, nargs="+", default=[FORKS], help="one run with each")
    parser.add_argument(
        "--parallel", type=int, nargs="+", default=[intersight.PARALLEL, FORKS], help="podwright's operations at once"
    )
    parser.add_argument("--style", nargs="+", choices=STYLES, default=STYLES)
    parser.add_argument("--model", nargs="+", choices=intersight.MODELS, default=intersight.MODELS)
    parser.add_argument("--write", type=Path, help="write world.yaml and hosts.yml to this folder, and measure nothing")
    options = parser.parse_args()
    if options.write:
        write(options)
        return 0
    print(f"{options.servers} servers, {options.milliseconds:g} ms for each answer")
    for server_model in options.model:
        compare(options, server_model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
