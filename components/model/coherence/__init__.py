"""What could never work although every field is well formed: checks across layers, all reported at once.

That something would work but is unwise is not said here: that is policy, and a policy can be waived.
"""

from collections.abc import Callable, Iterator

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence import (
    addresses,
    baseline,
    breakout,
    cables,
    compute,
    fabric,
    inventory,
    lossless,
    operators,
    pairs,
    platform,
    references,
    storage,
    survive,
    tenancy,
    workloads,
)
from podwright.components.model.coherence.sections import (
    domain_problems,
    fabric_problems,
    inference_problems,
    openshift_problems,
    operators_problems,
    pool_problems,
    server_problems,
    storage_problems,
    training_problems,
)
from podwright.components.model.problems import Problem

__all__ = [
    "CHECKS",
    "check",
    "domain_problems",
    "fabric_problems",
    "inference_problems",
    "openshift_problems",
    "operators_problems",
    "pool_problems",
    "server_problems",
    "storage_problems",
    "training_problems",
]

Check = Callable[[Cluster], Iterator[Problem]]

CHECKS: tuple[Check, ...] = (
    *references.CHECKS,
    *inventory.CHECKS,
    *fabric.CHECKS,
    *lossless.CHECKS,
    *tenancy.CHECKS,
    *baseline.CHECKS,
    *addresses.CHECKS,
    *pairs.CHECKS,
    *breakout.CHECKS,
    *cables.CHECKS,
    *compute.CHECKS,
    *platform.CHECKS,
    *operators.CHECKS,
    *storage.CHECKS,
    *survive.CHECKS,
    *workloads.CHECKS,
)
"""Every check. Each is total: it passes over what another one refuses."""


def check(cluster: Cluster) -> list[Problem]:
    """Every contradiction of a well-formed cluster; empty when it can be built."""
    return [problem for one in CHECKS for problem in one(cluster)]
