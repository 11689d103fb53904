"""Who may do what: security context constraints and their chain to the pod, namespaces, tokens, quotas, networks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.leaves.reading import Pods, at, entries, labels, matched, pods, space, title
from tests.platforms.planned import Object, of_kind

RESTRICTED: Final[dict[str, Any]] = {
    "volumes": [
        "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected",
        "secret",
    ],
    "requiredDropCapabilities": ["ALL"], "allowPrivilegeEscalation": False, "seccompProfiles": ["runtime/default"],
    "runAsUser": {"type": "MustRunAsRange"}, "seLinuxContext": {"type": "MustRunAs"}, "fsGroup": {"type": "MustRunAs"},
    "supplementalGroups": {"type": "RunAsAny"},
}  # fmt: skip
"""OpenShift's restricted-v2, as every cluster has it.
https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/authentication_and_authorization/managing-pod-security-policies
"""


def constrained(found: list[Object]) -> Iterator[str]:
    """The constraints are restricted-v2 and IPC_LOCK; the role gives these alone, and the binding to the account."""
    for each in of_kind(found, "SecurityContextConstraints"):
        for key, wanted in RESTRICTED.items():
            have = each.get(key)
            missing = set(wanted) - set(have or []) if isinstance(wanted, list) else have != wanted
            if missing:
                yield f"{title(each)}: {key} is {have}, unlike restricted-v2"
        if set(entries(each, "allowedCapabilities")) != {"IPC_LOCK", "NET_BIND_SERVICE"}:
            yield f"{title(each)} lets no pod lock memory, or bind a low port as restricted-v2 does"
    for role in of_kind(found, "Role"):
        rules = [each for each in entries(role, "rules") if "securitycontextconstraints" in entries(each, "resources")]
        if any(not entries(each, "resourceNames") for each in rules):
            yield f"{title(role)} gives every constraints of the cluster, privileged among them"
    for run in pods(found):
        added = {name for box in run.containers() for name in entries(box, "securityContext", "capabilities", "add")}
        if added and not _may(run, found):
            yield f"{run.name}: no binding of its account leads to constraints with {sorted(added)}"


def _may(wanted: Pods, found: list[Object]) -> bool:
    names = {at(each, "metadata", "name") for each in of_kind(found, "SecurityContextConstraints")}
    roles = {
        at(each, "metadata", "name")
        for each in of_kind(found, "Role")
        if space(each) == wanted.space
        and any(
            names & set(entries(rule, "resourceNames")) and "use" in entries(rule, "verbs") for rule in each["rules"]
        )
    }
    return any(
        at(each, "roleRef", "name") in roles
        and any(at(who, "name") == wanted.spec.get("serviceAccountName") for who in entries(each, "subjects"))
        for each in of_kind(found, "RoleBinding")
        if space(each) == wanted.space
    )


def admitted(found: list[Object]) -> Iterator[str]:
    """Pods with a capability beyond the baseline need a privileged namespace, whose labels OpenShift leaves alone.

    https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/authentication_and_authorization/understanding-and-managing-pod-security-admission
    """
    needing = {space(each) for each in of_kind(found, "OperatorGroup")} | {
        each.space
        for each in pods(found)
        for box in each.containers()
        if at(box, "securityContext", "capabilities", "add")
    }
    for each in of_kind(found, "Namespace"):
        enforced = labels(each).get("pod-security.kubernetes.io/enforce")
        if enforced != "privileged" and each["metadata"]["name"] in needing:
            yield f"{title(each)} admits no pod with IPC_LOCK or host paths"
        if not enforced:
            yield f"{title(each)} admits whatever the cluster's default admits"
        if labels(each).get("security.openshift.io/scc.podSecurityLabelSync") != "false":
            yield f"{title(each)}: OpenShift writes its pod security labels anew"
    bound = {
        (space(each), at(each, "subjects", 0, "name")) for each in of_kind(found, "RoleBinding")
        if at(each, "roleRef", "kind") == "ClusterRole"
    }  # fmt: skip
    teams = {space(each) for each in of_kind(found, "ResourceQuota")}
    for team in sorted(teams - {place for place, who in bound if who}):
        yield f"nobody may work in {team}"


def restricted(found: list[Object]) -> Iterator[str]:
    """Teams' pods keep to the restricted profile but for IPC_LOCK, and have no token of the API.

    https://kubernetes.io/docs/concepts/security/pod-security-standards/
    """
    tokens = {
        (space(each), at(each, "metadata", "name")): each.get("automountServiceAccountToken", True)
        for each in of_kind(found, "ServiceAccount")
    }
    for run in pods(found):
        if at(run.spec, "securityContext", "runAsNonRoot") is not True:
            yield f"{run.name} may run as root"
        if at(run.spec, "securityContext", "seccompProfile", "type") != "RuntimeDefault":
            yield f"{run.name} has no seccomp profile"
        for box in run.containers():
            if at(box, "securityContext", "allowPrivilegeEscalation") is not False:
                yield f"{run.name} may gain privileges"
            if "ALL" not in entries(box, "securityContext", "capabilities", "drop"):
                yield f"{run.name} keeps capabilities"
        if (run.space, run.spec.get("serviceAccountName")) not in tokens:
            yield f"{run.name} has no account of the plan"
    for (place, name), mounted in tokens.items():
        if mounted:
            yield f"pods of account {name} in {place} have a token of the API"


def limited(found: list[Object]) -> Iterator[str]:
    """A team's quota counts whole GPUs and whatever its pods ask for."""
    quotas = {space(each): at(each, "spec", "hard") or {} for each in of_kind(found, "ResourceQuota")}
    for place, hard in quotas.items():
        asked = {name for each in pods(found) if each.space == place for name in each.devices()}
        for name in {"nvidia.com/gpu", *(each for each in asked if each.startswith("nvidia.com/"))}:
            if f"requests.{name}" not in hard:
                yield f"the quota of {place} does not count {name}"
    for run in pods(found):
        if run.space not in quotas:
            yield f"{run.name} is in {run.space}, which has no quota"


