"""Files of at most 300 lines, functions of at most 60, `__main__.py` of the program at most 40."""

from pathlib import Path

from tests.syntax import source

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("components", "policies", "cli", "lab", "toolchain", "tools", "tests")
FILE, FUNCTION, PROGRAM = 300, 60, 40


def sources() -> list[Path]:
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return [*found, *ROOT.glob("*.py")]


def test_files_stay_readable_in_one_sitting() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in sources()
        if (count := len(source(path).text.splitlines())) > FILE
    }
    assert long == {}


def test_functions_stay_one_thought() -> None:
    long = {}
    for path in sources():
        for each in source(path).functions:
            if (lines := each.last - each.first + 1) > FUNCTION:
                long[f"{path.relative_to(ROOT)}:{each.first} {each.name}"] = lines
    assert long == {}


def test_the_program_is_load_build_export() -> None:
    program = ROOT / "__main__.py"
    assert not program.exists() or len(program.read_text().splitlines()) <= PROGRAM


def test_no_drawer_for_everything() -> None:
    names = {"utils", "util", "helpers", "helper", "common", "misc"}
    drawers = [path for path in sources() if path.stem in names or names & set(path.relative_to(ROOT).parts)]
    assert drawers == []
