"""A case that is a change of a base: what is written changes, in its place, or the case is refused by name."""

from typing import Any

import pytest

from tests.policies.texts import altered, changed, expand, resource

LEAF = """hostname leaf-01
role leaf
lossless {dscp: 26, priority: 3}
link Ethernet1/33 spine-01 Ethernet1/1 fabric
!
policy-map type qos QOS_CLASSIFICATION
  class ROCEv2
    set qos-group 3
  class CNP
    set qos-group 7
interface Ethernet1/1
  mtu 9216
  no shutdown
interface Ethernet1/2
"""


def test_a_text_is_the_switch_that_the_engine_hands_over() -> None:
    assert resource(LEAF) == {
        "type": "podwright:nxos:Switch",
        "name": "leaf-01",
        "props": {
            "spec": {
                "hostname": "leaf-01",
                "role": "leaf",
                "lossless": {"dscp": 26, "priority": 3},
                "links": {"Ethernet1/33": {"device": "spine-01", "port": "Ethernet1/1", "role": "fabric"}},
                "config": {
                    "policy-map type qos QOS_CLASSIFICATION": (
                        "class ROCEv2\n  set qos-group 3\nclass CNP\n  set qos-group 7"
                    ),
                    "interface Ethernet1/1": "mtu 9216\nno shutdown",
                    "interface Ethernet1/2": "",
                },
            }
        },
    }


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        ("-role leaf\n+role spine", "role leaf", "role spine"),
        ("@@ interface Ethernet1/1\n-  mtu 9216\n+  mtu 1500", "  mtu 9216", "  mtu 1500"),
        ("@@ interface Ethernet1/1\n   mtu 9216\n+  vrf member a", "  mtu 9216\n", "  mtu 9216\n  vrf member a\n"),
        ("@@ interface Ethernet1/1\n+  shutdown", "  no shutdown\n", "  no shutdown\n  shutdown\n"),
        ("-interface Ethernet1/1", "interface Ethernet1/1\n  mtu 9216\n  no shutdown\n", ""),
        ("@@ policy-map type qos QOS_CLASSIFICATION > class CNP\n-    set qos-group 7", "    set qos-group 7\n", ""),
        ("-interface Ethernet1/2\n+vlan 10\n+  name a", "interface Ethernet1/2\n", "vlan 10\n  name a\n"),
        ("+vlan 10\n+  name a", "interface Ethernet1/2\n", "interface Ethernet1/2\nvlan 10\n  name a\n"),
        ("-role leaf\n@@\n+vlan 10", LEAF, LEAF.replace("role leaf\n", "") + "vlan 10\n"),
    ],
)
def test_a_change_is_made_where_it_says(change: str, old: str, new: str) -> None:
    assert old in LEAF
    assert changed(LEAF, change) == LEAF.replace(old, new)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("-role spine", "`role spine` stands 0 times below `the text`, not once"),
        ("@@ interface Ethernet1/3\n+  mtu 1500", "`interface Ethernet1/3` stands 0 times"),
        ("@@ interface Ethernet1/2\n-  mtu 9216", "`mtu 9216` stands 0 times below `interface Ethernet1/2`"),
        ("+interface Ethernet1/1\n@@ interface Ethernet1/1", "`interface Ethernet1/1` stands 2 times"),
        ("@@ interface Ethernet1/2\n+  a\n+      b", "`    b` is indented deeper than below `a`"),
    ],
)
def test_what_is_not_there_once_is_refused(change: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        changed(LEAF, change)


def test_cases_name_their_bases() -> None:
    shared = {"leaf": LEAF, "map": {"type": "kubernetes:core/v1:ConfigMap", "name": "c", "props": {}}}
    cases: dict[str, Any] = {
        "bases": {"leaf-02": {"leaf": "-hostname leaf-01\n+hostname leaf-02"}},
        "passes": [["leaf", "leaf-02"]],
        "fails": [{"resources": [{"leaf-02": "-role leaf"}, {"switch": LEAF}], "finding": ["wrong"]}],
        "does_not_apply": [["map"]],
    }
    found = expand(cases, shared)
    assert [each["name"] for each in found["passes"][0]] == ["leaf-01", "leaf-02"]
    assert "role" not in found["fails"][0]["resources"][0]["props"]["spec"]
    assert found["fails"][0]["finding"] == ["wrong"]
    assert found["does_not_apply"] == [[shared["map"]]]
    cases["bases"]["leaf-03"] = LEAF
    with pytest.raises(ValueError, match="no case uses leaf-03"):
        expand(cases, shared)


def test_a_resource_that_is_no_switch_is_changed_by_path() -> None:
    base = {"type": "podwright:intersight:Policy", "name": "a", "props": {"spec": {"list": [{"one": 1}], "two": 2}}}
    change = {"name": "b", "spec.list.0.one": 3, "spec.list.1": {"one": 4}, "spec.two": None}
    made = altered(base, change)
    assert made["name"] == "b"
    assert made["props"] == {"spec": {"list": [{"one": 3}, {"one": 4}]}}
    assert base["name"] == "a" and base["props"] == {"spec": {"list": [{"one": 1}], "two": 2}}
    with pytest.raises(KeyError):
        altered(base, {"spec.three.one": 1})
