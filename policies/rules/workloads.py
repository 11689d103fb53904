"""Rules about what runs where."""

import re
from collections.abc import Iterator, Sequence

from .kubernetes import containers, kind, leaves_image_out, of_kind, pod_spec, pod_specs, runs_pods, selected_labels
from .resource import Resource
from .rule import Finding, NotApplicable, Rule, StackRule, nothing, strings

_POOL = "podwright.io/pool"
_PURPOSE = "podwright.io/purpose"
_INFRA = "node-role.kubernetes.io/infra"
_SYSTEM = ("openshift-", "kube-")
"""Beginnings of the names of namespaces whose pods infrastructure nodes are for."""
_DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")


_is_pool = of_kind("MachineConfigPool")


def _pool_or_pods(token: str) -> bool:
    return _is_pool(token) or runs_pods(token)


def _purposes(resources: Sequence[Resource]) -> dict[str, str]:
    """What each pool of the cluster is for, by its name; empty where its label is missing."""
    found = {}
    for resource in resources:
        if kind(resource) == "MachineConfigPool":
            metadata = resource.props.get("metadata") or {}
            found[str(metadata.get("name"))] = strings(metadata.get("labels")).get(_PURPOSE, "")
    return found


def _idle(resources: Sequence[Resource]) -> Iterator[Finding]:
    pools = {pool for pool, purpose in _purposes(resources).items() if purpose == "infrastructure"}
    wanted = {(_PURPOSE, "infrastructure"), (_INFRA, "")}
    wanted |= {pair for pool in pools for pair in ((_POOL, pool), (f"node-role.kubernetes.io/{pool}", ""))}
    pods = [each for each in resources if runs_pods(each.type)]
    if not pods:
        raise NotApplicable("the stack runs no pods")
    for resource in pods:
        namespace = str((resource.props.get("metadata") or {}).get("namespace") or "")
        selected = {pair for pod in pod_specs(resource) for pair in selected_labels(pod)}
        if not namespace.startswith(_SYSTEM) and wanted & selected:
            yield Finding(f"{kind(resource)} {resource.name} asks for an infrastructure node", resource.urn)


def _digest(resource: Resource) -> Iterator[str]:
    for container in containers(pod_spec(resource)):
        image = str(container.get("image") or "")
        if not _DIGEST.search(image) and (image or not leaves_image_out(resource)):
            yield f"{kind(resource)} {resource.name}: container {container.get('name')} runs {image or 'no image'}"


def _alone(resource: Resource) -> Iterator[str]:
    if kind(resource) != "Job":
        raise NotApplicable("not a Job")
    spec = resource.props.get("spec") or {}
    # Members that find each other by name are no independent tasks.
    together = pod_spec(resource).get("subdomain") and spec.get("parallelism") not in (None, 1)
    if not together or spec.get("backoffLimitPerIndex") is None:
        raise NotApplicable("no members that need each other")
    if spec.get("maxFailedIndexes") != 0:
        yield f"Job {resource.name}: when a member has failed for good, the others keep their servers"


WORKLOADS: tuple[Rule | StackRule, ...] = (
    StackRule(
        id="workloads-none-on-infrastructure",
        title="No workload on an infrastructure node",
        why="A node that runs OpenShift's own components alone needs no subscription; one pod of a team makes it a "
        "worker that does, and takes processors and memory from every router and from monitoring.",
        fix="Name a pool of purpose cpu, training or inference.",
        reference="https://docs.redhat.com/en/documentation/openshift_container_platform/4.17/html/machine_management/"
        "creating-infrastructure-machinesets",
        severity="medium",
        excused_by=nothing,
        types=_pool_or_pods,
        compare=_idle,
    ),
    Rule(
        id="workloads-image-by-digest",
        title="Images are pinned by digest",
        why="A tag can change under a running cluster: two nodes then run two programs under one name.",
        fix="Write the image as name@sha256:<digest>; `skopeo inspect` prints it.",
        reference="https://kubernetes.io/docs/concepts/containers/images/",
        severity="medium",
        types=runs_pods,
        check=_digest,
    ),
    Rule(
        id="workloads-members-end-together",
        title="A job of which a member has failed for good ends",
        why="With backoffLimitPerIndex each member has a limit of its own. When one has used it up the job goes on: "
        "the others wait for it and hold their GPUs until somebody looks.",
        fix="Write maxFailedIndexes: 0 beside backoffLimitPerIndex.",
        reference="https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index",
        severity="high",
        types=of_kind("Job"),
        check=_alone,
    ),
)
