"""A service whose second version is watched, on a cluster of the lab, and the users who ask it.

Counters are of real requests through the lab's router, read by Thanos Querier's Route with a token of the planned
account; the Route is the stack's own, by Pulumi's engine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from podwright.components.design.workloads import reader, watched
from podwright.components.model import Inference, Server
from podwright.components.providers import reach
from podwright.components.providers.openshift.canary import CanaryWatchKind
from podwright.components.providers.protocol.kind import Context
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.versions import Stack, planned, talk

NAME, HOST = "watch", "watch-search.apps.lab.example.com"
OLD, NEW = (f"registry.example.com/vllm:{each}" for each in (1, 2))
SECONDS = 6


def second(percent: int, image: str = NEW, **limits: Any) -> Inference:
    watch = {"requests": 20, "unready_seconds": 10, **limits}
    return talk(OLD, HOST, canary={"image": image, "replicas": 1, "percent": percent, "watch": watch})


class Watching:
    """The service's stack, and the watch of its second version as `up` has it."""

    def __init__(self, cluster: Rack, folder: Path, servers: Mapping[str, Server]) -> None:
        self.cluster, self.access = cluster, cluster.kubeconfig().read_text()
        self.stack = Stack(self.access, folder, servers, NAME)
        self._servers = servers
        self.known: dict[str, Any] = {}
        """Inputs of the last watch that ended well."""
        self.stop_after = 0.0
        """Seconds until somebody presses Ctrl-C; 0: nobody does."""

    def up(self, defined: Inference, seconds: float = SECONDS, *, route: bool = True) -> str:
        """The objects, then the watch: what was counted. Raises ProviderError where the share went back."""
        if route:
            self.stack.up(defined)
        self.cluster.apply(*reader(NAME, defined))
        spec = watched(NAME, defined, _deployment(planned(defined, self._servers, NAME)))
        assert spec is not None
        given = {"kubeconfig": self.access, "spec": {**spec, "watch": {**spec["watch"], "seconds": seconds}}}
        outputs = asyncio.run(self._watch(given))
        self.known = given
        return str(outputs["seen"])

    async def _watch(self, given: dict[str, Any]) -> Any:
        ctx = Context(reach=reach.load({reach.VARIABLE: str(self.cluster.dir / "reach.json")}))
        if self.stop_after:
            asyncio.get_running_loop().call_later(self.stop_after, ctx.cancel.set)
        kind = CanaryWatchKind()
        assert kind.check(given, ctx) == []  # type: ignore[arg-type]
        if not self.known:
            return (await kind.create(given, ctx)).outputs
        return await kind.update("watched", given, self.known, self.known, ctx)

    def ends(self) -> None:
        """One version again, and no Route."""
        self.stack.up(talk(OLD, HOST))
        self.cluster.kubectl("delete", "route", NAME, "-n", "search")


def _deployment(objects: list[dict[str, Any]]) -> dict[str, Any]:
    return next(
        each for each in objects if each["kind"] == "Deployment" and each["metadata"]["name"] == f"{NAME}-canary"
    )


@contextmanager
def failing(site: Watching, percent: float) -> Iterator[None]:
    """So many of a hundred answers of the second version are errors."""
    fault = {"service": f"search/{NAME}-canary", "status": 500, "percent": percent}
    site.cluster.world.fault_handlers["answers"](fault)
    try:
        yield
    finally:
        site.cluster.world.fault_handlers["answers"]({**fault, "percent": 0})
