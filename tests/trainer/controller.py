"""What makes pods of a job again, after kubernetes/kubernetes, pkg/controller/job: a pod that ended with an error
counts against its member and is made again up to `backoffLimitPerIndex` times, one that was deleted does not count."""

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.trainer.pods import Cluster, Pod
from tests.trainer.stores import Store

AGAIN_SECONDS = 1.0
"""Before a pod is made again: ten seconds and more on a cluster."""


@dataclass
class Running:
    """A job under way."""

    cluster: Cluster
    log: Path
    lag: float
    """Seconds until DNS has a new pod's address."""
    store: Store | None = None
    """Where members meet, if not at member 0."""
    pods: dict[int, Pod] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)
    held: set[int] = field(default_factory=set)
    """Members that find no server for now."""
    failures: Counter[int] = field(default_factory=Counter)
    _due: dict[int, float] = field(default_factory=dict)
    _resolve: list[float] = field(default_factory=list)

    @property
    def limit(self) -> int:
        """Failures of one member that are made good."""
        return int(self.cluster.job["spec"]["backoffLimitPerIndex"])

    def start(self) -> None:
        """All members; DNS has them all."""
        for member in range(self.cluster.job["spec"]["completions"]):
            self.pods[member] = self.cluster.start(member)
        self.cluster.resolve(self.pods)

    def turn(self) -> None:
        """Look after every pod once. Raises AssertionError when the job is given up."""
        now = time.monotonic()
        if self.store is not None:
            self.store.turn()
        for member, pod in list(self.pods.items()):
            code = pod.ended()
            if code == 0:
                self.done.add(member)
                del self.pods[member]
            elif code is not None:
                self.failures[member] += not pod.drained
                assert self.failures[member] <= self.limit, f"given up: {dict(self.failures)} failures by member"
                del self.pods[member]
                self._due[member] = now + AGAIN_SECONDS
        for member in [each for each, at in self._due.items() if at <= now and each not in self.held]:
            del self._due[member]
            self.pods[member] = self.cluster.start(member)
            self._resolve.append(now + self.lag)
        if self._resolve and self._resolve[0] <= now:
            self._resolve.pop(0)
            self.cluster.resolve(self.pods)
        time.sleep(0.002)

    def until(self, condition: Callable[[], Any], seconds: float, what: str) -> Any:
        """Go on until it holds; fails with `what`."""
        end = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < end, f"not within {seconds:g} s: {what}"
            self.turn()
        return found

    def finished(self) -> bool:
        """Every member has ended well."""
        return len(self.done) == int(self.cluster.job["spec"]["completions"])

    def stop(self) -> None:
        """Kill what is left."""
        for pod in self.pods.values():
            pod.kill()
            pod.process.wait()
        if self.store is not None:
            self.store.stop()

    def lines(self) -> list[dict[str, Any]]:
        """What rank 0 has written so far."""
        text = self.log.read_text() if self.log.exists() else ""
        return [json.loads(line) for line in text.splitlines() if line.endswith("}")]

    def step(self) -> int:
        """The last step that was made."""
        return int(next((each["step"] for each in reversed(self.lines()) if "step" in each), 0))
