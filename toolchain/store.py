"""Finished results in the cache: whole or absent, never half-written.

An entry is a folder `store/<name>-<key>/` with its files, `stamp.json` (sizes) and `stamp.sha256` (sums). It is
filled under `tmp/` and moved into place by one rename. A file whose size no longer agrees with the stamp (a full disk,
a hand that meddled) makes the entry absent; its content is checked by every set-up.
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from podwright.toolchain.errors import SetupError

STAMP = "stamp.json"
SUMS = "stamp.sha256"
"""As `sha256sum` writes and checks it."""


class Store:
    """Entries below one cache root."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def entry(self, name: str, key: str) -> Path:
        """Folder of an entry, whether it is there or not."""
        return self.root / "store" / f"{name}-{key}"

    def whole(self, name: str, key: str) -> bool:
        """True if the entry is there and every file has the size it was finished with."""
        entry = self.entry(name, key)
        try:
            sizes: dict[str, int] = json.loads((entry / STAMP).read_text())
            return all((entry / file).stat().st_size == size for file, size in sizes.items())
        except (OSError, ValueError, AttributeError):
            return False

    def check(self, name: str, key: str) -> bool:
        """Read every file of an entry that is whole; False if one is not what was finished, and the entry is damaged.

        An entry from before sums were recorded gets them now.
        """
        entry = self.entry(name, key)
        now = _sums(entry)
        if not (entry / SUMS).exists():
            with contextlib.suppress(OSError):  # a cache that is read only stays as it is
                _write(entry / SUMS, now)
            return True
        if now == (entry / SUMS).read_text():
            return True
        (entry / STAMP).unlink(missing_ok=True)
        return False

    def damaged(self, name: str, key: str) -> bool:
        """True if something lies at the entry's place that is not whole."""
        return self.entry(name, key).exists() and not self.whole(name, key)

    def scratch(self, name: str) -> Path:
        """A fresh folder on the cache's file system, for work in progress."""
        try:
            (self.root / "tmp").mkdir(parents=True, exist_ok=True)
            return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.root / "tmp"))
        except OSError as problem:
            raise SetupError(
                f"the cache folder {self.root} cannot be written: {problem.strerror}",
                "make it writable, or name another folder in PODWRIGHT_CACHE",
            ) from problem

    def add(self, name: str, key: str, fill: Callable[[Path], None]) -> Path:
        """Let `fill` write files into a scratch folder, then move it into place at once."""
        scratch = self.scratch(name)
        try:
            fill(scratch)
            sizes = {
                str(file.relative_to(scratch)): file.stat().st_size
                for file in sorted(scratch.rglob("*"))
                if file.is_file()
            }
            _write(scratch / SUMS, _sums(scratch))
            _write(scratch / STAMP, json.dumps(sizes, indent=1) + "\n")
            return self._place(scratch, self.entry(name, key))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _place(self, scratch: Path, entry: Path) -> Path:
        entry.parent.mkdir(parents=True, exist_ok=True)
        if entry.exists():
            # Moved aside first: a rename onto a filled folder is refused, and a reader must
            # see either the old one or the new one.
            doomed = self.scratch("damaged")
            entry.replace(doomed)
            shutil.rmtree(doomed, ignore_errors=True)
        scratch.chmod(0o755)  # mkdtemp makes it private; a cache may serve several accounts
        scratch.replace(entry)
        return entry

    def sweep(self) -> None:
        """Remove what killed set-ups left under tmp/. Only for the holder of the programs' lock."""
        shutil.rmtree(self.root / "tmp", ignore_errors=True)


def _sums(entry: Path) -> str:
    """A line for every file of an entry, but those that record what it is."""
    lines = []
    for file in sorted(entry.rglob("*")):
        if file.is_file() and file.name not in (STAMP, SUMS):
            with file.open("rb") as opened:
                found = hashlib.file_digest(opened, "sha256").hexdigest()
            lines.append(f"{found}  {file.relative_to(entry)}\n")
    return "".join(lines)


def _write(file: Path, text: str) -> None:
    """In one step: another set-up may be reading."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.write_text(text)
    fresh.replace(file)


def link(source: Path, target: Path, *, symbolic: bool = False) -> None:
    """Make `target` another name of `source`, replacing what is there in one step."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".link-") as folder:
        fresh = Path(folder) / target.name
        if symbolic:
            fresh.symlink_to(source)
        else:
            os.link(source, fresh)
        fresh.replace(target)
