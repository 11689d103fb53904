"""How a stand-in controller runs: level-triggered, one thread, woken by watches, retrying what the API refused."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from podwright.lab.openshift.api import Api, ApiError, Object
from podwright.lab.openshift.cache import Cache, Kind
from podwright.lab.openshift.crds import CrdLibrary
from podwright.lab.openshift.host_memory import HostMemory
from podwright.lab.openshift.keda.gauges import Load
from podwright.lab.openshift.kuadrant.keeper import Keeper
from podwright.lab.openshift.mesh.peers import Mesh
from podwright.lab.openshift.serving.box import Served
from podwright.lab.world.model import Server, World

if TYPE_CHECKING:
    # The plane's registries are stand-ins themselves.
    from podwright.lab.openshift.controlplane import ControlPlane

Answered = dict[tuple[str, str, str, str, str], Counter[str]]
"""What came of requests, by namespace, Route, service, pod and address of a server of the router: classes of status and
errors."""
log = logging.getLogger("lab.openshift")
RESYNC_SECONDS = 5.0
GATHER_SECONDS = 0.1
"""Events of one burst are answered by one pass."""


@dataclass(frozen=True)
class Surroundings:
    """What a stand-in may touch: its API, the shared cache, the world, which server a node is, hosts' memory, and
    registries of the site."""

    api: Api
    cache: Cache
    world: World
    server_of: Callable[[str], Server | None]
    crds: CrdLibrary
    memory: dict[str, HostMemory] = field(default_factory=dict)
    registries: frozenset[str] = frozenset()
    """Registries that stand on the site."""
    network_of: Callable[[str], Mapping[str, Any]] = lambda _node: {}
    """The network that a node's host was installed with: its entry of the agent-config."""
    plane: ControlPlane | None = None
    """The processes of the cluster, for those who reach below its API."""
    stopped_drivers: set[str] = field(default_factory=set)
    """CSI drivers whose controller does not run: none of their claims is bound, none of their volumes attached."""
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    """What somebody has put on volumes: by namespace/claim, texts by their path."""
    served: dict[tuple[str, str], Served] = field(default_factory=dict)
    """Servers of models that run, by namespace and name of their pod."""
    answered: Answered = field(default_factory=dict)
    """What the router counts of its servers."""
    router_port: int = 0
    """Port of 127.0.0.1 that is kept for the router."""
    loads: dict[str, Load] = field(default_factory=dict)
    """What clients ask of vLLM's servers: by a service's namespace/name, or `pod ` and a pod's."""
    keeper: Keeper = field(default_factory=Keeper)
    """What asks requests at a gateway for keys."""
    mesh: Mesh = field(default_factory=Mesh)
    """What the service mesh's proxies take."""

    def host_memory(self, node: str) -> HostMemory:
        """What the host behind a node keeps by itself."""
        return self.memory.setdefault(node, HostMemory())


