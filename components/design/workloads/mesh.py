"""Which ports of a team's services are reached by those who are not in the service mesh: the router, the inference
gateway, Prometheus."""

from collections.abc import Iterator, Mapping

from podwright.components.design.workloads import engines
from podwright.components.design.workloads.gateway.picker import EXT_PROC
from podwright.components.model import Inference, second
from podwright.components.model.gateway import PICKER


def clear(services: Mapping[str, Inference], team: str) -> dict[str, tuple[int, ...]]:
    """By the name in the labels of their pods; each has a NetworkPolicy that says who may."""
    found = {name: ports for each, own in services.items() if own.team == team for name, ports in _of(each, own)}
    return {name: ports for name, ports in found.items() if ports}


def _of(name: str, service: Inference) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield name, _ports(name, service, served=service.route is not None or service.gateway is not None)
    other = second(name, service)
    if other is not None:
        # By itself it has no Route: requests come by the first version's.
        yield other[0], _ports(*other, served=service.route is not None)
    if service.gateway is not None:
        yield name + PICKER, (EXT_PROC,)


def _ports(name: str, service: Inference, *, served: bool) -> tuple[int, ...]:
    """`served`: requests come from outside the mesh."""
    ports = {service.port} if served else set[int]()
    if service.metrics:
        run = engines.started(name, service, None)
        ports.add(run.ports.get(run.metrics_port, service.port))
    return tuple(sorted(ports))
