"""What a server of models finds in its container, and what a container ends with. No image is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from posixpath import normpath


class EndedError(Exception):
    """The server ends before it listens: its exit code, and the last of what it has written."""

    def __init__(self, code: int, log: str) -> None:
        super().__init__(log)
        self.code, self.log = code, log


@dataclass(frozen=True)
class Mounted:
    """A volume at a path: files by their path within it."""

    path: str
    files: MutableMapping[str, str]
    read_only: bool = False
    sub_path: str = ""

    def inner(self, path: str) -> str | None:
        """A path's place in the volume; empty for its root, None outside of it."""
        if path != self.path and not path.startswith(f"{self.path}/"):
            return None
        rest = path.removeprefix(self.path).strip("/")
        return "/".join(part for part in (self.sub_path, rest) if part)


@dataclass(frozen=True)
class Box:
    """One container: what it is started with and what it sees."""

    words: Sequence[str]
    """Its command and arguments, with variables put in."""
    env: Mapping[str, str]
    mounts: Sequence[Mounted] = ()
    gpus: int = 0
    """GPUs that a process in it sees; of MIG instances it sees one."""
    connected: bool = True
    """Whether there is a way to NVIDIA's catalogue."""
    wants_key: bool = True
    """Whether a NIM's download is for those alone who log in."""

    def _at(self, path: str) -> tuple[Mounted, str] | None:
        path = normpath(path)
        found = [(each, inner) for each in self.mounts if (inner := each.inner(path)) is not None]
        return max(found, key=lambda each: len(each[0].path), default=None)

    def has_folder(self, path: str) -> bool:
        """Whether there is a folder."""
        at = self._at(path)
        return at is not None and (not at[1] or any(name.startswith(f"{at[1]}/") for name in at[0].files))

    def folder(self, path: str) -> dict[str, bool]:
        """Names in a folder, and whether each is a folder itself."""
        at = self._at(path)
        if at is None:
            return {}
        start = f"{at[1]}/" if at[1] else ""
        rest = [name.removeprefix(start) for name in at[0].files if name.startswith(start)]
        return {name.partition("/")[0]: "/" in name for name in sorted(rest)}

    def read(self, path: str) -> str | None:
        """Text of a file."""
        at = self._at(path)
        return None if at is None else at[0].files.get(at[1])

    def write(self, path: str, text: str) -> bool:
        """Write a file; False where nothing of the container is writable there."""
        at = self._at(path)
        if at is None or at[0].read_only:
            return False
        at[0].files[at[1]] = text
        return True


@dataclass(frozen=True)
class Request:
    """A request for a server: header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Answer:
    """What a server answers."""

    status: int
    body: bytes = b""
    kind: str = "application/json"


@dataclass(frozen=True)
class Served:
    """A server that listens: what it answers, by port."""

    ports: Mapping[int, Callable[[Request], Answer]]
