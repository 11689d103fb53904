"""The etcd operator as far as the outside sees it: which members answer, on its own object and its ClusterOperator.

After openshift/cluster-etcd-operator, pkg/operator/etcdmemberscontroller: the conditions of `etcds/cluster` follow each
look at the members, the ClusterOperator is degraded only once they have been so for a while (two minutes; the lab's
clock is quicker).
"""

from __future__ import annotations

import time
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.kinds import CLUSTER_OPERATORS, CONFIG_MAPS, NODES

ETCDS = Kind("operator.openshift.io/v1", "etcds")
INERTIA_SECONDS = 3.0
"""From a lost member to a degraded ClusterOperator."""


class EtcdOperator(Controller):
    """Asks every member's host, and says what it finds."""

    watches = (ETCDS, NODES, CONFIG_MAPS, CLUSTER_OPERATORS)
    _since: float | None = None

    def reconcile(self) -> None:
        """One pass."""
        item = self.cache.get(ETCDS, "cluster")
        if item is None:
            body = {"apiVersion": ETCDS.api_version, "kind": "Etcd", "metadata": {"name": "cluster"}}
            self.api.ensure(ETCDS.path(), {**body, "spec": {"managementState": "Managed"}})
            return
        members = self.cache.get(CONFIG_MAPS, "etcd-endpoints", "openshift-etcd")
        total = len((members or {}).get("data") or {})
        lost = self._lost(set(((members or {}).get("data") or {}).values()))
        self._since = (self._since or time.monotonic()) if lost else None
        text = f"{total - len(lost)} of {total} members are available, {', '.join(lost)}" if lost else ""
        rows = [
            condition("EtcdMembersDegraded", bool(lost), "UnhealthyMembers" if lost else "AsExpected",
                      text or "No unhealthy members found"),
            condition("EtcdMembersAvailable", len(lost) * 2 < total, "EtcdQuorate",
                      text or f"{total} members are available"),
        ]  # fmt: skip
        status = {"conditions": merge_conditions((item.get("status") or {}).get("conditions") or [], rows)}
        self.set_status(ETCDS, item, status)
        self._report(text)

    def _lost(self, addresses: set[str]) -> list[str]:
        """Members whose host does not run. One without a node is somebody else's matter."""
        found = []
        for node in self.cache.list(NODES):
            server = self.around.server_of(node["metadata"]["name"])
            mine = any(row["address"] in addresses for row in node["status"].get("addresses") or [])
            if mine and server is not None and self.world.host(server.name).power != "On":
                found.append(f"{node['metadata']['name']} is unhealthy")
        return found

    def _report(self, text: str) -> None:
        operator = self.cache.get(CLUSTER_OPERATORS, "etcd")
        known: list[Any] = ((operator or {}).get("status") or {}).get("conditions") or []
        before: Object = next((row for row in known if row["type"] == "Degraded"), {})
        if operator is None or not before:
            return
        ripe = self._since is not None and time.monotonic() - self._since >= INERTIA_SECONDS
        if self._since is not None and not ripe:
            return
        ours = str(before.get("reason")) == "EtcdMembers_UnhealthyMembers"
        if ripe or ours:
            row = condition("Degraded", ripe, "EtcdMembers_UnhealthyMembers" if ripe else "AsExpected",
                            f"EtcdMembersDegraded: {text}" if ripe else "")  # fmt: skip
            rows = merge_conditions(known, [*(each for each in known if each["type"] != "Degraded"), row])
            self.set_status(CLUSTER_OPERATORS, operator, {"conditions": rows})
