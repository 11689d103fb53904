"""What a stack file has beside its servers and their work, by lot: backups, a mirror, storage."""

import random
from pathlib import Path
from typing import Any

import yaml

from tools.generated import ROOT

Section = dict[str, Any]
_CLI = "registry.redhat.io/openshift4/ose-cli@sha256:5d9c474dc53d20e8e4bcb5a1c0d4a1f1fbcb7d95f1b1c4f3e2f0a5d1c2b3a495"
_DISCONNECTED: Path = ROOT / "tests/examples/disconnected/Pulumi.disconnected.yaml"


def backup(lot: random.Random) -> Section:
    """Backups of etcd, in some."""
    if lot.random() < 0.6:
        return {}
    copied = {"copy_to": {"server": "nfs-01.example.com", "path": "/exports/etcd"}} if lot.random() < 0.5 else {}
    hours = lot.choice((1, 4, 12, 24))
    return {"etcd_backup": {"image": _CLI, "every_hours": hours, "keep": lot.choice((2, 14)), **copied}}


def mirror(lot: random.Random) -> Section:
    """The mirror of the example, in some."""
    if lot.random() < 0.8:
        return {}
    found = yaml.safe_load(_DISCONNECTED.read_text())["config"]["podwright:cluster"]["openshift"]["mirror"]
    return {"mirror": found | {"sources": [*found["sources"], "registry.example.com/work"]}}


def storage(lot: random.Random, cluster: Section) -> None:
    """A class and a volume of one of the teams, in some; the team's workloads mount it where its nodes let them."""
    teams = list(cluster["openshift"]["teams"])
    if not teams or lot.random() < 0.6:
        return
    shared = lot.random() < 0.5
    made = {"provisioner": "csi.trident.netapp.io", "parameters": {"backendType": "ontap-nas"}, "shared": shared}
    volumes = {"corpus": {"team": lot.choice(teams), "storage_class": "data", "size_gib": lot.choice((10, 4096))}}
    cluster["storage"] = {"classes": {"data": made}, "volumes": volumes}
    work = cluster.get("workloads", {})
    jobs = [(job, "nodes") for job in work.get("training", {}).values()]
    jobs += [(job, "replicas") for job in work.get("inference", {}).values()]
    jobs = [(job, pods) for job, pods in jobs if job["team"] == volumes["corpus"]["team"]]
    if not shared:
        jobs = [each for each in jobs if each[0][each[1]] == 1][:1]
    for job, _ in jobs:
        job["volumes"] = {"corpus": {"path": "/data", "read_only": lot.random() < 0.5}}
        if lot.random() < 0.5:
            job["home_gib"] = lot.choice((1, 4))
