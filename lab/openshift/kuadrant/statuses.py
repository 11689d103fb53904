"""What Kuadrant's operator says of policies, and which of them are in force at a route.

After Kuadrant/kuadrant-operator v1.5.2, internal/controller/*_status_updater.go and internal/kuadrant/errors.go:
reasons and messages; of a Gateway's defaults a route's own policy takes the place, whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import condition, merge_conditions

ISTIO = "istio.io/gateway-controller"
NAMES = "ISTIO_GATEWAY_CONTROLLER_NAMES"
_WAITING = "waiting for the following components to sync: "
Key = tuple[str, str]


@dataclass(frozen=True)
class Known:
    """What the operator knows when it looks."""

    gateways: Mapping[Key, str]
    """Controllers' names by Gateway."""
    routes: Sequence[Object]
    there: bool = True
    """A Kuadrant is, beside a gateway that it can configure. Policies stay in force at a gateway whatever becomes
    of Authorino's pods and Limitador's (effective_auth_policies_reconciler.go and its like ask for nothing else)."""
    away: frozenset[str] = frozenset()
    """Of Authorino and Limitador those that are not ready."""
    env: Mapping[str, str] = field(default_factory=dict)

    def taken(self, gateway: Key) -> bool:
        """Whether the operator takes a Gateway for one of Istio's, by the names that it was started with."""
        names = [each.strip() for each in self.env.get(NAMES, ISTIO).split(",")]
        return self.gateways.get(gateway, "") in names


def key_of(item: Object) -> Key:
    """Namespace and name."""
    return str(item["metadata"]["namespace"]), str(item["metadata"]["name"])


def parents(route: Object) -> Iterator[Key]:
    """Gateways that have accepted a route."""
    for row in (route.get("status") or {}).get("parents") or []:
        if all(each["status"] == "True" for each in row["conditions"]):
            yield str(row["parentRef"].get("namespace") or key_of(route)[0]), str(row["parentRef"]["name"])


def target(policy: Object) -> tuple[str, Key]:
    """Kind and place of what a policy is for: of its own namespace."""
    ref = policy["spec"]["targetRef"]
    return str(ref["kind"]), (key_of(policy)[0], str(ref["name"]))


def in_force(policies: Sequence[Object], route: Object, known: Known) -> tuple[Any, Mapping[str, Any]] | None:
    """Of one kind, the place and the rules of the policy that is in force at a route: its oldest, else that of its
    Gateway; None where there is none, or nothing carries it out."""
    gateways = [each for each in parents(route) if known.taken(each)]
    if not gateways or not known.there:
        return None
    for kind, keys in (("HTTPRoute", [key_of(route)]), ("Gateway", gateways)):
        found = [each for each in policies if target(each)[0] == kind and target(each)[1] in keys]
        if found:
            first = min(found, key=lambda each: (each["metadata"]["creationTimestamp"], key_of(each)))
            return key_of(first), first["spec"].get("defaults") or first["spec"]
    return None


def conditions(policy: Object, policies: Sequence[Object], known: Known) -> list[dict[str, Any]]:
    """Of a policy among those of its kind."""
    kind, (what, place) = str(policy["kind"]), target(policy)
    routes = [each for each in known.routes if place in ([key_of(each)] if what == "HTTPRoute" else [*parents(each)])]
    there = routes if what == "HTTPRoute" else place in known.gateways
    if not there:
        return _rows(
            policy, [condition("Accepted", False, "TargetNotFound", f"{kind} target {place[1]} was not found")]
        )
    rows = [condition("Accepted", True, "Accepted", f"{kind} has been accepted")]
    reason, message = _unenforced(policy, policies, routes, known)
    done = condition("Enforced", True, "Enforced", f"{kind} has been successfully enforced")
    return _rows(policy, [*rows, condition("Enforced", False, reason, f"{kind} {message}") if reason else done])


def _unenforced(policy: Object, policies: Sequence[Object], routes: Sequence[Object], known: Known) -> tuple[str, str]:
    if not known.there:
        return "MissingResource", "kuadrant is not installed, please create resource"
    reached = [each for each in routes if [*parents(each)]]
    if not reached:
        return "Unknown", "is not in the path to any existing routes"
    strange = sorted({"/".join(key) for each in reached for key in parents(each) if not known.taken(key)})
    if strange:
        return "Unknown", f"{_WAITING}[Gateway ({', '.join(strange)})]"
    chosen = {found[0] for each in reached if (found := in_force(policies, each, known))}
    if key_of(policy) not in chosen:
        others = ", ".join("/".join(each) for each in sorted(chosen))
        return "Overridden", f"is overridden by [{others}]"
    needed = "Authorino" if policy["kind"] == "AuthPolicy" else "Limitador"
    return ("Unknown", f"{_WAITING}[{needed}]") if needed in known.away else ("", "")


def _rows(policy: Object, fresh: list[dict[str, Any]]) -> list[dict[str, Any]]:
    old = (policy.get("status") or {}).get("conditions") or []
    kept = [each for each in old if each["type"] in {row["type"] for row in fresh}]
    generation = policy["metadata"].get("generation", 1)
    return merge_conditions(kept, [{**each, "observedGeneration": generation} for each in fresh])
