"""The lab's switch knows every shape of line that published configurations have in blocks of ours."""

import os
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from podwright.lab.nxos.configure import find
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.syntax import Failure, tokens
from podwright.lab.variants import VARIANTS
from tools.ground_truth import __main__ as command
from tools.ground_truth import captures, shapes
from tools.ground_truth.paste import REFUSED, console

PATHS = [tuple(line.split(" | ")) for line in command.SHAPES.read_text().splitlines()]
FOLDER = "PODWRIGHT_GROUND_TRUTH"
"""Names a folder of published configurations, whose digests stand in SHA256SUMS."""
FEATURES = (
    "bfd", "bgp", "eigrp", "interface-vlan", "lacp", "lldp", "nv overlay", "ospf", "pim", "vn-segment-vlan-based",
    "vpc",
)  # fmt: skip


@cache
def session(form: str) -> Session:
    """A switch of the published model and release with every feature on, and a vPC domain to name."""
    made = console("N9K-C9332D-GX2B", "10.4(5)", form)
    for line in ("nv overlay evpn", *(f"feature {name}" for name in FEATURES), "vpc domain 1"):
        assert not REFUSED.search(answer := made.run(line)), (line, answer)
    return made


def known(path: tuple[str, ...]) -> bool:
    """Whether a switch takes the last line of the path under the others."""
    return any(_taken(session(form), path) for form in VARIANTS["ports"].forms)


def _taken(switch: Session, path: tuple[str, ...]) -> bool:
    *above, last = path
    for headings in product(*(list(shapes.samples(each)) for each in above)):
        switch.run("end")
        switch.run("configure terminal")
        if any(REFUSED.search(switch.run(line)) for line in headings):
            continue
        place = switch.places[-1]
        if any(find(switch.device, place, tokens(line), Failure()) for line in shapes.samples(last)):
            return True
    return False


@pytest.mark.parametrize("path", PATHS, ids=" | ".join)
def test_the_lab_knows_the_shape(path: tuple[str, ...]) -> None:
    assert known(path)


@pytest.mark.parametrize("path", [("interface <port>", "ip speed <number>"), ("router bgp <number>", "cluster <name>")])
def test_it_does_not_know_just_anything(path: tuple[str, ...]) -> None:
    assert not known(path)


def test_a_shape_holds_no_value() -> None:
    words = frozenset(
        {"description", "ip", "address", "username", "password", "switchport", "trunk", "allowed", "vlan"}
    )
    assert shapes.shape("  ip address 192.0.2.1/31", words) == "ip address <prefix>"
    assert shapes.shape("username jane password 5 $5$abc", words) == "username <name> password <number> <name>"
    assert shapes.shape("  description to jane, rack 3", words) == "description <text>"
    assert shapes.shape("  switchport trunk allowed vlan 10,20-29", words) == "switchport trunk allowed vlan <list>"
    written = {word for path in PATHS for line in path for word in line.split()}
    numbered = {word for word in written if any(char.isdigit() for char in word)}
    assert numbered <= {"l2", "layer3", "ipv4", "ipv6", "dot1q", "l2vpn"}


def test_forms_of_ports_follow_from_what_a_text_shows(tmp_path: Path) -> None:
    def forms(*lines: str) -> tuple[str, ...]:
        (tmp_path / "switch.txt").write_text("\n".join(["!Command: show running-config", *lines]))
        (found,) = captures.read(tmp_path)
        return found.forms

    assert forms("interface Ethernet1/1", "  no switchport") == ("layer2-up", "layer2-shut")
    assert forms("interface Ethernet1/1", "  switchport", "  no shutdown") == ("routed-shut", "routed-up")
    assert forms("interface Ethernet1/1", "  switchport", "  shutdown") == ("routed-up",)
    assert forms("interface Ethernet1/1", "  ip address 192.0.2.1/31") == ("routed-shut", "routed-up")
    assert forms("interface Vlan10", "  no shutdown") == tuple(VARIANTS["ports"].forms)


def _published() -> Iterator[Path]:
    folder = Path(os.environ.get(FOLDER, ""))
    yield from sorted(folder.rglob("*.txt")) if os.environ.get(FOLDER) else ()


def test_published_texts_are_taken_whole_and_linted_clean(capsys: pytest.CaptureFixture[str]) -> None:
    if not list(_published()):
        pytest.skip(f"{FOLDER} names no folder with the files of tests/ground_truth/SHA256SUMS")
    assert command.main([os.environ[FOLDER]]) == 0, capsys.readouterr().out
    # Both backend leaves have 16 equal links to their spines, and the eight paths that OSPF uses by default.
    findings = [line for line in capsys.readouterr().out.splitlines() if line.startswith("lint ")]
    assert findings == ["lint fabric-equal-paths-used: 2 findings"]
    digests = {line.split()[0] for line in command.DIGESTS.read_text().splitlines()}
    assert digests <= {each.digest for each in captures.read(Path(os.environ[FOLDER]))}
