"""The Custom Metrics Autoscaler Operator: KEDA runs as its one object has it, and goes with it.

After openshift/custom-metrics-autoscaler-operator, internal/controller/keda/kedacontroller_controller.go: an object of
its own in a namespace that is not annotated, one object that counts, its phase. KEDA is the real one, with real rights;
its admission webhooks are not started. What it reaches by name it reaches by `passage`.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podwright.lab.openshift.api import Object, path_of
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, Surroundings
from podwright.lab.openshift.controlplane import ControlPlane
from podwright.lab.openshift.keda import gauges, rights
from podwright.lab.openshift.keda.passage import Passage
from podwright.lab.openshift.keda.querier import NAMES, PORT, Querier, Vector
from podwright.lab.openshift.kinds import (
    CONFIG_MAPS,
    CSVS,
    DEPLOYMENTS,
    KEDA_CONTROLLERS,
    NAMESPACES,
    PODS,
    SERVICE_MONITORS,
)
from podwright.lab.openshift.operands import Readiness, ensure_deployment
from podwright.lab.openshift.ports import free_port
from podwright.lab.world.model import WorldError

PACKAGE = "openshift-custom-metrics-autoscaler-operator"
PROGRAMS = ("keda", "keda-adapter")
DEPLOYED = (
    (rights.OPERATOR, "registry.redhat.io/custom-metrics-autoscaler/custom-metrics-autoscaler-rhel9"),
    (rights.SERVER, "registry.redhat.io/custom-metrics-autoscaler/custom-metrics-autoscaler-adapter-rhel9"),
)
"""Deployments, and the image of each."""
DEFAULT = "keda-olm-operator/create-default-controller"
FINALIZER = "finalizer.kedacontroller.keda.sh"
SERVICES = Kind("v1", "services")
FAULT = "requests"
_SERVICE = path_of("apiregistration.k8s.io/v1", "apiservices", name="v1beta1.external.metrics.k8s.io")


class Keda(Controller):
    """One pass: the object, the two processes, and what the object says of them."""

    watches = (KEDA_CONTROLLERS, CSVS, DEPLOYMENTS, NAMESPACES, PODS, SERVICES, SERVICE_MONITORS, CONFIG_MAPS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._readiness: Readiness | None = None
        self._beside: list[Passage | Querier] = []
        self.world.fault_handlers[FAULT] = self.requests

    def requests(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "requests", "service": "chat/chat", "waiting": 24, "kv_percent": 50}: so many requests wait at the
        servers of a service, and so much of each one's KV cache is used; each is 0 where it is not given. {"pod":
        "chat/chat-1", ...}: at one server, whatever its service is given."""
        what = "pod" if "pod" in body else "service"
        name = str(body.get(what))
        if "/" not in name:
            raise WorldError('requests are of a service: {"service": "namespace/name", "waiting": 24}')
        load = gauges.Load(float(body.get("waiting", 0)), float(body.get("kv_percent", 0)))
        self.around.loads[f"pod {name}" if what == "pod" else name] = load
        return {what: name, "waiting": load.waiting, "kv_percent": load.kv_percent}

    def stop(self, seconds: float = 5.0) -> None:
        """End the running pass, and what answers queries."""
        super().stop(seconds)
        for each in self._beside:
            each.stop()

    def reconcile(self) -> None:
        """One pass over the one object."""
        plane, home = self.around.plane, running(self.cache, PACKAGE)
        found = self.cache.get(KEDA_CONTROLLERS, "keda", rights.NAMESPACE)
        if home is None or plane is None:
            return
        if found is None:
            self._default()
            return
        if found["metadata"].get("deletionTimestamp"):
            self._end(found, plane)
            return
        missing = [name for name in PROGRAMS if not os.access(plane.program(name), os.X_OK)]
        if missing:
            reason = f"the lab has no {' and no '.join(missing)}: run `podwright setup scaling`"
            self.set_status(KEDA_CONTROLLERS, found, {"phase": "Installation Failed", "reason": reason})
            return
        if FINALIZER not in found["metadata"].get("finalizers", []):
            finalizers = [*found["metadata"].get("finalizers", []), FINALIZER]
            found = self.patch(KEDA_CONTROLLERS, found, {"metadata": {"finalizers": finalizers}})
        owner = self.own(found, KEDA_CONTROLLERS.api_version, "KedaController")
        # Each of both is made before either is waited for.
        placed = [ensure_deployment(self, rights.NAMESPACE, *each, owner=owner) for each in DEPLOYED]
        if not all(placed):
            for name in PROGRAMS:
                plane.processes.end(name)  # No pod runs them.
            return
        if not set(PROGRAMS) <= set(plane.processes.pids()):
            self._start(plane)
        if self._readiness is None or not self._readiness.holds():
            self.ring()
            return
        status = {"phase": "Installation Succeeded", "reason": "KEDA v2.19.0 is installed", "version": "2.19.0"}
        self.set_status(KEDA_CONTROLLERS, found, status)

    def _default(self) -> None:
        """The operator's own object, once, where the namespace does not say that it has been made."""
        space = self.cache.get(NAMESPACES, rights.NAMESPACE)
        if space is None or DEFAULT in (space["metadata"].get("annotations") or {}):
            return
        body = {"apiVersion": KEDA_CONTROLLERS.api_version, "kind": "KedaController", "metadata": {"name": "keda"}}
        self.api.ensure(KEDA_CONTROLLERS.path(rights.NAMESPACE), {**body, "spec": {"watchNamespace": ""}})
        self.note(NAMESPACES, space, **{DEFAULT: "true"})

    def _start(self, plane: ControlPlane) -> None:
        folder, access = plane.folder("keda"), plane.account(rights.ACCOUNT, *rights.GROUPS)
        for path, body in rights.objects():
            self.api.ensure(path, body)
        names = [f"{name}.{rights.NAMESPACE}.svc" for name in (rights.OPERATOR, rights.SERVER)]
        _put(folder, "tls", plane.serving(rights.OPERATOR, *names, "localhost"), plane.root)
        _put(folder, "thanos", plane.serving(NAMES[0], *NAMES), plane.root)
        (folder / "trusted").mkdir(exist_ok=True)
        (folder / "trusted" / "service-ca.crt").write_text(plane.root, encoding="utf-8")
        for each in self._beside:
            each.stop()
        querier = Querier(self.api, folder / "thanos.crt", folder / "thanos.key", self._asked)
        passage = Passage({f"{name}:{PORT}": querier.port for name in NAMES})
        self._beside = [querier, passage]
        grpc, secure, health = free_port(), free_port(), free_port()
        self._readiness = Readiness.of(health)
        home = (f"{name}={rights.NAMESPACE}" for name in ("POD_NAMESPACE", "KEDA_CLUSTER_OBJECT_NAMESPACE"))
        given = ["env", *home, "WATCH_NAMESPACE=", f"KUBECONFIG={access}"]
        for name in PROGRAMS:
            plane.processes.end(name)
        plane.processes.start("keda", [
            *given, f"HTTPS_PROXY={passage.url}", plane.program("keda"), "--zap-log-level=info",
            "--enable-prometheus-metrics=false", f"--health-probe-bind-address=127.0.0.1:{health}",
            f"--metrics-service-bind-address=127.0.0.1:{grpc}", f"--cert-dir={folder}",
            f"--ca-dir={folder / 'trusted'}", "--enable-webhook-patching=false",
        ])  # fmt: skip
        plane.processes.start("keda-adapter", [
            *given, plane.program("keda-adapter"), "--bind-address=127.0.0.1", f"--secure-port={secure}",
            f"--port={free_port()}", f"--cert-dir={folder}", f"--tls-cert-file={folder / 'tls.crt'}",
            f"--tls-private-key-file={folder / 'tls.key'}", f"--client-ca-file={folder / 'ca.crt'}",
            f"--lister-kubeconfig={access}", f"--authentication-kubeconfig={access}",
            f"--authorization-kubeconfig={access}", f"--metrics-service-address=localhost:{grpc}",
        ])  # fmt: skip
        self.api.delete(_SERVICE)
        authority = base64.b64encode(plane.root.encode()).decode()
        self.api.create(_SERVICE.rpartition("/")[0], rights.service(authority, secure))

    def _asked(self, query: str, namespace: str) -> Vector:
        """What Prometheus of user projects has of a namespace."""
        config = self.cache.get(CONFIG_MAPS, "cluster-monitoring-config", "openshift-monitoring")
        if not gauges.switched_on(config):
            return gauges.answer(query, namespace, [])
        monitors, services, pods = (self.cache.list(kind, namespace) for kind in (SERVICE_MONITORS, SERVICES, PODS))
        return gauges.answer(query, namespace, [*gauges.series(monitors, services, pods, self.around.loads)])

    def _end(self, found: Object, plane: ControlPlane) -> None:
        self.api.delete(_SERVICE)
        for name in reversed(PROGRAMS):
            plane.processes.end(name)
        left = [each for each in found["metadata"].get("finalizers", []) if each != FINALIZER]
        self.patch(KEDA_CONTROLLERS, found, {"metadata": {"finalizers": left}})


def _put(folder: Path, name: str, pair: Any, root: str) -> None:
    for file, data in ((f"{name}.crt", pair.certificate), (f"{name}.key", pair.key), ("ca.crt", root.encode())):
        (folder / file).touch(mode=0o600)
        (folder / file).write_bytes(data)
