"""What an engine makes of a service, for the one container of its pods."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Started:
    """A server of models as its container starts it."""

    env: list[dict[str, Any]]
    args: list[str]
    live: str
    """Path that answers 200 while the server lives, whatever it does."""
    ready: str
    """Path that answers 200 once the model is loaded."""
    metrics: str
    """Path of its metrics, in Prometheus's text format."""
    metrics_port: str = "http"
    """Name of the port that they are at."""
    ports: dict[str, int] = field(default_factory=dict)
    """Ports beside that of HTTP, by name."""
    explains: bool = True
    """What it has written last is the reason of its end: `podwright status` has it."""
    pull_secrets: tuple[str, ...] = ()
    """Secrets by which nodes pull its image."""
