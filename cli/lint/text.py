"""What somebody saved from a switch as configuration lines with their places: captures hold much that is none."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from podwright.policies.rules.nexus import spelling

_ESCAPE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|[^\n]\x08|\x08|\x07")
_MORE: Final = re.compile(r"^\s*-+\s*more\s*-+\s*", re.IGNORECASE)
_PROMPT: Final = re.compile(r"^(?P<host>[A-Za-z][\w.-]{0,62})(?P<mode>\([\w/.-]+\))?[#>]\s?(?P<typed>.*)$")
_BANNER: Final = re.compile(r"^banner (?:motd|exec|login)\s+(\S.*)$", re.IGNORECASE)
_BEGIN: Final = re.compile(r"^-----BEGIN ([A-Z0-9 ]+)-----")
_CERTIFICATE: Final = re.compile(r"^certificate (?:self-signed|ca )?\s*[0-9A-F]{2,}$", re.IGNORECASE)
_JOB: Final = re.compile(r"^scheduler job name ")
_ENDS: Final = frozenset({"end", "configure terminal", "configure", "conf t", "config t", "conf"})
_SHOW: Final = re.compile(r"^sh(o|ow)?\s+(?P<what>\S.*)$", re.IGNORECASE)
_RUNNING: Final = re.compile(r"^(?:run|start)", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\s+!\s.*$")
_TABS: Final = 8


@dataclass(frozen=True)
class Raw:
    """One line of configuration: where it stands, how far it is indented, what it says."""

    number: int
    indent: int
    column: int
    text: str


@dataclass
class Capture:
    """A file taken apart: the configuration, and what the switch printed besides."""

    lines: list[Raw]
    prompts: list[str]
    """Hostnames of the prompts in it."""
    answers: list[tuple[str, list[str]]]
    """Output of other show commands: the command, its lines."""


class UnreadableError(Exception):
    """The file is no text; the message says so."""


def decoded(data: bytes) -> str:
    """The text of a file, whatever wrote it. Raises UnreadableError for what is no text."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\0" in data[:4096]:
        raise UnreadableError("is a binary file")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    odd = sum(not (char.isprintable() or char in "\r\n\t\b\x1b\x07\x0c") for char in text[:4096])
    if odd > len(text[:4096]) // 20:
        raise UnreadableError("is a binary file")
    return text


def source_lines(text: str) -> list[str]:
    """The lines of a file as an editor counts them."""
    return text.replace("\r\n", "\n").replace("\r", "").replace("\x0c", "").split("\n")


def capture(text: str) -> Capture:
    """Take a file apart. Nothing in it can make this fail."""
    found = Capture([], [], [])
    lines: list[str] | None = None
    for raw in _configuration(source_lines(text)):
        prompt = _PROMPT.match(raw.text) if raw.indent == 0 else None
        if prompt is None:
            if lines is None:
                found.lines.append(raw)
            else:
                lines.append(" " * raw.indent + raw.text)
            continue
        found.prompts.append(prompt["host"])
        typed = prompt["typed"].strip()
        show = _SHOW.match(typed)
        if show is not None:
            lines = None if _RUNNING.match(show["what"]) else []
            if lines is not None:
                found.answers.append((typed, lines))
        elif prompt["mode"] and typed:
            lines = None
            column = raw.column + prompt.start("typed")
            found.lines.append(Raw(raw.number, 0, column, typed))
    return found


def _configuration(lines: list[str]) -> Iterator[Raw]:
    """Lines that may be configuration: without banners, certificates, jobs, comments, pager marks."""
    until = ""
    for number, line in enumerate(lines, 1):
        clean = _MORE.sub("", _ESCAPE.sub("", line).replace("\u00a0", " ").expandtabs(_TABS)).rstrip()
        text = clean.strip()
        if until:
            until = "" if _closes(text, until) else until
            continue
        until = _opens(text)
        if until or not text or text[0] in "!%" or text.startswith(("```", "~~~")):
            continue
        indent = len(clean) - len(clean.lstrip())
        bare = text if spelling.free_text(f"{text} ") else _COMMENT.sub("", text)
        if bare.lower() not in _ENDS:
            yield Raw(number, indent, line.find(text[:8]) + 1 or indent + 1, bare)


def _opens(text: str) -> str:
    """What ends the block that a line opens and in which nothing is configuration; empty where it opens none."""
    if found := _BANNER.match(text):
        body = found[1]
        mark = body[:2] if body.startswith("^") and len(body) > 1 else body[0]
        return "" if mark in body[len(mark) :] else mark
    if found := _BEGIN.match(text):
        return f"-----END {found[1]}-----"
    if _CERTIFICATE.match(text):
        return "quit"
    return "end-job" if _JOB.match(text) else ""


def _closes(text: str, until: str) -> bool:
    return text == until if until in ("quit", "end-job") else until in text
