"""What makes a switch itself: its name, the address it is managed at, its router id. Two fabrics of one cluster, each
coherent by itself, may still give the same to two switches.
"""

from collections.abc import Callable, Iterator, Sequence

from .resource import Resource
from .rule import Finding, NotApplicable, apart
from .switches import switch

_OF: tuple[tuple[str, Callable[[Resource], str]], ...] = (
    ("hostname", lambda each: switch(each).name),
    ("management address", lambda each: switch(each).management),
    ("router id", lambda each: switch(each).port("loopback0").value("address").partition("/")[0]),
)


def once(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Switches of one cluster that share one of these: the later one is reported."""
    if len(resources) < 2:
        raise NotApplicable("one switch has nobody to share with")
    yield from apart(_shared(what, of, resources) for what, of in _OF)


def _shared(what: str, of: Callable[[Resource], str], resources: Sequence[Resource]) -> Iterator[Finding]:
    first: dict[str, Resource] = {}
    for each in resources:
        value = of(each)
        if value and first.setdefault(value, each) is not each:
            yield Finding(f"{first[value].name} and {each.name} both have the {what} {value}", each.urn)
