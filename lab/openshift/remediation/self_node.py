"""The Self Node Remediation Operator: an agent on every node, and nodes that are reset and taken out of service.

After medik8s/self-node-remediation release-0.13, internal/controller and internal/reboot/calculator.go. A node without
an agent is never remediated. Its manager goes by phases: the node takes no pods, time for a reset passes, the node is
out of service until none of its pods is Terminating and none of its volumes attached, and when the remediation is
deleted, the node is given back.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions
from podwright.lab.openshift.daemons import ensure_daemon_set, works_on
from podwright.lab.openshift.kinds import (
    ATTACHMENTS,
    CSVS,
    DAEMON_SETS,
    DEPLOYMENTS,
    NODES,
    PODS,
    REMEDIATION_CONFIGS,
    REMEDIATION_TEMPLATES,
    REMEDIATIONS,
)
from podwright.lab.openshift.remediation import refusals
from podwright.lab.openshift.remediation.health_checks import EXCLUDED, SEVERAL, node_of, seconds

API = "self-node-remediation.medik8s.io/v1alpha1"
CONFIG = "self-node-remediation-config"
AUTOMATIC = "self-node-remediation-automatic-strategy-template"
DAEMONS = "self-node-remediation-ds"
IMAGE = "registry.redhat.io/workload-availability/self-node-remediation-rhel9-operator"
FINALIZER = "self-node-remediation.medik8s.io/snr-finalizer"
CAPABLE = "is-reboot-capable.self-node-remediation.medik8s.io"
WATCHDOG = "self-node-remediation.medik8s.io/watchdog-timeout"
WATCHDOG_SECONDS = 60
"""The kernel's largest default, which the operator takes for a node that does not say."""
FASTER = 60.0
"""How much faster than its sum says a reset is assumed: a second of the lab for a minute."""
WAITS_SECONDS = 60.0
"""For so long after a reset a node that is well again stays out of service for pods that do not go."""
HELD = {"key": "remediation.medik8s.io/self-node-remediation", "effect": "NoSchedule"}
OUT = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}
BEFORE, RESET, DONE = "Pre-Reboot-Completed", "Reboot-Completed", "Fencing-Completed"


