"""The guard against silent take-over: the API server itself refuses it.

Server-side apply makes no difference between creating an object and writing into one that stands there already, and
the pinned Kubernetes plugin applies on create. This admission policy tells the two apart: an update that would put a
stack's mark on an object that did not carry it is refused, in dry runs as well, so a preview shows it.
"""

from podwright.components.design.platform.denying import denying
from podwright.components.design.platform.names import Manifest

API = "admissionregistration.k8s.io/v1"
ADOPT = "podwright.io/adopt"
"""Annotation by which a person hands an object over; its value is the stack's mark."""


def guard(mark: str, label: str) -> tuple[Manifest, Manifest]:
    """Policy and binding for the stack whose value of `label` is `mark`. Other stacks have their own pair."""
    name = f"podwright-no-takeover-{mark.replace('_', '-').lower()}"
    ours = f"has(oldObject.metadata.labels) && '{label}' in oldObject.metadata.labels"
    adopted = f"has(oldObject.metadata.annotations) && '{ADOPT}' in oldObject.metadata.annotations"
    expression = (
        f"({ours} && oldObject.metadata.labels['{label}'] == '{mark}') || "
        f"({adopted} && oldObject.metadata.annotations['{ADOPT}'] == '{mark}')"
    )
    message = (
        "'it exists already and is not part of this stack; rename or delete ' + object.metadata.name + "
        f"', or hand it over with the annotation {ADOPT}={mark}'"
    )
    everything = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["UPDATE"], "resources": ["*"], "scope": "*"}
    marked = f"has(object.metadata.labels) && '{label}' in object.metadata.labels"
    # The plugin takes a dry run that is answered with Forbidden for an account without rights, and shows its own guess
    # instead (pulumi-kubernetes v4.25.0, provider.go, Create and Update): a preview would be green.
    validation = {"expression": expression, "messageExpression": message, "reason": "Invalid"}
    # Only objects that carry the mark are looked at: nobody else pays for it.
    return denying(
        name,
        everything,
        [{"name": "puts-the-mark-on", "expression": marked}],
        [validation],
        selectors={"objectSelector": {"matchLabels": {label: mark}}},
    )
