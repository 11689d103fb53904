"""The installation as one resource: image, boots, waits; found again when an attempt was cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift import certificates, handover, membership, replaced, unregistered, waiting
from podwright.components.providers.openshift.install import hosts, image, keys, progress, settled, upgrade
from podwright.components.providers.openshift.install.beforehand import API_PORT, judge_site
from podwright.components.providers.openshift.install.check import judge
from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.memory import Memory
from podwright.components.providers.protocol.difference import leaf_difference
from podwright.components.providers.protocol.kind import (
    UNKNOWN,
    CheckContext,
    Context,
    Created,
    Difference,
    Failure,
    Incomplete,
    Kind,
    Path,
    ProviderError,
    Read,
    Secret,
    Values,
)


class InstallKind(Kind):
    """``podwright:openshift:Install``."""

    token = "podwright:openshift:Install"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, addresses in their network, roles that make a quorum, nothing twice; nothing that would not be done."""
        return judge(inputs) or settled.judge_change(ctx.old_inputs, inputs)

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Hosts are compared by name. What only the first boot reads is no reason to touch a running cluster."""
        del outputs
        found = _placed(leaf_difference(_named(old_inputs), _named(new_inputs)), old_inputs, new_inputs)
        return settled.matters(found).replacing(*(("spec", key) for key in settled.IDENTITY))

    def notices(self, old_inputs: Values, new_inputs: Values) -> Sequence[str]:
        """What an update does to nodes that stay."""
        old, new = old_inputs.get("spec") or {}, new_inputs["spec"]
        others = super().notices({**old_inputs, "spec": {**old, "version": new["version"]}}, new_inputs)
        others = (*others, *settled.exchanged(old, new))
        if old.get("version") == new["version"]:
            return others
        return [
            f"OpenShift goes from {old.get('version')} to {new['version']}: operators first, then every node of "
            "every pool is drained and restarted, as many at a time as its pool allows",
            *others,
        ]

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """The kubeconfig of a cluster that stands is known and stays; a new one's is not."""
        spec = inputs["spec"]
        known = outputs or {}
        kubeconfig = known.get("kubeconfig")
        return {
            **inputs,
            "kubeconfig": Secret(kubeconfig) if isinstance(kubeconfig, str) else UNKNOWN,
            "api_server": api_server(spec),
            "hosts": sorted(host["name"] for host in spec["hosts"]),
        }

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Install, or go on where a cut attempt stopped."""
        spec = inputs["spec"]
        memory = Memory(ctx.reach.environ, ctx.identity, spec["cluster"])
        kubeconfig, late = memory.kubeconfig, []
        if kubeconfig is None or not await waiting.answers(_kube(kubeconfig, ctx)):
            await self._boot(spec, memory, ctx)
            kubeconfig = memory.kubeconfig
            assert kubeconfig is not None  # the image was made
        elif late := [host for host in spec["hosts"] if host["name"] not in memory.facts.get("booted", [])]:
            # Our cluster from an attempt whose state was lost, and a spec that grew since.
            await _bring_in(spec, [], rehomed(kubeconfig, ctx.reach), ctx, late)
        kube = _kube(kubeconfig, ctx)
        patience = waiting.install_patience(ctx)
        look = progress.cluster(kube, _names(spec))
        try:
            async with progress.reported(ctx, look):
                await waiting.wait_api(kube, ctx, patience)
        except ProviderError as silent:
            raise ProviderError(f"{silent}; {_way_out(memory)}") from None
        outputs = _outputs(inputs, rehomed(kubeconfig, ctx.reach))
        try:
            async with progress.reported(ctx, look):
                await _ready(spec, kube, ctx, patience, first_day=not late)
                await waiting.wait_version(kube, ctx, patience)
            # A cluster that was found again may have been installed with other values.
            await self._settings(spec, kube, ctx)
        except ProviderError as over:
            # The API answers: the cluster exists and its kubeconfig belongs into the state.
            raise Incomplete(spec["cluster"], outputs, [str(over)]) from None
        memory.remember({**memory.facts, "installed": True})
        await self._tidy(spec, memory, ctx)
        return Created(spec["cluster"], outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Hosts that joined the spec join the cluster, those that left it are drained and let go; keys and release."""
        del id
        spec = inputs["spec"]
        kubeconfig = rehomed(str(outputs["kubeconfig"]), ctx.reach)
        kube = Kube(kubeconfig)
        patience = waiting.install_patience(ctx)
        await waiting.wait_api(kube, ctx, patience)
        before = (old_inputs.get("spec") or {}).get("hosts") or []
        joined = await _bring_in(spec, before, kubeconfig, ctx)
        await _ready(spec, kube, ctx, patience)
        await replaced.judge(spec, joined, kube, ctx)
        await waiting.wait_version(kube, ctx, patience)
        await self._settings(spec, kube, ctx)
        memory = Memory(ctx.reach.environ, ctx.identity, spec["cluster"])
        await self._tidy(spec, memory, ctx)
        memory.forget()
        return _outputs(inputs, kubeconfig)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """What the cluster shows. One that does not answer is not gone: a power cut must not reinstall it."""
        spec = inputs["spec"]
        if not outputs.get("kubeconfig"):
            return Read(inputs, outputs)
        kubeconfig = rehomed(str(outputs["kubeconfig"]), ctx.reach)
        now = {**outputs, "kubeconfig": Secret(kubeconfig)}
        try:
            kube = Kube(kubeconfig)
            listed = (await kube.get(waiting.NODES)).get("items") or []
            nodes = [node for node in listed if not unregistered.is_unregistered(node)]
            seen = await settled.seen(spec, kube, nodes)
            other = {host["name"] for host in await replaced.stale(spec, _by_name(nodes), ctx)}
            other |= await handover.bare(kube, nodes)
            seen["hosts"] = [host for host in seen["hosts"] if host["name"] not in other]
        except (KubeError, SilentError) as silent:
            ctx.warn(f"the cluster {id} does not answer ({silent}); its state is kept as it was")
            return Read(inputs, now)
        # The engine has handed the kubeconfig back: it is in the state, and need not be remembered here.
        Memory(ctx.reach.environ, ctx.identity, spec["cluster"]).forget()
        for node in nodes:
            if not waiting.is_ready(node):
                ctx.warn(f"node {node['metadata']['name']} of cluster {id} is not ready")
        return Read({**inputs, "spec": seen}, {**now, "spec": seen, "hosts": sorted(h["name"] for h in seen["hosts"])})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Switch the hosts off and empty their drives; what is on the disks is left for the next installation."""
        del id, outputs
        spec = inputs["spec"]
        await hosts.off_all(spec, spec["hosts"], ctx)
        memory = Memory(ctx.reach.environ, ctx.identity, spec["cluster"])
        _unpublish(spec, memory, ctx)
        memory.forget()

    async def _boot(self, spec: Mapping[str, Any], memory: Memory, ctx: Context) -> None:
        async with progress.reported(ctx, progress.boots(_names(spec), lambda: memory.facts.get("booted") or [])):
            await self._boot_hosts(spec, memory, ctx)

    async def _boot_hosts(self, spec: Mapping[str, Any], memory: Memory, ctx: Context) -> None:
        facts = memory.facts
        if facts.get("installed"):
            raise ProviderError(
                f"this stack installed the cluster {spec['cluster']} before, and its API does not answer; no host was "
                f"touched. Bring it back; {_way_out(memory)}"
            )
        if not facts.get("booted"):
            ctx.log("asking the site's name servers, and looking who has the virtual addresses")
            await judge_site(spec, ctx)
        if facts.get("digest") != image.digest(spec) or not _published(spec, facts, ctx):
            ctx.log("making the installation image")
            _unpublish(spec, memory, ctx)
            await image.make_image(spec, memory, ctx)
            facts = memory.facts
        ctx.stop_here("booting hosts into the installation")
        _, url = image.publish_folder(spec, ctx)
        done: list[str] = list(facts.get("booted") or [])

        def booted(name: str) -> None:
            done.append(name)
            memory.remember({**facts, "booted": sorted(done)})

        waiting_hosts = [host for host in spec["hosts"] if host["name"] not in done]
        await hosts.boot_all(spec, waiting_hosts, f"{url}/{facts['image']}", ctx, booted)

    async def _settings(self, spec: Mapping[str, Any], kube: Kube, ctx: Context) -> None:
        """Bring what a running cluster can be given later to what the spec says; equal values write nothing."""
        try:
            await keys.authorize(kube, str(spec["ssh_key"]), ctx)
            await upgrade.bring_to(kube, str(spec["version"]), ctx)
        except (KubeError, SilentError) as stuck:
            raise ProviderError(f"cluster {spec['cluster']}: {stuck}") from None

    async def _tidy(self, spec: Mapping[str, Any], memory: Memory, ctx: Context) -> None:
        """The image is not needed any more. The memory stays until the engine shows that it has the kubeconfig."""
        await hosts.eject_all(spec, spec["hosts"], ctx)
        _unpublish(spec, memory, ctx)


async def _bring_in(
    spec: Mapping[str, Any],
    before: Sequence[Mapping[str, Any]],
    kubeconfig: str,
    ctx: Context,
    late: Sequence[Mapping[str, Any]] | None = None,
) -> list[str]:
    """Change the cluster's members; names of the hosts that joined, their nodes with what the ones before had."""
    kube = Kube(kubeconfig)
    try:
        joined = await membership.change(spec, before, kube, kubeconfig, ctx, late)
        async with certificates.approving(kube, spec["hosts"], ctx, spec.get("taints") or {}):
            await handover.restore(kube, [host["name"] for host in spec["hosts"]], ctx, waiting.install_patience(ctx))
    except (KubeError, SilentError) as stuck:
        raise ProviderError(f"cluster {spec['cluster']}: {stuck}; run again to go on") from None
    return joined


