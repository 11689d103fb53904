"""Rules about pods, and about whatever has a pod template, in Common Expression Language.

What a kind that is not listed makes (JobSet, RayCluster, LeaderWorkerSet) is asked about once it makes pods. No field
is read without asking first whether it is there: what cannot be evaluated is refused.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from podwright.components.design.platform.admission_rules.rule import LiveRule
from podwright.components.design.platform.names import (
    BATCH,
    INFERENCE,
    NOT_ADMITTED,
    PURPOSE_LABEL,
    TRAINING,
    priority_class,
)
from podwright.components.design.platform.queued_jobs import SET_ACCOUNT, TRAINER_ACCOUNT

KINDS: Final = (("", "v1", ("pods",)), ("apps", "v1", ("daemonsets", "deployments", "replicasets", "statefulsets")),
                ("batch", "v1", ("cronjobs", "jobs")))  # fmt: skip
"""Group, version and resources that have a pod's fields."""
_SERVICES: Final = (("apps", "v1", ("deployments", "statefulsets")),)
_REPLICAS: Final = (("apps", "v1", ("deployments", "replicasets", "statefulsets")),)
_JOBS: Final = (("batch", "v1", ("cronjobs", "jobs")), ("", "v1", ("pods",)))
_JOB: Final = (("batch", "v1", ("jobs",)),)


def _pod(owner: str) -> str:
    return (
        f"(request.kind.kind == 'Pod' ? {owner}.spec : request.kind.kind == 'CronJob' ? "
        f"{owner}.spec.jobTemplate.spec.template.spec : {owner}.spec.template.spec)"
    )


def _meta() -> str:
    """Metadata of the pods that an object makes."""
    return (
        "(request.kind.kind == 'Pod' ? object.?metadata : request.kind.kind == 'CronJob' ? "
        "object.spec.jobTemplate.spec.template.?metadata : object.spec.template.?metadata)"
    )


def _differ(part: str) -> str:
    return f"{_pod('object')}.?{part}.orValue([]) != {_pod('oldObject')}.?{part}.orValue([])"


CHANGED: Final = " || ".join(map(_differ, ("containers", "initContainers", "tolerations")))
"""Of a pod that exists images and tolerations can be changed; Kueue puts selectors into the template of a job."""
VARIABLES: Final[Mapping[str, str]] = {
    "pod": _pod("object"),
    "boxes": "variables.pod.?initContainers.orValue([]) + variables.pod.?containers.orValue([])",
}
_LABELS: Final[Mapping[str, str]] = {"labels": f"{_meta()}.?labels.orValue({{}})"}
_ASKS: Final = "box.?resources.?{0}.orValue({{}}).exists(key, key.startsWith('{1}'))"
_MADE_BY: Final = "object.metadata.?ownerReferences.orValue([]).exists(each, each.?controller.orValue(false) && {0})"


def _asks(prefix: str, *parts: str) -> str:
    """Whether a container asks for resources of a prefix."""
    return "(" + " || ".join(_ASKS.format(part, prefix) for part in parts or ("limits", "requests")) + ")"


def _boxes(condition: str) -> str:
    """Names of containers of which something is true."""
    return f"variables.boxes.filter(box, {condition}).map(box, box.name)"


def _named(name: str, condition: str) -> str:
    """Whether a container has a variable whose value is so."""
    return f"box.?env.orValue([]).exists(row, row.name == '{name}' && {condition})"


