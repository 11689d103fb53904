"""What each field above the network changes, found by changing it in the examples, one at a time."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any, Final

from podwright.components import model
from podwright.components.changes.departures import in_cluster
from podwright.components.changes.impact import Impact, impacts
from podwright.components.changes.objects import object_impact
from podwright.components.design.platform import guard
from podwright.components.manifests import STACK_LABEL
from podwright.components.model import Cluster
from podwright.components.model.catalogue import RELEASE_SETS
from podwright.components.world import contents
from tests.design import whole
from tests.design.once import refusing
from tests.design.watches import watches
from tools.field_changes import Keys, Place, network_specs, others, places
from tools.goldens import stack_file

SECTIONS: Final = (
    "servers",
    "openshift",
    "pools",
    "operators",
    "storage",
    "workloads",
    "acceptance",
    "intersight",
    "bmc",
)
EXAMPLES: Final = ("lab", "prod", "platform")
"""Examples with a cluster."""
_LAYOUTS: Final = ("all-1g.18gb", "all-1g.12gb")
"""MIG layouts of the examples' GPUs."""
_KUBERNETES: Final = "kubernetes"
Planned = Mapping[tuple[str, str], Mapping[str, Any]]
"""Specs and manifests by token and name."""


@dataclass(frozen=True)
class Found:
    """What changing a field led to, in all examples and for every model of server."""

    impacts: tuple[Impact, ...]
    made: tuple[str, ...]
    """Kinds of what is made, or taken away, along with it."""


def found(below: Keys = (), examples: tuple[str, ...] = EXAMPLES) -> dict[str, Found | None]:
    """By field, what followed; None where no example takes another value there alone."""
    table: dict[str, Found | None] = {}
    for example in examples:
        cluster = model.load(stack_file(example))
        before, dumped = planned(cluster), cluster.model_dump(mode="json")
        for place in _every(cluster):
            known = table.get(place.name) if example != examples[0] else None
            if place.keys[: len(below)] != below or (known and (known.impacts or known.made)):
                continue
            table.setdefault(place.name, None)
            if (seen := _changed(dumped, before, cluster, place)) is not None:
                table[place.name] = _joined(table[place.name], seen)
    return table


def _every(cluster: Cluster) -> Iterator[Place]:
    """Fields of the sections; of servers, those of the first of each model, and those of every pool."""
    apart = ("servers", "pools")
    yield from (place for place in places(cluster) if place.keys[0] in SECTIONS and place.keys[0] not in apart)
    first = {server.model: name for name, server in reversed(cluster.servers.items())}
    for name in first.values():
        yield from places(cluster.servers[name], ("servers", name), "servers.*")
    for name, pool in cluster.pools.items():
        yield from places(pool, ("pools", name), "pools.*")


def _values(cluster: Cluster, place: Place) -> Iterator[Any]:
    """Values to try: those of the field's type, and names that it may refer to."""
    yield from others(place.value, place.annotation)
    if isinstance(place.value, str):
        named = (cluster.pools, cluster.teams, cluster.storage.classes, cluster.site.racks, RELEASE_SETS)
        yield from (name for section in named for name in section if name != place.value)
    elif isinstance(place.value, tuple):
        written = [str(each) if isinstance(each, IPv4Network) else each for each in place.value]
        yield from ([*written, "more"], written[1:])
    elif isinstance(place.value, Mapping):
        yield from ({"more": "1"}, {}, dict(list(place.value.items())[1:]))
    elif place.value is None:
        yield from (*_LAYOUTS, *cluster.pools, *cluster.domains, {"gbps_per_gpu": 1})


def _joined(known: Found | None, more: Found) -> Found:
    if known is None:
        return more
    return Found((*known.impacts, *more.impacts), tuple(sorted({*known.made, *more.made})))


def _changed(dumped: Any, before: Planned, old: Cluster, place: Place) -> Found | None:
    tried: Found | None = None
    for value in _values(old, place):
        mapping = copy.deepcopy(dumped)
        here = mapping
        for key in place.keys[:-1]:
            here = here[key]
        if here[place.keys[-1]] == value:
            continue
        here[place.keys[-1]] = value
        try:
            new = model.load(mapping)
            after = planned(new)
        except (model.SpecErrors, ValueError, KeyError, AssertionError):
            continue
        tried = between(before, after, old, new)
        if tried.impacts or tried.made:
            return tried
    return tried


