"""A service of two versions as its stack has it, on nodes without GPUs, and somebody who asks it all the time."""

import http.client
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes
from pulumi import automation

from podwright.components.design.workloads import canary, route, service
from podwright.components.model import Inference, Server
from tests.lab.openshift.inline import Alone, anywhere, stack
from tests.lab.openshift.repeated import repeated

HOST = "talk-search.apps.lab.example.com"
PROBE_SECONDS = 0.1
_PATIENCE = 8
"""Seconds after which a version that does not get ready has failed: a service's own are the load of a model."""


def talk(image: str, host: str = HOST, **more: Any) -> Inference:
    """The service with this image."""
    section = {"team": "search", "pool": "inference", "replicas": 2, "image": image, "model": "m", "memory_gib": 4}
    return Inference.model_validate({**section, "route": {"host": host, "balance": "roundrobin"}, **more})


def planned(defined: Inference, servers: Mapping[str, Server], name: str = "talk") -> list[dict[str, Any]]:
    """Its objects, in the order in which the component makes them."""
    found = [*service(name, defined, servers), *canary(name, defined, servers), *route(name, defined)]
    for each in found:
        if each["kind"] == "Deployment":
            anywhere(each)
            each["spec"]["progressDeadlineSeconds"] = _PATIENCE
            each["metadata"]["annotations"]["pulumi.com/timeoutSeconds"] = str(2 * _PATIENCE)
    return found


class Stack:
    """The stack of the service: what is defined changes, and `up` brings it there."""

    def __init__(self, access: str, folder: Path, servers: Mapping[str, Server], name: str = "talk") -> None:
        self._objects: list[dict[str, Any]] = []
        self._servers, self._name = servers, name

        def program() -> None:
            provider = pulumi_kubernetes.Provider("cluster", kubeconfig=access)
            Alone(name, self._objects, pulumi.ResourceOptions(providers=[provider]))

        self._stack = stack(name, "versions", folder, program)

    def up(self, defined: Inference) -> None:
        """Raises CommandError where it does not come about."""
        self._objects = planned(defined, self._servers, self._name)
        self._stack.up()

    def settled(self) -> bool:
        """Whether a second preview is empty."""
        return set(self._stack.preview().change_summary) == {automation.OpType.SAME}


class Probe:
    """Answers by the time of their question: the pod, or what went wrong."""

    def __init__(self, ask: Callable[[], str]) -> None:
        self._ask = ask
        self.answers: list[tuple[float, str]] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        """Ask every 100 ms."""

        def probe() -> None:
            begun = time.monotonic()
            try:
                answer = self._ask() or "! 503"
            except (http.client.HTTPException, OSError) as broken:
                answer = f"! {broken}"
            self.answers.append((begun, answer))

        with repeated(probe, PROBE_SECONDS):
            yield

    @property
    def failed(self) -> list[str]:
        """What was no answer of a pod."""
        return [answer for _, answer in self.answers if answer.startswith("!")]

    def since(self, moment: float) -> list[str]:
        """Who answered what was asked after a moment."""
        return [answer for begun, answer in self.answers if begun > moment]
