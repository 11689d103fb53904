"""Waivers: each is for something of this cluster, and there is one for a rule and a resource.

Whether a rule of that name exists is the command's matter: the model knows nothing of the policy pack.
"""

from collections.abc import Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.problems import Problem


def _waivers(cluster: Cluster) -> Iterator[Problem]:
    """Every resource is named after its cluster, so a pattern that does not begin with its name can match none."""
    first: dict[tuple[str, str], int] = {}
    for number, waiver in enumerate(cluster.waivers):
        begin = f"{cluster.name}-"
        loc = ("waivers", number, "resource")
        if waiver.resource != cluster.name and not waiver.resource.startswith(begin):
            message = f"{waiver.resource} is no resource of this cluster: their names begin with {begin}"
            yield Problem(loc, message, f"write {begin}{waiver.resource.lstrip('*-') or 'leaf-*'}")
        elif not waiver.resource.removeprefix(begin).strip("*-."):
            message = f"{waiver.resource} is every resource of the cluster, also those that nobody has looked at"
            yield Problem(loc, message, f"name what the waiver is for, such as {begin}leaf-*")
        same = first.setdefault((waiver.rule, waiver.resource), number)
        if same != number:
            message = f"waivers[{same}] is for the same rule and resource"
            yield Problem(("waivers", number), message, "keep one of the two", refers=(("waivers", same),))


CLUSTER = (_waivers,)
