"""What a killed command leaves in a backend that is a folder: locks, and an attributes file that was never written.

The layout is Pulumi's: `.pulumi/stacks/<project>/<stack>.json` with `….json.attrs` beside it, and
`.pulumi/locks/organization/<project>/<stack>/<id>.json` per command that holds the stack.
"""

import json
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


def address(environ: Mapping[str, str], folder: Path) -> str:
    """The backend of a shell's commands in a folder, in Pulumi's own order; empty where none is chosen."""
    if given := environ.get("PULUMI_BACKEND_URL"):
        return given
    if chosen := of_project(folder):
        return chosen
    home = (
        environ.get("PULUMI_CREDENTIALS_PATH")
        or environ.get("PULUMI_HOME")
        or Path(environ.get("HOME", "~")).expanduser() / ".pulumi"
    )
    try:
        known = json.loads((Path(home) / "credentials.json").read_text(encoding="utf-8"))
        return str(known.get("current") or "")
    except (OSError, ValueError, AttributeError):
        return ""


def of_project(folder: Path) -> str:
    """The backend that a project's own file names; empty where it names none."""
    return next((str(url) for each in _projects(folder) if (url := (each.get("backend") or {}).get("url"))), "")


def without_attributes(url: str) -> str:
    """A backend that is a folder, in which no attributes files are written: a killed command can leave one empty."""
    if "metadata=" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}metadata=skip"


@dataclass(frozen=True)
class Lock:
    """Who holds a stack, in words for people; `alive` if that process runs on this machine."""

    holder: str
    alive: bool


@dataclass(frozen=True)
class FileBackend:
    """A backend in a folder, seen from one project."""

    folder: Path
    project: str

    @classmethod
    def of(cls, url: str, project_folder: Path) -> "FileBackend | None":
        """The backend behind an address and the project around a folder; None for another kind or no project."""
        project = next((str(each.get("name", "")) for each in _projects(project_folder)), "")
        if not url.startswith("file://") or not project:
            return None
        return cls(Path(url.removeprefix("file://").partition("?")[0]).expanduser(), project)

    @classmethod
    def current(cls) -> "FileBackend | None":
        """That of this shell in this folder."""
        return cls.of(address(os.environ, Path.cwd()), Path.cwd())

    def empty_attributes(self, stack: str) -> list[Path]:
        """Attributes files of no byte beside a stack's state and its backup; of every stack where none is named."""
        states = self.folder / ".pulumi" / "stacks" / self.project
        found = [path for end in ("json", "json.gz") for path in states.glob(f"{stack or '*'}.{end}*.attrs")]
        return sorted(path for path in found if path.stat().st_size == 0)

    def locks(self, stack: str) -> list[Lock]:
        """Commands that hold the stack, or never let go of it."""
        folder = self.folder / ".pulumi" / "locks" / "organization" / self.project / stack
        return [_lock(path) for path in sorted(folder.glob("*.json"))] if stack else []


def _projects(folder: Path) -> Iterator[Mapping[str, Any]]:
    for above in (folder, *folder.parents):
        for name in ("Pulumi.yaml", "Pulumi.yml"):
            if (above / name).is_file():
                yield yaml.safe_load((above / name).read_text(encoding="utf-8")) or {}


def _lock(path: Path) -> Lock:
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        pid, host = int(entry["pid"]), str(entry["hostname"])
    except (OSError, ValueError, TypeError, KeyError):
        return Lock("a command that was cut off while it took the lock", alive=False)
    holder = f"{entry.get('username')} on {host}, process {pid}, since {entry.get('timestamp')}"
    return Lock(holder, host == platform.node() and _runs(pid))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
