"""One look of the exporter at the lab's stack, as both of its test files take it."""

from __future__ import annotations

import asyncio
import os

from podwright.cli import export
from podwright.components import model
from podwright.components.providers.status.export.collector import SwitchCollector
from tests.lab.rack import ROOT
from tests.providers.status.export.grammar import Series, read

CLUSTER = model.load(ROOT / "Pulumi.lab.yaml")
TARGETS = export.targets(CLUSTER)
ACCESS = (CLUSTER.fabric.user, CLUSTER.fabric.credential)


def scraped(patience: float = 20.0) -> tuple[Series, SwitchCollector]:
    """One look at everything."""
    collector = SwitchCollector(TARGETS, ACCESS, os.environ, patience=patience)
    asyncio.run(collector.once())
    return read(collector.text()), collector
