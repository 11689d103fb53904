from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from podwright.components.providers.nxos.inputs import switch_failures
from podwright.components.providers.nxos.read.facts import chassis_serial, facts_of
from podwright.components.providers.nxos.switch import Switch
from podwright.components.providers.protocol.difference import Path, render
from podwright.components.providers.protocol.kind import UNKNOWN, CheckContext, Unknown
from tests.providers.nxos.rack import CONFIG, inputs


def test_a_good_switch_has_nothing_wrong() -> None:
    assert Switch().check(inputs(), CheckContext()) == []
    link = {"Ethernet1/1": {"device": "spine-01", "port": "Ethernet1/3", "role": "fabric"}}
    lossless = {"dscp": 26, "priority": 3, "cnp_dscp": 48, "mtu": 9216}
    assert Switch().check(inputs(links=link, lossless=lossless, adopt=True), CheckContext()) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hostname", "leaf 01"), ("hostname", ""), ("management", None), ("role", "core"), ("generation", "1"),
        ("generation", True), ("generation", -1), ("adopt", "yes"), ("lossless", 3), ("links", []), ("config", None),
        ("colour", "red"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named(field: str, value: Any) -> None:
    assert ("spec", field) in {failure.path for failure in switch_failures(inputs()["spec"] | {field: value})}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("reload", "", "a command that runs"),
        ("interface Ethernet1/1", "mtu 9216\nend\nreload", "'end' is a command that runs"),
        ("interface Ethernet1/1\nreload", "", "one line of printable ASCII"),
        ("interface Ethernet1/1", "mtu 9216\r\nreload", "one line of printable ASCII"),
        ("interface Ethernet1/1", "description caf\u00e9", "one line of printable ASCII"),
        ("! comment", "", "a comment"),
        ("interface Ethernet1/1", "description what?", "a question mark"),
        (" feature bgp", "", "blanks around"),
        ("cli alias name podwrightowner x", "", "podwright's own mark"),
        ("cli alias name podwrightwriter0 x", "", "podwright's own sign that it writes"),
        ("vlan 10,20", "", "several VLANs"),
        ("interface Ethernet1/1-4", "", "not the full name of one interface"),
        ("int e1/1", "", "not the full name of one interface"),
        ("router bgp 1", "  a\nb", "indented"),
        ("interface Ethernet1/1", 3, "must be a text"),
    ],
)
def test_a_line_that_does_more_than_configure_is_refused(name: str, text: Any, words: str) -> None:
    failures = switch_failures(inputs({name: text})["spec"])
    assert [f.path for f in failures] == [("spec", "config", name)]
    assert words in failures[0].message


@pytest.mark.parametrize("line", ["default-information originate", "default-originate", "install feature-set mpls"])
def test_configuration_lines_that_only_look_like_commands_pass(line: str) -> None:
    assert switch_failures(inputs({"router bgp 1": f"address-family ipv4 unicast\n  {line}"})["spec"]) == []


def test_two_lines_for_one_place_are_refused() -> None:
    failures = switch_failures(inputs({"interface Ethernet1/1": "", "interface eth1/1": "mtu 9216"})["spec"])
    assert "says the same as 'interface Ethernet1/1'" in failures[0].message


def test_what_is_known_before_is_said_before() -> None:
    outputs = Switch().preview(inputs(), None)
    assert isinstance(outputs["version"], Unknown)
    assert outputs["version"] is UNKNOWN
    assert len(outputs["digest"]) == 16
    again = Switch().preview(inputs(), {"version": "10.4(5)", "serial": "S", "found": {}})
    assert (again["version"], again["serial"], again["digest"]) == ("10.4(5)", "S", outputs["digest"])


def test_the_digest_does_not_depend_on_spelling() -> None:
    shuffled = dict(reversed(CONFIG.items()))
    shuffled["interface eth 1/1"] = shuffled.pop("interface Ethernet1/1") + "\nspeed auto"
    assert Switch().preview(inputs(shuffled), None)["digest"] == Switch().preview(inputs(), None)["digest"]


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    else:
        yield path


def test_every_leaf_of_the_spec_mutated_alone_shows_exactly_that_and_never_replaces() -> None:
    link = {"Ethernet1/1": {"device": "spine-01", "port": "Ethernet1/3", "role": "fabric"}}
    lossless = {"dscp": 26, "priority": 3, "cnp_dscp": 48, "mtu": 9216}
    given = inputs(links=link, lossless=lossless, serial="FDO00000001")
    for path in leaves(given):
        mutated: Any = copy.deepcopy(given)
        place = mutated
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = "mutated"
        difference = Switch().diff(given, mutated, {})
        assert difference.changes == {path: "update"}, render(path)
        assert not difference.replaces


def test_a_serial_number_that_is_said_for_the_first_time_changes_nothing() -> None:
    """States of the first release hold none."""
    assert Switch().diff(inputs(), inputs(serial="FDO00000001"), {}).changes == {}
    exchanged = Switch().diff(inputs(serial="FDO00000001"), inputs(serial="FDO00000009"), {})
    assert exchanged.changes == {("spec", "serial"): "update"}
    assert not exchanged.replaces
    assert [failure.path for failure in switch_failures(inputs(serial=1)["spec"])] == [("spec", "serial")]


def test_a_modular_switch_says_its_chassis_in_the_inventory() -> None:
    text = (
        'NAME: "Chassis",  DESCR: "Nexus9000 C9508 (8 Slot) Chassis"\n'
        "PID: N9K-C9508           ,  VID: V02 ,  SN: FGE1\n\n"
        'NAME: "Slot 27",  DESCR: "Supervisor Module"\nPID: N9K-SUP-B ,  VID: V02 ,  SN: FOC2\n'
    )
    assert chassis_serial(text) == "FGE1"
    assert chassis_serial("nothing") == ""


@pytest.mark.parametrize(
    ("text", "model", "version", "serial"),
    [
        ("  NXOS: version 10.4(5) [Maintenance]\n  cisco Nexus9000 C9364D-GX2A Chassis\n  Processor Board ID FDO1\n",
         "N9K-C9364D-GX2A", "10.4(5)", "FDO1"),
        ("  NXOS: version 9.3(8)\n  cisco Nexus9000 93180YC-FX3 chassis\n  Processor Board ID FDO2\n",
         "N9K-93180YC-FX3", "9.3(8)", "FDO2"),
        ("nothing", "", "", ""),
    ],
)  # fmt: skip
def test_a_switch_is_asked_what_it_is(text: str, model: str, version: str, serial: str) -> None:
    facts = facts_of(text)
    assert (facts.model, facts.version, facts.serial) == (model, version, serial)
