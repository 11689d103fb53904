"""`python -m tests.benchmarks.preview [prod 128 256]`: how near a preview is to what the engine itself needs.

Three previews of each cluster, all from nothing and in one run: ours with the policy pack, ours with a pack that has no
rule, and the floor, which is a small program that registers the same resources again with a provider that does nothing,
with the empty pack. Ratios are of processor time of all processes together, and of wall time; the second suffers from
whatever else a machine does, the first too where cores share a cache: the three are run by turns, and the least of each
counts. Bounds are those of the project's requirements.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import yaml

from podwright.toolchain.environment import environment
from tests.benchmarks.clusters import PROD, ROOT, pod
from tests.benchmarks.preview.measure import Taken, least, measured
from tests.benchmarks.preview.registrations import PROVIDERS, STACK, Edges, Registration, edges, read

SCRATCH: Final = ROOT / ".run" / "bench-preview"
ROUNDS: Final = 3
"""Previews of each kind; what disturbs one of them does not count."""
OF_A_DEVELOPER: Final = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONPROFILEIMPORTTIME")
"""No user has them set. Without written bytecode, ours alone would be compiled again at every start."""
HERE: Final = Path(__file__).resolve().parent
PYTHON: Final = ROOT / ".venv" / "bin" / "python"
SIZES: Final = ("prod", "128", "256")
PER_RESOURCE, PER_STACK, OF_THE_EMPTY_PACK = 3, 2.0, 1.25
"""At most so many waits of a resource (what its inputs come from apart), edges for each resource on average, preview
with the pack over one without."""


def of_the_floor(resources: int) -> float:
    """At most so much of the floor: the start of the programs weighs less in a larger stack, its properties more."""
    return 1.3 if resources < 300 else 1.5


@dataclass(frozen=True)
class Run:
    """One cluster."""

    name: str
    edges: Edges
    ours: Taken
    empty: Taken
    floor: Taken


def run(size: str) -> Run:
    """Measure one cluster."""
    here = SCRATCH / size
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir(parents=True)
    pack = _empty_pack(here)
    document = yaml.safe_load(PROD.read_text()) if size == "prod" else {"config": {"podwright:cluster": pod(int(size))}}
    file = here / f"Pulumi.{size}.yaml"
    file.write_text(yaml.safe_dump(document, sort_keys=False))
    shutil.copy(ROOT / "Pulumi.yaml", here)
    plan = here / "plan.json"
    _preview(here, ROOT, file, [ROOT / "policies"], "--save-plan", plan)
    registrations = read(plan)
    replayed = _replay(here / "replay", registrations)
    rounds = [
        (
            _preview(here, ROOT, file, [ROOT / "policies"]),
            _preview(here, ROOT, file, [pack]),
            _preview(here, replayed, replayed / "Pulumi.replay.yaml", [pack]),
        )
        for _ in range(ROUNDS)
    ]
    ours, empty, floor = (least(each) for each in zip(*rounds, strict=True))
    return Run(size, edges(registrations), ours, empty, floor)


def _preview(state: Path, project: Path, file: Path, packs: list[Path], *more: str | Path) -> Taken:
    own = {name: value for name, value in os.environ.items() if name not in OF_A_DEVELOPER}
    env = environment(own, state=state / f"state-{project.name}")
    stack = file.name.split(".")[1]
    if not (state / f"state-{project.name}" / ".pulumi").exists():
        init = ["pulumi", "-C", str(file.parent), "stack", "init", stack]
        measured(init, project, env, state / "init.txt")
    command: list[str | Path] = [
        "pulumi",
        "preview",
        "--non-interactive",
        "--suppress-outputs",
        "--stack",
        stack,
        "--config-file",
        file,
    ]
    for pack in packs:
        command += ["--policy-pack", pack]
    env |= {"REGISTRATIONS": str(state / "replay" / "registrations.json")}
    return measured([*command, *more], project, env, state / "output.txt")


def _replay(folder: Path, registrations: list[Registration]) -> Path:
    """A project that registers them again."""
    folder.mkdir()
    kept = [asdict(each) for each in registrations if not each.type.startswith((STACK, PROVIDERS))]
    (folder / "registrations.json").write_text(json.dumps(kept))
    shutil.copy(HERE / "replay.py", folder / "__main__.py")
    _executable(folder / "plugin" / "pulumi-resource-inert", HERE / "inert.py")
    project = {
        "name": "replay",
        "runtime": {"name": "python", "options": {"toolchain": "pip", "virtualenv": str(ROOT / ".venv")}},
        "plugins": {"providers": [{"name": "inert", "path": "./plugin"}]},
    }
    (folder / "Pulumi.yaml").write_text(yaml.safe_dump(project))
    (folder / "Pulumi.replay.yaml").write_text("config: {}\n")
    return folder


def _executable(path: Path, program: Path) -> None:
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nexec {PYTHON} {program} "$@"\n')
    path.chmod(0o755)


def _empty_pack(folder: Path) -> Path:
    pack = folder / "empty-pack"
    pack.mkdir()
    options = {"toolchain": "pip", "virtualenv": str(ROOT / ".venv")}
    about = {"runtime": {"name": "python", "options": options}, "version": "0.1.0", "description": "no rule"}
    (pack / "PulumiPolicy.yaml").write_text(yaml.safe_dump(about))
    program = f"import sys\nsys.path.insert(0, {str(ROOT / 'policies')!r})\nfrom rules.pack import serve\n"
    (pack / "__main__.py").write_text(f'{program}serve("empty", ())\n')
    return pack


def lines(run: Run) -> Iterator[str]:
    """What one cluster came to, each bound with its figure."""
    counted = run.edges
    yield (
        f"{run.name}: {counted.resources} resources, {counted.joins} of them joins; "
        f"edges: {counted.data} data, {counted.to_joins} of joins; at most {counted.most} waits of one ({counted.of})"
    )
    for name, taken in (("ours", run.ours), ("ours, empty pack", run.empty), ("floor", run.floor)):
        yield f"  {name:<18}{taken.processor:8.1f} s processor{taken.wall:8.1f} s wall{taken.memory / 2**20:8.0f} MiB"
    for what, figure, wall, bound in (
        ("preview ÷ floor", *_ratios(run.ours, run.floor), of_the_floor(counted.resources)),
        ("pack ÷ empty pack", *_ratios(run.ours, run.empty), OF_THE_EMPTY_PACK),
    ):
        yield f"  {what:<24}{figure:6.2f} processor{wall:8.2f} wall   at most {bound:g}  {_verdict(figure, bound)}"
    per_stack = (counted.data + counted.to_joins) / counted.resources
    yield f"  edges ÷ resources       {per_stack:6.2f}   at most {PER_STACK:g}  {_verdict(per_stack, PER_STACK)}"
    yield f"  waits of one resource   {counted.most:6}   at most {PER_RESOURCE}  {_verdict(counted.most, PER_RESOURCE)}"


def _ratios(one: Taken, other: Taken) -> tuple[float, float]:
    return one.processor / other.processor, one.wall / other.wall


def _verdict(figure: float, bound: float) -> str:
    return "held" if figure <= bound else "NOT HELD"


def main() -> int:
    """Measure and print; the status says whether every bound holds."""
    broken = False
    for size in sys.argv[1:] or SIZES:
        for line in lines(run(size)):
            broken = broken or "NOT HELD" in line
            print(line, flush=True)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
