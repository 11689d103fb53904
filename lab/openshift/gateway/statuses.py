"""What Istio says of Gateways, HTTPRoutes and InferencePools, from the objects that there are.

After istio/istio, pilot/pkg/config/kube/gateway (conversion.go, conditions.go, inferencepool_collection.go): reasons
and the order in which they are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import condition, merge_conditions
from podwright.lab.openshift.selectors import matches

CONTROLLER = "openshift.io/gateway-controller/v1"
SERVICE_TYPE = "networking.istio.io/service-type"
API, INFERENCE = "gateway.networking.k8s.io", "inference.networking.k8s.io"
Key = tuple[str, str]
"""Namespace and name."""


def key_of(item: Object) -> Key:
    """Of an object."""
    return str(item["metadata"]["namespace"]), str(item["metadata"]["name"])


@dataclass(frozen=True)
class Seen:
    """What Istio knows when it looks."""

    gateways: Mapping[Key, Object]
    namespaces: Mapping[str, Mapping[str, str]]
    """Labels by namespace."""
    services: frozenset[Key]
    secrets: frozenset[Key] = frozenset()
    pools: frozenset[Key] = frozenset()
    inference: bool = True
    """Istio was started with InferencePools on, since their kind was on the cluster, and reads that kind."""
    running: frozenset[Key] = field(default_factory=frozenset)
    """Gateways whose Envoy is available."""


def reads_pools(release: str) -> bool:
    """Whether Istio of an OpenShift release reads InferencePool v1: 1.26 of 4.20 has v1alpha2 of x-k8s.io alone
    (openshift-service-mesh/istio, release-1.26 and 1.27, inferencepool_collection.go)."""
    return [int(each) for each in re.findall(r"\d+", release)[:2]] >= [4, 21]


def refused_listener(gateway: Object, seen: Seen) -> str:
    """Why a Gateway's listeners are not served; empty where they are."""
    namespace = key_of(gateway)[0]
    for each in gateway["spec"]["listeners"]:
        for ref in (each.get("tls") or {}).get("certificateRefs") or []:
            if (ref.get("namespace") or namespace, ref["name"]) not in seen.secrets:
                return f"invalid certificate reference {ref['name']}, secret {namespace}/{ref['name']} not found"
    return ""


def of_gateway(gateway: Object, seen: Seen) -> list[dict[str, Any]]:
    """Conditions of a Gateway."""
    wrong, service = refused_listener(gateway, seen), f"{gateway['metadata']['name']}-{_class(gateway)}"
    kind = (gateway["metadata"].get("annotations") or {}).get(SERVICE_TYPE, "LoadBalancer")
    programmed = condition("Programmed", True, "Programmed", f"Resource programmed, assigned to service {service}")
    if wrong:
        programmed = condition("Programmed", False, "Invalid", wrong)
    elif key_of(gateway) not in seen.running:
        programmed = condition("Programmed", False, "Pending", f"waiting for deployment {service}")
    elif kind == "LoadBalancer":
        # Nobody hands out addresses on metal.
        programmed = condition("Programmed", False, "AddressNotAssigned", f"address pending for service {service}")
    accepted = condition("Accepted", True, "Accepted", "Resource accepted")
    return _with_generation(gateway, (gateway.get("status") or {}).get("conditions") or [], [accepted, programmed])


def of_route(route: Object, seen: Seen) -> list[dict[str, Any]]:
    """Parts of an HTTPRoute's status, one for each Gateway that it names and that is ours."""
    before = {_name(each["parentRef"]): each for each in (route.get("status") or {}).get("parents") or []}
    found = []
    for ref in route["spec"].get("parentRefs") or []:
        gateway = seen.gateways.get((ref.get("namespace") or key_of(route)[0], ref["name"]))
        if gateway is None:
            continue  # Nobody's Gateway: no controller says anything.
        old = (before.get(_name(ref)) or {}).get("conditions") or []
        fresh = [_accepted(route, ref, gateway, seen), _resolved(route, seen)]
        rows = _with_generation(route, old, fresh)
        found.append({"parentRef": dict(ref), "controllerName": CONTROLLER, "conditions": rows})
    return found


def accepted(route: Object) -> bool:
    """Whether some Gateway takes it, with all of its backends."""
    rows = (route.get("status") or {}).get("parents") or []
    return any(all(each["status"] == "True" for each in row["conditions"]) for row in rows)


