"""Raw lines: configuration of their mode passes, whatever a switch would take as an exec command is refused."""

import copy
import tomllib
from itertools import product
from pathlib import Path

import pytest

from podwright.components import model
from podwright.components.model.coherence import raw_lines
from podwright.components.model.problems import dotted
from tests.model.changes import LAB, PROD
from tools import goldens
from tools.generated import ROOT

VERBS = (
    *("attach", "bash", "boot", "cd", "checkpoint", "clear", "cli", "clock", "configure", "copy", "debug", "delete"),
    *("diagnostic", "dir", "dohost", "echo", "end", "ethanalyzer", "event", "exit", "format", "guestshell", "gunzip"),
    *("install", "kill", "license", "load", "locator-led", "logit", "mkdir", "move", "ping", "ping6", "pop", "push"),
    *("pwd", "python", "python3", "reload", "reset", "restart", "rmdir", "rollback", "routing-context", "run"),
    *("run-script", "scheduler", "send", "setup", "show", "sleep", "source", "ssh", "ssh6", "switchback", "switchto"),
    *("system", "tac-pac", "tar", "tclsh", "telnet", "terminal", "test", "traceroute", "undebug", "unmount", "write"),
)
"""What Cisco's fundamentals guide and command references, 10.x, list for exec mode, and what leads to it."""
ARGUMENTS = ("", " bootflash:", " switchover", " set 12:00:00 1 Jan 2030", " all force", " admin@192.0.2.1", " erase")
WRONG = {
    "reloa": "exec command `reload`",
    "rel": "exec command `reload`",
    "wr erase": "exec command `write`",
    "write erase": "exec command `write`",
    "del bootflash:": "exec command `delete`",
    "do reload": "`do` does",
    "copy running-config startup-config": "exec command `copy`",
    "clock set 12:00:00 1 Jan 2030": "exec command `clock`",
    "system switchover": "exec command `system`",
    "system mode maintenance": "exec command `system`",
    "ssh admin@192.0.2.1": "exec command `ssh`",
    "end": "exec command `end`",
    "exit": "exec command `exit`",
    "ex": "exec command `exit`",
    "no debug all": "exec command `debug`",
    "no do reload": "`do` does",
    "boot nxos bootflash:x.bin": "exec command `boot`",
    "scheduler job name x": "exec command `scheduler`",
    "event manager applet x": "exec command `event`",
    "cli alias name ip reload": "exec command `cli`",
    "configure maintenance profile normal-mode": "exec command `configure`",
    "vla 20": "whole words",
    "int Ethernet1/1": "whole words",
    "ip rout 0.0.0.0/0 192.0.2.1": "whole words",
    "Interface Ethernet1/1": "no configuration command",
    "frobnicate": "no configuration command",
    "no": "no configuration command",
    "# permit ip any any": "no configuration command",
    "! a comment": "no configuration command",
    "vlan 20 ; reload": 'holds ";"',
    "vlan 20\nreload": "U+000A",
    "vlan 20\rreload": "U+000D",
    "vlan 20\x1a": "U+001A",
    "vlan 20\treload": "U+0009",
    "vlan 20\u2028reload": "U+2028",
    "feature bgp | include x": 'holds "|"',
    "feature bgp > bootflash:x": 'holds ">"',
    "feature ?": 'holds "?"',
    " vlan 20": "no top-level line",
    "": "no top-level line",
}
WRONG_BELOW = {
    "reload": "exec command `reload`",
    "reloa": "exec command `reload`",
    "description x\nreload": "exec command `reload`",
    "description x\n  mtu 9216": "opens no mode",
    "description x; reload": 'holds ";"',
    "description x\rreload": "U+000D",
    "description x\x0breload": "U+000B",
    "description x\u2028reload": "U+2028",
    "exit\nreload": "exec command `exit`",
    "end": "exec command `end`",
    "do show clock": "`do` does",
    "vlan 20": "no configuration command of the mode interface",
    "shut": "whole words",
    "no shut": "whole words",
    "source x.py": "exec command `source`",
}
GOOD = {
    "vlan 20": "name raw",
    "ntp logging": "",
    "no ip source-route": "",
    "clock timezone CET 1 0": "",
    "banner motd @keep out@": "",
    "interface Ethernet1/64": "description spare\nno shutdown\nno lldp transmit\nip access-group MGMT in",
    "interface nve1": "member vni 50001\n  mcast-group 239.0.0.1\nqos-mode pipe",
    "router bgp 65001": (
        "neighbor 192.0.2.1\n  remote-as 65002\n  address-family ipv4 unicast\n    prefix-list A in\n"
        "vrf blue\n  address-family ipv4 unicast\n    network 10.0.0.0/8"
    ),
    "router ospf UNDERLAY": "maximum-paths 16\nvrf blue\n  router-id 192.0.2.1",
    "ip access-list MGMT": "10 permit tcp 192.0.2.0/24 any eq 22\nremark last\n20 deny ip any any",
    "policy-map type queuing X": "class type queuing c-out-q3\n  bandwidth remaining percent 40",
    "monitor session 1": "source interface Ethernet1/1 rx\ndestination interface Ethernet1/2\nno shutdown",
    "role name looker": "rule 1 permit read",
    "key chain macs": "key 1\n  key-octet-string 7 075f",
    "telemetry": "destination-group 1\n  ip address 192.0.2.9 port 50051 protocol gRPC encoding GPB",
    "snmp-server user monitor network-operator": "",
    "line vty": "exec-timeout 5",
    "hardware access-list tcam region ing-sup 768": "",
}


