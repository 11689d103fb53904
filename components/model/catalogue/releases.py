"""Names of release sets and of the subscriptions in them: what `operators` may say.

Versions, channels and catalogues are design's (`components/design/releases.py`); a test holds the two together.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReleaseSet:
    """One tested combination, as far as a stack file can name it."""

    openshift: str
    """Minor release it is for."""
    subscriptions: tuple[str, ...]


RELEASE_SETS: dict[str, ReleaseSet] = {
    "2026.10": ReleaseSet(
        "4.22", ("nfd", "sriov-network-operator", "nvidia-network-operator", "gpu-operator-certified")
    ),
}
"""Release sets by name."""