def of_pool(pool: Object, routes: Sequence[Object], seen: Seen) -> list[dict[str, Any]]:
    """Parts of an InferencePool's status: one for each Gateway with a route to it."""
    before = {_name(each["parentRef"]): each for each in (pool.get("status") or {}).get("parents") or []}
    ref = pool["spec"]["endpointPickerRef"]
    there = ref.get("kind", "Service") == "Service" and (key_of(pool)[0], ref["name"]) in seen.services
    refs = condition("ResolvedRefs", True, "ResolvedRefs", "Referenced ExtensionRef resolved")
    if not there:
        refs = condition(
            "ResolvedRefs", False, "InvalidExtensionRef", f"Referenced ExtensionRef not found {ref['name']}"
        )
    found: list[dict[str, Any]] = []
    if not seen.inference:
        return found
    for key in sorted({each for route in routes if key_of(pool) in pools_of(route) for each in _parents(route, seen)}):
        parent = {"group": API, "kind": "Gateway", "name": key[1], "namespace": key[0]}
        rows = [condition("Accepted", True, "Accepted", "Referenced by an HTTPRoute accepted by the parentRef"), refs]
        old = (before.get(_name(parent)) or {}).get("conditions") or []
        found.append({"parentRef": parent, "conditions": _with_generation(pool, old, rows)})
    return found


def pools_of(route: Object) -> set[Key]:
    """InferencePools that a route gives requests to."""
    return {
        (ref.get("namespace") or key_of(route)[0], ref["name"])
        for ref in _backends(route)
        if ref.get("group") == INFERENCE and ref.get("kind") == "InferencePool"
    }


def taken_away(route: Object) -> Iterator[str]:
    """Headers that Envoy's router takes out of a request before a replica gets it."""
    for rule in route["spec"].get("rules") or []:
        for each in rule.get("filters") or []:
            yield from (name.lower() for name in (each.get("requestHeaderModifier") or {}).get("remove") or [])


def _parents(route: Object, seen: Seen) -> Iterator[Key]:
    for row in (route.get("status") or {}).get("parents") or []:
        ref = row["parentRef"]
        key = (ref.get("namespace") or key_of(route)[0], ref["name"])
        if key in seen.gateways and all(each["status"] == "True" for each in row["conditions"]):
            yield key


def _accepted(route: Object, ref: Mapping[str, Any], gateway: Object, seen: Seen) -> dict[str, Any]:
    wanted = ref.get("sectionName")
    listeners = [each for each in gateway["spec"]["listeners"] if wanted in (None, each["name"])]
    if not listeners:
        return condition("Accepted", False, "NoMatchingParent", f'Attempted to bind to section "{wanted}", not found')
    allowed = [each for each in listeners if _allows(each, key_of(route)[0], key_of(gateway)[0], seen)]
    if not allowed:
        return condition("Accepted", False, "NotAllowedByListeners", f"hostnames or namespace of {key_of(route)[0]}")
    if not any(_serves(each, route["spec"].get("hostnames") or []) for each in allowed):
        return condition("Accepted", False, "NoMatchingListenerHostname", "No hostnames matched parent hostname")
    return condition("Accepted", True, "Accepted", "Route was valid")


def _allows(listener: Mapping[str, Any], namespace: str, own: str, seen: Seen) -> bool:
    allowed = (listener.get("allowedRoutes") or {}).get("namespaces") or {}
    source = allowed.get("from", "Same")
    if source == "Selector":
        return matches(allowed.get("selector"), seen.namespaces.get(namespace, {}))
    return source == "All" or (source == "Same" and namespace == own)


def _serves(listener: Mapping[str, Any], hostnames: Sequence[str]) -> bool:
    served = listener.get("hostname")
    if not served or not hostnames:
        return True
    return any(each == served or (served.startswith("*.") and each.endswith(served[1:])) for each in hostnames)


def _resolved(route: Object, seen: Seen) -> dict[str, Any]:
    for ref in _backends(route):
        kind, key = ref.get("kind", "Service"), (ref.get("namespace") or key_of(route)[0], ref["name"])
        if key[0] != key_of(route)[0]:
            text = f"backendRef {key[1]}/{key[0]} not accessible to a HTTPRoute in namespace {key_of(route)[0]}"
            return condition("ResolvedRefs", False, "RefNotPermitted", text)
        if kind == "InferencePool" and not seen.inference:
            return condition("ResolvedRefs", False, "InvalidKind", f"unsupported backendRef kind {kind}")
        there = seen.pools if kind == "InferencePool" else seen.services
        if key not in there:
            return condition("ResolvedRefs", False, "BackendNotFound", f"backend({key[1]}) not found")
    return condition("ResolvedRefs", True, "ResolvedRefs", "All references resolved")


def _backends(route: Object) -> Iterator[Mapping[str, Any]]:
    for rule in route["spec"].get("rules") or []:
        yield from rule.get("backendRefs") or []


def _class(gateway: Object) -> str:
    return str(gateway["spec"]["gatewayClassName"])


def _name(ref: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(ref.get("namespace") or ""), str(ref["name"]), str(ref.get("sectionName") or "")


def _with_generation(item: Object, old: list[dict[str, Any]], fresh: list[dict[str, Any]]) -> list[dict[str, Any]]:
    generation = item["metadata"].get("generation", 1)
    return merge_conditions(old, [{**each, "observedGeneration": generation} for each in fresh])
