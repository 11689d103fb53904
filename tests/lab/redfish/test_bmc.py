"""The BMCs, driven by the unmodified `sushy` client over real HTTPS."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import requests
import sushy
from sushy import auth, exceptions

from tests.lab.redfish.conftest import Bench
from tests.waiting import until


def connect(bench: Bench, server: str = "gpu-01", user: str = "operator", password: str | None = None) -> Any:
    basic = auth.BasicAuth(user, password or bench.password)
    return sushy.Sushy(bench.url(server), auth=basic, verify=bench.ca)


def system_of(bench: Bench, server: str = "gpu-01") -> Any:
    return connect(bench, server).get_system()


def booted(bench: Bench) -> list[tuple[str, str, Path | None]]:
    boots: list[tuple[str, str, Path | None]] = []
    bench.world.on_boot.append(lambda *event: boots.append(event))
    return boots


def test_identity_is_the_servers_own(bench: Bench) -> None:
    for name in ("gpu-01", "cp-01"):
        system, server = system_of(bench, name), bench.world.servers[name]
        assert (system.serial_number, system.uuid) == (server.serial, server.uuid)
        assert (system.manufacturer, system.model) == ("Cisco Systems Inc", server.model)
        assert len(connect(bench, name).get_system_collection().get_members()) == 1
    assert system_of(bench).memory_summary.size_gib == 2304
    root, manager = connect(bench), connect(bench).get_manager_collection().get_members()[0]
    assert root.uuid == bench.world.servers["gpu-01"].uuid
    assert manager.description == "Cisco Integrated Management Controller"


def test_wrong_password_wrong_user_and_rotated_password_are_refused(bench: Bench) -> None:
    root = f"{bench.url('gpu-01')}/redfish/v1/"
    assert requests.get(root, verify=bench.ca, timeout=5).status_code == 200
    for user, password in (("operator", "wrong"), ("admin", bench.password)):
        reply = requests.get(root + "Systems", auth=(user, password), verify=bench.ca, timeout=5)
        assert reply.status_code == 401
        assert "Basic" in reply.headers["WWW-Authenticate"]
        assert reply.json()["error"]["code"].startswith("Base.")
    old = bench.password
    (bench.lab.secrets / "bmc-secret").write_text("rotated")
    assert requests.get(root + "Systems", auth=("operator", old), verify=bench.ca, timeout=5).status_code == 401
    assert requests.get(root + "Systems", auth=("operator", "rotated"), verify=bench.ca, timeout=5).status_code == 200


def test_certificate_names_the_bmc_and_nobody_elses_ca_will_do(bench: Bench) -> None:
    with pytest.raises(requests.exceptions.SSLError):
        requests.get(f"{bench.url('gpu-01')}/redfish/v1/", timeout=5)


def test_power_takes_a_moment_and_moves_the_world(bench: Bench) -> None:
    bench.side.fault({"power_seconds": 0.4})
    system = system_of(bench)
    assert system.power_state == sushy.PowerState.OFF
    system.reset_system(sushy.ResetType.ON)
    system.refresh(force=True)
    assert system.power_state == sushy.PowerState.POWERING_ON
    assert bench.world.host("gpu-01").power == "Off"
    until(lambda: bench.world.host("gpu-01").power == "On")
    assert bench.world.host("cp-01").power == "Off"
    system.reset_system(sushy.ResetType.FORCE_OFF)
    until(lambda: bench.world.host("gpu-01").power == "Off")


def test_graceful_shutdown_without_an_operating_system_does_nothing(bench: Bench) -> None:
    system = system_of(bench)
    system.reset_system(sushy.ResetType.ON)
    until(lambda: bench.world.host("gpu-01").state == "no-os")
    system.reset_system(sushy.ResetType.GRACEFUL_SHUTDOWN)
    time.sleep(0.3)
    assert bench.world.host("gpu-01").power == "On"


def test_bios_attributes_wait_for_a_reset(bench: Bench) -> None:
    system = system_of(bench)
    assert system.bios.attributes["SmtMode"] == "Auto"
    system.bios.set_attributes({"SmtMode": "Off", "CbsDfCmnDramNps": "NPS4"})
    system.bios.refresh(force=True)
    assert system.bios.attributes["SmtMode"] == "Auto"
    assert system.bios.pending_attributes["SmtMode"] == "Off"
    assert bench.world.host("gpu-01").bios_pending == {"SmtMode": "Off", "CbsDfCmnDramNps": "NPS4"}
    system.bios.set_attribute("SmtMode", "Auto")
    assert bench.world.host("gpu-01").bios_pending == {"CbsDfCmnDramNps": "NPS4"}
    system.reset_system(sushy.ResetType.ON)
    until(lambda: bench.world.host("gpu-01").bios["CbsDfCmnDramNps"] == "NPS4")
    assert bench.world.host("gpu-01").bios_pending == {}
    assert bench.world.host("cp-01").bios["NumaOptimized"] == "enabled"


@pytest.mark.parametrize(
    ("attributes", "message_id"),
    [
        ({"SmtMode": "Off", "NoSuchThing": "x"}, "PropertyUnknown"),
        ({"IntelHyperThreadingTech": "disabled"}, "PropertyUnknown"),
        ({"SmtMode": "off"}, "PropertyValueNotInList"),
        ({"SmtMode": False}, "PropertyValueTypeError"),
        ({"AcsControlGpu9state": "disabled"}, "PropertyUnknown"),
    ],
)
def test_attributes_the_board_does_not_have_are_refused_whole(
    bench: Bench, attributes: dict[str, Any], message_id: str
) -> None:
    with pytest.raises(exceptions.BadRequestError) as refusal:
        system_of(bench).bios.set_attributes(attributes)
    body = refusal.value.body
    assert body["@Message.ExtendedInfo"][0]["MessageId"].endswith(message_id)
    assert bench.world.host("gpu-01").bios_pending == {}


def test_the_attribute_registry_is_the_boards(bench: Bench) -> None:
    names = {}
    for server in ("gpu-01", "cp-01"):
        bios = system_of(bench, server).bios
        registry = bios.get_attribute_registry()
        assert registry is not None
        names[server] = {entry.name for entry in registry.registry_entries.attributes}
        assert set(bios.attributes) == names[server]
    assert "SmtMode" in names["gpu-01"] - names["cp-01"]
    assert "NumaOptimized" in names["cp-01"] - names["gpu-01"]
    assert "AcsControlGpu8state" in names["gpu-01"]


def test_boot_override_once_is_used_up_and_continuous_stays(bench: Bench) -> None:
    system = system_of(bench)
    assert system.boot.enabled == sushy.BOOT_SOURCE_ENABLED_DISABLED
    system.set_system_boot_options(sushy.BOOT_SOURCE_TARGET_CD, sushy.BOOT_SOURCE_ENABLED_ONCE)
    system.refresh(force=True)
    assert (system.boot.target, system.boot.enabled) == (sushy.BOOT_SOURCE_TARGET_CD, sushy.BOOT_SOURCE_ENABLED_ONCE)
    system.reset_system(sushy.ResetType.ON)
    until(lambda: bench.world.host("gpu-01").boots == 1)
    system.refresh(force=True)
    assert system.boot.enabled == sushy.BOOT_SOURCE_ENABLED_DISABLED
    system.set_system_boot_options(sushy.BOOT_SOURCE_TARGET_PXE, sushy.BOOT_SOURCE_ENABLED_CONTINUOUS)
    system.reset_system(sushy.ResetType.FORCE_RESTART)
    until(lambda: bench.world.host("gpu-01").boots == 2)
    system.refresh(force=True)
    assert system.boot.enabled == sushy.BOOT_SOURCE_ENABLED_CONTINUOUS
    system.set_system_boot_options(enabled=sushy.BOOT_SOURCE_ENABLED_DISABLED)
    system.refresh(force=True)
    assert system.boot.enabled == sushy.BOOT_SOURCE_ENABLED_DISABLED


def drive_of(system: Any) -> Any:
    return system.virtual_media.get_members()[0]


def test_an_inserted_image_is_fetched_and_its_bytes_boot_once(bench: Bench) -> None:
    boots = booted(bench)
    content = b"\x01ISO" * 5000
    (bench.lab.dir / "publish" / "agent.x86_64.iso").write_bytes(content)
    system = system_of(bench)
    drive = drive_of(system)
    drive.insert_media(f"{bench.side.publish['url']}/agent.x86_64.iso")
    (bench.lab.dir / "publish" / "agent.x86_64.iso").unlink()
    drive.refresh(force=True)
    assert drive.inserted
    system.set_system_boot_options(sushy.BOOT_SOURCE_TARGET_CD, sushy.BOOT_SOURCE_ENABLED_ONCE)
    system.reset_system(sushy.ResetType.ON)
    until(lambda: boots)
    server, medium, image = boots[0]
    assert (server, medium) == ("gpu-01", "Cd")
    assert image is not None
    assert image.read_bytes() == content
    drive.eject_media()
    assert bench.world.host("gpu-01").media_url is None
    url = f"{bench.url('gpu-01')}/redfish/v1/Systems/WZP00000001/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia"
    again = requests.post(url, auth=("operator", bench.password), verify=bench.ca, json={}, timeout=5)
    assert again.status_code == 409


def test_media_come_through_the_manager_too_and_through_the_worlds_routes(bench: Bench) -> None:
    (bench.lab.dir / "publish" / "a.iso").write_bytes(b"image")
    bench.world.routes["192.0.2.2:8080"] = bench.side.image_server.address
    manager = connect(bench).get_manager_collection().get_members()[0]
    manager.virtual_media.get_members()[0].insert_media("http://192.0.2.2:8080/a.iso")
    assert bench.world.host("gpu-01").media_url == "http://192.0.2.2:8080/a.iso"
    assert drive_of(system_of(bench)).inserted


@pytest.mark.parametrize(
    ("image", "status"),
    [("http://192.0.2.9/x.iso", 502), ("ftp://127.0.0.1/x.iso", 400), ("{publish}/absent.iso", 400)],
)
def test_an_image_that_cannot_be_had_is_not_inserted(bench: Bench, image: str, status: int) -> None:
    with pytest.raises(exceptions.HTTPError) as failure:
        drive_of(system_of(bench)).insert_media(image.format(publish=bench.side.publish["url"]))
    assert failure.value.status_code == status
    assert bench.world.host("gpu-01").media_url is None


def test_writes_are_counted_and_reads_are_not(bench: Bench) -> None:
    system = system_of(bench)
    assert system.bios.attributes
    assert bench.side.writes == 0
    system.bios.set_attribute("SmtMode", "Off")
    assert bench.side.writes == 1
    with pytest.raises(exceptions.BadRequestError):
        system.bios.set_attribute("SmtMode", "nonsense")
    assert bench.side.writes == 1


def test_faults(bench: Bench) -> None:
    url = f"{bench.url('gpu-01')}/redfish/v1/Systems/WZP00000001/BIOS/Settings"
    options: dict[str, Any] = {"auth": ("operator", bench.password), "verify": bench.ca, "timeout": 5}
    body = {"Attributes": {"SmtMode": "Off"}}
    bench.world.fault({"kind": "redfish", "server": "gpu-01", "mode": "503", "times": 2})
    for expected in (503, 503, 204):
        assert requests.patch(url, json=body, **options).status_code == expected
    bench.world.fault({"kind": "redfish", "mode": "cut"})
    with pytest.raises(requests.ConnectionError):
        requests.patch(url, json={"Attributes": {"SvmMode": "disabled"}}, **options)
    assert bench.world.host("gpu-01").bios_pending["SvmMode"] == "disabled"
    bench.world.fault({"kind": "redfish", "mode": "hang", "seconds": 30})
    with pytest.raises(requests.Timeout):
        requests.get(url, **{**options, "timeout": 0.3})
    bench.world.fault({"kind": "redfish", "mode": "none"})
    assert requests.get(url, **options).status_code == 200


def test_a_stalled_handshake_does_not_stall_the_bmc(bench: Bench) -> None:
    host, _, port = bench.url("gpu-01").removeprefix("https://").partition(":")
    with socket.create_connection((host, int(port))):
        started = time.monotonic()
        assert system_of(bench).power_state == sushy.PowerState.OFF
        assert time.monotonic() - started < 3


def test_bmcs_answer_at_the_same_time(bench: Bench) -> None:
    states: list[Any] = []
    names = ["gpu-01", "cp-01"] * 8
    threads = [threading.Thread(target=lambda n=n: states.append(system_of(bench, n).uuid)) for n in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(states) == sorted(bench.world.servers[n].uuid for n in names)


def test_publish_serves_files_and_ranges_and_nothing_else(bench: Bench) -> None:
    folder, url = bench.lab.dir / "publish", bench.side.publish["url"]
    (folder / "a.iso").write_bytes(b"0123456789")
    assert requests.get(f"{url}/a.iso", timeout=5).content == b"0123456789"
    assert requests.get(f"{url}/a.iso", headers={"Range": "bytes=2-4"}, timeout=5).content == b"234"
    assert requests.head(f"{url}/a.iso", timeout=5).headers["Content-Length"] == "10"
    assert requests.get(f"{url}/", timeout=5).status_code == 404
    assert requests.get(f"{url}/%2e%2e/secrets/bmc-secret", timeout=5).status_code == 404
    assert requests.post(f"{url}/a.iso", timeout=5).status_code == 405


@pytest.mark.parametrize("when", ["handshake", "request", "answer"])
def test_a_client_that_hangs_up_leaves_no_traceback(
    bench: Bench, when: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("INFO")
    host, _, port = bench.url("gpu-01").removeprefix("https://").partition(":")
    context = ssl.create_default_context(cafile=bench.ca)
    context.check_hostname = False
    bench.side.fault({"server": "gpu-01", "mode": "hang", "seconds": 0.3, "times": 3})
    for _ in range(3):
        plain = socket.create_connection((host, int(port)))
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by reset
        if when == "handshake":
            plain.sendall(b"\x16\x03\x01")
            plain.close()
            continue
        secure = context.wrap_socket(plain, server_hostname=host)
        secure.sendall(b"GET /redfish/v1/ HTTP/1.1\r\nHost: bmc\r\n" + (b"\r\n" if when == "answer" else b""))
        secure.close()
    time.sleep(0.6)
    bench.side.fault({"mode": "none"})
    assert requests.get(f"{bench.url('gpu-01')}/redfish/v1/", verify=bench.ca, timeout=5).status_code == 200
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []
    assert "Traceback" not in caplog.text + capfd.readouterr().err
