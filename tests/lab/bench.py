"""One side of the lab on a bench: a world from a text, and the folders and certificates a side needs."""

from pathlib import Path

from podwright.lab.pki import Authority
from podwright.lab.sides import LabContext
from podwright.lab.world.model import World


def make_world(folder: Path, text: str) -> tuple[World, LabContext]:
    """A world and a lab context below `folder`."""
    file = folder / "world.yaml"
    file.write_text(text)
    for name in ("secrets", "logs"):
        (folder / name).mkdir()
    lab = LabContext(folder, folder / "secrets", Authority(folder / "pki", "bench CA"), folder / "logs")
    return World.load(file), lab
