"""The root of a stack file: one cluster."""

from collections.abc import Mapping
from typing import Any, Final

from podwright.components.model.asked import asked
from podwright.components.model.changes import Changes
from podwright.components.model.compute import Bmc, Domain, Intersight, Server
from podwright.components.model.fabric import Fabric
from podwright.components.model.hosts import Host
from podwright.components.model.network import FabricArgs
from podwright.components.model.operators import Operators
from podwright.components.model.pair import Pair
from podwright.components.model.platform import OpenShift, Pool
from podwright.components.model.problems import Loc
from podwright.components.model.settings import Compute
from podwright.components.model.site import Site
from podwright.components.model.storage import Storage
from podwright.components.model.teams import Team
from podwright.components.model.types import Name, Spec
from podwright.components.model.waivers import Waiver
from podwright.components.model.workloads import Acceptance, Asked, Workloads

BESIDE: Final = {"changes", "waivers"}
"""Sections of which nothing is made: they define what passes, and until when."""


class Cluster(Spec):
    """One cluster, in the operator's words."""

    name: Name
    """Name of the cluster."""
    site: Site
    """The site."""
    fabric: Fabric
    """The network."""
    intersight: Intersight | None = None
    """The Intersight account. Null: nothing of this stack is managed through one."""
    bmc: Bmc | None = None
    """Access to baseboard controllers. Null: no server of this stack is reached through its own."""
    hosts: dict[Name, Host] = {}
    """Machines on the backend that this stack does not install, by host name; no name may be a server's too."""
    domains: dict[Name, Domain] = {}
    """Fabric Interconnect pairs."""
    compute: Compute = Compute()
    """Settings that servers share by role."""
    servers: dict[Name, Server] = {}
    """Servers by host name. None: a fabric alone, for the machines under `hosts`."""
    openshift: OpenShift | None = None
    """The OpenShift installation. Null: what the servers run is installed by somebody else."""
    pools: dict[Name, Pool] = {}
    """Node pools by name; `control-plane` exists without being defined."""
    operators: Operators | None = None
    """The operator stack. Null: none is installed."""
    storage: Storage = Storage()
    """Storage classes and volumes."""
    workloads: Workloads = Workloads()
    """What runs."""
    acceptance: Acceptance | None = None
    """The RoCE acceptance check. Null: the fabric is not measured."""
    changes: Changes = Changes()
    """How much a change may disturb, and what is approved beyond that."""
    waivers: tuple[Waiver, ...] = ()
    """Findings of the policy pack that are accepted for a while."""
    protect: bool = False
    """Deletion protection: destroy refuses until it is lifted here."""

    @property
    def about(self) -> dict[str, Any]:
        """What the state of the whole has of the file: its sections by name, and its waivers.

        The policy pack runs in a process of its own and reads waivers there, in the inputs of a resource.
        """
        given = {"waivers": [each.model_dump(mode="json") for each in self.waivers]} if self.waivers else {}
        return {"sections": sorted(self.model_fields_set - BESIDE), **given}

    @property
    def waived_rules(self) -> list[str]:
        """Rules of the policy pack with a finding that is accepted for a while."""
        return sorted({each.rule for each in self.waivers})

    @property
    def teams(self) -> Mapping[str, Team]:
        """Teams by namespace; none without an installation."""
        return self.openshift.teams if self.openshift else {}

    @property
    def nodes(self) -> dict[str, Server]:
        """Servers by the name of their node, which stays when a server is renamed."""
        apart = {"object_name": None, "renamed_from": None}
        return {
            server.object_name or name: server.model_copy(update=apart) if server.object_name else server
            for name, server in self.servers.items()
        }

    @property
    def nodes_frontend(self) -> Pair | None:
        """The frontend pair with its servers by the name of their node."""
        return self._by_node(self.fabric.frontend)

    @property
    def nodes_storage(self) -> Pair | None:
        """The storage pair with its servers by the name of their node."""
        return self._by_node(self.fabric.storage)

    def _by_node(self, pair: Pair | None) -> Pair | None:
        nodes = self.node_names
        if pair is None:
            return None
        ports = {
            name: port.model_copy(update={"device": nodes.get(port.device, port.device)})
            for name, port in pair.ports.items()
        }
        return pair.model_copy(update={"ports": ports})

    @property
    def image_places(self) -> dict[Loc, str]:
        """Images that jobs, services, backups, checks of nodes and the acceptance run, by where the file names them."""
        work, found = self.workloads, dict[Loc, str]()
        found |= {("workloads", "training", name, "image"): job.image for name, job in work.training.items()}
        found |= {("workloads", "inference", name, "image"): each.image for name, each in work.inference.items()}
        for name, each in work.inference.items():
            if each.canary is not None and each.canary.image is not None:
                found["workloads", "inference", name, "canary", "image"] = each.canary.image
        if self.openshift is not None and self.openshift.etcd_backup is not None:
            found["openshift", "etcd_backup", "image"] = self.openshift.etcd_backup.image
        if self.openshift is not None and self.openshift.inference_gateway is not None:
            found["openshift", "inference_gateway", "picker_image"] = self.openshift.inference_gateway.picker_image
        for name, pool in self.pools.items():
            for key in ("controller_image", "dcgm_image", "nccl_image") if pool.admission is not None else ():
                if image := getattr(pool.admission, key):
                    found["pools", name, "admission", key] = image
        if self.acceptance is not None:
            found["acceptance", "image"] = self.acceptance.image
        return found

    @property
    def images(self) -> tuple[str, ...]:
        """The same images, each once."""
        return tuple(dict.fromkeys(self.image_places.values()))

    @property
    def has_rails(self) -> bool:
        """Whether some pool's servers have NICs on the backend."""
        return any(pool.rails for pool in self.pools.values())

    @property
    def has_certified(self) -> bool:
        """Whether an operator comes from the catalogue of certified ones: those of GPUs and of rails' NICs."""
        needed = self.has_rails or any(server.gpus for server in self.servers.values())
        return self.operators is not None and needed

    @property
    def has_batch(self) -> bool:
        """Whether some training job gives way to others."""
        return any(job.priority == "batch" for job in self.workloads.training.values())

    @property
    def has_sets(self) -> bool:
        """Whether JobSet is installed: some training job is a JobSet, or Kubeflow Trainer makes them."""
        return self.asked.sets

    @property
    def asked(self) -> Asked:
        """What runs that has an operator of its own."""
        return asked(self.workloads, self.openshift)

    @property
    def node_names(self) -> dict[str, str]:
        """Name of each server's node."""
        return {name: server.object_name or name for name, server in self.servers.items()}

    @property
    def network(self) -> FabricArgs:
        """What the fabric is planned from."""
        return FabricArgs.model_construct(
            cluster=self.name,
            site=self.site,
            fabric=self.fabric,
            hosts={**self.servers, **self.hosts},
            domains=self.domains,
            gateway=self.openshift.gateway if self.openshift else self.fabric.gateway,
            together=self.changes.together,
            protect=self.protect,
        )
