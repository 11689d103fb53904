"""What operators type (operator_commands.yaml), read by netmiko, scrapli and paramiko as they come."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import netmiko
import ntc_templates
import paramiko
import pytest
import yaml
from ntc_templates import parse

from tests.lab.nxos import site
from tests.lab.nxos.conftest import Switches

LISTS: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("operator_commands.yaml").read_text(encoding="utf-8")
)
TYPED = [command for source, commands in LISTS.items() if source != "not_modelled" for command in commands]
MOVES = re.compile(
    r"\b\d{1,2}:\d\d:\d\d(?:\.\d+)?\b|\b\d+ (?:day|hour|minute|second)\S*|\d+d:\d+h:\d+m:\d+s"
    r"|\b[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d\b"
    r"|^!(?:Time|Running configuration|Startup configuration).*|.*:type=update:.*\n?|^P\d*D?T\S+",
    re.MULTILINE,
)
"""What a clock moves between two answers, and the accounting log's own lines."""


@pytest.fixture(scope="module")
def answers(switches: Switches) -> Iterator[dict[str, str]]:
    """Every answer as netmiko reads it, of one session."""
    site.configure(switches)
    with netmiko.ConnectHandler(
        device_type="cisco_nxos", host="127.0.0.1", port=switches.port(), username="admin",
        password=switches.password, fast_cli=True,
    ) as client:  # fmt: skip
        client.send_command("copy running-config startup-config")
        client.send_command("checkpoint file before.cfg")
        yield {command: str(client.send_command(command, read_timeout=60)) for command in TYPED}


def steady(text: str) -> str:
    """An answer without what a clock moves."""
    lines = (line.rstrip() for line in MOVES.sub("", text.replace("\r", "")).strip().splitlines())
    return "\n".join(line for line in lines if line)


def test_the_list_is_long_and_names_every_template_of_the_public_index() -> None:
    assert len(TYPED) == len(set(TYPED)) >= 120
    index = (Path(ntc_templates.__file__).parent / "templates" / "index").read_text(encoding="utf-8")
    names = set(re.findall(r"^cisco_nxos_(\S+)\.textfsm,", index, re.MULTILINE))
    named = {name for command in (*TYPED, *LISTS["not_modelled"]) if (name := template(command))}
    assert names - named - {"show_fex_id"} == set()
    assert named <= names


@cache
def template(command: str) -> str:
    """Name of the public template for a command, empty without one."""
    table = parse.clitable.CliTable("index", str(Path(ntc_templates.__file__).parent / "templates"))
    row = table.index.GetRowMatch({"Platform": "cisco_nxos", "Command": command})
    return table.index.index[row]["Template"].removeprefix("cisco_nxos_").removesuffix(".textfsm") if row else ""


def test_each_is_answered_as_the_device_answers(answers: dict[str, str]) -> None:
    refused = {command: text for command, text in answers.items() if re.search(r"^(% |ERROR|Invalid)", text, re.M)}
    assert refused == {}
    empty = {command for command, text in answers.items() if not text.strip()}
    assert empty <= {"show access-lists", "show ip community-list", "show banner motd", "show running-config diff"}


def test_public_templates_find_records_in_them(answers: dict[str, str]) -> None:
    lacking = []
    for command in LISTS["ntc"]:
        parsed = parse.parse_output(platform="cisco_nxos", command=command, data=answers[command])
        if not parsed:
            lacking.append(command)
    assert lacking == []


def test_where_the_world_has_nothing_no_record_is_found(answers: dict[str, str]) -> None:
    for command in LISTS["nothing_there"]:
        assert parse.parse_output(platform="cisco_nxos", command=command, data=answers[command]) == [], command


async def test_scrapli_reads_the_same(switches: Switches, answers: dict[str, str]) -> None:
    from scrapli import AuthOptions, Cli

    client = Cli(
        host="127.0.0.1", port=switches.port(), definition_file_or_name="cisco_nxos",
        auth_options=AuthOptions(username="admin", password=switches.password),
    )  # fmt: skip
    async with client as session:
        for command, known in answers.items():
            read = (await session.send_input_async(input_=command)).result
            assert steady(read) == steady(known), command


def test_paramiko_reads_the_same(switches: Switches, answers: dict[str, str]) -> None:
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    client.connect("127.0.0.1", switches.port(), "admin", switches.password, look_for_keys=False, allow_agent=False)
    shell = client.invoke_shell(width=511, height=1000)
    _read(shell, 1)
    shell.send(b"terminal length 0\n")
    _read(shell, 1)
    for command, known in answers.items():
        shell.send(f"{command}\n".encode())
        text = _read(shell, 1).partition("\n")[2].rpartition("\n")[0]
        assert steady(text) == steady(known), command
    client.close()


def _read(shell: paramiko.Channel, prompts: int) -> str:
    text, until = "", time.monotonic() + 30
    while text.count("leaf-01# ") < prompts or not text.endswith("leaf-01# "):
        assert time.monotonic() < until, text[-200:]
        text += shell.recv(65536).decode()
    return text
