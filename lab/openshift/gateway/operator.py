"""The Ingress Operator's GatewayClass, and what comes with it: Service Mesh, Istio's word, one Envoy, pickers.

After openshift/cluster-ingress-operator, release-4.22, pkg/operator/controller/gatewayclass: a class of its own
controller has it install Service Mesh, whose pods tolerate nothing; InferencePools are on where their kind is there.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.certificates import issue, make_root
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions
from podwright.lab.openshift.gateway import statuses
from podwright.lab.openshift.gateway.pickers import PORT, Pickers, is_picker
from podwright.lab.openshift.gateway.proxy import Proxy, Target
from podwright.lab.openshift.gateway.replicas import Replica
from podwright.lab.openshift.gateway.statuses import CONTROLLER, Key, Seen, key_of
from podwright.lab.openshift.keda.gauges import is_ready, is_vllm, load_of
from podwright.lab.openshift.kinds import (
    CLUSTER_VERSIONS,
    CONFIG_MAPS,
    DESTINATION_RULES,
    GATEWAY_CLASSES,
    GATEWAYS,
    HTTP_ROUTES,
    NAMESPACES,
    PODS,
    POOLS,
    SECRETS,
    SERVICES,
)
from podwright.lab.openshift.network_policies import Peer
from podwright.lab.openshift.operands import ensure_deployment
from podwright.lab.openshift.ovn import DECIDING, deciding, end
from podwright.lab.openshift.selectors import has_all

HOME, CERTIFICATE = "openshift-ingress", "router-certs-default"
ISTIOD = ("istiod-openshift-gateway", "registry.redhat.io/openshift-service-mesh/istio-pilot-rhel9")
ENVOY = "registry.redhat.io/openshift-service-mesh/istio-proxyv2-rhel9"
RULES = "destinationrules.networking.istio.io"
GATEWAY_LABEL = "gateway.networking.k8s.io/gateway-name"
CRDS = Kind("apiextensions.k8s.io/v1", "customresourcedefinitions")
INGRESSES = Kind("config.openshift.io/v1", "ingresses")


class Gateways(Controller):
    """Does nothing before there is a GatewayClass of its controller."""

    watches = (GATEWAY_CLASSES, GATEWAYS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.proxy: Proxy | None = None
        self._pickers: Pickers | None = None
        self._replicas: dict[tuple[str, int], Replica] = {}
        self._places: dict[str, str] = {}
        self._begins = f"127.{random.randint(64, 250)}.{random.randint(1, 250)}"
        """Of the addresses of this cluster's pods, as pickers and Envoy know them; other clusters have others."""
        self._targets: Mapping[str, Target] = {}

    def stop(self, seconds: float = 5.0) -> None:
        """End the running pass and every process, and give the ports back."""
        super().stop(seconds)
        for each in (*self._replicas.values(), *((self.proxy,) if self.proxy else ())):
            each.stop()
        if self._pickers is not None:
            self._pickers.stop()

    def page(self) -> Mapping[str, Any]:
        """Its port, the names that it serves with the addresses of their replicas by pod, and requests for which no
        picker answered."""
        by_uid = {str(each["metadata"]["uid"]): "/".join(key_of(each)) for each in self.cache.list(PODS)}
        return {
            "port": self.proxy.port if self.proxy else None,
            "names": {name: [*each.replicas] for name, each in self._targets.items()},
            "pods": {by_uid[uid]: place for uid, place in self._places.items() if uid in by_uid},
            "passed_by": self.proxy.passed_by if self.proxy else 0,
        }

    def reconcile(self) -> None:
        """One pass."""
        ours = {
            each["metadata"]["name"]: each
            for each in self.cache.list(GATEWAY_CLASSES)
            if each["spec"]["controllerName"] == CONTROLLER
        }
        if not ours or self.around.plane is None:
            return
        if self.proxy is None:
            self._begin()
        if not self._mesh():
            self.ring()
            return
        for each in ours.values():
            rows = [condition("Accepted", True, "Accepted", "Handled by Istio controller")]
            old = (each.get("status") or {}).get("conditions") or []
            self.set_status(GATEWAY_CLASSES, each, {"conditions": merge_conditions(old, rows)})
        seen = self._seen(ours)
        self._report(seen)
        self._run_pickers()
        self._serve()
        self._targets = self._table(seen)

    # --- the operator -----------------------------------------------------------------------------------------

    def _begin(self) -> None:
        for kind in (
            HTTP_ROUTES,
            POOLS,
            DESTINATION_RULES,
            NAMESPACES,
            PODS,
            SERVICES,
            SECRETS,
            CONFIG_MAPS,
            *DECIDING,
        ):
            self.cache.listen(kind, self.ring)
            self.cache.settle(kind, self._over)
        plane = self.around.plane
        assert plane is not None  # asked before
        config = self.api.get(INGRESSES.path(None, "cluster")) or {}
        domain = str((config.get("spec") or {}).get("domain", "apps.example.com"))
        made = issue(make_root("ingress-operator"), "router-default", names=(f"*.{domain}",))
        data = {"tls.crt": made.certificate, "tls.key": made.key}
        self.api.ensure(NAMESPACES.path(), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}})
        self.api.ensure(SECRETS.path(HOME), {
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": CERTIFICATE, "namespace": HOME},
            "type": "kubernetes.io/tls", "data": {key: base64.b64encode(each).decode() for key, each in data.items()},
        })  # fmt: skip
        folder = plane.folder("gateway")
        for name, text in data.items():
            (folder / name).touch(mode=0o600)
            (folder / name).write_bytes(text)
        self.proxy = Proxy(folder / "tls.crt", folder / "tls.key", self._find, self.around.keeper)
        self._pickers = Pickers(plane, Path(plane.account("lab:pickers")).read_text(encoding="utf-8"))

    def _mesh(self) -> bool:
        """Service Mesh, which the operator subscribes to: its kinds, and istiod once a node takes it."""
        if self.api.get(CRDS.path(None, RULES)) is None:
            self.around.crds.apply(self.api, (RULES,))
        return ensure_deployment(self, HOME, *ISTIOD)

    # --- Istio ------------------------------------------------------------------------------------------------

    def _seen(self, ours: Mapping[str, Object]) -> Seen:
        gateways = {
            key_of(each): each for each in self.cache.list(GATEWAYS) if each["spec"]["gatewayClassName"] in ours
        }
        running = {
            key
            for key, each in gateways.items()
            if ensure_deployment(
                self, key[0], f"{key[1]}-{each['spec']['gatewayClassName']}", ENVOY,
                owner=self.own(each, GATEWAYS.api_version, "Gateway"),
            )
        }  # fmt: skip
        spaces = {
            each["metadata"]["name"]: each["metadata"].get("labels") or {} for each in self.cache.list(NAMESPACES)
        }
        return Seen(
            gateways=gateways,
            namespaces=spaces,
            services=frozenset(map(key_of, self.cache.list(SERVICES))),
            secrets=frozenset(map(key_of, self.cache.list(SECRETS))),
            pools=frozenset(map(key_of, self.cache.list(POOLS))),
            inference=self._reads_pools(),
            running=frozenset(running),
        )

    def _reads_pools(self) -> bool:
        """Their kind is on the cluster, and Istio of this release reads it."""
        version = self.cache.get(CLUSTER_VERSIONS, "version") or {}
        release = str(((version.get("status") or {}).get("desired") or {}).get("version") or "")
        known = self.api.get(CRDS.path(None, "inferencepools.inference.networking.k8s.io")) is not None
        return known and statuses.reads_pools(release)

    def _report(self, seen: Seen) -> None:
        for each in seen.gateways.values():
            self.set_status(GATEWAYS, each, {"conditions": statuses.of_gateway(each, seen)})
        for route in self.cache.list(HTTP_ROUTES):
            if (parents := statuses.of_route(route, seen)) or (route.get("status") or {}).get("parents"):
                self.set_status(HTTP_ROUTES, route, {"parents": parents})
        routes = self.cache.list(HTTP_ROUTES)
        for pool in self.cache.list(POOLS):
            found = statuses.of_pool(pool, routes, seen)
            if found or (pool.get("status") or {}).get("parents"):
                self.set_status(POOLS, pool, {"parents": found})

    # --- pods -------------------------------------------------------------------------------------------------

    def _run_pickers(self) -> None:
        assert self._pickers is not None  # made with the proxy
        pods = {str(each["metadata"]["uid"]): each for each in self.cache.list(PODS) if is_picker(each)}
        if pods and self._pickers.missing:
            for each in pods.values():
                self.event(each, "Pod", "Failed", "the lab has no epp: run `podwright setup gateway`")
            return
        files = {
            f"{'/'.join(key_of(each))}/{name}": str(text)
            for each in self.cache.list(CONFIG_MAPS)
            for name, text in (each.get("data") or {}).items()
            if pods
        }
        self._pickers.keep(pods, files, self.place)

    def place(self, pod: Mapping[str, Any]) -> str:
        """Where a picker finds a pod."""
        return self._places.setdefault(str(pod["metadata"]["uid"]), f"{self._begins}.{len(self._places) % 253 + 1}")

    def _serve(self) -> None:
        """Every replica of a pool listens for as long as its pod is there, at the port that its container has."""
        wanted: dict[tuple[str, int], tuple[Object, Object, int]] = {}
        for pool in self.cache.list(POOLS):
            ready = self._behind(pool)
            for pod in ready if ready else []:
                ports = {
                    int(row["containerPort"]) for box in pod["spec"]["containers"] for row in box.get("ports") or []
                }
                for each in pool["spec"]["targetPorts"]:
                    if int(each["number"]) in ports and is_vllm(pod):
                        wanted[self.place(pod), int(each["number"])] = (pod, pool, len(ready))
        for at in set(self._replicas) - set(wanted):
            self._replicas.pop(at).stop()
        for at, (pod, pool, count) in wanted.items():
            if at not in self._replicas:
                service = "/".join(key_of(pool))

                def load(service: str = service, pod: Object = pod, count: int = count) -> Any:
                    return load_of(self.around.loads, service, pod, count)

                words = [str(word) for box in pod["spec"]["containers"] for word in box.get("args") or []]
                self._replicas[at] = Replica("/".join(key_of(pod)), *at, load, words)

    def _behind(self, pool: Object) -> list[Object]:
        labels = pool["spec"]["selector"]["matchLabels"]
        pods = self.cache.list(PODS, pool["metadata"]["namespace"])
        return [each for each in pods if is_ready(each) and has_all(labels, each["metadata"].get("labels") or {})]

    # --- Envoy ------------------------------------------------------------------------------------------------

    def _table(self, seen: Seen) -> dict[str, Target]:
        pools = {key_of(each): each for each in self.cache.list(POOLS)}
        found: dict[str, Target] = {}
        for route in self.cache.list(HTTP_ROUTES):
            if not statuses.accepted(route):
                continue
            for key in statuses.pools_of(route):
                for name in route["spec"].get("hostnames") or [] if key in pools else []:
                    found[str(name)] = self._target(pools[key], route, seen)
        return found

    def _find(self, host: str) -> Target | None:
        return self._targets.get(host)

    def _target(self, pool: Object, route: Object, seen: Seen) -> Target:
        ref, namespace = pool["spec"]["endpointPickerRef"], pool["metadata"]["namespace"]
        gateway = route["spec"]["parentRefs"][0]["name"]
        source = Peer(HOME, seen.namespaces.get(HOME, {}), {GATEWAY_LABEL: gateway})
        port = int(pool["spec"]["targetPorts"][0]["number"])
        replicas = [f"{self.place(each)}:{port}" for each in self._behind(pool) if self._enters(source, each, port)]
        return Target(
            picker=self._picker_of(namespace, str(ref["name"]), source),
            tls=self._tls(f"{ref['name']}.{namespace}.svc.cluster.local"),
            opens=ref.get("failureMode") == "FailOpen",
            replicas=replicas,
            policies=self.around.keeper.of(route),
            without=tuple(statuses.taken_away(route)),
        )

    def _picker_of(self, namespace: str, name: str, source: Peer) -> int | None:
        service = self.cache.get(SERVICES, name, namespace)
        assert self._pickers is not None  # made with the proxy
        for pod in self.cache.list(PODS, namespace) if service else []:
            selects = has_all((service or {})["spec"].get("selector") or {"": ""}, pod["metadata"].get("labels") or {})
            if selects and is_picker(pod) and self._enters(source, pod, PORT):
                return self._pickers.port(pod)
        return None

    def _enters(self, source: Peer, pod: Object, port: int) -> bool:
        spaces = {each["metadata"]["name"]: each for each in self.cache.list(NAMESPACES)}
        return deciding(self.cache, self.around.mesh).enters(source, end(pod, spaces), port)

    def _tls(self, host: str) -> bool | None:
        for each in self.cache.list(DESTINATION_RULES):
            tls = ((each["spec"].get("trafficPolicy") or {}).get("tls")) or {}
            if each["spec"]["host"] == host and tls.get("mode", "DISABLE") != "DISABLE":
                # The picker's certificate is its own: who checks it gets nowhere.
                return True if tls.get("insecureSkipVerify") else None
        return False


__all__ = ["Gateways", "Key"]
