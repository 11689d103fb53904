"""A size, written as a stack file, is coherent, and its plan has exactly the links the size counts."""

import copy
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric.sizing.models import MOST_INDEX, Ask, Option, propose, unwritable
from podwright.components.model import describe
from tests.model.changes import LAB

RAILS = 8
"""The GPU server of the catalogue has eight NICs of 400G."""


def written(ask: Ask, option: Option) -> dict[str, Any]:
    """The lab's file with the fabric and the GPU servers of an option."""
    said = copy.deepcopy(LAB)
    size, lab = option.size, said["fabric"]
    groups = size.leaves * size.rails_per_leaf // RAILS
    lab["links_per_pair"] = size.links_per_pair
    lab["host_gbps"] = None if ask.gbps == 400 else ask.gbps
    lab["addressing"] = {"loopbacks": "10.0.0.0/24", "links": "10.1.0.0/16", "hosts": "10.64.0.0/14"}
    lab["spines"] = {
        f"spine-{index:02}": {
            **{"model": option.spine, "index": index, "rack": "r2"},
            **{"management": f"10.200.1.{index}", "asn": 65001},
        }
        for index in range(1, size.spines + 1)
    }
    lab["leaves"] = {}
    for number in range(size.leaves):
        group, place = divmod(number, size.leaves // groups)
        lab["leaves"][f"leaf-{number + 1:02}"] = {
            **{"model": option.leaf, "index": number + 1, "rack": "r1", "group": group + 1},
            **{"management": f"10.200.0.{number + 1}", "asn": 64601 + number},
            "rails": list(range(place * size.rails_per_leaf, (place + 1) * size.rails_per_leaf)),
        }
    template = said["servers"]["gpu-01"]
    said["servers"] = {name: each for name, each in said["servers"].items() if not name.startswith("gpu")}
    for number in range(ask.servers):
        index, group = divmod(number, groups)
        said["servers"][f"gpu-{number:03}"] = template | {
            **{"index": index + 1, "group": group + 1, "serial": f"FCH{number:08}", "rack": "r1"},
            **{"address": f"198.18.0.{number + 1}", "bmc": f"198.18.1.{number + 1}"},
            "boot_mac": f"02:00:00:00:0a:{number:02x}",
        }
    return said


def _elsewhere(said: dict[str, Any]) -> dict[str, Any]:
    """Room for many servers: the machine network is a /16, workloads are left out."""
    shift = said["openshift"]
    shift |= {"machine_network": "198.18.0.0/16", "gateway": "198.18.255.1", "teams": {}}
    shift |= {"api_vip": "198.18.255.2", "ingress_vip": "198.18.255.3"}
    for number, name in enumerate(name for name in said["servers"] if not name.startswith("gpu")):
        said["servers"][name] |= {"address": f"198.18.254.{number + 1}", "index": 41 + number}
    said["workloads"] = {}
    said["pools"]["inference"].pop("mig", None)
    said["acceptance"]["enabled"] = False
    return said


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 70),
    st.sampled_from(["N9K-C9332D-GX2B", "N9K-C9348D-GX2A", "N9K-C9364D-GX2A", "N9K-C9316D-GX"]),
    st.sampled_from(["N9K-C9364D-GX2A", "N9K-C9332D-GX2B"]),
    st.sampled_from(["rail", "rack"]),
    st.sampled_from([400, 200]),
)
def test_a_size_can_be_written_and_planned(servers: int, leaf: str, spine: str, layout: Any, gbps: int) -> None:
    ask = Ask(servers, RAILS, gbps, layout=layout, leaf=leaf, spine=spine)
    options = propose(ask).options
    assume(options and not unwritable(options[0]))
    size = options[0].size
    plan = fabric.plan(model.load(json.loads(json.dumps(_elsewhere(written(ask, options[0]))))).network)
    roles = Counter(link.role for link in plan.links)
    assert (roles["host"], roles["fabric"]) == (size.host_links, size.fabric_links)
    on_leaf = Counter(link.device for link in plan.links if link.role == "host")
    assert max(on_leaf.values()) == size.hosts_per_leaf
    assert Counter(switch.role for switch in plan.switches) == {"leaf": size.leaves, "spine": size.spines}


def test_the_largest_index_is_the_specs() -> None:
    limits = describe.shape(describe.hints(model.Switch)["index"]).metadata
    assert max(each.le for each in describe.constraints(limits) if hasattr(each, "le")) == MOST_INDEX


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (Ask(128, RAILS, 400, leaf="N9K-C9332D-GX2B"), "names 63 leaves"),
        (Ask(128, RAILS, 400, leaf="N9K-C9364D-GX2A"), None),
        (Ask(4, RAILS, 400, leaf="N9K-C9364D-GX2A"), "a spine at least"),
        (Ask(128, 1, 100, leaf="N9K-C9332D-GX2B"), "no server of the catalogue has NICs of 100G"),
        (Ask(16, RAILS, 200, leaf="N9K-C9332D-GX2B"), None),
        (Ask(40, RAILS, 400, 2.0, leaf="N9K-C9364D-GX2A"), "32 hosts, not 40"),
    ],
)
def test_what_no_stack_file_can_say_yet_is_told(ask: Ask, why: str | None) -> None:
    (option,) = propose(ask).options
    said = unwritable(option)
    assert said is None if why is None else why in (said or "")
