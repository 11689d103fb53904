"""A device that has another name than in the state: the preview says what to write, and passes where it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from podwright.components.providers.protocol.kind import CheckContext
from podwright.components.providers.site.world import World

SWITCHES = {
    "leaf-01": {"management": "192.0.2.11", "credential": "switch-admin", "serial": "FDO1"},
    "leaf-02": {"management": "192.0.2.12", "credential": "switch-admin"},
}
SERVERS = {"gpu-01": {"serial": "WZP1", "bmc": "192.0.2.101"}, "gpu-02": {"serial": "WZP2"}}


def refused(switches: Mapping[str, Any] = SWITCHES, servers: Mapping[str, Any] = SERVERS) -> list[str]:
    """What a preview says of a spec where the state has SWITCHES and SERVERS."""
    whole = {"schema": 1, "cluster": "lab", "intersight": False, "installation": {}}
    old = {"spec": {**whole, "switches": SWITCHES, "servers": SERVERS}}
    new = {"spec": {**whole, "switches": switches, "servers": servers}}
    return [f"{each.path[2]}: {each.message}" for each in World().check(new, CheckContext(old_inputs=old))]


def named(was: str, name: str, **change: Any) -> dict[str, Any]:
    """The switches with one under another name."""
    rest = {key: value for key, value in SWITCHES.items() if key != was}
    return {**rest, name: {**SWITCHES[was], **change}}


def test_the_same_devices_and_new_ones_pass() -> None:
    assert refused() == []
    more = {"leaf-03": {"management": "192.0.2.13", "credential": "switch-admin"}}
    assert refused({**SWITCHES, **more}, {**SERVERS, "gpu-03": {"serial": "WZP3"}}) == []
    assert refused({"leaf-01": SWITCHES["leaf-01"]}, {}) == []
    exchanged = {**SWITCHES, "leaf-01": {**SWITCHES["leaf-01"], "management": "192.0.2.31", "serial": "FDO9"}}
    assert refused(exchanged) == []


def test_another_name_is_refused_with_what_to_write() -> None:
    (found,) = refused(named("leaf-02", "leaf-02b"))
    assert found.startswith("leaf-02b: the management address 192.0.2.12 is that of leaf-02 in this stack's state; ")
    assert "write `renamed_from: leaf-02` in the entry leaf-02b" in found
    assert "leave leaf-02 out in one update and add leaf-02b in the next" in found


@pytest.mark.parametrize("renamed_from", ["leaf-09", "leaf-01"])
def test_a_rename_from_another_name_than_the_states_is_refused(renamed_from: str) -> None:
    (found,) = refused(named("leaf-02", "leaf-02b", renamed_from=renamed_from))
    assert "write `renamed_from: leaf-02`" in found


def test_a_rename_that_is_written_passes_and_may_stay_written() -> None:
    renamed = named("leaf-02", "leaf-02b", renamed_from="leaf-02")
    assert refused(renamed) == []
    whole = {"schema": 1, "cluster": "lab", "intersight": False, "installation": {}, "switches": renamed}
    assert World().check({"spec": whole}, CheckContext(old_inputs={"spec": whole})) == []


def test_a_moved_address_does_not_hide_a_chassis() -> None:
    (found,) = refused(named("leaf-01", "leaf-09", management="192.0.2.19"))
    assert found.startswith("leaf-09: the serial number FDO1 is that of leaf-01")


def test_names_that_change_places_are_refused_both() -> None:
    one, two = SWITCHES["leaf-01"], SWITCHES["leaf-02"]
    swapped = {"leaf-01": {**two, "renamed_from": "leaf-02"}, "leaf-02": {**one, "renamed_from": "leaf-01"}}
    found = refused(swapped)
    assert [each.split(":")[0] for each in found] == ["leaf-01", "leaf-02"]
    assert "leaf-02 keeps its name: let it give that up in one update, and leaf-01 take it in the next" in found[0]


def test_a_name_that_another_device_has_is_no_new_name() -> None:
    """The engine would change leaf-01's own resource and delete leaf-02's."""
    (found,) = refused({"leaf-01": {**SWITCHES["leaf-02"], "renamed_from": "leaf-02"}})
    assert "is that of leaf-02 in this stack's state" in found


def test_servers_are_told_by_serial_number_and_controller() -> None:
    (found,) = refused(servers={"gpu-01b": SERVERS["gpu-01"], "gpu-02": SERVERS["gpu-02"]})
    assert "gpu-01b: the serial number WZP1 is that of gpu-01" in found
    (found,) = refused(servers={"gpu-01b": {**SERVERS["gpu-01"], "serial": "WZP9"}, "gpu-02": SERVERS["gpu-02"]})
    assert "gpu-01b: the BMC address 192.0.2.101 is that of gpu-01" in found
    assert refused(servers={"gpu-01b": {**SERVERS["gpu-01"], "renamed_from": "gpu-01"}}) == []


def test_interconnects_keep_their_name() -> None:
    whole = {"schema": 1, "cluster": "lab", "intersight": True, "installation": {}, "switches": {}}
    pair = {"A": "FDO41", "B": "FDO42"}
    old = CheckContext(old_inputs={"spec": {**whole, "domains": {"x-series": pair}}})
    (found,) = World().check({"spec": {**whole, "domains": {"x2": {"A": "FDO49", "B": "FDO42"}}}}, old)
    assert "interconnect B's serial number FDO42 is that of x-series in this stack's state" in found.message
    assert "give the entry the name x-series again" in found.message
    exchanged = {"x-series": {"A": "FDO42", "B": "FDO41"}}
    assert World().check({"spec": {**whole, "domains": exchanged}}, old) == []


def test_a_nodes_name_stays() -> None:
    old = {"gpu-01": {"serial": "WZP1", "node": "gpu-01"}}
    whole = {"schema": 1, "cluster": "lab", "intersight": False, "installation": {}, "switches": {}}

    def told(server: dict[str, str], before: dict[str, Any] = old) -> list[str]:
        given = CheckContext(old_inputs={"spec": {**whole, "servers": before}})
        return [each.message for each in World().check({"spec": {**whole, "servers": {"gpu-01b": server}}}, given)]

    renamed = {"serial": "WZP1", "renamed_from": "gpu-01"}
    assert told({**renamed, "node": "gpu-01"}) == []
    (found,) = told({**renamed, "node": "gpu-01b"})
    assert "its Node is gpu-01, and a Node's name cannot change: write `object_name: gpu-01`" in found
    kept = {"gpu-01b": {"serial": "WZP1", "node": "gpu-01"}}
    (found,) = told({"serial": "WZP1", "node": "gpu-01b"}, kept)
    assert "write `object_name: gpu-01`" in found
    assert told({"serial": "WZP7", "node": "gpu-01b"}, kept) == [], "another machine is another node"


def test_a_world_of_an_earlier_release_knows_no_servers() -> None:
    whole = {"schema": 1, "cluster": "lab", "intersight": False, "installation": {}, "switches": {}}
    new = {"spec": {**whole, "servers": SERVERS}}
    assert World().check(new, CheckContext(old_inputs={"spec": whole})) == []
