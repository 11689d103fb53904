"""Every device text that the repository expects is a text the switch takes, and nothing close to it passes for it."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components.design.fabric.plan import plan
from podwright.components.model.load import load
from podwright.lab.nxos.configure import find
from podwright.lab.nxos.factory import build
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.syntax import Failure, tokens
from podwright.lab.world.model import Switch, World
from tests.kept import as_kept
from tests.lab.rack import LAB
from tools import goldens

TEXTS = {
    (example, hostname): as_kept(text)
    for example in goldens.examples()
    for hostname, text in sorted(goldens.texts(example).items())
}
GOLDENS = sorted(TEXTS)
Golden = tuple[str, str]
REFUSED = re.compile(r"^ *\^\n|^% |^ERROR|^Invalid|^Error|^BGP is already", re.MULTILINE)


@cache
def models(example: str) -> dict[str, str]:
    return {switch.hostname: switch.model for switch in plan(load(goldens.stack_file(example)).network).switches}


HIDDEN = {
    "routed-shut": {"  no switchport", "  shutdown"},
    "layer2-up": {"  switchport", "  no shutdown", "  shutdown"},
    "layer2-shut": {"  switchport", "  shutdown"},
    "routed-up": {"  no switchport", "  no shutdown", "  shutdown"},
}
"""What a switch leaves out of its running configuration, by what its ports are by default; routed ones are always
shut."""


def console(golden: Golden, form: str = "layer2-up") -> Session:
    example, hostname = golden
    racked = Switch(hostname, models(example)[hostname], "FDO00000001", "10.5(3)", "192.0.2.11")
    world = World.load(LAB, variants={"ports": form})
    session = Session(build(world, racked, "admin", "secret", "192.0.2.1"), quiet=True)
    session.run("configure terminal")
    return session


@pytest.mark.parametrize("form", HIDDEN)
@pytest.mark.parametrize("golden", GOLDENS, ids="-".join)
def test_a_switch_takes_every_line_of_a_golden_and_shows_it_back(golden: Golden, form: str) -> None:
    session, lines = console(golden, form), TEXTS[golden].splitlines()
    assert {line: answer for line in lines if REFUSED.search(answer := session.run(line))} == {}
    shown = set(session.run("show running-config").splitlines()) | HIDDEN[form]
    assert [line for line in lines if line.strip() and not line.startswith("!") and line not in shown] == []


def keywords(session: Session, line: str) -> list[int]:
    """Places of the fixed words of a line, by the row that takes it where the session stands."""
    typed = tokens(line)
    for place in reversed(session.places):
        hit = find(session.device, place, typed, Failure())
        if hit is not None:
            found, negate = hit
            return [i + negate for i, exact in enumerate(found.match.exact) if exact == 2]
    return []


@cache
def sites() -> tuple[tuple[Golden, int, int], ...]:
    """(golden, line, word) of one example of every fixed word in every kind of line."""
    found: dict[tuple[str, str, int], tuple[Golden, int, int]] = {}
    for golden in GOLDENS:
        session = console(golden)
        for at, line in enumerate(TEXTS[golden].splitlines()):
            kind = re.sub(r"\d+", "0", line)
            for word in keywords(session, line):
                found.setdefault((session.mode, kind, word), (golden, at, word))
            session.run(line)
    return tuple(found.values())


@cache
def before(golden: Golden, at: int) -> Session:
    """A switch that has taken the lines above this one. Refused lines leave no trace, so that it can be used again."""
    session = console(golden)
    for line in TEXTS[golden].splitlines()[:at]:
        session.run(line)
    return session


@pytest.mark.rough
@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.data())
def test_a_fixed_word_with_a_changed_letter_is_refused_and_leaves_no_trace(data: st.DataObject) -> None:
    golden, at, index = data.draw(st.sampled_from(sites()))
    session = before(golden, at)
    line = TEXTS[golden].splitlines()[at]
    words = line.split()
    word = words[index]
    place, letter = data.draw(st.integers(0, len(word) - 1)), data.draw(st.sampled_from("qxz7"))
    wrong = data.draw(st.sampled_from([word[:place] + letter + word[place + 1 :], word[:place] + letter + word[place:],
                                       word + letter]))  # fmt: skip
    if wrong == word:
        return
    held = session.run("show running-config").split("version", 1)[1]
    column = len(session.prompt) + sum(len(each) + 1 for each in words[:index])
    answer = session.run(" ".join([*words[:index], wrong, *words[index + 1 :]]))
    assert REFUSED.search(answer), (line, wrong, answer)
    if caret := re.match(r" *(?=\^\n)", answer):
        assert len(caret[0]) >= column, (line, wrong, answer)
    assert session.run("show running-config").split("version", 1)[1] == held