_VALUE: Final = "row.?value.orValue('')"
_OFF: Final = f"{_VALUE} == '1'"
_NO_DEVICE: Final = (
    f"{_VALUE}.startsWith('^') && !{_VALUE}.startsWith('^=') && {_VALUE}.substring(1).split(',')"
    ".exists(each, each != '' && 'mlx5_'.startsWith(each.split(':')[0]))"
)
_MAY_LOCK: Final = (
    "(box.?securityContext.?privileged.orValue(false) || "
    "box.?securityContext.?capabilities.?add.orValue([]).exists(each, each in ['IPC_LOCK', 'ALL']))"
)
_SHARES: Final = (
    "box.?resources.?limits.orValue({}).exists(key, key.startsWith('nvidia.com/') && key.endsWith('.shared') && "
    "(quantity(string(box.resources.limits[key])).isGreaterThan(quantity('1')) || "
    f"variables.labels[?'{PURPOSE_LABEL}'].orValue('') == '{TRAINING}'))"
)
_TOLERATED: Final = (
    "each.?effect.orValue('') in ['', 'NoSchedule'] && each.?key.orValue('') in ['', '{0}'] && "
    "(each.?operator.orValue('') == 'Exists' || each.?value.orValue('') == '')"
)
_EARLY: Final = (
    f"variables.pod.?tolerations.orValue([]).filter(each, {_TOLERATED.format(NOT_ADMITTED)} && "
    f"((each.?key.orValue('') == '{NOT_ADMITTED}' && !variables.daemon) || variables.gpus))"
    ".map(each, each.?key.orValue('') == '' ? 'every taint' : each.key)"
)
_DAEMON: Final = (
    "request.kind.kind == 'DaemonSet' || (request.kind.kind == 'Pod' && "
    + _MADE_BY.format("each.kind == 'DaemonSet' && each.apiVersion == 'apps/v1'")
    + ")"
)
_OWN: Final = "object.spec.?volumeClaimTemplates.orValue([]).map(each, each.metadata.name)"
_WRITABLE: Final = (
    "variables.pod.?volumes.orValue([]).filter(each, each.?persistentVolumeClaim.hasValue() && "
    "!each.persistentVolumeClaim.?readOnly.orValue(false) && !(each.name in variables.own)).map(each, each.name)"
)
_NIM_CACHE: Final = _named("NIM_CACHE_PATH", f"{_VALUE} == mount.mountPath")
"""Replicas of a NIM share one by design."""
_WRITE: Final = (
    "variables.boxes.filter(box, box.?volumeMounts.orValue([]).exists(mount, mount.name in variables.writable && "
    f"!mount.?readOnly.orValue(false) && !{_NIM_CACHE})).map(box, box.name)"
)
_LIMIT: Final = (
    "({0}.?resources.?limits.?memory.hasValue() ? "
    "quantity(string({0}.resources.limits.memory)).asApproximateFloat() : 0.0)"
)
"""Bytes of memory that a container, or the pod, may use; 0 where it has no limit."""
_BOX_LIMIT: Final = _LIMIT.format("box")
_SIDECAR: Final = "box.?restartPolicy.orValue('') == 'Always'"
_MOST: Final = (
    f"{_LIMIT.format('variables.pod')} > 0.0 ? {_LIMIT.format('variables.pod')} : "
    f"variables.boxes.exists(box, {_BOX_LIMIT} == 0.0) ? 0.0 : "
    f"variables.starting.filter(box, {_SIDECAR}).map(box, {_BOX_LIMIT}).sum() + "
    f"(variables.starting.filter(box, !({_SIDECAR})).map(box, {_BOX_LIMIT}) + "
    f"[variables.pod.?containers.orValue([]).map(box, {_BOX_LIMIT}).sum()]).max()"
)
"""Bytes that all of a pod may use, as the pack's rule has them; 0 where nothing bounds it."""
_IN_MEMORY: Final = (
    "variables.pod.?volumes.orValue([]).filter(volume, volume.?emptyDir.?medium.orValue('') == 'Memory' && "
    "volume.emptyDir.?sizeLimit.hasValue())"
)
_SIZE: Final = "quantity(string(volume.emptyDir.sizeLimit)).asApproximateFloat()"
_WRITERS: Final = (
    "variables.boxes.filter(box, box.?volumeMounts.orValue([])"
    ".exists(mount, mount.name == volume.name && !mount.?readOnly.orValue(false)))"
)
_TOO_LARGE: Final = (
    f"[{_WRITERS}].exists(writers, writers.size() > 0 && ((writers.all(box, {_BOX_LIMIT} > 0.0) && "
    f"{_SIZE} > writers.map(box, {_BOX_LIMIT}).sum()) || (variables.most > 0.0 && {_SIZE} > variables.most)))"
)
_VOLUMES_CHANGED: Final = (
    f"[[object, oldObject].map(each, {_pod('each')}).map(pod, [pod.?containers.orValue([]), "
    "pod.?initContainers.orValue([]), pod.?volumes.orValue([])])].exists(both, both[0] != both[1])"
)
_CLASS: Final = "{0}.?priorityClassName.orValue('')"
_OF_SYSTEM: Final = "['openshift-user-critical', 'system-cluster-critical', 'system-node-critical']"
_QUEUE: Final = "kueue.x-k8s.io/queue-name"
_WAITS: Final = (
    f"(request.kind.kind == 'CronJob' ? '{_QUEUE}' in object.spec.jobTemplate.?metadata.?labels.orValue({{}}) : "
    f"'{_QUEUE}' in object.metadata.?labels.orValue({{}}))"
)
_OF_JOB: Final = "(request.kind.kind == 'Pod' && " + _MADE_BY.format("each.kind != 'Pod'") + ")"

