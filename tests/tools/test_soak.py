"""A soak runs seed after seed, goes on where it stopped, and keeps what failed."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.soak.__main__ import ROOT, Until, command, main, run_together, soak
from tools.soak.progress import Record
from tools.soak.suites import SUITES, Suite


def test_it_goes_on_with_the_next_seed(tmp_path: Path) -> None:
    seeds: list[int] = []

    def run(given: Sequence[int]) -> list[str]:
        seeds.extend(given)
        if len(seeds) == 3:
            raise KeyboardInterrupt
        return ["red" if seed == 8 else "" for seed in given]

    file = tmp_path / "suite.json"
    record = Record(file)
    with pytest.raises(KeyboardInterrupt):
        soak(record, record.resume(7), Until(60), run)
    again = Record(file)
    progress = again.resume(None)
    assert (progress.first, progress.runs, [each.seed for each in progress.failures]) == (7, 2, [8])
    soak(again, progress, Until(0.0), run)
    assert seeds == [7, 8, 9], "no run begins when the seconds are over"
    assert progress.next == 9, "the run that was stopped is run again"
    assert "2 runs, seeds 7 to 8" in progress.sentence()
    assert progress.sentence().endswith("failed seeds: 8")


def test_it_ends_with_its_count_several_at_a_time(tmp_path: Path) -> None:
    record = Record(tmp_path / "suite.json")
    progress, batches = record.resume(1), list[Sequence[int]]()

    def run(given: Sequence[int]) -> list[str]:
        batches.append(list(given))
        return ["red" if seed == 4 else "" for seed in given]

    soak(record, progress, Until(math.inf, runs=5, jobs=2), run)
    assert batches == [[1, 2], [3, 4], [5]]
    soak(record, progress, Until(math.inf, runs=5, jobs=2), run)
    assert len(batches) == 3, "the same command only tells the number"
    assert progress.sentence(20, "kills") == "5 runs of 20 kills (100), seeds 1 to 5, 0.00 h, failed seeds: 4"


def test_another_first_seed_is_a_series_of_its_own(tmp_path: Path) -> None:
    record = Record(tmp_path / "suite.json")
    record.resume(1).runs = 5
    record.resume(100).runs = 2
    record.save()
    assert Record(tmp_path / "suite.json").resume(None).next == 102
    assert Record(tmp_path / "suite.json").resume(1).next == 6


def test_of_a_run_that_failed_what_failed_is_kept_and_not_its_log(tmp_path: Path) -> None:
    lines = "import logging\n\ndef test_fails():\n    for n in range(500):\n        logging.error('line %s', n)\n"
    (tmp_path / "test_it.py").write_text(lines + "    assert False, 'a gang in part'\n")
    suite = Suite("fails", (str(tmp_path / "test_it.py"), "-p", "no:cacheprovider"), seed="A_SEED")
    (printed,) = run_together(suite, [1])
    assert "a gang in part" in printed and "line 499" not in printed


def test_a_seed_reaches_the_tests() -> None:
    words, env = command(SUITES["kills"], 5, {})
    assert env == {"PODWRIGHT_KILLS_SEED": "5"}
    words, env = command(SUITES["writers-slow"], 5, {})
    assert env == {"PODWRIGHT_WRITERS_SEED": "5", "PODWRIGHT_WRITERS_LAG": "10"}
    words, env = command(SUITES["gap"], 5, {})
    assert "--hypothesis-seed=5" in words
    assert env == {"PODWRIGHT_EXPLORE": "1"}


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_selects_tests_that_exist(name: str) -> None:
    for word in (word for word in SUITES[name].words if word.startswith("tests/")):
        path, _, test = word.partition("::")
        assert (ROOT / path).exists()
        assert not test or f"def {test}(" in (ROOT / path).read_text()


@pytest.mark.parametrize("name", [name for name, suite in SUITES.items() if suite.seed])
def test_every_seed_is_read_by_its_tests(name: str) -> None:
    suite = SUITES[name]
    files = [ROOT / word.partition("::")[0] for word in suite.words if word.startswith("tests/")]
    for file in files:
        # The tests of a folder share what its conftest draws.
        read = [file / "conftest.py"] if file.is_dir() else [file, file.with_name("conftest.py")]
        assert any(suite.seed in each.read_text() for each in read if each.exists()), file


def test_help_names_every_suite(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    printed = " ".join(capsys.readouterr().out.split())
    assert all(" ".join(f"{name}: {suite.what}".split()) in printed for name, suite in SUITES.items())
