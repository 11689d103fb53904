"""The Machine Config Operator: pools claim nodes, render their MachineConfigs, roll out one node at a time.

After openshift/machine-config-operator: a custom pool takes a worker away from `worker`; a node that two custom pools
claim is left alone; a new rendered configuration is drained and rebooted into only when its content differs. How far
a node is stands in its annotations, so that a controller that was restarted goes on where the last one stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from podwright.lab.openshift import disruption, drain
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.kinds import MACHINE_CONFIG_POOLS, MACHINE_CONFIGS, MACHINE_CONFIGURATIONS, NODES, PODS
from podwright.lab.openshift.selectors import matches

GROUP = "machineconfiguration.openshift.io/v1"
PREFIX = "machineconfiguration.openshift.io/"
CURRENT, DESIRED, STATE = f"{PREFIX}currentConfig", f"{PREFIX}desiredConfig", f"{PREFIX}state"
REASON, DRAIN, APPLIED = f"{PREFIX}reason", f"{PREFIX}desiredDrain", f"{PREFIX}lastAppliedDrain"
"""The daemon asks by `desiredDrain` (drain-<config>, uncordon-<config>), the controller answers in `lastAppliedDrain`.
"""
CORDONER = "machine-config-controller"
"""Whom a node's managed fields name: the binary's name."""
ROLE = f"{PREFIX}role"
STANDARD = ("master", "worker")


def standard_objects() -> list[tuple[Any, Object]]:
    """What the installer leaves: the base configurations and the two pools."""
    found: list[tuple[Any, Object]] = []
    for role in STANDARD:
        for name in (f"00-{role}", f"99-{role}-ssh"):
            found.append((MACHINE_CONFIGS, {
                "apiVersion": GROUP, "kind": "MachineConfig", "metadata": {"name": name, "labels": {ROLE: role}},
                "spec": {"config": {"ignition": {"version": "3.5.0"}}},
            }))  # fmt: skip
        found.append((MACHINE_CONFIG_POOLS, {
            "apiVersion": GROUP, "kind": "MachineConfigPool",
            "metadata": {"name": role, "labels": {f"pools.operator.machineconfiguration.openshift.io/{role}": ""}},
            "spec": {
                "machineConfigSelector": {"matchLabels": {ROLE: role}},
                "nodeSelector": {"matchLabels": {f"node-role.kubernetes.io/{role}": ""}},
            },
        }))  # fmt: skip
    return found


class Mco(Controller):
    """Renders, assigns, and walks nodes through their updates."""

    watches = (MACHINE_CONFIG_POOLS, MACHINE_CONFIGS, MACHINE_CONFIGURATIONS, NODES, PODS)

    def reconcile(self) -> None:
        """One pass over pools and nodes."""
        for kind, item in standard_objects():
            if self.cache.get(kind, item["metadata"]["name"]) is None:
                self.api.ensure(kind.path(), item)
        pools = {pool["metadata"]["name"]: pool for pool in self.cache.list(MACHINE_CONFIG_POOLS)}
        rendered = {name: self._render(pool) for name, pool in pools.items()}
        members: dict[str, list[Object]] = {name: [] for name in pools}
        for node in self.cache.list(NODES):
            owner = self._pool_of(node, pools)
            if owner:
                members[owner].append(node)
        for name, pool in pools.items():
            self._advance(pool, members[name], rendered[name])
            self._report(pool, members[name], rendered[name])

    # --- rendering --------------------------------------------------------------------------------------------

    def _render(self, pool: Object) -> str:
        name = pool["metadata"]["name"]
        sources = [
            config for config in self.cache.list(MACHINE_CONFIGS)
            if not config["metadata"]["name"].startswith("rendered-")
            and matches(pool["spec"].get("machineConfigSelector"), config["metadata"].get("labels", {}))
        ]  # fmt: skip
        spec = _merged(sources)
        text = json.dumps([name, spec], sort_keys=True)
        rendered = f"rendered-{name}-{hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()}"
        if sources and self.cache.get(MACHINE_CONFIGS, rendered) is None:
            self.api.ensure(MACHINE_CONFIGS.path(), {
                "apiVersion": GROUP, "kind": "MachineConfig",
                "metadata": {"name": rendered, "ownerReferences": self.own(pool, GROUP, "MachineConfigPool")},
                "spec": spec,
            })  # fmt: skip
        if sources and pool["spec"].get("configuration", {}).get("name") != rendered:
            rows = [{"apiVersion": GROUP, "kind": "MachineConfig", "name": s["metadata"]["name"]} for s in sources]
            self.patch(MACHINE_CONFIG_POOLS, pool, {"spec": {"configuration": {"name": rendered, "source": rows}}})
        return rendered if sources else ""

    def _pool_of(self, node: Object, pools: dict[str, Object]) -> str | None:
        labels = node["metadata"].get("labels", {})
        claims = [name for name, pool in pools.items() if matches(pool["spec"].get("nodeSelector"), labels)]
        custom = [name for name in claims if name not in STANDARD]
        if "master" in claims:
            return "master"
        if len(custom) > 1:
            message = (
                f"node {node['metadata']['name']} belongs to {len(custom)} custom roles, cannot proceed with this Node"
            )
            self.event(node, "Node", "CannotProceed", message)
            return None
        if custom:
            return custom[0]
        return "worker" if "worker" in claims else None

    # --- rolling out ------------------------------------------------------------------------------------------

    def _advance(self, pool: Object, nodes: list[Object], rendered: str) -> None:
        if not rendered:
            return
        away = 0
        for node in nodes:
            notes = node["metadata"].get("annotations", {})
            if CURRENT not in notes:
                # A host joins with what its machine config server served: its first role's configuration.
                # One whose node was deleted meanwhile goes on with what is on its disk.
                host = self.around.host_memory(node["metadata"]["name"])
                host.config = host.config or self._content(rendered)
                self.note(NODES, node, **{CURRENT: rendered, DESIRED: rendered, STATE: "Done", REASON: ""})
                continue
            if notes[CURRENT] != notes[DESIRED] or notes.get(STATE) != "Done":
                self._update(node)
            self._drain(self.cache.get(NODES, node["metadata"]["name"]) or node)
            away += not _available(node)
        room = drain.limit(pool["spec"].get("maxUnavailable", 1), len(nodes)) - away
        if pool["spec"].get("paused"):
            return
        for node in nodes:
            wanted = node["metadata"].get("annotations", {}).get(DESIRED, rendered)
            if room > 0 and wanted != rendered and _available(node):
                self.note(NODES, node, **{DESIRED: rendered, STATE: "Working"})
                room -= 1
                self.ring()

    def _content(self, name: str) -> Object | None:
        """What a rendered configuration says, None when there is none of that name."""
        found = self.cache.get(MACHINE_CONFIGS, name) or self.api.get(MACHINE_CONFIGS.path(None, name))
        return found["spec"] if found else None

    def _update(self, node: Object) -> None:
        """The daemon on the node: one step from the configuration it runs to the desired one."""
        notes, name = node["metadata"]["annotations"], node["metadata"]["name"]
        wanted, boot = notes[DESIRED], node["status"]["nodeInfo"]["bootID"]
        host, new = self.around.host_memory(name), self._content(wanted)
        if new is None:
            self.note(NODES, node, **{STATE: "Degraded", REASON: f'machineconfig "{wanted}" not found'})
            return
        host.boot(boot)
        if host.staged or not node_ready(node):
            return  # a reboot is under way: the daemon does not run
        old = host.config or self._content(notes[CURRENT]) or {}
        asked = disruption.actions(old, new, self.cache.get(MACHINE_CONFIGURATIONS, disruption.NAME))
        if disruption.drains(asked, old, new):
            drained = notes.get(DRAIN) == notes.get(APPLIED) == f"drain-{wanted}"
            self.note(NODES, node, **{DRAIN: f"drain-{wanted}", STATE: "Working"})
            if drained and disruption.REBOOT in asked:
                host.staged = (new, boot)
                self.restart(name)
            elif drained:
                self._take(node, new, asked)  # the node is uncordoned by the next pass
                self.ring()
        elif notes.get(DRAIN) == notes.get(APPLIED) == f"uncordon-{wanted}":
            self._take(node, new, asked)
            self.note(NODES, node, **{CURRENT: wanted, STATE: "Done", REASON: ""})
        else:
            self.note(NODES, node, **{DRAIN: f"uncordon-{wanted}", STATE: "Working"})

    def _take(self, node: Object, new: Object, asked: Sequence[disruption.Action]) -> None:
        """The files are written and the services that read them restarted; the node runs on."""
        self.around.host_memory(node["metadata"]["name"]).config = new
        for service in disruption.restarted(asked):
            message = f"Config changes do not require reboot. Service {service} was restarted."
            self.event(node, "Node", "ServiceRestart", message, warning=False)

    def _drain(self, node: Object) -> None:
        """The drain controller: does what the node's annotation asks, and notes when it is done."""
        notes = node["metadata"].get("annotations", {})
        asked = notes.get(DRAIN)
        if asked is None or asked == notes.get(APPLIED):
            return
        if asked.startswith("uncordon-"):
            drain.cordon(self.api, node, CORDONER, off=True)
            self.note(NODES, node, **{APPLIED: asked})
            return
        drain.cordon(self.api, node, CORDONER)
        waiting = drain.evict(self.api, self.cache, node["metadata"]["name"])
        if waiting:
            self.note(NODES, node, **{REASON: f"failed to drain node: {waiting[0]}"[:200]})
        else:
            self.note(NODES, node, **{APPLIED: asked, REASON: ""})

    def _report(self, pool: Object, nodes: list[Object], rendered: str) -> None:
        notes = [node["metadata"].get("annotations", {}) for node in nodes]
        updated = sum(n.get(CURRENT) == rendered and n.get(STATE) == "Done" for n in notes)
        ready = sum(
            node_ready(node) and not node["spec"].get("unschedulable") and n.get(CURRENT) == rendered
            for node, n in zip(nodes, notes, strict=True)
        )
        usable = sum(node_ready(n) and not n["spec"].get("unschedulable") for n in nodes)
        degraded = sum(n.get(STATE) == "Degraded" for n in notes)
        done = updated == ready == len(nodes)
        paused = bool(pool["spec"].get("paused"))
        going = "Pool is paused; will not update" if paused else "All nodes are updating"
        rows = [
            condition("RenderDegraded", not rendered, "" if rendered else "NoMachineConfigs"),
            condition("Updated", done, "", f"All nodes are updated with MachineConfig {rendered}" if done else ""),
            condition("Updating", not (done or paused), "", "" if done else f"{going} to MachineConfig {rendered}"),
            condition("NodeDegraded", degraded > 0, ""),
            condition("Degraded", degraded > 0 or not rendered, ""),
        ]
        before = pool.get("status", {})
        wanted: dict[str, Any] = {
            "machineCount": len(nodes), "updatedMachineCount": updated, "readyMachineCount": ready,
            "unavailableMachineCount": len(nodes) - usable,
            "degradedMachineCount": degraded, "observedGeneration": pool["metadata"]["generation"],
            "conditions": merge_conditions(before.get("conditions", []), rows),
        }  # fmt: skip
        if done and rendered:
            wanted["configuration"] = pool["spec"].get("configuration", {})
        self.set_status(MACHINE_CONFIG_POOLS, pool, wanted)


