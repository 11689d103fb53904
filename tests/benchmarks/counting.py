"""What one command costs: requests that the lab's Intersight got, seconds, and those of its workflows among them."""

import time
from dataclasses import dataclass
from datetime import datetime

from podwright.lab.intersight.side import IntersightSide


@dataclass(frozen=True)
class Run:
    """What one command came to: requests by ``verb path``; seconds, and those in which some workflow ran."""

    requests: dict[str, int]
    seconds: float
    workflows: float

    @property
    def total(self) -> int:
        """All requests."""
        return sum(self.requests.values())

    @property
    def own(self) -> float:
        """Seconds in which no workflow ran: devices' own time is everybody's, and longer than all else."""
        return self.seconds - self.workflows


class Count:
    """Counts from now on what an Intersight is asked."""

    def __init__(self, side: IntersightSide) -> None:
        self._side = side
        self._requests = dict(side.requests()["by_path"])
        self._workflows = {each["Moid"] for each in side.service.store.of("workflow.WorkflowInfo")}
        self._begun = time.monotonic()

    def run(self) -> Run:
        """What was asked since, and how long that took."""
        seconds, after = time.monotonic() - self._begun, self._side.requests()["by_path"]
        taken = {
            path: count - self._requests.get(path, 0)
            for path, count in after.items()
            if count > self._requests.get(path, 0)
        }
        return Run(taken, seconds, self._workflow_seconds())

    def _workflow_seconds(self) -> float:
        ran = [
            each for each in self._side.service.store.of("workflow.WorkflowInfo") if each["Moid"] not in self._workflows
        ]
        spans = sorted((_moment(each["StartTime"]), _moment(each["EndTime"])) for each in ran)
        total, until = 0.0, 0.0
        for begun, ended in spans:
            total += max(0.0, ended - max(begun, until))
            until = max(until, ended)
        return total


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
