"""`make demo`: from nothing to a running pod on the lab, each stage in turn.

Starts with plain Python: the set-up it calls brings the rest. A stage whose code is not in the
tree is named as absent and left out, so what there is can always be shown.
"""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

CLONE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CLONE))

from podwright.toolchain.environment import STACK, demo_state, environment  # noqa: E402 -- found by the line above
from podwright.toolchain.progress import clock  # noqa: E402
from tools import demo_state as own  # noqa: E402
from tools import watch  # noqa: E402

LAB = CLONE / ".run" / "lab"
WORLD = "lab/worlds/lab.yaml"
LAYERS = ("fabric", "compute", "platform", "operators", "storage", "workloads")
_TOOLCHAIN = (sys.executable, "-m", "podwright.toolchain")


def part_of_the_lab(log: Path) -> str:
    """Which part of the lab is starting, by its log; nothing if there is none yet."""
    try:
        sides = re.findall(r"side (\w+) (starts|is up)$", log.read_text(errors="replace"), re.MULTILINE)
    except OSError:
        return ""
    part = f"the lab's part {sides[-1][0]}" if sides and sides[-1][1] == "starts" else "the lab"
    return f"{part} to start (log: {log})"


def _the_labs_log(_lines: Sequence[str]) -> str:
    return part_of_the_lab(LAB / "lab.log")


def _nothing_known(_lines: Sequence[str]) -> str:
    return ""


@dataclass(frozen=True)
class Stage:
    """One command of the demo; `needs` are the files without which it cannot be run yet.

    `waits_for` says of what it has printed what it waits for; `repaints` as in `watch.Watch`.
    """

    title: str
    needs: tuple[str, ...]
    command: Sequence[str]
    engine: bool = False
    waits_for: Callable[[Sequence[str]], str] = _nothing_known
    repaints: bool = False


def stack_files() -> list[str]:
    """The stack files of the tree that the offline check judges."""
    return sorted(path.name for path in CLONE.glob("Pulumi.*.yaml"))


def stages() -> list[Stage]:
    """What the demo does, in order."""
    python = str(CLONE / ".venv" / "bin" / "python")
    podwright = str(CLONE / ".venv" / "bin" / "podwright")
    pulumi = (*_TOOLCHAIN, "run", "--demo", "--", "pulumi")
    up = ("up", "--yes", "--skip-preview", "--stack", STACK, "--policy-pack", "policies")
    return [
        Stage("set up what the offline check needs", (), (*_TOOLCHAIN, "setup", "check")),
        Stage(
            "offline check and summary", ("cli/__main__.py",),
            (podwright, "check", *stack_files()),
        ),
        Stage("set up Pulumi and the lab's programs", (), (*_TOOLCHAIN, "setup", "demo")),
        Stage(
            "lab up", ("lab/__main__.py", WORLD),
            (python, "-m", "podwright.lab", "up", "--name", STACK, "--dir", str(LAB), "--world", WORLD), engine=True,
            waits_for=_the_labs_log,
        ),
        Stage(
            "stack", ("__main__.py", "Pulumi.yaml"), (*pulumi, "stack", "select", "--create", STACK), engine=True,
        ),
        Stage(
            "pulumi up", ("__main__.py", "policies/PulumiPolicy.yaml"), (*pulumi, *up), engine=True,
            waits_for=watch.in_progress, repaints=True,
        ),
        Stage("what came up", ("cli/status.py",), (podwright, "status", STACK), engine=True),
    ]  # fmt: skip


def absent(stage: Stage) -> list[str]:
    """The files that a stage needs and the tree does not have."""
    return [path for path in stage.needs if not (CLONE / path).exists()]


def run(stage: Stage) -> int:
    """Run one stage; returns its exit status."""
    env = dict(os.environ)
    if stage.engine:
        env = environment({**os.environ, "PODWRIGHT_REACH": str(LAB / "reach.json")})
    return watch.run(stage.command, CLONE, env, watch.Watch(stage.title, stage.waits_for, stage.repaints))


def forget_a_world_that_ended() -> None:
    """Drop the demo's own stack when its lab is down: every lab starts with new, empty devices."""
    state = demo_state(CLONE)
    try:
        os.kill(int((LAB / "lab.pid").read_text()), 0)
    except (OSError, ValueError):
        own.forget(state, STACK)
    own.claim(state, STACK)


def how_to_break_something() -> str:
    """Commands that make a rail lossy behind the program's back, and show that it is seen."""
    try:
        url = json.loads((LAB / "world.json").read_text())["url"]
    except (OSError, ValueError):
        return ""
    lines = ["configure terminal", "interface Ethernet1/3", "no priority-flow-control mode on"]
    body = json.dumps({"kind": "cli", "switch": "leaf-01", "lines": lines})
    look = f"python3 -m toolchain run --demo -- podwright status {STACK}"
    return f"\nSomebody at a switch takes a rail out of the lossless class:\n  curl -d '{body}' {url}/fault\n  {look}"


def main() -> int:
    """Run the stages until one fails; returns its status."""
    started = time.monotonic()
    try:
        forget_a_world_that_ended()
    except own.ForeignStackError as problem:
        print(f"demo: {problem}", file=sys.stderr)
        return 2
    left_out: list[str] = []
    for stage in stages():
        if missing := absent(stage):
            left_out.append(f"{stage.title} ({', '.join(missing)})")
            continue
        print(f"\n── {clock(time.monotonic() - started)}  {stage.title}", flush=True)
        status = run(stage)
        if status != 0:
            print(f"\n{stage.title} ended with status {status}; run `make demo` again once that is mended.")
            return status
    left_out += [f"layer {layer}" for layer in LAYERS if not (CLONE / "components" / f"{layer}.py").exists()]
    if left_out:
        print("\nStill absent: " + "; ".join(left_out))
    print(how_to_break_something())
    print(f"\n{clock(time.monotonic() - started)} in all. `make lab VERB=down` ends the lab, `make help` shows more.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
