"""The row of a store at which members of a training job meet: a Deployment by its kind, and part of the job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from podwright.components.changes.row import ChangeClass, Row

STORE: Final = Row(
    "",
    ChangeClass.DISRUPTIVE,
    "the store at which members of a training job meet starts anew and empty: the launchers of all members end with an "
    "error, and all start anew from the last checkpoint",
    "pytorch/pytorch, torch/distributed/elastic/rendezvous: what members know of each other is in the store's memory",
    scope="workload",
    lasts="until it has started again",
)
_LABEL: Final = "podwright.io/workload"


def of_store(new: Mapping[str, Any]) -> Row | None:
    """The row where an object is one: no other Deployment is of training."""
    labels = new["metadata"].get("labels") or {}
    return STORE if new["kind"] == "Deployment" and labels.get(_LABEL) == "training" else None
