"""Routes that no router serves: what their status says."""

from collections.abc import Iterator

from podwright.components.providers.status.snapshot import Object, Snapshot


def refused(snapshot: Snapshot, namespace: str, name: str) -> Iterator[str]:
    """A sentence for each router that does not serve a Route, or one where none has looked at it; nothing where the
    Route is not there, which is the plan's matter."""
    route = snapshot.named("Route", name, namespace)
    if route is None:
        return
    title = f"Route {namespace}/{name} ({route['spec'].get('host', 'no host')})"
    rows = route.get("status", {}).get("ingress") or []
    if not rows:
        yield f"{title} is served by no router: none has admitted or refused it"
    for row in rows:
        admitted = _condition(row)
        if admitted.get("status") != "True":
            why = ": ".join(str(admitted[key]) for key in ("reason", "message") if admitted.get(key))
            yield f"{title} is not served by router {row.get('routerName')}{f': {why}' if why else ''}"


def _condition(row: Object) -> Object:
    found: Iterator[Object] = (each for each in row.get("conditions") or [] if each["type"] == "Admitted")
    return next(found, {})
