"""Rules about Red Hat OpenShift AI: nothing of it goes around queues and pools."""

from collections.abc import Iterator, Sequence
from typing import Final

from .kubernetes import kind, of_kind
from .law import POOL, PURPOSE, TRAINING, law
from .resource import Resource
from .rule import Finding, NotApplicable, Props, Rule, StackRule, strings
from .scheduling import selects, tolerates

_QUEUES: Final = ("Managed", "Unmanaged")
"""States of its Kueue in which the operator makes a queue of its own (red-hat-data-services/rhods-operator,
internal/controller/components/kueue: manageDefaultKueueResourcesAction; earlier releases take Managed, too)."""
_FACTS: Final = ("HardwareProfile", "MachineConfigPool", "Namespace", "Node", "ValidatingAdmissionPolicy")


def _apart(resource: Resource) -> Iterator[str]:
    if kind(resource) != "DataScienceCluster":
        raise NotApplicable("is no set of OpenShift AI's components")
    components = (resource.props.get("spec") or {}).get("components") or {}
    state = (components.get("kueue") or {}).get("managementState")
    if state in _QUEUES:
        yield f"DataScienceCluster {resource.name} has kueue {state}: its operator makes a queue of every GPU there is"
    served = components.get("kserve") or {}
    states = [(each or {}).get("managementState") for each in (served, served.get("wva"))]
    if states == ["Managed", "Managed"]:
        yield f"DataScienceCluster {resource.name} has wva of kserve Managed: it scales services beside all else"


def _node(resource: Resource) -> Props:
    """What a profile writes into a workbench: a node selector and tolerations."""
    scheduling = (resource.props.get("spec") or {}).get("scheduling") or {}
    found: Props = scheduling.get("node") or {}
    return found


def _workbenches(resources: Sequence[Resource]) -> Iterator[Finding]:
    profiles = [each for each in resources if kind(each) == "HardwareProfile"]
    if not profiles:
        raise NotApplicable("no workbench has a size")
    known = law(resources)
    for resource in profiles:
        node = _node(resource)
        found = [pool for pool in known.training if selects(node, known.known(pool)) and tolerates(node, (POOL, pool))]
        chosen = strings(node.get("nodeSelector"))
        if not known.training and chosen.get(PURPOSE) == TRAINING:
            found = [chosen.get(POOL) or "of another stack"]
        for pool in found:
            message = f"HardwareProfile {resource.name} puts workbenches on training pool {pool}"
            yield Finding(message, resource.urn, (known.changed_by(node, pool),))


_GUIDE: Final = (
    "https://docs.redhat.com/en/documentation/red_hat_openshift_ai_self-managed/latest/html/"
    "managing_openshift_ai/managing-workloads-with-kueue"
)

DATA_SCIENCE: tuple[Rule | StackRule, ...] = (
    Rule(
        id="platform-data-science-apart",
        title="OpenShift AI makes no queues and scales no services beside the stack's own",
        why="With kueue on, its operator makes a queue of all GPUs of all nodes, and one of it in each namespace whose "
        "jobs wait: what a team starts there counts against nobody's quota. With wva of kserve on, replicas of "
        "services are changed by what no scale of theirs says.",
        fix="Write managementState: Removed for kueue and for wva of kserve, or take openshift.data_science; jobs wait "
        "in openshift.queues, and workloads.inference.<name>.scale scales.",
        reference=_GUIDE,
        severity="high",
        types=of_kind("DataScienceCluster"),
        check=_apart,
    ),
    StackRule(
        id="platform-workbenches-off-training-pools",
        title="Workbenches stay off training pools",
        why="A workbench holds its GPU for days, in use or not. On a training node it keeps a gang from starting that "
        "needs all GPUs of the node.",
        fix="Name the pool in openshift.data_science.pools, of purpose inference or cpu, or write its label "
        "podwright.io/pool into the profile's nodeSelector with a toleration of that pool alone.",
        reference="https://docs.redhat.com/en/documentation/red_hat_openshift_ai_self-managed/latest/html/"
        "working_with_accelerators/working-with-hardware-profiles_accelerators",
        severity="high",
        types=of_kind(*_FACTS),
        compare=_workbenches,
    ),
)
