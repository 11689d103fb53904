"""Every file that a text of the project names is there, every library it asks for is used and has its reason."""

import re
import tomllib
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
    document, elsewhere = re.compile(r"\bdocs/[\w./-]+\.(?:md|yml|json)\b"), re.compile(r"https?://\S+")
    gone = {
        f"{source.relative_to(ROOT)}: {path}"
        for source in sources()
        for path in named(elsewhere.sub("", source.read_text(encoding="utf-8")), document)
        if not (ROOT / path).exists()
    }
    assert gone == set()


def test_every_library_is_chosen_on_purpose() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    for path in (ROOT / "toolchain").glob("requirements*.in"):
        asked += [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] not in ("", "#", "-")]
    names = {re.split(r"[<>=~!\[ ]", each, maxsplit=1)[0] for each in asked}
    page = (ROOT / "docs/decisions/0020-libraries.md").read_text(encoding="utf-8")
    assert {name for name in names if f"`{name}`" not in page} == set()
    assert {
        name for name in re.findall(r"^\| (`.*?`) \|", page, re.M) for name in re.findall(r"`(.*?)`", name)
    } <= names


def test_every_library_of_the_program_is_imported() -> None:
    """What nothing imports is installed for nobody."""
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    modules = {"PyYAML": "yaml", "dnspython": "dns", "libpass": "passlib"}
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources() if "tests" not in path.parts)
    names = {re.split(r"[<>=~!\[ ]", each, maxsplit=1)[0] for each in asked}
    imported = {modules.get(name, name.replace("-", "_")) for name in names}
    assert {name for name in imported if not re.search(rf"^\s*(?:import|from) {name}\b", code, re.M)} == set()
