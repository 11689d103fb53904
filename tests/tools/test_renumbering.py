"""What a golden may leave out: another switch of the same role with its own numbers, and nothing else."""

import pytest

from tools import goldens
from tools.renumbering import difference, shape

LEAF = """hostname leaf-01
class type queuing c-out-8q-q3
  bandwidth remaining percent 90
interface Ethernet1/1
  description spine-01 Ethernet1/9
  switchport access vlan 100
  mtu 9216
  ip address 10.1.0.1/31
router bgp 64601
  neighbor 10.1.0.0
    remote-as 65001
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [("leaf-01", "leaf-12"), ("spine-01", "spine-a"), ("Ethernet1/9", "Ethernet1/10/2"), ("vlan 100", "vlan 107"),
     ("10.1.0.1/31", "10.1.2.15/31"), ("bgp 64601", "bgp 64602"), ("remote-as 65001", "remote-as 65002")],
)  # fmt: skip
def test_another_number_is_no_difference(old: str, new: str) -> None:
    assert shape(LEAF.replace(old, new)) == shape(LEAF)
    assert difference(LEAF, LEAF.replace(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("mtu 9216", "mtu 1500", ["@@ interface Ethernet1/1", "-  mtu 9216", "+  mtu 1500"]),
        (" remaining percent 90", " percent 80",
         ["@@ class type queuing c-out-8q-q3", "-  bandwidth remaining percent 90", "+  bandwidth percent 80"]),
        ("c-out-8q-q3", "c-out-4q-q3", ["-class type queuing c-out-8q-q3", "+class type queuing c-out-4q-q3"]),
        ("0.1/31", "0.1/30",
         ["@@ interface Ethernet1/1", "-  ip address 10.1.0.1/31", "+  ip address 10.1.0.1/30"]),
        ("  mtu 9216\n", "", ["@@ interface Ethernet1/1", "-  mtu 9216"]),
        ("0.0\n", "0.0\n    bfd\n", ["@@ router bgp 64601", "+    bfd"]),
    ],
)  # fmt: skip
def test_every_other_change_is_shown_below_its_block(old: str, new: str, shown: list[str]) -> None:
    changed = LEAF.replace(old, new)
    assert changed != LEAF
    assert difference(LEAF, changed) == shown


def test_renumbered_lines_around_a_change_are_left_out() -> None:
    other = LEAF.replace("-01", "-02").replace("10.1.0.", "10.1.8.").replace("mtu 9216", "mtu 1500")
    assert difference(LEAF, other) == ["@@ interface Ethernet1/1", "-  mtu 9216", "+  mtu 1500"]


@pytest.mark.parametrize("example", goldens.examples())
def test_what_is_compared_with_another_example_finds_its_whole_text(example: str) -> None:
    """A reader of a patch gets to a whole text in one step, or in two where that one is a patch itself."""
    written = {path.relative_to(goldens.EXAMPLES).as_posix() for each in goldens.examples()
               for path in goldens.expected(each)}  # fmt: skip
    for path, text in goldens.expected(example).items():
        if path.suffix == ".diff":
            base = text.splitlines()[0].removeprefix("--- ").replace("/", "/expected/")
            assert {base, base.replace(".cfg", ".diff")} & written, path
