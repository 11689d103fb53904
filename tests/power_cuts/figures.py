"""What cuts came to, as one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Final

NOTICED_SECONDS: Final = 1.0
"""What was never broken is found whole at the first look."""
ADDED: Final = ("probes", "dead s", "asked", "lost", "slow")


def summary(cuts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Cuts by role and moment; seconds until what a cut broke stood again (how many, median, longest); the probes."""
    looked = [each for each in cuts if "probes" in each]
    found: dict[str, Any] = {
        "cuts": len(cuts),
        "helped": sum(each.get("helped", 0) for each in cuts),
        "roles": dict(Counter(each["role"] for each in cuts)),
        "moments": dict(Counter(each["moment"] for each in cuts)),
    }
    for what in ("gangs s", "service s", "controllers s", "back s"):
        took = [each[what] for each in cuts if each.get(what, 0.0) > NOTICED_SECONDS]
        found[what] = {"of": len(took), "median": round(median(took or [0.0]), 1), "longest": max(took, default=0.0)}
    found |= {what: round(sum(each[what] for each in looked), 1) for what in ADDED}
    return found | {
        "least alive": min((each["least alive"] for each in looked), default=0),
        "slowest s": max((each["slowest s"] for each in looked), default=0.0),
    }
