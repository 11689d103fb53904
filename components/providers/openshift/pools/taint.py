"""One taint of a pool's nodes, and nothing of what others have put on them.

`Node.spec.taints` is one value to the API server's field ownership: a server-side apply of one taint takes everybody's
others away (openshift/api and k8s.io/api have it as `+listType=atomic`). So a node is read, one taint changed in its
list, and the list written back on condition that the node is still the one that was read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.waiting import NODES, Patience, step_patience
from podwright.components.providers.protocol.kind import (
    CheckContext,
    Context,
    Created,
    Failure,
    Kind,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import judge_spec

REQUIRED: Mapping[str, type] = {"pool": str, "taint": dict, "nodes": list}
OPTIONAL: Mapping[str, type] = {"clears": list}
PATIENCE = 300.0
"""Seconds for all nodes of a pool: to be registered, and to be written between the writes of others."""
FORMER_MANAGER = "podwright"
"""Whose server-side apply had the whole list of taints before this kind was there."""

Taints = list[dict[str, Any]]


class TaintKind(Kind):
    """``podwright:openshift:Taint``: ``{"schema": 1, "pool", "taint": {"key", "value", "effect"}, "nodes": [names]}``.

    ``"clears"``: nodes on which the cluster itself puts it and takes it off; they lose it when this resource goes.

    The API server takes two taints of one key and effect for one: that pair names ours, its value is what we write.
    """

    token = "podwright:openshift:Taint"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys and types."""
        del ctx
        return judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Return once every node has the taint."""
        await _write(inputs, inputs["spec"]["nodes"], (), ctx)
        return Created(str(inputs["spec"]["pool"]), inputs)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """The nodes that have the taint as it is planned; a cluster that does not answer keeps its state."""
        spec = inputs["spec"]
        try:
            live = await _kube(inputs, ctx).items(NODES)
        except (KubeError, SilentError) as silent:
            ctx.warn(f"the taint of pool {id} cannot be read ({silent}); its state is kept as it was")
            return Read(inputs, outputs)
        tainted = {node["metadata"]["name"] for node in live if spec["taint"] in _taints(node)}
        seen = {**spec, "nodes": [name for name in spec["nodes"] if name in tainted]}
        return Read({**inputs, "spec": seen}, {**outputs, "spec": seen})

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Nodes of the pool get the taint; those that left it, and still have it, lose it."""
        del id, outputs
        spec, old = inputs["spec"], old_inputs["spec"]
        had = {*old["nodes"], *old.get("clears", ())}
        same = _pair(old["taint"]) == _pair(spec["taint"])
        gone = had - {*spec["nodes"], *spec.get("clears", ())} if same else had
        await _write(inputs, spec["nodes"], [(name, old["taint"]) for name in sorted(gone)], ctx)
        return inputs

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Nodes that are there lose this taint and keep all others."""
        del id, outputs
        spec = inputs["spec"]
        had = (*spec["nodes"], *spec.get("clears", ()))
        await _write(inputs, (), [(name, spec["taint"]) for name in had], ctx)


@dataclass(frozen=True)
class _Change:
    """What becomes of one node's list: `wanted` is in it afterwards, `unwanted` is not."""

    wanted: Mapping[str, Any] | None = None
    unwanted: Mapping[str, Any] | None = None

    def of(self, taints: Taints) -> Taints:
        """The list as it should be, with the order of what stays."""
        kept = [each for each in taints if each != self.unwanted]
        if self.wanted is None or self.wanted in kept:
            return kept
        return [*(each for each in kept if _pair(each) != _pair(self.wanted)), dict(self.wanted)]


def _pair(taint: Mapping[str, Any]) -> tuple[str, str]:
    return str(taint.get("key")), str(taint.get("effect"))


def _taints(node: Mapping[str, Any]) -> Taints:
    return list((node.get("spec") or {}).get("taints") or [])


def _kube(inputs: Values, ctx: Context) -> Kube:
    return Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))


async def _write(
    inputs: Values, nodes: Iterable[str], gone: Sequence[tuple[str, Mapping[str, Any]]], ctx: Context
) -> None:
    """Write every node at once. Raises ProviderError that names each node that could not be written."""
    kube, patience = _kube(inputs, ctx), step_patience(ctx, PATIENCE)
    changes = {name: _Change(wanted=inputs["spec"]["taint"]) for name in nodes}
    for name, taint in gone:
        changes[name] = _Change(changes[name].wanted if name in changes else None, taint)
    results = await asyncio.gather(
        *(_change(kube, name, change, patience) for name, change in changes.items()), return_exceptions=True
    )
    failures = [each for each in results if isinstance(each, BaseException)]
    if failures:
        unforeseen = [each for each in failures if not isinstance(each, ProviderError)]
        raise unforeseen[0] if unforeseen else ProviderError("; ".join(map(str, failures)))


async def _change(kube: Kube, name: str, change: _Change, patience: Patience) -> None:
    path = f"{NODES}/{name}"
    while True:
        try:
            node = await kube.find(path)
            if node is None and change.wanted is None:
                return None
            if node is not None:
                return await _once(kube, path, node, change)
            waits = f"node {name} to register, which should have taint {_words(change)}"
        except KubeError as refused:
            if refused.status != 409:
                raise ProviderError(f"taint {_words(change)} of node {name}: {refused}") from None
            # Somebody wrote the node since it was read: what they wrote is read first.
            waits = f"node {name} to be left alone by others for the moment of a write"
        except SilentError as silent:
            waits = f"the API server to answer ({silent}): node {name} should get or lose taint {_words(change)}"
        await patience.wait(waits)


async def _once(kube: Kube, path: str, node: Mapping[str, Any], change: _Change) -> None:
    meta = node["metadata"]
    body: dict[str, Any] = {}
    if (taints := change.of(_taints(node))) != _taints(node):
        body["spec"] = {"taints": taints or None}
    if (managers := _handed_over(meta.get("managedFields") or [])) is not None:
        body["metadata"] = {"managedFields": managers}
    if body:
        version = {"resourceVersion": meta["resourceVersion"], "uid": meta["uid"]}
        await kube.merge(path, {**body, "metadata": {**version, **body.get("metadata", {})}})


def _handed_over(managers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]] | None:
    """Field owners without our former claim on the whole list; None where there is none.

    An apply that leaves out a list which its manager owns alone deletes it, with everybody's taints.
    """
    found, changed = [], False
    for row in managers:
        fields = dict(row.get("fieldsV1") or {})
        spec = dict(fields.get("f:spec") or {})
        if row.get("manager") == FORMER_MANAGER and row.get("operation") == "Apply" and "f:taints" in spec:
            changed = True
            del spec["f:taints"]
            fields = {**fields, "f:spec": spec} if spec else {key: fields[key] for key in fields if key != "f:spec"}
        found.append({**row, "fieldsV1": fields})
    return found if changed else None


def _words(change: _Change) -> str:
    taint = change.wanted or change.unwanted or {}
    return f"{taint.get('key')}={taint.get('value', '')}:{taint.get('effect')}"
