"""`?`, Tab and the caret: what a person at the prompt is told, and that clients that ask for nothing see none of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncssh
import pytest

from podwright.lab.nxos.session import Session
from tests.lab.nxos.conftest import Switches
from tests.lab.nxos.test_clients import _until
from tests.lab.rack import Rack


@pytest.fixture(scope="module")
def rack() -> Rack:
    return Rack(configured=False)


def session(rack: Rack, *lines: str) -> Session:
    made = Session(rack.devices["leaf-01"], quiet=True)
    for line in lines:
        made.run(line)
    return made


CONFIG = ("configure terminal", "interface Ethernet1/1")


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        (
            "show version ",
            [
                "<CR>",
                ">     Redirect it to a file",
                ">>    Redirect it to a file in append mode",
                "|     Pipe command output to filter",
            ],
        ),
        ("sh", ["show  Show running system information"]),
        ("show int", ["interface  Configure interfaces"]),
        ("show interface eth", ["ethernet  Ethernet IEEE 802.3z"]),
        ("terminal length ", ["<0-511>"]),
        ("rollback running-config ", ["checkpoint  Create configuration rollback checkpoint", "file"]),
    ],
)
def test_what_may_come_next_at_the_exec_prompt(rack: Rack, typed: str, lines: list[str]) -> None:
    assert [line.strip() for line in session(rack).hint(typed).splitlines() if line] == lines


def test_a_value_that_is_being_typed_is_told_by_its_kind(rack: Rack) -> None:
    assert "WORD  (Max Size 80)" in session(rack).hint("checkpoint na")
    assert "A.B.C.D" in session(rack).hint("show ip route 10.")


def test_a_configuration_mode_offers_its_own_lines_and_the_way_out(rack: Rack) -> None:
    words = [line.split()[0] for line in session(rack, *CONFIG).hint("").splitlines() if line]
    assert {"description", "mtu", "no", "exit", "end", "switchport"} <= set(words)
    assert "hostname" not in words and words == sorted(words)
    assert "<576-9216>" in session(rack, *CONFIG).hint("mtu ")
    assert session(rack, *CONFIG).hint("no mtu ").split() == ["<576-9216>", "<CR>"]


def test_a_line_of_another_mode_says_where_it_was_found(rack: Rack) -> None:
    text = session(rack, *CONFIG).hint("show ver")
    assert text.startswith("*** No matching command found in current mode, matching in (exec) mode ***\n  version ")
    assert "matching in (config) mode" in session(rack, *CONFIG).hint("hostname ")


def test_features_that_are_off_are_not_offered(rack: Rack) -> None:
    assert "bgp" not in session(rack, "configure terminal").hint("router ")
    assert "bgp" in session(rack, "configure terminal", "feature bgp").hint("router ")
    session(rack, "configure terminal", "no feature bgp")


@pytest.mark.parametrize(
    ("typed", "line", "printed"),
    [
        ("conf", "configure ", ""),
        ("show ver", "show version ", ""),
        ("show i", "show i", "incompatibility   interface   inventory   ip   ipv6\n"),
        ("show in", "show in", "incompatibility   interface   inventory\n"),
        ("show interface trans", "show interface transceiver ", ""),
        ("show interface tr", "show interface tr", "transceiver   trunk\n"),
        ("nothing", "nothing", ""),
    ],
)
def test_a_tab_completes_what_is_meant_and_lists_what_may_be(rack: Rack, typed: str, line: str, printed: str) -> None:
    assert session(rack).complete(typed) == (line, printed)


def test_what_several_words_share_is_typed_for_them(rack: Rack) -> None:
    assert session(rack).complete("show running-config v") == ("show running-config v", "vlan   vpc\n")
    assert session(rack, "configure terminal").complete("class-map type qos match-a") == (
        "class-map type qos match-a", "match-all   match-any\n",
    )  # fmt: skip
    assert session(rack).complete("show env") == ("show environment ", "")


@pytest.mark.parametrize(
    ("typed", "column", "sentence"),
    [
        # A capture of a Nexus 9000: `N9K01(config)# wr`, the caret below the first column behind what was typed.
        ("show", 4, "% Incomplete command at '^' marker."),
        ("show ip", 7, "% Incomplete command at '^' marker."),
        ("show ip   ", 7, "% Incomplete command at '^' marker."),
        ("show nothing", 5, "% Invalid command at '^' marker."),
        ("sh int Ethernet1/1 tr de x", 25, "% Invalid command at '^' marker."),
    ],
)
def test_the_caret_stands_where_the_line_goes_wrong(rack: Rack, typed: str, column: int, sentence: str) -> None:
    caret, said = session(rack).run(typed).splitlines()
    assert (caret, said) == (" " * (len("leaf-01# ") + column) + "^", sentence)


@asynccontextmanager
async def shell(switches: Switches) -> AsyncIterator[Any]:
    async with asyncssh.connect(
        "127.0.0.1", switches.port(), username="admin", password=switches.password, known_hosts=None
    ) as connection:
        process = await connection.create_process(term_type="vt100", term_size=(80, 0))
        await _until(process, "leaf-01# ")
        yield process


async def test_a_person_asks_completes_and_goes_on_typing(switches: Switches) -> None:
    async with shell(switches) as process:
        process.stdin.write("show ip ro?")
        text = await _until(process, "leaf-01# show ip ro")
        assert "show ip ro?\r\n  route\r\n" in text
        process.stdin.write("\tvrf management\n")
        assert 'IP Route Table for VRF "management"' in await _until(process, "leaf-01# ")


async def test_a_question_mark_behind_ctrl_v_is_a_character(switches: Switches) -> None:
    async with shell(switches) as process:
        process.stdin.write("configure terminal\n")
        await _until(process, "(config)# ")
        process.stdin.write("snmp-server location where\x16?\n")
        await _until(process, "(config)# ")
        process.stdin.write("show running-config | include location\n")
        assert "snmp-server location where?" in await _until(process, "where?\r\n")
        process.stdin.write("no snmp-server location\n")
        await _until(process, "(config)# ")
