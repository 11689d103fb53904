"""The package's schema: everything typed and described, enums, choices by kind, and what is plain."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pulumi
import pytest

from podwright.components.package import RESOURCES, Served, components
from podwright.components.providers.protocol.registry import Registry
from podwright.components.providers.specs import SPECS
from tests.package.doubles import COMPONENTS as DOUBLES

SCHEMA: dict[str, Any] = json.loads(Served().schema())
SMALL: dict[str, Any] = json.loads(Served(DOUBLES, {}).schema())


def each_property(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Owner, name and specification of every property there is."""
    owners = {**schema["types"], **schema["resources"], "provider": schema["provider"]}
    return [
        (owner, name, each)
        for owner, about in owners.items()
        for group in ("properties", "inputProperties")
        for name, each in about.get(group, {}).items()
    ]


def test_every_property_is_described_and_every_reference_leads_somewhere() -> None:
    every = each_property(SCHEMA)
    assert len(every) > 400
    assert [(owner, name) for owner, name, each in every if not each.get("description")] == []
    text = json.dumps(SCHEMA)
    named = {part.split('"')[0] for part in text.split("#/types/")[1:]}
    assert named <= set(SCHEMA["types"])


def test_a_component_s_arguments_and_outputs_are_its_properties() -> None:
    rack = SMALL["resources"]["podwright:index:Rack"]
    assert rack["isComponent"]
    assert rack["requiredInputs"] == ["cluster", "site"]
    assert {name for name, each in rack["inputProperties"].items() if not each.get("plain")} == {"labels", "after"}
    assert rack["inputProperties"]["after"] == {
        "type": "array",
        "items": {"type": "string"},
        "description": "`ready` of what must stand first.",
    }
    assert set(rack["properties"]) == set(rack["required"]) == {"boxNames", "labels", "ready"}


def test_an_output_that_another_component_takes_has_the_input_s_type() -> None:
    found = SCHEMA["resources"]
    pools = found["podwright:index:SriovOperator"]["inputProperties"]["pools"]["items"]["$ref"]
    assert (
        found["podwright:index:NodePool"]["properties"]["rails"]["$ref"] == pools == "#/types/podwright:model:RailPool"
    )
    paths = found["podwright:index:FabricAcceptance"]["inputProperties"]["paths"]["$ref"]
    assert found["podwright:index:Fabric"]["properties"]["paths"]["$ref"] == paths
    typed = SCHEMA["types"]["podwright:model:FabricPaths"]["properties"]
    assert typed["networks"]["$ref"] == "#/types/podwright:model:RailNetworks"
    assert typed["lossless"]["$ref"] == "pulumi.json#/Any", "Pulumi YAML hands no enum on"


def test_types_are_the_models() -> None:
    types = SMALL["types"]
    assert types["podwright:model:Box"]["properties"]["heightUnits"] == {
        "type": "integer",
        "plain": True,
        "description": "Height in rack units. Write a whole number from 1 to 8.",
    }
    assert types["podwright:model:SitePowerFeed"] == {"type": "string", "enum": [{"value": "a"}, {"value": "b"}]}
    gbps = types["podwright:model:RackRackGbps"]
    assert (gbps["type"], [each["value"] for each in gbps["enum"]]) == ("integer", [100, 200])
    cooling = types["podwright:model:Site"]["properties"]["cooling"]
    assert [each["$ref"] for each in cooling["oneOf"]] == [
        "#/types/podwright:model:Air",
        "#/types/podwright:model:Water",
    ]
    assert cooling["discriminator"] == {
        "propertyName": "kind",
        "mapping": {"air": "#/types/podwright:model:Air", "water": "#/types/podwright:model:Water"},
    }
    assert types["podwright:model:Water"]["properties"]["kind"]["const"] == "water"


def test_what_decides_a_plan_is_plain_all_the_way_down() -> None:
    assert [
        (owner, name)
        for owner, name, each in each_property(SCHEMA)
        if owner in SCHEMA["types"] and not each.get("plain")
    ] == [
        (f"podwright:model:{login}Login", name)
        for login in ("Intersight", "Nxos", "Redfish")
        for name in SCHEMA["types"][f"podwright:model:{login}Login"]["properties"]
    ]


PLACES = components()


@pytest.mark.parametrize("token", list(PLACES))
def test_each_component_is_found_by_its_token(token: str) -> None:
    module, _, name = PLACES[token].partition(":")
    kind = getattr(importlib.import_module(module), name)
    assert token == kind.TOKEN
    assert issubclass(kind, pulumi.ComponentResource)


@pytest.mark.parametrize("token", list(RESOURCES))
def test_a_spec_has_the_keys_that_its_kind_takes(token: str) -> None:
    """A key of the schema that the kind refuses, or one that it needs and the schema leaves out."""
    from podwright.components.providers.protocol.kind import CheckContext

    kind, spec = Registry().kind(token), SPECS[token]
    nothing = kind.check({"spec": {"schema": kind.schema}}, CheckContext())
    needed = {str(failure.path[1]) for failure in nothing if len(failure.path) > 1}
    assert needed <= spec.__required_keys__, "missing in the schema"
    known: dict[str, Any] = dict.fromkeys([*spec.__required_keys__, *spec.__optional_keys__], object())
    refused = kind.check({"spec": {**known, "schema": kind.schema}}, CheckContext()) if token not in ODD else []
    strange = [each for each in refused if "there is no key" in each.message or "not a field" in each.message]
    assert strange == []


ODD = ("podwright:nxos:Soak", "podwright:nxos:Verification")
"""Their checks look at values they need and take any other key."""