def reached(found: list[Object]) -> Iterator[str]:
    """What pods of a team must reach and what they must not, worked out of the policies together.

    https://kubernetes.io/docs/concepts/services-networking/network-policies/
    """
    for place in sorted({space(each) for each in of_kind(found, "ResourceQuota")}):
        policies = [each for each in of_kind(found, "NetworkPolicy") if space(each) == place]
        flows = (
            ("Ingress", place, "TCP", 29500, True), ("Egress", place, "TCP", 29500, True),
            ("Egress", "openshift-dns", "UDP", 5353, True), ("Egress", "openshift-dns", "TCP", 5353, True),
            ("Egress", "", "TCP", 443, True), ("Ingress", "openshift-monitoring", "TCP", 8000, True),
            ("Ingress", "another-team", "TCP", 8000, False), ("Egress", "another-team", "TCP", 8000, False),
            ("Egress", "openshift-dns", "TCP", 22, False), ("Egress", "openshift-dns", "UDP", 22, False),
            ("Egress", "another-team", "TCP", 5353, False), ("Egress", "", "UDP", 443, False),
        )  # fmt: skip
        if not any(
            {"Ingress", "Egress"} == set(_types(each)) and not {"ingress", "egress"} & set(each["spec"])
            for each in policies
        ):
            yield f"{place}: what is shut is open again without one of the policies that open something"
        for direction, peer, protocol, port, wanted in flows:
            if _open(policies, place, direction, peer, protocol, port) != wanted:
                yield f"{place}: {direction} {peer or 'elsewhere'} {protocol} {port} is {'shut' if wanted else 'open'}"


def _open(policies: list[Object], place: str, direction: str, peer: str, protocol: str, port: int) -> bool:
    types = [each for each in policies if direction in _types(each)]
    side = direction.lower()
    return not types or any(
        _rule(rule, "from" if side == "ingress" else "to", place, peer, protocol, port)
        for each in types
        for rule in entries(each, "spec", side)
    )


def _types(policy: Object) -> list[str]:
    spec = policy["spec"]
    return spec.get("policyTypes") or ["Ingress", *(["Egress"] if "egress" in spec else [])]


def _rule(rule: dict[str, Any], key: str, place: str, peer: str, protocol: str, port: int) -> bool:
    ports = entries(rule, "ports")
    fits = not ports or any(
        each.get("protocol", "TCP") == protocol and each.get("port", port) == port for each in ports
    )
    return fits and (not entries(rule, key) or any(_peer(each, place, peer) for each in rule[key]))


def _peer(given: dict[str, Any], place: str, peer: str) -> bool:
    if "namespaceSelector" in given:
        return bool(peer) and matched(given["namespaceSelector"], {"kubernetes.io/metadata.name": peer})
    return peer == place
