"""What pools and the cluster have beside servers, GPUs and rails, by lot: everything that operators and kubelets are
asked for by a key of its own."""

import random
from typing import Any, Final

Section = dict[str, Any]
_IMAGE: Final = "registry.example.com/checks/image@sha256:" + 64 * "7"
_DRIVERS: Final = ("580.95.05", "580.105.08")


def operators(lot: random.Random, *, mirrored: bool) -> Section:
    """Drivers, how NICs reach GPU memory, and modules beside the driver; with a mirror hardly any, since most are
    pulled by a tag."""
    made: Section = {}
    if mirrored and lot.random() < 0.9:
        return made
    if lot.random() < 0.3:
        made["gpu_driver"] = lot.choice(_DRIVERS)
    if lot.random() < 0.3:
        made["gpu_direct"] = lot.choice(("dma-buf", "peermem"))
    return made | {key: True for key in ("gdrcopy", "gds") if lot.random() < 0.2}


def cluster_wide(lot: random.Random, pools: Section) -> Section:
    """Keys of `openshift`: networks, the teams' part of the API server, queues, OpenShift's own pods on a pool."""
    made: Section = {}
    if lot.random() < 0.1:
        made["networks"] = {"cluster": "172.20.0.0/14", "service": "172.18.0.0/16", "max_nodes": lot.choice((64, 128))}
    if lot.random() < 0.2:
        made["team_api_shares"] = lot.choice((10, 100))
    for purpose, key in (("training", "queues"), ("infrastructure", "infrastructure")):
        able = [name for name, pool in pools.items() if pool["purpose"] == purpose]
        if able and lot.random() < 0.4:
            made[key] = {"pool": lot.choice(able)}
    if "queues" in made:
        made["queues"] |= {"evict_unready": lot.random() < 0.5, "cert_manager": lot.random() < 0.7}
    return made


def hosts(lot: random.Random, pool: Section, *, mirrored: bool) -> Section:
    """Keys of one pool, which its nodes' kubelet, runtime, drivers and admission follow from."""
    made: Section = {}
    if lot.random() < 0.25:
        # Rails are on both NUMA nodes of a server, so that hardly any pod of a pool with them could be aligned.
        policies = ("best-effort", *(() if pool.get("rails") and lot.random() < 0.9 else ("restricted",)))
        made["numa"] = {"policy": lot.choice(policies), "scope": lot.choice(("container", "pod"))}
    if lot.random() < 0.25:
        made["containers"] = {"pids": 32768, "log_mib": lot.choice((10, 200))}
        made["containers"] |= {"layer_gib": lot.choice((20, 200))} if lot.random() < 0.5 else {}
    if lot.random() < 0.2:
        array = lot.choice(("netapp-ontap", "pure-flasharray"))
        protocols = lot.sample(("iscsi", "fc", "nvme-tcp"), lot.randint(1, 3))
        made["block_storage"] = {"array": array, "protocols": protocols}
    if pool["purpose"] in ("training", "inference"):
        if not mirrored and lot.random() < 0.2:
            made["gpu_driver"] = lot.choice(_DRIVERS)
        if lot.random() < 0.25:
            nccl = {} if "mig" in pool or "sharing" in pool else {"nccl_image": _IMAGE}
            made["admission"] = {"controller_image": _IMAGE, "dcgm_image": _IMAGE, **nccl}
    return made


def shared(lot: random.Random, pool: Section) -> Section:
    """GPUs or slices of an inference pool that several pods share."""
    if pool["purpose"] != "inference" or lot.random() < 0.75:
        return {}
    mode = "time-slicing" if "mig" in pool else lot.choice(("time-slicing", "mps"))
    reason = {"reason": "all teams belong to one project"} if mode == "time-slicing" else {}
    return {"sharing": {"mode": mode, "replicas": lot.choice((2, 4, 16)), **reason}}


def route(lot: random.Random) -> Section:
    """How users outside reach a service, in some."""
    if lot.random() < 0.7:
        return {}
    balance = lot.choice(("leastconn", "random", "source", "cookie"))
    limits = {"limits": {"connections": 50}} if lot.random() < 0.5 else {}
    return {"route": {"balance": balance, "timeout_seconds": lot.choice((60, 3600)), **limits}}
