"""One site for every test of this folder that can share it, and a way to make more of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.site import ROOT, Site

WORLD = ROOT / "lab" / "worlds" / "lab.yaml"
TAIL_LINES = 20

_standing: list[Site] = []
"""Every site that has a lab right now: what a failure shows logs of."""

MakeSite = Callable[..., Site]


@pytest.fixture(scope="module")
def make_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeSite]:
    """`make_site("name", stack_text=…, world=…, brought_up=…)`: a site of its own, its lab stopped after the module."""
    yield from _sites(tmp_path_factory)


@pytest.fixture(scope="package")
def converged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The lab stack after its first `up`; tests use `site`. Its lab is stopped before the tests of other folders."""
    for make_site in _sites(tmp_path_factory):
        yield make_site("shared")


def _sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeSite]:
    """A maker of sites, whose labs stop when it is asked for the next.

    A lab whose log tells of a bug of the lab fails the last test: what a stand-in did after it may be luck.

    The folders are pytest's: the ones of the last three runs stay, logs included.
    """
    made: list[Site] = []

    def make(
        name: str,
        stack_text: str | None = None,
        world: Path = WORLD,
        brought_up: bool = True,
        program: Path = ROOT,
    ) -> Site:
        site = Site(tmp_path_factory.mktemp(name))
        made.append(site)
        site.lay_out(stack_text or (ROOT / "Pulumi.lab.yaml").read_text(), program)
        site.lab_up(world)
        _standing.append(site)
        site.init()
        if brought_up:
            site.up()
        return site

    yield make
    for site in made:
        site.lab_down()
    answered = [site for site in made if site in _standing]
    for site in answered:
        _standing.remove(site)
    assert {str(site.lab): errors for site in answered if (errors := site.lab_errors())} == {}


@pytest.fixture
def site(converged: Site) -> Iterator[Site]:
    """The shared site. What a test did to the stack file is undone after it; what it did to the stack it undoes."""
    text = converged.stack_file.read_text()
    yield converged
    converged.stack_file.write_text(text)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A failure says where its sites lie and shows the end of their labs' logs."""
    report: pytest.TestReport = yield  # type: ignore[assignment]
    if report.failed:
        for each in _standing:
            report.sections.append((f"lab of {each.folder}", _tail(each.lab)))
    return report  # type: ignore[return-value]


def _tail(lab: Path) -> str:
    lines: list[str] = []
    for log in sorted(lab.glob("*.log")):
        lines += [f"--- {log.name}", *log.read_text(errors="replace").splitlines()[-TAIL_LINES:]]
    return "\n".join(lines)
