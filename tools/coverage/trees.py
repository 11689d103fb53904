"""A copy of the tree in which patches are tried one after the other, each by a fresh test run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tools.coverage.patches import Patch, PatchError
from tools.generated import ROOT

RED: Final = 1
"""pytest's exit code for tests that ran and failed; a tree that cannot be imported answers with another one."""
GREEN: Final = 0
SECONDS: Final = 120
"""How long the tests of one patch may take on a busy machine."""


@dataclass(frozen=True)
class Outcome:
    """How a test run ended: pytest's exit code, and what it printed."""

    status: int
    output: str

    def failed(self, test: str) -> bool:
        """True when this test, or one of its parameters, was reported as failed or could not be set up."""
        marks = (f"FAILED {test}", f"ERROR {test}")
        return any(line.startswith(marks) for line in self.output.splitlines())

    def judge(self, patch: Patch) -> str | None:
        """None when each of the patch's tests failed, else what went otherwise."""
        if self.status not in (GREEN, RED):
            return f"{patch.name}: the tests did not run (exit code {self.status}):\n{self.output[-3000:]}"
        if green := [test for test in patch.tests if not self.failed(test)]:
            return f"{patch.name}: with `{patch.claim}` broken in {patch.file}, {', '.join(green)} does not fail"
        return None


class Tree:
    """The tracked files and new ones in a folder of their own, and a process that runs tests there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._patches = 0
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.split("\0")):
            source, target = ROOT / name, folder / name
            if source.exists() or source.is_symlink():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)
        if (ROOT / ".venv").exists():
            (folder / ".venv").symlink_to(ROOT / ".venv")
        self._runner = subprocess.Popen(
            [sys.executable, str(ROOT / "tools/coverage/zygote.py")],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the folder stays to whoever gave it."""
        for pipe in (self._runner.stdin, self._runner.stdout):
            if pipe is not None:
                pipe.close()
        self._runner.wait(30)

    def run(self, tests: Sequence[str], seconds: float = SECONDS) -> Outcome:
        """Run these tests on the tree as it is now."""
        assert self._runner.stdin is not None
        assert self._runner.stdout is not None
        request = {"folder": str(self.folder), "tests": list(tests), "seconds": seconds}
        print(json.dumps(request), file=self._runner.stdin, flush=True)
        answer = json.loads(self._runner.stdout.readline())
        return Outcome(answer["status"], answer["output"])

    @contextmanager
    def patched(self, patch: Patch) -> Iterator[None]:
        """The tree with one claim broken. Raises PatchError."""
        path = self.folder / patch.file
        broken = patch.applied(self.folder)
        sound, moment = path.read_text(encoding="utf-8"), path.stat().st_mtime
        path.write_text(broken, encoding="utf-8")
        # Compiled copies are told apart by time and size: a patch must share neither with what it replaces.
        self._patches += 1
        os.utime(path, (moment + self._patches, moment + self._patches))
        try:
            yield
        finally:
            path.write_text(sound, encoding="utf-8")
            os.utime(path, (moment, moment))

    def verdict(self, patch: Patch, seconds: float = SECONDS) -> str | None:
        """None when each of the patch's tests fails with the claim broken, else what went otherwise."""
        try:
            with self.patched(patch):
                return self.run(patch.tests, seconds).judge(patch)
        except PatchError as problem:
            return str(problem)
