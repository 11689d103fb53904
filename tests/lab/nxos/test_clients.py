"""Public clients, unmodified: netmiko, scrapli, NAPALM, OpenSSH host keys, ntc-templates."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import asyncssh
import netmiko
import pytest

from tests.lab.nxos.conftest import Switches
from tests.lab.rack import QOS


def login(switches: Switches, **more: Any) -> Any:
    return netmiko.ConnectHandler(
        device_type="cisco_nxos", host="127.0.0.1", port=switches.port(), username="admin",
        password=switches.password, **more,
    )  # fmt: skip


def test_netmiko_configures_saves_and_reads_back(switches: Switches) -> None:
    with login(switches) as client:
        assert client.find_prompt() == "leaf-01#"
        output = client.send_config_set([line for line in QOS.splitlines() if line])
        assert "%" not in output and "ERROR" not in output
        assert client.check_config_mode() is False
        running = client.send_command("show running-config | section 'policy-map type queuing'".replace("'", ""))
        assert "bandwidth remaining percent 50" in running
        assert "Copy complete." in client.save_config()
        with pytest.raises(netmiko.exceptions.ConfigInvalidException):
            client.send_config_set(["hardware qos ecn"], error_pattern=r"% Invalid")


def test_netmiko_reads_a_long_configuration_without_paging(switches: Switches) -> None:
    with login(switches) as client:
        text = client.send_command("show running-config")
    assert text.startswith("!Command: show running-config") or "\n!Command: show running-config" in text
    assert "--More--" not in text and "interface Ethernet1/66" in text


@pytest.mark.parametrize(
    ("command", "key", "value"),
    [
        ("show version", "os", "10.4(5)"),
        ("show version", "platform", "C9364D-GX2A"),
        ("show inventory", "sn", "FDO00000001"),
        ("show interface brief", "interface", "mgmt0"),
        ("show interface status", "port", "mgmt0"),
        ("show interface", "mtu", "1500"),
        ("show feature", "state", "enabled"),
        ("show vlan", "vlan_name", "default"),
    ],
)
def test_ntc_templates_parse_what_the_switch_shows(switches: Switches, command: str, key: str, value: str) -> None:
    with login(switches) as client:
        parsed = client.send_command(command, use_textfsm=True)
    assert isinstance(parsed, list), parsed
    assert value in {row[key] for row in parsed}


def test_napalm_gets_its_facts(switches: Switches) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from napalm import get_network_driver

        driver = get_network_driver("nxos_ssh")
        with driver("127.0.0.1", "admin", switches.password, optional_args={"port": switches.port()}) as device:
            facts = device.get_facts()
    assert (facts["hostname"], facts["model"], facts["serial_number"]) == (
        "leaf-01", "Nexus9000 C9364D-GX2A Chassis", "FDO00000001",
    )  # fmt: skip
    assert facts["os_version"] == "10.4(5)" and "Ethernet1/64" in facts["interface_list"]


async def test_scrapli_opens_sends_and_closes(switches: Switches) -> None:
    from scrapli import AuthOptions, Cli

    client = Cli(
        host="127.0.0.1", port=switches.port(), definition_file_or_name="cisco_nxos",
        auth_options=AuthOptions(username="admin", password=switches.password),
    )  # fmt: skip
    async with client as session:
        version = await session.send_input_async(input_="show version")
        assert "NXOS: version 10.4(5)" in version.result
        await session.enter_mode_async(requested_mode="configuration")
        reply = await session.send_input_async(input_="hardware qos ecn")
        assert "% Invalid command at '^' marker." in reply.result


async def test_the_exec_channel_runs_commands_and_always_returns_zero(switches: Switches) -> None:
    async with asyncssh.connect(
        "127.0.0.1", switches.port(), username="admin", password=switches.password, known_hosts=None
    ) as connection:
        done = await connection.run("show hostname ; hardware qos ecn ; show clock")
    assert done.exit_status == 0
    text = str(done.stdout)
    assert text.startswith("leaf-01") and "% Invalid command" in text and "Time source" in text


async def test_the_host_key_is_the_one_in_known_hosts(switches: Switches) -> None:
    lines = "\n".join(switches.known_hosts)
    trusted = asyncssh.import_known_hosts(lines)
    for address, accepted in (("192.0.2.11", True), ("192.0.2.12", False)):
        attempt = asyncssh.connect(
            "127.0.0.1", switches.port(), username="admin", password=switches.password,
            known_hosts=trusted, host_key_alias=address,
        )  # fmt: skip
        if accepted:
            (await attempt).close()
        else:
            with pytest.raises(asyncssh.HostKeyNotVerifiable):
                await attempt


async def test_a_wrong_password_is_refused(switches: Switches) -> None:
    with pytest.raises(asyncssh.PermissionDenied):
        await asyncssh.connect("127.0.0.1", switches.port(), username="admin", password="wrong", known_hosts=None)


async def test_a_user_with_a_public_key_logs_in_with_it_and_others_do_not(switches: Switches) -> None:
    key, other = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    public = key.export_public_key().decode().strip()
    lines = ["configure terminal", "username keyed password Secret123 role network-admin",
             f"username keyed sshkey {public}"]  # fmt: skip
    assert switches.world.fault({"kind": "cli", "switch": "leaf-01", "lines": lines})["output"] == ""
    login: dict[str, Any] = {"username": "keyed", "known_hosts": None, "password": None}
    async with asyncssh.connect("127.0.0.1", switches.port(), client_keys=[key], **login) as connection:
        assert "leaf-01" in str((await connection.run("show hostname")).stdout)
    with pytest.raises(asyncssh.PermissionDenied):
        await asyncssh.connect("127.0.0.1", switches.port(), client_keys=[other], **login)


async def test_output_is_paged_until_length_zero(switches: Switches) -> None:
    async with asyncssh.connect(
        "127.0.0.1", switches.port(), username="admin", password=switches.password, known_hosts=None
    ) as connection:
        process = await connection.create_process(term_type="vt100", term_size=(80, 24))
        process.stdin.write("show running-config\n")
        first = await _until(process, "--More--")
        assert first.count("\n") < 30
        process.stdin.write("q")
        await _until(process, "leaf-01# ")
        process.stdin.write("terminal length 0\nshow running-config\n")
        assert "--More--" not in await _until(process, "boot nxos")


async def _until(process: Any, mark: str) -> str:
    text = ""
    while mark not in text:
        text += await asyncio.wait_for(process.stdout.read(4096), 10)
    return text
