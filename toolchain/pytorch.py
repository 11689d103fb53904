"""PyTorch as a person gets it from PyPI, for the drill of the reference trainer: in an environment of its own.

The index has builds with CUDA alone: they run on a processor too, and load CUDA's libraries for it. None of this is
part of any set-up but its own.
"""

from collections.abc import Mapping
from pathlib import Path

from podwright.toolchain.apart import Apart
from podwright.toolchain.keys import TOOLCHAIN

REQUIREMENTS = TOOLCHAIN / "requirements-torch.txt"
SOURCES = ("toolchain/requirements-torch.in",)


class Torch(Apart):
    """Its environment below the cache root."""

    LABEL = "PyTorch, for the drill of the trainer"
    SECONDS = 240

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        super().__init__(root / "torch", REQUIREMENTS, environ)

    @property
    def torchrun(self) -> Path:
        """The program `torchrun`."""
        return self.folder / "bin" / "torchrun"