async def _ready(
    spec: Mapping[str, Any], kube: Kube, ctx: Context, patience: waiting.Patience, *, first_day: bool = False
) -> None:
    taints = None if first_day else spec.get("taints") or {}
    async with certificates.approving(kube, spec["hosts"], ctx, taints):
        await waiting.wait_nodes(kube, [host["name"] for host in spec["hosts"]], ctx, patience)


def api_server(spec: Mapping[str, Any]) -> str:
    """URL of the cluster's API as the site knows it."""
    return f"https://api.{spec['cluster']}.{spec['domain']}:{API_PORT}"


def _way_out(memory: Memory) -> str:
    return f"to install anew on the same hosts, delete {memory.folder} first"


def _kube(kubeconfig: str, ctx: Context) -> Kube:
    return Kube(rehomed(kubeconfig, ctx.reach))


def _outputs(inputs: Values, kubeconfig: str) -> dict[str, Any]:
    spec = inputs["spec"]
    return {**inputs, "kubeconfig": Secret(kubeconfig), "api_server": api_server(spec), "hosts": _names(spec)}


def _names(spec: Mapping[str, Any]) -> list[str]:
    return sorted(str(host["name"]) for host in spec["hosts"])


def _by_name(nodes: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {str(node["metadata"]["name"]): node for node in nodes}


def _hosts(inputs: Values) -> list[Any]:
    spec = inputs.get("spec")
    found = spec.get("hosts") if isinstance(spec, Mapping) else None
    return found if isinstance(found, list) else []


def _named(inputs: Values) -> dict[str, Any]:
    """Hosts by name: inserting one is one addition, not a change of all that follow."""
    if not _hosts(inputs):
        return dict(inputs)
    return {**inputs, "spec": {**inputs["spec"], "hosts": {str(host.get("name")): host for host in _hosts(inputs)}}}


def _placed(found: Difference, old_inputs: Values, new_inputs: Values) -> Difference:
    """The same changes, at the places where the program (or, for what it dropped, the state) says the hosts."""
    places: dict[str, int] = {}
    for inputs in (old_inputs, new_inputs):
        places |= {str(host.get("name")): index for index, host in enumerate(_hosts(inputs))}
    changes: dict[Path, Any] = {}
    for path, change in found.changes.items():
        if path[:2] == ("spec", "hosts") and len(path) > 2:
            changes[(*path[:2], places[str(path[2])], *path[3:])] = change
        else:
            changes[path] = change
    return Difference(changes=changes)


def _published(spec: Mapping[str, Any], facts: Mapping[str, Any], ctx: Context) -> bool:
    folder, _ = image.publish_folder(spec, ctx)
    return bool(facts.get("image")) and (folder / str(facts["image"])).is_file()


def _unpublish(spec: Mapping[str, Any], memory: Memory, ctx: Context) -> None:
    if name := memory.facts.get("image"):
        folder, _ = image.publish_folder(spec, ctx)
        (folder / str(name)).unlink(missing_ok=True)
