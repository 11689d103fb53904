"""Each row of docs/coverage.md that says "done" or "first cut" is proven: with its claim broken, its test fails.

`make rough` breaks a sixth of the claims, which one by the commit; `make soak SUITE=claims COUNT=6` breaks them all.
That the same tests pass on the sound tree is what the rest of the suite shows, and `python -m tools.coverage`.

A patch that does not apply any more is a failure too: write in tests/coverage/*.yaml what breaks the claim now. Those
of suite `soak` bring up a cluster or a site and run by `python -m tools.coverage --suite soak` (make soak).
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.drawn import PARTS, seed
from tools.coverage.patches import COVERED, Patch, PatchError, patches, proofs, rows
from tools.coverage.trees import GREEN, RED, Outcome, Tree
from tools.generated import ROOT

ALL = patches()
UNIT = [patch for patch in ALL if patch.suite == "unit"]


def _part(claims: Sequence[Patch], number: int) -> list[Patch]:
    """Every sixth claim; six numbers in a row have them all."""
    return list(claims[number % PARTS :: PARTS])


DRAWN = _part(UNIT, seed("PODWRIGHT_CLAIMS_SEED"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    with Tree(tmp_path_factory.mktemp("coverage") / "tree") as made:
        yield made


def test_every_row_has_a_patch_and_every_patch_a_row() -> None:
    covered = {row for row, state in rows().items() if state in COVERED}
    assert covered - {patch.row for patch in ALL} == set(), "rows that nothing proves"
    assert {patch.row for patch in ALL} - covered == set(), "patches of rows that the page does not claim"


def test_the_page_names_the_test_that_notices() -> None:
    named = proofs()
    lost = {
        f"{patch.row}: {file}"
        for patch in ALL
        for file in (test.partition("::")[0] for test in patch.tests)
        if not any(file == proof or file.startswith(f"{proof}/") for proof in named[patch.row])
    }
    assert lost == set(), "write these into the last column of docs/coverage.md"


def test_every_patch_applies_once_and_has_a_name_of_its_own() -> None:
    names = [patch.name for patch in ALL]
    assert sorted(set(names)) == sorted(names)
    problems = []
    for patch in ALL:
        try:
            patch.applied(ROOT)
        except PatchError as problem:
            problems.append(str(problem))
    assert problems == []


def test_every_test_that_a_claim_names_is_there() -> None:
    """Else it is noticed by the sixth of the claims that has it, some commits later: two cases of one name are two."""
    named = sorted({test for patch in UNIT for test in patch.tests})
    words = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-m", "rough or not rough"]
    found = subprocess.run([*words, "--collect-only", *named], cwd=ROOT, capture_output=True, text=True, check=False)
    lost = [line for line in (found.stdout + found.stderr).splitlines() if line.startswith("ERROR")]
    assert found.returncode == 0, lost


@pytest.mark.rough
@pytest.mark.parametrize("patch", DRAWN, ids=lambda patch: patch.name)
def test_a_broken_claim_is_noticed(tree: Tree, patch: Patch) -> None:
    assert tree.verdict(patch) is None


def test_every_claim_is_broken_by_one_of_the_seeds() -> None:
    drawn = [patch for seed in range(PARTS) for patch in _part(UNIT, seed)]
    assert sorted(patch.name for patch in drawn) == sorted(patch.name for patch in UNIT)


# --- the tool itself --------------------------------------------------------------------------------------------------

CLAIM = Patch("row", "claim", "some.py", ("import",), ("export",), ("tests/test_sizes.py::test_x",), "unit")


def test_a_replacement_that_is_not_there_once_says_so(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_sizes.py").touch()
    with pytest.raises(PatchError, match=r"there is no some\.py; write in tests/coverage where it is now"):
        CLAIM.applied(tmp_path)
    (tmp_path / "some.py").write_text("import import")
    with pytest.raises(PatchError, match=r"some\.py has 2 places that read"):
        CLAIM.applied(tmp_path)
    (tmp_path / "some.py").write_text("import")
    assert CLAIM.applied(tmp_path) == "export"


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Outcome(RED, "FAILED tests/test_sizes.py::test_x - assert"), None),
        (Outcome(RED, "ERROR tests/test_sizes.py::test_x - fixture"), None),
        (Outcome(RED, "FAILED tests/test_sizes.py::test_another - assert"), "does not fail"),
        (Outcome(GREEN, "1 passed"), "does not fail"),
        (Outcome(2, "ERROR tests/test_sizes.py - ImportError"), "the tests did not run"),
        (Outcome(-1, ""), "the tests did not run"),
    ],
)
def test_only_the_named_test_s_own_failure_counts(outcome: Outcome, sentence: str | None) -> None:
    """A tree that cannot even be imported would turn every test red."""
    told = outcome.judge(CLAIM)
    assert told is None if sentence is None else told is not None and sentence in told


def test_the_tree_is_restored_after_a_patch(tree: Tree) -> None:
    patch = UNIT[0]
    path: Path = tree.folder / patch.file
    before, broken = path.read_text(encoding="utf-8"), patch.applied(tree.folder)
    with tree.patched(patch):
        assert path.read_text(encoding="utf-8") == broken
    assert path.read_text(encoding="utf-8") == before
