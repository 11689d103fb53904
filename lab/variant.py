"""What a variant of the lab is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """One way in which devices differ. The first form is the one that a lab takes when nothing is said."""

    about: str
    forms: Mapping[str, str]
    """Name of each form, and what it does with its source."""
    side: str = "nxos"
    """The side of the lab that it belongs to."""
