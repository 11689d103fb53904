"""Firmware images of a site: fetched from its web server and compared with the approved checksum before they are used.

They are gigabytes: kept in a temporary file, read in pieces.
"""

from __future__ import annotations

import hashlib
import io
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import urlsplit

import urllib3

from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import Reach

PIECE = 1 << 20
MOST_BYTES = 16 << 30
"""Of one image; bundles of a machine with a GPU baseboard have some two gigabytes."""
SECONDS = 3600.0
"""For one image, all of it."""
SILENCE = urllib3.Timeout(connect=10, read=60)
PORTS = {"http": 80, "https": 443}


@contextmanager
def approved(name: str, given: Mapping[str, Any], reach: Reach) -> Iterator[IO[bytes]]:
    """The image as a file. Raises ProviderError for one that cannot be had, and for another than the approved one."""
    url = str(given["url"])
    with tempfile.TemporaryFile(prefix="podwright-firmware-") as file:
        try:
            digest = _fetch(url, file, reach)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as failed:
            raise ProviderError(f"{name}: {url} cannot be fetched: {failed}; nothing was sent") from None
        if digest != given["sha256"]:
            raise ProviderError(
                f"{name}: {url} has SHA-256 {digest}, approved is {given['sha256']}; nothing was sent. Publish the "
                "approved image there, or have the new one approved in bmc.firmware.approved"
            )
        file.seek(0)
        yield file


def _fetch(url: str, file: IO[bytes], reach: Reach) -> str:
    """Write what is at `url` into `file`; its SHA-256. Raises ValueError and what urllib3 raises."""
    parts = urlsplit(url)
    host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
    dialled = reach.endpoint(host, port)
    digest, size, end = hashlib.sha256(), 0, time.monotonic() + SECONDS
    with _pool(parts.scheme, host, dialled, reach) as pool:
        place = parts._replace(scheme="", netloc="").geturl()
        reply = pool.urlopen(
            "GET", place, headers={"Host": parts.netloc}, retries=False, redirect=False, preload_content=False
        )
        if reply.status != 200:
            raise ValueError(f"HTTP {reply.status}")
        for piece in reply.stream(PIECE, decode_content=False):
            size += len(piece)
            if size > MOST_BYTES:
                raise ValueError(f"more than {MOST_BYTES / 1e9:g} GB")
            if time.monotonic() > end:
                raise ValueError(f"not whole after {SECONDS / 60:g} minutes")
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def _pool(scheme: str, host: str, dialled: tuple[str, int], reach: Reach) -> urllib3.HTTPConnectionPool:
    if scheme == "http":
        return urllib3.HTTPConnectionPool(*dialled, timeout=SILENCE)
    return urllib3.HTTPSConnectionPool(
        *dialled,
        timeout=SILENCE,
        assert_hostname=host,
        server_hostname=host,
        cert_reqs="CERT_REQUIRED",
        ca_certs=str(reach.ca) if reach.ca else None,
    )


class Form:
    """The body of a multipart push (DSP0266, "Software updates"): UpdateParameters, then the image as UpdateFile.

    Read in pieces, so that an image is never in memory as a whole.
    """

    def __init__(self, parameters: str, file: IO[bytes]) -> None:
        border = uuid.uuid4().hex
        self.content_type = f"multipart/form-data; boundary={border}"
        head = (
            f'--{border}\r\nContent-Disposition: form-data; name="UpdateParameters"\r\n'
            f"Content-Type: application/json\r\n\r\n{parameters}\r\n--{border}\r\n"
            'Content-Disposition: form-data; name="UpdateFile"; filename="image.bin"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        self._parts = [io.BytesIO(head.encode()), file, io.BytesIO(f"\r\n--{border}--\r\n".encode())]
        self._size = 0
        for each in self._parts:
            self._size += each.seek(0, io.SEEK_END)
            each.seek(0)

    def __len__(self) -> int:
        return self._size

    def read(self, most: int = -1) -> bytes:
        """Up to so many bytes; none at the end."""
        for part in self._parts:
            if piece := part.read(most if most >= 0 else PIECE):
                return piece
        return b""
