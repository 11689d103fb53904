"""What is defined about the inference gateway: a request goes to the replica that will answer it soonest.

The gateway is OpenShift's own (Gateway API by the Ingress Operator, which fetches Service Mesh for it); an
endpoint picker of each service chooses the replica (kubernetes-sigs/gateway-api-inference-extension v1.5.0).
"""

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.routes import RouteHost
from podwright.components.model.types import Derived, Image, Name, Spec, Words

NAMESPACE: Final = "openshift-ingress"
"""Where the Ingress Operator looks after Gateways, and where its routers are."""
NAME: Final = "inference"
"""Of the Gateway."""
PICKER: Final = "-picker"
"""Ends the names of a service's picker and its objects."""
ROUTER_CERTIFICATE: Final = "router-certs-default"
"""Secret in which the Ingress Operator keeps the certificate of its router (openshift/cluster-ingress-operator,
pkg/operator/controller/names.go)."""

KEYS_NAMESPACE: Final = "kuadrant-system"
"""Where Red Hat Connectivity Link is, and where Authorino looks for keys."""

SecretObject = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$", max_length=253),
    Words("the name of a Secret, such as models-tls"),
]
"""Name of a Secret on the cluster."""


class ClientKeys(Spec):
    """Every request brings the key of a client: Red Hat Connectivity Link, whose Authorino knows the keys and whose
    Limitador counts what each client used. A name of the gateway that no service has is refused to everybody.

    Keys are Secrets in `kuadrant-system`, which the site puts there; none is ever in a stack file or its state.
    """

    counters_away: Literal["refuse", "serve"] = "refuse"
    """What becomes of a request of a client with limits while nothing counts: Limitador is one pod, and its counters
    are in its memory. refuse: 500 for these seconds. serve: it is answered, beyond any limit. Keys are asked for in
    both: without Authorino nobody gets in."""


class InferenceGateway(Spec):
    """One gateway for services with `gateway`: a GatewayClass and a Gateway in the namespace of OpenShift's routers.

    The Ingress Operator installs Service Mesh for it, whose own pods tolerate no taint: a pool of purpose cpu has room
    for them. Requests come through OpenShift's routers, which pass TLS on: no address and no load balancer is added.
    """

    picker_image: Image
    """Image of the endpoint picker of Gateway API Inference Extension 1.5, by digest: one runs for each service."""
    certificate: SecretObject = ROUTER_CERTIFICATE
    """Secret of type kubernetes.io/tls in `openshift-ingress`, which the site puts there: TLS ends at the gateway with
    it. The default is the routers' own, which the Ingress Operator made for `*.apps.<name>.<openshift.domain>`; where
    the routers were given another one (`defaultCertificate`), write its name."""
    keys: ClientKeys | None = None
    """Services are for clients with a key alone, each within its limits: {}. Null: whoever reaches the routers asks as
    much as they like."""


Per = Literal["minute", "hour", "day"]


class Limit(Spec):
    """So much in a time, which begins with a client's first request and begins anew with the first one after it."""

    limit: Annotated[int, Field(ge=1, le=2**31 - 1)]
    """Requests, or tokens: a prompt's and its answer's together, as the model server reports them."""
    per: Per
    """minute, hour or day."""


class Client(Spec):
    """Who may call a service, by every Secret in `kuadrant-system` with the labels `podwright.io/client: <name>` and
    `authorino.kuadrant.io/managed-by: authorino` and a key `api_key`: two of them at a time change a key without a
    gap."""

    requests: Limit | None = None
    """Requests at most; the next ones are answered with 429. Null: not limited."""
    tokens: Limit | None = None
    """Tokens at most. An answer is counted when it has ended: the one that goes beyond is answered, those after it with
    429. Null: not limited."""


Clients = Annotated[dict[Name, Client], Field(min_length=1)]
"""By the name that a client's Secrets have as label; every client has its own counters at every service."""


class GatewayRoute(Spec):
    """A name outside the cluster, by the inference gateway: each request goes to the replica where the fewest wait,
    whose KV cache has most room, and which has the beginning of its prompt in its cache already."""

    host: Annotated[
        RouteHost,
        Derived("`<service>-<team>.apps.<name>.<openshift.domain>`, with 63 characters before the first dot at most"),
    ]
    """Name that users reach it by. With the routers' certificate it has one label before the apps domain."""
    timeout_seconds: Annotated[int, Field(ge=1, le=86400)] = 600
    """Longest silence of a connection: until the first token, between two, or until the whole of an answer that does
    not stream. How long a whole answer takes is limited by nothing: a limit would cut streams off (600: what OpenAI's
    client waits by itself)."""
    clients: Clients | None = None
    """Who may call it, needed where `openshift.inference_gateway.keys` is set: {portal: {tokens: {limit: 2000000, per:
    day}}}. Everybody else is answered with 401."""

    @property
    def counts_tokens(self) -> bool:
        """Whether some client's tokens are counted: every answer says how many it took, streams too."""
        return any(each.tokens is not None for each in (self.clients or {}).values())
