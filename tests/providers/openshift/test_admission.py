"""Waits for nodes that are checked: what a pool lacks, and a roll-out that takes no further node meanwhile."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from podwright.components.providers.openshift.admission import wait_again
from podwright.components.providers.openshift.certificates import _own
from podwright.components.providers.openshift.cordons import Survey
from podwright.components.providers.openshift.pools.readiness import _lacking
from podwright.components.providers.openshift.pools.taint import TaintKind
from podwright.components.providers.protocol.kind import ProviderError

TAINT = {"key": "podwright.io/not-admitted", "effect": "NoSchedule"}
SPEC = {"pool": "training", "nodes": ["gpu-01"], "resources": {}, "admission": True}


def _node(
    result: str = "admitted",
    *,
    boot: str = "b1",
    checked: str = "b1",
    tainted: bool = False,
    layouts: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """`layouts`: the MIG layout that it was checked with, and the present one."""
    state = {"boot": checked, "result": result, "reason": "devices: too hot: GPU 2 at 85 °C"}
    state |= {"layout": layouts[0]} if layouts else {}
    labels = {"nvidia.com/mig.config": layouts[1]} if layouts else {}
    notes = {"podwright.io/admission": json.dumps(state)}
    return {
        "metadata": {"name": "gpu-01", "annotations": notes, "labels": labels},
        "spec": {"taints": [TAINT] if tainted else []},
        "status": {"nodeInfo": {"bootID": boot}, "conditions": [{"type": "Ready", "status": "True"}]},
    }


class _Kube:
    """Shows one node after the other, the last one for good."""

    def __init__(self, *nodes: dict[str, Any]) -> None:
        self.left = list(nodes)

    async def find(self, path: str) -> dict[str, Any]:
        assert path.endswith("/gpu-01")
        return self.left.pop(0) if self.left[1:] else self.left[0]


class _Context:
    timeout: float | None = None

    def __init__(self) -> None:
        self.cancel = asyncio.Event()

    def log(self, text: str) -> None:
        del text


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (_node("failed", tainted=True), "gpu-01 is not admitted: devices: too hot: GPU 2 at 85 °C"),
        (_node(boot="b2"), "gpu-01 is not admitted: it has booted since it was checked"),
        (
            _node(layouts=("all-1g.18gb", "all-2g.35gb")),
            "gpu-01 is not admitted: its MIG layout is another one than it was checked with",
        ),
    ],
)
def test_a_pool_waits_for_its_nodes_checks(node: dict[str, Any], words: str) -> None:
    assert list(_lacking(SPEC, Survey({"gpu-01": node}, {}, {}))) == [words]
    assert list(_lacking({**SPEC, "admission": False}, Survey({"gpu-01": node}, {}, {}))) == []
    assert list(_lacking(SPEC, Survey({"gpu-01": _node()}, {}, {}))) == []


async def test_a_roll_out_goes_on_when_its_node_is_admitted_again() -> None:
    kube = _Kube(
        _node(boot="b2"), _node("waiting", boot="b2", checked="b2", tainted=True), _node(boot="b2", checked="b2")
    )
    await wait_again(kube, "gpu-01", _node(), _Context())  # type: ignore[arg-type]
    assert len(kube.left) == 1


async def test_a_roll_out_ends_with_the_reason_when_its_node_fails() -> None:
    kube = _Kube(_node(boot="b2"), _node("failed", boot="b2", checked="b2", tainted=True))
    with pytest.raises(ProviderError, match=r"gpu-01 is not admitted: devices: too hot.*no further node is taken"):
        await wait_again(kube, "gpu-01", _node(), _Context())  # type: ignore[arg-type]


async def test_a_roll_out_waits_for_checks_of_the_layout_that_it_has_brought() -> None:
    old, new = "all-1g.18gb", "all-2g.35gb"
    kube = _Kube(
        _node(layouts=(old, new)), _node("waiting", tainted=True, layouts=(new, new)), _node(layouts=(new, new))
    )
    await wait_again(kube, "gpu-01", _node(layouts=(old, old)), _Context())  # type: ignore[arg-type]
    assert len(kube.left) == 1


async def test_a_node_that_nothing_has_checked_yet_is_not_waited_for() -> None:
    await wait_again(_Kube(), "gpu-01", {"metadata": {}}, _Context())  # type: ignore[arg-type]


def test_a_host_that_joins_has_one_taint_or_several() -> None:
    pool = {"key": "podwright.io/pool", "value": "training", "effect": "NoSchedule"}
    assert _own(None) == [] and _own(pool) == [pool] and _own([pool, TAINT]) == [pool, TAINT]


async def test_the_taint_goes_with_what_put_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes that it is cleared from are not written before: the cluster's own program decides there."""
    seen: list[tuple[list[str], list[str]]] = []

    async def write(inputs: Any, nodes: Any, gone: Any, ctx: Any) -> None:
        del inputs, ctx
        seen.append((sorted(nodes), sorted(name for name, _ in gone)))

    monkeypatch.setattr("podwright.components.providers.openshift.pools.taint._write", write)
    spec = {"schema": 1, "pool": "training", "taint": TAINT, "nodes": [], "clears": ["gpu-01", "gpu-02"]}
    inputs = {"spec": spec, "kubeconfig": ""}
    ctx: Any = _Context()
    await TaintKind().create(inputs, ctx)
    await TaintKind().update("training", {**inputs, "spec": {**spec, "clears": ["gpu-02"]}}, inputs, inputs, ctx)
    await TaintKind().delete("training", inputs, inputs, ctx)
    assert seen == [([], []), ([], ["gpu-01"]), ([], ["gpu-01", "gpu-02"])]
