"""`make bench`: what our own code costs, each as a ratio of two figures from one run, because machines are noisy.

A ratio says what changed between two commits on any machine: loading against merely parsing, twice the work against
once, ten rules against one. Seconds are printed beside it for the reader, never compared.
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.providers.protocol.difference import leaf_difference
from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, Rule, StackRule
from tests.benchmarks.clusters import pod

ROOT = Path(__file__).resolve().parents[2]
PROD = ROOT / "Pulumi.prod.yaml"
ROUNDS = 5


def seconds(work: Callable[[], Any]) -> float:
    """Median of some runs, in seconds."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def peak(work: Callable[[], Any]) -> int:
    """Most memory that Python held during one run, in bytes."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def loading() -> tuple[float, float]:
    """Loading and judging a stack file, against parsing its YAML."""
    text = PROD.read_text(encoding="utf-8")
    return seconds(lambda: model.load(PROD)), seconds(lambda: yaml.safe_load(text))


def planning() -> tuple[float, float]:
    """The plan of the whole production fabric, against that of one with half the servers."""
    whole = model.load(PROD)
    kept = dict(list(whole.servers.items())[: len(whole.servers) // 2])
    half = whole.model_copy(update={"servers": kept})
    return seconds(lambda: fabric.plan(whole.network)), seconds(lambda: fabric.plan(half.network))


def planning_memory() -> tuple[float, float]:
    """Memory of the production plan, against the size of the device text it holds (bytes)."""
    cluster = model.load(PROD)
    text = sum(len(switch.text()) for switch in fabric.plan(cluster.network).switches)
    return float(peak(lambda: fabric.plan(cluster.network))), float(text)


def judging() -> tuple[float, float]:
    """The whole pack on the production switches, against its first rule."""
    switches = _switches()
    return seconds(lambda: _judge(RULES, switches)), seconds(lambda: _judge(RULES[:1], switches))


def failing() -> tuple[float, float]:
    """All of `podwright failures` at 224 GPU servers, in processor time, against `podwright check` of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "Pulumi.pod-224.yaml"
        path.write_text(yaml.safe_dump({"config": {model.KEY: pod(224)}}))
        return command("failures", str(path)), command("check", str(path))


def command(*words: str) -> float:
    """Processor time of one `podwright` command, start and end of its process included, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "podwright.cli", *words], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def comparing() -> tuple[float, float]:
    """The leaf difference of 256 switches with one changed line each, against writing them as JSON."""
    props = [dict(switch.props) for switch in _switches()] * (256 // 12 + 1)
    changed = [_with_one_change(each) for each in props]
    pairs = list(zip(props, changed, strict=True))
    return (
        seconds(lambda: [leaf_difference(old, new) for old, new in pairs]),
        seconds(lambda: [json.dumps(old) for old, _ in pairs]),
    )


def _switches() -> list[Resource]:
    plan = fabric.plan(model.load(PROD).network)
    return [
        Resource(
            "podwright:nxos:Switch",
            switch.hostname,
            switch.hostname,
            {
                "spec": {
                    "hostname": switch.hostname,
                    "config": switch.config,
                    "lossless": switch.lossless,
                    "links": {
                        port: {"device": end.device, "port": end.port, "role": end.role}
                        for port, end in switch.links.items()
                    },
                }
            },
        )
        for switch in plan.switches
    ]


def _with_one_change(props: dict[str, Any]) -> dict[str, Any]:
    config = dict(props["spec"]["config"])
    config[next(iter(config))] = "changed"
    return {"spec": {**props["spec"], "config": config}}


def _judge(rules: tuple[Rule | StackRule, ...], resources: list[Resource]) -> None:
    for rule in rules:
        try:
            if isinstance(rule, StackRule):
                list(rule.check(resources))
            else:
                for resource in resources:
                    list(rule.check(resource))
        except NotApplicable:
            continue


BENCHMARKS: tuple[tuple[Callable[[], tuple[float, float]], str], ...] = (
    (loading, "s"),
    (planning, "s"),
    (planning_memory, "B"),
    (judging, "s"),
    (failing, "s"),
    (comparing, "s"),
)


def main() -> int:
    """Run every benchmark and print its ratio."""
    for benchmark, unit in BENCHMARKS:
        ours, floor = benchmark()
        what = " ".join((benchmark.__doc__ or "").split())
        print(f"{ours / floor:8.2f} x  {what}  ({ours:.4g} {unit} / {floor:.4g} {unit})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
