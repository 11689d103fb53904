"""What a cluster's resources define of its servers: profiles, the policies they name, hosts, GPUs, planned VFs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..kubernetes import kind
from ..resource import Resource
from ..rule import NotApplicable, items, strings

POLICY: Final = "podwright:intersight:Policy"
POOL: Final = "podwright:intersight:Pool"
PROFILE: Final = "podwright:intersight:ServerProfile"
DOMAIN: Final = "podwright:intersight:DomainProfile"
CHASSIS: Final = "podwright:intersight:ChassisProfile"
REDFISH: Final = "podwright:redfish:Server"
INSTALL: Final = "podwright:openshift:Install"
MACHINES: Final = ("podwright:index:ServerProfile", "podwright:index:RedfishServer")
"""Components of one server each; their `about` has its host name, model, GPUs and physical cores."""
PAIR: Final = "podwright:index:InterconnectDomain"
"""Component of one pair of interconnects; its `about` has the name, model, serial numbers and ports of the pair."""

ROLE: Final = "podwright:index:ServerRole"
"""Component of the servers that share policies; its `about` has the addresses that their controllers take, and what
stands in each chassis."""

Object = Mapping[str, Any]
Key = tuple[str, str]
"""Type and name of an Intersight object."""


def of(*tokens: str) -> Callable[[str], bool]:
    """The test of a type token for being one of these."""
    return frozenset(tokens).__contains__


def of_nodes(*tokens: str) -> Callable[[str], bool]:
    """The same, or objects of Kubernetes that name nodes: their labels and what selects them."""
    kinds = ("Node", "NodePatch", "SriovNetworkNodePolicy", "PerformanceProfile")
    return lambda token: token in tokens or (token.startswith("kubernetes:") and token.rpartition(":")[2] in kinds)


def spec(resource: Resource) -> Object:
    """The `spec` of a resource of ours."""
    return resource.props.get("spec") or {}


def properties(resource: Resource) -> Object:
    """Properties of a policy or pool."""
    return spec(resource).get("properties") or {}


def alone(object_type: str, check: Callable[[Resource, Object], Iterable[str]]) -> Callable[[Resource], Iterable[str]]:
    """The check of one object by itself: `check` is given its resource and properties if it is of this type."""

    def checked(resource: Resource) -> Iterable[str]:
        if resource.type != POLICY or spec(resource).get("object_type") != object_type:
            raise NotApplicable(f"not a {object_type}")
        return check(resource, properties(resource))

    return checked


def of_type(resources: Iterable[Resource], object_type: str) -> Iterator[Resource]:
    """Policies and pools of one of Intersight's types."""
    return (each for each in resources if each.type in (POLICY, POOL) and spec(each).get("object_type") == object_type)


def objects(resources: Iterable[Resource]) -> dict[Key, Resource]:
    """Every policy and pool, by type and name."""
    return {_key(spec(each)): each for each in resources if each.type in (POLICY, POOL)}


def attached(profile: Resource, known: Mapping[Key, Resource]) -> dict[str, Resource]:
    """Policies that a server profile names, by type; those that nobody defines are left out."""
    return named(items(spec(profile).get("policies")), known)


def named(references: Iterable[Object], known: Mapping[Key, Resource]) -> dict[str, Resource]:
    """What references name, by type; what nobody defines is left out."""
    keys = map(_key, references)
    return {key[0]: known[key] for key in keys if key in known}


def _key(reference: Object) -> Key:
    return str(reference.get("object_type")), str(reference.get("name"))


def target(references: Any) -> list[Key]:
    """What a reference, or a list of them, names."""
    if not references:
        return []
    return [_key(references)] if isinstance(references, Mapping) else [_key(each) for each in references]


def domain_name(domain: Resource) -> str:
    """Name of a domain profile's pair: the frontend's cables go to `<name>-a` and `<name>-b`."""
    return str(spec(domain).get("name"))


def pairs(resources: Iterable[Resource]) -> dict[str, Object]:
    """What is known of each pair of interconnects itself, by name."""
    found = [about for each in resources if each.type == PAIR if (about := each.props.get("about"))]
    return {str(each.get("domain")): each for each in found}


def machines(resources: Iterable[Resource]) -> dict[str, Object]:
    """What is known of each server itself (`model`, `gpus`, `cores`), by host name."""
    found = [about for each in resources if each.type in MACHINES if (about := each.props.get("about"))]
    return {str(each.get("host")): each for each in found}


def nodes(resources: Sequence[Resource]) -> dict[str, Mapping[str, str]]:
    """Labels of each node, by its server's host name: one that was renamed kept the name of its node."""
    hosts = {node_of(each): host for host, each in machines(resources).items()}
    found = (each.props.get("metadata") or {} for each in resources if kind(each) == "Node")
    return {hosts.get(name := str(each.get("name")), name): strings(each.get("labels")) for each in found}


def node_of(about: Object) -> str:
    """Name of a server's node, by what is known of the server itself."""
    return str(about.get("node") or about.get("host"))


def selected(selector: Any, labels: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Names of the nodes that a node selector takes."""
    wanted = strings(selector).items()
    return (name for name, own in labels.items() if wanted and wanted <= own.items())


def hosts_with_vfs(resources: Sequence[Resource]) -> set[str]:
    """Hosts on which an SR-IOV policy creates VFs."""
    labels, found = nodes(resources), set[str]()
    for each in resources:
        about = spec(each) if kind(each) == "SriovNetworkNodePolicy" else {}
        if int(about.get("numVfs") or 0) > 0:
            found.update(selected(about.get("nodeSelector"), labels))
    return found


def children(resource: Resource, object_type: str) -> list[Object]:
    """Objects of one type that live inside a policy: vNICs, VLANs, port roles."""
    return [each for each in items(spec(resource).get("children")) if each.get("object_type") == object_type]
