"""Coherence of one section by itself, as the components check their arguments: paths are relative to what is given."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model import coherence
from podwright.components.model.coherence.platform import members
from podwright.components.model.problems import Problem, dotted
from tests.model.changes import LAB, PROD, Said, both, put
from tests.model.test_coherence import CASES


def cluster(base: Said, *changes: Callable[[Said], None]) -> model.Cluster:
    said = copy.deepcopy(base)
    both(*changes)(said)
    return model.Cluster.model_validate_json(json.dumps(said), strict=True)


def found(problems: list[Problem]) -> list[tuple[str, str]]:
    return [(dotted(each.loc), each.message) for each in problems]


def everything(whole: model.Cluster) -> list[list[Problem]]:
    """Every section of a file, checked by itself."""
    pools, servers = whole.pools, whole.servers
    assert whole.openshift and whole.operators
    made = [
        coherence.fabric_problems(whole.network),
        coherence.openshift_problems(whole.name, whole.openshift, servers, whole.site),
        coherence.operators_problems(whole.operators, whole.openshift.version),
        coherence.storage_problems(whole.storage, whole.teams),
    ]
    assert whole.intersight
    made += [list(coherence.bonds_problems(servers, whole.fabric.frontend))]
    made += [coherence.firmware_problems(whole.intersight.firmware)]
    made += [coherence.management_problems(whole.intersight, whole.name, servers, whole.fabric.frontend)]
    if queues := whole.openshift.queues:
        made += [coherence.shares_problems(queues, pools, servers, model.nominal(whole))]
    if lost := whole.openshift.lost_nodes:
        watched = ((name, members(servers, name)) for name in lost.pools if name in pools)
        made += [list(coherence.watched_problems(lost, *each, whole.site)) for each in watched]
        made += [coherence.agents_problems(whole.operators)]
    if tools := whole.openshift.data_science:
        teams = {name: whole.teams[name] for name in tools.teams if name in whole.teams}
        named = {name: pools[name] for name in tools.pools if name in pools}
        here = {host: each for name in named for host, each in members(servers, name).items()}
        made += [coherence.tools_problems(tools, named, here, teams, whole.operators)]
    roles = whole.compute.roles
    made += [coherence.settings_problems(servers, roles)]
    made += [coherence.role_problems(servers, whole.domains, roles)]
    made += [coherence.own_firmware_problems(whole.intersight.firmware, servers, roles)]
    made += [list(coherence.organization_problems(whole.intersight, servers, roles))]
    made += [coherence.controller_firmware_problems(whole.bmc.firmware)] if whole.bmc else []
    isolated = {name: members(servers, name) for name, pool in pools.items() if pool.reserves_processors}
    made += [list(coherence.threads_problems(name, here, roles)) for name, here in isolated.items()]
    made += [coherence.server_problems(*each) for each in servers.items()]
    made += [coherence.domain_problems(*each, whole.fabric.frontend) for each in whole.domains.items()]
    made += [coherence.pool_problems(*each, servers) for each in pools.items()]
    jobs, services = whole.workloads.training.items(), whole.workloads.inference.items()
    attached = whole.fabric.attachments
    made += [coherence.training_problems(n, j, pools[j.pool], servers, attached) for n, j in jobs if j.pool in pools]
    stores = [(j, j.rendezvous_store.pool) for _, j in jobs if j.rendezvous_store is not None]
    made += [coherence.store_problems(j, pools[pool]) for j, pool in stores if pool in pools]
    made += [coherence.inference_problems(n, j, pools[j.pool], servers) for n, j in services if j.pool in pools]
    return made


def test_sections_of_a_coherent_file_have_no_problem() -> None:
    assert not any(everything(cluster(LAB)))
    assert not any(everything(cluster(PROD)))


ACROSS = {
    # what only a whole file contradicts: two sections that no component is given together
    *("servers.inf-01.pool", "workloads.training.pretrain.team", "workloads.inference.chat.pool"),
    *("servers.gpu-01.bmc", "fabric.frontend.vlans.machine.subnet", "fabric.host_ports", "acceptance.fan_in"),
    *("openshift.teams.research.gpus", "openshift.teams.chat.slices.1g.18gb", "openshift.teams.chat.slices.2g.36gb"),
    *("openshift.teams.chat.slices.1g.12gb", "workloads.inference.chat.volumes.chat-data"),
    *("intersight.firmware.versions.UCSC-C240-M8", "bmc.firmware.versions.UCSC-880A-M8"),
    *("storage.read.gbps_per_gpu", "storage.read.at_once"),
    *("pools.inference.sharing", "openshift.teams.chat.shares.gpu"),
    *("openshift.teams.chat.shares.1g.18gb", "openshift.teams.chat.shares.2g.35gb"),
    *("pools.training.hugepages_gib", "pools.inference.hugepages_gib", "workloads.inference.small.hugepages_gib"),
    *("workloads.training.pretrain.image", "workloads.inference.chat.image", "acceptance.image"),
    *("workloads.inference.chat.route.host", "workloads.inference.talk.route.host"),
    "openshift.images.signatures.ghcr.io",
    *("openshift.mirror.catalogs", "operators.gpu_driver", "operators.gds"),
    *("pools.training.gpu_driver", "pools.inference.gpu_driver"),
    *("openshift.host_network", "fabric.frontend.ports.gpu-01.vlans", "openshift.infrastructure.pool"),
    *("workloads.training.pretrain.volumes.corpsu", "workloads.training.pretrain.volumes.corpus"),
    *("workloads.training.pretrain.volumes.chat-models", "workloads.inference.chat.volumes.chat-models"),
    "workloads.inference.second.volumes.chat-data",
    "workloads.inference.chat.cpus",
    *("pools", "workloads", "acceptance", "servers.cp-01", "openshift.lost_nodes", "openshift.data_science"),
    *("openshift.inference_gateway", "workloads.inference.chat.gateway.host"),
    *("openshift.inference_gateway.keys", "openshift.teams.kuadrant-system", "operators.pins.rhcl-operator.csv"),
    *("openshift.service_mesh", "openshift.service_mesh.teams[0]", "openshift.service_mesh.teams[1]"),
    *("openshift.teams.ztunnel", "operators.pins.servicemeshoperator3.csv"),
    *("openshift.teams.vision.gpus", "openshift.queues.teams.vision.nominal", "openshift.queues.teams.visoin"),
    *("openshift.queues.teams.research.nominal.tuning", "operators.pins.kueue-operator.channel"),
    *("workloads.training.pretrain.priority", "workloads.training.pretrain.kind"),
    *("waivers[0].resource", "waivers[1].resource", "waivers[2]"),
}


BETWEEN = (
    "OpenShift's pod",
    "an MPS server serves",
    "masquerade",
    "vlans.storage.subnet",
    ", which is that of ",
    "the most left on one is ",
    'no pool "nowhere"',
    "the queue of team ",
    "all queues of pool ",
    *("team vision may have ", "team vision has no queue of pool "),
    "Kueue is one of the operators",
    "two members would share one",
    "is written twice",
    "writes its checkpoints to",
    "nothing stops a job whole",
    "in no queue, and without one nobody",
    "and the namespace of team vision has 40",
    "NVIDIA's catalogue",
    *("its objects are called", "has this name too", "the PeerAuthentication called default"),
    "nothing installs KServe",
    'there is no tenant "rde"',
    "the fabric has no tenants",
    "every switch has a VRF",
    ", which team ",
    "a leaf group of no tenant, and team",
    "of which tenant blue has",
    "others lend 0 of pool training",
    "0 of 2 members find",
    "pool plain has no servers",
    "the cluster has no inference gateway",
    "nodes pull the image of",
    *("KServe's own way to a service", "its proxy listens at port", "pods of chat take mutual TLS alone"),
    *("the gateway asks nobody for a key", "the gateway asks for keys"),
)
ALONE = [case for case in CASES if case[2] not in ACROSS and not any(words in case[3] for words in BETWEEN)]


@pytest.mark.parametrize(("base", "change", "loc", "message"), ALONE, ids=[f"{case[2]}: {case[3]}" for case in ALONE])
def test_a_section_finds_what_the_file_finds(
    base: Said, change: Callable[[Said], None], loc: str, message: str
) -> None:
    """Every contradiction is found by a section alone, but those of two sections."""
    alone = [each for part in everything(cluster(base, change)) for each in found(part)]
    assert any(message.replace("servers.", "hosts.") in what or message in what for _, what in alone), (loc, alone)


def _shift(whole: model.Cluster) -> model.OpenShift:
    assert whole.openshift
    return whole.openshift


RELATIVE: list[tuple[Callable[[Said], None], Callable[[model.Cluster], list[Problem]], str]] = [
    (
        put("servers/gpu-05/index", 4),
        lambda whole: coherence.fabric_problems(whole.network),
        "hosts.gpu-05.index",
    ),
    (
        put("fabric/leaves/leaf-02/management", "192.0.2.11"),
        lambda whole: coherence.fabric_problems(whole.network),
        "fabric.leaves.leaf-02.management",
    ),
    (
        put("servers/gpu-01/model", "UCSC-885A-M9"),
        lambda whole: coherence.server_problems("gpu-01", whole.servers["gpu-01"]),
        "model",
    ),
    (
        put("servers/inf-01/pool", "training"),
        lambda whole: coherence.pool_problems("training", whole.pools["training"], whole.servers),
        "servers.inf-01.pool",
    ),
    (
        put("pools/training/max_unavailable", 6),
        lambda whole: coherence.pool_problems("training", whole.pools["training"], whole.servers),
        "max_unavailable",
    ),
    (
        put("openshift/api_vip", "198.51.100.1"),
        lambda whole: coherence.openshift_problems(whole.name, _shift(whole), whole.servers, whole.site),
        "openshift.api_vip",
    ),
    (
        put("workloads/training/pretrain/nodes", 6),
        lambda whole: coherence.training_problems(
            "pretrain", whole.workloads.training["pretrain"], whole.pools["training"], whole.servers
        ),
        "nodes",
    ),
]


@pytest.mark.parametrize(("change", "check", "loc"), RELATIVE, ids=[each[2] for each in RELATIVE])
def test_places_are_relative_to_what_is_given(
    change: Callable[[Said], None], check: Callable[[model.Cluster], list[Problem]], loc: str
) -> None:
    assert loc in [where for where, _ in found(check(cluster(LAB, change)))]


def test_a_message_names_other_places_as_its_reader_knows_them() -> None:
    """`hosts` of a fabric are `servers` of a file, in the sentence as in the path."""
    whole = cluster(LAB, put("servers/gpu-05/index", 4))
    (alone,) = [each for each in coherence.fabric_problems(whole.network) if "index 4" in each.message]
    (of_file,) = [each for each in coherence.check(whole) if "index 4" in each.message]
    assert alone.message == "index 4 is taken by hosts.gpu-04.index"
    assert of_file.message == "index 4 is taken by servers.gpu-04.index"


def test_a_fabric_by_itself_compares_its_own_networks() -> None:
    args: Any = cluster(PROD, put("fabric/frontend/vlans/machine/subnet", "10.20.0.0/24")).network
    assert any("overlaps" in message for _, message in found(coherence.fabric_problems(args)))
