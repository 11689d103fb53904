"""One node's NodeNetworkConfigurationPolicy: written, and awaited by the node's own answer.

After nmstate/kubernetes-nmstate, controllers/handler/nodenetworkconfigurationpolicy_controller.go. A handler applies a
policy when its generation changes, then probes the default gateway, name servers, API server and its node, and rolls
back where one of them fails; it tries again some times before it gives up. Deleting a policy changes nothing on a node.
An enactment's conditions may be the policy's before: `policyGeneration` names the one that they are about, and
releases before 2026 set it before they take the old conditions away. So an answer counts once it has this generation,
a failure once it was not there before, and a success once the node shows the interfaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError
from podwright.components.providers.openshift.node_network import STATES, Row, Shown, behind, shown
from podwright.components.providers.openshift.waiting import step_patience
from podwright.components.providers.protocol.kind import Context, ProviderError

API = "nmstate.io/v1"
POLICIES = f"/apis/{API}/nodenetworkconfigurationpolicies"
ENACTMENTS = "/apis/nmstate.io/v1beta1/nodenetworkconfigurationenactments"
HOSTNAME = "kubernetes.io/hostname"
POOL = "podwright.io/pool"
"""Label of a policy: the pool whose roll-out writes it."""
ENACTED_SECONDS = 3600.0
"""One try takes up to 480 s and the probes 600 s; five tries, most of them ending sooner."""
GONE_SECONDS = 120.0
"""A handler takes the enactment of a deleted policy away within seconds."""
Conditions = Mapping[str, Row]


@dataclass(frozen=True)
class Node:
    """A node, and the interfaces that it is to have: absent ones among them, while it still shows them."""

    name: str
    pool: str
    interfaces: tuple[Row, ...]

    @property
    def policy(self) -> str:
        """Name of its policy."""
        return f"{self.name}-vlans"

    @property
    def body(self) -> dict[str, Any]:
        """Its policy."""
        return {
            "apiVersion": API,
            "kind": "NodeNetworkConfigurationPolicy",
            "metadata": {"name": self.policy, "labels": {POOL: self.pool}},
            "spec": {
                "nodeSelector": {HOSTNAME: self.name},
                "desiredState": {"interfaces": [dict(each) for each in self.interfaces]},
            },
        }


def rows(policy: Row | None) -> list[Row]:
    """Interfaces of a policy's desired state."""
    state = ((policy or {}).get("spec") or {}).get("desiredState") or {}
    return [each for each in state.get("interfaces") or () if isinstance(each, Mapping)]


def foreign(node: str, policy: Row) -> bool:
    """Whether a policy of our name does something else than ours would: it is somebody's own. Applied by hand, ours has
    VLANs alone."""
    spec = policy.get("spec") or {}
    alone = spec.get("nodeSelector") == {HOSTNAME: node}
    only = set(spec.get("desiredState") or {}) <= {"interfaces"} and not spec.get("capture")
    marked = POOL in (policy["metadata"].get("labels") or {})
    return not (alone and only and (marked or all(each.get("type") == "vlan" for each in rows(policy))))


async def live_interfaces(kube: Kube, node: str) -> Shown:
    """What a node shows; empty where its handler has written nothing yet."""
    return shown(await kube.find(f"{STATES}/{node}") or {})


async def adopt(kube: Kube, node: Node) -> None:
    """Label the policy of a node that came from another pool, or was applied by hand, where it is the one planned."""
    policy = await kube.find(f"{POLICIES}/{node.policy}")
    if policy is None or not _same(node, policy) or (policy["metadata"].get("labels") or {}).get(POOL) == node.pool:
        return
    await kube.merge(f"{POLICIES}/{node.policy}", {"metadata": {"labels": node.body["metadata"]["labels"]}})


def _same(node: Node, policy: Row) -> bool:
    desired = (policy.get("spec") or {}).get("desiredState")
    return bool(desired == node.body["spec"]["desiredState"]) and not foreign(node.name, policy)


async def settled(kube: Kube, node: Node, policy: Row) -> bool:
    """Whether the policy is as it would be written, and the node has answered it and shows it."""
    if not _same(node, policy):
        return False
    answer = _answer(await _enactment(kube, node), int(policy["metadata"]["generation"]), {})
    return answer == "" and not list(behind(node.interfaces, await live_interfaces(kube, node.name)))


