"""What a stack may leave its mark on, from the sections it uses: the resource that goes last looks there."""

from collections.abc import Iterable, Mapping
from typing import Any

from podwright.components.design.operators import packages
from podwright.components.model import Asked, FabricArgs, Intersight, OpenShift, Operators, Pool, Server
from podwright.components.model.asked import asked
from podwright.components.model.catalogue import Package
from podwright.components.model.coherence.references import switches
from podwright.components.model.switch import Switch
from podwright.components.model.workloads import Workloads

SCHEMA = 1
_KINDS = {"job": "", "jobset": " (JobSet)", "trainjob": " (TrainJob)"}
"""What a training job's name has behind it, by its kind."""


def searched(
    network: FabricArgs, servers: Mapping[str, Server], intersight: Intersight | None, openshift: OpenShift | None
) -> dict[str, Any]:
    """Spec of a cluster's `World`. The switches of another stack are that stack's to search."""
    fabric = network.fabric
    existing = {} if fabric.stack else switches(network)
    publish = openshift.publish if openshift else None
    return {
        "schema": SCHEMA,
        "cluster": network.cluster,
        "switches": {str(loc[-1]): _switch(switch, fabric.credential) for loc, switch in existing.items()},
        "servers": {name: _server(server, name if openshift else None) for name, server in servers.items()},
        "domains": {name: dict(pair.serials) for name, pair in network.domains.items()},
        "intersight": intersight is not None,
        "installation": {
            "cluster": network.cluster,
            "publish": {"directory": publish.directory, "url": publish.url},
        }
        if publish
        else {},
    }


def contents(
    operators: Operators | None,
    servers: Mapping[str, Server],
    pools: Mapping[str, Pool],
    openshift: OpenShift | None,
    *,
    volumes: Iterable[str],
    workloads: Workloads,
) -> dict[str, list[str]]:
    """What runs on the cluster, by name: part of its spec, so that a preview tells what of it leaves the plan.

    A training job that becomes one of another kind has another name here: it ends as one that leaves.
    """
    installed = [
        each.package for each in _subscribed(operators, servers, pools, openshift, asked(workloads, openshift))
    ]
    jobs = [name + _KINDS[job.kind] for name, job in workloads.training.items()]
    running: dict[str, Iterable[str]] = {"pools": pools, "operators": installed, "volumes": volumes, "training": jobs}
    running |= {"teams": openshift.teams if openshift else (), "inference": workloads.inference}
    return {kind: sorted(names) for kind, names in running.items() if names}


def homes(
    operators: Operators | None,
    servers: Mapping[str, Server],
    pools: Mapping[str, Pool],
    openshift: OpenShift | None,
    asked: Asked,
) -> list[str]:
    """Namespaces of the operators that the cluster gets."""
    return sorted({each.namespace for each in _subscribed(operators, servers, pools, openshift, asked)})


def _subscribed(
    operators: Operators | None,
    servers: Mapping[str, Server],
    pools: Mapping[str, Pool],
    openshift: OpenShift | None,
    asked: Asked,
) -> list[Package]:
    if operators is None:
        return []
    rails = any(pools[server.pool].rails for server in servers.values() if server.pool in pools)
    accelerated = any(server.gpus for server in servers.values())
    return packages(operators, openshift, rails=rails, gpus=accelerated, asked=asked)


def _switch(switch: Switch, credential: str) -> dict[str, str]:
    known = {"management": str(switch.management), "credential": credential}
    return known | _written(serial=switch.serial, renamed_from=switch.renamed_from)


def _server(server: Server, node: str | None) -> dict[str, str]:
    bmc = str(server.bmc) if server.bmc else None
    node = server.object_name or node if node else None
    return {"serial": server.serial} | _written(bmc=bmc, node=node, renamed_from=server.renamed_from)


def _written(**given: str | None) -> dict[str, str]:
    return {key: value for key, value in given.items() if value}
