"""The reference trainer's files, as a person copies them."""

import importlib.util
import sys
from types import ModuleType

from tools.generated import ROOT

FOLDER = ROOT / "docs" / "how-to" / "trainer"
TRAIN = FOLDER / "train.py"


def module(name: str) -> ModuleType:
    """One of its files that needs nothing but Python."""
    found = importlib.util.spec_from_file_location(f"trainer_{name}", FOLDER / f"{name}.py")
    assert found is not None and found.loader is not None
    loaded = importlib.util.module_from_spec(found)
    sys.modules[found.name] = loaded  # dataclasses look their module up
    found.loader.exec_module(loaded)
    return loaded