async def enact(kube: Kube, node: Node, ctx: Context) -> None:
    """Write the node's policy and wait until the node has it. Raises ProviderError with the handler's own words."""
    path = f"{POLICIES}/{node.policy}"
    before = conditions(await _enactment(kube, node))
    policy = await kube.find(path)
    if policy is not None and foreign(node.name, policy):
        raise ProviderError(
            f"{node.name}: NodeNetworkConfigurationPolicy {node.policy} is somebody's own: rename it, and run again"
        )
    if policy is not None and _same(node, policy):
        # A handler looks at a policy again when it is another one: as it is, it was answered already.
        await _forget(kube, node, ctx)
        policy, before = None, {}
    if policy is None:
        written = await kube.request("POST", POLICIES, node.body)
    else:
        change = {"metadata": {"labels": node.body["metadata"]["labels"]}, "spec": node.body["spec"]}
        written = await kube.merge(path, change)
    await _await(kube, node, int(written["metadata"]["generation"]), before, ctx)


async def forget(kube: Kube, names: Iterable[str], pool: str, ctx: Context) -> None:
    """Delete the policies of nodes that are no longer this pool's; the nodes keep what they have."""
    for name in names:
        node = Node(name, pool, ())
        policy = await kube.find(f"{POLICIES}/{node.policy}")
        if policy is not None and (policy["metadata"].get("labels") or {}).get(POOL) == pool:
            await kube.remove(f"{POLICIES}/{node.policy}")
            ctx.log(f"{name}: its network policy is gone, its interfaces stay")


async def drop(kube: Kube, node: Node, ctx: Context) -> None:
    """Delete the policy of a node that needs none any more."""
    if await kube.find(f"{POLICIES}/{node.policy}") is not None:
        await _forget(kube, node, ctx)


async def _forget(kube: Kube, node: Node, ctx: Context) -> None:
    """Until the answer to the policy is gone with it: one of the same name has the same generation again."""
    await kube.remove(f"{POLICIES}/{node.policy}")
    patience = step_patience(ctx, GONE_SECONDS)
    while await _enactment(kube, node) is not None:
        await patience.wait(f"{node.name}: the handler to take the answer to its former policy away")


async def _await(kube: Kube, node: Node, generation: int, before: Conditions, ctx: Context) -> None:
    patience, told = step_patience(ctx, ENACTED_SECONDS), ""
    while True:
        try:
            found = await _enactment(kube, node)
            why = _answer(found, generation, before)
            why = why or "; ".join(behind(node.interfaces, await live_interfaces(kube, node.name)))
        except (KubeError, SilentError) as away:
            why = str(away)
        if not why:
            return
        if why != told:
            ctx.log(f"{node.name}: {why}")
            told = why
        await patience.wait(f"{node.name}: {why}")


async def _enactment(kube: Kube, node: Node) -> Row | None:
    found: Row | None = await kube.find(f"{ENACTMENTS}/{node.name}.{node.policy}")
    return found


def _answer(enactment: Row | None, generation: int, before: Conditions) -> str:
    """What an enactment waits for; empty when it reports success. Raises ProviderError when it has given up."""
    if enactment is None:
        return "its handler has not answered the policy yet"
    if (enactment.get("status") or {}).get("policyGeneration") != generation:
        return "its handler answers the policy before yet"
    found = conditions(enactment)
    new = {kind: row for kind, row in found.items() if kind == "Available" or row != before.get(kind)}
    on = {kind for kind, row in new.items() if row.get("status") == "True"}
    if "Aborted" in on or ("Failing" in on and "Progressing" not in on):
        words = next(str(new[kind].get("message") or "") for kind in ("Failing", "Aborted") if kind in on)
        node = (enactment["metadata"].get("labels") or {}).get("nmstate.io/node", enactment["metadata"]["name"])
        raise ProviderError(f"{node}: rolled back by NMState: {_short(words)}")
    if "Failing" in on:
        return f"NMState tries again: {_short(str(new['Failing'].get('message') or ''))}"
    return "" if "Available" in on else "its handler applies the policy"


def _short(words: str, most: int = 600) -> str:
    """A handler's message holds nmstate's whole log: its end says what failed."""
    text = " ".join(words.split())
    return text if len(text) <= most else f"{text[: most // 3]} … {text[-2 * most // 3 :]}"


def absent(kinds: Mapping[str, str]) -> tuple[Row, ...]:
    """Interfaces that a node is to lose, by name and type."""
    return tuple({"name": name, "type": kind, "state": "absent"} for name, kind in kinds.items())
