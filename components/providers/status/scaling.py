"""Services that do not scale as they should, or have no more to scale to: KEDA's and the autoscaler's own words."""

from collections.abc import Iterator

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.status.snapshot import Snapshot


def stuck(snapshot: Snapshot, namespace: str, name: str, most: int) -> Iterator[str]:
    """A sentence for what keeps a service from scaling; nothing where its ScaledObject is not there, which is the
    plan's matter. `most` are the replicas that the file gives it."""
    scaled = snapshot.named("ScaledObject", name, namespace)
    if scaled is None:
        return
    title, found = f"service {namespace}/{name}", conditions(scaled)
    ready, fallback = found.get("Ready") or {}, found.get("Fallback") or {}
    if ready.get("status") != "True":
        why = f"{ready.get('reason')}: {ready.get('message')}" if ready else "KEDA has not looked at it yet"
        yield f"{title} does not scale: {why}"
    elif fallback.get("status") == "True":
        why = f"{fallback.get('reason')}: {fallback.get('message')}"
        yield f"{title} keeps the replicas it has, as KEDA gets no metrics of it: {why}"
    elif (found.get("Paused") or {}).get("status") == "True":
        yield f"{title} does not scale: somebody has paused its ScaledObject"
    made = str(scaled.get("status", {}).get("hpaName") or f"keda-hpa-{name}")
    limited = conditions(snapshot.named("HorizontalPodAutoscaler", made, namespace) or {}).get("ScalingLimited") or {}
    if limited.get("status") == "True" and limited.get("reason") == "TooManyReplicas":
        yield f"{title} has {most} replicas, its most, and what waits asks for more: raise scale.max"
