"""Rules about objects that a cluster takes without a word and that do something else than they read."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from .kubernetes import called, kind, namespace, of_kind
from .resource import Resource
from .rule import Finding, NotApplicable, Rule, StackRule, items, nothing, strings

_HIGHEST: Final = 1_000_000_000
"""kube-apiserver keeps values above it for the system's own classes (HighestUserDefinablePriority)."""
_TRIDENT: Final = "csi.trident.netapp.io"
_PARAMETERS: Final = re.compile(
    r"^(backendType|media|provisioningType|snapshots|clones|encryption|IOPS|selector|storagePools|additionalStoragePools"
    r"|excludeStoragePools|fsType|csi\.storage\.k8s\.io/.+|trident\.netapp\.io/.+|attributes|requiredStorage|nasType|sanType)$"
)
"""Keys that Trident's StorageClass has (https://docs.netapp.com/us-en/trident/trident-reference/objects.html)."""
_FILESYSTEMS: Final = ("ext3", "ext4", "xfs")


def _name(resource: Resource) -> str:
    return str((resource.props.get("metadata") or {}).get("name") or resource.name)


def _grouped(resources: Sequence[Resource]) -> Iterator[Finding]:
    subscriptions = [each for each in resources if kind(each) == "Subscription" and "operators.coreos.com" in each.type]
    if not subscriptions:
        raise NotApplicable("no OLM subscription")
    groups = [namespace(each) for each in resources if kind(each) == "OperatorGroup"]
    for each in subscriptions:
        space = namespace(each)
        # These two namespaces come with a group of OpenShift's own.
        if space not in ("openshift-operators", "openshift-marketplace") and groups.count(space) != 1:
            many = "no OperatorGroup" if space not in groups else f"{groups.count(space)} OperatorGroups"
            excused = nothing if space in groups else _group_of(space)
            message = f"subscription {called(each)} is in namespace {space}, which has {many}"
            yield Finding(message, each.urn, (excused,))


def _group_of(space: str) -> Callable[[Resource], bool]:
    return lambda resource: kind(resource) == "OperatorGroup" and namespace(resource) == space


def _priority(resource: Resource) -> Iterator[str]:
    if kind(resource) != "PriorityClass":
        raise NotApplicable("no priority class")
    if _name(resource).startswith("system-"):
        # The API server takes the two of Kubernetes itself under this beginning, and no others.
        raise NotApplicable("a class of Kubernetes' own")
    name = f"PriorityClass {_name(resource)}"
    if not (value := int(resource.props.get("value") or 0)):
        yield f"{name} has no value: its pods are no more urgent than those without a class"
    if value > _HIGHEST:
        yield f"{name} has the value {value}: above {_HIGHEST} only the system's own classes may be"
    if not resource.props.get("preemptionPolicy"):
        yield f"{name} does not define whether it preempts"
    if resource.props.get("globalDefault"):
        yield f"{name} is given to every pod of the cluster that names none"


def _taints(resource: Resource) -> Iterator[str]:
    if kind(resource) != "Node":
        raise NotApplicable("no node")
    for taint in items((resource.props.get("spec") or {}).get("taints")):
        if taint.get("effect") == "NoExecute":
            yield f"Node {_name(resource)} is given the taint {taint.get('key')}:NoExecute"


def _classes(resource: Resource) -> Iterator[str]:
    if kind(resource) != "StorageClass":
        raise NotApplicable("no storage class")
    if resource.props.get("provisioner") != _TRIDENT:
        raise NotApplicable("not a class of Trident")
    parameters = strings(resource.props.get("parameters"))
    if "fsxFilesystemID" in parameters:
        raise NotApplicable("it makes its own backend, whose parameters it carries")
    for key in sorted(parameters):
        if not _PARAMETERS.match(key):
            yield f"StorageClass {_name(resource)} has a parameter {key}, which Trident does not know"


def _shared(resources: Sequence[Resource]) -> Iterator[Finding]:
    claims = [each for each in resources if kind(each) == "PersistentVolumeClaim"]
    if not claims:
        raise NotApplicable("no claim")
    classes = {_name(each): each for each in resources if kind(each) == "StorageClass"}
    for claim in claims:
        spec: Any = claim.props.get("spec") or {}
        of = classes.get(str(spec.get("storageClassName") or ""))
        parameters = strings(of.props.get("parameters")) if of else {}
        system = parameters.get("fsType") or parameters.get("csi.storage.k8s.io/fstype") or ""
        raw = spec.get("volumeMode") == "Block"
        if system in _FILESYSTEMS and "ReadWriteMany" in tuple(items(spec.get("accessModes"))) and not raw:
            name = str(spec["storageClassName"])
            message = f"claim {called(claim)} is to be written by several nodes, on {system} of class {name}"
            yield Finding(message, claim.urn, (_class_named(name),))


