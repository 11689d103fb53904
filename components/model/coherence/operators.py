"""The release set exists, is for this OpenShift, and pins name its subscriptions."""

from collections.abc import Iterator

from podwright.components.model.catalogue import RELEASE_SETS
from podwright.components.model.cluster import Cluster
from podwright.components.model.explain import suggest
from podwright.components.model.problems import Problem


def _release(cluster: Cluster) -> Iterator[Problem]:
    name, version = cluster.operators.release, cluster.openshift.version
    known = RELEASE_SETS.get(name)
    if known is None:
        hint = suggest(name, tuple(RELEASE_SETS)) or f"known: {', '.join(RELEASE_SETS)}"
        yield Problem(("operators", "release"), f'there is no release set "{name}"', hint)
        return
    if not version.startswith(f"{known.openshift}."):
        message = f"release set {name} is for OpenShift {known.openshift}, not {version}"
        fitting = [each for each, held in RELEASE_SETS.items() if version.startswith(f"{held.openshift}.")]
        hint = f"take {', '.join(fitting)}" if fitting else f"take OpenShift {known.openshift}"
        yield Problem(("operators", "release"), message, hint)
    for subscription in cluster.operators.pins:
        if subscription not in known.subscriptions:
            loc = ("operators", "pins", subscription)
            listed = f"subscriptions: {', '.join(known.subscriptions)}"
            hint = suggest(subscription, known.subscriptions) or listed
            yield Problem(loc, f"{subscription} is no subscription of release set {name}", hint, at_key=True)


CHECKS = (_release,)
