from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
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
        (with_(specs.ntp(), NtpServers=["192.0.2.1"] * 5), "spec.properties.NtpServers", "must hold 0 to 4"),
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


@pytest.mark.parametrize("wrong", ["boot.LocalDsk", ["boot.LocalDisk"], {"of": "boot.LocalDisk"}, 7, True, ""])
@pytest.mark.parametrize("mark", ["ObjectType", "ClassId"])
def test_a_kind_that_does_not_fit_is_refused_at_its_mark(mark: str, wrong: Any) -> None:
    device = {"ObjectType": "boot.LocalDisk", "ClassId": "boot.LocalDisk", "Name": "disk", mark: wrong}
    found = problems("Policy", specs.policy("boot.PrecisionPolicy", "b", {"BootDevices": [device]}))
    assert f"spec.properties.BootDevices.0.{mark}" in [where for where, _ in found]
    if wrong == "boot.LocalDsk":
        assert "did you mean 'boot.LocalDisk'?" in dict(found)[f"spec.properties.BootDevices.0.{mark}"]


def test_the_one_kind_that_fits_may_be_stated_and_no_other() -> None:
    block = {"ObjectType": "macpool.Blok", "From": "00:25:B5:00:00:00", "Size": 16}
    ((where, _),) = problems("Pool", specs.policy("macpool.Pool", "m", {"MacBlocks": [block]}))
    assert where == "spec.properties.MacBlocks.0.ObjectType"


@pytest.mark.parametrize("key", ["properties", "references"])
@pytest.mark.parametrize("wrong", [[], "Order: 0", 7, None])
def test_what_a_child_has_must_be_an_object(key: str, wrong: Any) -> None:
    spec = specs.lan()
    spec["children"][0][key] = wrong
    assert problems("Policy", spec) == [(f"spec.children.0.{key}", f"must be an object, not {wrong!r}")]


def syslog(host: str) -> dict[str, Any]:
    remote, local = "syslog.RemoteLoggingClient", "syslog.LocalFileLoggingClient"
    client = {"ObjectType": remote, "ClassId": remote, "Hostname": host}
    clients = {"RemoteClients": [client], "LocalClients": [{"ObjectType": local, "ClassId": local}]}
    return specs.policy("syslog.Policy", "s", clients)


def mac(text: str) -> dict[str, Any]:
    spec = specs.lan()
    spec["children"][0]["properties"]["StaticMacAddress"] = text
    return spec


@pytest.mark.parametrize(
    ("made", "where", "right", "wrong"),
    [
        (mac, "spec.children.0.properties.StaticMacAddress", ("02:00:00:00:00:0a", ""), ("zz", "02:00:00:00:00", "0")),
        (
            lambda text: specs.policy("macpool.Pool", "m", {"MacBlocks": [{"From": text, "Size": 16}]}),
            "spec.properties.MacBlocks.0.From",
            ("00:25:B5:00:00:00",),
            ("zz", "00-25-B5-00-00-00"),
        ),
        (
            lambda text: specs.policy("networkconfig.Policy", "d", {"PreferredIpv4dnsServer": text}),
            "spec.properties.PreferredIpv4dnsServer",
            ("192.0.2.53", ""),
            ("zz", "192.0.2", "2001:db8::53", "192.0.2.256"),
        ),
        (
            lambda text: specs.policy("networkconfig.Policy", "d", {"PreferredIpv6dnsServer": text}),
            "spec.properties.PreferredIpv6dnsServer",
            ("2001:db8::53",),
            ("zz", "192.0.2.53"),
        ),
        (syslog, "spec.properties.RemoteClients.0.Hostname", ("logs.example.com", "192.0.2.9"), ("zz", "a b.c", "1.2")),
        (
            lambda text: specs.policy("ntp.Policy", "n", {"NtpServers": ["192.0.2.1", text]}),
            "spec.properties.NtpServers.1",
            ("0.pool.ntp.org", "2001:db8::1", "ntp.example.com."),
            ("zz", "ntp_1.example.com", "-a.example.com", "300.1.1.1"),
        ),
    ],
)  # fmt: skip
def test_addresses_and_hosts_are_such(
    made: Callable[[str], dict[str, Any]], where: str, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    token = "Pool" if made("x")["object_type"] == "macpool.Pool" else "Policy"
    assert [problems(token, made(text)) for text in right] == [[]] * len(right)
    for text in wrong:
        ((found, message),) = problems(token, made(text))
        assert (found, repr(text) in message) == (where, True)


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


TWINS: tuple[Any, ...] = ("zz", 7, -1, 1.5, True, None, [], {}, ["zz"], {"ObjectType": []}, Unknown())


def twins(value: Any) -> Iterator[Any]:
    """Copies of a spec with one place each replaced by something of another type, or one key misspelt."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: twin} for twin in (*TWINS, *twins(inner)))
            yield {("x" + name if name == key else name): each for name, each in value.items()}
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from ([*value[:index], twin, *value[index + 1 :]] for twin in (*TWINS, *twins(inner)))


def test_no_twin_of_a_spec_crashes_the_check() -> None:
    """Some are right by chance; what counts is that each is judged, and each failure has a place and a sentence."""
    boot = specs.policy("boot.PrecisionPolicy", "b", {"BootDevices": [{"ObjectType": "boot.Nvme", "Name": "d"}]})
    domain = {"schema": 1, "name": "d", "organization": "default", "serials": {"A": "x", "B": "y"},
              "policies": {"A": [{"object_type": "ntp.Policy", "name": "n"}], "B": []}, "action": "stage"}  # fmt: skip
    right = [("Policy", each) for each in (specs.ntp(), specs.bios(), specs.lan(), boot, syslog("a.b"))]
    right += [("Pool", specs.macs()), ("ServerProfile", specs.profile(("ntp.Policy", "a"))), ("DomainProfile", domain)]
    tried = 0
    for token, spec in right:
        assert problems(token, spec) == []
        for twin in twins(spec):
            tried += 1
            assert all(where and message for where, message in problems(token, twin)), twin
    assert tried >= 700
