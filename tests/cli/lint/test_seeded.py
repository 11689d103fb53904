"""Every QoS, MTU and watchdog token of our own goldens, dropped or changed, is found at its line; renames are not.

A lost VLAN or BFD line is told where it is missed, and a found configuration leaves more of them open than a plan does:
`tests/design/fabric/test_mutants.py` holds the plan's gates to those.
"""

import re
from pathlib import Path

import pytest

from podwright.cli.lint.judge import judge, read
from tests.cli.lint.examples import capture
from tools.goldens import texts
from tools.mutants.tokens import mutants

SAMPLES = (("lab", "leaf-01"), ("lab", "spine-01"), ("prod", "leaf-03"), ("prod", "front-01"), ("evpn", "leaf-01"))
HARMLESS = (
    # What a mutant did, behind its block in brackets, and why nobody could or should find it.
    (re.compile(r"drop: bandwidth remaining percent 0$"), "a share of 0 is the default"),
    (re.compile(r"drop: class type queuing c-out-8q-q[12456]$"), "its line falls to the queue above, which has 0 too"),
    (re.compile(r"to: +class type queuing c-out-8q-q[2456]$"), "a share of 0 said twice, and one of 0 not said"),
    (re.compile(r"drop: set qos-group 0$"), "group 0 is where packets are that nobody moves"),
    (re.compile(r"^front-01 \[interface Ethernet1/(?!29\])\d+\] drop: mtu 9216$"), "a member takes its port-channel's"),
    (re.compile(r"^front-01 \[interface Ethernet1/29\] "), "faces a border router, whose configuration is not here"),
)


@pytest.mark.rough
@pytest.mark.parametrize(("example", "switch"), SAMPLES)
def test_every_token_counts(example: str, switch: str, tmp_path: Path) -> None:
    files = sorted(capture(example, tmp_path).iterdir())
    assert judge(read(files)) == [], "the golden itself is clean"
    path = tmp_path / f"{switch}.cfg"
    whole, survivors, misplaced, killed = path.read_text(), [], [], 0
    for mutant in (each for each in mutants(whole) if each.kind in ("QoS", "MTU")):
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
    for hostname, text in texts(example).items():
        (tmp_path / f"{hostname}.cfg".replace(old, new)).write_text(text.replace(old, new))
    assert [each.flaw.message for each in judge(read(sorted(tmp_path.iterdir())))] == []


@pytest.mark.parametrize("example", ["lab", "prod"])
def test_the_order_of_blocks_does_not_matter(example: str, tmp_path: Path) -> None:
    for hostname, text in texts(example).items():
        blocks = re.split(r"\n(?=\S)", text.rstrip("\n"))
        (tmp_path / f"{hostname}.cfg").write_text("\n".join(reversed(blocks)) + "\n")
    assert [each.flaw.message for each in judge(read(sorted(tmp_path.iterdir())))] == []


def test_the_order_of_classes_does(tmp_path: Path) -> None:
    """The first class that matches takes the packet."""
    text = texts("lab")["leaf-01"].replace("match dscp 48", "match dscp 24-48")
    path = tmp_path / "leaf-01.cfg"
    path.write_text(text)
    assert "fabric-pfc-on-every-hop" not in {each.rule.id for each in judge(read([path]))}
    first, second = "  class ROCEv2\n    set qos-group 3\n", "  class CNP\n    set qos-group 7\n"
    assert first + second in text
    path.write_text(text.replace(first + second, second + first))
    assert "fabric-pfc-on-every-hop" in {each.rule.id for each in judge(read([path]))}
