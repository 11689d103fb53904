"""Teams kept apart by policies that no team can take down: an AdminNetworkPolicy each.

Not the BaselineAdminNetworkPolicy: that is asked where no NetworkPolicy is for a pod, so a team's own `allow` would
come before it, and a cluster has one, `default`, which is then the site's to write. Not one policy for all teams: a
rule's peers cannot be told apart from its subject (kubernetes-sigs/network-policy-api v0.1.5, apis/v1alpha1, has no
selector of what is in the same or in another tenant). All of ours have one priority: each is for another namespace, so
no two decide about one end of a connection (ovn-org/ovn-kubernetes, docs/features/network-security-controls).

Namespaces are selected by the label that the API server gives every one by its name, which nobody can change. A peer is
pods of these namespaces and never a host: DNS, the API server, routers, monitoring, and rails, which are another
network, are left as NetworkPolicies have them.
"""

from collections.abc import Iterator, Mapping

from podwright.components.design.platform.names import NAMESPACE_NAME, Manifest
from podwright.components.model import Team, TeamIsolation

API = "policy.networking.k8s.io/v1alpha1"
IN_FORCE = 'jsonpath={.status.conditions[?(@.status=="True")].type}'
"""What `up` waits for: OVN-Kubernetes of some node has it in force; `podwright status` looks at all of them."""
IN_FORCE_SECONDS = 120


def name(team: str) -> str:
    """Of a team's policy."""
    return f"podwright-team-{team}"


def policies(isolation: TeamIsolation | None, teams: Mapping[str, Team]) -> tuple[Manifest, ...]:
    """A policy for each team that there is somebody to keep apart from. Empty where teams are not isolated."""
    return () if isolation is None else tuple(_policies(isolation, teams))


def _policies(isolation: TeamIsolation, teams: Mapping[str, Team]) -> Iterator[Manifest]:
    for team, section in teams.items():
        inward = sorted(each for each, other in teams.items() if each != team and team not in other.reaches)
        outward = sorted(each for each in teams if each != team and each not in section.reaches)
        ways = {
            **({"ingress": [_denied("from", inward)]} if inward else {}),
            **({"egress": [_denied("to", outward)]} if outward else {}),
        }
        if ways:
            yield {
                "apiVersion": API,
                "kind": "AdminNetworkPolicy",
                "metadata": {
                    "name": name(team),
                    "annotations": {
                        "pulumi.com/waitFor": IN_FORCE,
                        "pulumi.com/timeoutSeconds": str(IN_FORCE_SECONDS),
                    },
                },
                "spec": {
                    "priority": isolation.priority,
                    "subject": {"namespaces": {"matchLabels": {NAMESPACE_NAME: team}}},
                    **ways,
                },
            }


def _denied(side: str, others: list[str]) -> Manifest:
    """Both ends deny: a connection is refused although one of the two policies is gone."""
    expressions = [{"key": NAMESPACE_NAME, "operator": "In", "values": others}]
    return {"name": "other-teams", "action": "Deny", side: [{"namespaces": {"matchExpressions": expressions}}]}
