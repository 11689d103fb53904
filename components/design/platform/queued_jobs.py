"""That jobs wait, as the API server enforces it: what takes GPUs of a pool with queues in a team's namespace names one.

Kueue's webhook suspends what names a queue, and looks at nothing else; while it is away or leaves a namespace out,
nothing is suspended. So both are asked for here, without it: a Job names a queue, it is suspended when it is made
(mutating webhooks come before validation), and Kueue alone starts it. Pods of other kinds than Job are refused there:
Kueue looks after no others (`integrations.frameworks` of its operator's object). A pod is a Job's when the cluster's
own controller of Jobs makes it.

Where JobSet is installed, the same is asked of JobSets. Their Jobs name no queue, and JobSet's controller starts them
with their set: what that account does with the Job of a set was asked of the set. What Kubeflow Trainer, where it is
installed, does with the JobSet of a TrainJob was asked of the TrainJob; that says nothing of what its pods take, which
its runtime has, so that every TrainJob of a team names a queue.
"""

import json
import re
from collections.abc import Iterator

from podwright.components.design.platform.denying import TOLERATES_MORE, denying
from podwright.components.design.platform.names import QUEUE_LABEL, Manifest
from podwright.components.design.platform.training_pools import Lawful, expressions
from podwright.components.model import Queues

JOBS = "podwright-queued-jobs"
PODS = "podwright-queued-pods"
SETS = "podwright-queued-sets"
ACCOUNT = "system:serviceaccount:openshift-kueue-operator:kueue-controller-manager"
"""Kueue's own account (openshift/kueue-operator release-1.3, bindata/assets/kueue-operator/serviceaccount.yaml)."""
SET_ACCOUNT = "system:serviceaccount:openshift-jobset-operator:jobset-controller-manager"
"""JobSet's own account (openshift/jobset-operator, bindata/assets/jobset-controller-generated)."""
TRAIN_JOBS = "podwright-queued-train-jobs"
TRAINER_ACCOUNT = "system:serviceaccount:redhat-ods-applications:kubeflow-trainer-controller-manager"
"""Kubeflow Trainer's own account (rhods-operator, branch rhoai-3.4, prefetched-manifests/trainer/base/rbac)."""
_FACTS = ("labels", "absent", "nodes", "elsewhere")
_SUSPENDED = "{0}.spec.?suspend.orValue(false)"
_QUEUE = f"{{0}}.metadata.?labels[?'{QUEUE_LABEL}'].orValue('')"


def policies(queues: Queues | None, found: Lawful, *, sets: bool = False, trainer: bool = False) -> Iterator[Manifest]:
    """The policies, each before what puts it in force; none where nothing is enforced. `sets`: JobSet is installed,
    `trainer`: and Kubeflow Trainer."""
    if queues is None or not queues.enforce or not found.teams:
        return
    facts = {name: text for name, text in found.variables().items() if name in _FACTS}
    facts = {"pools": json.dumps({"training": sorted(queues.names)}), **facts}
    waits = "variables.gpus && variables.reached.size() > 0"
    yield from denying(
        JOBS,
        _asked("batch", "jobs"),
        [_of_teams(found), {"name": "starts-or-leaves", "expression": _changed()}],
        _jobs("job"),
        variables={
            **facts,
            **expressions.reaching("object.spec.template.spec"),
            **({"of_set": _of_set(), "waits": f"!variables.of_set && {waits}"} if sets else {"waits": waits}),
        },
    )
    if sets:
        yield from denying(
            SETS,
            {**_asked("jobset.x-k8s.io", "jobsets"), "apiVersions": ["v1alpha2"]},
            [_of_teams(found), {"name": "starts-or-leaves", "expression": _changed()}],
            _jobs("set"),
            variables={**facts, **_templates(trainer=trainer)},
        )
    if trainer:
        yield from denying(
            TRAIN_JOBS,
            {**_asked("trainer.kubeflow.org", "trainjobs"), "apiVersions": ["v1alpha1"]},
            [_of_teams(found), {"name": "starts-or-leaves", "expression": _changed()}],
            _jobs("TrainJob", "may take"),
            variables={"reached": json.dumps(sorted(queues.names)), "waits": "true"},
        )
    yield from denying(
        PODS,
        _asked("", "pods"),
        [_of_teams(found), TOLERATES_MORE],
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


def _of_set() -> str:
    """Whether JobSet's controller asks for the Job of a set."""
    owned = f"{expressions.MADE_BY}.exists(each, each == 'jobset.x-k8s.io/JobSet')"
    return f"request.userInfo.username == '{SET_ACCOUNT}' && {owned}"


def _templates(*, trainer: bool) -> dict[str, str]:
    """What pods of a set reach, by the first of its templates that asks for GPUs and reaches a pool with queues."""
    owned = f"{expressions.MADE_BY}.exists(each, each == 'trainer.kubeflow.org/TrainJob')"
    of_train_job = f"request.userInfo.username == '{TRAINER_ACCOUNT}' && {owned}"
    parts = expressions.reaching("spec")
    reached = re.sub(r"variables\.(node|affine|terms)\b", lambda part: f"({parts[part[1]]})", parts["reached"])
    specs = "object.spec.?replicatedJobs.orValue([]).map(each, each.template.spec.template.spec)"
    return {
        "specs": specs,
        "found": f"variables.specs.filter(spec, {parts['gpus']}).map(spec, {reached}).filter(pools, pools.size() > 0)",
        "reached": "variables.found.size() > 0 ? variables.found[0] : []",
        "waits": f"!({of_train_job}) && variables.reached.size() > 0" if trainer else "variables.reached.size() > 0",
    }


def _jobs(what: str, takes_them: str = "takes") -> list[dict[str, str]]:
    takes = f"'this {what} {takes_them} GPUs of pool ' + variables.reached[0] + ', whose jobs wait in queues: "
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
        "looks after Jobs alone here, whose pods the controller of Jobs makes'"
    )
    fine = f"!variables.gpus || variables.reached.size() == 0 || ({expressions.OF_JOB})"
    return {"expression": fine, "messageExpression": message, "reason": "Forbidden"}
