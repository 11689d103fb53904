"""Which Kueue a release of Red Hat's operator brings, and which fields its API has: `kueue.toml`."""

from pathlib import Path

from podwright.components.model.catalogue.operands import Operands

FILE = Path(__file__).with_name("kueue.toml")
_KUEUE = Operands(FILE)
operand = _KUEUE.operand
"""Minor release of Kueue that a channel of kueue-operator brings."""
fields = _KUEUE.fields
"""Fields of the API v1beta2 that a minor release of Kueue has; none where it does not serve that version."""


def written() -> dict[str, str]:
    """By key of `openshift.queues`, `Kind path` of the field that it is written to."""
    return {key: str(path) for key, path in _KUEUE.table["keys"].items()}


def serving() -> tuple[str, ...]:
    """Channels of kueue-operator whose Kueue serves v1beta2."""
    return tuple(channel for channel in _KUEUE.table["channels"] if fields(operand(channel) or "0"))
