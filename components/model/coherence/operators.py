"""The release set exists, is for this OpenShift, and pins name its subscriptions."""

from collections.abc import Iterator

from podwright.components.model.catalogue import RELEASE_SETS
from podwright.components.model.explain import suggest
from podwright.components.model.operators import Operators
from podwright.components.model.problems import Problem


def release(operators: Operators, version: str | None) -> Iterator[Problem]:
    """What contradicts the release set; `version` is OpenShift's, None where it is not known."""
    name = operators.release
    known = RELEASE_SETS.get(name)
    if known is None:
        hint = suggest(name, tuple(RELEASE_SETS)) or f"known: {', '.join(RELEASE_SETS)}"
        yield Problem(("release",), f'there is no release set "{name}"', hint)
        return
    if version is not None and not version.startswith(f"{known.openshift}."):
        message = f"release set {name} is for OpenShift {known.openshift}, not {version}"
        fitting = [key for key, each in RELEASE_SETS.items() if version.startswith(f"{each.openshift}.")]
        hint = f"take {', '.join(fitting)}" if fitting else f"take OpenShift {known.openshift}"
        yield Problem(("release",), message, hint)
    for subscription in operators.pins:
        if subscription not in known.subscriptions:
            listed = f"subscriptions: {', '.join(known.subscriptions)}"
            hint = suggest(subscription, known.subscriptions) or listed
            message = f"{subscription} is no subscription of release set {name}"
            yield Problem(("pins", subscription), message, hint, at_key=True)
