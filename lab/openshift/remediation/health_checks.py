"""The Node Health Check Operator: who is not Ready for too long gets a remediation, unless too many are.

After medik8s/node-healthcheck-operator release-0.12, internal/controller/nodehealthcheck_controller.go: a node counts
as healthy only where none of its conditions is on the way to being unhealthy and no remediation of it is left; with a
node among the lost ones that the Machine Config Operator takes to another configuration, or an update of the cluster
under way, nothing is remediated; a remediation is deleted as soon as its node's conditions are well again.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions, now
from podwright.lab.openshift.kinds import (
    CLUSTER_VERSIONS,
    CSVS,
    DEPLOYMENTS,
    HEALTH_CHECKS,
    NODES,
    REMEDIATION_TEMPLATES,
    REMEDIATIONS,
)
from podwright.lab.openshift.mco import CURRENT, DESIRED
from podwright.lab.openshift.remediation import refusals
from podwright.lab.openshift.selectors import matches

API = "remediation.medik8s.io/v1alpha1"
NODE = "remediation.medik8s.io/node-name"
"""Annotation of a remediation: the node that it is of."""
EXCLUDED = "remediation.medik8s.io/exclude-from-remediation"
SEVERAL = "remediation.medik8s.io/multiple-templates-support"
_PARTS = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)")
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
WELL, SOON, LOST = "well", "soon", "lost"


class HealthChecks(Controller):
    """One pass over every check."""

    watches = (CSVS, DEPLOYMENTS, HEALTH_CHECKS, REMEDIATIONS, REMEDIATION_TEMPLATES, NODES, CLUSTER_VERSIONS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._refuses = False

    def reconcile(self) -> None:
        """One pass."""
        if running(self.cache, "node-healthcheck-operator") is None:
            return
        if not self._refuses:
            refusals.of_checks(self.api)
            self._refuses = True
        self.each(HEALTH_CHECKS, self._check)

    def _check(self, item: Object) -> None:
        template = self._template(item)
        if template is None:
            self._disabled(item, "RemediationTemplateNotFound")
            return
        selected = [
            node
            for node in self.cache.list(NODES)
            if matches(item["spec"]["selector"], node["metadata"].get("labels", {}))
        ]
        states = {node["metadata"]["name"]: state(item, node) for node in selected}
        lost = [node for node in selected if states[node["metadata"]["name"]] == LOST]
        if self._updating(lost):
            self.event(item, "NodeHealthCheck", "RemediationSkipped", "ongoing cluster upgrade", warning=False)
            return
        if item["spec"].get("pauseRequests"):
            self.set_status(HEALTH_CHECKS, item, {"phase": "Paused", **self._enabled(item)})
            return
        self._act(item, template, selected, states)

    def _act(self, item: Object, template: Object, selected: list[Object], states: dict[str, str]) -> None:
        mine = self._remediations(item)
        names = {each["metadata"]["name"] for each in selected}
        for each in mine:
            gone = node_of(each) not in names or states[node_of(each)] == WELL
            if gone and "deletionTimestamp" not in each["metadata"]:
                meta = each["metadata"]
                self.api.delete(REMEDIATIONS.path(meta["namespace"], meta["name"]))
        open_ones = {node_of(each) for each in mine}
        healthy = sum(states[name] == WELL and name not in open_ones for name in names)
        lost = [each for each in selected if states[each["metadata"]["name"]] == LOST]
        enough = healthy >= least(item["spec"], len(selected))
        for node in lost:
            name = node["metadata"]["name"]
            excluded = (node["metadata"].get("labels") or {}).get(EXCLUDED) == "true"
            if enough and not excluded and name not in open_ones:
                self._create(item, template, name)
                open_ones.add(name)
            elif not enough:
                words = "Skipped remediation because the number of healthy nodes selected by the selector is too small"
                self.event(item, "NodeHealthCheck", "RemediationSkipped", words)
        self._report(item, len(selected), healthy, [each["metadata"]["name"] for each in lost])

    def _create(self, item: Object, template: Object, node: str) -> None:
        notes = template["metadata"].get("annotations") or {}
        called = {"generateName": f"{node}-"} if SEVERAL in notes else {"name": node}
        home = template["metadata"]["namespace"]
        made = self.api.create(REMEDIATIONS.path(home), {
            "apiVersion": REMEDIATIONS.api_version, "kind": "SelfNodeRemediation",
            "metadata": {
                **called, "namespace": home, "labels": {"app.kubernetes.io/part-of": "node-healthcheck-controller"},
                "annotations": {
                    NODE: node, "remediation.medik8s.io/template-name": template["metadata"]["name"],
                },
                "ownerReferences": self.own(item, API, "NodeHealthCheck"),
            },
            "spec": template["spec"]["template"]["spec"],
        })  # fmt: skip
        self.cache.replace(REMEDIATIONS, made)

    def _remediations(self, item: Object) -> list[Object]:
        uid = item["metadata"]["uid"]
        return [
            each
            for each in self.cache.list(REMEDIATIONS)
            if any(row["uid"] == uid for row in each["metadata"].get("ownerReferences", []))
        ]

    def _template(self, item: Object) -> Object | None:
        named = item["spec"].get("remediationTemplate") or {}
        if named.get("kind") != "SelfNodeRemediationTemplate":
            return None  # escalating remediations, and other remediators: not here
        return self.cache.get(REMEDIATION_TEMPLATES, named["name"], named["namespace"])

    def _updating(self, lost: list[Object]) -> bool:
        for node in lost:
            notes = node["metadata"].get("annotations") or {}
            if notes.get(DESIRED) and notes.get(DESIRED) != notes.get(CURRENT):
                return True
        rows = [
            row for each in self.cache.list(CLUSTER_VERSIONS) for row in each.get("status", {}).get("conditions", [])
        ]
        return any(row["type"] == "Progressing" and row["status"] == "True" for row in rows)

    # --- what a check says of itself ---------------------------------------------------------------------------

    def _enabled(self, item: Object) -> dict[str, Any]:
        row = condition("Disabled", False, "NodeHealthCheckEnabled", "No issues found, NodeHealthCheck is enabled.")
        return {"conditions": merge_conditions(item.get("status", {}).get("conditions", []), [row])}

    def _disabled(self, item: Object, reason: str) -> None:
        row = condition("Disabled", True, reason, "failed to get remediation template")
        rows = merge_conditions(item.get("status", {}).get("conditions", []), [row])
        words = f"NHC is disabled: {reason}: {row['message']}"
        self.set_status(HEALTH_CHECKS, item, {"phase": "Disabled", "reason": words, "conditions": rows})

    def _report(self, item: Object, observed: int, healthy: int, lost: list[str]) -> None:
        mine = self._remediations(item)
        known = {row["name"]: row for row in item.get("status", {}).get("unhealthyNodes", [])}
        rows = []
        for name in sorted({*lost, *map(node_of, mine)}):
            row = {key: value for key, value in known.get(name, {}).items() if key != "remediations"} | {"name": name}
            made = [
                {
                    "resource": {
                        "apiVersion": each["apiVersion"], "kind": each["kind"], "name": each["metadata"]["name"],
                        "namespace": each["metadata"]["namespace"], "uid": each["metadata"]["uid"],
                    },
                    "started": each["metadata"]["creationTimestamp"],
                    "templateName": each["metadata"]["annotations"]["remediation.medik8s.io/template-name"],
                }
                for each in mine
                if node_of(each) == name
            ]  # fmt: skip
            row |= {"remediations": made} if made else {}
            if name not in lost:
                row.setdefault("conditionsHealthyTimestamp", now())
            rows.append(row)
        under_way = any(row.get("remediations") for row in rows)
        phase = "Remediating" if under_way else "Enabled"
        words = f"NHC is remediating {len(rows)} nodes" if under_way else "NHC is enabled, no ongoing remediation"
        self.set_status(HEALTH_CHECKS, item, {
            "observedNodes": observed, "healthyNodes": healthy, "unhealthyNodes": rows, "phase": phase,
            "reason": words, **self._enabled(item),
        })  # fmt: skip


def node_of(remediation: Object) -> str:
    """The node that a remediation is of."""
    meta = remediation["metadata"]
    return str((meta.get("annotations") or {}).get(NODE) or meta["name"])


def state(check: Object, node: Object) -> str:
    """Whether a node's conditions are well, on the way to being unhealthy, or have been so for long enough."""
    rows = {row["type"]: row for row in node.get("status", {}).get("conditions", [])}
    found = WELL
    for asked in check["spec"].get("unhealthyConditions", []):
        row = rows.get(asked["type"])
        if row is None or row["status"] != asked["status"]:
            continue
        since = datetime.fromisoformat(str(row["lastTransitionTime"]))
        if datetime.now(UTC) > since + timedelta(seconds=seconds(asked["duration"])):
            return LOST
        found = SOON
    return found


def least(spec: dict[str, Any], total: int) -> int:
    """How many nodes must be healthy; percentages round up."""
    if "minHealthy" in spec:
        return _scaled(spec["minHealthy"], total)
    return total - _scaled(spec["maxUnhealthy"], total)


def _scaled(value: int | str, total: int) -> int:
    return math.ceil(total * int(value[:-1]) / 100) if isinstance(value, str) and value.endswith("%") else int(value)


def seconds(duration: str) -> float:
    """A duration of Go in seconds."""
    return sum(float(number) * _UNITS[unit] for number, unit in _PARTS.findall(duration))
