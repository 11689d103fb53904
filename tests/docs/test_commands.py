"""Commands that the pages show are typed as they stand there, in a folder of their own, and answer as shown."""

from pathlib import Path

import pytest

from tests.docs.commands import PAGES, Command, commands, environ, follow, project
from tests.test_sizes import ROOT

SECONDS = 400
WITH_COMMANDS = [page for page in PAGES if commands(page, {"test"})]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_works(page: Path, tmp_path: Path) -> None:
    assert follow(commands(page, {"test"}), project(tmp_path), environ(tmp_path), SECONDS) == []


def test_a_block_is_read_as_commands_and_answers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console test\n$ a \\\n    b\nfirst\n…\n$ c\n```\n\n```console e2e\n$ d\n```\n")
    assert commands(page, {"test"}) == [Command("a \\\n    b", ("first",)), Command("c", ())]
    assert [each.typed for each in commands(page, {"test", "e2e"})] == ["a \\\n    b", "c", "d"]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (Command("echo one; echo two", ("two", "one")), "no line 'one'"),
        (Command("false", ()), "exit 1"),
        (Command("true | false | true", ()), "exit 1"),
    ],
)
def test_a_wrong_answer_is_found(command: Command, problem: str, tmp_path: Path) -> None:
    found = follow([Command("echo ready", ("r…dy",)), command], tmp_path, environ(tmp_path), SECONDS)
    assert len(found) == 1
    assert problem in found[0]
