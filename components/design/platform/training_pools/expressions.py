"""`lawful`, as the API server evaluates it: Common Expression Language over a pod that is made, or that tolerates more.

Selectors and tolerations are matched as the scheduler matches them (kubernetes, staging/src/k8s.io/component-helpers,
scheduling/corev1/nodeaffinity and api/core/v1/toleration.go). A label that is not known here may have any value, so
that a selector of it alone keeps nobody off a training pool. What is only preferred keeps nobody off at all.
"""

from collections.abc import Mapping
from typing import Final

from podwright.components.design.platform.names import (
    APPLICATIONS,
    BATCH,
    POOL_LABEL,
    PURPOSE_LABEL,
    REQUESTED,
    SYSTEM,
    TRAINING,
    priority_class,
)
from podwright.components.design.platform.training_pools.lawful import DAEMONS, JOB, OPERATORS, SERVES

_HOST: Final = "kubernetes.io/hostname"
_MIRROR: Final = "kubernetes.io/config.mirror"
_USER: Final = "request.userInfo.username"
_ACCOUNT: Final = "system:serviceaccount:"

SCHEDULED: Final = {
    "name": "is-not-the-scheduler",
    "expression": f"!({_USER} == 'system:kube-scheduler' || "
    + " || ".join(f"{_USER}.startsWith('{_ACCOUNT}{each}')" for each in SYSTEM)
    + ")",
}
BOUND: Final = {
    "expression": "!variables.nodes.exists(pool, object.?target.?name.orValue('') in variables.nodes[pool])",
    "messageExpression": "'node ' + object.target.name + ' is of a training pool, to which the cluster\\'s own "
    "scheduler alone binds pods: leave schedulerName out'",
    "reason": "Forbidden",
}


def _selected(key: str, value: str) -> str:
    """Whether a node of `pool` may have this value of a label."""
    return (
        f"({key} in variables.labels[pool] ? variables.labels[pool][{key}] == {value} : "
        f"{_absent(key)} ? false : {key} == '{_HOST}' ? !({value} in variables.elsewhere) : true)"
    )


def _absent(key: str) -> str:
    return f"({key} in variables.absent || variables.labels.exists(other, {key} in variables.labels[other]))"


def _expression() -> str:
    """Whether a node of `pool` may match the expression `each` over labels."""
    values = "each.?values.orValue([])"
    known = (
        f"(each.operator == 'In' ? variables.labels[pool][each.key] in {values} : "
        f"each.operator == 'NotIn' ? !(variables.labels[pool][each.key] in {values}) : each.operator == 'Exists')"
    )
    here = f"{values}.exists(name, !(name in variables.elsewhere))"
    host = f"(each.operator == 'In' ? {here} : each.operator != 'DoesNotExist')"
    return (
        f"(each.key in variables.labels[pool] ? {known} : "
        f"{_absent('each.key')} ? each.operator in ['NotIn', 'DoesNotExist'] : each.key == '{_HOST}' ? {host} : true)"
    )


def _tolerated(spec: str) -> str:
    """Whether some toleration is one of the taint of `pool`. Operators that compare numbers may match."""
    key, operator = "each.?key.orValue('')", "each.?operator.orValue('')"
    return (
        f"{spec}.?tolerations.orValue([]).exists(each, each.?effect.orValue('') in ['', 'NoSchedule'] && "
        f"{key} in ['', '{POOL_LABEL}'] && ({operator} in ['', 'Equal'] ? "
        f"{key} == '{POOL_LABEL}' && each.?value.orValue('') == pool : true))"
    )


def _terms() -> str:
    """Whether some node selector term may match a node of `pool`; an empty one matches none."""
    fields = (
        "term.?matchFields.orValue([]).all(each, each.operator == 'In' ? "
        "each.?values.orValue([]).exists(name, !(name in variables.elsewhere)) : true)"
    )
    rows = "term.?matchExpressions.orValue([])"
    some = f"({rows}.size() > 0 || term.?matchFields.orValue([]).size() > 0)"
    return (
        f"(!variables.affine || variables.terms.exists(term, {some} && {rows}.all(each, {_expression()}) && {fields}))"
    )


def _kept(key: str, values: str) -> str:
    """Whether a node that has one of these values of a label is of the purpose of the pod's priority class."""
    return (
        f"({key} == '{POOL_LABEL}' ? {values}.all(value, value in variables.pools[variables.purpose]) : "
        f"{key} == '{PURPOSE_LABEL}' ? {values}.all(value, value == variables.purpose) : "
        f"variables.pools[variables.purpose].exists(pool, {key} == 'node-role.kubernetes.io/' + pool))"
    )


def reaching(spec: str) -> dict[str, str]:
    """Variables over what a pod's specification at a path reaches of training pools, and whether it asks for GPUs."""
    boxes = ("containers", "initContainers")
    asks = "each.?resources.?{0}.orValue({{}}).exists(key, key.startsWith('nvidia.com/'))"
    any_of = " || ".join(asks.format(part) for part in ("limits", "requests"))
    required = f"{spec}.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution"
    selector = f"{spec}.?nodeSelector.orValue({{}})"
    return {
        "node": f"{spec}.?nodeName.orValue('')",
        "affine": f"{required}.hasValue()",
        "terms": f"{required}.?nodeSelectorTerms.orValue([])",
        "reached": "variables.pools['training'].filter(pool, variables.node != '' ? "
        "(pool in variables.nodes && variables.node in variables.nodes[pool]) : "
        f"{_tolerated(spec)} && {selector}.all(key, {_selected('key', f'{spec}.nodeSelector[key]')}) && {_terms()})",
        "gpus": " || ".join(f"{spec}.?{each}.orValue([]).exists(each, {any_of})" for each in boxes),
    }


