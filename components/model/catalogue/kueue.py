"""Which Kueue a release of Red Hat's operator brings, and which fields its API has: `kueue.toml`."""

from pathlib import Path

from podwright.components.model.catalogue.operands import Operands, number

FILE = Path(__file__).with_name("kueue.toml")
_KUEUE = Operands(FILE)
operand = _KUEUE.operand
"""Minor release of Kueue that a channel of kueue-operator brings."""
fields = _KUEUE.fields
"""Fields of the API v1beta2 that a minor release of Kueue has; none where it does not serve that version."""


def written() -> dict[str, str]:
    """By key of `openshift.queues`, `Kind path` of the field that it is written to."""
    return {key: str(path) for key, path in _KUEUE.table["keys"].items()}


def places_train_jobs(version: str) -> tuple[str, str] | None:
    """Where a minor release of Kueue writes the place of a TrainJob, and the Trainer whose TrainJobs have that; None:
    it does not look after TrainJobs."""
    rows = sorted(_KUEUE.table["train_jobs"].items(), key=lambda row: number(row[0]))
    found = [row for since, row in rows if number(since) <= number(version)]
    return (found[-1][0], found[-1][1]) if found else None


def serving() -> tuple[str, ...]:
    """Channels of kueue-operator whose Kueue serves v1beta2."""
    return tuple(channel for channel in _KUEUE.table["channels"] if fields(operand(channel) or "0"))
