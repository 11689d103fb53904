"""The shapes of published lines: which command with which kinds of values, and no value of anybody's network.

A shape is what stands in a line when each value has been replaced by its kind. Shapes are committed, below those of the
lines that they stand under; texts are not. A lab switch must know every shape of a block that we write.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import Final

KINDS: Final = (
    ("<mac>", re.compile(r"[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}")),
    ("<prefix>", re.compile(r"\d+\.\d+\.\d+\.\d+/\d+")),
    ("<address>", re.compile(r"\d+\.\d+\.\d+\.\d+")),
    ("<port>", re.compile(r"(?:Ethernet\d+(?:/\d+)+|(?:port-channel|loopback|Vlan|mgmt|nve)\d+)")),
    ("<subinterface>", re.compile(r"(?:Ethernet\d+(?:/\d+)+|port-channel\d+)\.\d+")),
    ("<list>", re.compile(r"\d+(?:[-,]\d+)+")),
    ("<number>", re.compile(r"\d+(?:\.\d+)?")),
)
"""Kinds of values by how they are written. What is none of them and no word of any command is a name."""
TEXT: Final = "description"
"""The word behind which everything is somebody's own text."""
SAMPLES: Final = {
    "<mac>": ("0200.0000.0001",),
    "<prefix>": ("198.51.100.0/31", "198.51.100.0/24"),
    "<address>": ("198.51.100.1",),
    "<port>": ("Ethernet1/1", "loopback0", "Vlan10", "port-channel10", "nve1", "mgmt0"),
    "<subinterface>": ("Ethernet1/1.10",),
    "<list>": ("10-12", "1,3"),
    "<number>": ("1", "3", "10", "64", "100", "1000", "9216", "64600"),
    "<name>": ("some-name", "c-8q-nq3", "c-out-8q-q3", "100g-4x"),
    "<text>": ("some text",),
}
"""Values to type in place of a kind; a shape is known if the switch takes one of the combinations."""
MOST: Final = 500
"""Combinations tried."""


def shape(line: str, words: frozenset[str]) -> str:
    """The line with every value replaced by its kind; `words` are those that commands are made of."""
    found: list[str] = []
    for word in line.split():
        if found and found[-1] == TEXT:
            return " ".join([*found, "<text>"])
        kind = next((kind for kind, spelled in KINDS if spelled.fullmatch(word)), "<name>")
        found.append(word if word in words else kind)
    return " ".join(found)


def samples(shape_of_line: str) -> Iterator[str]:
    """Lines of this shape."""
    choices = [SAMPLES.get(word, (word,)) for word in shape_of_line.split()]
    yield from (" ".join(words) for words in islice(product(*choices), MOST))


def paths(lines: Iterable[str], words: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """The shape of each line below the shapes of the lines that it stands under, outermost first."""
    above: list[tuple[int, str]] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        above.append((indent, shape(line, words)))
        yield tuple(each for _, each in above)
