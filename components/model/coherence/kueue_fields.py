"""The Kueue that a pinned operator brings has what queues are written to."""

from collections.abc import Iterator

from podwright.components.model.catalogue import kueue
from podwright.components.model.cluster import Cluster
from podwright.components.model.problems import Problem
from podwright.components.model.queued import queued
from podwright.components.model.queues import Queues


def _pinned(cluster: Cluster) -> Iterator[Problem]:
    """A pinned operator brings a Kueue that has the fields which the queues are written to."""
    queues, pin = queued(cluster), (cluster.operators.pins if cluster.operators else {}).get("kueue-operator")
    version = kueue.operand(pin.channel) if pin is not None else None
    if queues is None or version is None:
        return
    loc, instead = ("operators", "pins", "kueue-operator", "channel"), f"take {' or '.join(kueue.serving())}"
    if not (known := kueue.fields(version)):
        yield Problem(loc, f"it brings Kueue {version}, which does not serve the API of queues (v1beta2)", instead)
        return
    for key, path in kueue.written().items():
        if path not in known and _given(queues, key):
            message = f"it brings Kueue {version}, which has no {path}: openshift.queues.{key} is written there"
            yield Problem(loc, message, f"{instead}, or remove {key}")


def _given(queues: Queues, key: str) -> bool:
    """Whether a key of `openshift.queues` is given, for some team where it is a team's."""
    name = key.rpartition(".")[2]
    holders = [*queues.teams.values()] if key.startswith("teams.") else [queues]
    return any(getattr(each, name) for each in holders)


CLUSTER = (_pinned,)
