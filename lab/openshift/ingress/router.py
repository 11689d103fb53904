"""The router of IngressController `default`: admits Routes, follows their endpoints, answers on a loopback port.

Its connections to pods come from where the variant `routers` has it: a host, as on bare metal, or a pod of namespace
openshift-ingress. NetworkPolicies of the pod's namespace, and those of administrators, decide whether they arrive.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.certificates import issue, make_root
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions
from podwright.lab.openshift.hosted import answers
from podwright.lab.openshift.ingress.admission import Admission, admissions
from podwright.lab.openshift.ingress.backend import Backend, Counts
from podwright.lab.openshift.ingress.endpoints import Endpoint, endpoints, weighted
from podwright.lab.openshift.ingress.listener import Listener
from podwright.lab.openshift.kinds import CONFIG_MAPS, NAMESPACES, NODES, PODS
from podwright.lab.openshift.network_policies import Peer
from podwright.lab.openshift.ovn import DECIDING, deciding, end
from podwright.lab.openshift.own_workloads import ROUTER
from podwright.lab.openshift.serving.box import Answer, Request
from podwright.lab.world.model import WorldError

ROUTES = Kind("route.openshift.io/v1", "routes")
SLICES = Kind("discovery.k8s.io/v1", "endpointslices")
INGRESSES = Kind("config.openshift.io/v1", "ingresses")
NAME = "default"
FAULT = "answers"
CONNECT_SECONDS, CONNECTS = 5.0, 3
"""`timeout connect` of the template, and connections to one server: HAProxy's three retries, the last one elsewhere."""
VARIANT, HOSTS = "routers", "host-network"
AUTHORITY = "default-ingress-cert"
"""ConfigMap of openshift-config-managed with the authority of the router's certificate."""


@dataclass
class Wrong:
    """Pods of a service that answer so many of a hundred requests with a status of their own, evenly spread."""

    status: int
    percent: float
    due: float = 0

    def next(self) -> bool:
        """Whether the next answer is one of these."""
        self.due += self.percent / 100
        if self.due < 1:
            return False
        self.due -= 1
        return True


