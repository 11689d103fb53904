"""What a pod of the plan names beside its node: namespace, account, priority, quota, networks and their addresses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

from tests.platforms.placing import Group, groups, quantity
from tests.platforms.planned import Object, of_kind

_NETWORKS = "k8s.v1.cni.cncf.io/networks"
_OWN_CLASSES = {"system-cluster-critical", "system-node-critical"}
"""Priority classes of every cluster."""


def wanting(found: list[Object]) -> list[str]:
    """What pods of this plan would wait for, or be refused for: one sentence each."""
    made = [each for each in found if each["kind"] in ("Job", "Deployment")]
    return [
        f"{each['kind']} {each['metadata']['name']}: {why}"
        for each in made
        for why in (*_named(each, found), *_networks(each, found))
    ] + list(_quotas(made, found))


def _named(workload: Object, found: list[Object]) -> Iterator[str]:
    spec, space = workload["spec"]["template"]["spec"], workload["metadata"]["namespace"]
    if space not in {each["metadata"]["name"] for each in of_kind(found, "Namespace")}:
        yield f"no namespace {space}"
    accounts = {(each["metadata"]["namespace"], each["metadata"]["name"]) for each in of_kind(found, "ServiceAccount")}
    if (space, spec["serviceAccountName"]) not in accounts:
        yield f"no account {spec['serviceAccountName']}"
    classes = {each["metadata"]["name"] for each in of_kind(found, "PriorityClass")} | _OWN_CLASSES
    if spec["priorityClassName"] not in classes:
        yield f"no priority class {spec['priorityClassName']}"


def _networks(workload: Object, found: list[Object]) -> Iterator[str]:
    template, space = workload["spec"]["template"], workload["metadata"]["namespace"]
    (group,) = groups([workload])
    named = template["metadata"].get("annotations", {}).get(_NETWORKS, "")
    wanted = Counter({name: count for name, count in group.asks.items() if name.startswith("openshift.io/")})
    attachments = {
        each["metadata"]["name"]: each["spec"]
        for each in of_kind(found, "SriovNetwork")
        if each["spec"]["networkNamespace"] == space
    }
    for each in filter(None, named.split(",")):
        name = each.partition("@")[0]
        if name not in attachments:
            yield f"no network {name} in {space}"
            continue
        wanted[f"openshift.io/{attachments[name]['resourceName']}"] -= 1
        yield from _addresses(group, json.loads(attachments[name]["ipam"]), found)
    yield from (f"{name} asked for {count} times more than attached" for name, count in wanted.items() if count)


def _addresses(group: Group, ipam: dict[str, Any], found: list[Object]) -> Iterator[str]:
    if ipam["type"] == "nv-ipam":
        if ipam["poolName"] not in {each["metadata"]["name"] for each in of_kind(found, "CIDRPool")}:
            yield f"no pool of addresses {ipam['poolName']}"
        return
    free = set(ip_network(ipam["range"]).hosts())
    for each in ipam["exclude"]:
        free -= set(ip_network(each))
    if len(free) < group.count:
        yield f"{len(free)} addresses for {group.count} pods"


def _quotas(made: list[Object], found: list[Object]) -> Iterator[str]:
    """Every workload of a namespace at once within what it may ask for."""
    asked: dict[str, Counter[str]] = {}
    for each in made:
        (group,) = groups([each])
        total = asked.setdefault(each["metadata"]["namespace"], Counter())
        total.update({f"requests.{name}": count * group.count for name, count in group.asks.items()})
    for quota in of_kind(found, "ResourceQuota"):
        space = quota["metadata"]["namespace"]
        for name, most in quota["spec"]["hard"].items():
            if asked.get(space, Counter())[name] > quantity(name.removeprefix("requests."), most):
                yield f"quota of {space}: {asked[space][name]} {name}, at most {most}"
