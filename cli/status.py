"""`podwright status STACK`: what came up, where each pod runs and why, what is slow, what to try next."""

import asyncio
import os
import time
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from podwright.cli import firmware, screen, slow, stack
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.compute.install import bmc_address, bmc_secret
from podwright.components.design.fabric import SwitchPlan
from podwright.components.providers.status import live
from podwright.components.providers.status.diagnosis import diagnose
from podwright.components.providers.status.snapshot import Snapshot
from podwright.components.providers.status.verdict import Expected


def show(console: Console, name: str, cluster: model.Cluster) -> bool:
    """Print the screen; true when nothing is wrong. Raises StackError or ValueError in words for people."""
    started = time.monotonic()
    known = stack.read(name)
    plan = fabric.plan(cluster.network)
    specs = tuple(switch_spec(cluster, switch) for switch in plan.switches)
    seen = asyncio.run(live.look(_wanted(cluster, specs, known), known.environ(os.environ)))
    facts = screen.Facts(name, cluster, plan, known, seen, prefix=stack.prefix(os.environ))
    if seen.snapshot is not None:
        facts.verdicts = diagnose(seen.snapshot, expected(cluster))
        facts.lossy = slow.lossy(specs, seen.switches, seen.snapshot)
        facts.slow = slow.slow(
            plan, facts.lossy, seen.snapshot, {node: name for name, node in cluster.node_names.items()}
        )
    elif cluster.openshift is None:
        facts.lossy = slow.lossy(specs, seen.switches, Snapshot())
    screen.show(console, facts, time.monotonic() - started)
    return facts.well


def lossy_places(cluster: model.Cluster, environ: Mapping[str, str]) -> list[slow.Lossy]:
    """What the switches hold right now that is out of the lossless class. Nothing but switches is asked."""
    specs = tuple(switch_spec(cluster, switch) for switch in fabric.plan(cluster.network).switches)
    seen = asyncio.run(live.look(live.Wanted(specs, cluster.fabric.user, (), "", None), environ))
    return slow.lossy(specs, seen.switches, Snapshot())


def expected(cluster: model.Cluster) -> tuple[Expected, ...]:
    """The workloads that the stack file asks for."""
    work = cluster.workloads
    kinds = {"job": "Job", "jobset": "JobSet", "trainjob": "TrainJob"}
    training = (Expected(kinds[each.kind], each.team, name, each.nodes) for name, each in work.training.items())
    stores = (
        Expected("Deployment", each.team, name + model.MEETING, 1)
        for name, each in work.training.items()
        if each.rendezvous_store is not None
    )
    served = model.versions(work.inference)
    inference = (
        Expected("Deployment", each.team, model.deployed(name, each), each.replicas) for _, name, each in served
    )
    return (*training, *stores, *inference)


def _wanted(cluster: model.Cluster, specs: tuple[dict[str, Any], ...], known: stack.Stack) -> live.Wanted:
    firmware_of = firmware.planned(cluster)
    bmc = cluster.bmc or model.Bmc(password="bmc-admin")  # noqa: S106 - a secret's name; no server has an address then
    servers = tuple(
        {
            "name": name,
            "address": address,
            "serial": server.serial,
            "credential": bmc_secret(server, bmc),
            "components": tuple(firmware_of[name].components or ()) if name in firmware_of else (),
            "certificate": server.certificate is not None,
        }
        for name, server in cluster.servers.items()
        if (address := bmc_address(server)) is not None
    )
    account, login = cluster.intersight, {}
    if account is not None:
        login = {"endpoint": account.endpoint, "key_id": account.key_id, "secret": account.key}
    bundles = tuple(cluster.servers[name].serial for name, each in firmware_of.items() if each.components is None)
    reached = known.kubeconfig if cluster.openshift else None
    return live.Wanted(specs, cluster.fabric.user, servers, bmc.user, reached, login, known.manifests, bundles)


def switch_spec(cluster: model.Cluster, switch: SwitchPlan) -> dict[str, Any]:
    """The parts of a switch's resource that reading and checking it needs."""
    return {
        "hostname": switch.hostname,
        "management": str(switch.management),
        "credential": cluster.fabric.credential,
        "config": dict(switch.config),
        "links": {p: {"device": end.device, "port": end.port, "role": end.role} for p, end in switch.links.items()},
        "lossless": dict(switch.lossless) if switch.lossless else None,
    }
