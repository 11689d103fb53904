"""Another priority than the usual one, from the file to the last counter: switches, NICs and pods of one `up` agree,
every path reaches line rate, and notifications travel in their own queue. Rail NICs begin as they
are delivered; what a hand changes of them later is put right, and firmware that it resets is named until then.
"""

import json
import re
from typing import Any

import pytest
import yaml

from podwright.cli import stack
from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT, Site
from tests.e2e.standing import kubectl
from tests.e2e.test_up import proven
from tests.waiting import until

pytestmark = pytest.mark.rough

CLASS = {"priority": 4, "dscp": 34, "cnp_dscp": 56}
PATIENCE = 120.0


@pytest.fixture(scope="module")
def made(make_site: MakeSite) -> Site:
    text: dict[str, Any] = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    text["config"]["podwright:cluster"]["fabric"].setdefault("lossless", {}).update(CLASS)
    return make_site("priority", stack_text=yaml.safe_dump(text, sort_keys=False))


def _screen(site: Site) -> str:
    command = [str(site.folder / ".venv/bin/python"), "-m", "podwright.cli", "status", site.stack]
    return " ".join(site.run(command, check=False).stdout.split())


def _idle(site: Site) -> tuple[str, str]:
    """Two nodes of the training pool without a job's pod, whom a restart disturbs."""
    nodes = json.loads(kubectl(site, "get", "nodes", "-l", "podwright.io/pool=training", "-o", "json"))["items"]
    pods = json.loads(kubectl(site, "get", "pods", "-n", "research", "-o", "json"))["items"]
    busy = {pod["spec"].get("nodeName") for pod in pods}
    one, other, *_ = sorted(name for node in nodes if (name := node["metadata"]["name"]) not in busy)
    return one, other


def test_a_site_on_priority_4_comes_up_at_line_rate(made: Site) -> None:
    asked: dict[str, int] = made.outputs()["acceptance"]
    measured = proven(made)
    assert measured.keys() == asked.keys() and min(measured.values()) >= 360
    printed = stack.parse(made.export()).acceptance
    counts = re.findall(r"^ok +\S+: .* marks (\d+), notifications (\d+)$", printed, re.MULTILINE)
    assert len(counts) == len(asked)
    assert all(marks == notified and int(marks) for marks, notified in counts)
    assert "all as planned" in _screen(made)
    assert made.preview() == []


def test_firmware_that_a_hand_resets_is_named_and_put_right_by_the_operator(made: Site) -> None:
    node, other = _idle(made)
    # With a node away already, the pool's budget lets no other one go: the operator must wait.
    kubectl(made, "cordon", other)
    made.world("POST", "/fault", {"kind": "nic-firmware", "end": f"{node}:rail3"})
    named = f"the NIC of rail 3 on {node} is not configured: UpdateStarted"
    until(lambda: named in _screen(made), PATIENCE, "the screen names the NIC")
    kubectl(made, "uncordon", other)
    until(lambda: "all as planned" in _screen(made), PATIENCE, "the operator puts it right")


def test_trust_and_pause_that_a_hand_takes_away_come_back(made: Site) -> None:
    """No API shows them before the operator's next look, and neither can the screen."""
    end = f"{_idle(made)[0]}:rail3"
    taken = made.world("POST", "/fault", {"kind": "nic", "end": end, "trust_dscp": False, "pfc": []})
    assert (taken["trust_dscp"], taken["pfc"]) == (False, [])

    def back() -> bool:
        now = made.world("POST", "/fault", {"kind": "nic", "end": end})
        return bool(now["trust_dscp"] and now["pfc"] == [4])

    until(back, PATIENCE, "the operator puts it right")
