"""When one planned text is another with other numbers: the second says nothing that the first does not show.

Only what tells switches, servers and ports apart may differ: addresses, serials, numbers in names, of ports, VLANs and
AS. An MTU, a threshold or a timer may not.
"""

import difflib
import re
from collections.abc import Iterator
from typing import Final

_ADDRESS: Final = r"\d+(?:\.\d+){3}|(?:[0-9A-F]{2}:){5}[0-9A-F]{2}"
_NUMBERED: Final = (
    r"(?<=[a-z]-)(?:\d+|[a-d])\b|(?<=\b[A-Z]{3})\d{8}\b|(?<=\bdigest: )[0-9a-f]+|"
    r"(?<=Ethernet)[\d/]+|(?<=Eth)[\d/]+|(?<=port-channel)\d+|(?<=\bport )\d+(?:-\d+)?|"
    r"(?<=Vlan)\d+|(?<=\bvlan )[\d,-]+|(?<=rail)\d+|(?<=\brail: )\d+|(?<=group)\d+|(?<=group )\d+|"
    r"(?<=router bgp )\d+|(?<=remote-as )\d+"
)
_NUMBER: Final = re.compile(f"{_ADDRESS}|{_NUMBERED}")


def shape(text: str) -> str:
    """The text with a mark in place of each number by which devices of one role differ."""
    return _NUMBER.sub("#", text)


def difference(old: str, new: str) -> list[str]:
    """What `new` adds (`+`) and leaves out (`-`), below the block it stands in (`@@`); not what is but renumbered."""
    before, after = old.splitlines(), new.splitlines()
    plain = _changes(before, after, before, after)
    shapes = _changes([shape(line) for line in before], [shape(line) for line in after], before, after)
    return min(list(plain), list(shapes), key=len)


def _changes(left: list[str], right: list[str], before: list[str], after: list[str]) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    printed = ""
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal" or shape("\n".join(before[i:i_end])) == shape("\n".join(after[j:j_end])):
            continue
        block = _block(after, j) if j < j_end else _block(before, i)
        if block != printed:
            yield f"@@ {block}" if block else "@@"
            printed = block
        yield from (f"-{line}" for line in before[i:i_end])
        yield from (f"+{line}" for line in after[j:j_end])


def _block(lines: list[str], at: int) -> str:
    """The top-level line that a line stands below; none where it is one."""
    if not lines[at].startswith(" "):
        return ""
    return next((line for line in reversed(lines[:at]) if not line.startswith(" ")), "")
