"""The release set exists, is for this OpenShift, every member is, and pins name its subscriptions."""

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
    yield from _undeclared(name)
    for subscription in operators.pins:
        if subscription not in known.subscriptions:
            listed = f"subscriptions: {', '.join(known.subscriptions)}"
            hint = suggest(subscription, known.subscriptions) or listed
            message = f"{subscription} is no subscription of release set {name}"
            yield Problem(("pins", subscription), message, hint, at_key=True)


def _undeclared(name: str) -> Iterator[Problem]:
    """Members that nobody declared for the set's OpenShift release, and no waiver explains."""
    taken = RELEASE_SETS[name]
    if not taken.refused:
        return
    members = ", ".join(f"{each.csv} ({each.versions})" for each in taken.refused)
    message = f"release set {name} is for OpenShift {taken.openshift}, which its members do not all declare: {members}"
    others = [f"{key} with OpenShift {each.openshift}" for key, each in RELEASE_SETS.items() if not each.refused]
    waive = "waive them in the set's data with a reason, an https source and its date"
    yield Problem(("release",), message, f"take {', '.join(others)}, or {waive}" if others else waive)
