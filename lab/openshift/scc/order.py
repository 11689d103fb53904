"""In which order SCCs are tried: priority, then how much they allow in points, then their name.

https://github.com/openshift/apiserver-library-go/tree/main/pkg/securitycontextconstraints/util/sort
"""

from __future__ import annotations

from collections.abc import Iterable

from podwright.lab.openshift.api import Object

PRIVILEGED = 1_600_000
HOST_PORTS = 800_000
HOST_NETWORK = 400_000
HOST_VOLUME = 200_000
OTHER_VOLUME = 100_000
STRATEGY = {"RunAsAny": 40_000, "MustRunAsNonRoot": 30_000, "MustRunAsRange": 20_000, "MustRunAs": 10_000}
TRIVIAL = frozenset({"secret", "configMap", "emptyDir", "downwardAPI", "projected", "none"})


def points(scc: Object) -> int:
    """The more an SCC allows, the more points it has."""
    total = STRATEGY.get(scc["seLinuxContext"]["type"], 0) + STRATEGY.get(scc["runAsUser"]["type"], 0)
    total += PRIVILEGED if scc.get("allowPrivilegedContainer") else 0
    total += HOST_NETWORK if scc.get("allowHostNetwork") else 0
    total += HOST_PORTS if scc.get("allowHostPorts") else 0
    volumes = set(scc.get("volumes") or ())
    if volumes & {"hostPath", "*"}:
        total += HOST_VOLUME
    elif volumes - TRIVIAL:
        total += OTHER_VOLUME
    return total + _capabilities(scc)


def _capabilities(scc: Object) -> int:
    allowed, dropped = ([str(each).upper() for each in scc.get(key) or ()] for key in (
        "allowedCapabilities", "requiredDropCapabilities",
    ))  # fmt: skip
    total = 5000 + 300 * len(scc.get("defaultAddCapabilities") or ())
    total += 4000 if {"*", "ALL"} & set(allowed) else 10 * len(allowed)
    total -= 3000 if "ALL" in dropped else 50 * len(dropped)
    return max(0, min(9999, total))


def ordered(sccs: Iterable[Object]) -> list[Object]:
    """The order in which a pod is tried against them."""
    return sorted(sccs, key=lambda scc: (-(scc.get("priority") or 0), points(scc), scc["metadata"]["name"]))
