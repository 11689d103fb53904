"""Every QoS, MTU and watchdog token of our own goldens, dropped or changed, is found at its line; renames are not."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.lint.judge import judge, read
from tests.cli.lint.goldens import EXAMPLES, SAMPLES, shape
from tools.generated import ROOT

OURS = re.compile(
    r"^\s*(priority-flow-control|mtu |service-policy|random-detect|bandwidth |priority level|pause |set qos-group"
    r"|match dscp|class |class-map|policy-map|system qos)"
)
VALUE = re.compile(r"(?<![\w-])(\d+|on|ecn|kbytes)(?![\w-])|(?<=c-8q-nq)\d|(?<=c-out-8q-q)\d")


@dataclass(frozen=True)
class Mutant:
    """One golden with one token or line changed."""

    line: int
    text: str
    what: str
    parents: frozenset[int]
    """Lines it stands below: where a finding points when the line itself is gone."""


HARMLESS = (
    # What a mutant did, behind its block in brackets, and why nobody could or should find it.
    (re.compile(r"drop: bandwidth remaining percent 0$"), "a share of 0 is the default"),
    (re.compile(r"drop: class type queuing c-out-8q-q[12456]$"), "its line falls to the queue above, which has 0 too"),
    (re.compile(r"to: +class type queuing c-out-8q-q[2456]$"), "a share of 0 said twice, and one of 0 not said"),
    (re.compile(r"drop: set qos-group 0$"), "group 0 is where packets are that nobody moves"),
    (re.compile(r"^front-01 \[interface Ethernet1/(?!29\])\d+\] drop: mtu 9216$"), "a member takes its port-channel's"),
    (re.compile(r"^front-01 \[interface Ethernet1/29\] "), "faces a border router, whose configuration is not here"),
)


def mutants(path: Path) -> Iterator[Mutant]:
    """Every mutation of one file's own lines; of ports that look alike the first stands for all."""
    lines = path.read_text().splitlines()
    seen: set[str] = set()
    for at, line in enumerate(lines):
        if not OURS.match(line) or (kind := shape(lines, at)) in seen:
            continue
        seen.add(kind)
        parents = frozenset(_parents(lines, at))
        dropped = [*lines[:at], *lines[at + 1 :]]
        block = lines[min(parents) - 1] if parents else ""
        near = parents | frozenset(_users(lines, line)) | ({1} if not parents else set())
        yield Mutant(at + 1, "\n".join(dropped) + "\n", f"[{block}] drop: {line.strip()}", near)
        for found in VALUE.finditer(line):
            changed = line[: found.start()] + _other(found[0]) + line[found.end() :]
            yield Mutant(
                at + 1, "\n".join([*lines[:at], changed, *lines[at + 1 :]]) + "\n", f"[{block}] to: {changed}", parents
            )


def _other(token: str) -> str:
    words = {"on": "off", "ecn": "", "kbytes": "mbytes", "9216": "1500"}
    return words.get(token) or ("" if token in words else str(int(token) + 1))


def _parents(lines: list[str], at: int) -> Iterator[int]:
    """Numbers of the lines it stands below, and of what else changes place with it."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    for number in range(at, 0, -1):
        above = len(lines[number - 1]) - len(lines[number - 1].lstrip())
        if above < indent:
            yield number
            indent = above


def _users(lines: list[str], dropped: str) -> Iterator[int]:
    """Numbers of the lines that name the map whose first line is gone, in the file without that line."""
    words = dropped.split()
    if words[0] in ("class-map", "policy-map"):
        yield from (at if at > lines.index(dropped) else at + 1 for at, line in enumerate(lines) if words[-1] in line)


@pytest.mark.parametrize(("example", "switch"), SAMPLES)
def test_every_token_counts(example: str, switch: str, tmp_path: Path) -> None:
    for golden in sorted((EXAMPLES / example / "expected").glob("*.cfg")):
        (tmp_path / golden.name).write_text(golden.read_text())
    files = sorted(tmp_path.glob("*.cfg"))
    assert judge(read(files)) == [], "the golden itself is clean"
    path = tmp_path / f"{switch}.cfg"
    whole, survivors, misplaced, killed = path.read_text(), [], [], 0
    for mutant in mutants(path):
        path.write_text(mutant.text)
        found = judge(read(files))
        path.write_text(whole)
        places = {(each.path, each.line) for each in found} | {other for each in found for other in each.related}
        lines = {line for place, line in places if place == path}
        near = {mutant.line - 1, mutant.line, mutant.line + 1, *mutant.parents}
        if places and lines & near:
            killed += 1
        elif places:
            misplaced.append((mutant.line, mutant.what, sorted(lines)))
        elif not any(pattern.search(f"{switch} {mutant.what}") for pattern, _ in HARMLESS):
            survivors.append((mutant.line, mutant.what))
    assert survivors == []
    assert misplaced == []
    assert killed >= 10


RENAMES = (
    ("QOS_CLASSIFICATION", "in-sorter"), ("QOS_EGRESS_PORT", "out-queues"), ("qos_network", "nodrop"),
    ("ROCEv2", "gpu-traffic"), ("CNP", "notify"), ("match-any", "match-all"), ("leaf-01", "rack7-a"),
    ("description gpu", "description to gpu"), ("interface Ethernet", "interface eth"),
    ("match dscp 26", "match dscp af31"), ("  ", "    "),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new"), RENAMES)
@pytest.mark.parametrize("example", ["lab", "prod"])
def test_harmless_renames_pass(example: str, old: str, new: str, tmp_path: Path) -> None:
    for golden in (ROOT / "tests/examples" / example / "expected").glob("*.cfg"):
        (tmp_path / golden.name.replace(old, new)).write_text(golden.read_text().replace(old, new))
    assert [each.flaw.message for each in judge(read(sorted(tmp_path.iterdir())))] == []


@pytest.mark.parametrize("example", ["lab", "prod"])
def test_the_order_of_blocks_does_not_matter(example: str, tmp_path: Path) -> None:
    for golden in (ROOT / "tests/examples" / example / "expected").glob("*.cfg"):
        blocks = re.split(r"\n(?=\S)", golden.read_text().rstrip("\n"))
        (tmp_path / golden.name).write_text("\n".join(reversed(blocks)) + "\n")
    assert [each.flaw.message for each in judge(read(sorted(tmp_path.iterdir())))] == []


def test_the_order_of_classes_does(tmp_path: Path) -> None:
    """The first class that matches takes the packet."""
    golden = ROOT / "tests/examples/lab/expected/leaf-01.cfg"
    text = golden.read_text().replace("match dscp 48", "match dscp 24-48")
    path = tmp_path / "leaf-01.cfg"
    path.write_text(text)
    assert "fabric-pfc-on-every-hop" not in {each.rule.id for each in judge(read([path]))}
    first, second = "  class ROCEv2\n    set qos-group 3\n", "  class CNP\n    set qos-group 7\n"
    assert first + second in text
    path.write_text(text.replace(first + second, second + first))
    assert "fabric-pfc-on-every-hop" in {each.rule.id for each in judge(read([path]))}
