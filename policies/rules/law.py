"""What is lawful on a cluster's training pools: as its own admission policy has it, which is in the same plan.

A plan without that policy, of a stack whose cluster is another's, has the pools that it makes itself, and knows neither
teams nor operators.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from .kubernetes import kind
from .resource import Resource
from .rule import Props, items, strings
from .scheduling import HOST, NAME, Nodes, asked, selects, tolerates

POOL: Final = "podwright.io/pool"
PURPOSE: Final = "podwright.io/purpose"
ROLE: Final = "node-role.kubernetes.io/"
TRAINING, INFERENCE = "training", "inference"
POLICY: Final = "podwright-training-pools"
"""Name of the admission policy whose variables are the facts."""
CLASSES: Final = {"podwright-training": TRAINING, "podwright-batch": TRAINING, "podwright-inference": INFERENCE}
DAEMONS: Final = "podwright.io/daemons-on-training-pools"
REQUESTED: Final = "openshift.io/requester"
SYSTEM: Final = ("openshift-", "kube-")


@dataclass(frozen=True)
class Law:
    """The facts of one cluster, as the admission policy names them."""

    pools: Mapping[str, Sequence[str]]
    """Pools by purpose."""
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    absent: Sequence[str] = ()
    nodes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    elsewhere: Sequence[str] = ()
    teams: Sequence[str] = ()
    system: Sequence[str] = ()
    daemons: Sequence[str] = ()
    """Namespaces of this plan that an administrator has labelled with DAEMONS."""
    requested: Sequence[str] = ()
    """Namespaces of this plan that a user requested."""
    planned: bool = False
    """Whether these are the pools and nodes of the plan itself, in which the admission policy is not."""

    @property
    def training(self) -> list[str]:
        """Names of training pools."""
        return sorted(self.pools.get(TRAINING, ()))

    def known(self, pool: str) -> Nodes:
        """What is known of a training pool's nodes."""
        labels = self.labels[pool]
        absent = {*self.absent, *(key for each in self.labels.values() for key in each)} - labels.keys()
        return Nodes(labels, sorted(absent), self.elsewhere, (POOL, pool))

    def others(self) -> Iterator[Nodes]:
        """Nodes of no pool, and of each that is not for training."""
        keys = {POOL, PURPOSE, *(ROLE + name for names in self.pools.values() for name in names)}
        worker = {f"{ROLE}worker": ""}
        yield Nodes(worker, sorted(keys))
        for purpose, names in self.pools.items():
            for name in names if purpose != TRAINING else ():
                labels = {POOL: name, PURPOSE: purpose, ROLE + name: "", **worker}
                yield Nodes(labels, sorted(keys - labels.keys()))

    def changed_by(self, pod: Props, pool: str) -> Callable[[Resource], bool]:
        """The test of a resource for facts, other ones than these, by which a pod may not come to a training pool."""
        keys, node = asked(pod), str(pod.get("nodeName") or "")

        def may(one: Resource) -> bool:
            if not self.planned or kind(one) == "ValidatingAdmissionPolicy":
                return is_law(one)
            if kind(one) == "Node":
                return bool({HOST, NAME} & keys) or name_of(one) == node
            if kind(one) != "MachineConfigPool":
                return False
            beside = {POOL: name_of(one), ROLE + name_of(one): "", f"{ROLE}worker": ""}
            alone = not node and not tolerates(pod, (POOL, pool))
            return (
                (alone and selects(pod, Nodes(beside)))
                or not self.training
                or ROLE + name_of(one) in keys
                or name_of(one) == pool
            )

        return may

    def in_system(self, namespace: str) -> bool:
        """Whether administrators of the cluster alone write a namespace."""
        return namespace in self.system or namespace.startswith(SYSTEM)

    def has_daemons(self, namespace: str) -> bool:
        """Whether daemons of a namespace may run on every node. Of one that the plan does not make, who requested it is
        not known here; the API server knows."""
        if namespace in self.daemons:
            return True
        return not self.in_team(namespace) and namespace not in self.requested

    def in_team(self, namespace: str) -> bool:
        """Whether a namespace is a team's; any other than `default` may be where teams are not known."""
        if self.teams:
            return namespace in self.teams
        return not self.in_system(namespace) and namespace != "default"


def is_law(resource: Resource) -> bool:
    """Whether it is the admission policy whose variables are the facts."""
    return kind(resource) == "ValidatingAdmissionPolicy" and name_of(resource) == POLICY


def allows_daemons(space: Resource) -> bool:
    """Whether an administrator has labelled a namespace with DAEMONS."""
    return _labels(space).get(DAEMONS) == "allowed"


def of_purpose(pool: Resource) -> str:
    """What a pool is for; empty where its label is missing."""
    return _labels(pool).get(PURPOSE, "")


_KEYS: Final = ("pools", "labels", "absent", "nodes", "elsewhere", "teams", "system")


def law(resources: Sequence[Resource]) -> Law:
    """The facts of the cluster whose resources these are."""
    made = [each for each in resources if kind(each) == "Namespace"]
    spaces = {name_of(each): each for each in made}
    found = {
        "daemons": [name for name, each in spaces.items() if allows_daemons(each)],
        "requested": [
            name
            for name, each in spaces.items()
            if REQUESTED in strings((each.props.get("metadata") or {}).get("annotations"))
        ],
    }
    for each in resources:
        if is_law(each):
            facts = dict(_facts(each.props.get("spec") or {}))
            if "pools" in facts and "labels" in facts:
                known = Law(**{key: facts[key] for key in _KEYS if key in facts})
                return replace(known, daemons=found["daemons"], requested=found["requested"])
    return replace(_planned(resources), planned=True, daemons=found["daemons"], requested=found["requested"])


def _facts(spec: Props) -> Iterator[tuple[str, Any]]:
    """Variables that are JSON; the others are expressions."""
    for each in items(spec.get("variables")):
        text = str(each.get("expression"))
        if text.startswith(("{", "[")):
            yield str(each.get("name")), json.loads(text)


def name_of(resource: Resource) -> str:
    """An object's own name."""
    return str((resource.props.get("metadata") or {}).get("name"))


def _labels(resource: Resource) -> Mapping[str, str]:
    return strings((resource.props.get("metadata") or {}).get("labels"))


def _planned(resources: Sequence[Resource]) -> Law:
    """From pools and nodes of the plan itself."""
    purposes = {name_of(each): of_purpose(each) for each in resources if kind(each) == "MachineConfigPool"}
    nodes = {name_of(each): _labels(each).get(POOL, "") for each in resources if kind(each) == "Node"}
    training = [name for name, purpose in purposes.items() if purpose == TRAINING]
    return Law(
        pools={each: [pool for pool, of in purposes.items() if of == each] for each in sorted({*purposes.values()})},
        labels={name: {POOL: name, PURPOSE: TRAINING, ROLE + name: "", f"{ROLE}worker": ""} for name in training},
        absent=[ROLE + each for each in (*(set(purposes) - set(training)), "control-plane", "infra", "master")],
        nodes={pool: [name for name, of in nodes.items() if of == pool] for pool in training},
        elsewhere=[name for name, of in nodes.items() if of not in training],
    )
