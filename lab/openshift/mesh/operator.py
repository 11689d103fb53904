"""Service Mesh's operator, and what its agents do with pods.

After openshift-service-mesh/sail-operator, release-3.3.5 (controllers/istio, istiocni, ztunnel: conditions, reasons and
messages; a finalizer, so that one that is deleted while the operator is away stays) and istio/istio, cni/pkg/nodeagent
(a pod that runs is taken in, and let go, as labels say, and carries an annotation for as long). ztunnel is not ready
before istiod trusts its namespace and knows of it. Kubelet's probes of a pod that was taken in arrive on nodes that
route by the host, where policies let their address in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions
from podwright.lab.openshift.daemons import ensure_daemon_set, works_on
from podwright.lab.openshift.kinds import CSVS, DAEMON_SETS, DEPLOYMENTS, NAMESPACES, NODES, PODS
from podwright.lab.openshift.network_operator import LOCAL, mode_of
from podwright.lab.openshift.network_policies import Peer
from podwright.lab.openshift.operands import ensure_deployment
from podwright.lab.openshift.ovn import DECIDING, MESHED, deciding, end
from podwright.lab.openshift.selectors import matches

PACKAGE = "servicemeshoperator3"
GROUP = "sailoperator.io/v1"
ISTIOS, CNIS, ZTUNNELS = (Kind(GROUP, each) for each in ("istios", "istiocnis", "ztunnels"))
PEERS = Kind("security.istio.io/v1", "peerauthentications")
FINALIZER = "sailoperator.io/sail-operator"
MODE, AMBIENT, NONE = "istio.io/dataplane-mode", "ambient", "none"
BLOCKED = "lab.podwright.io/probes"
"""Annotation of a pod that kubelet's probes do not reach: kwok makes it ready no more."""
PROBES = "169.254.7.127"
IMAGES = "registry.redhat.io/openshift-service-mesh/istio-"
CNI, ZTUNNEL, ISTIOD = "istio-cni-node", "ztunnel", "istiod"
_TAINTS = [{"effect": "NoSchedule", "operator": "Exists"}, {"key": "CriticalAddonsOnly", "operator": "Exists"}]
_ALL = [*_TAINTS, {"effect": "NoExecute", "operator": "Exists"}]


