"""Every reason for which a pod waits is foretold: what `check` accepts is scheduled, what it refuses would not run.

Stack files by lot, of each one amount changed by lot; the judges are a real scheduler, real controllers and a real API
server with the plan's quotas. HOME on a node's disk is not among the amounts: `check` does not know how large that is.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from podwright.lab.openshift.api import Api
from tests.platforms import foretold
from tests.platforms.drawn import drawn
from tests.platforms.pushed import pushed

pytestmark = pytest.mark.rough
SEED = os.environ.get("PODWRIGHT_PENDING_SEED", "")
"""Any seed must pass; without one it is always the same few."""
COUNT = 15 if SEED else 5


def _files() -> Iterator[tuple[str, dict[str, Any]]]:
    """Files that were platforms before an amount was changed, each with what was changed."""
    for number in count():
        seed = f"{SEED}/pending/{number}"
        if foretold.problems(json.loads(json.dumps(drawn(seed)))):
            continue
        file, what = pushed(seed)
        if what:
            yield f"{seed} {what}", json.loads(json.dumps(file))


def test_what_check_accepts_runs_and_what_it_refuses_would_not_have(api: Api) -> None:
    wrong, seen = {}, Counter[bool]()
    for (name, file), _ in zip(_files(), range(COUNT), strict=False):
        problems = foretold.problems(file)
        fate = foretold.fate(api, file, accepted=not problems)
        seen[not problems] += 1
        if bool(problems) != bool(fate):
            wrong[name] = {"check says": problems, "then": fate}
        print(f"{name}: {'refused' if problems else 'accepted'}, {fate[0] if fate else 'runs'}", flush=True)
    assert wrong == {}
    assert min(seen[True], seen[False]) >= COUNT // 10, seen
