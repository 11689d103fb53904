"""Nodes change their gateway mode one by one: what counts as done, whatever conditions say, and who holds it up."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from podwright.components.providers.openshift import gateway_mode
from podwright.components.providers.openshift.gateway_mode import GATEWAY, GatewayModeKind, Rollout
from podwright.components.providers.openshift.kube import Kube, SilentError
from podwright.components.providers.protocol.kind import CheckContext, Context, ProviderError

INPUTS = {"kubeconfig": "apiVersion: v1\nkind: Config\n", "spec": {"schema": 1, "mode": "local"}}
HASH = "network.operator.openshift.io/ovnkube-script-lib-hash"
OLD, NEW = "0a1b", "2c3d"


def node(name: str, mode: str = "", ready: str = "True") -> dict[str, Any]:
    notes = {GATEWAY: json.dumps({"default": {"mode": mode}})} if mode else {}
    return {
        "metadata": {"name": name, "annotations": notes},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


def daemon(on: str, mark: str = NEW, ready: str = "True", **meta: str) -> dict[str, Any]:
    return {
        "metadata": {"name": f"ovnkube-node-{on}", "annotations": {HASH: mark, "other": "x"}, **meta},
        "spec": {"nodeName": on},
        "status": {"conditions": [{"type": "Ready", "status": ready}]},
    }


def daemons(mark: str = NEW) -> dict[str, Any]:
    return {"spec": {"template": {"metadata": {"annotations": {HASH: mark}}}}}


def operator(**true: str) -> dict[str, Any]:
    rows = [{"type": kind, "status": "True", "message": text} for kind, text in true.items()]
    rows += [{"type": kind, "status": "False"} for kind in ("Progressing", "Degraded") if kind not in true]
    return {"status": {"conditions": rows}}


DONE = Rollout([node("a", "local"), node("b", "local")], daemons(), [daemon("a"), daemon("b")], operator())
STALE = Rollout([node("a", "shared"), node("b", "shared")], daemons(OLD), [daemon("a", OLD), daemon("b", OLD)],
                operator())  # fmt: skip
"""Right behind the change of the Network: all is settled, and nobody says otherwise."""


def on_a(**more: Any) -> Rollout:
    """The same, done, but for what node a and its pod show."""
    mine, pods = more.get("node", node("a", "local")), more.get("pods", [daemon("a")])
    return Rollout([mine, node("b", "local")], more.get("daemons", daemons()), [*pods, daemon("b")], operator())


CASES: list[tuple[str, Rollout, dict[str, str]]] = [
    ("done", DONE, {}),
    ("the operator has not begun and its status is of before", STALE, {
        "a": "it is in gateway mode shared", "b": "it is in gateway mode shared"}),
    ("a pod is of the old template, its node already in the mode, from an earlier turn",
     on_a(pods=[daemon("a", OLD)]), {"a": "its ovnkube-node pod is of before the change"}),
    ("the old pod goes", on_a(node=node("a", "shared"), pods=[daemon("a", OLD, deletionTimestamp="now")]), {
        "a": "its ovnkube-node pod is being replaced"}),
    ("none is there yet", on_a(pods=[]), {"a": "it has no ovnkube-node pod"}),
    ("the new one has not made the gateway", on_a(node=node("a", "shared"), pods=[daemon("a", ready="False")]), {
        "a": "it is in gateway mode shared"}),
    ("it has, and is not ready", on_a(pods=[daemon("a", ready="False")]), {"a": "its ovnkube-node pod is not ready"}),
    ("the old one is still going while the new one is ready",
     on_a(pods=[daemon("a", OLD, deletionTimestamp="now"), daemon("a")]), {}),
    ("its daemon is away, which makes the node NotReady",
     on_a(node=node("a", "shared", "False"), pods=[daemon("a", OLD, "False")]), {
         "a": "its ovnkube-node pod is of before the change"}),
    ("nothing is heard of the node",
     on_a(node=node("a", "shared", "Unknown"), pods=[daemon("a", OLD, "False")]), {}),
    ("a node that nobody has written a gateway on", on_a(node=node("a")), {"a": "it has no gateway yet"}),
    ("no DaemonSet", Rollout([node("a", "local")], None, [], None), {"a": "it has no ovnkube-node pod"}),
    ("no answer", Rollout((), None, ()), {"the cluster's API": "it does not answer"}),
]  # fmt: skip


@pytest.mark.parametrize(("seen", "wanted"), [each[1:] for each in CASES], ids=[each[0] for each in CASES])
def test_what_keeps_a_node_from_being_in_the_mode(seen: Rollout, wanted: dict[str, str]) -> None:
    assert seen.behind("local") == wanted


def showing(monkeypatch: pytest.MonkeyPatch, *moments: Rollout) -> list[Rollout]:
    """A cluster that shows these, one after the other, the last for ever; what was looked at."""
    seen: list[Rollout] = []

    async def look(_kube: Kube) -> Rollout:
        seen.append(moments[min(len(seen), len(moments) - 1)])
        return seen[-1]

    monkeypatch.setattr(gateway_mode, "Kube", lambda _config: object.__new__(Kube))
    monkeypatch.setattr(gateway_mode, "rehomed", lambda config, _reach: config)
    monkeypatch.setattr(gateway_mode, "look", look)
    return seen


def test_it_goes_on_once_every_node_is_there_and_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    half = on_a(node=node("a", "shared"), pods=[daemon("a", OLD)])
    seen = showing(monkeypatch, STALE, half, half, DONE)
    words: list[str] = []
    made = asyncio.run(GatewayModeKind().create(INPUTS, Context(log=words.append)))
    assert (made.id, made.outputs) == ("gateway-mode", INPUTS)
    assert len(seen) == 4
    assert [text.partition(": ")[0] for text in words] == [
        f"OVN-Kubernetes changes to gateway mode local, {number} of 2 nodes to go" for number in (2, 1)
    ]
    assert words[1].endswith(": a (its ovnkube-node pod is of before the change)")


def test_one_node_that_is_stuck_is_named_with_what_the_operator_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway_mode, "STALLED_SECONDS", 0.6)
    hung = on_a(pods=[daemon("a", ready="False")])
    word = 'DaemonSet "/openshift-ovn-kubernetes/ovnkube-node" rollout is not making progress'
    hung = Rollout(hung.nodes, hung.daemons, hung.pods, operator(Degraded=word, Progressing="it rolls out"))
    showing(monkeypatch, STALE, hung)
    with pytest.raises(ProviderError) as over:
        asyncio.run(GatewayModeKind().update("", INPUTS, INPUTS, {}, Context()))
    text = str(over.value)
    assert "time is up" in text and "1 of 2 nodes are not: a (its ovnkube-node pod is not ready)" in text
    assert f"ClusterOperator network is degraded: {word}" in text and "it rolls out" not in text


def test_each_node_that_comes_along_gives_the_others_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway_mode, "STALLED_SECONDS", 0.7)
    half = on_a(node=node("a", "shared"), pods=[daemon("a", OLD)])
    showing(monkeypatch, STALE, STALE, half, half, DONE)
    asyncio.run(GatewayModeKind().create(INPUTS, Context()))
    flips = [on_a(pods=[daemon("a", ready="False")]), on_a(pods=[])] * 20
    showing(monkeypatch, *flips, DONE)
    with pytest.raises(ProviderError, match="1 of 2 nodes are not"):
        asyncio.run(GatewayModeKind().create(INPUTS, Context()))


def test_a_lost_node_is_named_once_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = on_a(node=node("a", "shared", "Unknown"), pods=[daemon("a", OLD, "False")])
    rolling = Rollout([lost.nodes[0], node("b", "shared")], daemons(), [daemon("b", OLD)], operator())
    showing(monkeypatch, rolling, rolling, lost)
    warned: list[str] = []
    asyncio.run(GatewayModeKind().create(INPUTS, Context(warn=warned.append)))
    (text,) = warned
    assert text.startswith("a is lost, and not waited for: its daemon starts in the new mode once it is back")
    monkeypatch.setattr(gateway_mode, "STALLED_SECONDS", 0.3)
    showing(monkeypatch, rolling)
    with pytest.raises(ProviderError, match=r"b \(.*\). a is lost, and counts until then as one of the tenth"):
        asyncio.run(GatewayModeKind().create(INPUTS, Context()))


def test_many_nodes_are_counted_and_some_named() -> None:
    text = gateway_mode.named({f"gpu-{number:02}": "why" for number in range(1, 10)})
    assert text.startswith("gpu-01 (why), gpu-02 (why)") and text.endswith("gpu-06 (why) and 3 more")


def test_an_api_server_that_is_silent_for_a_moment_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(_self: Kube, _path: str) -> Any:
        raise SilentError("connection refused")

    monkeypatch.setattr(Kube, "items", silent)
    monkeypatch.setattr(Kube, "find", silent)
    assert asyncio.run(gateway_mode.look(object.__new__(Kube))) == Rollout((), None, ())


def test_a_mode_is_read_only_where_one_was_written() -> None:
    for notes in ({}, {GATEWAY: "?"}, {GATEWAY: "[]"}, {GATEWAY: '{"other": {}}'}):
        assert gateway_mode.mode_of({"metadata": {"name": "a", "annotations": notes}}) == ""
    assert gateway_mode.mode_of({"metadata": {"name": "a"}}) == ""


def test_its_spec_is_judged() -> None:
    kind = GatewayModeKind()
    assert kind.check(INPUTS, CheckContext()) == []
    (failure,) = kind.check({**INPUTS, "spec": {"schema": 1}}, CheckContext())
    assert "mode" in str(failure)
