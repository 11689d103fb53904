"""Settings matched to the names and values that machines really have."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.design.compute import bios
from podwright.components.providers.redfish.attributes import NOTHING_SHOWN, match
from podwright.components.providers.redfish.registry import Registry
from podwright.components.providers.redfish.settings import ALIASES


def entry(name: str, text: str = "", *values: tuple[str, str], **more: Any) -> dict[str, Any]:
    listed = [{"ValueName": each, "ValueDisplayName": shown} for each, shown in values]
    return {"AttributeName": name, "DisplayName": text, "Type": "Enumeration", "Value": listed, **more}


def registry(*entries: dict[str, Any], dependencies: list[Any] | None = None) -> Registry:
    return Registry({"RegistryEntries": {"Attributes": list(entries), "Dependencies": dependencies or []}})


AMI = (("PCIS007Disabled", "Disabled"), ("PCIS007Enabled", "Enabled"))


@pytest.mark.parametrize(
    ("value", "listed", "staged"),
    [
        ("enabled", AMI, "PCIS007Enabled"),
        ("Enable", AMI, "PCIS007Enabled"),
        (True, AMI, "PCIS007Enabled"),
        ("PCIS007Disabled", AMI, "PCIS007Disabled"),
        ("enabled", (("0x1", "Enable"), ("0x0", "Disable")), "0x1"),
        ("disabled", (("Off", "Off"), ("On", "On")), "Off"),
        (1, (("0", ""), ("1", "")), "1"),
        ("i/o sensitive", (("Balanced", ""), ("I/O Sensitive", "")), "I/O Sensitive"),
    ],
)
def test_values_by_name_by_text_and_by_meaning(value: Any, listed: Any, staged: str) -> None:
    found = match({"SrIov": value}, {"PCIS007": "x"}, registry(entry("PCIS007", "SR-IOV Support", *listed)))
    assert found.to_stage({"PCIS007": "x"}) == {"PCIS007": staged}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PCID002", "anything"),
        ("sriov", ""),
        ("PCI0815", "SR-IOV Support "),
        ("Board0042", "SrIov"),
    ],
)
def test_names_by_id_by_text_and_by_what_else_it_is_called(name: str, text: str) -> None:
    found = match({"SrIov": "enabled"}, {name: "x", "Other": "y"}, registry(entry(name, text, ("E", "Enabled"))))
    assert found.to_stage({}) == {name: "E"}


def test_two_attributes_of_one_text_are_not_guessed_between() -> None:
    known = registry(entry("A1", "IOMMU", ("E", "Enabled")), entry("B2", "IOMMU", ("E", "Enabled")))
    found = match({"CbsCmnGnbNbIommu": "enabled"}, {"A1": "x", "B2": "x"}, known)
    assert "several of its BIOS attributes go by that name: A1, B2" in found.unsupported["CbsCmnGnbNbIommu"]
    assert match({"B2": "enabled"}, {"A1": "x", "B2": "x"}, known).to_stage({}) == {"B2": "E"}


def test_two_settings_of_one_attribute_do_not_fight() -> None:
    known = registry(entry("CPU005", "SVM Mode", ("E", "Enabled"), ("D", "Disabled")))
    found = match({"SvmMode": "enabled", "CPU005": "disabled"}, {"CPU005": "D"}, known)
    assert found.to_stage({"CPU005": "D"}) == {"CPU005": "E"}
    assert "same attribute as SvmMode" in found.unsupported["CPU005"]


def test_numbers_and_booleans() -> None:
    known = registry(
        entry("Retries", Type="Integer", LowerBound=0, UpperBound=5),
        entry("Quiet", Type="Boolean"),
    )
    live = {"Retries": 1, "Quiet": True}
    assert match({"Retries": 3.0, "Quiet": "off"}, live, known).to_stage(live) == {"Retries": 3, "Quiet": False}
    assert match({"Retries": 9}, live, known).unsupported == {"Retries": "takes 0 to 5, not 9"}
    assert "is a whole number" in match({"Retries": "many"}, live, known).unsupported["Retries"]
    assert "is true or false" in match({"Quiet": "loud"}, live, known).unsupported["Quiet"]


def test_what_is_read_only_is_listed_unless_it_is_so_already() -> None:
    known = registry(entry("X", "", ("A", ""), ("B", ""), ReadOnly=True))
    assert match({"X": "B"}, {"X": "A"}, known).unsupported == {"X": "is read-only"}
    assert match({"X": "A"}, {"X": "A"}, known).unsupported == {}


def test_a_dependency_counts_with_the_values_that_are_to_be() -> None:
    rule = {
        "MapFrom": [{"MapFromAttribute": "Ctl", "MapFromCondition": "EQU", "MapFromValue": "Manual"}],
        "MapToAttribute": "Level",
        "MapToProperty": "ReadOnly",
        "MapToValue": False,
    }
    known = registry(
        entry("Ctl", "", ("Auto", ""), ("Manual", "")),
        entry("Level", "", ("Low", ""), ("High", ""), ReadOnly=True),
        dependencies=[{"DependencyFor": "Level", "Type": "Map", "Dependency": rule}],
    )
    live = {"Ctl": "Auto", "Level": "Low"}
    assert match({"Level": "High"}, live, known).unsupported == {"Level": "is read-only"}
    assert match({"Level": "High", "Ctl": "Manual"}, live, known).to_stage(live) == {"Level": "High", "Ctl": "Manual"}


@pytest.mark.parametrize(
    ("live", "staged"), [("Disabled", "Enabled"), ("disable", "enable"), ("OFF", "ON"), (False, True), ("x", "enabled")]
)
def test_without_a_registry_the_value_follows_the_one_that_is_there(live: Any, staged: Any) -> None:
    assert match({"SrIov": "enabled"}, {"SrIov": live}, None).to_stage({"SrIov": live}) == {"SrIov": staged}


def test_a_machine_that_never_started_shows_none_yet() -> None:
    assert match({"SrIov": "enabled"}, {}, None).unsupported == {"SrIov": NOTHING_SHOWN}


@pytest.mark.parametrize("junk", [{}, {"RegistryEntries": []}, {"RegistryEntries": {"Attributes": [1, {}]}}])
def test_a_registry_that_is_none_helps_nobody_and_stops_nobody(junk: Any) -> None:
    assert match({"SrIov": "enabled"}, {"SrIov": "disabled"}, Registry(junk)).to_stage({}) == {"SrIov": "enabled"}


def test_every_setting_of_the_design_has_its_other_names() -> None:
    settings = {*bios._AMD, *bios._INTEL, *(f"AcsControlGpu{slot}state" for slot in range(1, 9)), "ResizeBarSupport"}
    assert settings - set(ALIASES) == set()