def _class_named(name: str) -> Callable[[Resource], bool]:
    return lambda resource: kind(resource) == "StorageClass" and _name(resource) == name


def _machine_set(resource: Resource) -> Iterator[str]:
    if kind(resource) != "MachineSet" or "machine.openshift.io" not in resource.type:
        raise NotApplicable("no MachineSet")
    spec: Any = resource.props.get("spec") or {}
    template: Any = spec.get("template") or {}
    wanted = strings((spec.get("selector") or {}).get("matchLabels"))
    labels = strings((template.get("metadata") or {}).get("labels"))
    if not wanted.items() <= labels.items() or not wanted:
        yield f"MachineSet {_name(resource)} makes machines that its own selector does not find"
    value: Any = ((template.get("spec") or {}).get("providerSpec") or {}).get("value") or {}
    if value.get("kind") != "BareMetalMachineProviderSpec":
        yield f"MachineSet {_name(resource)} has no BareMetalMachineProviderSpec: no controller makes a machine of it"


OBJECTS: tuple[Rule | StackRule, ...] = (
    StackRule(
        id="operators-group-beside-subscription",
        title="A subscription has one OperatorGroup in its namespace",
        why="OLM resolves a subscription for the namespaces of its group: without one, or with two, it waits for ever "
        "and no event says so.",
        fix="Add one OperatorGroup to the namespace, as every operator of the plan has.",
        reference="https://olm.operatorframework.io/docs/concepts/crds/operatorgroup/",
        severity="high",
        types=of_kind("Subscription", "OperatorGroup"),
        compare=_grouped,
    ),
    Rule(
        id="platform-priority-is-explicit",
        title="A priority class defines whether it preempts, and is nobody's default",
        why="The default preempts: one pod of a higher class ends a member of a gang, and the whole gang with it. A "
        "global default gives every system pod without a class the priority of a job.",
        fix="Write preemptionPolicy (Never for batch), no globalDefault, and a value from 1 to 1000000000.",
        reference="https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",
        severity="medium",
        types=of_kind("PriorityClass"),
        check=_priority,
    ),
    Rule(
        id="platform-taints-evict-no-driver",
        title="Taints of nodes keep pods away, they do not evict",
        why="The GPU operator's pods tolerate NoSchedule alone: NoExecute evicts the driver from under running jobs.",
        fix="Write effect: NoSchedule; to empty a node, drain it.",
        reference="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
        severity="high",
        types=of_kind("Node"),
        check=_taints,
    ),
    Rule(
        id="platform-trident-parameters-exist",
        title="Trident's storage classes have parameters that it knows",
        why="Trident refuses the class's volumes with an error at each claim, long after the class was taken.",
        fix="Choose by backendType, media, storagePools or selector; what a backend does stands in its backend.",
        reference="https://docs.netapp.com/us-en/trident/trident-reference/objects.html",
        severity="medium",
        types=of_kind("StorageClass"),
        check=_classes,
    ),
    StackRule(
        id="platform-shared-claims-have-a-shared-filesystem",
        title="A claim for several nodes is not on a filesystem of one",
        why="ext4 and xfs belong to one node: the second pod waits for ever, or two nodes destroy the filesystem.",
        fix="Name a class of NFS or a parallel filesystem for ReadWriteMany, or write ReadWriteOnce.",
        reference="https://kubernetes.io/docs/concepts/storage/persistent-volumes/",
        severity="high",
        types=of_kind("PersistentVolumeClaim", "StorageClass"),
        compare=_shared,
    ),
    Rule(
        id="platform-machine-sets-make-machines",
        title="A MachineSet finds its machines, and a controller makes them",
        why="Its definition takes any providerSpec: with another platform's, or labels that its selector does not "
        "match, it is accepted and no host ever joins, or more are made without end.",
        fix="Leave hosts to the servers section, which installs and joins them; or write "
        "BareMetalMachineProviderSpec and the selector's labels in the template.",
        reference="https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/machine_management/managing-user-provisioned-infrastructure-manually",
        severity="medium",
        types=of_kind("MachineSet"),
        check=_machine_set,
    ),
)
