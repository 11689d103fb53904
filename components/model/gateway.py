"""What is defined about the inference gateway: a request goes to the replica that will answer it soonest.

The gateway is OpenShift's own (Gateway API by the Ingress Operator, which fetches Service Mesh for it); an
endpoint picker of each service chooses the replica (kubernetes-sigs/gateway-api-inference-extension v1.5.0).
"""

from typing import Annotated, Final

from pydantic import Field, StringConstraints

from podwright.components.model.routes import RouteHost
from podwright.components.model.types import Derived, Image, Spec, Words

NAMESPACE: Final = "openshift-ingress"
"""Where the Ingress Operator looks after Gateways, and where its routers are."""
NAME: Final = "inference"
"""Of the Gateway."""
PICKER: Final = "-picker"
"""Ends the names of a service's picker and its objects."""
ROUTER_CERTIFICATE: Final = "router-certs-default"
"""Secret in which the Ingress Operator keeps the certificate of its router (openshift/cluster-ingress-operator,
pkg/operator/controller/names.go)."""

SecretObject = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$", max_length=253),
    Words("the name of a Secret, such as models-tls"),
]
"""Name of a Secret on the cluster."""


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
