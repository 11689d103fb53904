"""The Cluster Network Operator and the daemons of OVN-Kubernetes, as far as the gateway mode of nodes goes.

After openshift/cluster-network-operator, release-4.19 to release-4.22. pkg/network/ovn_kubernetes.go: `routingViaHost`
becomes `--gateway-mode` in a script of ConfigMap ovnkube-script-lib, whose hash is an annotation of the pods of
DaemonSet ovnkube-node; a Network without `gatewayConfig` gets one. bindata/network/ovn-kubernetes: these pods follow
one another, a tenth of the nodes at a time. pkg/controller/statusmanager/pod_status.go of 4.22: progressing is from the
DaemonSet's status alone and ends while the last pods are not ready yet, a rollout without a change for ten minutes is
hung. After ovn-kubernetes/ovn-kubernetes, go-controller/pkg/node/gateway_init.go: a daemon writes the mode that it was
started with on its node, and is ready only later.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions, now
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.kinds import CLUSTER_OPERATORS, CONFIG_MAPS, DAEMON_SETS, NODES, PODS
from podwright.lab.openshift.pulls import PULLED
from podwright.lab.openshift.scc import accounts

NETWORKS = Kind("operator.openshift.io/v1", "networks")
HOME, NAME = "openshift-ovn-kubernetes", "ovnkube-node"
LOCAL, SHARED = "local", "shared"
GATEWAY = "k8s.ovn.org/l3-gateway-config"
"""Annotation of a node: the gateway that its daemon has made there."""
HASH = "network.operator.openshift.io/ovnkube-script-lib-hash"
STARTING = "lab.podwright.io/sets-gateway-up"
"""Annotation of a daemon's pod until the gateway of its node is made: kwok makes it ready only then."""
MANAGER = "cluster-network-operator/operconfig"
TAKES_SECONDS = 2.0
"""From a change of the Network to one of the DaemonSet: everything is rendered and applied, object by object."""
STARTS_SECONDS = 1.0
"""From a daemon's pod to its gateway; a minute on a real node."""
HUNG_SECONDS = 20.0
"""A rollout in which nothing changes for so long is hung; ten minutes on a real cluster."""
_DAEMONS: Final = f'DaemonSet "/{HOME}/{NAME}"'
_LABELS: Final = {"app": NAME}


def _script(mode: str) -> str:
    return f'gateway_mode_flags="--gateway-mode {mode} --gateway-interface br-ex"'


MARKS: Final = {hashlib.sha1(_script(each).encode()).hexdigest(): each for each in (LOCAL, SHARED)}  # noqa: S324
"""The mode that a pod is started with, by the hash in its annotation; the operator takes SHA-1."""


def mode_of(node: Object | None) -> str:
    """The gateway mode of a node; empty before a daemon has made a gateway there."""
    text = ((node or {"metadata": {}})["metadata"].get("annotations") or {}).get(GATEWAY)
    return str(json.loads(text)["default"]["mode"]) if text else ""