class SelfNodeRemediations(Controller):
    """One pass: agents and what they note, then each remediation a phase further."""

    watches = (
        CSVS,
        DEPLOYMENTS,
        DAEMON_SETS,
        REMEDIATION_CONFIGS,
        REMEDIATION_TEMPLATES,
        REMEDIATIONS,
        NODES,
        PODS,
        ATTACHMENTS,
    )

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._began = ""
        self._reset: set[str] = set()

    def reconcile(self) -> None:
        """One pass."""
        home = running(self.cache, "self-node-remediation")
        if home is None:
            self._began = ""
            return
        if self._began != home:
            self._begin(home)
            self._began = home
        for each in self.cache.list(REMEDIATION_TEMPLATES):
            self.note(REMEDIATION_TEMPLATES, each, **{SEVERAL: "true"})
        config = self.cache.get(REMEDIATION_CONFIGS, CONFIG, home)
        if config is not None:
            self._agents(home, config)
        self.each(REMEDIATIONS, lambda item: self._remediate(item, home, config))

    def _begin(self, home: str) -> None:
        """What the manager makes when it starts: its own configuration and template, unless they are there."""
        refusals.of_configurations(self.api)
        spec = {"watchdogFilePath": "/dev/watchdog", "isSoftwareRebootEnabled": True}
        self.api.ensure(REMEDIATION_CONFIGS.path(home), {
            "apiVersion": API, "kind": "SelfNodeRemediationConfig", "metadata": {"name": CONFIG, "namespace": home},
            "spec": spec,
        })  # fmt: skip
        self.api.ensure(REMEDIATION_TEMPLATES.path(home), {
            "apiVersion": API, "kind": "SelfNodeRemediationTemplate",
            "metadata": {
                "name": AUTOMATIC, "namespace": home, "labels": {"remediation.medik8s.io/default-template": "true"},
            },
            "spec": {"template": {"spec": {"remediationStrategy": "Automatic"}}},
        })  # fmt: skip

    # --- agents -------------------------------------------------------------------------------------------------

    def _agents(self, home: str, config: Object) -> None:
        """install/self-node-remediation-deamonset.yaml: its labels, tolerations and the nodes that it leaves out."""
        roles = [{"key": f"node-role.kubernetes.io/{role}", "operator": "Exists", "effect": "NoSchedule"}
                 for role in ("master", "control-plane")]  # fmt: skip
        own = {"key": HELD["key"], "operator": "Exists", "effect": "NoSchedule"}
        wanted = [{"key": EXCLUDED, "operator": "NotIn", "values": ["true"]}]
        wanted += config["spec"].get("customDsNodeSelectorRequirements") or []
        terms = {"nodeSelectorTerms": [{"matchExpressions": wanted}]}
        ensure_daemon_set(
            self, home, DAEMONS, IMAGE, owner=self.own(config, API, "SelfNodeRemediationConfig"),
            tolerations=[own, *roles, *(config["spec"].get("customDsTolerations") or [])],
            affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}},
            component="agent", marks={"app.kubernetes.io/name": "self-node-remediation"},
        )  # fmt: skip
        for name in works_on(self.cache, home, DAEMONS):
            node = self.cache.get(NODES, name)
            if node is not None:
                self.note(NODES, node, **{CAPABLE: "true", WATCHDOG: str(WATCHDOG_SECONDS)})

    def _capable(self, node: Object, home: str) -> bool:
        """Whether there is an agent on the node, which may be silent with it, and whether it has said what it can."""
        name, notes = node["metadata"]["name"], node["metadata"].get("annotations") or {}
        pods = [
            pod
            for pod in self.cache.list(PODS, home)
            if pod["metadata"].get("labels", {}).get("app.kubernetes.io/component") == "agent"
        ]
        return notes.get(CAPABLE) == "true" and any(pod["spec"].get("nodeName") == name for pod in pods)

    # --- a remediation ------------------------------------------------------------------------------------------

    def _remediate(self, item: Object, home: str, config: Object | None) -> None:
        if config is None:
            rows = [condition("Disabled", True, "ConfigurationNotFound", "configuration does not exist")]
            self.set_status(REMEDIATIONS, item, {"conditions": rows})
            return
        node = self.cache.get(NODES, node_of(item))
        if node is None:
            self._conditions(item, False, "False", "RemediationSkippedNodeNotFound")
            return
        if (node["metadata"].get("labels") or {}).get(EXCLUDED) == "true":
            return
        phase = item.get("status", {}).get("phase")
        step = {None: self._start, BEFORE: self._await_reset, RESET: self._out_of_service, DONE: self._give_back}[phase]
        step(item, node, home, config)
        if phase in (BEFORE, RESET):
            self.ring()  # a clock runs

    def _start(self, item: Object, node: Object, home: str, config: Object) -> None:
        if "deletionTimestamp" in item["metadata"]:
            return
        self._conditions(item, True, "Unknown", "RemediationStarted")
        if not self._capable(node, home):
            self.set_status(REMEDIATIONS, item, {"lastError": "Node is not capable to reboot itself"})
            return
        held = [*item["metadata"].get("finalizers", []), FINALIZER]
        self.patch(REMEDIATIONS, item, {"metadata": {"finalizers": held}})
        self._taint(node, HELD)
        until = datetime.now(UTC) + timedelta(seconds=self._reset_seconds(config, node) / FASTER)
        self._phase(item, BEFORE, {"lastError": "", "timeAssumedRebooted": until.strftime("%Y-%m-%dT%H:%M:%SZ")})

    def _await_reset(self, item: Object, node: Object, home: str, config: Object) -> None:
        """The agent, where its node runs and the remediation is still asked for, resets it once."""
        del home, config
        uid = item["metadata"]["uid"]
        if uid not in self._reset and "deletionTimestamp" not in item["metadata"]:
            self._reset.add(uid)
            self.restart(node["metadata"]["name"])
        if datetime.now(UTC) >= _reset_at(item):
            self._phase(item, RESET)

    def _out_of_service(self, item: Object, node: Object, home: str, config: Object) -> None:
        del home, config
        if item["spec"].get("remediationStrategy", "Automatic") == "ResourceDeletion":
            self._conditions(item, False, "False", "the lab takes nodes out of service, and no other way")
            return
        node = self._taint(node, OUT)
        if self._left(node["metadata"]["name"]):
            expired = datetime.now(UTC) > _reset_at(item) + timedelta(seconds=WAITS_SECONDS)
            if not (expired and "deletionTimestamp" in item["metadata"]):
                return
        self._untaint(node, OUT)
        self._conditions(item, False, "True", "RemediationFinishedSuccessfully")
        self._phase(item, DONE)

    def _give_back(self, item: Object, node: Object, home: str, config: Object) -> None:
        del home, config
        if "deletionTimestamp" not in item["metadata"]:
            return
        self._untaint(node, HELD)
        rest = [each for each in item["metadata"].get("finalizers", []) if each != FINALIZER]
        self.patch(REMEDIATIONS, item, {"metadata": {"finalizers": rest}})

    def _left(self, node: str) -> bool:
        """Pods of the node that are Terminating, or volumes that are attached to it. Read from the API, not from what
        is remembered: the real manager's cache is as fresh as that within a pass of a second."""
        pods = self.api.request("GET", f"{PODS.path()}?fieldSelector=spec.nodeName%3D{node}")["items"]
        if any("deletionTimestamp" in pod["metadata"] for pod in pods):
            return True
        return any(each["spec"].get("nodeName") == node for each in self.cache.list(ATTACHMENTS))

    def _reset_seconds(self, config: Object, node: Object) -> float:
        """How long until a node that hears nobody is sure to have been reset (calculateMinimumRebootDuration)."""
        spec: dict[str, Any] = {
            "apiCheckInterval": "15s", "apiServerTimeout": "5s", "maxApiErrorThreshold": 3, "peerDialTimeout": "5s",
            "peerRequestTimeout": "7s", **config["spec"],
        }  # fmt: skip
        notices = (seconds(spec["apiCheckInterval"]) + seconds(spec["apiServerTimeout"])) * spec["maxApiErrorThreshold"]
        workers = sum("node-role.kubernetes.io/worker" in each["metadata"].get("labels", {})
                      for each in self.cache.list(NODES))  # fmt: skip
        asks = max(30.0, batches(workers) * (seconds(spec["peerDialTimeout"]) + seconds(spec["peerRequestTimeout"])))
        notes = node["metadata"].get("annotations") or {}
        least: float = notices + asks + float(notes.get(WATCHDOG, WATCHDOG_SECONDS)) + 30
        return max(least, float(spec.get("safeTimeToAssumeNodeRebootedSeconds") or 0))

    def _phase(self, item: Object, phase: str, more: dict[str, Any] | None = None) -> None:
        fresh = self.patch(REMEDIATIONS, item, {"status": {"phase": phase, **(more or {})}}, "status")
        self.cache.replace(REMEDIATIONS, fresh)

    def _conditions(self, item: Object, processing: bool, succeeded: str, reason: str) -> None:
        rows = [condition("Processing", processing, reason), condition("Succeeded", succeeded, reason)]
        known = item.get("status", {}).get("conditions", [])
        self.set_status(REMEDIATIONS, item, {"conditions": merge_conditions(known, rows)})

    def _taint(self, node: Object, taint: dict[str, str]) -> Object:
        """A merge of the whole list, as the operator patches it."""
        taints = node["spec"].get("taints") or []
        if any(each["key"] == taint["key"] for each in taints):
            return node
        added = {**taint, "timeAdded": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
        return self._write(node, [*taints, added])

    def _untaint(self, node: Object, taint: dict[str, str]) -> Object:
        taints = node["spec"].get("taints") or []
        rest = [each for each in taints if each["key"] != taint["key"]]
        return node if rest == taints else self._write(node, rest)

    def _write(self, node: Object, taints: list[dict[str, Any]]) -> Object:
        fresh = self.api.merge(NODES.path(None, node["metadata"]["name"]), {"spec": {"taints": taints or None}})
        self.cache.replace(NODES, fresh)
        return fresh


def batches(nodes: int) -> int:
    """Rounds in which an agent asks its peers: three of them, then a tenth of the others each time, never fewer."""
    first = min(3, nodes)
    return min(1, nodes) + math.ceil((nodes - first) / max(3, (nodes - 3) // 10))


def _reset_at(item: Object) -> datetime:
    return datetime.fromisoformat(str(item["status"]["timeAssumedRebooted"]))
