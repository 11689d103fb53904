"""Which tests can notice what was changed: `python -m tools.affected` prints them, one file a line.

A test notices a file that it imports, directly or through others, that one of them names in a string (a path, or a
module that is started as a program), or that lies beside a module that reads it. Changed is what differs from the merge
base with main: commits, edits and new files. The end-to-end suites start whole sites and notice nearly everything, at
minutes each: they are left to `make test`, unless one of them was changed itself.
"""

import ast
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.test_rooms import imports, module_of

ROOT = Path(__file__).resolve().parents[1]
ALWAYS = ("tests/test_rooms.py", "tests/test_sizes.py")
PAGES = (
    "tests/tools/test_named.py",
    "tests/tools/test_generated.py",
    "tests/docs/test_site.py",
    "tests/docs/test_words.py",
    "tests/docs/test_commands.py",
)
"""Who reads every page of the documentation."""
EVERYTHING = ("pyproject.toml", "toolchain/requirements.txt", "toolchain/requirements-check.txt", "tests/conftest.py")
"""Whose change any test can notice."""
SLOW = ("tests/e2e/", "tests/benchmarks/", "tests/design/fabric/test_mutants.py")
"""Minutes each, and they notice nearly everything: left to `make test` unless changed themselves."""
_WHOLE = ("tests/packaging/", "tests/toolchain/", "tests/tools/test_watch.py", "tests/tools/test_soak.py")
"""They pack, install, start or watch the program, whatever it plans."""
_COMMANDS_OF_PULUMI = (
    "tests/cli/test_engine.py",
    "tests/cli/test_move.py",
    "tests/cli/test_accept.py",
    "tests/cli/test_preview.py",
    "tests/cli/test_reach.py",
    "tests/cli/test_completion.py",
    "tests/cli/test_undo.py",
    "tests/docs/test_commands.py",
)
"""They hand the program to Pulumi, or type what pages say."""
_DRIVEN = ("tests/package/", "tests/providers/")
"""Here a plan is what an engine, a plugin or a switch is tried with."""
CARRIERS = {
    "policies/rules/": (*_WHOLE, *_COMMANDS_OF_PULUMI, "tests/policies/test_analyzer.py"),
    "components/model/": (*_WHOLE, *_COMMANDS_OF_PULUMI, *_DRIVEN),
    "components/design/": (*_WHOLE, *_COMMANDS_OF_PULUMI, *_DRIVEN),
}
"""By folder, tests that carry what a module there says to somebody else: its own tests, the goldens, the rules, the
components and the switch that takes every golden line notice it sooner. A new or deleted module may be missed in the
package, so that counts; `make test` runs all."""
VERBS = "cli/__main__.py"
"""It imports every command; a test depends on the commands that it names as a word (`"lint"`), not on all of them."""
_COMMANDS = ("podwright.cli", "tests.cli")
READ = ROOT / ".run" / "affected.json"
_SHORTEST, _LONGEST = 4, 120
"""Strings beyond that name no file."""


def tracked() -> list[str]:
    """Every file of the tree, new ones included."""
    listed = _git("ls-files", "--cached", "--others", "--exclude-standard")
    return [name for name in listed if (ROOT / name).is_file()]


def changed() -> list[str] | None:
    """What differs from the merge base with main, deleted files included; None if there is no main to compare with."""
    try:
        (base,) = _git("merge-base", "main", "HEAD")
    except subprocess.CalledProcessError:
        return None
    return sorted({*_git("diff", "--name-only", base), *_git("ls-files", "--others", "--exclude-standard")})


def added() -> list[str]:
    """Files that the merge base with main does not have."""
    (base,) = _git("merge-base", "main", "HEAD")
    return [*_git("diff", "--name-only", "--diff-filter=AR", base), *_git("ls-files", "--others", "--exclude-standard")]


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, text=True, capture_output=True, check=True)
    return done.stdout.splitlines()


