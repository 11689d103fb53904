"""The part of the cluster-monitoring-operator that makes Prometheus's rules of AlertingRules.

After openshift/cluster-monitoring-operator f581865b4, pkg/alert/rule_controller.go: AlertingRules of the platform's
namespace alone; each becomes a PrometheusRule of its own with one more label on every alert, is named in the status,
and is made again where somebody changes or deletes it. Prometheus-operator's webhook, which is asked before a
PrometheusRule is stored, refuses what cannot be read: nothing is written to the status then.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from typing import Any

from podwright.lab.openshift.api import ApiError, Object
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.kinds import ALERTING_RULES, PROMETHEUS_RULES

NAMESPACE = "openshift-monitoring"
PROGRAM = "promql"
"""Reads PromQL as Prometheus does; not every lab has it."""
SECONDS = 20
_DENIED = 'admission webhook "prometheusrules.openshift.io" denied the request: Rules are not valid'
_LABELS = {
    "app.kubernetes.io/component": "alerting-rules-controller",
    "app.kubernetes.io/name": "cluster-monitoring-operator",
    "app.kubernetes.io/part-of": "openshift-monitoring",
    "prometheus": "k8s",
    "role": "alerting-rules",
}


class AlertingRules(Controller):
    """One pass over all of them."""

    watches = (ALERTING_RULES, PROMETHEUS_RULES)

    def reconcile(self) -> None:
        """What is made of an object goes with it, by its owner."""
        self.each(ALERTING_RULES, self._made)

    def _made(self, item: Object) -> None:
        meta = item["metadata"]
        if meta["namespace"] != NAMESPACE or meta.get("deletionTimestamp"):
            return
        groups = [_labelled(group) for group in item["spec"]["groups"]]
        name = generated(meta)
        spec = {"groups": groups}
        found = self.cache.get(PROMETHEUS_RULES, name, NAMESPACE)
        if found is None or found["spec"] != spec:
            self._webhook(groups)
            owner = self.own(item, ALERTING_RULES.api_version, "AlertingRule")
            body = {"apiVersion": PROMETHEUS_RULES.api_version, "kind": "PrometheusRule", "spec": spec}
            body["metadata"] = {"name": name, "namespace": NAMESPACE, "labels": _LABELS, "ownerReferences": owner}
            if found is None:
                self.api.ensure(PROMETHEUS_RULES.path(NAMESPACE), body)
            else:
                self.api.merge(PROMETHEUS_RULES.path(NAMESPACE, name), {"spec": spec})
        status = {"observedGeneration": meta["generation"], "prometheusRule": {"name": f"{NAMESPACE}/{name}"}}
        self.set_status(ALERTING_RULES, item, status)

    def _webhook(self, groups: list[dict[str, Any]]) -> None:
        """Raises ApiError for an expression that cannot be read, where the lab has what reads it."""
        plane = self.around.plane
        program = plane.program(PROGRAM) if plane is not None else None
        if program is None or not os.access(program, os.X_OK):
            return
        expressions = [str(rule["expr"]) for group in groups for rule in group["rules"]]
        asked = json.dumps({"expressions": expressions})
        answered = subprocess.run([program], input=asked, capture_output=True, text=True, timeout=SECONDS, check=True)
        for expression, read in zip(expressions, json.loads(answered.stdout)["expressions"], strict=True):
            if read["error"]:
                raise ApiError(400, "Invalid", f"{_DENIED}: {expression}: {read['error']}")


def _labelled(group: dict[str, Any]) -> dict[str, Any]:
    """A group as Prometheus gets it: every alert is known for one that no part of OpenShift brings."""
    rules = [
        {**rule, "labels": {**rule.get("labels", {}), "openshift_io_user_alert": "true"}} for rule in group["rules"]
    ]
    return {**group, "rules": rules}


def generated(meta: dict[str, Any]) -> str:
    """Name of the PrometheusRule that is made of an object."""
    known = hashlib.md5(f"{meta['namespace']}-{meta['name']}-{meta['uid']}".encode(), usedforsecurity=False)
    return f"{meta['name']}-{known.hexdigest()[:6]}"
