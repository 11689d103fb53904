"""What a loss leaves, looked up in classes and differences, against its definition over two whole networks."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations, product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric.failures import effects
from podwright.components.design.fabric.failures.network import Network, network
from podwright.components.design.fabric.failures.remains import Remains
from tests.design.fabric.test_failures import fabrics
from tools.generated import ROOT


def lost(was: Mapping[Any, float], left: Mapping[Any, float]) -> dict[Any, float]:
    """What is less than it was, with what is left of it."""
    return {key: left.get(key, 0) for key, had in was.items() if left.get(key, 0) < had}


def servers(at: Network) -> dict[str, float]:
    found: Counter[str] = Counter()
    for (server, _), (_, gbps) in at.nics.items():
        found[server] += gbps
    return dict(found)


def per_nic(at: Network) -> dict[tuple[str, int], float]:
    below: Counter[str] = Counter()
    speed: dict[tuple[str, int], int] = {}
    for (_, rail), (leaf, gbps) in at.nics.items():
        below[leaf] += gbps
        speed[leaf, rail] = gbps
    room = {leaf: sum(at.up[leaf].values()) / below[leaf] if len(at.up) > 1 else 1.0 for leaf in below}
    return {(leaf, rail): gbps * min(1.0, room[leaf]) for (leaf, rail), gbps in speed.items()}


def between(at: Network, one: str, other: str) -> int:
    first, second = at.up.get(one, {}), at.up.get(other, {})
    return sum(min(gbps, second.get(spine, 0)) for spine, gbps in first.items())


def pairs(before: Network, at: Network) -> dict[tuple[str, str], float]:
    return {pair: between(at, *pair) for pair in combinations(before.up, 2)}


def bisection(before: Network, at: Network) -> int:
    """Every split of the leaves by kind; a leaf that is gone has nothing."""
    spines = {spine for up in before.up.values() for spine in up}
    kinds = Counter(tuple(at.up.get(leaf, {}).get(spine, 0) for spine in spines) for leaf in before.up)
    flows = []
    for taken in product(*(range(count + 1) for count in kinds.values())):
        if sum(taken) == len(before.up) // 2:
            here = [sum(kind[n] * some for kind, some in zip(kinds, taken, strict=True)) for n in range(len(spines))]
            whole = [sum(kind[n] * count for kind, count in kinds.items()) for n in range(len(spines))]
            flows.append(sum(min(one, total - one) for one, total in zip(here, whole, strict=True)))
    return min(flows)


def apart(before: Network, at: Network) -> set[str]:
    cut = {frozenset(pair) for pair, left in lost(pairs(before, before), pairs(before, at)).items() if not left}
    members: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for (server, rail), (leaf, _) in at.nics.items():
        members[rail][leaf].append(server)
    return {
        server
        for leaves in members.values()
        for leaf, inside in leaves.items()
        if any(frozenset((leaf, other)) in cut for other in leaves)
        for server in inside
    }


def agree(left: Remains, before: Network, after: Network) -> None:
    """Every figure, in the order of the plan."""
    assert left.after == after
    assert list(left.servers.items()) == list(lost(servers(before), servers(after)).items())
    assert list(left.per_nic.items()) == list(lost(per_nic(before), per_nic(after)).items())
    assert list(left.pairs.items()) == list(lost(pairs(before, before), pairs(before, after)).items())
    homes = {name: sum(legs.values()) for name, legs in before.homes.items()}
    legs = {name: sum(legs.values()) for name, legs in after.homes.items()}
    assert list(left.homes.items()) == list(lost(homes, legs).items())
    cut = {
        name
        for name, had in before.homes.items()
        for pair in before.peers
        if name not in left.gone
        and any(had.get(leaf) for leaf in pair)
        and not any(after.homes[name].get(leaf) for leaf in pair)
    }
    assert set(left.homeless) == cut
    live = {pair: gbps for pair, gbps in left.pairs.items() if not left.gone & set(pair)}
    assert left.worst_pair == min((gbps / between(before, *pair) for pair, gbps in live.items()), default=1.0)
    assert left.bisection == bisection(before, after)
    assert set(left.apart) == apart(before, after)


@settings(max_examples=25, deadline=None)
@given(fabrics())
def test_every_loss_of_small_fabrics(cluster: model.Cluster) -> None:
    plan = fabric.plan(cluster.network)
    before = network(plan)
    seen = set()
    for effect in effects(cluster.network, plan):
        if id(effect.left) not in seen:
            seen.add(id(effect.left))
            agree(effect.left, before, network(plan, effect.loss.devices, effect.loss.links))


@settings(max_examples=60, deadline=None)
@given(fabrics(), st.data())
def test_any_losses_at_once(cluster: model.Cluster, data: st.DataObject) -> None:
    plan = fabric.plan(cluster.network)
    before = network(plan)
    names = [switch.hostname for switch in plan.switches] + list(cluster.servers)
    devices = frozenset(data.draw(st.lists(st.sampled_from(names), max_size=4)))
    links = frozenset(data.draw(st.lists(st.sampled_from(plan.links), max_size=6)))
    all_links = links | {link for link in plan.links if {link.device, link.peer} & devices}
    left = Remains(before, devices, all_links)
    agree(left, before, network(plan, devices, links))


def test_every_loss_of_the_production_site() -> None:
    cluster = model.load(ROOT / "Pulumi.prod.yaml")
    plan = fabric.plan(cluster.network)
    before = network(plan)
    found = {id(effect.left): effect for effect in effects(cluster.network, plan)}
    for effect in found.values():
        agree(effect.left, before, network(plan, effect.loss.devices, effect.loss.links))
