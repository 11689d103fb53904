"""Generated files are what their generators make, and the world tool agrees with the lab's own inventory."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.cli.world import world
from podwright.components import model
from tools import docs, generated, schema


@pytest.mark.parametrize(("files", "command"), [(schema.files(), "tools.schema"), (docs.files(), "tools.docs")])
def test_reference_is_fresh(files: dict[Path, str], command: str) -> None:
    assert generated.stale(files) == [], f"renew with: python -m {command}"


def test_a_stale_file_is_shown_by_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    monkeypatch.setattr("sys.argv", ["tools.goldens", "--check"])
    golden = tmp_path / "leaf-01.cfg"
    golden.write_text("interface Ethernet1/1\n  mtu 9216\n")
    assert generated.main("tools.goldens", {golden: golden.read_text()}) == 0
    assert generated.main("tools.goldens", {golden: "interface Ethernet1/1\n  mtu 1500\n"}) == 1
    shown = capsys.readouterr().err
    assert "-  mtu 9216\n+  mtu 1500\n" in shown
    assert "leaf-01.cfg is stale; renew it: python -m tools.goldens" in shown
    assert generated.changes(tmp_path / "none.cfg", "mtu 1500\n").endswith("+mtu 1500")


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
