"""One document over another: mappings key by key, anything else as a whole, and null takes a key out.

There is no other rule. A list replaces a list; an entry's short form (a serial number alone) replaces its mapping. Keys
that are patterns (`gpu-[01-16]`) are keys like any other; what they stand for is worked out afterwards. A null where
nothing is below it stays what it is in a file that is based on nothing.
"""

from collections.abc import Iterator

from podwright.components.model.document import Document, Replaced
from podwright.components.model.problems import Loc


def merged(low: Document, high: Document) -> Document:
    """One file over what is below it, each value with the place it has in the one that it is from."""
    made = Document(high.source, file=high.file, problems=[*low.problems, *high.problems])
    made.value = _over(low, high, low.value, high.value, (), made)
    return made


def _over(low: Document, high: Document, under: object, above: object, loc: Loc, made: Document) -> object:
    if not isinstance(under, dict) or not isinstance(above, dict):
        _take(high, above, loc, made)
        made.replaced[loc] = (*low.replaced.get(loc, ()), Replaced(under, low.values[loc]))
        return above
    _mark(high, loc, made)
    found: dict[str, object] = {}
    for name, value in under.items():
        here = (*loc, name)
        if name not in above:
            found[name] = _take(low, value, here, made)
        elif above[name] is None:
            made.removed[here] = high.values[here]
            made.replaced[here] = (*low.replaced.get(here, ()), Replaced(value, low.values[here]))
        else:
            found[name] = _over(low, high, value, above[name], here, made)
    for name in (each for each in low.removed if each[:-1] == loc and each[-1] not in above):
        made.removed[name], made.replaced[name] = low.removed[name], low.replaced[name]
    for name, value in above.items():
        if name not in under:
            found[name] = _take(high, value, (*loc, name), made)
    return found


def _take(source: Document, value: object, loc: Loc, made: Document) -> object:
    """A value as one document has it, with all that is known of it and below it."""
    for each in _places(value, loc):
        _mark(source, each, made)
        if each in source.replaced:
            made.replaced[each] = source.replaced[each]
    for each in source.removed:
        if each[: len(loc)] == loc:
            made.removed[each], made.replaced[each] = source.removed[each], source.replaced[each]
    return value


def _mark(source: Document, loc: Loc, made: Document) -> None:
    for kept, known in ((made.keys, source.keys), (made.values, source.values)):
        if loc in known:
            kept[loc] = known[loc]
    if loc in source.plain:
        made.plain[loc] = source.plain[loc]


def _places(value: object, loc: Loc) -> Iterator[Loc]:
    yield loc
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _places(each, (*loc, name))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _places(each, (*loc, number))
