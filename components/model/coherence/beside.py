"""Objects that a service has beside its own, under its name with an ending: nobody else's are called so."""

from collections.abc import Iterator, Mapping

from podwright.components.model.cluster import Cluster
from podwright.components.model.problems import Problem


def alone(cluster: Cluster, ending: str, keys: Mapping[str, str]) -> Iterator[Problem]:
    """Services and jobs of the same team with the name of such objects; `keys`: by service, the key that makes them."""
    work = cluster.workloads
    for name, key in keys.items():
        wanted, team = name + ending, work.inference[name].team
        for kind, other in (("service", work.inference.get(wanted)), ("job", work.training.get(wanted))):
            if other is not None and other.team == team:
                message = f"its objects are called {wanted}, as those of {kind} {wanted} of the same team"
                hint = f"give {kind} {wanted} another name"
                yield Problem(("workloads", "inference", name, key), message, hint, at_key=True)
