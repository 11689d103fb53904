"""One QoS setting taken away on one hop, behind the program's back: only paths across that hop degrade, and the hop
is named by the test that fails and by the screen.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from podwright.components import model
from podwright.components.design import acceptance
from tests.design import whole
from tests.e2e.site import Site

pytestmark = pytest.mark.rough


@dataclass(frozen=True)
class Hop:
    """A setting that somebody takes away: where, the lines, and the lines that give it back."""

    switch: str
    port: str
    take: tuple[str, ...]
    give: tuple[str, ...]
    says: str
    """What the screen says of it."""
    certain: bool = True
    """False where equal-cost routing may lead every packet around the port."""
    at_receivers: bool = False
    """True for what a switch does only where it queues: on ports to receivers."""


def _port(switch: str, port: str, line: str, says: str, certain: bool = True) -> Hop:
    mode = f"interface {port}"
    return Hop(switch, port, (mode, f"no {line}"), (mode, line), says, certain)


def _box(switch: str, lines: tuple[str, ...], line: str, says: str) -> Hop:
    return Hop(switch, "", (*lines, f"no {line}"), (*lines, line), says)


CLASSIFY = "service-policy type qos input QOS_CLASSIFICATION"
NQ3 = ("policy-map type network-qos qos_network", "class type network-qos c-8q-nq3")
Q3 = ("policy-map type queuing QOS_EGRESS_PORT", "class type queuing c-out-8q-q3")
MARK = "random-detect minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"
HOPS = {
    "PFC on a host port": _port(
        "leaf-01", "Ethernet1/3", "priority-flow-control mode on", "Ethernet1/3 (to gpu-01) does not have priority-flow"
    ),
    "classification on a host port": _port(
        "leaf-02", "Ethernet1/6", CLASSIFY, "leaf-02 Ethernet1/6 classifies nothing"
    ),
    "MTU on a host port": _port("leaf-01", "Ethernet1/9", "mtu 9216", "a switch on the path has 1500"),
    "PFC on an uplink": _port(
        "leaf-01", "Ethernet1/41", "priority-flow-control mode on", "Ethernet1/41 (to spine-01)", certain=False
    ),
    "pause of the class on a leaf": _box("leaf-02", NQ3, "pause pfc-cos 3", "qos_network has no 'pause pfc-cos 3'"),
    "network-qos on the spine": _box(
        "spine-01", ("system qos",), "service-policy type network-qos qos_network", "spine-01 attaches no network-qos"
    ),
    "marking on a leaf": replace(
        _box("leaf-01", Q3, MARK, "QOS_EGRESS_PORT has no random-detect line"), at_receivers=True
    ),
}


@pytest.fixture(scope="module")
def free_rails(converged: Site) -> Iterator[Site]:
    """The shared site without its training job, whose pods hold rails; it is started again at the end."""
    kubeconfig = converged.folder / "qos.kubeconfig"
    kubeconfig.write_text(converged.outputs()["kubeconfig"])
    kubeconfig.chmod(0o600)
    converged.run(
        [
            "kubectl",
            "--kubeconfig",
            str(kubeconfig),
            "delete",
            "jobs",
            "--all",
            "-n",
            "research",
            "--cascade=foreground",
        ]
    )
    yield converged
    converged.refresh()
    converged.up()


@pytest.fixture(scope="module")
def plan(converged: Site) -> acceptance.Acceptance:
    cluster = model.load(converged.stack_file)
    return whole.acceptance(cluster)


def measure(site: Site, plan: acceptance.Acceptance) -> Mapping[str, Any]:
    """Verdicts by test, from the runner alone."""
    environment = {**site.environ, "PODWRIGHT_KUBECONFIG": (site.folder / "qos.kubeconfig").read_text()}
    done = subprocess.run(
        [str(site.folder / ".venv/bin/python"), "-m", "podwright.components.providers.acceptance", "--json"],
        input=json.dumps(plan.document()),
        env=environment, cwd=site.folder, text=True, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode in {0, 1}, done.stderr
    return {verdict["name"]: verdict for verdict in json.loads(done.stdout)}


def _type(site: Site, switch: str, lines: tuple[str, ...]) -> None:
    output = site.world(
        "POST", "/fault", {"kind": "cli", "switch": switch, "lines": ["configure terminal", *lines, "end"]}
    )
    assert "%" not in output["output"] and "Invalid" not in output["output"], output


def _across(plan: acceptance.Acceptance, hop: Hop) -> set[str]:
    """Tests whose packets can meet the hop."""

    def touches(test: acceptance.Test) -> bool:
        if hop.at_receivers:
            return test.receiver.leaf == hop.switch
        return any(each.switch == hop.switch and hop.port in {"", each.port} for each in test.hops)

    return {test.name for test in plan.tests if touches(test)}


def test_every_path_is_measured_and_passes(free_rails: Site, plan: acceptance.Acceptance) -> None:
    verdicts = measure(free_rails, plan)
    assert [name for name, each in verdicts.items() if not each["passed"]] == []
    assert all(each["measured"] and not each["occupied"] for each in verdicts.values())
    assert all(each["pauses"] and each["marked"] for each in verdicts.values()), "an incast pauses and marks"


@pytest.mark.parametrize("what", HOPS)
def test_only_paths_across_the_hop_degrade(free_rails: Site, plan: acceptance.Acceptance, what: str) -> None:
    hop = HOPS[what]
    _type(free_rails, hop.switch, hop.take)
    try:
        verdicts = measure(free_rails, plan)
        screen = free_rails.run(
            [str(free_rails.folder / ".venv/bin/python"), "-m", "podwright.cli", "status", "lab"], check=False
        )
    finally:
        _type(free_rails, hop.switch, hop.give)
    failed = {name for name, each in verdicts.items() if not each["passed"]}
    across = _across(plan, hop)
    assert failed <= across, "a path that does not meet the hop degraded"
    if hop.certain:
        assert failed == across
    for name in failed:
        assert any(hop.switch in reason or "arrive at" in reason for reason in verdicts[name]["reasons"])
    assert screen.returncode == 1, screen.stderr
    assert hop.says in " ".join(screen.stdout.split()), screen.stdout
