"""Rules about networks of nodes that run: what OVN-Kubernetes runs on is no matter of a policy, an address is one's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .kubernetes import kind, of_kind
from .resource import Resource
from .rule import Finding, NotApplicable, Rule, StackRule, apart, items, nothing, strings

_DOCS: Final = "https://github.com/openshift/openshift-docs/blob/main"
_GUIDE: Final = f"{_DOCS}/networking/networking_operators/k8s-nmstate-about-the-k8s-nmstate-operator.adoc"
_POLICY: Final = "NodeNetworkConfigurationPolicy"
_INSTALL: Final = "podwright:openshift:Install"
_BRIDGE: Final = "br-ex"
_ROLLOUT: Final = "podwright:openshift:HostNetwork"
_HOSTNAME: Final = "kubernetes.io/hostname"
_is_policy: Final = of_kind(_POLICY)


def _rows(resource: Resource) -> list[Mapping[str, Any]]:
    state: Any = (resource.props.get("spec") or {}).get("desiredState") or {}
    return [row for row in items(state.get("interfaces")) if isinstance(row, Mapping)]


def _ports(row: Mapping[str, Any]) -> Iterator[str]:
    bundle = row.get("link-aggregation") or {}
    yield from map(str, items(bundle.get("port") or bundle.get("ports")))
    yield from (str(port.get("name")) for port in items((row.get("bridge") or {}).get("port")))


def _under_the_bridge(resources: Sequence[Resource]) -> set[str]:
    """The bridge, and what hosts were installed with for the machine network, down to the NICs."""
    found = {_BRIDGE}
    for each in (one for one in resources if one.type == _INSTALL):
        for host in items((each.props.get("spec") or {}).get("hosts")):
            state = (host.get("network") or {}).get("state") or {}
            rows = {str(row["name"]): row for row in items(state.get("interfaces"))}
            todo = [str(route.get("next-hop-interface")) for route in items((state.get("routes") or {}).get("config"))]
            while todo:
                name = todo.pop()
                row = rows.get(name, {})
                found.add(name)
                base = (row.get("vlan") or {}).get("base-iface")
                todo += [other for other in [*_ports(row), *([base] if base else [])] if other not in found]
    return found


def _beside(resources: Sequence[Resource]) -> Iterator[Finding]:
    policies = [each for each in resources if kind(each) == _POLICY]
    rollouts = [each for each in resources if each.type == _ROLLOUT]
    if not policies and not rollouts:
        raise NotApplicable(f"no {_POLICY} and no {_ROLLOUT}")
    under = _under_the_bridge(resources)
    yield from apart(_brought(each, under) for each in rollouts)
    yield from apart(_changed(each, under) for each in policies)


def _changed(policy: Resource, under: set[str]) -> Iterator[Finding]:
    for row in _rows(policy):
        for name in dict.fromkeys(name for name in (str(row.get("name")), *_ports(row)) if name in under):
            yield Finding(f"{_POLICY} {policy.name} changes {name}, which OVN-Kubernetes runs on", policy.urn)


def _brought(rollout: Resource, under: set[str]) -> Iterator[Finding]:
    """Of what nodes that run are brought, what has the name of an interface that they were installed on."""
    listed: Any = (rollout.props.get("spec") or {}).get("interfaces")
    for node, rows in listed.items() if isinstance(listed, Mapping) else ():
        for row in (each for each in items(rows) if isinstance(each, Mapping)):
            for name in dict.fromkeys(name for name in (str(row.get("name")), *_ports(row)) if name in under):
                yield Finding(f"{rollout.name} changes {name} of {node}, which OVN-Kubernetes runs on", rollout.urn)


def _addresses(resource: Resource) -> Iterator[str]:
    if kind(resource) != _POLICY:
        raise NotApplicable(f"no {_POLICY}")
    spec: Any = resource.props.get("spec") or {}
    if _HOSTNAME in strings(spec.get("nodeSelector")):
        return
    for row in _rows(resource):
        given = [each for family in ("ipv4", "ipv6") for each in items((row.get(family) or {}).get("address"))]
        if given:
            yield f"every node that it selects would have {given[0].get('ip')} on {row.get('name')}"


HOST_NETWORKS: tuple[Rule | StackRule, ...] = (
    StackRule(
        id="platform-network-policies-beside-br-ex",
        title="No NodeNetworkConfigurationPolicy and no roll-out of networks changes br-ex or what is under it",
        why="OVN-Kubernetes runs on br-ex, the bond or NIC below it included. Red Hat supports no change of them on a "
        "node that runs; what it breaks, NMState rolls back after minutes without the node.",
        fix="Take the interface out; install the host anew for another bond. VLANs on the bond name it as base-iface, "
        "and a bond on a storage pair has other interfaces.",
        reference=_GUIDE,
        severity="critical",
        excused_by=nothing,
        types=lambda token: token in (_INSTALL, _ROLLOUT) or _is_policy(token),
        compare=_beside,
    ),
    Rule(
        id="platform-network-policies-one-node-an-address",
        title="A NodeNetworkConfigurationPolicy with addresses selects one node",
        why="A policy is applied as it is on every node that it selects: two nodes with one address answer for each "
        "other.",
        fix="Give each node a policy with nodeSelector kubernetes.io/hostname, or take addresses by DHCP.",
        reference=_GUIDE,
        severity="high",
        types=_is_policy,
        check=_addresses,
    ),
)
