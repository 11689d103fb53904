"""Nodes that fall silent: enough others to tell a machine from a network, and no rack or feed that counts as machines.

A node that is given up while it runs is reset, so what could take a lost switch for lost machines is refused here.
"""

import re
from collections.abc import Iterator, Mapping

from podwright.components.model.catalogue import SERVERS
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.fault_domains import domains_of
from podwright.components.model.coherence.platform import members
from podwright.components.model.coherence.references import reference
from podwright.components.model.compute import Server
from podwright.components.model.lost_nodes import LostNodes
from podwright.components.model.operators import Operators
from podwright.components.model.platform import FaultDomain
from podwright.components.model.problems import Loc, Problem, below, counted
from podwright.components.model.site import Site

_LOC: Loc = ("openshift", "lost_nodes")
FEWEST = 3
"""Servers of a pool. Of two, one that is silent to the other is in the same position as the other."""
_TERMINATING, _APART, _RESET, _SPARE = 300, 10, 120, 50
"""Seconds. Pods of a silent node are Terminating so long after its taint, and of nodes that fall silent together one
in ten gets the taint (Kubernetes: DefaultTolerationSeconds; kube-controller-manager, `--node-eviction-rate` 0.1). A
node is out of service no sooner than 120 after it was given up (medik8s/self-node-remediation,
internal/reboot/calculator.go, of a node without a watchdog): by then they have to be."""
_AGENTS = "self-node-remediation"
_OLDEST = (0, 12)
"""Earlier releases of the agents' operator cordon the node, and uncordon it afterwards whoever cordoned it
(medik8s/self-node-remediation, release-0.11, controllers/selfnoderemediation_controller.go: recoverNode)."""


def _lost_nodes(cluster: Cluster) -> Iterator[Problem]:
    section = cluster.openshift.lost_nodes if cluster.openshift else None
    if section is None:
        return
    seen: set[str] = set()
    for index, name in enumerate(section.pools):
        loc = (*_LOC, "pools", index)
        yield from reference(loc, name, cluster.pools, "pool", "pools")
        if name in seen:
            yield Problem(loc, f"pool {name} is written twice", "delete one of both")
        elif name in cluster.pools:
            yield from (each.moved(lambda own: (*_LOC, *own)) for each in _pool(cluster, section, name, index))
        seen.add(name)
    if cluster.operators is not None:
        yield from below(("operators",), agents_problems(cluster.operators))


def _pool(cluster: Cluster, section: LostNodes, name: str, index: int) -> Iterator[Problem]:
    yield from watched_problems(section, name, members(cluster.servers, name), cluster.site, index)


def watched_problems(
    section: LostNodes, name: str, servers: Mapping[str, Server], site: Site | None, index: int = 0
) -> Iterator[Problem]:
    """Contradictions of one watched pool; `site` None: where its servers stand is not known."""
    if len(servers) < FEWEST:
        few = f"pool {name} has {len(servers)} server{'s' * (len(servers) != 1)}"
        message = f"{few}; a node that is given up needs two others of its pool"
        yield Problem(("pools", index), message, "take this pool out, or give it three servers")
        return
    if section.max_lost * 2 >= len(servers):
        have = counted(len(servers), "server")
        message = f"{section.max_lost} lost nodes are half of pool {name} or more, which has {have}"
        yield Problem(("max_lost",), message, f"write {(len(servers) - 1) // 2} or less")
        return
    last = _TERMINATING + _APART * (section.max_lost - 1)
    soonest = last - _RESET + _SPARE + _APART
    if section.after_seconds < soonest:
        message = (
            f"of {section.max_lost} nodes that fall silent together pods of the last are Terminating after {last} s"
        )
        yield Problem(("after_seconds",), message, f"write {soonest} or more: a node given up before keeps its pods")
    shared = list(_shared(servers, site)) if site is not None else []
    fewest = min((each for each in shared if each[2] <= section.max_lost), default=None, key=lambda each: each[2])
    if fewest is not None:
        kind, where, count = fewest
        message = f"{kind} {where} has {count} servers of pool {name}: its loss would count as {count} lost nodes"
        yield Problem(("max_lost",), message, f"write {count - 1}")


def _shared(servers: Mapping[str, Server], site: Site) -> Iterator[tuple[FaultDomain, str, int]]:
    """Of each fault domain that takes down two servers or more: its kind, its name, how many."""
    pairs = {server.domain for server in servers.values() if server.domain is not None}
    counts: dict[tuple[FaultDomain, str], int] = {}
    for server in servers.values():
        if server.model not in SERVERS:
            continue
        for kind, names in domains_of(server, site, pairs).items():
            for each in names:
                counts[kind, each] = counts.get((kind, each), 0) + 1
    for (kind, where), count in counts.items():
        if count > 1:
            yield kind, where, count


def agents_problems(operators: Operators) -> list[Problem]:
    """A pin of the agents' operator that would uncordon what others cordoned; one without a number is OLM's."""
    pin = operators.pins.get(_AGENTS)
    found = re.search(r"\.v(\d+)\.(\d+)", pin.csv) if pin is not None else None
    if pin is not None and found is not None and (int(found[1]), int(found[2])) < _OLDEST:
        message = f"{pin.csv} uncordons a node that is back, also one that others cordoned"
        return [Problem(("pins", _AGENTS, "csv"), message, f"pin {_AGENTS}.v0.12.0 or later")]
    return []


CLUSTER = (_lost_nodes,)
