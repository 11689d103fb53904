"""What a lost border link of a vPC pair means, with and without a path between the peers."""

from typing import Any

import yaml

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric.failures import Effect, effects
from tools.generated import ROOT

BORDER = "front-01 Ethernet1/29 – border-01 Ethernet1/1"
PEER_LINK = [f"front-01 Ethernet1/{port} – front-02 Ethernet1/{port}" for port in (35, 36)]


def frontend(**change: Any) -> dict[str, Effect]:
    """Losses of the production site's pair by name, with another vPC domain or other routed ports."""
    said = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]
    said["fabric"]["frontend"] |= change
    cluster = model.load(said)
    return {each.loss.name: each for each in effects(cluster.network, fabric.plan(cluster.network))}


def test_a_border_link_is_carried_by_the_other_peer_where_there_is_a_path_to_it() -> None:
    found = frontend()
    assert (found[BORDER].verdict, found[BORDER].left.stranded) == ("degraded", ())
    assert found["front-02"].verdict == "degraded"
    assert {found[name].verdict for name in PEER_LINK} == {"degraded"}


def test_a_border_link_without_such_a_path_is_fatal() -> None:
    found = frontend(vpc={"domain": 10, "peer_link": ["Ethernet1/35", "Ethernet1/36"]})
    assert found[BORDER].verdict == "fatal"
    assert "front-01 has no way to 0.0.0.0/0 any more and drops what comes to it" in found[BORDER].why
    assert found["front-01"].verdict == "degraded", "front-02 goes out by its own link"


def test_with_one_border_link_in_all_it_or_its_peer_is_fatal() -> None:
    said = yaml.safe_load((ROOT / "Pulumi.prod.yaml").read_text())["config"]["podwright:cluster"]
    only = {"border-01": said["fabric"]["frontend"]["routed"]["border-01"]}
    found = frontend(routed=only)
    assert found[BORDER].left.stranded == (("front-01", "0.0.0.0/0"), ("front-02", "0.0.0.0/0"))
    assert (found["front-01"].verdict, found["front-01"].left.stranded) == ("fatal", (("front-02", "0.0.0.0/0"),))
    assert found["front-02"].left.stranded == ()
