"""That jobs wait, as the API server enforces it: what takes GPUs of a pool with queues in a team's namespace names one.

Kueue's webhook suspends what names a queue, and looks at nothing else; while it is away or leaves a namespace out,
nothing is suspended. So both are asked for here, without it: a Job names a queue, it is suspended when it is made
(mutating webhooks come before validation), and Kueue alone starts it. Pods of other kinds than Job are refused there:
Kueue looks after no others (`integrations.frameworks` of its operator's object).
"""

import json
from collections.abc import Iterator

from podwright.components.design.platform.denying import denying
from podwright.components.design.platform.names import QUEUE_LABEL, Manifest
from podwright.components.design.platform.training_pools import Lawful, expressions
from podwright.components.model import Queues

JOBS = "podwright-queued-jobs"
PODS = "podwright-queued-pods"
ACCOUNT = "system:serviceaccount:openshift-kueue-operator:kueue-controller-manager"
"""Kueue's own account (openshift/kueue-operator release-1.3, bindata/assets/kueue-operator/serviceaccount.yaml)."""
_FACTS = ("labels", "absent", "nodes", "elsewhere")
_SUSPENDED = "{0}.spec.?suspend.orValue(false)"
_QUEUE = f"{{0}}.metadata.?labels[?'{QUEUE_LABEL}'].orValue('')"


def policies(queues: Queues | None, found: Lawful) -> Iterator[Manifest]:
    """Both policies, each before what puts it in force; none where nothing is enforced."""
    if queues is None or not queues.enforce or not found.teams:
        return
    facts = {name: text for name, text in found.variables().items() if name in _FACTS}
    facts = {"pools": json.dumps({"training": sorted(queues.names)}), **facts}
    yield from denying(
        JOBS,
        _asked("batch", "jobs"),
        [_of_teams(found), {"name": "starts-or-leaves", "expression": _changed()}],
        _jobs(),
        variables={
            **facts,
            **expressions.reaching("object.spec.template.spec"),
            "waits": "variables.gpus && variables.reached.size() > 0",
        },
    )
    yield from denying(
        PODS,
        _asked("", "pods"),
        [_of_teams(found), expressions.UNCHANGED],
        [_pods()],
        variables={**facts, **expressions.reaching("object.spec"), "made_by": expressions.MADE_BY},
    )


def _asked(group: str, resource: str) -> dict[str, list[str]]:
    return {"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": [resource]}


def _of_teams(found: Lawful) -> dict[str, str]:
    return {"name": "of-a-team", "expression": f"request.namespace in {json.dumps(list(found.teams))}"}


def _changed() -> str:
    """Made, started or stopped, or taken out of its queue: all else about a job that exists is nobody's matter here."""
    both = (f"{text.format('object')} != {text.format('oldObject')}" for text in (_SUSPENDED, _QUEUE))
    return " || ".join(("request.operation == 'CREATE'", *both))


def _jobs() -> list[dict[str, str]]:
    takes = "'this job takes GPUs of pool ' + variables.reached[0] + ', whose jobs wait in queues: "
    named = f"give it the label {QUEUE_LABEL}: ' + variables.reached[0]"
    made = (
        "it names one, and Kueue has not suspended it, so that it would start at once. Kueue is away, or does not look "
        "after namespace ' + request.namespace + ': see the operator kueue-operator, or write suspend: true'"
    )
    started = "Kueue alone starts it. Leave spec.suspend as it is'"
    starts = f"{_SUSPENDED.format('oldObject')} && !{_SUSPENDED.format('object')}"
    return [
        _denied(f"{_QUEUE.format('object')} != ''", takes + named),
        _denied(f"request.operation != 'CREATE' || {_SUSPENDED.format('object')}", takes + made),
        _denied(
            f"request.operation != 'UPDATE' || request.userInfo.username == '{ACCOUNT}' || !({starts})",
            takes + started,
        ),
    ]


def _denied(unless: str, message: str) -> dict[str, str]:
    return {"expression": f"!variables.waits || {unless}", "messageExpression": message, "reason": "Forbidden"}


def _pods() -> dict[str, str]:
    message = (
        "'this pod takes GPUs of pool ' + variables.reached[0] + ', whose jobs wait in queues, and is of no Job: Kueue "
        "looks after Jobs alone here'"
    )
    fine = "!variables.gpus || variables.reached.size() == 0 || variables.made_by.exists(each, each == 'batch/Job')"
    return {"expression": fine, "messageExpression": message, "reason": "Forbidden"}
