"""Official release archives, where a person lets the set-up fetch them: minutes instead of a source build.

PODWRIGHT_ARCHIVES says from where: `official` for the addresses below, or the address of a mirror that serves them
under `<mirror>/<host>/<path>`. Not set, nothing is dialled. What arrives must have the SHA-256 of the checksum file
published beside it. A host that refuses or does not answer is asked once in a run; then the program is built.

The addresses follow the naming of each project's releases; one that is not there means a build, too.
"""

import hashlib
import io
import platform
import sys
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request

from podwright.toolchain.binaries import Binary
from podwright.toolchain.errors import SetupError
from podwright.toolchain.keys import binary_key
from podwright.toolchain.store import Store

VARIABLE = "PODWRIGHT_ARCHIVES"
OFFICIAL = "official"
TIMEOUT_S = 2.0
"""Seconds for a connection, and for each piece of an answer."""
WHOLE_S = 600.0
"""Seconds for a whole archive: longer than that, the longest build is quicker."""
MOST_BYTES = 500_000_000
"""Of one archive; the largest has some 120 MB."""

_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_GITHUB = "https://github.com"
_PULUMI = f"{_GITHUB}/pulumi/pulumi/releases/download/v3.259.0"
_KUBERNETES = "https://dl.k8s.io/v1.36.3/bin/linux"
_ETCD = f"{_GITHUB}/etcd-io/etcd/releases/download/v3.6.10"


class _Secure(urllib.request.HTTPRedirectHandler):
    """Follows a server's redirects, but not out of TLS: a checksum that anybody can exchange proves nothing."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        if urlsplit(req.full_url).scheme == "https" and urlsplit(newurl).scheme != "https":
            raise OSError(f"it leads from https to {urlsplit(newurl).scheme}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


_opener = urllib.request.build_opener(_Secure)


@dataclass(frozen=True)
class Archive:
    """Address of a program's archive and of the checksum file that names it; `{machine}` is amd64 or arm64."""

    url: str
    checksums: str


def _plugin(name: str, release: str) -> Archive:
    base = f"{_GITHUB}/pulumi/pulumi-{name}/releases/download/v{release}"
    archive = f"{base}/pulumi-resource-{name}-v{release}-linux-{{machine}}.tar.gz"
    return Archive(archive, f"{base}/pulumi-{name}_{release}_checksums.txt")


_CLI = Archive(f"{_PULUMI}/pulumi-v3.259.0-linux-{{x64}}.tar.gz", f"{_PULUMI}/pulumi-3.259.0-checksums.txt")
ARCHIVES: dict[str, Archive] = {
    "pulumi": _CLI,
    "pulumi-language-python": _CLI,
    "pulumi-language-yaml": _CLI,
    "pulumi-resource-command": _plugin("command", "0.9.2"),
    "pulumi-resource-kubernetes": _plugin("kubernetes", "4.25.0"),
    **{
        name: Archive(f"{_KUBERNETES}/{{machine}}/{name}", f"{_KUBERNETES}/{{machine}}/{name}.sha256")
        for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
    },
    **{
        name: Archive(f"{_ETCD}/etcd-v3.6.10-linux-{{machine}}.tar.gz", f"{_ETCD}/SHA256SUMS")
        for name in ("etcd", "etcdutl")
    },
}
"""kwok is built: no checksum file of its releases is known, and building it takes 15 s."""


class _NotThere(Exception):  # noqa: N818 -- an answer, not an error
    """The archive cannot be had from here."""


@dataclass
class Archives:
    """Where archives come from in one run, what was fetched, and which hosts did not answer."""

    source: str
    store: Store
    silent: set[str] = field(default_factory=set)
    _fetched: dict[str, bytes] = field(default_factory=dict)

    def provide(self, binary: Binary) -> bool:
        """Put the program into the store from its archive; False if it has to be built.

        Raises SetupError if an archive is not what its checksum file says.
        """
        archive, machine = ARCHIVES.get(binary.name), _MACHINES.get(platform.machine())
        if not self.source or archive is None or machine is None or platform.system() != "Linux":
            return False
        words = {"machine": machine, "x64": "x64" if machine == "amd64" else machine}
        url = archive.url.format(**words)
        try:
            published = self._get(archive.checksums.format(**words)).decode()
            data = self._get(url)
            _check(url, data, published)

            def fill(folder: Path) -> None:
                for name in (binary.name, *(companion.name for companion in binary.companions)):
                    (folder / name).write_bytes(_member(url, data, name))
                    (folder / name).chmod(0o755)

            self.store.add(binary.name, binary_key(binary), fill)
        except _NotThere:
            return False
        return True

    def _get(self, url: str) -> bytes:
        if url not in self._fetched:
            self._fetched[url] = self._download(url)
        return self._fetched[url]

    def _download(self, url: str) -> bytes:
        parts = urlsplit(url)
        if self.source != OFFICIAL:
            url = f"{self.source.rstrip('/')}/{parts.netloc}{parts.path}"
        host = urlsplit(url).netloc
        if host in self.silent:
            raise _NotThere
        try:
            with _opener.open(url, timeout=TIMEOUT_S) as reply:
                data = _whole(reply)
        except urllib.error.HTTPError as answer:
            raise _NotThere from answer
        except (TimeoutError, OSError, ValueError) as problem:
            self.silent.add(host)
            sys.stderr.write(f"{host} serves no archives ({problem}): programs are built instead\n")
            raise _NotThere from problem
        return data


def archives(environ: Mapping[str, str], store: Store) -> Archives:
    """The archives that a person lets this set-up fetch."""
    source = environ.get(VARIABLE, "")
    if source and source != OFFICIAL and not source.startswith(("http://", "https://")):
        raise SetupError(
            f"{VARIABLE} is {source!r}",
            f"write `{OFFICIAL}`, or the address of a mirror: {VARIABLE}=https://mirror/path",
        )
    return Archives(source, store)


def _whole(reply: Any) -> bytes:
    """All of an answer. Raises OSError for one that does not end."""
    found, until = bytearray(), time.monotonic() + WHOLE_S
    while piece := reply.read1(1 << 20):
        found += piece
        if len(found) > MOST_BYTES or time.monotonic() > until:
            raise OSError("it sends more than an archive, or takes longer than a build")
    return bytes(found)


def _check(url: str, data: bytes, published: str) -> None:
    name, found = url.rpartition("/")[2], hashlib.sha256(data).hexdigest()
    lines = [line.split() for line in published.splitlines() if line.strip()]
    # dl.k8s.io publishes the bare sum of one file, the others `<sum>  <file>` lines.
    sums = {words[0] for words in lines if len(words) == 1 or words[-1].lstrip("*./") == name}
    if not sums:
        raise _NotThere
    if found not in sums:
        raise SetupError(
            f"{name} arrived with SHA-256 {found}, its checksum file says {', '.join(sorted(sums))}",
            f"do not use it: {VARIABLE} leads to a server that hands out something else than was released; ask its "
            f"owner, or unset {VARIABLE} to build from source",
        )


def _member(url: str, data: bytes, name: str) -> bytes:
    if not url.endswith(".tar.gz"):
        return data
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        for member in opened.getmembers():
            if member.isfile() and member.name.rpartition("/")[2] == name and (file := opened.extractfile(member)):
                return file.read()
    raise _NotThere
