"""Two stack files out of one: the fabric's own, and the cluster's that takes its fabric from there."""

import io
from collections.abc import Iterator, Mapping
from typing import Any

from ruamel.yaml.comments import CommentedMap

from podwright.cli import extend
from podwright.components import model
from podwright.components.design import fabric
from podwright.components.model.hosts import Host

_OF_A_FABRIC = ("name", "site", "fabric", "hosts", "protect")
"""Sections that the switches are planned from, beside the machines that are cabled to them."""
_OF_A_HOST = Host.model_fields.keys() - {"domain"}
"""Fabric Interconnects stay the cluster's: no line of a switch names them."""


def fabric_file(cluster_text: str, existing: str, moved_from: str) -> str:
    """The fabric's file from the cluster's; what stands in the fabric's already (encryption, secrets) stays in it.

    A fabric's file that defines one only gets `moved_from`. Servers become `hosts` with what a port needs to know.
    """
    yaml = extend.round_trip()
    document = yaml.load(existing) or CommentedMap()
    config = document.setdefault("config", CommentedMap())
    if model.KEY not in config:
        config[model.KEY] = _sections(yaml.load(cluster_text)["config"][model.KEY])
    section = config[model.KEY]["fabric"]
    section.pop("moved_from", None)
    section.insert(0, "moved_from", moved_from)
    return _written(document)


def cluster_file(text: str, fabric_stack: str) -> str:
    """The cluster's file, which takes its fabric from that stack from now on."""
    document = extend.round_trip().load(text)
    section = document["config"][model.KEY].setdefault("fabric", CommentedMap())
    section.pop("moved_from", None)
    section.insert(0, "stack", fabric_stack)
    return _written(document)


def differences(of_cluster: model.Cluster, of_fabric: model.Cluster) -> list[str]:
    """What two files plan differently for the switches: nothing may be configured by a move."""
    if of_cluster.name != of_fabric.name:
        return [f"`name` must stay {of_cluster.name}, it is part of each resource's name; it is {of_fabric.name}"]
    before, after = (
        {switch.hostname: {**switch.config, **_ends(switch)} for switch in fabric.plan(each.network).switches}
        for each in (of_cluster, of_fabric)
    )
    return [
        f"{name}: {_first(before.get(name), after.get(name))}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


def _ends(switch: fabric.SwitchPlan) -> dict[str, str]:
    """What is cabled to each port, as the switch's resource has it."""
    return {f"cable of {port}": f"{end.device} {end.port} {end.role}" for port, end in switch.links.items()}


def _first(before: Mapping[str, str] | None, after: Mapping[str, str] | None) -> str:
    if before is None or after is None:
        return "is in one of the files only"
    block = next(key for key in [*before, *after] if before.get(key) != after.get(key))
    return f"`{block}` is not the same in both"


def _sections(cluster: CommentedMap) -> CommentedMap:
    servers = cluster.get("servers") or CommentedMap()
    for entry in servers.values():
        for key in [key for key in entry or () if key not in _OF_A_HOST]:
            del entry[key]
    openshift = cluster.get("openshift") or {}
    for vlan in _machine_vlans(cluster["fabric"]):
        # The machine network stays with the cluster: what follows from it is written out.
        if "machine_network" in openshift and "subnet" not in vlan:
            vlan["subnet"] = openshift["machine_network"]
    gateway = openshift.get("gateway")
    if gateway is not None and "frontend" in cluster["fabric"]:
        cluster["fabric"]["gateway"] = gateway
    hosts = cluster.get("hosts") or CommentedMap()
    for name in hosts:
        servers[name] = hosts[name]
    for key in [key for key in cluster if key not in _OF_A_FABRIC]:
        del cluster[key]
    cluster["hosts"] = servers
    return cluster


def _machine_vlans(fabric: CommentedMap) -> Iterator[CommentedMap]:
    """VLANs of the frontend pair whose purpose, written or by their name, is the servers' own network."""
    for name, vlan in ((fabric.get("frontend") or {}).get("vlans") or {}).items():
        if vlan.get("purpose", name) == "machine":
            yield vlan


def _written(document: Any) -> str:
    text = io.StringIO()
    extend.round_trip().dump(document, text)
    return text.getvalue()
