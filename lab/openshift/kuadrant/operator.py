"""Connectivity Link's operator: Authorino and Limitador where there is a Kuadrant, and its word about policies.

After Kuadrant/kuadrant-operator v1.5.2, internal/controller/state_of_the_world.go: what is not on the cluster when it
starts is missing until it starts anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.controller import Controller, Surroundings, condition, merge_conditions
from podwright.lab.openshift.kinds import (
    CSVS,
    DEPLOYMENTS,
    GATEWAY_CLASSES,
    GATEWAYS,
    HTTP_ROUTES,
    NAMESPACES,
    PODS,
    SECRETS,
    SUBSCRIPTIONS,
)
from podwright.lab.openshift.kuadrant.keeper import Policies
from podwright.lab.openshift.kuadrant.statuses import Known, conditions, in_force, key_of
from podwright.lab.openshift.network_policies import Peer
from podwright.lab.openshift.operands import ensure_deployment
from podwright.lab.openshift.ovn import DECIDING, deciding, end

PACKAGE = "rhcl-operator"
KUADRANTS = Kind("kuadrant.io/v1beta1", "kuadrants")
AUTH = Kind("kuadrant.io/v1", "authpolicies")
REQUESTS = Kind("kuadrant.io/v1", "ratelimitpolicies")
TOKENS = Kind("kuadrant.io/v1alpha1", "tokenratelimitpolicies")
MESH = Kind("apiextensions.k8s.io/v1", "customresourcedefinitions").path(None, "destinationrules.networking.istio.io")
PROGRAMS = {
    "authorino": ("registry.redhat.io/rhcl-1/authorino-rhel9", 50051),
    "limitador": ("registry.redhat.io/rhcl-1/limitador-rhel9", 8081),
}
"""Image, and the port that the gateway speaks to."""
MISSING = "[Gateway API provider (istio / envoy gateway)] is not installed, please restart Kuadrant Operator pod once "


class Kuadrants(Controller):
    """Does nothing before its operator runs."""

    watches = (CSVS, DEPLOYMENTS, SUBSCRIPTIONS)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.keeper = around.keeper
        self.keeper.of = self.policies
        self._mesh: bool | None = None
        self._known: Known | None = None
        self._counting = ""

    def reconcile(self) -> None:
        """One pass over the one object, then policies."""
        home = running(self.cache, PACKAGE)
        if home is None:
            # Gateways keep their configuration without it.
            self._mesh = None
            return
        if self._mesh is None:
            self._begin()
        self.keeper.env, self.keeper.namespace = self._env(), home
        found = [each for each in self.cache.list(KUADRANTS) if not each["metadata"].get("deletionTimestamp")]
        away = frozenset(name for each in found for name in self._kuadrant(each))
        self._reach(home)
        self._known = self._seen(bool(found) and bool(self._mesh), away)
        for kind in (AUTH, REQUESTS, TOKENS):
            rows = self.cache.list(kind)
            for each in rows:
                said = conditions(each, rows, self._known)
                generation = each["metadata"]["generation"]
                self.set_status(kind, each, {"conditions": said, "observedGeneration": generation})

    def policies(self, route: Object) -> Policies:
        """In force at a route."""
        known = self._known
        if known is None:
            return Policies()
        return Policies(*(in_force(self.cache.list(kind), route, known) for kind in (AUTH, REQUESTS, TOKENS)))

    def _begin(self) -> None:
        kinds = (
            *(KUADRANTS, AUTH, REQUESTS, TOKENS, GATEWAYS, GATEWAY_CLASSES, HTTP_ROUTES, NAMESPACES, PODS, SECRETS),
            *DECIDING,
        )
        for kind in kinds:
            self.cache.listen(kind, self.ring)
            self.cache.settle(kind, self._over)
        self._mesh = self.api.get(MESH) is not None

    def _env(self) -> dict[str, str]:
        """Of the operator's pod, as OLM takes it from the Subscription."""
        rows = [each["spec"] for each in self.cache.list(SUBSCRIPTIONS) if each["spec"]["name"] == PACKAGE]
        return {row["name"]: row["value"] for spec in rows for row in (spec.get("config") or {}).get("env") or []}

    def _kuadrant(self, item: Object) -> list[str]:
        """Make what it has, and say how that is; what of it is not ready."""
        away: list[str] = []
        row = condition("Ready", True, "Ready", "Kuadrant is ready")
        if not self._mesh:
            row = condition("Ready", False, "MissingDependency", f"{MISSING}dependency has been installed")
        else:
            namespace, owner = key_of(item)[0], self.own(item, KUADRANTS.api_version, "Kuadrant")
            for name, (image, _) in PROGRAMS.items():
                if not ensure_deployment(self, namespace, name, image, owner=owner, labels={f"{name}-resource": name}):
                    away.append(name.capitalize())
                    row = condition("Ready", False, f"{away[-1]}NotReady", f"{name} resource not ready")
        old = (item.get("status") or {}).get("conditions") or []
        status = {"conditions": merge_conditions(old, [row]), "observedGeneration": item["metadata"]["generation"]}
        self.set_status(KUADRANTS, item, status)
        return away

    def _reach(self, home: str) -> None:
        """Whether policies let the gateway's pods to those of both, and whose counters there are."""
        found: dict[str, list[str]] = {name: [] for name in PROGRAMS}
        spaces = {each["metadata"]["name"]: each for each in self.cache.list(NAMESPACES)}
        for name, (_, port) in PROGRAMS.items():
            for pod in self.cache.list(PODS, home):
                labels = pod["metadata"].get("labels") or {}
                if labels.get(f"{name}-resource") == name and _runs(pod) and self._enters(pod, port, spaces):
                    found[name].append(str(pod["metadata"]["uid"]))
        if found["limitador"] and found["limitador"][0] != self._counting:
            self._counting = found["limitador"][0]
            self.keeper.limitador.forget()
        self.keeper.authorino, self.keeper.counts = bool(found["authorino"]), bool(found["limitador"])
        self.keeper.secrets = self.cache.list(SECRETS)

    def _enters(self, pod: Object, port: int, spaces: Mapping[str, Object]) -> bool:
        for gateway in self.cache.list(GATEWAYS):
            namespace, name = key_of(gateway)
            labels = (spaces.get(namespace) or {"metadata": {}})["metadata"].get("labels") or {}
            source = Peer(namespace, labels, {"gateway.networking.k8s.io/gateway-name": name})
            if not deciding(self.cache, self.around.mesh).enters(source, end(pod, spaces), port):
                return False
        return True

    def _seen(self, there: bool, away: frozenset[str]) -> Known:
        classes = {
            each["metadata"]["name"]: each["spec"]["controllerName"] for each in self.cache.list(GATEWAY_CLASSES)
        }
        gateways = {
            key_of(each): str(classes.get(each["spec"]["gatewayClassName"], "")) for each in self.cache.list(GATEWAYS)
        }
        return Known(gateways, self.cache.list(HTTP_ROUTES), there, away, self.keeper.env)


def _runs(pod: Object) -> bool:
    status: Mapping[str, Any] = pod.get("status") or {}
    return status.get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