class Controller(ABC):
    """Subclasses list the kinds they watch and say in `reconcile` what follows from the state they see."""

    watches: ClassVar[tuple[Kind, ...]] = ()

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.api = around.api
        self.cache = around.cache
        self.world = around.world
        self._bell = threading.Event()
        self._over = threading.Event()
        self._reported: set[str] = set()
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)

    @abstractmethod
    def reconcile(self) -> None:
        """Look at everything, do what is due. Raises ApiError freely: the pass is run again."""

    def start(self) -> None:
        """Begin to watch and act."""
        for kind in self.watches:
            self.cache.listen(kind, self._bell.set)
        self._thread.start()

    def stop(self, seconds: float = 5.0) -> None:
        """End after the running pass; wait at most `seconds` for it."""
        self._over.set()
        self._bell.set()
        self._thread.join(timeout=seconds)

    def ring(self) -> None:
        """Ask for a pass: something outside the API changed."""
        self._bell.set()

    def _run(self) -> None:
        for kind in self.watches:
            self.cache.settle(kind, self._over)
        while not self._over.is_set():
            try:
                self.reconcile()
            except ApiError as problem:
                self._say(str(problem))
                self._bell.set()
                self._over.wait(0.5)
            except Exception:
                # A stand-in that dies would look like an operator that hangs: keep it alive, and be loud.
                log.exception("%s failed", type(self).__name__)
                self._over.wait(2.0)
            self._bell.wait(RESYNC_SECONDS)
            self._over.wait(GATHER_SECONDS)
            self._bell.clear()

    def _say(self, message: str) -> None:
        if message not in self._reported:
            self._reported.add(message)
            log.warning("%s: %s (will retry)", type(self).__name__, message)

    # --- what most controllers need -------------------------------------------------------------------------

    def each(self, kind: Kind, work: Callable[[Object], None]) -> None:
        """Do `work` for every object of a kind; one that is refused does not hold up the others, and is retried."""
        for item in self.cache.list(kind):
            try:
                work(item)
            except ApiError as problem:
                self._say(str(problem))
                self._bell.set()

    def patch(self, kind: Kind, item: Object, change: dict[str, Any], subresource: str = "") -> Object:
        """Merge-patch `item` when `change` would change it. Returns the object as it then is."""
        if _contains(item, change):
            return item
        meta = item["metadata"]
        return self.api.merge(kind.path(meta.get("namespace"), meta["name"]), change, subresource)

    def note(self, kind: Kind, item: Object, **notes: str | None) -> Object:
        """Annotate `item`; the cache knows at once, so that the next step of the same pass does too."""
        fresh = self.patch(kind, item, {"metadata": {"annotations": {**notes}}})
        if fresh is not item:
            self.cache.replace(kind, fresh)
        return fresh

    def set_status(self, kind: Kind, item: Object, status: dict[str, Any]) -> None:
        """Merge `status` into the object's status when it differs."""
        self.patch(kind, item, {"status": status}, "status")

    def restart(self, node: str) -> None:
        """A daemon on the node reboots it. One that has no power stays off: no daemon runs there."""
        server = self.around.server_of(node)
        if server is not None and self.world.host(server.name).power == "On":
            self.world.power(server.name, "ForceRestart")

    def own(self, item: Object, api_version: str, kind: str) -> list[dict[str, Any]]:
        """The owner reference by which the garbage collector takes a child away with `item`."""
        meta = item["metadata"]
        return [
            {
                "apiVersion": api_version, "kind": kind, "name": meta["name"], "uid": meta["uid"],
                "controller": True, "blockOwnerDeletion": False,
            }
        ]  # fmt: skip

    def event(self, about: Object, kind: str, reason: str, message: str, warning: bool = True) -> None:
        """Post an Event about an object, once per reason and message."""
        meta = about["metadata"]
        token = f"{meta.get('uid')}/{reason}/{message}"
        if token in self._reported:
            return
        self._reported.add(token)
        namespace = meta.get("namespace", "default")
        self.api.create(f"/api/v1/namespaces/{namespace}/events", {
            "apiVersion": "v1", "kind": "Event", "metadata": {"generateName": f"{meta['name']}."},
            "involvedObject": {
                "apiVersion": about.get("apiVersion", "v1"), "kind": kind, "name": meta["name"],
                "namespace": namespace, "uid": meta.get("uid"),
            },
            "reason": reason, "message": message, "type": "Warning" if warning else "Normal", "count": 1,
            "firstTimestamp": now(), "lastTimestamp": now(), "source": {"component": type(self).__name__.lower()},
        })  # fmt: skip


def _contains(have: Any, want: Any) -> bool:
    """True when merging `want` into `have` changes nothing (None stands for absent)."""
    if isinstance(want, dict):
        if not isinstance(have, dict):
            return False
        return all((v is None and k not in have) or (k in have and _contains(have[k], v)) for k, v in want.items())
    return bool(have == want)


def now() -> str:
    """The time as Kubernetes writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(kind: str, status: bool | str, reason: str, message: str = "") -> dict[str, Any]:
    """A status condition that keeps its transition time when merged by `merge_conditions`."""
    text = status if isinstance(status, str) else ("True" if status else "False")
    return {"type": kind, "status": text, "reason": reason, "message": message, "lastTransitionTime": now()}


def merge_conditions(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`new`, with the transition time of each old condition whose status stayed."""
    before = {row["type"]: row for row in old}
    result = []
    for row in new:
        known = before.get(row["type"])
        same = known is not None and known["status"] == row["status"]
        result.append({**row, "lastTransitionTime": known["lastTransitionTime"]} if known and same else row)
    return result
