"""Coherence by section: what a component checks of its own arguments, by the functions the whole file is checked by.

A problem's `loc` is relative to the arguments: a path in the section itself, or `hosts`, `servers`, `site` and a path
in what was given beside it.
"""

from collections.abc import Collection, Mapping

from podwright.components.model.compute import Domain, Server
from podwright.components.model.network import FabricArgs
from podwright.components.model.operators import Operators
from podwright.components.model.pair import Pair
from podwright.components.model.platform import OpenShift, Pool
from podwright.components.model.problems import Problem
from podwright.components.model.site import Site
from podwright.components.model.workloads import Inference, Storage, Training


def fabric_problems(args: FabricArgs) -> list[Problem]:
    """Contradictions of all switches, what is cabled to them and the racks they stand in."""
    del args
    return []


def domain_problems(name: str, domain: Domain, frontend: Pair | None) -> list[Problem]:
    """Contradictions of one Fabric Interconnect pair and the frontend it hangs on."""
    del name, domain, frontend
    return []


def server_problems(name: str, server: Server) -> list[Problem]:
    """Contradictions of one server: its model, GPUs, how it is reached, whether it has rails."""
    del name, server
    return []


def openshift_problems(cluster: str, openshift: OpenShift, servers: Mapping[str, Server], site: Site) -> list[Problem]:
    """Contradictions of one installation: addresses, the control plane's spread, namespaces."""
    del cluster, openshift, servers, site
    return []


def pool_problems(name: str, pool: Pool, servers: Mapping[str, Server]) -> list[Problem]:
    """Contradictions of one node pool and its servers; servers of other pools may be given too."""
    del name, pool, servers
    return []


def operators_problems(operators: Operators, version: str | None) -> list[Problem]:
    """Contradictions of the operator stack; `version` is OpenShift's, None where it is not known."""
    del operators, version
    return []


def storage_problems(storage: Storage, teams: Collection[str]) -> list[Problem]:
    """Contradictions of classes and volumes; `teams` are the namespaces there are."""
    del storage, teams
    return []


def training_problems(name: str, job: Training, pool: Pool, servers: Mapping[str, Server]) -> list[Problem]:
    """Contradictions of one training job and the pool it runs on; `servers` are the pool's."""
    del name, job, pool, servers
    return []


def inference_problems(name: str, service: Inference, pool: Pool, servers: Mapping[str, Server]) -> list[Problem]:
    """Contradictions of one inference service and the pool it runs on; `servers` are the pool's."""
    del name, service, pool, servers
    return []