def judged(line: str, children: str = "") -> list[tuple[str, str, str]]:
    """(path, message, hint) of what is wrong with this raw block of the lab's leaf-01."""
    defined = copy.deepcopy(LAB)
    defined["fabric"]["extra"] = {"leaf-01": {line: children}}
    try:
        model.load(defined)
    except model.SpecErrors as wrong:
        return [(dotted(each.loc), each.message, each.hint) for each in wrong.problems]
    return []


@pytest.mark.parametrize("line", WRONG)
def test_a_line_that_configures_nothing_is_refused_at_its_key(line: str) -> None:
    ((path, message, hint),) = judged(line)
    assert path == f"fabric.extra.leaf-01.{line}"
    assert WRONG[line] in message
    assert hint


@pytest.mark.parametrize("children", WRONG_BELOW)
def test_so_is_one_below_a_line(children: str) -> None:
    found = judged("interface Ethernet1/64", children)
    assert {path for path, _, _ in found} == {"fabric.extra.leaf-01.interface Ethernet1/64"}
    assert any(WRONG_BELOW[children] in message for _, message, _ in found), found
    assert all(message.isprintable() and hint for _, message, hint in found)


def test_the_caret_stands_under_the_line(tmp_path: Path) -> None:
    path = ROOT / "Pulumi.lab.yaml"
    line = "      links_per_pair: 20\n"
    text = path.read_text().replace(line, f"{line}      extra: {{leaf-01: {{reloa: ''}}}}\n")
    file = tmp_path / "Pulumi.lab.yaml"
    file.write_text(text)
    with pytest.raises(model.SpecErrors) as wrong:
        model.load(file)
    (problem,) = wrong.value.problems
    assert problem.position is not None
    shown = text.splitlines()[problem.position.line - 1]
    assert shown[problem.position.column - 1 :].startswith("reloa")
    assert problem.position.length == len("reloa")


def test_no_abbreviation_of_an_exec_verb_passes_in_any_mode() -> None:
    """But a word that is itself a configuration command there, which the switch takes as such first."""
    passed = []
    for mode, phrases in raw_lines.commands().phrases.items():
        whole = {phrase[0] for phrase in phrases if len(phrase) == 1}
        for verb in VERBS:
            for length, argument, negated in product(range(1, len(verb) + 1), ARGUMENTS, ("", "no ")):
                line = f"{negated}{verb[:length]}{argument}"
                if verb[:length] not in whole and raw_lines._flaw(line, mode) is None:
                    passed.append((mode, line))
    assert passed == []


def test_no_exec_verb_is_a_whole_command_of_the_first_mode() -> None:
    whole = {phrase[0] for phrase in raw_lines.commands().phrases[raw_lines.TOP] if len(phrase) == 1}
    assert not whole & {*VERBS, *raw_lines.commands().verbs}
    assert set(VERBS) <= set(raw_lines.commands().verbs)


@pytest.mark.parametrize("line", GOOD)
def test_configuration_passes(line: str) -> None:
    assert judged(line, GOOD[line]) == []


@pytest.mark.parametrize("example", goldens.examples())
def test_every_line_of_our_own_could_be_written_as_a_raw_one(example: str) -> None:
    for hostname, text in goldens.texts(example).items():
        blocks: dict[str, list[str]] = {}
        for line in text.splitlines():
            if not line.startswith((" ", "!")) and line:
                blocks[line] = []
            elif line.startswith(" "):
                blocks[list(blocks)[-1]].append(line[2:])
        for top, below in blocks.items():
            wrong = raw_lines._top(top) or next(raw_lines._below(top, "\n".join(below)), None)
            assert wrong is None, (hostname, top, wrong)


def test_every_phrase_has_a_source_and_every_way_a_mode() -> None:
    table = tomllib.loads(raw_lines.COMMANDS.read_text())
    assert {source for mode in table["modes"].values() for source in mode} <= set(table["sources"])
    ways = [(mode, phrase, to) for mode, each in table["opens"].items() for phrase, to in each.items()]
    for mode, phrase, to in ways:
        assert to in table["modes"], to
        assert raw_lines.commands().known(mode, phrase.split()), phrase
    assert set(table["modes"]) == {raw_lines.TOP, *(to for _, _, to in ways)}


def test_the_pairs_are_judged_too() -> None:
    defined = copy.deepcopy(PROD)
    defined["fabric"]["extra"] = {"front-01": {"vpc domain 10": "vrf management"}}
    with pytest.raises(model.SpecErrors, match="vrf management"):
        model.load(defined)