def between(before: Planned, after: Planned, old: Cluster, new: Cluster) -> Found:
    """What lies between two plans."""
    impacted = list(in_cluster({"contents": _contents(old)}, {"contents": _contents(new)}))
    for key in before.keys() & after.keys():
        if key[0] != _KUBERNETES:
            impacted += impacts(key[0], before[key], after[key])
        elif (one := object_impact(before[key], after[key])) is not None:
            impacted.append(one)
    made = {
        _kind(key, plan[key])
        for plan, keys in ((before, before.keys() - after), (after, after.keys() - before))
        for key in keys
    }
    return Found(tuple(impacted), tuple(sorted(made)))


def _kind(key: tuple[str, str], spec: Mapping[str, Any]) -> str:
    return f"kubernetes:{spec['kind']}" if key[0] == _KUBERNETES else key[0]


def _contents(cluster: Cluster) -> dict[str, list[str]]:
    platform = (cluster.operators, cluster.servers, cluster.pools, cluster.openshift)
    return contents(*platform, volumes=cluster.storage.volumes, workloads=cluster.workloads)


def planned(cluster: Cluster) -> Planned:
    """Everything that a stack file plans, switches included: a server's rails are ports of a switch."""
    servers, platform, operators = whole.compute(cluster), whole.platform(cluster), whole.operators(cluster)
    assert cluster.intersight
    organization = cluster.intersight.organization
    settings = [setting for each in operators for setting in each.settings]
    specs: dict[tuple[str, str], Mapping[str, Any]] = {
        **{("podwright:nxos:Switch", name): spec for name, spec in network_specs(cluster.network).items()},
        **{("podwright:redfish:Server", name): spec for name, spec in servers.redfish.items()},
        **{("podwright:intersight:Pool", each.name): each.spec(organization) for each in servers.pools},
        **{
            ("podwright:intersight:Policy", f"{each.object_type} {each.name}"): each.spec(organization)
            for each in servers.policies
        },
        **{("podwright:intersight:ServerProfile", str(each.spec["name"])): each.spec for each in servers.profiles},
        **{("podwright:intersight:DomainProfile", str(each.spec["name"])): each.spec for each in servers.domains},
        **{("podwright:intersight:ChassisProfile", str(each.spec["name"])): each.spec for each in servers.chassis},
        ("podwright:openshift:Install", cluster.name): servers.install,
        **{
            ("podwright:openshift:Rollout", name): spec
            for name, spec in whole.rollouts(cluster, servers.digests).items()
        },
        **{("podwright:openshift:DriverRollout", name): spec for name, spec in whole.driver_rollouts(cluster).items()},
        **{("podwright:openshift:CanaryWatch", name): spec for name, spec in watches(cluster).items()},
        **{("podwright:openshift:HostNetwork", name): spec for name, spec in whole.host_networks(cluster).items()},
        **{
            ("podwright:openshift:Taint", name): plan.taint
            for name, plan in whole.node_pools(cluster).items()
            if plan.taint
        },
        **{
            ("podwright:openshift:Taint", f"{name} not admitted"): plan.admission_taint
            for name, plan in whole.node_pools(cluster).items()
            if plan.admission_taint
        },
        **{("podwright:openshift:OperatorInstall", each.name): each.approval for each in operators if each.approval},
        **{("podwright:openshift:PoolReady", name): spec for name, spec in whole.ready(cluster, settings).items()},
    }
    objects = [
        *guard(cluster.name, STACK_LABEL),
        *refusing(cluster),
        *platform.manifests,
        *platform.nodes,
        *(each for operator in operators for each in operator.manifests),
        *whole.storage(cluster),
        *whole.workloads(cluster),
    ]
    measured = {
        "kind": "FabricAcceptance",
        "metadata": {"name": cluster.name},
        "plan": whole.acceptance(cluster).document(),
    }
    for each in [*objects, measured]:
        meta = each["metadata"]
        specs[_KUBERNETES, f"{each['kind']} {meta.get('namespace', '')}/{meta['name']}"] = each
    return specs
