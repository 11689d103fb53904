"""What the stand-in controllers know of the cluster: one watch per kind, one shared copy, a bell per listener."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from podwright.lab.openshift.api import Api, ApiError, Object, path_of

log = logging.getLogger("lab.openshift")
WATCH_SECONDS = 300
RETRY_SECONDS = 0.5


@dataclass(frozen=True)
class Kind:
    """A resource as its URL names it."""

    api_version: str
    plural: str

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """URL path of the collection or of one object."""
        return path_of(self.api_version, self.plural, namespace, name)


def key_of(item: Object) -> tuple[str, str]:
    """(namespace or "", name)."""
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]


@dataclass
class _Watched:
    items: dict[tuple[str, str], Object] = field(default_factory=dict)
    version: int = 0
    """How far the listing and the watch have come: what is older and not among the items has been deleted since."""
    synced: threading.Event = field(default_factory=threading.Event)
    bells: list[Callable[[], None]] = field(default_factory=list)


class Cache:
    """Watches kinds on demand. A kind whose CRD is not there yet simply has no objects until it comes."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._watched: dict[Kind, _Watched] = {}
        self._lock = threading.RLock()
        self._over = threading.Event()

    def listen(self, kind: Kind, bell: Callable[[], None]) -> None:
        """Ring `bell` after every change of this kind; starts the watch on first use."""
        with self._lock:
            watched = self._watched.get(kind)
            if watched is None:
                watched = self._watched[kind] = _Watched()
                threading.Thread(
                    target=self._follow, args=(kind, watched), name=f"watch-{kind.plural}", daemon=True
                ).start()
            watched.bells.append(bell)

    def list(self, kind: Kind, namespace: str | None = None) -> list[Object]:
        """The known objects, sorted by namespace and name. They are shared: read them, never change them."""
        with self._lock:
            watched = self._watched[kind]
            rows = sorted(watched.items.items())
            return [item for (space, _), item in rows if namespace in (None, space)]

    def get(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        """One object, shared with everybody, or None."""
        with self._lock:
            return self._watched[kind].items.get((namespace, name))

    def put(self, kind: Kind, item: Object) -> None:
        """Know at once what we just created: the next pass must not create it again."""
        self.replace(kind, item)

    def replace(self, kind: Kind, item: Object) -> None:
        """Know at once what we just changed, unless the watch was quicker: an answer that is read late must not bring
        back what others have changed or deleted after it. Nothing would come to put that right."""
        with self._lock:
            watched, key = self._watched[kind], key_of(item)
            known = watched.items.get(key)
            if _version(item) > (watched.version if known is None else _version(known)):
                watched.items[key] = item

    def settle(self, kind: Kind, over: threading.Event) -> None:
        """Wait until the first listing of `kind` is in (or found that the kind does not exist), or until `over`.

        However long it takes: a controller that begins with half a listing takes the other half for deleted.
        """
        synced = self._watched[kind].synced
        while not over.is_set() and not synced.wait(RETRY_SECONDS):
            pass

    def stop(self) -> None:
        """Let the watches end."""
        self._over.set()

    def _follow(self, kind: Kind, watched: _Watched) -> None:
        while not self._over.is_set():
            try:
                version = self._relist(kind, watched)
                for event in self._api.watch(kind.path(), version, WATCH_SECONDS):
                    self._take(watched, event)
                    if self._over.is_set():
                        return
            except ApiError as problem:
                if problem.code == 404:
                    watched.synced.set()
                elif problem.code not in (0, 410, 429) and not self._over.is_set():
                    log.warning("watching %s: %s", kind.plural, problem)
                self._over.wait(RETRY_SECONDS)

    def _relist(self, kind: Kind, watched: _Watched) -> str:
        listing = self._api.request("GET", kind.path())
        with self._lock:
            watched.items = {key_of(item): item for item in listing["items"]}
            watched.version = _version(listing)
        watched.synced.set()
        self._ring(watched)
        return str(listing["metadata"]["resourceVersion"])

    def _take(self, watched: _Watched, event: Object) -> None:
        item = event["object"]
        with self._lock:
            watched.version = max(watched.version, _version(item))
            if event["type"] == "BOOKMARK":
                return
            if event["type"] == "DELETED":
                watched.items.pop(key_of(item), None)
            elif _version(item) >= _version(watched.items.get(key_of(item)) or item):
                # What `replace` told us may be ahead of the watch: never step back behind our own writes.
                watched.items[key_of(item)] = item
        self._ring(watched)

    def _ring(self, watched: _Watched) -> None:
        for bell in list(watched.bells):
            bell()


def _version(item: Object) -> int:
    return int(item["metadata"]["resourceVersion"])


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Poll `condition` every 50 ms; False when time is up."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
