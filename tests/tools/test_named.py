"""Every file of the project that a text of the project names is there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_sizes import ROOT, sources

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("lab/*.md")])
FILE = re.compile(
    r"(?<![\w./:-])(?:docs|components|policies|lab|cli|tests|tools|toolchain)/[\w./{},*-]*[\w}*]"
    r"|(?<=\]\()(?!https?:|#)[^)#]+"
)


def named(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Paths in a text, `{a,b}` taken apart."""
    for path in pattern.findall(text):
        before, brace, rest = path.partition("{")
        choices, _, after = rest.partition("}")
        yield from (f"{before}{each}{after}" for each in choices.split(",")) if brace else (path,)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    gone = {
        path
        for path in named(page.read_text(encoding="utf-8"), FILE)
        if not any(True for base in (ROOT, page.parent) for _ in base.glob(path.removeprefix("./")))
    }
    assert gone == set()


def test_what_the_code_names_of_the_documents_is_there() -> None:
    document = re.compile(r"\bdocs/[\w./-]+\.(?:md|yml|json)\b")
    gone = {
        f"{source.relative_to(ROOT)}: {path}"
        for source in sources()
        for path in named(source.read_text(encoding="utf-8"), document)
        if not (ROOT / path).exists()
    }
    assert gone == set()
