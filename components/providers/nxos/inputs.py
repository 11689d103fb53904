"""The shape of a switch's inputs: everything wrong with them, with paths, before any switch is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from podwright.components.providers.nxos.read.blocks import IndentError, parse_lines
from podwright.components.providers.nxos.read.spelling import header, is_interface, slot
from podwright.components.providers.nxos.secret_lines import misplaced
from podwright.components.providers.nxos.write.breakout import cage
from podwright.components.providers.nxos.write.ownership import ALIAS, is_identity
from podwright.components.providers.nxos.write.writer_lock import WRITER
from podwright.components.providers.protocol.kind import Failure

ROLES: Final = ("leaf", "spine", "frontend-leaf", "storage-leaf")
_HOSTNAME: Final = re.compile(r"^[A-Za-z0-9][A-Za-z0-9-]{0,62}$")
_NOT_CONFIGURATION: Final = re.compile(
    r"^(exit|end|configure|copy|write|reload|rollback|checkpoint|no checkpoint|delete|clear|debug|install all|show|"
    r"run|run-script|bash|guestshell|python|python3|tclsh|terminal|default)(?=\s|$)"
)
"""Exec commands: NX-OS runs them from configuration mode too, and an owned block must never do more than configure."""
_TEXTS: Final = ("hostname", "management", "model", "release", "credential")
_KNOWN: Final = frozenset(
    {*_TEXTS, "serial", "schema", "role", "generation", "config", "links", "lossless", "adopt", "moved_from", "archive"}
)


def switch_failures(spec: Any) -> list[Failure]:
    """Everything wrong with `spec`; its schema number is checked before."""
    if not isinstance(spec, Mapping):
        return [Failure(("spec",), "must be a map")]
    return list(_fields(spec)) + list(_config(spec.get("config"))) + list(_links(spec.get("links", {})))


def _fields(spec: Mapping[str, Any]) -> Iterator[Failure]:
    for key in sorted(set(spec) - _KNOWN):
        yield Failure(("spec", key), f"is not a field of a switch; known are {', '.join(sorted(_KNOWN))}")
    for key in _TEXTS:
        if not isinstance(spec.get(key), str) or not spec[key]:
            yield Failure(("spec", key), "must be a text that is not empty")
    if isinstance(spec.get("hostname"), str) and not _HOSTNAME.match(spec["hostname"]):
        yield Failure(("spec", "hostname"), "must be letters, digits and hyphens, 63 at most")
    for key, good, sentence in _RULES:
        if not good(spec.get(key)):
            yield Failure(("spec", key), sentence)


_RULES: Final[tuple[tuple[str, Callable[[Any], bool], str], ...]] = (
    ("role", lambda v: v in ROLES, f"must be one of {', '.join(ROLES)}"),
    ("generation", lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= 0, "must be a number from 0 up"),
    ("serial", lambda v: v is None or (isinstance(v, str) and v != ""), "must be a serial number, or left out"),
    ("archive", lambda v: v is None or (isinstance(v, int) and v is not True and v > 0), "must be a number from 1 up"),
    ("adopt", lambda v: v is None or isinstance(v, bool), "must be true or false"),
    ("moved_from", lambda v: v is None or is_identity(v), "must be the stack that wrote the mark: project/stack"),
    ("lossless", lambda v: v is None or isinstance(v, Mapping), "must be a map, or null where nothing is lossless"),
)


def _links(links: Any) -> Iterator[Failure]:
    if not isinstance(links, Mapping):
        yield Failure(("spec", "links"), "must map ports to what they are cabled to")
        return
    for port, link in links.items():
        if not isinstance(link, Mapping) or not {"device", "port", "role"} <= set(link):
            yield Failure(("spec", "links", port), "must hold device, port and role")


def _config(config: Any) -> Iterator[Failure]:
    if not isinstance(config, Mapping):
        yield Failure(("spec", "config"), "must map top-level lines to the lines below them")
        return
    lines: dict[str, str] = {}
    for name, text in config.items():
        path = ("spec", "config", name)
        if not isinstance(text, str):
            yield Failure(path, "must be a text: the lines below the top-level line")
            continue
        if (
            sentence := _bad_line(name)
            or _bad_name(name)
            or (name != name.strip() and "has blanks around it")
            or _bad_text(text)
            or _bad_secret(header(name), text)
        ):
            yield Failure(path, sentence)
            continue
        place = slot(header(name))
        if place in lines:
            yield Failure(path, f"says the same as {lines[place]!r}: a switch keeps one of them")
        lines[place] = name


def _bad_secret(name: str, text: str) -> str:
    lines = (("", name), *((name, line.strip()) for line in text.split("\n")))
    return next((f"{line!r} {sentence}" for top, line in lines if (sentence := misplaced(top, line))), "")


def _bad_line(line: str) -> str:
    text = line.strip(" ")
    if not text or not text.isprintable() or not text.isascii():
        return "must be one line of printable ASCII"
    if text.startswith(("!", "%")):
        return "is a comment or an answer, not a configuration line"
    if _NOT_CONFIGURATION.match(text):
        return f"{text.split()[0]!r} is a command that runs, not a line that stays in the configuration"
    if "?" in text:
        return "holds a question mark, which a switch's terminal takes as a call for help"
    for alias, what in ((ALIAS, "mark"), (WRITER, "sign that it writes")):
        if alias in text:
            return f"the alias {alias} is podwright's own {what}"
    return ""


def _bad_name(name: str) -> str:
    """Lines that the switch shows under another name than they were typed."""
    if re.match(r"^vlan\s+\S*[,-]", name):
        return "names several VLANs; a switch shows each by itself, so give each its own entry"
    if re.match(r"^interface breakout\b", name):
        one = cage(header(name))
        return "" if one else "is not the breakout of one port (interface breakout module 1 port 5 map 100g-4x)"
    if re.match(r"^int", name) and not is_interface(header(name)):
        return "is not the full name of one interface (Ethernet1/1, port-channel10, Vlan10, loopback0, nve1)"
    return ""


def _bad_text(text: str) -> str:
    for line in text.split("\n") if text else ():
        if sentence := _bad_line(line):
            return f"{line.strip()!r}: {sentence}"
    try:
        parse_lines(text)
    except IndentError as error:
        return str(error)
    return ""