MADE_BY: Final = (
    "object.metadata.?ownerReferences.orValue([]).filter(each, each.?controller.orValue(false))"
    ".map(each, each.apiVersion.split('/')[0] + '/' + each.kind)"
)
"""What a pod says that controls it, by API group and kind."""
OF_JOB: Final = (
    f"variables.made_by.exists(each, each == '{JOB}') && "
    f"{_USER} in ['system:kube-controller-manager', '{_ACCOUNT}kube-system:job-controller']"
)
"""Whether the cluster's controller of Jobs asks for a pod of one, under the name of the controller manager or, as on
OpenShift, under its own (kubernetes, `--use-service-account-credentials`). Whoever makes a pod may write any owner into
it, and so has OpenShift's controller of templates, or one of GitOps, do it for him."""


def pods() -> dict[str, str]:
    """Variables over a pod, each in terms of those before it and of the facts."""
    selector = "object.spec.?nodeSelector.orValue({})"
    spaces = " || ".join(f"request.namespace.startsWith('{each}')" for each in SYSTEM)
    inside = "variables.pools[variables.purpose]"
    alone = (
        f"each.operator == 'In' ? each.?values.orValue([]).size() > 0 && {_kept('each.key', 'each.values')} : "
        f"each.operator == 'Exists' && {inside}.exists(pool, each.key == 'node-role.kubernetes.io/' + pool)"
    )
    return {
        **reaching("object.spec"),
        "made_by": MADE_BY,
        "in_system": f"request.namespace in variables.system || {spaces}",
        "in_team": "variables.teams.size() == 0 ? !variables.in_system && request.namespace != 'default' : "
        "request.namespace in variables.teams",
        "priority": "object.spec.?priorityClassName.orValue('')",
        "purpose": "variables.priority in variables.classes ? variables.classes[variables.priority] : ''",
        "stays": f"variables.purpose == '' || {selector}.exists(key, {_kept('key', '[object.spec.nodeSelector[key]]')})"
        " || (variables.terms.size() > 0 && variables.terms.all(term, "
        f"term.?matchExpressions.orValue([]).exists(each, {alone})))",
        **_kinds_of_lawful(),
        "lawful": "variables.of_system || variables.of_training || variables.is_daemon || variables.is_mirror || "
        "variables.is_debug",
    }


def _of_operator() -> str:
    """Whether the operator of another kind whose pods end asks for a pod of it."""
    homes = " || ".join(f"variables.account[2].startsWith('{each}')" for each in SYSTEM)
    names = " || ".join(f"variables.account[3].endsWith('{each}')" for each in OPERATORS)
    return (
        f"variables.made_by.exists(each, each != '{JOB}' && each in variables.owners) && "
        f"variables.account.size() == 4 && ({names}) && "
        f"(variables.account[2] == '{APPLICATIONS}' || variables.account[2] in variables.system || {homes})"
    )


def _kinds_of_lawful() -> Mapping[str, str]:
    serves = ", ".join(f"'{each}'" for each in SERVES)
    return {
        "of_system": "variables.in_system && !(variables.gpus && "
        f"variables.made_by.exists(each, each.split('/')[1] in [{serves}]))",
        "account": f"{_USER}.startsWith('{_ACCOUNT}') ? {_USER}.split(':') : []",
        "of_training": f"variables.in_team && variables.purpose == '{TRAINING}' && (({OF_JOB}) || ({_of_operator()}))",
        "is_daemon": "'apps/DaemonSet' in variables.made_by && !variables.gpus && "
        f"(namespaceObject.metadata.?labels[?'{DAEMONS}'].orValue('') == 'allowed' || !variables.in_team && "
        f"!namespaceObject.metadata.?annotations[?'{REQUESTED}'].hasValue())",
        "is_mirror": f"{_USER}.startsWith('system:node:') && '{_MIRROR}' in object.metadata.?annotations.orValue({{}})",
        "is_debug": "object.spec.?hostPID.orValue(false) && !variables.gpus && variables.made_by.size() == 0 && "
        "authorizer.group('').resource('nodes').check('update').allowed()",
    }


def rules(classes: Mapping[str, str]) -> list[dict[str, str]]:
    """What is refused, with what to do instead."""
    job = f"a Job of a team with priorityClassName {priority_class(TRAINING)} or {priority_class(BATCH)}"
    unlawful = (
        "'this pod may run on nodes of training pool ' + variables.reached[0] + ', which are for training: take its "
        f"toleration or nodeName away, or select another pool by {POOL_LABEL}. Training is {job}'"
    )
    named = "'priority class ' + variables.priority + ' is for "
    outside = f"{named}pods of teams: leave it out in namespace ' + request.namespace"
    astray = (
        f"{named}pools of purpose ' + variables.purpose + ': select one of them by nodeSelector {POOL_LABEL} (' + "
        "variables.pools[variables.purpose].join(', ') + ')'"
    )
    names = ", ".join(f"'{each}'" for each in sorted(classes))
    return [
        {"expression": "variables.reached.size() == 0 || variables.lawful", "messageExpression": unlawful},
        {"expression": f"!(variables.priority in [{names}]) || variables.in_team", "messageExpression": outside},
        {"expression": "variables.stays", "messageExpression": astray},
    ]
