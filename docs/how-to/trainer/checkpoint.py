"""Checkpoints as files: written whole or not at all, and only whole ones are started from.

A checkpoint is one file, `step-<number>.<digest>.pt`. It is written under another name, brought to disk and renamed, so
that whoever is killed in between leaves nothing of that name; the digest of its content is part of the name, so that a
file which is cut short or damaged later is seen before it is used. Copy this file beside `train.py`: it needs nothing
but Python.
"""

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_NAME = re.compile(r"step-(\d{12})\.([0-9a-f]{64})\.pt")
_PARTIAL = ".partial"
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Checkpoint:
    """One file that has the right name; whether its content is whole is another question."""

    step: int
    digest: str
    path: Path

    def whole(self) -> bool:
        """True if its content is what was written."""
        found = hashlib.sha256()
        try:
            with self.path.open("rb") as file:
                while block := file.read(_BLOCK):
                    found.update(block)
        except OSError:
            return False
        return found.hexdigest() == self.digest


class _Summed:
    """A file to write to that sums up what is written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.sum = hashlib.sha256()

    def write(self, data: bytes | memoryview) -> int:
        """As a file's."""
        self._file.write(data)
        self.sum.update(data)
        return len(data)

    def flush(self) -> None:
        """As a file's."""
        self._file.flush()


def _to_disk(folder: Path) -> None:
    """A name is on disk once its folder is."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class Checkpoints:
    """The checkpoints of one folder, which one process writes: rank 0."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: set[str] = set()
        """Digests of files that this process has written or read: none is read twice."""

    def save(self, step: int, write: Callable[[BinaryIO], None], keep: int) -> Checkpoint:
        """Write one, then delete all but the newest `keep`.

        `write` is given a file to write to, once and from start to end, as `torch.save` does. Raises OSError where
        there is no room: what was saved before is as it was.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = self.folder / f"step-{step:012d}.{os.uname().nodename}-{os.getpid()}{_PARTIAL}"
        try:
            with partial.open("wb") as file:
                summed = _Summed(file)
                write(summed)  # type: ignore[arg-type]  # all that torch.save asks of a file
                file.flush()
                os.fsync(file.fileno())
            digest = summed.sum.hexdigest()
            path = self.path(step, digest)
            os.replace(partial, path)  # noqa: PTH105 - the call that makes it one, as fsync beside it
            _to_disk(self.folder)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        self._known.add(digest)
        self._prune(keep)
        return Checkpoint(step, digest, path)

    def path(self, step: int, digest: str) -> Path:
        """Of the file that has this content."""
        return self.folder / f"step-{step:012d}.{digest}.pt"

    def newest(self) -> Checkpoint | None:
        """The newest whole one; None where there is none."""
        return next((each for each in self.all() if self._whole(each)), None)

    def all(self) -> list[Checkpoint]:
        """Every checkpoint by its name, the newest first."""
        names = os.listdir(self.folder) if self.folder.is_dir() else []  # noqa: PTH208 - names alone
        found = [(match, name) for name in names if (match := _NAME.fullmatch(name))]
        return sorted(
            (Checkpoint(int(match[1]), match[2], self.folder / name) for match, name in found),
            key=lambda each: (each.step, each.digest),
            reverse=True,
        )

    def _whole(self, each: Checkpoint) -> bool:
        if each.digest not in self._known and each.whole():
            self._known.add(each.digest)
        return each.digest in self._known

    def _prune(self, keep: int) -> None:
        """What is not whole is no reason to delete an older one that is. What killed writers left goes too."""
        kept = 0
        for each in self.all():
            if kept < keep and self._whole(each):
                kept += 1
            else:
                each.path.unlink(missing_ok=True)
        for left in self.folder.glob(f"*{_PARTIAL}"):
            left.unlink(missing_ok=True)
