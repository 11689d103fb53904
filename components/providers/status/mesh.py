"""Parts of the service mesh that are not ready, as its operator says."""

from collections.abc import Iterator
from typing import Final

from podwright.components.providers.status.reasons import why_not
from podwright.components.providers.status.snapshot import Snapshot

_WITHOUT: Final = {
    "Istio": "pods that start get no certificate",
    "IstioCNI": "pods that start do not come into the mesh",
    "ZTunnel": "pods in the mesh of some node reach nobody",
}
"""What follows while a part is not ready."""


def unready(snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each of the three that is there and not ready; one that is not there is the plan's matter."""
    for kind, follows in _WITHOUT.items():
        if why := why_not(snapshot, (kind, None, "default"), "Ready"):
            yield f"{kind} default is not ready, so that {follows}: {why}"
