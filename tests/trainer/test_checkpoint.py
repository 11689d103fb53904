"""Checkpoints of the reference trainer: whoever is killed at whatever call, the newest whole one is started from."""

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainer.files import module

checkpoint = module("checkpoint")


class Killed(BaseException):
    """The process is gone: nothing of it runs any more, no clean-up either."""


class Machine:
    """Calls of a writer that reach the system; it is killed at one of them, or its machine loses power there."""

    def __init__(self, at: int) -> None:
        self.at, self.calls = at, 0
        self.gone = False
        self.on_disk: dict[str, int] = {}
        """By name, how many bytes have been brought to disk."""
        self.unsettled: list[tuple[Path, Path]] = []
        """Renames that no folder has been brought to disk for."""

    def call(self) -> None:
        if self.gone or self.calls == self.at:
            self.gone = True
            raise Killed
        self.calls += 1

    @contextmanager
    def running(self) -> Iterator[None]:
        replace, unlink = os.replace, Path.unlink

        def renamed(old: Path, new: Path) -> None:
            self.call()
            replace(old, new)
            self.on_disk[new.name] = self.on_disk.pop(old.name, 0)
            self.unsettled.append((old, new))

        def synced(number: int) -> None:
            self.call()
            path = Path(f"/proc/self/fd/{number}").readlink()
            if path.is_dir():
                self.unsettled.clear()
            else:
                self.on_disk[path.name] = path.stat().st_size

        def removed(path: Path, missing_ok: bool = False) -> None:
            self.call()
            unlink(path, missing_ok=missing_ok)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "replace", renamed)
            patch.setattr(os, "fsync", synced)
            patch.setattr(Path, "unlink", removed)
            with suppress(Killed):
                yield

    def power_lost(self, folder: Path, choice: random.Random) -> None:
        """What was not brought to disk may be there, in part or not at all."""
        for old, new in self.unsettled:
            if new.exists() and choice.random() < 0.5:
                new.rename(old)
                self.on_disk[old.name] = self.on_disk.pop(new.name, 0)
        for path in folder.iterdir():
            size, kept = path.stat().st_size, self.on_disk.get(path.name, path.stat().st_size)
            if kept < size:
                os.truncate(path, choice.randint(kept, size))


def writing(machine: Machine, content: bytes) -> Callable[[BinaryIO], None]:
    """What writes in pieces, each of which it may be killed at."""

    def write(file: BinaryIO) -> None:
        for start in range(0, len(content), 1000):
            machine.call()
            file.write(content[start : start + 1000])

    return write


def content(step: int) -> bytes:
    return random.Random(step).randbytes(3500)


def saved(folder: Path, steps: int, keep: int, machine: Machine) -> list[int]:
    """Steps whose save returned before the writer was gone."""
    done: list[int] = []
    with machine.running():
        files = checkpoint.Checkpoints(folder)
        for step in range(1, steps + 1):
            files.save(step, writing(machine, content(step)), keep)
            done.append(step)
    return done


def calls(keep: int) -> int:
    """How many calls four saves make."""
    machine = Machine(-1)
    with tempfile.TemporaryDirectory() as folder:
        assert saved(Path(folder), 4, keep, machine) == [1, 2, 3, 4]
    return machine.calls


@pytest.mark.parametrize("keep", [1, 2])
@pytest.mark.parametrize("power", [False, True])
def test_whatever_call_a_writer_is_killed_at_the_newest_whole_one_is_found(
    tmp_path: Path, keep: int, power: bool
) -> None:
    every = calls(keep)
    assert every >= 28
    for at in range(every):
        folder, machine = tmp_path / str(at), Machine(at)
        done = saved(folder, 4, keep, machine)
        if power and folder.exists():
            machine.power_lost(folder, random.Random(at))
        found = checkpoint.Checkpoints(folder).newest()
        assert (found.step if found else 0) in (len(done), len(done) + 1), at
        if found:
            assert found.path.read_bytes() == content(found.step)
        again = Machine(-1)
        assert saved(folder, 4, keep, again) == [1, 2, 3, 4]
        assert not list(folder.glob("*.partial"))
        assert [each.step for each in checkpoint.Checkpoints(folder).all()] == [4, 3][:keep]


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_file_that_is_cut_short_or_damaged_is_never_taken(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    assert saved(folder, 5, 9, Machine(-1)) == [1, 2, 3, 4, 5]
    spoiled = data.draw(st.sets(st.integers(1, 5)))
    for each in checkpoint.Checkpoints(folder).all():
        if each.step in spoiled:
            raw = bytearray(each.path.read_bytes())
            if data.draw(st.booleans()):
                raw = raw[: data.draw(st.integers(0, len(raw) - 1))]
            else:
                raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
            each.path.write_bytes(raw)
    whole = {1, 2, 3, 4, 5} - spoiled
    found = checkpoint.Checkpoints(folder).newest()
    assert (found.step if found else None) == max(whole, default=None)
    # A fresh writer keeps whole ones alone, however new the others are.
    files = checkpoint.Checkpoints(folder)
    files.save(6, lambda file: file.write(content(6)), 2)
    assert [each.step for each in files.all()] == sorted({6, *whole}, reverse=True)[:2]


def test_a_full_disk_leaves_what_was_saved_before(tmp_path: Path) -> None:
    files = checkpoint.Checkpoints(tmp_path)
    files.save(1, lambda file: file.write(content(1)), 3)

    def full(file: Any) -> None:
        file.write(content(2)[:100])
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        files.save(2, full, 3)
    assert [each.name for each in tmp_path.iterdir()] == [files.newest().path.name]
    assert files.newest().step == 1


def test_names_of_others_are_left_alone(tmp_path: Path) -> None:
    for name in ("step-1.pt", "notes.txt", "step-000000000009.abc.pt"):
        (tmp_path / name).write_text("")
    files = checkpoint.Checkpoints(tmp_path)
    assert files.newest() is None
    files.save(1, lambda file: file.write(content(1)), 1)
    assert len(list(tmp_path.iterdir())) == 4


def test_a_damaged_newest_one_is_passed_over(tmp_path: Path) -> None:
    assert saved(tmp_path, 3, 3, Machine(-1)) == [1, 2, 3]
    checkpoint.Checkpoints(tmp_path).all()[0].path.write_bytes(content(3)[:-1])
    assert checkpoint.Checkpoints(tmp_path).newest().step == 2
