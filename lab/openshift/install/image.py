"""The install image: a small ISO 9660 volume whose one file holds what a booting host needs.

The real agent ISO carries an operating system and, in `ignition.img`, the cluster's configuration and certificates.
Here only the second part matters; layout after ECMA-119 (volume descriptors from sector 16, one root directory).
"""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path
from typing import Any

SECTOR = 2048
ROOT_SECTOR, FILE_SECTOR = 18, 19
FILE_NAME = b"IGNITION.IMG;1"
VOLUME = "AGENT-X86_64"


class ImageError(ValueError):
    """A file is not an install image of the lab."""


def _both(value: int) -> bytes:
    """A 32-bit number in both byte orders (ECMA-119 7.3.3)."""
    return struct.pack("<I", value) + struct.pack(">I", value)


def _entry(name: bytes, sector: int, size: int, directory: bool) -> bytes:
    """A directory record (ECMA-119 9.1)."""
    length = 33 + len(name) + (1 - len(name) % 2)
    head = struct.pack("BB", length, 0) + _both(sector) + _both(size)
    when = bytes(7)
    tail = struct.pack("BBB", 2 if directory else 0, 0, 0) + struct.pack("<H", 1) + struct.pack(">H", 1)
    return (head + when + tail + struct.pack("B", len(name)) + name).ljust(length, b"\0")


def _descriptor(sectors: int) -> bytes:
    """The primary volume descriptor (ECMA-119 8.4), path tables left empty."""
    text = b"\x01CD001\x01\0" + b"LINUX".ljust(32) + VOLUME.encode().ljust(32) + bytes(8) + _both(sectors) + bytes(32)
    sizes = struct.pack("<H", 1) + struct.pack(">H", 1)
    text += sizes + sizes + struct.pack("<H", SECTOR) + struct.pack(">H", SECTOR) + _both(0) + bytes(16)
    text += _entry(b"\0", ROOT_SECTOR, SECTOR, directory=True)
    return text.ljust(SECTOR, b"\0")


def write(path: Path, content: dict[str, Any]) -> None:
    """Write an image that carries `content` (JSON-able)."""
    payload = gzip.compress(json.dumps(content, sort_keys=True).encode(), mtime=0)
    root = (
        _entry(b"\0", ROOT_SECTOR, SECTOR, directory=True)
        + _entry(b"\x01", ROOT_SECTOR, SECTOR, directory=True)
        + _entry(FILE_NAME, FILE_SECTOR, len(payload), directory=False)
    )
    padded = payload.ljust(-(-len(payload) // SECTOR) * SECTOR, b"\0")
    end = b"\xffCD001\x01".ljust(SECTOR, b"\0")
    sectors = FILE_SECTOR + len(padded) // SECTOR
    # The content holds the cluster's signing keys: owner only.
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_bytes(bytes(16 * SECTOR) + _descriptor(sectors) + end + root.ljust(SECTOR, b"\0") + padded)


def read(path: Path) -> dict[str, Any]:
    """The content of the image at `path`. Raises ImageError for anything else, a truncated image included."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise ImageError(f"{path}: {problem}") from problem
    if data[16 * SECTOR + 1 : 16 * SECTOR + 6] != b"CD001":
        raise ImageError(f"{path} is not an ISO 9660 volume")
    root = data[ROOT_SECTOR * SECTOR : (ROOT_SECTOR + 1) * SECTOR]
    place = root.find(FILE_NAME)
    if place < 33:
        raise ImageError(f"{path} carries no install configuration")
    record = root[place - 33 :]
    sector, size = struct.unpack_from("<I", record, 2)[0], struct.unpack_from("<I", record, 10)[0]
    try:
        content: dict[str, Any] = json.loads(gzip.decompress(data[sector * SECTOR : sector * SECTOR + size]))
    except (OSError, EOFError, ValueError) as problem:
        raise ImageError(f"{path} is damaged: {problem}") from problem
    return content
