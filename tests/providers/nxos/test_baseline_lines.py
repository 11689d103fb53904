"""Lines of a baseline as a switch shows them: one meaning however they are broken, repeated or joined."""

import pytest

from podwright.components.providers.nxos.read.blocks import parse
from podwright.components.providers.nxos.read.spelling import tidy_config
from podwright.components.providers.nxos.write.remediation import remediation


def typed(live: str, want: str, gone: tuple[str, ...] = ()) -> list[str]:
    return [str(each) for each in remediation(tidy_config(parse(live)), tidy_config(parse(want)), gone)]


@pytest.mark.parametrize(
    "shown",
    [
        "banner motd ^Keep out.^",
        "banner motd #Keep out.\n#",
        "banner motd #\nKeep\n  out.\n#",
        "banner motd @Keep out.@",
    ],
)
def test_a_banner_means_the_same_however_it_is_broken(shown: str) -> None:
    assert typed(f"feature bgp\n{shown}\nfeature lldp", "banner motd ^Keep out.^") == []


def test_a_banner_is_replaced_in_place_and_removed_without_its_text() -> None:
    live = "banner motd #\nOne\nTwo\n#"
    assert typed(live, "banner motd ^Three^") == ["banner motd ^Three^"]
    assert typed(live, "", ("banner motd ^One Two^",)) == ["no banner motd"]
    assert typed("clock timezone CET 1 0", "", ("clock timezone CET 1 0",)) == ["no clock timezone"]


def test_vlans_of_one_spanning_tree_priority_are_one_each() -> None:
    live = "spanning-tree vlan 10,30-31 priority 4096"
    want = "\n".join(f"spanning-tree vlan {vlan} priority 4096" for vlan in (10, 30, 31))
    assert typed(live, want) == []
    assert typed(live, want.replace("31 priority 4096", "31 priority 8192")) == ["spanning-tree vlan 31 priority 8192"]
    gone = ("spanning-tree vlan 10 priority 4096",)
    assert typed(live, "\n".join(want.splitlines()[1:]), gone) == ["no spanning-tree vlan 10 priority 4096"]


def test_a_member_that_repeats_the_storm_control_of_its_bundle_is_as_wanted() -> None:
    want = "interface Ethernet1/1\n  switchport\n  channel-group 5 mode active\n  no shutdown"
    live = want.replace("  channel-group", "  storm-control broadcast level 1.00\n  channel-group")
    assert typed(live, want) == []
    alone = want.replace("  channel-group 5 mode active\n", "")
    assert typed(alone.replace("  no shut", "  storm-control broadcast level 5.00\n  no shut"), alone) != []


def test_a_level_is_overwritten_and_not_taken_away_first() -> None:
    want = "interface Ethernet1/1\n  switchport\n  storm-control broadcast level 1.00\n  no shutdown"
    assert typed(want.replace("1.00", "5.00"), want) == ["interface Ethernet1/1\n  storm-control broadcast level 1.00"]