class Graph:
    """Who depends on each file of the tree: a file or a folder below the root to the Python files that need it."""

    def __init__(self, files: Iterable[str]) -> None:
        self.files = {name for name in files if not (ROOT / name).is_symlink()}
        self.folders = {str(parent) for name in self.files for parent in Path(name).parents if len(parent.parts) > 1}
        self.modules = {module_of(ROOT / name): name for name in self.files if name.endswith(".py")}
        self.needed_by: dict[str, set[str]] = {}
        for name, (imported, texts) in read_all(self.modules.values()).items():
            for needed in self._needs(name, imported, texts) - {name}:
                if name != VERBS or not needed.startswith("cli/"):
                    self.needed_by.setdefault(needed, set()).add(name)

    def _needs(self, name: str, imported: Iterable[str], texts: Iterable[str]) -> set[str]:
        found = {file for module in imported for file in self._files_of(module)}
        found |= {file for text in texts for file in self._named(text)}
        if name.startswith("tests/") and any(each.startswith(_COMMANDS) for each in (*imported, *texts)):
            found |= self.files & {f"cli/{word}{end}.py" for word in texts for end in ("", "/command")}
        if name.startswith("tests/"):
            found |= self.files & {str(folder / "conftest.py") for folder in Path(name).parents}
        return found

    def _files_of(self, module: str) -> Iterator[str]:
        """The module, or the one that has the name; packages on the way are run too, but hand nothing over."""
        parts = module.split(".")
        for length in range(len(parts), 0, -1):
            if file := self.modules.get(".".join(parts[:length])):
                yield file
                return

    def _named(self, text: str) -> Iterator[str]:
        """Files that a string names: a path, a folder, or a module to start."""
        if text == "__main__":
            return
        if text in self.modules:
            yield self.modules[text]
        if main := self.modules.get(f"{text}.__main__"):
            yield main
        plain = text.partition("*")[0].strip("/") if "*" in text else text.strip("/")
        if plain in self.files or (plain in self.folders and not self._of_tests(plain)):
            yield plain

    def _of_tests(self, folder: str) -> bool:
        return any(name.startswith(f"{folder}/") and Path(name).name.startswith("test_") for name in self.files)

    def noticing(self, change: Iterable[str]) -> set[str]:
        """Files that depend on one of the changed files, themselves included."""
        seen: set[str] = set()
        ahead = {*change, *(reader for name in change for reader in self._readers_beside(name))}
        while ahead:
            seen |= ahead
            places = {str(place) for name in ahead for place in (Path(name), *Path(name).parents)}
            ahead = {file for place in places for file in self.needed_by.get(place, ())} - seen
        return seen

    def _readers_beside(self, name: str) -> set[str]:
        """Who reads a file that is no module: the modules of its folder, or of the nearest folder that has any."""
        if name.endswith(".py"):
            return set()
        for folder in Path(name).parents[:-1]:
            if beside := {file for file in self.modules.values() if Path(file).parent == folder}:
                return beside
        return set()


def read_all(names: Iterable[str]) -> dict[str, tuple[list[str], list[str]]]:
    """Imports and strings of each file; files that stay the same are parsed once."""
    try:
        cached = json.loads(READ.read_text())
    except (OSError, ValueError):
        cached = {}
    fresh: dict[str, Any] = {}
    for name in names:
        path = ROOT / name
        stamp = [path.stat().st_mtime_ns, path.stat().st_size]
        if name in cached and cached[name][0] == stamp:
            fresh[name] = cached[name]
        else:
            fresh[name] = [stamp, sorted(imports(path, module_of(path))), sorted(strings(path.read_text("utf-8")))]
    if fresh != cached:
        READ.parent.mkdir(exist_ok=True)
        READ.write_text(json.dumps(fresh))
    return {name: (imported, texts) for name, (_, imported, texts) in fresh.items()}


def strings(source: str) -> set[str]:
    """Words that a program holds as strings and that may name a file or module, and paths put together with `/`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            found.add("/".join(reversed(list(_parts(node)))))
    return {text for text in found if _SHORTEST <= len(text) <= _LONGEST and not set(text) & set(" \n{")}


def _parts(node: ast.expr) -> Iterator[str]:
    """Constant ends of `base / "a" / "b"`, last first."""
    while isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and isinstance(node.right.value, str):
        yield node.right.value
        node = node.left


def affected(change: Iterable[str], files: Iterable[str], new: Iterable[str] = ()) -> list[str]:
    """Test files that can notice the change, the slow ones only if they were changed themselves.

    `new` are those of the changed files that main does not have.
    """
    change, listed = list(change), list(files)
    known = set(listed) - set(new)
    tests = [name for name in listed if name.startswith("tests/") and Path(name).name.startswith("test_")]
    if any(name in EVERYTHING for name in change):
        return [name for name in tests if not name.startswith(SLOW)]
    carried = [_carriers(name) if name in known else set() for name in change]
    left_out = (*SLOW, *(set.intersection(*carried) if carried else ()))
    noticing = Graph(listed).noticing(change)
    quick = {name for name in tests if name in noticing and not name.startswith(left_out)}
    quick |= {page for page in PAGES if any(name.endswith(".md") for name in change)}
    return sorted({*quick, *ALWAYS, *(name for name in change if name in tests)})


def _carriers(name: str) -> set[str]:
    return {test for folder, tests in CARRIERS.items() if name.startswith(folder) for test in tests}


def main() -> int:
    """Print the test files, a sentence about them on standard error."""
    change, files = changed(), tracked()
    if change is None:
        sys.stderr.write("there is no branch main to compare with: every test is run\n")
        print("tests")
        return 0
    chosen = affected(change, files, added())
    sys.stderr.write(
        f"{len(change)} files differ from main; {len(chosen)} test files can notice (end-to-end aside: `make test`)\n"
    )
    print("\n".join(chosen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
