"""What makes a pod lawful on a training pool's nodes, in plain data.

A pod reaches such a node when the scheduler would put it there (its selectors match the node's labels and it tolerates
the pool's taint), or when it names the node itself. It is lawful there if it is one of:

- training of a team: in a team's namespace, with priority class podwright-training or podwright-batch, of a
  kind whose pods end (`OWNERS`), made by the kind's own controller: any account that makes what others wrote can write
  an owner. What serves runs until somebody stops it, so that its kinds are not among them;
- of the system: in a namespace that only administrators of the cluster write (`SYSTEM`, and namespaces of operators
  that the stack subscribes to, of acceptance and of the pools' admission), unless a Deployment or StatefulSet asks for
  GPUs;
- a daemon without GPUs in a namespace that an administrator made, or lets in by a label (`DAEMONS`): storage drivers,
  logs. Not in a team's, nor in one that somebody requested for himself (`REQUESTED`), without that label;
- a static pod's mirror, which a kubelet makes;
- a debugging pod of somebody who may change nodes, with the host's processes and without GPUs (`kubectl debug node`;
  those of `oc debug node` are in namespaces openshift-debug-*, which are the system's).

Priority classes: only pods of teams' namespaces have podwright-training, podwright-batch and podwright-inference, and
each stays on the pools of its purpose by a selector that no other node matches.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from podwright.components.design.platform import admission
from podwright.components.design.platform.names import (
    ACCEPTANCE_NAMESPACE,
    BATCH,
    INFERENCE,
    POOL_LABEL,
    PURPOSE_LABEL,
    SYSTEM,
    TRAINING,
    priority_class,
)
from podwright.components.model import Pool, Server
from podwright.components.model.catalogue import RELEASE_SETS, Package

DAEMONS: Final = "podwright.io/daemons-on-training-pools"
"""Label of a namespace whose daemons run on training pools too; its value is `allowed`. Members of a project cannot
change its labels."""
JOB: Final = "batch/Job"
OWNERS: Final = (
    JOB, "kubeflow.org/JAXJob", "kubeflow.org/MPIJob", "kubeflow.org/PaddleJob", "kubeflow.org/PyTorchJob",
    "kubeflow.org/TFJob", "kubeflow.org/XGBoostJob",
)  # fmt: skip
"""Controllers whose pods end, by API group and kind. A CronJob, JobSet or TrainJob makes Jobs."""
OPERATORS: Final = ("training-operator", "mpi-operator")
"""Ends of the names of accounts whose operators make pods of the other owners: OpenShift AI has a prefix before it
(https://github.com/opendatahub-io/training-operator, manifests/rhoai; https://github.com/kubeflow/mpi-operator,
manifests/base)."""
SERVES: Final = ("ReplicaSet", "ReplicationController", "StatefulSet")
"""Controllers of pods that run until somebody stops them."""
CLASSES: Final = {
    priority_class(TRAINING): TRAINING, priority_class(BATCH): TRAINING, priority_class(INFERENCE): INFERENCE,
}  # fmt: skip
"""Purpose of the pools of each priority class."""
_ROLE: Final = "node-role.kubernetes.io/"
_MASTERS: Final = (f"{_ROLE}control-plane", f"{_ROLE}infra", f"{_ROLE}master")


@dataclass(frozen=True)
class Lawful:
    """The facts of one cluster that decide."""

    pools: Mapping[str, Sequence[str]]
    """Pools of each purpose that has a priority class."""
    labels: Mapping[str, Mapping[str, str]]
    """Labels that every node of a training pool has, by pool."""
    absent: Sequence[str]
    """Labels of other pools and of control-plane hosts, which no node of a training pool has."""
    nodes: Mapping[str, Sequence[str]]
    """Names of the nodes of each training pool."""
    elsewhere: Sequence[str]
    """Names of every other node: what is bound to one of them by name reaches no training pool, now or later."""
    teams: Sequence[str]
    """Namespaces of teams. Empty: not known here, so that any namespace but `default` and the system's may be one."""
    system: Sequence[str]
    """Namespaces of the system beside those that begin with one of `SYSTEM`."""

    def variables(self) -> dict[str, str]:
        """The facts as variables of an admission policy: JSON, which CEL reads as literals."""
        facts = {
            "pools": self.pools,
            "labels": self.labels,
            "absent": self.absent,
            "nodes": self.nodes,
            "elsewhere": self.elsewhere,
            "teams": self.teams,
            "system": self.system,
            "owners": OWNERS,
            "classes": CLASSES,
        }
        return {name: json.dumps(fact, sort_keys=True) for name, fact in facts.items()}


def lawful(
    pools: Mapping[str, Pool],
    servers: Mapping[str, Server],
    teams: Iterable[str],
    operators: Iterable[str] | None,
    *,
    rdma: bool,
) -> Lawful:
    """The facts of a cluster. `operators` are their namespaces; None: those of every release set. `rdma`:
    acceptance runs its pods over the rails."""
    training = sorted(name for name, pool in pools.items() if pool.purpose == TRAINING)
    others = {_ROLE + name for name in pools} - {_ROLE + name for name in training}
    known = {each.namespace for each in _packages()} if operators is None else set(operators)
    known |= {ACCEPTANCE_NAMESPACE} if rdma else set()
    known |= {admission.namespace(name) for name, pool in pools.items() if pool.admission}
    members = {name: sorted(host for host, each in servers.items() if each.pool == name) for name in training}
    return Lawful(
        pools={
            purpose: sorted(name for name, pool in pools.items() if pool.purpose == purpose)
            for purpose in dict.fromkeys(CLASSES.values())
        },
        labels={
            name: {POOL_LABEL: name, PURPOSE_LABEL: TRAINING, _ROLE + name: "", f"{_ROLE}worker": ""}
            for name in training
        },
        absent=sorted({*others, *_MASTERS}),
        nodes={name: hosts for name, hosts in members.items() if hosts},
        elsewhere=sorted(host for host, each in servers.items() if each.pool not in training),
        teams=sorted(teams),
        system=sorted(each for each in known if not each.startswith(SYSTEM)),
    )


def _packages() -> list[Package]:
    return [each for release in RELEASE_SETS.values() for each in release.packages]
