"""What the lab's Istio says of routes and pools, object by object, as the device refuses them."""

from typing import Any

import pytest

from podwright.lab.openshift.gateway import statuses
from podwright.lab.openshift.gateway.statuses import Seen

GATEWAY: dict[str, Any] = {
    "metadata": {"namespace": "openshift-ingress", "name": "inference"},
    "spec": {
        "gatewayClassName": "openshift-default",
        "listeners": [
            {
                "name": "https",
                "tls": {"certificateRefs": [{"name": "router-certs-default"}]},
                "allowedRoutes": {"namespaces": {"from": "Selector", "selector": {"matchLabels": {"team": "yes"}}}},
            }
        ],
    },
}
ROUTE: dict[str, Any] = {
    "metadata": {"namespace": "chat", "name": "chat"},
    "spec": {
        "parentRefs": [{"name": "inference", "namespace": "openshift-ingress", "sectionName": "https"}],
        "rules": [{"backendRefs": [{"group": statuses.INFERENCE, "kind": "InferencePool", "name": "chat"}]}],
    },
}
POOL: dict[str, Any] = {
    "metadata": {"namespace": "chat", "name": "chat"},
    "spec": {"endpointPickerRef": {"name": "chat-picker"}},
}


def _seen(**changed: Any) -> Seen:
    given: dict[str, Any] = {
        "gateways": {("openshift-ingress", "inference"): GATEWAY},
        "namespaces": {"chat": {"team": "yes"}},
        "services": frozenset({("chat", "chat-picker")}),
        "secrets": frozenset({("openshift-ingress", "router-certs-default")}),
        "pools": frozenset({("chat", "chat")}),
        "running": frozenset({("openshift-ingress", "inference")}),
    }
    return Seen(**{**given, **changed})


def _said(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {each["type"]: each["reason"] for each in rows if each["status"] != "True"}


def _route(seen: Seen) -> dict[str, str]:
    (parent,) = statuses.of_route(ROUTE, seen)
    return _said(parent["conditions"])


def test_what_is_in_order_is_accepted() -> None:
    seen = _seen()
    assert _route(seen) == {}
    accepted = {**ROUTE, "status": {"parents": statuses.of_route(ROUTE, seen)}}
    (parent,) = statuses.of_pool(POOL, [accepted], seen)
    assert (parent["parentRef"]["name"], _said(parent["conditions"])) == ("inference", {})


@pytest.mark.parametrize(
    ("changed", "reasons"),
    [
        ({"inference": False}, {"ResolvedRefs": "InvalidKind"}),
        ({"pools": frozenset()}, {"ResolvedRefs": "BackendNotFound"}),
        ({"namespaces": {"chat": {}}}, {"Accepted": "NotAllowedByListeners"}),
    ],
)
def test_a_route_is_refused_with_the_reason(changed: dict[str, Any], reasons: dict[str, str]) -> None:
    assert _route(_seen(**changed)) == reasons


def test_a_pool_that_istio_does_not_read_gets_no_word() -> None:
    accepted = {**ROUTE, "status": {"parents": statuses.of_route(ROUTE, _seen())}}
    assert statuses.of_pool(POOL, [accepted], _seen(inference=False)) == []


def test_a_pool_without_its_pickers_service_is_not_resolved() -> None:
    accepted = {**ROUTE, "status": {"parents": statuses.of_route(ROUTE, _seen())}}
    (parent,) = statuses.of_pool(POOL, [accepted], _seen(services=frozenset()))
    assert _said(parent["conditions"]) == {"ResolvedRefs": "InvalidExtensionRef"}


@pytest.mark.parametrize(
    ("changed", "kind", "reason"),
    [
        ({"secrets": frozenset()}, "ClusterIP", "Invalid"),
        ({"running": frozenset()}, "ClusterIP", "Pending"),
        ({}, "LoadBalancer", "AddressNotAssigned"),
    ],
)
def test_a_gateway_is_not_programmed(changed: dict[str, Any], kind: str, reason: str) -> None:
    own = {**GATEWAY, "metadata": {**GATEWAY["metadata"], "annotations": {statuses.SERVICE_TYPE: kind}}}
    assert _said(statuses.of_gateway(own, _seen(**changed))) == {"Programmed": reason}


@pytest.mark.parametrize(
    ("release", "reads"), [("4.19.9", False), ("4.20.31", False), ("4.21.0", True), ("4.22.3", True), ("5.0.1", True)]
)
def test_from_which_release_pools_are_read(release: str, reads: bool) -> None:
    assert statuses.reads_pools(release) is reads
