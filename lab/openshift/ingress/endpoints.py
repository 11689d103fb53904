"""Ready addresses behind a Route's services, and their weights.

After openshift/router, pkg/router/template/router.go: getServiceUnitWeight, calculateServiceWeights.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

SERVICE = "kubernetes.io/service-name"
LARGEST = 256


@dataclass(frozen=True)
class Endpoint:
    """A ready address of a service."""

    pod: str
    namespace: str
    address: str
    port: int
    weight: int = 1
    service: str = ""


def weighted(route: Mapping[str, Any]) -> dict[str, int]:
    """Weights of a Route's services: 1 where none is written, at most 256."""
    spec = route["spec"]
    rows = [spec["to"], *(spec.get("alternateBackends") or [])]
    return {row["name"]: min(max(int(row.get("weight", 1)), 0), LARGEST) for row in rows}


def endpoints(route: Mapping[str, Any], slices: Sequence[Mapping[str, Any]]) -> list[Endpoint]:
    """Ready addresses of the Route's services, at the port that it names, or at every port."""
    services = weighted(route)
    ready = {name: list(_ready(route, name, slices)) for name in services}
    own = endpoint_weights({name: (services[name], len(rows)) for name, rows in ready.items() if rows})
    return [replace(each, weight=own[name]) for name, rows in ready.items() for each in rows]


def _ready(route: Mapping[str, Any], service: str, slices: Sequence[Mapping[str, Any]]) -> Iterator[Endpoint]:
    meta, spec = route["metadata"], route["spec"]
    wanted = (spec.get("port") or {}).get("targetPort")
    for each in slices:
        labels = each["metadata"].get("labels") or {}
        if each["metadata"]["namespace"] != meta["namespace"] or labels.get(SERVICE) != service:
            continue
        rows = each.get("ports") or []
        ports = [row for row in rows if wanted is None or wanted in (row.get("name"), row.get("port"))]
        for row in each.get("endpoints") or []:
            ready = (row.get("conditions") or {}).get("ready", True) is not False
            name = (row.get("targetRef") or {}).get("name", "")
            for port in ports if ready else ():
                for address in row["addresses"]:
                    yield Endpoint(name, meta["namespace"], address, int(port["port"]), service=service)


def endpoint_weights(services: Mapping[str, tuple[int, int]]) -> dict[str, int]:
    """Weight of each endpoint of a service, by the service's own weight and its number of endpoints."""
    if sum(weight > 0 for weight, _ in services.values()) == 1:
        return {name: min(weight, 1) for name, (weight, _) in services.items()}
    each = {name: _float32(weight / count) for name, (weight, count) in services.items()}
    largest = max(each.values(), default=0.0)
    scale = _float32(LARGEST / largest) if largest else 0.0
    return {name: max(1, int(_float32(part * scale))) if part else 0 for name, part in each.items()}


def _float32(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])
