"""Networks of pods and services: room for every node and its pods, apart from every network that a node knows."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from podwright.components.model.cluster_networks import ClusterNetworks
from podwright.components.model.coherence.addresses import overlapping
from podwright.components.model.coherence.platform import Installation
from podwright.components.model.platform import OpenShift
from podwright.components.model.problems import Loc, Problem, counted

AT: Loc = ("openshift", "networks")
OVN_KUBERNETES = {
    "OVN-Kubernetes' join subnet": IPv4Network("100.64.0.0/16"),
    "OVN-Kubernetes' transit subnet": IPv4Network("100.88.0.0/16"),
    "OVN-Kubernetes' masquerade subnet": IPv4Network("169.254.0.0/17"),
}
"""Subnets that OVN-Kubernetes uses inside every node
(https://github.com/openshift/openshift-docs/blob/main/networking/networking_overview/cidr-range-definitions.adoc);
the installer refuses networks that overlap one of them."""
JOINED_NODES = 2**16 - 4
"""Nodes that the join subnet has addresses for: the network operator wants fewer than its addresses less three."""
PODS = 250
"""Pods that a kubelet takes (`maxPods`), by OpenShift's default."""
OWN = 4
"""Addresses of a node's subnet that no pod gets: network, broadcast, gateway and the node's own port
(https://github.com/ovn-kubernetes/ovn-kubernetes/blob/master/go-controller/pkg/util/subnet_annotations.go and
`GetNodeGatewayIfAddr`, `GetNodeManagementIfAddr` beside it)."""
WIDEST_SERVICE = 12
"""kube-apiserver refuses a wider IPv4 service range (`maxCIDRBits`,
https://github.com/kubernetes/kubernetes/blob/master/cmd/kube-apiserver/app/options/validation.go)."""
BESIDE_NODES = 3
"""Addresses of the machine network that are no node's: the two virtual ones and the gateway."""
_DEFAULT = ClusterNetworks()


def subnets(networks: ClusterNetworks) -> int:
    """Nodes that the pod network has a subnet for; 0 where one node's is larger than the network."""
    spare = networks.host_prefix - networks.cluster.prefixlen
    return 1 << spare if spare >= 0 else 0


def planned(given: Installation) -> int:
    """Nodes that the networks must have room for. A server leaves before another joins, so none are added for that."""
    return max(given.openshift.networks.max_nodes or 0, len(given.servers))


def _room(given: Installation) -> Iterator[Problem]:
    networks, nodes = given.openshift.networks, planned(given)
    at = _place(networks, "cluster", "host_prefix")
    bits = (nodes - 1).bit_length()
    length = networks.host_prefix
    if subnets(networks) < nodes:
        narrower = networks.cluster.prefixlen + bits
        hint = f"write a /{max(0, length - bits)} for cluster" if length >= bits else "write a longer host_prefix"
        if narrower <= _longest():
            hint += f", or host_prefix: {narrower}"
        message = (
            f"{networks.cluster} has {subnets(networks)} subnets of /{length}, one for each node, "
            f"and {nodes} nodes are planned"
        )
        yield Problem(at, message, hint)
    elif subnets(networks) > JOINED_NODES:
        message = (
            f"{networks.cluster} has {subnets(networks)} subnets of /{length}, more than the {JOINED_NODES} nodes that "
            "OVN-Kubernetes' join subnet has addresses for"
        )
        yield Problem(at, message, f"write a /{length - 15} or narrower for cluster")


def _pods(given: Installation) -> Iterator[Problem]:
    length = given.openshift.networks.host_prefix
    if length > _longest():
        left = max(0, (1 << (32 - length)) - OWN)
        message = f"a /{length} has addresses for {left} pods, and a node takes {PODS}"
        yield Problem((*AT, "host_prefix"), message, f"write {_longest()} or less")


def _longest() -> int:
    """The longest host prefix that leaves every pod an address."""
    return 32 - (PODS + OWN - 1).bit_length()


def _nodes(given: Installation) -> Iterator[Problem]:
    nodes, have = given.openshift.networks.max_nodes, len(given.servers)
    machine = given.openshift.machine_network
    if nodes is None:
        return
    at = (*AT, "max_nodes")
    if nodes < have:
        yield Problem(at, f"the file has {counted(have, 'server')}", f"write {have} or more")
    room = machine.num_addresses - 2 - BESIDE_NODES
    if room < nodes:
        fits = counted(max(0, room), "node")
        message = f"the machine network {machine} has addresses for {fits} beside its gateway and VIPs"
        yield Problem(at, message, f"write {room} or less, or take a wider machine network" if room >= have else "")


def _service(given: Installation) -> Iterator[Problem]:
    service = given.openshift.networks.service
    if service.prefixlen < WIDEST_SERVICE:
        message = f"{service} is wider than the API server takes"
        yield Problem((*AT, "service"), message, f"write a /{WIDEST_SERVICE} or narrower, such as 172.30.0.0/16")


def _internal(given: Installation) -> Iterator[Problem]:
    """The machine network too: the installer refuses it all the same."""
    shift = given.openshift
    found: dict[Loc, IPv4Network] = {("openshift", "machine_network"): shift.machine_network}
    for loc, network in {**found, **_all(shift.networks)}.items():
        yield from overlapping({loc: network}, OVN_KUBERNETES)


def _apart(given: Installation) -> Iterator[Problem]:
    shift = given.openshift
    machine: dict[Loc, IPv4Network] = {("openshift", "machine_network"): shift.machine_network}
    yield from overlapping(machine | defined(shift), known(shift))


def known(shift: OpenShift) -> dict[str, IPv4Network]:
    """The networks of pods and services that are the installer's own: who overlaps one takes another."""
    networks = shift.networks
    pairs = {"OpenShift's pod network": "cluster", "OpenShift's service network": "service"}
    return {name: getattr(_DEFAULT, key) for name, key in pairs.items() if getattr(networks, key) == _network(key)}


def defined(shift: OpenShift) -> dict[Loc, IPv4Network]:
    """The networks of pods and services that the file defines, by their path."""
    return {loc: network for loc, network in _all(shift.networks).items() if network != _network(str(loc[-1]))}


def _all(networks: ClusterNetworks) -> dict[Loc, IPv4Network]:
    return {(*AT, "cluster"): networks.cluster, (*AT, "service"): networks.service}


def _network(key: str) -> IPv4Network:
    found: IPv4Network = getattr(_DEFAULT, key)
    return found


def _place(networks: ClusterNetworks, first: str, second: str) -> Loc:
    """Where the file differs from the defaults, which a person can change: the first of two keys, or the other."""
    changed = [key for key in (first, second) if getattr(networks, key) != getattr(_DEFAULT, key)]
    return (*AT, changed[-1] if changed else "max_nodes" if networks.max_nodes else first)


OPENSHIFT = (_room, _pods, _nodes, _service, _internal)
OPENSHIFT_ALONE = (_apart,)
"""For an installation by itself; in a file the fabric's networks are compared with these too."""
