"""Each variant earns its place: a mistake of ours that one of its forms lets live, and another one kills."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.lab.variants import VARIANTS
from tools.coverage.patches import Patch
from tools.coverage.trees import Tree

LIFE = "tests/providers/nxos/test_life.py"
MUTANTS: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("variant_mutants.yaml").read_text("utf-8"))
SECONDS = 60
"""A life takes three or four; a client that waits for a prompt it does not recognise waits for ever."""


def test_every_variant_has_one() -> None:
    ours = {name for name, variant in VARIANTS.items() if variant.side == "nxos"}
    assert set(MUTANTS) == ours


@pytest.mark.rough
@pytest.mark.parametrize("variant", sorted(MUTANTS))
def test_a_mistake_lives_in_one_form_and_dies_in_another(variant: str, tmp_path: Path) -> None:
    mutant = MUTANTS[variant]
    mistake = Patch(variant, variant, mutant["file"], (mutant["old"],), (mutant["new"],), (LIFE,), "unit")
    with Tree(tmp_path / "tree") as tree, tree.patched(mistake):
        assert lived(tree.folder, {**mutant.get("with", {}), variant: mutant["lives"]})
        assert not lived(tree.folder, {**mutant.get("with", {}), variant: mutant["dies"]})


def lived(folder: Path, forms: dict[str, str]) -> bool:
    """Whether a switch of these forms, all others the first, gets through its life. Fails where it cannot be tried."""
    asked = ",".join(f"{name}={form}" for name, form in forms.items())
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout", str(SECONDS), LIFE],
        cwd=folder, env={**os.environ, "PODWRIGHT_VARIANTS": asked}, text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    return done.returncode == 0
