"""What a cluster's resources define of its servers: profiles, the policies they name, hosts, GPUs, planned VFs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..kubernetes import kind
from ..resource import Resource, UnknownValueError
from ..rule import NotApplicable
from .asked import asked, each_of, holds, indexed, members, sifted

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
Objects = Mapping[Key, Resource]
Check = Callable[[Resource], Iterable[str]]


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


def alone(object_type: str, *questions: Callable[[Resource, Object], Iterable[str]]) -> Check:
    """The check of one object by itself: its resource and properties are given to each question if it is of this
    type."""

    def checked(resource: Resource) -> Iterable[str]:
        if resource.type != POLICY or spec(resource).get("object_type") != object_type:
            raise NotApplicable(f"not a {object_type}")
        values = properties(resource)
        return asked(lambda ask: ask(resource, values), questions)

    return checked


def of_type(resources: Iterable[Resource], object_type: str) -> Iterator[Resource]:
    """Policies and pools of one of Intersight's types, those first of which the type is known."""
    of_intersight = (each for each in resources if each.type in (POLICY, POOL))
    return sifted(lambda each: _type(spec(each)) == object_type, of_intersight)


def objects(resources: Iterable[Resource]) -> Objects:
    """Every policy and pool, by type and name."""
    found = (each for each in resources if each.type in (POLICY, POOL))
    return indexed(found, lambda each: _type(spec(each)), lambda each: _name(spec(each)))


def attached(profile: Resource, known: Objects) -> Mapping[str, Resource]:
    """Policies that a server profile names, by type; those that nobody defines are left out."""
    return named(spec(profile).get("policies"), known)


def named(references: Any, known: Objects) -> Mapping[str, Resource]:
    """What a list of references names, by type, of which it has one each; what nobody defines is left out."""
    return _Named(indexed(members(references), _type), known)


class _Named(Mapping[str, Resource]):
    """Each is looked for when it is asked for."""

    def __init__(self, references: Mapping[str, Object], known: Objects) -> None:
        self._references, self._known = references, known

    def __getitem__(self, kind: str) -> Resource:
        return self._known[key(self._references[kind])]

    def __iter__(self) -> Iterator[str]:
        return sifted(self.__contains__, self._references)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def key(reference: Object) -> Key:
    """Type and name of what a reference names."""
    return _type(reference), _name(reference)


def _type(about: Object) -> str:
    return str(about.get("object_type"))


def _name(about: Object) -> str:
    return str(about.get("name"))


def target(references: Any) -> Iterator[Key]:
    """What a reference, or a list of them, names."""
    if isinstance(references, Mapping):
        return each_of(key, [references] if references else [])
    return each_of(key, members(references))


def domain_name(domain: Resource) -> str:
    """Name of a domain profile's pair: the frontend's cables go to `<name>-a` and `<name>-b`."""
    return str(spec(domain).get("name"))


def pairs(resources: Iterable[Resource]) -> Mapping[str, Object]:
    """What is known of each pair of interconnects itself, by name."""
    return indexed(_about(resources, PAIR), lambda each: str(each.get("domain")))


def machines(resources: Iterable[Resource]) -> Mapping[str, Object]:
    """What is known of each server itself (`model`, `gpus`, `cores`), by host name."""
    return indexed(_about(resources, *MACHINES), lambda each: str(each.get("host")))


def _about(resources: Iterable[Resource], *tokens: str) -> Iterator[Object]:
    of_these = (each for each in resources if each.type in tokens)
    return sifted(bool, each_of(lambda each: each.props.get("about") or {}, of_these))


def nodes(resources: Sequence[Resource]) -> Mapping[str, Object]:
    """Metadata of each node, by its server's host name: one that was renamed kept the name of its node."""
    hosts = indexed(_about(resources, *MACHINES), node_of)
    found = each_of(lambda each: each.props.get("metadata") or {}, (each for each in resources if kind(each) == "Node"))
    return indexed(found, lambda each: _host(_name(each), hosts))


def _host(node: str, hosts: Mapping[str, Object]) -> str:
    return str(hosts[node].get("host")) if node in hosts else node


def node_of(about: Object) -> str:
    """Name of a server's node, by what is known of the server itself."""
    return str(about.get("node") or about.get("host"))


def selected(selector: Any, found: Mapping[str, Object]) -> Iterator[str]:
    """Names of the nodes that a node selector takes."""
    return sifted(lambda name: _selects(selector or {}, found[name].get("labels") or {}), found)


def _selects(wanted: Object, labels: Object) -> bool:
    """Whether labels are as wanted, of which one that is known to be otherwise is enough to say no."""
    if holds(lambda name: wanted[name] is not None and str(wanted[name]) != str(labels.get(name)), wanted):
        return False
    return holds(lambda name: wanted[name] is not None, wanted)


def hosts_with_vfs(resources: Sequence[Resource]) -> Iterator[str]:
    """Hosts on which an SR-IOV policy creates VFs."""
    found = nodes(resources)
    policies = (each for each in resources if kind(each) == "SriovNetworkNodePolicy")
    makes = sifted(lambda each: int(spec(each).get("numVfs") or 0) > 0, policies)
    return asked(lambda each: selected(spec(each).get("nodeSelector"), found), makes)


def children(resource: Resource, object_type: str) -> Iterator[Object]:
    """Objects of one type that live inside a policy: vNICs, VLANs, port roles."""
    return sifted(lambda each: _type(each) == object_type, members(spec(resource).get("children")))


def part(owner: Object, *path: str) -> Any:
    """What is inside a value at a path; an empty map where nothing is."""
    found: Any = owner
    for each in path:
        found = found.get(each) or {}
    return found


def called(inside: Object) -> str:
    """Name of an object inside a policy, as a sentence has it."""
    return shown(inside, "name")


def shown(values: Object, name: str, otherwise: str = "None") -> str:
    """A value as a sentence has it that holds whatever it is. The engine has every number as one with a fraction."""
    try:
        value = values.get(name) or otherwise
    except UnknownValueError:
        return "(not known yet)"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
