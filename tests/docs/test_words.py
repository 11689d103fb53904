"""The pages, the commands' help and the descriptions of what an operator defines use the words of docs/STYLE.md."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from podwright.cli.__main__ import app
from podwright.policies.rules import RULES
from tests.test_sizes import ROOT

BANNED = {
    r"held against": "checked against",
    r"judg(?:e|es|ed|ing|ement)": "validate, check",
    r"said": "defined, configured, reported",
    r"(?:you|to|at|and) say (?:your|the|it|one)|how to say": "define",
    r"told": "reported, configured",
    r"what (?:already )?stands(?: there| now| and|,)|stands there already": "what exists, existing",
    r"(?:every |each |a )?(?:single )?loss leaves": "impact of a failure",
    r"dial(?:s|led|ling)?": "connect to, opens no connections",
    r"give[sn]? back": "restore",
}
"""Words that a stranger to the project does not know in this sense, and what to write instead."""

GENERATED = {"stack.md", "prices.md", "hardware.md", "policies.md", "mutants.md", "lint.md"}
"""Pages of docs/reference made from code, whose own texts are checked below."""
PAGES = [
    path
    for path in (ROOT / "README.md", ROOT / "lab/FIDELITY.md", ROOT / "Makefile", *sorted(ROOT.glob("docs/**/*.md")))
    if path.name not in (*GENERATED, "STYLE.md")
]
DESCRIBED = [*sorted(ROOT.glob("components/model/**/*.py")), *sorted(ROOT.glob("components/*.py"))]
DESCRIBED += sorted(ROOT.glob("components/cluster/*.py"))
DESCRIBED += sorted(ROOT.glob("policies/**/*.py"))
CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)


def wrong(text: str) -> list[str]:
    """Phrases of a text that have a plainer word, with that word."""
    flat = " ".join(CODE.sub(" ", text).split())
    found = ((re.search(rf"\b(?:{pattern})", flat, re.I), better) for pattern, better in BANNED.items())
    return [
        f"…{flat[max(0, hit.start() - 30) : hit.end() + 30]}…: write {better}"
        for hit, better in found
        if hit and not flat[hit.end() : hit.end() + 1].isalpha()
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_uses_plain_words(page: Path) -> None:
    assert wrong(page.read_text("utf-8")) == []


def helps(command: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every sentence that `--help` prints, by the command or option it belongs to."""
    yield path, command.help or ""
    for parameter in command.params:
        yield f"{path} {parameter.name}", getattr(parameter, "help", "") or ""
    for name, inner in getattr(command, "commands", {}).items():
        yield from helps(inner, f"{path} {name}")


def test_help_uses_plain_words() -> None:
    texts = dict(helps(typer.main.get_command(app), "podwright"))
    assert len(texts) > 30
    assert {where: found for where, text in texts.items() if (found := wrong(text))} == {}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_uses_plain_words(rule: Any) -> None:
    assert wrong(" ".join((rule.title, rule.why, rule.fix))) == []


def docstrings(path: Path) -> Iterator[str]:
    """Texts that describe a module, a class, a function or a field."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


@pytest.mark.parametrize("path", DESCRIBED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_description_uses_plain_words(path: Path) -> None:
    assert [found for text in docstrings(path) for found in wrong(text)] == []


def test_a_banned_phrase_is_found_in_prose_and_left_alone_in_code() -> None:
    assert wrong("The plan is held\nagainst the device.") == [
        "…The plan is held against the device.…: write checked against"
    ]
    assert wrong("`judge` in code, and a leased line") == []
