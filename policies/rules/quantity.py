"""Amounts as the API server reads them: `2`, `1.5Gi`, `500m`, and `1k`, which is how it prints a thousand."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

_AMOUNT: Final = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?([numkMGTPE]|[KMGTPE]i)?")
_UNITS: Final[Mapping[str | None, Decimal]] = {
    None: Decimal(1),
    **{unit: Decimal(1000) ** power for power, unit in enumerate("num", -3)},
    **{unit: Decimal(1000) ** power for power, unit in enumerate("kMGTPE", 1)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}
"""Suffixes of amounts (kubernetes, apimachinery/pkg/api/resource, Quantity)."""


def quantity(amount: Any) -> Decimal:
    """An amount by its number; 0 for what is none, as the API server takes no such."""
    found = _AMOUNT.fullmatch(str(amount))
    return Decimal(found[1] + (found[2] or "")) * _UNITS[found[3]] if found else Decimal(0)
