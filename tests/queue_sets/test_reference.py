"""The reference by itself: small worlds whose answer a person reads off Kueue's pages."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.queue_sets import reference
from tests.queue_sets.reference import Gang, Node, Quota, World, broken, crowded, owed

POOL = "training"
OWN = {("a", POOL): Quota(16), ("b", POOL): Quota(16)}
LIMITED = {("a", POOL): Quota(16, lend=8), ("b", POOL): Quota(16, borrow=8)}


def _nodes(count: int = 4, groups: int = 1, free: int = 8) -> dict[str, Node]:
    return {f"n{i}": Node(f"n{i}", {"group": str(i % groups)}, {"nvidia.com/gpu": free}) for i in range(count)}


def _gang(name: str, team: str, members: int, on: str = "", **more: Any) -> Gang:
    """One of whole servers; `on`: numbers of its nodes, empty: it waits."""
    placed: Mapping[str, int] | None = {f"n{number}": 1 for number in on} if on else None
    return Gang(name, team, POOL, members, {"nvidia.com/gpu": 8}, {}, placed=placed, **more)


def _world(*gangs: Gang, quotas: Mapping[tuple[str, str], Quota] = OWN, **more: Any) -> World:
    return World(**{"nodes": _nodes(), "quotas": quotas, "gangs": gangs, "borrows": True, **more})


@pytest.mark.parametrize(("world", "kinds"), [
    (_world(_gang("w", "a", 2)), ["idle"]),
    # its own, and what another leaves idle
    (_world(_gang("w", "a", 4)), ["idle"]),
    (_world(_gang("w", "a", 4), borrows=False), []),
    (_world(_gang("w", "a", 5)), []),
    # limits of either side
    (_world(_gang("w", "b", 4), quotas=LIMITED), []),
    (_world(_gang("w", "b", 3), quotas=LIMITED), ["idle"]),
    (_world(_gang("x", "b", 3, "012"), _gang("w", "a", 2), quotas=LIMITED), ["lent"]),
    # what is lent comes back to who has less than his own, and to nobody else
    (_world(_gang("x", "b", 4, "0123"), _gang("w", "a", 2)), ["lent"]),
    (_world(_gang("x", "b", 4, "0123"), _gang("w", "a", 3)), []),
    (_world(_gang("x", "b", 2, "01"), _gang("y", "a", 2, "23"), _gang("w", "a", 1)), []),
    # of one team by priority, where its queue has it
    (_world(_gang("x", "a", 2, "01"), _gang("y", "b", 2, "23"), _gang("w", "a", 2, priority=9), yields=frozenset("a")),
     ["priority"]),
    (_world(_gang("x", "a", 2, "01"), _gang("y", "b", 2, "23"), _gang("w", "a", 2, priority=9)), []),
    # no node for all of its members, or none of one group
    (_world(_gang("w", "a", 2), nodes=_nodes(1)), []),
    (_world(_gang("w", "a", 3, together="group"), nodes=_nodes(4, groups=2)), []),
    (_world(_gang("w", "a", 2, together="group"), nodes=_nodes(4, groups=2)), ["idle"]),
    (_world(_gang("w", "a", 1, barred=True)), []),
])  # fmt: skip
def test_what_is_owed(world: World, kinds: list[str]) -> None:
    assert [each.partition(":")[0] for each in owed(world)] == kinds
    assert [*broken(world)] == []


@pytest.mark.parametrize(("world", "words"), [
    (_world(_gang("x", "a", 4, "0123"), _gang("y", "b", 1, "0")), "40 GPUs of pool training are held of 32"),
    (_world(_gang("x", "b", 4, "0123"), quotas=LIMITED), "team b has 32 GPUs of 16 and 8 borrowed at most"),
    (_world(_gang("x", "b", 3, "012"), borrows=False), "team b has 24 GPUs of 16, and no queue lends any"),
    (_world(_gang("x", "b", 3, "012"), quotas={("a", POOL): Quota(16, lend=0), ("b", POOL): Quota(16)}),
     "24 GPUs of pool training are held of 16 that queues share"),
    (_world(_gang("x", "c", 1, "0")), "team c has 8 GPUs of pool training, of which it has no quota"),
    (_world(_gang("x", "a", 2, "0")), "x is admitted with 1 of 2 members"),
    (_world(_gang("x", "a", 2, "01", together="group"), nodes=_nodes(4, groups=2)), "x is to be together by group"),
])  # fmt: skip
def test_what_may_not_be(world: World, words: str) -> None:
    assert any(words in each for each in broken(world)), [*broken(world)]


def test_a_node_with_more_on_it_than_it_has_is_named() -> None:
    twice = _world(_gang("x", "a", 1, "0"), _gang("y", "b", 1, "0"))
    assert [*crowded(twice)] == ["node n0 has less of nvidia.com/gpu than was put on it"]


def test_an_order_of_stopping_that_makes_no_room_owes_nothing() -> None:
    """Team b may be left with either of its two gangs, and only without the one on nodes 0 and 1 is a group free."""
    nodes = {
        name: Node(name, {"group": group}, {"nvidia.com/gpu": 8})
        for name, group in (("n0", "p"), ("n1", "p"), ("n2", "q"), ("n3", "r"))
    }
    quotas = {("a", POOL): Quota(16), ("b", POOL): Quota(16)}
    waits = _gang("w", "a", 2, together="group")
    stopped = (_gang("x", "b", 2, "01"), _gang("y", "b", 1, "2"), waits)
    assert [*owed(_world(*stopped, quotas=quotas, nodes=nodes))] == []
    alone = (_gang("x", "b", 3, "012"), waits)
    assert [each.partition(":")[0] for each in owed(_world(*alone, quotas=quotas, nodes=nodes))] == ["lent"]


def test_the_reference_is_nobodys_but_its_own() -> None:
    tree = ast.parse(Path(reference.__file__).read_text())
    names = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert names <= {"__future__", "collections", "collections.abc", "dataclasses", "itertools"}
