"""Lines by which the requirement documents describe a fabric wrongly: never in what we write, refused where said."""

import copy
import json
import re
from collections.abc import Sequence

import pytest

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import FabricPlan
from podwright.components.fabric import _spec
from podwright.policies.rules import RULES
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import NotApplicable, StackRule
from tests.model.changes import LAB, PROD
from tools import goldens

NEVER = (
    r"hardware qos ecn",
    r"hardware profile portmode$",
    r"buffer-boost",
    r"watch-dog-interval off",
    r"priority-flow-control mode auto",
    r"random-detect (?!minimum-threshold \d+ kbytes maximum-threshold \d+ kbytes .* ecn$)",
    r"interface Ethernet ",
    r"interface Ethernet1/\d+-",
    r"^\s*vrf management$",
)
"""Patterns of those lines; ECN without thresholds in bytes, or that drops instead of marking, is one of them."""

INERT, WATCHDOG = {"fabric-no-inert-lines"}, {"fabric-pfc-watchdog"}
DOCUMENT: dict[str, tuple[str, set[str]]] = {
    "hardware qos ecn": ("", INERT),
    "hardware qos ecn threshold 20 80": ("", INERT),
    "class-map type qos match-all RDMA-CLASS": ("match dscp 26", set()),
    "policy-map type qos AI-RDMA-INBOUND": ("class RDMA-CLASS\n  set qos-group 3", set()),
    "hardware profile portmode": ("buffer-boost", INERT),
    "priority-flow-control watch-dog-interval off": ("", WATCHDOG),
    "interface Ethernet1/1": ("priority-flow-control mode on\npriority-flow-control watch-dog-interval off", WATCHDOG),
}
"""The document's own quality-of-service block as raw blocks, and the rules that stop each. Class and policy are right
and, beside ours, do nothing."""


def refused(cluster: model.Cluster, planned: FabricPlan) -> set[str]:
    """Ids of the mandatory rules that stop a preview of this plan."""
    resources = [
        Resource("podwright:nxos:Switch", each.hostname, each.hostname, {"spec": _spec(cluster.network, each)})
        for each in planned.switches
    ]
    return {rule.id for rule in RULES if rule.mandatory and any(_messages(rule, resources))}


def _messages(rule: object, resources: Sequence[Resource]) -> list[object]:
    found: list[object] = []
    for group in [resources] if isinstance(rule, StackRule) else [[each] for each in resources]:
        try:
            found += rule.check(group if isinstance(rule, StackRule) else group[0])  # type: ignore[attr-defined]
        except NotApplicable:
            continue
    return found


def _shaped(defined: object) -> model.Cluster:
    """As a component may be handed it: the check of raw lines, which stops some of these in a file, is not asked."""
    return model.Cluster.model_validate_json(json.dumps(defined), strict=True)


@pytest.mark.parametrize("example", goldens.examples())
def test_our_own_text_holds_none_of_them(example: str) -> None:
    for hostname, text in goldens.texts(example).items():
        for pattern in NEVER:
            assert not re.search(pattern, text, re.MULTILINE), f"{hostname}: {pattern}"


@pytest.mark.parametrize("example", goldens.examples())
def test_our_own_plans_pass_every_rule_of_the_fabric(example: str) -> None:
    """But where a stack says that a protection is off: then exactly the rules that speak of it stop it."""
    cluster = model.load(goldens.stack_file(example))
    said = cluster.fabric.lossless
    off = {"fabric-pfc-on-every-hop"} if said.pfc == "off" else set()
    off |= {"fabric-pfc-watchdog"} if said.watchdog == "off" else set()
    off |= {"fabric-ecn-on-lossless-queue"} if said.ecn is None else set()
    assert refused(cluster, fabric.plan(cluster.network)) == off


@pytest.mark.parametrize("line", DOCUMENT)
def test_each_of_them_is_refused_where_a_person_could_write_it(line: str) -> None:
    children, rules = DOCUMENT[line]
    whole = copy.deepcopy(LAB)
    whole["fabric"]["extra"] = {"leaf-01": {line: children}}
    cluster = _shaped(whole)
    assert refused(cluster, fabric.plan(cluster.network)) == rules


@pytest.mark.parametrize(
    ("hostname", "line", "children", "rule"),
    [
        (
            "front-01",
            "vpc domain 10",
            "peer-keepalive destination 203.0.113.99 source 203.0.113.98",
            "fabric-keepalive-independent",
        ),
        ("front-01", "vpc domain 10", "vrf management", "fabric-no-inert-lines"),
        ("leaf-01", "interface Ethernet1/1", "channel-group 5 mode active", "fabric-no-vpc-on-backend"),
        ("leaf-01", "interface Ethernet1/1", "priority-flow-control mode auto", "fabric-pfc-on-every-hop"),
        ("leaf-01", "interface nve1", "qos-mode pipe", "fabric-no-inert-lines"),
    ],
)
def test_wrong_ends_bundles_and_modes_are_refused(hostname: str, line: str, children: str, rule: str) -> None:
    whole = copy.deepcopy(PROD)
    whole["fabric"]["extra"] = {hostname: {line: children}}
    cluster = _shaped(whole)
    assert rule in refused(cluster, fabric.plan(cluster.network))
