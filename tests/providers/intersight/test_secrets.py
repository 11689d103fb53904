"""What Intersight takes and never answers: users' passwords, SNMP passphrases, keys."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand

POLICY = BY_TOKEN["Policy"]
VALUES = {
    "imc-ops": "first-Passw0rd",
    "imc-admin": "other-Passw0rd",
    "snmp-auth": "auth-phrase",
    "snmp-priv": "priv-phrase",
}


def user(name: str, secret: str, role: str = "readonly") -> dict[str, Any]:
    return {
        "object_type": "iam.EndPointUserRole",
        "name": name,
        "properties": {"Enabled": True, "Password": f"{{{{secret:{secret}}}}}"},
        "references": {
            "EndPointUser": {"object_type": "iam.EndPointUser", "name": name},
            "EndPointRole": [{"object_type": "iam.EndPointRole", "name": role}],
        },
    }


def snmp(generation: int = 1) -> dict[str, Any]:
    person = {
        "Name": "monitor",
        "SecurityLevel": "AuthPriv",
        "AuthType": "SHA",
        "AuthPassword": f"{{{{secret:snmp-auth#{generation}}}}}",
        "PrivacyType": "AES",
        "PrivacyPassword": "{{secret:snmp-priv#1}}",
    }
    return specs.policy("snmp.Policy", "t-snmp", {"Enabled": True, "SnmpUsers": [person]})


async def users(stand: Stand, *children: dict[str, Any]) -> Driver:
    for name in ("ops", "admin"):
        await Driver(stand, POLICY, specs.policy("iam.EndPointUser", name, {}), **VALUES).create()
    policy = specs.policy("iam.EndPointUserPolicy", "t-users", {}, children=list(children))
    driver = Driver(stand, POLICY, policy, **VALUES)
    await driver.create()
    return driver


def passwords(stand: Stand) -> dict[str, str]:
    with stand.side.service.lock:
        roles = stand.store.of("iam.EndPointUserRole")
        return {stand.store.target(role["EndPointUser"])["Name"]: role["Password"] for role in roles}


async def test_users_get_their_passwords_and_no_spec_state_or_log_has_one(stand: Stand) -> None:
    driver = await users(stand, user("ops", "imc-ops#1"), user("admin", "imc-admin#1", "admin"))
    assert passwords(stand) == {"ops": VALUES["imc-ops"], "admin": VALUES["imc-admin"]}
    assert await driver.drift() == []
    kept = json.dumps([driver.inputs, driver.outputs, stand.said, stand.warned])
    assert not any(value in kept for value in VALUES.values())
    writes = stand.side.writes
    await driver.update()
    assert stand.side.writes == writes


async def test_a_rotated_password_is_written_once_and_the_others_stay(stand: Stand) -> None:
    driver = await users(stand, user("ops", "imc-ops#1"), user("admin", "imc-admin#1"))
    driver._context = {**VALUES, "imc-ops": "second-Passw0rd"}
    writes = stand.side.writes
    await driver.update(lambda spec: spec["children"][0]["properties"].update(Password="{{secret:imc-ops#2}}"))
    assert (passwords(stand)["ops"], stand.side.writes - writes) == ("second-Passw0rd", 1)
    await driver.update()
    assert stand.side.writes - writes == 1


async def test_a_user_who_leaves_the_file_goes(stand: Stand) -> None:
    driver = await users(stand, user("ops", "imc-ops#1"), user("admin", "imc-admin#1"))
    await driver.update(lambda spec: spec["children"].pop(0))
    assert passwords(stand) == {"admin": VALUES["imc-admin"]}


async def test_a_password_that_was_taken_away_is_drift_and_put_back(stand: Stand) -> None:
    driver = await users(stand, user("ops", "imc-ops#1"))
    with stand.side.service.lock:
        stand.store.update(stand.store.of("iam.EndPointUserRole")[0], {"Password": ""})
    assert await driver.drift() == ["spec.children.0.properties.Password"]
    await driver.update()
    assert passwords(stand) == {"ops": VALUES["imc-ops"]}


async def test_a_nested_secret_rotates_too(stand: Stand) -> None:
    driver = Driver(stand, POLICY, snmp(), **VALUES)
    await driver.create()
    assert await driver.drift() == []
    driver._context = {**VALUES, "snmp-auth": "auth-phrase-2"}
    driver.inputs = {"spec": snmp()}
    await driver.update(lambda spec: spec.update(snmp(2)))
    (person,) = stand.live("snmp.Policy", "t-snmp")["SnmpUsers"]
    assert (person["AuthPassword"], person["PrivacyPassword"]) == ("auth-phrase-2", "priv-phrase")


async def test_a_value_that_does_not_fit_is_refused_without_repeating_it(stand: Stand) -> None:
    driver = Driver(stand, POLICY, specs.policy("iam.EndPointUser", "ops", {}))
    await driver.create()
    spec = specs.policy("iam.EndPointUserPolicy", "t-users", {}, children=[user("ops", "imc-ops#1")])
    for value in ("short", "with spaces in it"):
        with pytest.raises(ProviderError) as refused:
            await Driver(stand, POLICY, spec, **{"imc-ops": value}).create()
        assert "the secret 'imc-ops' cannot be iam.EndPointUserRole.Password" in str(refused.value)
        assert value not in str(refused.value)


@pytest.mark.parametrize("value", ["a-Password-in-the-open", "{{secret:imc-ops}}", 7])
def test_a_secret_in_the_open_is_refused_and_not_repeated(value: object) -> None:
    child = user("ops", "imc-ops#1")
    child["properties"]["Password"] = value
    spec = specs.policy("iam.EndPointUserPolicy", "t-users", {}, children=[child])
    (line,) = Driver(None, POLICY, spec).problems()  # type: ignore[arg-type]  # a check needs no account
    assert line.startswith("spec.children.0.properties.Password: is a secret: write {{secret:NAME#1}}")
    assert str(value) not in line.partition("write")[0]


async def test_a_private_key_is_sent_in_base64_and_its_policy_reads_back_as_said(stand: Stand) -> None:
    body = "".join(f"{number:064d}\n" for number in range(40))
    pem = f"-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\n"
    own = {"ObjectType": "certificatemanagement.Imc", "ClassId": "certificatemanagement.Imc"}
    certificate = own | {"Certificate": {"PemCertificate": "LS0t"}, "Privatekey": "{{secret:imc-key#1}}"}
    spec = specs.policy("certificatemanagement.Policy", "t-certificate", {"Certificates": [certificate]})
    driver = Driver(stand, POLICY, spec, **VALUES, **{"imc-key": pem})
    await driver.create()
    with stand.side.service.lock:
        (live,) = stand.store.of("certificatemanagement.Policy")
    assert base64.b64decode(live["Certificates"][0]["Privatekey"]).decode() == pem
    assert await driver.drift() == []


async def test_a_key_of_drives_and_a_group_of_them_are_made_and_read_back(stand: Stand) -> None:
    keys = {"KeySetting": {"KeyType": "Manual", "ManualKey": {"NewKey": "{{secret:imc-ops#1}}"}}}
    locked = Driver(stand, POLICY, specs.policy("storage.DriveSecurityPolicy", "t-keys", keys), **VALUES)
    await locked.create()
    group = {
        "object_type": "storage.DriveGroup",
        "name": "data",
        "properties": {
            "RaidLevel": "Raid1",
            "SecureDriveGroup": True,
            "ManualDriveGroup": {"SpanGroups": [{"Slots": "1-2"}], "DedicatedHotSpares": "3"},
            "VirtualDrives": [{"Name": "data", "ExpandToAvailable": True}],
        },
        "references": {},
    }
    disks = Driver(stand, POLICY, specs.policy("storage.StoragePolicy", "t-disks", {}, children=[group]), **VALUES)
    await disks.create()
    assert await locked.drift() == await disks.drift() == []
    writes = stand.side.writes
    await locked.update()
    await disks.update()
    assert stand.side.writes == writes
    disks.spec["children"][0]["properties"]["RaidLevel"] = "Raid5"
    with pytest.raises(ProviderError, match="Raid5 takes 3 drives"):
        await disks.update()
