"""Files of the boot flash: by SCP and SFTP, listed, checked, deleted, and a checkpoint file rolled back to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncssh
import netmiko
import pytest

from podwright.lab.nxos.session import Session
from tests.lab.nxos.conftest import Switches
from tests.lab.rack import Rack


@pytest.fixture(scope="module")
def typed(switches: Switches) -> Switches:
    lines = ["configure terminal", "feature scp-server", "feature sftp-server",
             "username reader password Secret123 role network-operator"]  # fmt: skip
    assert switches.world.fault({"kind": "cli", "switch": "leaf-01", "user": "admin", "lines": lines})["output"] == ""
    return switches


@pytest.fixture
async def connection(typed: Switches) -> AsyncIterator[asyncssh.SSHClientConnection]:
    async with asyncssh.connect(
        "127.0.0.1", typed.port(), username="admin", password=typed.password, known_hosts=None
    ) as connection:
        yield connection


def login(switches: Switches) -> Any:
    return netmiko.ConnectHandler(
        device_type="cisco_nxos", host="127.0.0.1", port=switches.port(), username="admin",
        password=switches.password, fast_cli=True,
    )  # fmt: skip


def test_netmiko_puts_and_gets_a_file_and_checks_it(typed: Switches, tmp_path: Path) -> None:
    binary = bytes(range(256)) * 40
    (tmp_path / "image.bin").write_bytes(binary)
    with login(typed) as client:
        put = {"source_file": str(tmp_path / "image.bin"), "dest_file": "image.bin", "file_system": "bootflash:"}
        assert netmiko.file_transfer(client, **put) == {
            "file_exists": True, "file_transferred": True, "file_verified": True,
        }  # fmt: skip
        assert netmiko.file_transfer(client, **put, overwrite_file=True)["file_transferred"] is False
        back = {"source_file": "image.bin", "dest_file": str(tmp_path / "back.bin"), "file_system": "bootflash:"}
        assert netmiko.file_transfer(client, **back, direction="get")["file_verified"]
    assert (tmp_path / "back.bin").read_bytes() == binary


async def test_openssh_forms_of_a_name_and_sftp(connection: asyncssh.SSHClientConnection, tmp_path: Path) -> None:
    (tmp_path / "a.cfg").write_text("vlan 5\n")
    for name in ("bootflash:a.cfg", "bootflash:/b.cfg", "bootflash:///c.cfg", "/bootflash/d.cfg", "e.cfg"):
        await asyncssh.scp(tmp_path / "a.cfg", (connection, name))
    listed = str((await connection.run("dir")).stdout)
    assert all(f" {letter}.cfg\n" in listed for letter in "abcde") and " bytes free\n" in listed
    async with connection.start_sftp_client() as sftp:
        assert {"a.cfg", "e.cfg"} <= set(await sftp.listdir("/bootflash"))
        assert (await sftp.stat("/bootflash/a.cfg")).size == 7
        await sftp.get("/bootflash/c.cfg", tmp_path / "c.cfg")
        with pytest.raises(asyncssh.SFTPNoSuchFile):
            await sftp.get("/bootflash/none.cfg", tmp_path / "none.cfg")
    assert (tmp_path / "c.cfg").read_text() == "vlan 5\n"


async def test_without_the_feature_and_for_operators_nothing_is_written(typed: Switches, tmp_path: Path) -> None:
    (tmp_path / "a.cfg").write_text("vlan 5\n")
    for address, user, secret, word in (
        ("192.0.2.11", "reader", "Secret123", "denied"), ("192.0.2.12", "admin", typed.password, "not enabled"),
    ):  # fmt: skip
        async with asyncssh.connect(
            "127.0.0.1", typed.port(address), username=user, password=secret, known_hosts=None
        ) as connection:
            with pytest.raises(asyncssh.SFTPError, match=word):
                await asyncssh.scp(tmp_path / "a.cfg", (connection, "bootflash:refused.cfg"))
    assert not any("refused" in name for device in typed.side.devices.values() for name in device.files)


def test_delete_asks_unless_told_not_to() -> None:
    rack = Rack(configured=False)
    session = Session(rack.devices["leaf-01"], quiet=True)
    session.run("copy running-config bootflash:kept.cfg")
    assert "Do you want to delete" in session.run("delete kept.cfg")
    session.run("n")
    assert "kept.cfg" in session.run("dir kept.cfg")
    session.run("delete kept.cfg")
    session.run("y")
    assert "No such file or directory" in session.run("dir kept.cfg")
    assert "No such file or directory" in session.run("delete kept.cfg no-prompt")


def test_a_rollback_takes_checkpoint_files_only_and_fails_whole() -> None:
    rack = Rack(configured=False)
    session, device = Session(rack.devices["leaf-01"], quiet=True), rack.devices["leaf-01"]
    session.run("checkpoint file before")
    rack.type("leaf-01", "vlan 9")
    patch = session.run("show diff rollback-patch running-config file before")
    assert "no vlan 9" in patch
    session.run("copy running-config bootflash:plain.cfg")
    assert "is not a checkpoint file" in session.run("rollback running-config file plain.cfg")
    device.files["bootflash:before"] += "colour blue\n"
    assert "Rollback failed." in session.run("rollback running-config file before")
    assert device.root.get("vlan 9") is not None
    device.files["bootflash:before"] = device.files["bootflash:before"].removesuffix("colour blue\n")
    assert "completed successfully" in session.run("rollback running-config file before")
    assert device.accounting[-1].endswith("cmd=rollback running-config file before (SUCCESS)")
    assert not any("cmd=configure terminal ; hostname" in each for each in list(device.accounting)[-5:])
    assert device.root.get("vlan 9") is None
