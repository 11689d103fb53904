from __future__ import annotations

import copy
from typing import Any

import pytest

from podwright.components.providers.intersight.compare import same
from podwright.components.providers.protocol.kind import CheckContext, Unknown
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN
from tools.intersight import properties


def problems(token: str, spec: Any) -> list[tuple[str, str]]:
    found = BY_TOKEN[token].check({"spec": spec}, CheckContext())
    return [(".".join(map(str, failure.path)), failure.message) for failure in found]


def with_(spec: dict[str, Any], **properties: Any) -> dict[str, Any]:
    spec = copy.deepcopy(spec)
    spec["properties"] |= properties
    return spec


@pytest.mark.parametrize(
    "spec",
    [specs.ntp(), specs.bios(), specs.qos(), specs.vlans(), specs.lan()],
    ids=["ntp", "bios", "qos", "vlans", "lan"],
)
def test_right_specs_pass(spec: dict[str, Any]) -> None:
    assert problems("Policy", spec) == []


@pytest.mark.parametrize(
    ("spec", "path", "message"),
    [
        (with_(specs.bios(), SriOv="enabled"), "spec.properties.SriOv", "did you mean 'SrIov'"),
        (
            with_(specs.bios(), SrIov="on"),
            "spec.properties.SrIov",
            "must be one of platform-default, enabled, disabled",
        ),
        (with_(specs.bios(), AutonomousCstateEnable="enabled"), "spec.properties.AutonomousCstateEnable", "Autonumous"),
        (with_(specs.qos(), Mtu=9216), "spec.properties.Mtu", "must lie between 1500 and 9158"),
        (with_(specs.qos(), Mtu="9000"), "spec.properties.Mtu", "must be of type integer"),
        (with_(specs.qos(), Mtu=9000.5), "spec.properties.Mtu", "must be a whole number"),
        (with_(specs.qos(), TrustHostCos=1), "spec.properties.TrustHostCos", "must be of type boolean"),
        (with_(specs.ntp(), NtpServers="192.0.2.1"), "spec.properties.NtpServers", "must be a list"),
        (with_(specs.ntp(), NtpServers=["a"] * 5), "spec.properties.NtpServers", "must hold 0 to 4"),
        (with_(specs.ntp(), Description="GPU — Optimised"), "spec.properties.Description", "does not match"),
        (with_(specs.ntp(), ModTime="now"), "spec.properties.ModTime", "written by Intersight alone"),
        (with_(specs.ntp(), Name="x"), "spec.properties.Name", "is the spec's own `name`"),
        (with_(specs.vlans(), VlanSettings={"AllowedVlan": "1"}), "spec.properties.VlanSettings.AllowedVlan", "Vlans'"),
        ({**specs.ntp(), "object_type": "ntp.Polcy"}, "spec.object_type", "did you mean 'ntp.Policy'"),
        ({**specs.ntp(), "name": "two words"}, "spec.name", "no name that Intersight takes"),
        ({**specs.ntp(), "schema": 9}, "spec.schema", "this release writes 1"),
        ({**specs.ntp(), "organisation": "x"}, "spec.organisation", "did you mean 'organization'"),
    ],
)
def test_wrong_properties_are_refused_at_their_leaf(spec: dict[str, Any], path: str, message: str) -> None:
    found = problems("Policy", spec)
    assert [where for where, _ in found] == [path]
    assert message in found[0][1]


def test_every_problem_is_told_at_once() -> None:
    spec = with_(with_(specs.bios(), SriOv="enabled", SrIov="on"), SmtMode=1)
    assert len(problems("Policy", spec)) == 3


def test_a_polymorphic_entry_must_say_its_kind() -> None:
    boot = specs.policy("boot.PrecisionPolicy", "b", {"BootDevices": [{"Name": "disk"}]})
    assert problems("Policy", boot)[0][0] == "spec.properties.BootDevices.0.ObjectType"
    boot["properties"]["BootDevices"] = [{"ObjectType": "boot.Nvme", "ClassId": "boot.Nvme", "Name": "disk", "Nope": 1}]
    assert problems("Policy", boot) == [("spec.properties.BootDevices.0.Nope", "there is no property 'Nope' here")]


def test_a_childs_mistakes_are_found_at_the_child() -> None:
    spec = specs.lan()
    spec["children"][1]["properties"]["Order"] = -1
    spec["children"][0]["references"]["EthQosPolicy"]["object_type"] = "vnic.EthQosPolic"
    spec["children"].append({"object_type": "fabric.Vlan", "name": "v"})
    assert [path for path, _ in problems("Policy", spec)] == [
        "spec.children.0.references.EthQosPolicy.object_type",
        "spec.children.1.properties.Order",
        "spec.children.2.object_type",
    ]


def test_unknown_values_are_not_judged_but_must_not_hide_the_spec() -> None:
    assert problems("Policy", with_(specs.qos(), Mtu=Unknown())) == []
    assert problems("Policy", Unknown())[0][0] == "spec"


def test_a_server_family_is_one_that_intersight_has() -> None:
    assert problems("ServerProfile", specs.profile(server_family="UCSC845A")) == []
    ((path, message),) = problems("ServerProfile", specs.profile(server_family="UCSC-845A"))
    assert (path, "UCSC845A" in message) == ("spec.server_family", True)


def test_a_profile_takes_one_policy_of_a_type() -> None:
    spec = specs.profile(("ntp.Policy", "a"), ("ntp.Policy", "b"))
    assert problems("ServerProfile", spec) == [
        ("spec.policies.1", "a profile takes one ntp.Policy, this is the second")
    ]


def test_a_domain_needs_both_fabrics() -> None:
    spec = {"name": "d", "organization": "default", "serials": {"A": "FDO1"}, "policies": {"A": [], "B": [], "C": []}}
    assert [path for path, _ in problems("DomainProfile", spec)] == ["spec.serials.B", "spec.policies.C"]


@pytest.mark.parametrize(
    ("said", "live", "alike"),
    [
        ("5,6,7,10", "5-7,10", True),
        ("5-7", "5-8", False),
        ("100", "100", True),
        ("00:25:b5:00:00:0a", "00:25:B5:00:00:0A", True),
        ("platform-default", None, True),
        ("enabled", None, False),
        (9000.0, 9000, True),
        (True, 1, False),
        ([{"Moid": "a"}, {"Moid": "b"}], [{"Moid": "b"}, {"Moid": "a"}], True),
        ([{"Name": "Gold", "Cos": 4}], [{"Name": "Gold", "Cos": 4, "Weight": 9, "ClassId": "fabric.QosClass"}], True),
        (["a", "b"], ["b", "a"], False),
        ([], None, True),
    ],
)
def test_what_means_the_same_is_the_same(said: Any, live: Any, alike: bool) -> None:
    assert same(said, live, {"kind": "free"}) is alike


def test_the_table_is_that_of_the_installed_sdk() -> None:
    assert properties.main(["--check"]) == 0
