"""Whether the backend carries what its hosts send: links counted from the plan, not from the text."""

from collections import Counter
from collections.abc import Iterator

from .resource import Resource
from .rule import NotApplicable, Rule
from .switches import SWITCH, is_switch

TARGET = 1.2
"""Host over uplink bandwidth that Cisco's AI pods allow a backend leaf: 1:1 to 1.2:1."""
_TWO_SPEEDS = ("N9K-C93600CD-GX",)
"""Models whose uplinks are faster than their host ports: counting links says nothing there."""


def _uplinks(resource: Resource) -> Iterator[str]:
    spec = (resource.props.get("spec") or {}) if resource.type == SWITCH else {}
    if spec.get("role") != "leaf" or spec.get("model") in _TWO_SPEEDS:
        raise NotApplicable("only backend leaves of one port speed are checked")
    found = Counter(str(link["role"]) for link in (spec.get("links") or {}).values())
    hosts, uplinks = found["host"], found["fabric"]
    if hosts > TARGET * uplinks:
        ratio = f"{hosts / uplinks:.3g}:1 oversubscribed" if uplinks else "cut off from the other leaves"
        yield f"{spec['hostname']} has {hosts} host links on {uplinks} uplinks of the same speed: {ratio}"


CAPACITY: tuple[Rule, ...] = (
    Rule(
        id="fabric-backend-carries-its-hosts",
        title="A backend leaf has as many uplinks as hosts",
        why="Every GPU sends to another leaf at once in a collective; each missing uplink is a pause for all of them.",
        fix="Raise fabric.links_per_pair, add spines, or spread the servers over more leaf groups: `podwright size`.",
        reference="https://www.cisco.com/c/en/us/td/docs/dcn/whitepapers/cisco-data-center-networking-blueprint-for-ai-ml-applications.html",
        severity="medium",
        types=is_switch,
        check=_uplinks,
        mandatory=False,
    ),
)
