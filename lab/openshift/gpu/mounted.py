"""A ConfigMap as the pod that mounts it sees it."""

from __future__ import annotations

import time

SYNC_SECONDS = 60.0
"""Kubelet's syncFrequency: how long a mounted file stays as it was, at least, after its ConfigMap changed
(https://kubernetes.io/docs/concepts/configuration/configmap/, "mounted ConfigMaps are updated automatically")."""


class Mounted:
    """The file of one pod. Another pod begins with what the ConfigMap has then."""

    def __init__(self) -> None:
        self._pod: str | None = None
        self._text = ""
        self._changed: float | None = None

    def text(self, live: str, pod: str) -> str:
        """What the pod reads now, where its ConfigMap has `live`."""
        if pod != self._pod:
            self._pod, self._text, self._changed = pod, live, None
        elif live == self._text:
            self._changed = None
        elif self._changed is None:
            self._changed = time.monotonic()
        elif time.monotonic() - self._changed >= SYNC_SECONDS:
            self._text, self._changed = live, None
        return self._text
