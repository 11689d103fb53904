"""Secrets of the stack's own configuration reach provider instances, as secrets, and nothing else changes."""

import json

from tests.components.recording import SECRET, register
from tests.design import goldens

SECRETS = {"switch-admin": "canary-of-the-switches", "bmc-admin": "canary-of-the-bmcs"}


def test_secrets_reach_every_instance_marked_and_no_other_resource() -> None:
    said = goldens.cluster("prod")
    bare, held = register(said), register(said, SECRETS)
    assert set(bare) == set(held)
    changed = {urn for urn in bare if bare[urn].inputs != held[urn].inputs}
    providers = {urn for urn, each in held.items() if each.type == "pulumi:providers:podwright"}
    (check,) = (urn for urn, each in held.items() if each.name == "prod-acceptance")
    assert len(providers) == 1
    assert changed == providers | {check}
    for urn in providers:
        assert SECRET in held[urn].inputs["secrets"], urn
        assert "secrets" not in bare[urn].inputs
    environment = held[check].inputs["environment"]
    assert SECRET in environment or SECRET in environment["PODWRIGHT_SECRET_SWITCH_ADMIN"]
    elsewhere = json.dumps([each.inputs for urn, each in held.items() if urn not in changed])
    assert [value for value in SECRETS.values() if value in elsewhere] == []