RULES: Final = (
    LiveRule(
        id="workloads-image-by-digest",
        kinds=KINDS,
        wrong=_boxes("!box.?image.orValue('').matches('@sha256:[0-9a-f]{64}$')"),
        message="container {} runs no image by its digest: write name@sha256:<digest>",
    ),
    LiveRule(
        id="workloads-rdma-locks-memory",
        kinds=KINDS,
        wrong=_boxes(f"{_asks('openshift.io/')} && !{_MAY_LOCK}"),
        message="container {} asks for a function of a NIC and may not lock memory: write "
        "securityContext.capabilities.add [IPC_LOCK]",
    ),
    LiveRule(
        id="workloads-nccl-keeps-the-rails",
        kinds=KINDS,
        wrong=_boxes(f"{_named('NCCL_IB_DISABLE', _OFF)} || {_named('NCCL_IB_HCA', _NO_DEVICE)}"),
        message="container {} turns NCCL away from every rail: write NCCL_IB_HCA=mlx5, or leave it out",
    ),
    LiveRule(
        id="workloads-one-share-a-pod",
        kinds=KINDS,
        variables=_LABELS,
        wrong=_boxes(_SHARES),
        message="container {} asks for several shares of GPUs, or trains on one: ask for one share, or for whole GPUs",
    ),
    LiveRule(
        id="workloads-wait-for-admission",
        kinds=KINDS,
        variables={"daemon": _DAEMON, "gpus": f"variables.boxes.exists(box, {_asks('nvidia.com/', 'limits')})"},
        wrong=_EARLY,
        message="it tolerates {} and would run on nodes whose checks have not passed: take the toleration away",
    ),
    LiveRule(
        id="workloads-no-system-priority",
        kinds=KINDS,
        changed=f"{_CLASS.format(_pod('object'))} != {_CLASS.format(_pod('oldObject'))}",
        wrong=f"[{_CLASS.format('variables.pod')}].filter(each, each in {_OF_SYSTEM})",
        message="its pods of priority class {} would end those of other teams: leave the class out, or write "
        f"{priority_class(INFERENCE)} or {priority_class(TRAINING)}",
    ),
    LiveRule(
        id="workloads-start-is-waited-for",
        kinds=_SERVICES,
        wrong=_boxes(
            "box.?livenessProbe.hasValue() && !box.?startupProbe.hasValue() && "
            f"(box.livenessProbe.?initialDelaySeconds.orValue(0) >= 60 || {_asks('nvidia.com/')})"
        ),
        message="container {} has a livenessProbe and no startupProbe that waits for its model: add one",
    ),
    LiveRule(
        id="workloads-replicas-read-claims",
        kinds=_REPLICAS,
        changed="object.spec != oldObject.spec",
        variables={"own": _OWN, "writable": _WRITABLE},
        wrong=f"object.spec.?replicas.orValue(1) < 2 ? [] : {_WRITE}",
        message="several replicas may write a claim in container {}: mount it readOnly",
        advises=True,
    ),
    LiveRule(
        id="workloads-memory-volumes-fit",
        kinds=KINDS,
        changed=_VOLUMES_CHANGED,
        variables={"starting": "variables.pod.?initContainers.orValue([])", "most": _MOST, "in_memory": _IN_MEMORY},
        wrong=f"variables.in_memory.filter(volume, {_TOO_LARGE}).map(volume, volume.name)",
        message="volume {} may take more memory than those that write it have: write a smaller sizeLimit, or a larger "
        "memory limit",
    ),
    LiveRule(
        id="workloads-members-end-together",
        kinds=_JOB,
        changed="object.spec != oldObject.spec",
        wrong="variables.pod.?subdomain.orValue('') != '' && object.spec.?parallelism.orValue(1) != 1 && "
        "object.spec.?backoffLimitPerIndex.hasValue() && object.spec.?maxFailedIndexes.orValue(1) != 0 "
        "? [object.metadata.?name.orValue('')] : []",
        message="members of job {} keep their servers when one has failed for good: write maxFailedIndexes 0",
    ),
    LiveRule(
        id="workloads-batch-is-queued",
        kinds=_JOBS,
        changed="object.spec != oldObject.spec || object.metadata.?labels.orValue({}) != "
        "oldObject.metadata.?labels.orValue({})",
        wrong=f"variables.pod.?priorityClassName.orValue('') == '{priority_class(BATCH)}' && !{_WAITS} && !{_OF_JOB} "
        "? [request.kind.kind] : []",
        message=f"a {{}} of {priority_class(BATCH)} waits in no queue, and nothing stops it whole: label it {_QUEUE}",
    ),
)  # fmt: skip
_OF_SET: Final = (
    f"(request.kind.kind == 'Job' && request.userInfo.username == '{SET_ACCOUNT}' && "
    + _MADE_BY.format("each.kind == 'JobSet'")
    + ")"
)
_GIVES_WAY: Final = "{0}.?priorityClassName.orValue('') == '" + priority_class(BATCH) + "'"
_SET_GIVES_WAY: Final = (
    f"object.spec.replicatedJobs.exists(each, {_GIVES_WAY.format('each.template.spec.template.spec')})"
)


