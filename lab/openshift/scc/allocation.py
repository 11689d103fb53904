"""OpenShift's namespace-security-allocation controller: each namespace has a block of ids and a SELinux level.

openshift/cluster-policy-controller, pkg/security/controller/namespace_scc_allocation_controller.go and
pkg/security/mcs; ranges from its defaults (pkg/cmd/cluster-policy-controller/openshiftcontrolplane_config.go).
"""

from __future__ import annotations

from math import comb

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, Surroundings
from podwright.lab.openshift.kinds import NAMESPACES
from podwright.lab.openshift.scc.resolve import GROUPS, MCS, UID_RANGE, UnresolvedError, block

FIRST, SIZE, BLOCKS = 1_000_000_000, 10_000, 100_000
CATEGORIES = 1024
LEVELS_EACH = 5
"""SELinux levels that are passed over from one namespace to the next."""


class Allocation(Controller):
    """Gives every namespace without a block the first one that is free."""

    watches = (NAMESPACES,)

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._taken: set[int] = set()

    def reconcile(self) -> None:
        """One pass over the namespaces. Blocks of those that went stay taken: the real one frees them hours later."""
        self._taken |= {number for each in self.cache.list(NAMESPACES) if (number := _number(each)) is not None}
        self.each(NAMESPACES, self._allocate)

    def _allocate(self, namespace: Object) -> None:
        notes = namespace["metadata"].get("annotations") or {}
        if UID_RANGE in notes or "deletionTimestamp" in namespace["metadata"]:
            return
        number = next(each for each in range(BLOCKS) if each not in self._taken)
        self._taken.add(number)
        text = f"{FIRST + number * SIZE}/{SIZE}"
        self.note(NAMESPACES, namespace, **{UID_RANGE: text, GROUPS: text, MCS: notes.get(MCS, level(number))})


def _number(namespace: Object) -> int | None:
    text = (namespace["metadata"].get("annotations") or {}).get(UID_RANGE, "")
    try:
        start, _ = block(text)
    except UnresolvedError:
        return None
    return (start - FIRST) // SIZE


def level(number: int) -> str:
    """The SELinux level of a block: two categories, by their rank among all pairs."""
    rest, high = number * LEVELS_EACH, CATEGORIES
    while comb(high, 2) > rest:
        high -= 1
    return f"s0:c{high},c{rest - comb(high, 2)}"
