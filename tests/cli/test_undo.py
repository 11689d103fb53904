"""`podwright undo`: what it goes back to, and edits that stop it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from podwright.cli import stack
from podwright.cli.engine.undo import strangers
from tests.cli.test_engine import Shell

OLD = {"interface Ethernet1/1": "description a\nmtu 9216\nno shutdown", "feature bgp": ""}
NEW = {"interface Ethernet1/1": "description a\nmtu 9100\nno shutdown", "feature bgp": "", "feature bfd": ""}


def test_what_lies_between_two_sides_is_nobodys_edit() -> None:
    half = {"interface Ethernet1/1": "description a\nmtu 9100", "feature bgp": ""}
    assert strangers(half, [OLD, NEW]) == ([], [])
    edited = {"interface Ethernet1/1": "description theirs\nmtu 9100", "feature bfd": ""}
    assert strangers(edited, [OLD, NEW]) == (
        [("interface Ethernet1/1", "description theirs")],
        [("feature bgp",), ("interface Ethernet1/1", "description a")],
    )


def exported(**inputs: Any) -> dict[str, Any]:
    join = {"type": "podwright:index:Join", "urn": "urn:pulumi:s::p::x::lab-ready", "inputs": inputs}
    spec = {"hostname": "leaf-01", "config": OLD}
    switch = {"type": "podwright:nxos:Switch", "urn": "urn:pulumi:s::p::y::lab-leaf-01", "inputs": {"spec": spec}}
    return {"deployment": {"resources": [join, switch]}}


def test_the_state_knows_what_was_brought_about_whole() -> None:
    signature = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
    known = stack.parse(exported(defined={**signature, "plaintext": json.dumps('{"name": "lab"}')}))
    assert known.defined == '{"name": "lab"}'
    assert "lab" not in repr(known)
    assert [each["hostname"] for each in known.specs("podwright:nxos:Switch")] == ["leaf-01"]


def test_without_a_whole_update_there_is_nothing_to_go_back_to(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.answers["stack export"] = {"prints": json.dumps(exported())}
    status, told = shell.run("undo", "pod")
    assert status == 127
    assert "nothing to go back to: no update of pod has ended well so far" in told
    assert shell.commands == []