def _available(node: Object) -> bool:
    """True for a node that may be given a new configuration: whole, and not half-way to another one."""
    notes = node["metadata"].get("annotations", {})
    settled = notes.get(CURRENT) == notes.get(DESIRED) or notes.get(STATE) == "Degraded"
    return node_ready(node) and not node["spec"].get("unschedulable") and settled


def _merged(sources: list[Object]) -> dict[str, Any]:
    """The sources in name order as one configuration, the workers' first (`MergeMachineConfigs`)."""
    files: dict[str, Any] = {}
    units: dict[str, Any] = {}
    arguments: list[str] = []
    rest: dict[str, Any] = {}
    users: list[Any] = []
    for source in sorted(sources, key=_rank):
        spec = source["spec"]
        config = spec.get("config") or {}
        files.update({row["path"]: row for row in (config.get("storage") or {}).get("files") or []})
        units.update({row["name"]: row for row in (config.get("systemd") or {}).get("units") or []})
        users += (config.get("passwd") or {}).get("users") or []
        arguments += spec.get("kernelArguments") or []
        rest.update({key: spec[key] for key in ("kernelType", "extensions", "osImageURL", "fips") if spec.get(key)})
    merged: dict[str, Any] = {"ignition": {"version": "3.5.0"}}
    if files:
        merged["storage"] = {"files": [files[path] for path in sorted(files)]}
    if units:
        merged["systemd"] = {"units": [units[name] for name in sorted(units)]}
    if users:
        merged["passwd"] = {"users": users}
    return {"config": merged, "kernelArguments": arguments, **rest}


def _rank(source: Object) -> tuple[bool, str]:
    meta = source["metadata"]
    return meta.get("labels", {}).get(ROLE) != "worker", str(meta["name"])
