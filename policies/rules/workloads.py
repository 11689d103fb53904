"""Rules about what runs where."""

import re
from collections.abc import Iterator, Sequence

from .kubernetes import containers, kind, pod_labels, pod_spec, selected_labels
from .rule import Finding, NotApplicable, Resource, Rule, StackRule, strings

_POOL = "podwright.io/pool"
_PURPOSE = "podwright.io/purpose"
_SERVES = {"Deployment", "StatefulSet", "ReplicaSet"}
_DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")


def _training_pools(resources: Sequence[Resource]) -> set[str]:
    return {
        str((resource.props.get("metadata") or {}).get("name"))
        for resource in resources
        if kind(resource) == "MachineConfigPool"
        and strings((resource.props.get("metadata") or {}).get("labels")).get(_PURPOSE) == "training"
    }


def _no_inference(resources: Sequence[Resource]) -> Iterator[Finding]:
    pools = _training_pools(resources)
    if not pools:
        raise NotApplicable("the stack has no training pool")
    for resource in resources:
        try:
            pod = pod_spec(resource)
        except NotApplicable:
            continue
        serves = kind(resource) in _SERVES or pod_labels(resource).get("podwright.io/workload") == "inference"
        if not serves:
            continue
        chosen = set(selected_labels(pod))
        for pool in sorted(pools):
            if {(_POOL, pool), (f"node-role.kubernetes.io/{pool}", ""), (_PURPOSE, "training")} & chosen:
                yield Finding(
                    f"{kind(resource)} {resource.name} serves requests from training pool {pool}", resource.urn
                )


def _digest(resource: Resource) -> Iterator[str]:
    for container in containers(pod_spec(resource)):
        image = str(container.get("image") or "")
        if not _DIGEST.search(image):
            yield f"{kind(resource)} {resource.name}: container {container.get('name')} runs {image or 'no image'}"


WORKLOADS: tuple[Rule | StackRule, ...] = (
    StackRule(
        id="workloads-no-inference-on-training-pool",
        title="No inference on a training pool",
        why="One serving pod on a training node takes GPUs from a gang and holds every other member of it up.",
        fix="Name an inference pool in workloads.inference.<name>.pool.",
        reference="docs/reference/policies.md#workloads-no-inference-on-training-pool",
        severity="high",
        check=_no_inference,
    ),
    Rule(
        id="workloads-image-by-digest",
        title="Images are pinned by digest",
        why="A tag can change under a running cluster: two nodes then run two programs under one name.",
        fix="Write the image as name@sha256:<digest>; `skopeo inspect` prints it.",
        reference="https://kubernetes.io/docs/concepts/containers/images/",
        severity="medium",
        check=_digest,
    ),
)