class ServiceMesh(Controller):
    """Does nothing before its operator runs; what its agents do goes on without it."""

    watches = (CSVS, DEPLOYMENTS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._begun = False

    def reconcile(self) -> None:
        """One pass over the three, then pods."""
        there = running(self.cache, PACKAGE) is not None
        if not self._begun and not there:
            return
        if not self._begun:
            self._begin()
        if there:
            for kind, work in ((ISTIOS, self._istio), (CNIS, self._cni), (ZTUNNELS, self._ztunnel)):
                self.each(kind, lambda item, kind=kind, work=work: self._look(kind, item, work))  # type: ignore[misc]
        self._take_in()

    def _begin(self) -> None:
        for kind in (
            *(ISTIOS, CNIS, ZTUNNELS, PEERS, NAMESPACES, PODS, NODES, DAEMON_SETS),
            *DECIDING,
        ):
            self.cache.listen(kind, self.ring)
            self.cache.settle(kind, self._over)
        self.around.mesh.peers = self._peers
        self._begun = True

    def _peers(self) -> list[Object]:
        return [each for each in self.cache.list(PEERS) if self._known(each["metadata"]["namespace"])]

    def _known(self, namespace: str) -> bool:
        """Whether some istiod looks at a namespace."""
        labels = (self.cache.get(NAMESPACES, namespace) or {"metadata": {}})["metadata"].get("labels") or {}
        for item in self.cache.list(ISTIOS):
            values: Mapping[str, Any] = item["spec"].get("values") or {}
            chosen = (values.get("meshConfig") or {}).get("discoverySelectors")
            if not chosen or any(matches(each, labels) for each in chosen):
                return True
        return False

    # --- the operator -----------------------------------------------------------------------------------------

    def _look(self, kind: Kind, item: Object, work: Callable[[Object], tuple[str, str]]) -> None:
        """Install what one of the three asks for and say how that is; `work` says what is not ready, and why."""
        meta, space = item["metadata"], item["spec"]["namespace"]
        finalizers = meta.get("finalizers") or []
        if meta.get("deletionTimestamp"):
            self._away(kind, space)
            self.patch(kind, item, {"metadata": {"finalizers": [each for each in finalizers if each != FINALIZER]}})
            return
        if FINALIZER not in finalizers:
            self.patch(kind, item, {"metadata": {"finalizers": [*finalizers, FINALIZER]}})
        reconciled, (reason, message) = condition("Reconciled", True, "", ""), ("", "")
        if self.cache.get(NAMESPACES, space) is None:
            reason, message = "ReconcileError", f'error reconciling resource: namespace "{space}" doesn\'t exist'
            reconciled = condition("Reconciled", False, reason, message)
        else:
            reason, message = work(item)
        rows = [reconciled, condition("Ready", not reason, reason, message)]
        if kind is ISTIOS:
            missing = not self.cache.list(CNIS)
            rows.append(condition("DependenciesHealthy", not missing, "IstioCNINotFound" if missing else "", ""))
        rows = [{key: value for key, value in row.items() if value} for row in rows]
        old = (item.get("status") or {}).get("conditions") or []
        status = {"conditions": merge_conditions(old, rows), "state": reason or "Healthy"}
        self.set_status(kind, item, {**status, "observedGeneration": meta["generation"]})

    def _away(self, kind: Kind, space: str) -> None:
        paths = {
            ISTIOS: DEPLOYMENTS.path(space, ISTIOD),
            CNIS: DAEMON_SETS.path(space, CNI),
            ZTUNNELS: DAEMON_SETS.path(space, ZTUNNEL),
        }
        self.api.delete(paths[kind])

    def _istio(self, item: Object) -> tuple[str, str]:
        space, values = item["spec"]["namespace"], item["spec"].get("values") or {}
        ready = ensure_deployment(
            self, space, ISTIOD, f"{IMAGES}pilot-rhel9", owner=self.own(item, GROUP, "Istio"),
            tolerations=(values.get("pilot") or {}).get("tolerations") or (),
        )  # fmt: skip
        return ("", "") if ready else ("IstiodNotReady", "not all istiod pods are ready")

    def _cni(self, item: Object) -> tuple[str, str]:
        own = self.own(item, GROUP, "IstioCNI")
        return self._daemons(item, CNI, f"{IMAGES}cni-rhel9", own, _TAINTS)

    def _ztunnel(self, item: Object) -> tuple[str, str]:
        own = self.own(item, GROUP, "ZTunnel")
        found = self._daemons(item, ZTUNNEL, f"{IMAGES}ztunnel-rhel9", own, _ALL)
        if not found[0] and not self._trusted(item["spec"]["namespace"]):
            return "DaemonSetNotReady", "not all ztunnel pods are ready"
        return found

    def _daemons(
        self, item: Object, name: str, image: str, own: list[dict[str, Any]], tolerated: list[dict[str, str]]
    ) -> tuple[str, str]:
        space = item["spec"]["namespace"]
        ensure_daemon_set(self, space, name, image, owner=own, tolerations=tolerated)
        found = (self.cache.get(DAEMON_SETS, name, space) or {}).get("status") or {}
        if not found.get("currentNumberScheduled"):
            return "DaemonSetNotReady", f"no {name} pods are currently scheduled"
        if found.get("numberReady", 0) < found["currentNumberScheduled"]:
            return "DaemonSetNotReady", f"not all {name} pods are ready"
        return "", ""

    def _trusted(self, space: str) -> bool:
        """Whether an istiod that runs gives a proxy of this namespace its certificates."""
        for item in self.cache.list(ISTIOS):
            pilot = (item["spec"].get("values") or {}).get("pilot") or {}
            runs = self.cache.get(DEPLOYMENTS, ISTIOD, item["spec"]["namespace"]) or {}
            told = item["spec"].get("profile") == AMBIENT and pilot.get("trustedZtunnelNamespace") == space
            if told and (runs.get("status") or {}).get("availableReplicas") and self._known(space):
                return True
        return False

    # --- its agents -------------------------------------------------------------------------------------------

    def _take_in(self) -> None:
        spaces = {each["metadata"]["name"]: each for each in self.cache.list(NAMESPACES)}
        places = [{each["spec"]["namespace"] for each in self.cache.list(kind)} for kind in (CNIS, ZTUNNELS)]
        nodes = [
            set().union(*(works_on(self.cache, space, name) for space in some))
            for some, name in zip(places, (CNI, ZTUNNEL), strict=True)
        ]
        for known in self.cache.list(PODS):
            pod = known
            notes, runs = pod["metadata"].get("annotations") or {}, pod.get("status", {}).get("phase") == "Running"
            wanted = _wanted(pod, spaces)
            if wanted and runs and pod["spec"].get("nodeName") in nodes[0] & nodes[1]:
                pod = self.note(PODS, pod, **{MESHED: "enabled"})
            elif not wanted and MESHED in notes:
                pod = self.note(PODS, pod, **{MESHED: None})
            if runs:
                self._probe(pod, spaces)

    def _probe(self, pod: Object, spaces: Mapping[str, Object]) -> None:
        """Kubelet's probes, where a pod has some and is in the mesh."""
        notes = pod["metadata"].get("annotations") or {}
        probed = any(box.get("readinessProbe") for box in pod["spec"]["containers"])
        if not probed or (MESHED not in notes and BLOCKED not in notes):
            return
        host = Peer("openshift-host-network", {}, None, PROBES)
        comes = MESHED not in notes or (
            self._by_host(pod) and deciding(self.cache).enters(host, end(pod, spaces), port_of(pod))
        )
        if comes and BLOCKED in notes:
            self.note(PODS, pod, **{BLOCKED: None})
        elif not comes and BLOCKED not in notes:
            fresh = self.note(PODS, pod, **{BLOCKED: "true"})
            self.event(pod, "Pod", "Unhealthy", "Readiness probe failed: context deadline exceeded")
            rows = [
                {**row, "status": "False"} if row["type"] in ("Ready", "ContainersReady") else row
                for row in fresh["status"]["conditions"]
            ]
            self.set_status(PODS, fresh, {"conditions": rows})

    def _by_host(self, pod: Object) -> bool:
        """Whether the pod's own node routes by the host, whatever the Network asks for by now."""
        return mode_of(self.cache.get(NODES, pod["spec"]["nodeName"])) == LOCAL


def port_of(pod: Object) -> int:
    """Where the first readiness probe of a pod goes."""
    for box in pod["spec"]["containers"]:
        probe = box.get("readinessProbe") or {}
        asked = next((probe[key]["port"] for key in ("httpGet", "tcpSocket", "grpc") if key in probe), None)
        if asked is not None:
            named = {row.get("name"): row["containerPort"] for row in box.get("ports") or []}
            return int(named.get(asked, asked))
    return 0


def _wanted(pod: Object, spaces: Mapping[str, Object]) -> bool:
    """A pod's own label comes before its namespace's; one on the host's network is never taken in."""
    meta = pod["metadata"]
    space = spaces.get(meta["namespace"]) or {"metadata": {}}
    own = (meta.get("labels") or {}).get(MODE)
    whole = (space["metadata"].get("labels") or {}).get(MODE)
    return not pod["spec"].get("hostNetwork") and (own == AMBIENT or (whole == AMBIENT and own != NONE))
