"""Routed host ports under every underlay: no rule objects, and in the lab NICs reach those of other leaf groups."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.cli.world import text
from podwright.components import model
from podwright.components.design import fabric
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.view import LiveView
from podwright.lab.world.model import World
from podwright.lab.world.paths import NoPathError, path
from tests.design.fabric.test_on_switch import typed
from tests.design.fabric.test_wrong_lines import refused
from tools import goldens

BLUE = {"kind": "vrf", "tenants": {"blue": {"index": 1, "groups": [1]}}}
BOTH = {"kind": "vxlan-evpn", "tenants": {"blue": {"index": 1, "groups": [1]}, "red": {"index": 2, "groups": [2]}}}
FORMS: dict[str, dict[str, Any]] = {
    "ebgp": {},
    "unnumbered": {"underlay": {"kind": "ebgp-unnumbered"}},
    "ospf": {"underlay": {"kind": "ospf"}},
    "vrf": {"tenancy": BLUE},
    "evpn": {"underlay": {"kind": "ospf"}, "tenancy": BOTH},
}
CARRIED = ("ebgp", "unnumbered", "ospf")
"""Forms whose way between leaves the world follows; VRFs and tunnels are not in its paths."""
FLOWS = (("gpu-01:rail0", "gpu-03:rail0"), ("gpu-04:rail7", "gpu-02:rail7"), ("gpu-01:rail0", "gpu-05:rail6"))
"""Between groups on one rail in either direction, and across rails."""


def _cluster(form: str) -> model.Cluster:
    said = copy.deepcopy(yaml.safe_load(goldens.stack_file("routed").read_text()))["config"]["podwright:cluster"]
    said["fabric"] |= copy.deepcopy(FORMS[form])
    if "tenancy" in FORMS[form]:
        said["workloads"]["training"]["pretrain"]["nodes"] = 2
    if said["fabric"].get("underlay", {}).get("kind") == "ospf":
        for switch in (*said["fabric"]["leaves"].values(), *said["fabric"]["spines"].values()):
            switch["asn"] = 65001
    return model.load(said)


@pytest.mark.parametrize("form", FORMS)
def test_no_rule_stops_the_plan(form: str) -> None:
    cluster = _cluster(form)
    assert refused(cluster, fabric.plan(cluster.network)) == set()


@pytest.mark.parametrize("form", FORMS)
def test_every_switch_takes_every_line(form: str, tmp_path: Path) -> None:
    """And where the world follows the way, a NIC reaches those of the other group."""
    cluster = _cluster(form)
    rack = tmp_path / "world.yaml"
    rack.write_text(text(cluster))
    world = World.load(rack)
    for switch in fabric.plan(cluster.network).switches:
        device = build(world, world.switches[switch.hostname], "admin", "Lab-Passw0rd", "192.0.2.254")
        session = Session(device)
        answers = [(line, session.run(line)) for line in typed(switch)]
        assert [line for line, answer in answers if "%" in answer or "ERROR" in answer] == []
        world.attach_switch(switch.hostname, LiveView(device))
    for name in ("gpu-01", "gpu-02", "gpu-03", "gpu-04", "gpu-05"):
        world.power(name, "On")
    if form not in CARRIED:
        return
    for source, target in FLOWS:
        ends = [tuple(each.split(":")) for each in (source, target)]
        try:
            found = path(world, ends[0], ends[1], "flow")  # type: ignore[arg-type]
        except NoPathError as problem:
            pytest.fail(f"{form}: {source} to {target}: {problem}")
        assert len(found.hops) == 3
