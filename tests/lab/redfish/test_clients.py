"""DMTF's client and OpenStack's, unmodified, against every form of the BMCs: sessions, ETags, tasks, two systems."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redfish
import sushy
from redfish.rest.v1 import BadRequestError, InvalidCredentialsError, SessionCreationError
from sushy import auth

from podwright.lab.redfish.sessions import MOST
from tests.lab.redfish.conftest import Bench

BIOS = "/redfish/v1/Systems/WZP00000001/BIOS"


def variants(**forms: str) -> pytest.MarkDecorator:
    text = "{" + ", ".join(f"{name}: {form}" for name, form in forms.items()) + "}"
    return pytest.mark.parametrize("bench", [text], indirect=True)


@contextmanager
def dmtf(bench: Bench, way: str = "session", password: str | None = None) -> Iterator[Any]:
    client = redfish.redfish_client(
        bench.url("gpu-01"), "operator", password or bench.password, cafile=bench.ca, proxies={}
    )
    client.login(auth=way)
    try:
        yield client
    finally:
        client.logout()


def staged(bench: Bench) -> dict[str, object]:
    return bench.world.host("gpu-01").bios_pending


@variants(logins="sessions")
def test_a_session_replaces_the_password_until_it_is_ended(bench: Bench) -> None:
    sessions = bench.side.sessions["gpu-01"]
    with pytest.raises(BadRequestError, match="return code: 401"), dmtf(bench) as client:  # by its log-out
        assert len(sessions.numbers) == 1
        assert client.get(BIOS).status == 200
        sessions.forget()
        assert client.get(BIOS).status == 401
    with dmtf(bench) as client:
        assert client.get("/redfish/v1/SessionService/Sessions").dict["Members@odata.count"] == 1
    assert sessions.numbers == []
    assert bench.side.writes == 0
    with pytest.raises((InvalidCredentialsError, SessionCreationError)), dmtf(bench, password="wrong"):
        pass


@variants(logins="sessions")
def test_sessions_come_to_an_end(bench: Bench) -> None:
    taken = [bench.side.sessions["gpu-01"].open() for _ in range(MOST)]
    with pytest.raises(SessionCreationError), dmtf(bench):
        pass
    assert all(taken)
    with dmtf(bench, "basic") as client:
        assert client.get(BIOS).status == 200


@pytest.mark.parametrize(
    ("bench", "session", "basic"),
    [("{logins: basic}", False, True), ("{logins: sessions-only}", True, False), ("{logins: sessions}", True, True)],
    indirect=["bench"],
)
def test_who_may_log_in_how(bench: Bench, session: bool, basic: bool) -> None:
    if basic:
        with dmtf(bench, "basic") as client:
            assert client.get(BIOS).status == 200
            assert ("SessionService" in client.root) is session
    else:
        with pytest.raises(InvalidCredentialsError), dmtf(bench, "basic"):
            pass
    sushys = sushy.Sushy(
        bench.url("gpu-01"),
        auth=auth.SessionOrBasicAuth("operator", bench.password)
        if session
        else auth.BasicAuth("operator", bench.password),
        verify=bench.ca,
    )
    assert sushys.get_system().serial_number == "WZP00000001"
    sushys._auth.close()
    assert bench.side.sessions["gpu-01"].numbers == []


@variants(etags="required")
def test_a_patch_says_of_which_state(bench: Bench) -> None:
    body = {"Attributes": {"SmtMode": "Off"}}
    with dmtf(bench) as client:
        assert client.patch(f"{BIOS}/Settings", body=body).status == 428
        old = client.get(f"{BIOS}/Settings").getheader("etag")
        assert client.patch(f"{BIOS}/Settings", body=body, headers={"If-Match": '"of-another"'}).status == 412
        assert staged(bench) == {}
        assert client.patch(f"{BIOS}/Settings", body=body, headers={"If-Match": old}).status == 204
        assert client.patch(f"{BIOS}/Settings", body=body, headers={"If-Match": old}).status == 412
    assert staged(bench) == {"SmtMode": "Off"}


@variants(etags="offered")
def test_a_patch_may_leave_it_out(bench: Bench) -> None:
    with dmtf(bench) as client:
        body = {"Attributes": {"SmtMode": "Off"}}
        assert client.patch(f"{BIOS}/Settings", body=body, headers={"If-Match": '"old"'}).status == 412
        assert client.patch(f"{BIOS}/Settings", body=body).status == 204
    sushys = sushy.Sushy(bench.url("gpu-01"), auth=auth.BasicAuth("operator", bench.password), verify=bench.ca)
    sushys.get_system().set_system_boot_options(sushy.BOOT_SOURCE_TARGET_CD, sushy.BOOT_SOURCE_ENABLED_ONCE)
    assert bench.world.host("gpu-01").boot_once


@variants(settings="task")
def test_settings_may_be_a_task(bench: Bench) -> None:
    with dmtf(bench) as client:
        reply = client.patch(f"{BIOS}/Settings", body={"Attributes": {"SmtMode": "Off"}})
        assert (reply.status, reply.is_processing, staged(bench)) == (202, True, {})
        task = client.get(reply.dict["@odata.id"]).dict
        assert task["TaskState"] == "Running"
        while reply.is_processing:
            time.sleep(0.05)
            reply = reply.monitor(client)
        assert reply.status == 204
        assert client.get(task["@odata.id"]).dict["TaskState"] == "Completed"
        assert client.get(f"{BIOS}/Settings").dict["Attributes"] == {"SmtMode": "Off"}
        wrong = client.patch(f"{BIOS}/Settings", body={"Attributes": {"SmtMode": "Sideways"}})
        while wrong.is_processing:
            time.sleep(0.05)
            wrong = wrong.monitor(client)
        assert (wrong.status, "SmtMode" in wrong.text) == (400, True)
    assert staged(bench) == {"SmtMode": "Off"}


@variants(attributes="ami")
def test_attributes_may_have_amis_names(bench: Bench) -> None:
    sushys = sushy.Sushy(bench.url("gpu-01"), auth=auth.BasicAuth("operator", bench.password), verify=bench.ca)
    bios = sushys.get_system().bios
    registry = {each.name: each for each in bios.get_attribute_registry().registry_entries.attributes}
    assert set(registry) == set(bios.attributes)
    assert registry["PCID002"].display_name == "SR-IOV Support"
    assert bios.attributes["PCID002"] == "PCID002Enabled"
    bios.set_attributes({"PCID002": "PCID002Disabled", "CbsCmnApbdis": "CbsCmnApbdis1"})
    assert staged(bench) == {"SrIov": "disabled", "CbsCmnApbdis": "1"}
    for wrong in ({"PCID002": "Disabled"}, {"SrIov": "disabled"}):
        with pytest.raises(sushy.exceptions.BadRequestError):
            bios.set_attributes(wrong)
    bios.set_attributes({"CbsCmnFixedSocPstate": "CbsCmnFixedSocPstateP0"})
    bios.set_attributes({"CbsCmnApbdis": "CbsCmnApbdis0"})
    with pytest.raises(sushy.exceptions.BadRequestError, match="read-only"):
        bios.set_attributes({"CbsCmnFixedSocPstate": "CbsCmnFixedSocPstateP1"})


@variants(locks="while-starting")
def test_settings_are_locked_while_the_machine_starts(bench: Bench) -> None:
    host = bench.world.host("gpu-01")
    host.state = "post"
    body = {"Attributes": {"SmtMode": "Off"}}
    with dmtf(bench) as client:
        refused = client.patch(f"{BIOS}/Settings", body=body)
        assert (refused.status, refused.retry_after, staged(bench)) == (503, 1, {})
        host.state = "no-os"
        assert client.patch(f"{BIOS}/Settings", body=body).status == 204


@variants(systems="baseboard-first")
def test_an_hgx_machine_has_a_second_system_a_second_manager_and_many_chassis(bench: Bench) -> None:
    with dmtf(bench) as client:
        names = {
            collection: [
                client.get(each["@odata.id"]).dict["Id"]
                for each in client.get(f"/redfish/v1/{collection}").dict["Members"]
            ]
            for collection in ("Systems", "Managers", "Chassis")
        }
    assert names["Systems"] == ["HGX_Baseboard_0", "WZP00000001"]
    assert names["Managers"][0] == "HGX_BMC_0"
    assert len(names["Managers"]) == 2
    assert len(names["Chassis"]) == 10
    assert names["Chassis"][:2] == ["HGX_GPU_SXM_3", "HGX_Chassis_0"]
