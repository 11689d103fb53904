"""An access list on the terminal lines never locks out whoever writes it."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest

from podwright.components.providers.nxos.read.access import access_list, permits
from podwright.components.providers.nxos.read.blocks import parse, parse_lines
from podwright.components.providers.protocol.kind import ProviderError
from tests.providers.nxos.rack import Rack, inputs

OURS = IPv4Address("192.0.2.2")


def guarded(*entries: str) -> dict[str, str]:
    return {"ip access-list MANAGERS": "\n".join(entries), "line vty": "access-class MANAGERS in"}


@pytest.mark.parametrize(
    ("entries", "lets_in"),
    [
        ("10 permit tcp 192.0.2.0/24 any", True),
        ("10 permit ip any any", True),
        ("10 permit tcp host 192.0.2.2 any eq 22", True),
        ("10 permit tcp 192.0.2.0 0.0.0.255 any", True),
        ("10 permit tcp 198.51.100.0/24 any", False),
        ("20 permit tcp any any\n10 deny tcp 192.0.2.0/28 any", False),
        ("10 permit udp any any", False),
        ("10 remark nobody", False),
        ("", False),
    ],
)
def test_the_first_entry_that_matches_decides(entries: str, lets_in: bool) -> None:
    assert permits(parse_lines(entries), OURS) is lets_in


def test_only_what_sessions_enter_by_counts() -> None:
    assert access_list(parse("line vty\n  access-class OUT out\nline console\n  access-class OTHER in")) == ""
    assert access_list(parse("line vty\n  exec-timeout 15\n  access-class MANAGERS in")) == "MANAGERS"


async def test_a_list_with_our_address_is_written_and_lets_us_in_again(lab: Rack) -> None:
    given = inputs(guarded("10 permit tcp 192.0.2.0/28 any"))
    made = await lab.kind.create(given, lab.context())
    await lab.kind.close()
    assert "  access-class MANAGERS in" in lab.running()
    read = await lab.kind.read(made.id, given, made.outputs, lab.context())
    assert read is not None and read.inputs == given
    await lab.kind.delete(made.id, given, made.outputs, lab.context())
    assert "access-" not in lab.running() and "line vty" in lab.running()


async def test_a_list_without_our_address_is_refused_before_anything_is_written(lab: Rack) -> None:
    before = lab.running()
    with pytest.raises(ProviderError, match=r"no session from 192\.0\.2\.2.*nothing was written"):
        await lab.kind.create(inputs(guarded("10 permit tcp 198.51.100.0/24 any")), lab.context())
    assert lab.running() == before


async def test_a_list_that_nobody_defines_is_refused(lab: Rack) -> None:
    with pytest.raises(ProviderError, match="does not permit it"):
        await lab.kind.create(inputs({"line vty": "access-class MANAGERS in"}), lab.context())


async def test_somebody_elses_list_keeps_new_sessions_out(lab: Rack) -> None:
    lab.edit("ip access-list OTHERS", "10 permit tcp 198.51.100.0/24 any", "line vty", "access-class OTHERS in")
    with pytest.raises(ProviderError, match=r"closed the connection|session"):
        await lab.kind.create(inputs(), lab.context())
