"""A stack file with one more device, its comments, quotes and order as they were: what `podwright add` writes."""

import io
import re
import sys
from collections.abc import Iterator
from ipaddress import AddressValueError
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, ScalarString

from podwright.components import model
from podwright.components.model import pattern

Place = tuple[str, ...]
SERVERS: tuple[Place, ...] = (("servers",), ("hosts",))
SWITCHES: tuple[Place, ...] = (
    ("fabric", "leaves"),
    ("fabric", "spines"),
    ("fabric", "frontend", "leaves"),
    ("fabric", "storage", "leaves"),
)
_OWN = (
    "serial", "boot_mac", "bond_mac", "storage_macs", "address", "bmc", "bmc_password", "management", "index", "asn",
    "renamed_from", "adopt",
)  # fmt: skip
"""Keys that no device has from another."""
_PORTS = ("fabric", "frontend", "ports")


def values(own: list[str]) -> dict[str, Any]:
    """KEY=VALUE as YAML reads it. Raises ValueError for what is none."""
    found: dict[str, Any] = {}
    for each in own:
        key, equals, text = each.partition("=")
        if not equals or not key:
            raise ValueError(f"{each} is not KEY=VALUE, such as --set serial=WZP26220017")
        # A MAC address or a release would be read as something else: only numbers, lists and words are YAML here.
        plain = re.fullmatch(r"-?\d+|true|false|null|\[.*\]", text)
        quoted = DoubleQuotedScalarString(text) if ":" in text else text
        found[key] = YAML(typ="safe").load(text) if plain else quoted
    return found


def extended(text: str, name: str, own: dict[str, Any], like: str | None, places: tuple[Place, ...]) -> str:
    """The file's text with one more entry. Raises ValueError where it cannot know what the entry is like."""
    yaml = round_trip()
    try:
        document = yaml.load(text)
    except YAMLError as error:
        raise ValueError(f"the file cannot be read: {str(error).splitlines()[0]}") from None
    cluster = ((document or {}).get("config") or {}).get(model.KEY)
    if not isinstance(cluster, CommentedMap):
        raise ValueError(f"there is no {model.KEY} in the file")  # noqa: TRY004 - of the text, not of a type
    sections = [found for place in places if isinstance(found := _at(cluster, place), CommentedMap)]
    if any(name in _names(section) for section in sections):
        raise ValueError(f"{name} is there already")
    section = _section(sections, name, like)
    ranged = _grow(section, name) if like is None else False
    if ranged:
        if own:
            section[name] = _flow(own)
        ports = _at(cluster, _PORTS)
        if places is SERVERS and isinstance(ports, CommentedMap):
            _grow(ports, name)
    else:
        other, alike = _alike(section, name, like)
        section.insert(list(section).index(other) + 1 if other else len(section), name, _flow({**alike, **own}))
        _keep_gap(section, other, name)
    written = io.StringIO()
    yaml.dump(document, written)
    return written.getvalue()


def round_trip() -> YAML:
    """YAML that keeps comments, quotes and order."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = sys.maxsize
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.brace_single_entry_mapping_in_flow_sequence = True  # `[{slots: 1}]` stays as people write it
    return yaml


def _at(cluster: Any, place: Place) -> Any:
    for part in place:
        cluster = cluster.get(part) if isinstance(cluster, CommentedMap) else None
    return cluster


def _flow(values: dict[str, Any]) -> CommentedMap:
    made = CommentedMap(values)
    made.fa.set_flow_style()
    return made


def _stem(name: str) -> str:
    return re.sub(r"\d+$", "", name)


def _names(section: CommentedMap) -> Iterator[str]:
    for text in section:
        key = pattern.key(str(text))
        yield from key.names if key else (str(text),)


def _section(sections: list[CommentedMap], name: str, like: str | None) -> CommentedMap:
    """The mapping that has devices of this kind."""
    for section in sections:
        if any((each == like) if like else (_stem(each) == _stem(name)) for each in _names(section)):
            return section
    known = ", ".join(dict.fromkeys(each for section in sections for each in _names(section)))
    wrong = f"there is no {like}" if like else f"nothing is called {_stem(name)}<number>"
    raise ValueError(f"{wrong}; say what {name} is like with --like: {known}")


def _grow(section: CommentedMap, name: str) -> bool:
    """Take a name into the range of its kind; False where there is none."""
    stem = _stem(name)
    for position, text in enumerate(section):
        ranges = [_grown(each, stem, name) for each in pattern.ranges(str(text))]
        longer = ", ".join(ranges)
        if longer == ", ".join(pattern.ranges(str(text))):
            continue
        if isinstance(text, ScalarString):
            longer = type(text)(longer)
        section.insert(position, longer, section[text])
        if text in section.ca.items:
            section.ca.items[longer] = section.ca.items.pop(text)
        del section[text]
        return True
    return False


def _grown(text: str, stem: str, name: str) -> str:
    """A range with a name more, where it is one of numbers behind this stem."""
    key = pattern.key(text)
    numbers = [each[len(stem) :] for each in key.names] if key is not None and key.stem == stem else []
    if not numbers or not all(map(str.isdecimal, numbers)):
        return text
    return f"{stem}[{','.join(_spans(sorted({*numbers, name[len(stem) :]}, key=int)))}]"


def _spans(numbers: list[str]) -> Iterator[str]:
    """Consecutive numbers as first-last."""
    first = last = numbers[0]
    for each in [*numbers[1:], ""]:
        if each and int(each) == int(last) + 1:
            last = each
            continue
        yield first if first == last else f"{first}-{last}"
        first = last = each


def _alike(section: CommentedMap, name: str, like: str | None) -> tuple[str, dict[str, Any]]:
    """The entry a new one is like, and what it has from it, with numbers that go on as the other's did."""
    others = [
        str(each) for each in section if isinstance(section[each], CommentedMap) and pattern.key(str(each)) is None
    ]
    alike = [each for each in others if (each == like) if like] or [
        each for each in others if _stem(each) == _stem(name) and each != _stem(each)
    ]
    if not alike:
        return "", {}
    other = max(alike, key=lambda each: pattern.number(each) or 0)
    found = {key: value for key, value in section[other].items() if key not in _OWN}
    step = (pattern.number(name) or 0) - (pattern.number(other) or 0)
    for key in ("index", "asn", "management", "address", "bmc") if not like else ():
        written = section[other].get(key)
        if written is not None:
            shared = key == "asn" and len(alike) > 1 and len({section[each].get(key) for each in alike}) == 1
            found[key] = written if shared else _onward(written, step)
    return other, found


def _onward(value: Any, step: int) -> Any:
    if isinstance(value, int):
        return value + step
    try:
        return pattern.value(f"{value}+n", f"x{step}", None) if step >= 0 else value
    except (pattern.PatternError, AddressValueError):
        return value


def _keep_gap(section: CommentedMap, other: str, name: str) -> None:
    """The empty line behind a section stays behind it: it hangs on what was its last entry."""
    names = list(section)
    if names[-1] == name and other in section.ca.items:
        section.ca.items[name] = section.ca.items.pop(other)
