"""Generated files are what their generators make, and the world tool agrees with the lab's own inventory."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components import model
from tools import docs, generated, schema
from tools.world import world


@pytest.mark.parametrize(("files", "command"), [(schema.files(), "tools.schema"), (docs.files(), "tools.docs")])
def test_reference_is_fresh(files: dict[Path, str], command: str) -> None:
    assert generated.stale(files) == [], f"renew with: python -m {command}"


def test_the_lab_world_is_the_rack_of_the_lab_stack() -> None:
    """Power feeds are left out: the world names outlets, the stack the feed behind them."""
    made = world(model.load(generated.ROOT / "Pulumi.lab.yaml"))
    kept = yaml.safe_load((generated.ROOT / "lab/worlds/lab.yaml").read_text())

    def bare(devices: dict[str, Any]) -> dict[str, Any]:
        return {name: {key: value for key, value in each.items() if key != "power"} for name, each in devices.items()}

    assert bare(made["switches"]) == bare(kept["switches"])
    assert bare(made["servers"]) == bare(kept["servers"])
    assert made["credentials"] == kept["credentials"]
    assert made["cluster"].items() <= kept["cluster"].items()

    def plugged(cables: list[list[Any]]) -> set[tuple[frozenset[str], int]]:
        return {(frozenset(cable[:2]), cable[2]) for cable in cables}

    assert plugged(made["cables"]) == plugged(kept["cables"])
