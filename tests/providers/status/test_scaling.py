"""What is said of a service that scales, in KEDA's own words."""

from typing import Any

import pytest

from podwright.components.providers.status.scaling import stuck
from podwright.components.providers.status.snapshot import Snapshot


def _row(kind: str, status: str, reason: str = "", message: str = "") -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def _seen(*rows: dict[str, str], limited: bool = False) -> Snapshot:
    meta = {"name": "chat", "namespace": "team"}
    status: dict[str, Any] = {"hpaName": "keda-hpa-chat", "conditions": list(rows)}
    row = _row("ScalingLimited", str(limited), "TooManyReplicas" if limited else "DesiredWithinRange")
    autoscaler = {"metadata": {"name": "keda-hpa-chat", "namespace": "team"}, "status": {"conditions": [row]}}
    return Snapshot({"ScaledObject": ({"metadata": meta, "status": status},), "HorizontalPodAutoscaler": (autoscaler,)})


READY = _row("Ready", "True", "ScaledObjectReady")
OFF = _row("Ready", "False", "ScaledObjectCheckFailed", "error parsing prometheus metadata")


@pytest.mark.parametrize(("snapshot", "words"), [
    (Snapshot(), []),
    (_seen(READY, _row("Fallback", "False")), []),
    (_seen(), ["service team/chat does not scale: KEDA has not looked at it yet"]),
    (_seen(OFF), ["service team/chat does not scale: ScaledObjectCheckFailed: error parsing prometheus metadata"]),
    (_seen(READY, _row("Fallback", "True", "FallbackExists", "At least one trigger is falling back")),
     ["service team/chat keeps the replicas it has, as KEDA gets no metrics of it: FallbackExists: At least one "
      "trigger is falling back"]),
    (_seen(READY, _row("Paused", "True")), ["service team/chat does not scale: somebody has paused its ScaledObject"]),
    (_seen(READY, limited=True),
     ["service team/chat has 5 replicas, its most, and what waits asks for more: raise scale.max"]),
])  # fmt: skip
def test_what_keeps_a_service_from_scaling(snapshot: Snapshot, words: list[str]) -> None:
    assert list(stuck(snapshot, "team", "chat", 5)) == words
