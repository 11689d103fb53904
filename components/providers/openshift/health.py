"""What of the control plane is not whole, as its operators report it, and the gate before a node is taken away.

The etcd operator reports members on `etcds.operator.openshift.io/cluster` at once (openshift/cluster-etcd-operator,
pkg/operator/etcdmemberscontroller), and on its ClusterOperator two minutes later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import step_patience
from podwright.components.providers.protocol.kind import Context

OPERATORS = "/apis/config.openshift.io/v1/clusteroperators"
ETCD = "/apis/operator.openshift.io/v1/etcds"
SETTLE_SECONDS = 600.0
"""What an operator may take to be well again after the last node came back; what lasts longer does not pass."""
_SHOWN = 240
"""Characters of an operator's message that are shown: some list every condition of theirs."""
Item = Mapping[str, Any]


def impaired(operators: Iterable[Item], etcds: Iterable[Item]) -> Iterator[tuple[str, str]]:
    """Operator, and a sentence for each that is degraded or not available; etcd's members come first."""
    for each in etcds:
        row = conditions(each).get("EtcdMembersDegraded", {})
        if row.get("status") == "True":
            yield "etcd", f"etcd has lost a member: {_short(row)}"
    for each in operators:
        name, rows = str(each["metadata"]["name"]), conditions(each)
        if rows.get("Available", {}).get("status") == "False":
            yield name, f"ClusterOperator {name} is not available: {_short(rows['Available'])}"
        elif rows.get("Degraded", {}).get("status") == "True":
            yield name, f"ClusterOperator {name} is degraded: {_short(rows['Degraded'])}"


async def whole(kube: Kube, node: str, pool: str, despite: Collection[str], ctx: Context) -> None:
    """Until nothing is impaired but operators of `despite`. Raises ProviderError after SETTLE_SECONDS.

    A lost member of etcd is never among those: one more control-plane host, and the cluster stands still.
    """
    patience = step_patience(ctx, SETTLE_SECONDS)
    while True:
        operators, etcds = await _items(kube, OPERATORS), await _items(kube, ETCD)
        found = [text for name, text in impaired(operators, etcds) if name == "etcd" or name not in despite]
        if not found:
            return
        ctx.log(f"{node}: waits, {found[0]}")
        await patience.wait(
            f"the control plane to be whole before {node} goes: {'; '.join(found)}. Repair it, or name an operator "
            f"that has nothing to do with nodes in pools.{pool}.rollout.despite"
        )


async def _items(kube: Kube, path: str) -> list[Item]:
    """Objects of a collection; none where the cluster does not know it."""
    return list((await kube.find(path) or {}).get("items") or [])


def _short(row: Mapping[str, Any]) -> str:
    text = " ".join(str(row.get("message") or row.get("reason") or "it gives no reason").split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"
