"""The teams' part of the API server: one priority level for all of them, in which each team is one flow.

Kubernetes' own schema puts every service account into `workload-low`, operators' too, each account a flow of its own:
a team with many accounts has many (https://kubernetes.io/docs/concepts/cluster-administration/flow-control/).
"""

from collections.abc import Iterable

from podwright.components.design.platform.names import Manifest

API = "flowcontrol.apiserver.k8s.io/v1"
LEVEL = "podwright-teams"
PRECEDENCE = 8000
"""Before 9000 of Kubernetes' schema `service-accounts`; behind all that are for one component."""


def plan(shares: int | None, teams: Iterable[str]) -> tuple[Manifest, ...]:
    """The level, and a schema for each team. Empty where teams have no part of their own."""
    return () if shares is None else (_level(shares), *map(_schema, teams))


def name(team: str) -> str:
    """Of a team's schema."""
    return f"podwright-team-{team}"


def _level(shares: int) -> Manifest:
    """Queues and what it lends while it is idle are those of `workload-low`: a flow has 6 queues of 50 requests."""
    return {
        "apiVersion": API,
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": LEVEL},
        "spec": {
            "type": "Limited",
            "limited": {
                "nominalConcurrencyShares": shares,
                "lendablePercent": 90,
                "limitResponse": {
                    "type": "Queue",
                    "queuing": {"queues": 128, "handSize": 6, "queueLengthLimit": 50},
                },
            },
        },
    }


def _schema(team: str) -> Manifest:
    """No distinguisher: all accounts of the team are one flow."""
    return {
        "apiVersion": API,
        "kind": "FlowSchema",
        "metadata": {"name": name(team)},
        "spec": {
            "priorityLevelConfiguration": {"name": LEVEL},
            "matchingPrecedence": PRECEDENCE,
            "rules": [
                {
                    "subjects": [{"kind": "ServiceAccount", "serviceAccount": {"namespace": team, "name": "*"}}],
                    "resourceRules": [
                        {
                            "verbs": ["*"],
                            "apiGroups": ["*"],
                            "resources": ["*"],
                            "clusterScope": True,
                            "namespaces": ["*"],
                        }
                    ],
                    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                }
            ],
        },
    }