def _with_sets(rule: LiveRule) -> LiveRule:
    """The set waits, and its Jobs with it."""
    gives_way = f"(request.kind.kind == 'JobSet' ? {_SET_GIVES_WAY} : {_GIVES_WAY.format('variables.pod')})"
    wrong = f"{gives_way} && !{_WAITS} && !{_OF_JOB} && !{_OF_SET} ? [request.kind.kind] : []"
    return replace(rule, kinds=(*rule.kinds, ("jobset.x-k8s.io", "v1alpha2", ("jobsets",))), wrong=wrong)


WITH_SETS: Final = tuple(_with_sets(rule) if rule.id == "workloads-batch-is-queued" else rule for rule in RULES)
"""The rules where JobSet is installed: an existing policy stays as it is where it is not."""
_OF_TRAIN_JOB: Final = (
    f"(request.kind.kind == 'JobSet' && request.userInfo.username == '{TRAINER_ACCOUNT}' && "
    + _MADE_BY.format("each.kind == 'TrainJob'")
    + " && (request.operation == 'UPDATE' || object.spec.?suspend.orValue(false)))"
)
"""The set of a TrainJob that waits: Kueue has suspended that one when it was made, and starts it."""


def _with_trainer(rule: LiveRule) -> LiveRule:
    """The TrainJob waits, and its set with it."""
    return replace(rule, wrong=rule.wrong.replace(f"!{_OF_SET}", f"!{_OF_SET} && !{_OF_TRAIN_JOB}"))


WITH_TRAINER: Final = tuple(
    _with_trainer(rule) if rule.id == "workloads-batch-is-queued" else rule for rule in WITH_SETS
)
"""The rules where Kubeflow Trainer is installed too."""
