"""What `intersight.management` becomes, made in the lab as the engine makes it, read back and taken away."""

from __future__ import annotations

import json

import pytest

from tests.design import whole
from tests.design.compute.test_management import with_section
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand

SECRETS = {
    "imc-ops": "Str0ng-passw0rd",
    "imc-deputy": "An0ther-passw0rd",
    "imc-snmp-authentication": "sign-these-messages",
    "imc-snmp-privacy": "hide-these-messages",
    "ldap-reader": "read-the-directory",
}


@pytest.mark.parametrize("stack", ["lab", "prod"])
async def test_every_policy_of_the_section_is_made_once_and_read_back_as_defined(stand: Stand, stack: str) -> None:
    plan = whole.compute(with_section(stack))
    made = []
    for each in (*plan.pools, *plan.policies):
        kind = BY_TOKEN["Pool" if each in plan.pools else "Policy"]
        driver = Driver(stand, kind, each.spec("default"), **SECRETS)
        await driver.create()
        made.append(driver)
    writes = stand.side.writes
    for driver in made:
        assert (driver.id, await driver.drift()) == (driver.id, [])
        await driver.update()
    assert stand.side.writes == writes, "a second time nothing is written"
    kept = json.dumps([[driver.inputs, driver.outputs] for driver in made] + [stand.said, stand.warned])
    assert not any(value in kept for value in SECRETS.values())
    for driver in reversed(made):
        await driver.delete()
    for object_type in ("iam.EndPointUser", "iam.EndPointUserRole", "iam.LdapGroup", "snmp.Policy", "ippool.Pool"):
        assert stand.store.of(object_type) == []