class Router(Controller):
    """Watches the rest, and opens its port, once there is a Route."""

    watches = (ROUTES,)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.listener: Listener | None = None
        self._domain = ""
        self._counts: dict[tuple[str, str], Counts] = {}
        self._table: Mapping[str, list[Backend]] = {}
        self._wrong: dict[str, Wrong] = {}
        self.world.fault_handlers[FAULT] = self.answers

    def answers(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """{"kind": "answers", "service": "chat/chat-canary", "status": 500, "percent": 20}: so many of a hundred
        requests get this status from pods of a service; 0 heals."""
        name, status = str(body.get("service")), int(body.get("status", 500))
        if "/" not in name or not 200 <= status <= 599:
            raise WorldError('answers are of a service: {"service": "namespace/name", "status": 500, "percent": 20}')
        self._wrong[name] = Wrong(status, float(body.get("percent", 100)))
        return {"service": name, "status": status, "percent": self._wrong[name].percent}

    def stop(self, seconds: float = 5.0) -> None:
        """End the running pass and give the port back."""
        super().stop(seconds)
        if self.listener is not None:
            self.listener.stop()

    def page(self) -> Mapping[str, Any]:
        """Its port, the names that it serves with their ready endpoints, and connections that a pod did not take."""
        if self.listener is None:
            return {"port": None, "routes": {}, "redispatched": 0}
        served = {
            host: [f"{each.namespace}/{each.pod}" for backend in rows for each in backend.endpoints]
            for host, rows in self._table.items()
        }
        return {"port": self.listener.port, "routes": served, "redispatched": self.listener.redispatched}

    def reconcile(self) -> None:
        """One pass."""
        routes = self.cache.list(ROUTES)
        if self.listener is None:
            if not routes:
                return
            self.listener = self._open()
        found = [*admissions(routes)]
        self._load(found)
        for each in found:
            self._report(each)

    def _open(self) -> Listener:
        for kind in (SLICES, *DECIDING, NAMESPACES, PODS, NODES):
            self.cache.listen(kind, self.ring)
            self.cache.settle(kind, self._over)
        config = self.api.get(INGRESSES.path(None, "cluster")) or {}
        self._domain = str((config.get("spec") or {}).get("domain", ""))
        root = make_root("ingress-operator")
        made = issue(root, f"router-{NAME}", names=(f"*.{self._domain}",))
        bundle = {"ca-bundle.crt": root.certificate.decode()}
        path = CONFIG_MAPS.path("openshift-config-managed")
        meta = {"name": AUTHORITY, "namespace": "openshift-config-managed"}
        self.api.ensure(path, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": bundle})
        self.api.merge(f"{path}/{AUTHORITY}", {"data": bundle})
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = Path(folder) / "tls.crt", Path(folder) / "tls.key"
            certificate.write_bytes(made.certificate + root.certificate)
            key.touch(mode=0o600)
            key.write_bytes(made.key)
            return Listener(
                certificate, key, self._find, self._connects, self._answer, self._count,
                self.around.router_port,
            )  # fmt: skip

    def _load(self, found: list[Admission]) -> None:
        """The table of a reload: what is admitted, with the endpoints of this moment."""
        slices = self.cache.list(SLICES)
        table: dict[str, list[Backend]] = {}
        for route in (each.route for each in found if not each.reason):
            meta, spec = route["metadata"], route["spec"]
            counts = self._counts.setdefault((meta["namespace"], meta["name"]), Counts())
            notes = meta.get("annotations") or {}
            made = Backend(
                *(meta["namespace"], meta["name"], spec.get("path") or "", notes, endpoints(route, slices), counts),
                services=sum(weight > 0 for weight in weighted(route).values()),
            )
            table.setdefault(spec["host"], []).append(made)
        self._table = table
        there = {_server(each, end) for rows in table.values() for each in rows for end in each.endpoints}
        for server in there - self.around.answered.keys():
            self.around.answered[server] = Counter()
        for server in self.around.answered.keys() - there:
            del self.around.answered[server]

    def _find(self, host: str, path: str) -> Backend | None:
        rows = [each for each in self._table.get(host, []) if path.startswith(each.path or "/")]
        return max(rows, key=lambda each: len(each.path), default=None)

    def _connects(self, endpoint: Endpoint) -> bool:
        """Whether the pod still listens, and policies let the router in.

        One that is being ended listens for as long as its preStop hook runs, and no longer.
        """
        pod = self.cache.get(PODS, endpoint.pod, endpoint.namespace)
        if pod is None or pod.get("status", {}).get("phase") != "Running" or not self._reaches(pod):
            return False
        hooked = any((box.get("lifecycle") or {}).get("preStop") for box in pod["spec"]["containers"])
        if "deletionTimestamp" in pod["metadata"] and not hooked:
            return False
        spaces = {each["metadata"]["name"]: each for each in self.cache.list(NAMESPACES)}
        return deciding(self.cache, self.around.mesh).enters(self._peer(), end(pod, spaces), endpoint.port)

    def _reaches(self, pod: Object) -> bool:
        """Whether its host answers. Where it does not nothing refuses a connection either: it is waited for in vain,
        three times over, before another server gets it (`timeout connect`, `option redispatch`, three retries)."""
        end_of_patience = time.monotonic() + CONNECTS * CONNECT_SECONDS
        while self._is_silent(str(pod["spec"].get("nodeName"))):
            if time.monotonic() >= end_of_patience or self._over.wait(0.1):
                return False
        return True

    def _is_silent(self, name: str) -> bool:
        node = self.cache.get(NODES, name)
        return node is not None and not answers(node)

    def _answer(self, endpoint: Endpoint, request: Request) -> Answer | None:
        """What a server of models that is known answers; None for every other pod."""
        wrong = self._wrong.get(f"{endpoint.namespace}/{endpoint.service}")
        if wrong is not None and wrong.next():
            return Answer(wrong.status, b"")
        served = self.around.served.get((endpoint.namespace, endpoint.pod))
        answering = served.ports.get(endpoint.port) if served else None
        return answering(request) if answering else None

    def _count(self, backend: Backend, endpoint: Endpoint, what: str) -> None:
        self.around.answered.setdefault(_server(backend, endpoint), Counter())[what] += 1

    def _peer(self) -> Peer:
        host = self.world.variants[VARIANT] == HOSTS
        name = "openshift-host-network" if host else "openshift-ingress"
        labels = (self.cache.get(NAMESPACES, name) or {"metadata": {}})["metadata"].get("labels") or {}
        return Peer(name, labels, None if host else {ROUTER: NAME})

    def _report(self, found: Admission) -> None:
        route = found.route
        rows = route.get("status", {}).get("ingress") or []
        mine: Mapping[str, Any] = next((each for each in rows if each["routerName"] == NAME), {})
        admitted = condition("Admitted", not found.reason, found.reason, found.message)
        if not found.reason:
            admitted = {key: value for key, value in admitted.items() if value}
        made: dict[str, Any] = {
            "routerName": NAME, "host": route["spec"].get("host", ""),
            "routerCanonicalHostname": f"router-{NAME}.{self._domain}", "wildcardPolicy": "None",
            "conditions": merge_conditions(mine.get("conditions", []), [admitted]),
        }  # fmt: skip
        if dict(mine) != made:
            others = [each for each in rows if each["routerName"] != NAME]
            self.set_status(ROUTES, route, {"ingress": [*others, made]})


def _server(backend: Backend, endpoint: Endpoint) -> tuple[str, str, str, str, str]:
    address = f"{endpoint.address}:{endpoint.port}"
    return backend.namespace, backend.name, endpoint.service, endpoint.pod, address
