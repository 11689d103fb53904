"""Names of services behind the inference gateway are their teams' alone, as the API server enforces it.

The gateway has one listener for all teams, and Istio merges the routes of a name, whoever made them: a route of another
team with a more exact path would get the service's requests, prompts among them, under the gateway's certificate. Who
may edit a namespace may make HTTPRoutes (openshift/cluster-ingress-operator, manifests, aggregate-to-edit).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from podwright.components.design.platform.denying import denying
from podwright.components.design.platform.names import Manifest
from podwright.components.model.gateway import NAME, NAMESPACE

HOSTS: Final = "podwright-gateway-hosts"
_GROUP: Final = "gateway.networking.k8s.io"
_ATTACHED: Final = " && ".join(
    (
        f"each.name == '{NAME}'",
        f"each.?namespace.orValue(request.namespace) == '{NAMESPACE}'",
        "each.?kind.orValue('Gateway') == 'Gateway'",
        f"each.?group.orValue('{_GROUP}') == '{_GROUP}'",
    )
)


def policy(hosts: Mapping[str, Sequence[str]]) -> tuple[Manifest, Manifest]:
    """The policy and its binding; `hosts` are names of services behind the gateway by team.

    It is asked about every route of the gateway, those of the stack too. One that exists and keeps its spec is nobody's
    matter: the controller writes beside it while a name changes.
    """
    known = {team: list(names) for team, names in hosts.items()}
    return denying(
        HOSTS,
        {
            "apiGroups": [_GROUP],
            "apiVersions": ["v1"],
            "operations": ["CREATE", "UPDATE"],
            "resources": ["httproutes"],
        },
        [
            {"name": "changes-it", "expression": "request.operation == 'CREATE' || object.spec != oldObject.spec"},
            {"name": "of-the-gateway", "expression": f"object.spec.?parentRefs.orValue([]).exists(each, {_ATTACHED})"},
        ],
        [_named()],
        variables={
            "hosts": json.dumps(known),
            "own": "request.namespace in variables.hosts ? variables.hosts[request.namespace] : []",
            "names": "object.spec.?hostnames.orValue([])",
            "others": "variables.names.filter(each, !(each in variables.own))",
        },
    )


def _named() -> dict[str, str]:
    """A route without a name takes requests for every name."""
    message = (
        f"'this route of gateway {NAMESPACE}/{NAME} names ' + (variables.names.size() == 0 ? 'no host, which is every "
        "one' : variables.others.join(', ')) + ': services of namespace ' + request.namespace + ' have ' + "
        "(variables.own.size() == 0 ? 'no name there' : variables.own.join(', ')) + '. Write hostnames of these, or "
        "give a service of the stack file the name: workloads.inference.<name>.gateway.host'"
    )
    return {
        "expression": "variables.names.size() > 0 && variables.others.size() == 0",
        "messageExpression": message,
        "reason": "Forbidden",
    }
