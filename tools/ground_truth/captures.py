"""What people published of their switches: a running configuration with the model and release it was taken from."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from podwright.lab.variants import VARIANTS

COMMAND: Final = "!Command: show running-config"
_MODEL = re.compile(r"^ *cisco Nexus9000 (?:C|N9K-C)(\S+) Chassis", re.MULTILINE)
_RELEASE = re.compile(r"^ *NXOS: version (\S+)|^version (\S+)", re.MULTILINE)
_NOT_CONFIGURATION = re.compile(r"^(?:\S+ is (?:up|down|administratively)\b|-{5,}|Software$|Capability Codes:|\S+# )")
"""Begins the output of another command in the same file."""
HIDDEN: Final = {
    "routed-shut": {"no switchport", "shutdown"},
    "layer2-up": {"switchport", "no shutdown"},
    "layer2-shut": {"switchport", "shutdown"},
    "routed-up": {"no switchport"},
}
"""What a port's block leaves out, by what its ports are by default."""
_ROUTED: Final = re.compile(r"(?:ip|ipv6) (?:address|router) ")
_LATEST: Final = 5_000_000
"""Bytes; a file beyond that is no configuration."""


@dataclass(frozen=True)
class Capture:
    """One running configuration."""

    path: Path
    digest: str
    """SHA-256 of the whole file."""
    model: str
    """As `N9K-C9332D-GX2B`; empty where the file does not give it."""
    release: str

    lines: tuple[str, ...]
    """The configuration, comments and empty lines left out."""

    @property
    def forms(self) -> tuple[str, ...]:
        """Forms of the lab's ports that agree with the text: a switch never shows what is so by default, and always
        what is not."""
        shown = {line for port in self._ports() for line in port}
        routed = any("no switchport" not in port and any(map(_ROUTED.match, port)) for port in self._ports())
        agreeing = (form for form in VARIANTS["ports"].forms if not shown & HIDDEN[form])
        return tuple(form for form in agreeing if not (routed and form.startswith("layer2")))

    def blocks(self) -> Iterator[list[str]]:
        """Each line at the margin with what stands under it."""
        block: list[str] = []
        for line in self.lines:
            if block and not line.startswith(" "):
                yield block
                block = []
            block.append(line)
        yield block

    def _ports(self) -> Iterator[list[str]]:
        for heading, *inside in self.blocks():
            if heading.startswith("interface Ethernet"):
                yield [line.strip() for line in inside]


def read(folder: Path) -> Iterator[Capture]:
    """Every file below the folder that holds a running configuration of NX-OS, by name."""
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and each.stat().st_size <= _LATEST):
        data = path.read_bytes()
        text = data.decode("utf-8", "replace")
        if COMMAND not in text:
            continue
        model, release = _MODEL.search(text), _RELEASE.search(text)
        yield Capture(
            path=path,
            digest=hashlib.sha256(data).hexdigest(),
            model=f"N9K-C{model[1]}" if model else "",
            release=next((each for each in release.groups() if each), "") if release else "",
            lines=tuple(_configuration(text[text.index(COMMAND) :])),
        )


def _configuration(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if _NOT_CONFIGURATION.match(line):
            return
        if line.strip() and not line.startswith("!"):
            yield line.rstrip()
