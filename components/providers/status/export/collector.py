"""The looks of all switches, side by side: each on its own clock, none waits for another, none outlives its time."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from podwright.components.providers.nxos.read.metrics import Metric as SwitchMetric
from podwright.components.providers.nxos.read.metrics import Sample
from podwright.components.providers.reach import ReachError, load
from podwright.components.providers.status.export import metrics as m
from podwright.components.providers.status.export.scrape import Look, Target, look

PATIENCE = 20.0
"""Seconds one switch may take: transceivers and queues of 64 ports are some thousand lines."""


class SwitchCollector(Collector):
    """Keeps the last look at every switch. Safe to collect from another thread while looks go on."""

    def __init__(
        self,
        targets: Sequence[Target],
        access: tuple[str, str],
        environ: Mapping[str, str],
        interval: float = 30.0,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`access` is user and name of the secret. Raises ValueError for a reach file that cannot be used."""
        try:
            self._reach = load(environ)
        except ReachError as wrong:
            raise ValueError(str(wrong)) from None
        self._targets = targets
        self._interval = interval
        self._patience = min(patience, interval)
        self._access = access
        self._clock = clock
        self._looks: dict[str, Look] = {}

    @property
    def looks(self) -> Mapping[str, Look]:
        """The last look by switch; a switch that was never looked at is absent."""
        return dict(self._looks)

    async def once(self) -> None:
        """Look at every switch at the same time."""
        await asyncio.gather(*(self._look(target) for target in self._targets))

    async def forever(self) -> None:
        """Look at every switch once an interval, their beginnings spread over the first one."""
        share = self._interval / max(len(self._targets), 1)
        await asyncio.gather(*(self._keep(target, n * share) for n, target in enumerate(self._targets)))

    async def _keep(self, target: Target, delay: float) -> None:
        await asyncio.sleep(delay)
        while True:
            started = self._clock()
            await self._look(target)
            await asyncio.sleep(max(self._interval - (self._clock() - started), 0.1))

    async def _look(self, target: Target) -> None:
        now = await look(target, self._access, self._reach, self._patience)
        before = self._looks.get(target.name)
        self._looks[target.name] = now
        _report(target.name, before, now)

    @property
    def registry(self) -> CollectorRegistry:
        """What a server of metrics serves: this collector alone, nothing of the process."""
        registry = CollectorRegistry()
        registry.register(self)
        return registry

    def text(self) -> str:
        """What Prometheus scrapes, in its own text form."""
        return generate_latest(self.registry).decode()

    def collect(self) -> Iterator[Metric]:
        """The samples by metric."""
        return families(self._samples())

    def _samples(self) -> Iterator[Sample]:
        now, looks = self._clock(), dict(self._looks)
        for target in self._targets:
            switch = {"switch": target.name}
            for port, info in target.info.items():
                yield Sample(m.PORT_INFO, 1, {**switch, "port": port, **target.ports.get(port, {}), **info})
            seen = looks.get(target.name)
            if seen is None:  # Not looked at yet: neither up nor down.
                continue
            # A look that is older than the next two would be is no look: whatever keeps them from coming, say so.
            alive = not seen.problem and now - seen.ended <= 2 * (self._interval + self._patience)
            yield Sample(m.UP, alive, switch)
            yield Sample(m.DURATION, round(seen.duration, 3), switch)
            yield Sample(m.AGE, round(max(now - seen.ended, 0.0), 3), switch)
            if alive:
                for command, why in seen.errors.items():
                    yield Sample(m.COMMAND_ERROR, bool(why), {**switch, "command": command})
                yield from seen.samples


def families(samples: Iterable[Sample]) -> Iterator[Metric]:
    """Samples in the library's form, in the order of first appearance; of two with the same labels the first stands.

    A label without a value is left out: for Prometheus that is the same.
    """
    found: dict[str, tuple[Metric, set[frozenset[tuple[str, str]]]]] = {}
    for each in samples:
        kind = each.metric
        labels = {name: value for name, value in each.labels.items() if value}
        family, seen = found.setdefault(kind.name, (_family(kind), set()))
        if (key := frozenset(labels.items())) not in seen:
            seen.add(key)
            family.add_sample(kind.name, labels, float(each.value))
    yield from (family for family, _ in found.values())


def _family(metric: SwitchMetric) -> Metric:
    return Metric(metric.name.removesuffix("_total"), metric.help, metric.kind, metric.unit)


def _report(name: str, before: Look | None, now: Look) -> None:
    """Say on standard error what changed: a switch that answers no more, or again; a command that went wrong."""
    was = before or Look()
    if now.problem != was.problem:
        print(now.problem or f"{name}: answers again", file=sys.stderr, flush=True)
    for command, why in now.errors.items():
        if why != was.errors.get(command, ""):
            print(f"{name}: `{command}`: {why or 'understood again'}", file=sys.stderr, flush=True)