class ClusterNetwork(Controller):
    """Follows the Network with a DaemonSet, nodes follow its pods."""

    watches = (NETWORKS, CONFIG_MAPS, DAEMON_SETS, PODS, NODES, CLUSTER_OPERATORS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._asked: tuple[str, float] | None = None
        """A mode that is not rolled out yet, and since when it is asked for."""
        self._begun: dict[str, float] = {}
        """When a pod was first seen on its node, by uid."""
        self._changed: tuple[Any, float, str] = (None, 0.0, "")
        """What the DaemonSet last showed, and since when."""

    def reconcile(self) -> None:
        """One pass over the Network, daemons that start, and what the operator says."""
        item = self.cache.get(NETWORKS, "cluster")
        if item is None:
            return
        self._follow(item)
        pods = [each for each in self.cache.list(PODS, HOME) if each["metadata"].get("labels", {}).get("app") == NAME]
        for pod in pods:
            self._start_up(pod)
        self._begun = {each["metadata"]["uid"]: self._begun[each["metadata"]["uid"]] for each in pods
                       if each["metadata"]["uid"] in self._begun}  # fmt: skip
        self._report()

    def _later(self, seconds: float, what: Callable[[], None]) -> None:
        timer = threading.Timer(seconds, what)
        timer.daemon = True
        timer.start()

    # --- the operator -----------------------------------------------------------------------------------------

    def _follow(self, item: Object) -> None:
        spec = item["spec"]
        if spec.get("managementState") == "Unmanaged":
            return
        config = (spec.get("defaultNetwork") or {}).get("ovnKubernetesConfig") or {}
        if "gatewayConfig" not in config:
            self._fill_in()
        mode = LOCAL if (config.get("gatewayConfig") or {}).get("routingViaHost") else SHARED
        daemons = self.cache.get(DAEMON_SETS, NAME, HOME)
        if daemons is None:
            accounts.ensure(self.api, HOME, "ovn-kubernetes-node", [])
            self._render(mode)
            self.cache.put(DAEMON_SETS, self.api.create(DAEMON_SETS.path(HOME), _daemon_set(mode)))
            return
        if MARKS.get(daemons["spec"]["template"]["metadata"]["annotations"].get(HASH, "")) == mode:
            self._asked = None
            return
        if self._asked is None or self._asked[0] != mode:
            self._asked = (mode, time.monotonic())
            self._later(TAKES_SECONDS, self.ring)
        elif time.monotonic() - self._asked[1] >= TAKES_SECONDS:
            # In this order: for a moment the script is of the new mode, and no daemon is asked to start with it.
            self._render(mode)
            notes = {"metadata": {"annotations": {HASH: _mark(mode)}}}
            fresh = self.api.merge(DAEMON_SETS.path(HOME, NAME), {"spec": {"template": notes}})
            self.cache.replace(DAEMON_SETS, fresh)
            self._asked = None

    def _fill_in(self) -> None:
        """`routingViaHost` is left to the schema's default, so that it is nobody's."""
        config: Object = {"ovnKubernetesConfig": {"gatewayConfig": {"ipv4": {}, "ipv6": {}}}}
        meta = {"apiVersion": NETWORKS.api_version, "kind": "Network", "metadata": {"name": "cluster"}}
        body = json.dumps({**meta, "spec": {"defaultNetwork": config}}).encode()
        self.api.apply_text(NETWORKS.path(name="cluster"), body, MANAGER)

    def _render(self, mode: str) -> None:
        conf = f"[gateway]\nmode={mode}\nnodeport=true\n"
        for name, data in {
            "ovnkube-config": {"ovnkube.conf": conf},
            "ovnkube-script-lib": {"ovnkube-lib.sh": _script(mode)},
        }.items():
            found = self.cache.get(CONFIG_MAPS, name, HOME)
            meta = {"name": name, "namespace": HOME}
            if found is None:
                body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}
                self.api.ensure(CONFIG_MAPS.path(HOME), body)
            else:
                self.patch(CONFIG_MAPS, found, {"data": data})

    def _report(self) -> None:
        operator, daemons = self.cache.get(CLUSTER_OPERATORS, "network"), self.cache.get(DAEMON_SETS, NAME, HOME)
        known: list[Any] = ((operator or {}).get("status") or {}).get("conditions") or []
        if operator is None or daemons is None or not any(
            row["type"] == "Available" and row["status"] == "True" for row in known
        ):  # fmt: skip
            return
        status = daemons.get("status") or {}
        updated, current = status.get("updatedNumberScheduled", 0), status.get("currentNumberScheduled", 0)
        rolls = updated < current
        if rolls and status != self._changed[0]:
            self._changed = (status, time.monotonic(), now())
            self._later(HUNG_SECONDS + 0.5, self.ring)
        elif not rolls:
            self._changed = (None, 0.0, "")
        hung = rolls and time.monotonic() - self._changed[1] >= HUNG_SECONDS
        doing = f"{_DAEMONS} update is rolling out ({updated} out of {current} updated)"
        why = f"{_DAEMONS} rollout is not making progress - last change {self._changed[2]}"
        rows = [
            condition("Progressing", rolls, "Deploying" if rolls else "AsExpected", doing if rolls else ""),
            condition("Degraded", hung, "RolloutHung" if hung else "AsExpected", why if hung else ""),
        ]
        others = [row for row in known if row["type"] not in ("Progressing", "Degraded")]
        ours = any(row.get("reason") in ("Deploying", "RolloutHung") for row in known)
        if rolls or ours:
            self.set_status(CLUSTER_OPERATORS, operator, {"conditions": merge_conditions(known, [*others, *rows])})

    # --- the daemons ------------------------------------------------------------------------------------------

    def _start_up(self, pod: Object) -> None:
        """Makes the gateway of its node, in the mode that it was started with."""
        meta, name = pod["metadata"], pod["spec"].get("nodeName")
        notes = meta.get("annotations") or {}
        if STARTING not in notes or not name or "deletionTimestamp" in meta:
            return
        node = self.cache.get(NODES, name)
        if node is None or not node_ready(node):
            return
        if meta["uid"] not in self._begun:
            self._begun[meta["uid"]] = time.monotonic()
            self._later(STARTS_SECONDS, self.ring)
        if time.monotonic() - self._begun[meta["uid"]] < STARTS_SECONDS:
            return
        gateway = {"mode": MARKS[notes[HASH]], "bridge-id": "br-ex", "interface-id": f"br-ex_{name}",
                   "node-port-enable": "true", "vlan-id": "0"}  # fmt: skip
        self.note(NODES, node, **{GATEWAY: json.dumps({"default": gateway})})
        self.note(PODS, pod, **{STARTING: None})


def _mark(mode: str) -> str:
    return next(mark for mark, each in MARKS.items() if each == mode)


def _daemon_set(mode: str) -> Object:
    """Without requests, so that the rest of a node is what tests say; images of the release are on nodes already."""
    box = {"name": "ovnkube-controller", "image": f"quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:{'0' * 64}"}
    notes = {HASH: _mark(mode), STARTING: "true", PULLED: "true"}
    return {
        "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"name": NAME, "namespace": HOME},
        "spec": {
            "selector": {"matchLabels": _LABELS},
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}},
            "template": {
                "metadata": {"labels": {**_LABELS, "component": "network", "type": "infra"}, "annotations": notes},
                "spec": {
                    "hostNetwork": True, "priorityClassName": "system-node-critical",
                    "serviceAccountName": "ovn-kubernetes-node", "tolerations": [{"operator": "Exists"}],
                    "containers": [{**box, "securityContext": {"privileged": True}}],
                },
            },
        },
    }  # fmt: skip
