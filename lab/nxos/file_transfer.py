"""Files over SSH: what `scp` and `sftp` read from the boot flash and write to it.

SCP needs `feature scp-server`, SFTP `feature sftp-server`; the role network-operator reads only.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import AsyncIterator

import asyncssh

from podwright.lab.nxos import bootflash
from podwright.lab.nxos.device import Device
from podwright.lab.nxos.kinds import KINDS, KindError

FOLDER = b"/bootflash"


class FileServer(asyncssh.SFTPServer):
    """The boot flash of one switch to one connection. All methods take and give bytes as the protocol has them."""

    def __init__(self, chan: asyncssh.SSHServerChannel[bytes], device: Device) -> None:
        super().__init__(chan)
        self._device = device
        self._user = str(chan.get_connection().get_extra_info("username", ""))
        self._feature = "sftp-server" if chan.get_subsystem() else "scp-server"

    def _name(self, path: bytes) -> str:
        """A file as the device spells it, from `bootflash:x`, `bootflash:/x`, `/bootflash/x` or `x`."""
        if not self._device.has_feature(self._feature):
            raise asyncssh.SFTPPermissionDenied(f"feature {self._feature} is not enabled")
        text = path.decode("utf-8", "replace").removeprefix("/bootflash/")
        try:
            return KINDS["file"](text.removeprefix("/"), "")
        except KindError:
            raise asyncssh.SFTPNoSuchFile(f"no file can be named {text}") from None

    def _folder(self, path: bytes) -> bool:
        return path.rstrip(b"/") in (b"", b".", FOLDER, b"bootflash:")

    def stat(self, path: bytes) -> asyncssh.SFTPAttrs:
        """Size and time of a file; the boot flash itself is a folder."""
        if self._folder(path):
            return asyncssh.SFTPAttrs(type=asyncssh.FILEXFER_TYPE_DIRECTORY, permissions=stat.S_IFDIR | 0o755)
        return self._attributes(self._name(path))

    lstat = stat

    def _attributes(self, name: str) -> asyncssh.SFTPAttrs:
        with self._device.lock:
            if name not in self._device.files:
                raise asyncssh.SFTPNoSuchFile("No such file or directory")
            written = int(self._device.files_written.get(name, self._device.clock.booted))
            size = len(bootflash.content(self._device, name))
        return asyncssh.SFTPAttrs(
            type=asyncssh.FILEXFER_TYPE_REGULAR, size=size, permissions=stat.S_IFREG | 0o644, atime=written,
            mtime=written,
        )  # fmt: skip

    async def scandir(self, path: bytes) -> AsyncIterator[asyncssh.SFTPName]:
        """The files of the boot flash."""
        if not self._folder(path):
            raise asyncssh.SFTPNoSuchFile("No such file or directory")
        for name in sorted(self._device.files):
            yield asyncssh.SFTPName(name.removeprefix(bootflash.PREFIX).encode(), attrs=self._attributes(name))

    def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> object:  # noqa: ARG002 - asyncssh's form
        """Start to read or write a file; what is written is there when the file is closed."""
        name, device = self._name(path), self._device
        with device.lock:
            if pflags & asyncssh.FXF_WRITE:
                user = device.root.get(f"username {self._user}")
                if user is None or user.values.get("role") == "network-operator":
                    raise asyncssh.SFTPPermissionDenied("Permission denied")
                return _Transfer(name, b"", writes=True)
            if name not in device.files:
                raise asyncssh.SFTPNoSuchFile("No such file or directory")
            return _Transfer(name, bootflash.content(device, name), writes=False)

    def fstat(self, file_obj: object) -> asyncssh.SFTPAttrs:
        """Size of an open file."""
        return asyncssh.SFTPAttrs(size=len(_open(file_obj).getvalue()), permissions=stat.S_IFREG | 0o644)

    def close(self, file_obj: object) -> None:
        """Keep what was written."""
        done = _open(file_obj)
        if done.writes:
            with self._device.lock:
                bootflash.store(self._device, done.name, done.getvalue())

    def setstat(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        """Times and rights that a client asks to preserve are not taken."""


class _Transfer(io.BytesIO):
    """One file that a client has open."""

    def __init__(self, name: str, data: bytes, writes: bool) -> None:
        super().__init__(data)
        self.name, self.writes = name, writes

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """As a file's; for the two questions about holes: there is none."""
        size = len(self.getvalue())
        if whence == os.SEEK_DATA and offset >= size:
            raise OSError(errno.ENXIO, "behind the end")
        if whence in (os.SEEK_DATA, os.SEEK_HOLE):
            return offset if whence == os.SEEK_DATA else size
        return super().seek(offset, whence)


def _open(file_obj: object) -> _Transfer:
    if not isinstance(file_obj, _Transfer):
        raise asyncssh.SFTPFailure("no file is open")
    return file_obj
