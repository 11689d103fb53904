"""What is defined about a service's Route: its name, how it is balanced, how long it waits, who may come.

After openshift/router, images/router/haproxy/conf/haproxy-config.template: an annotation whose value does not match its
pattern is left out without a word, so that each value here has a type that always matches.
"""

from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.types import Derived, Spec, Words

LABEL = 63
"""Most characters of one label of a name (RFC 1035)."""
RouteHost = Annotated[
    str,
    StringConstraints(
        pattern=r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", max_length=253
    ),
    Words("a DNS name in lower case whose labels have at most 63 characters, such as chat.apps.pod-a.example.com"),
]
"""Name of a Route: the router refuses one that is no DNS name (pkg/router/controller/unique_host.go)."""


def apps_domain(cluster: str, domain: str) -> str:
    """The domain below which the router's own certificate and the site's wildcard record have a service's name."""
    return f"apps.{cluster}.{domain}"


def usual_host(service: str, team: str, cluster: str, domain: str) -> str | None:
    """The name of a service that defines none; None where it would be no DNS name."""
    label = f"{service}-{team}"
    return f"{label}.{apps_domain(cluster, domain)}" if len(label) <= LABEL else None


class RouteLimits(Spec):
    """How much the router takes from one source address. What is beyond is closed without an answer.

    Clients behind one NAT address or proxy share these. Each request that the router passes on counts as a connection,
    also where several come over one that is kept (haproxy, `tcp-request content` in a backend).
    """

    connections: Annotated[int, Field(ge=1, le=65534)] | None = None
    """Connections at once."""
    connections_per_3s: Annotated[int, Field(ge=1, le=65534)] | None = None
    """Connections that begin within 3 seconds: the router's own period (`conn_rate(3s)` of its template)."""


class InferenceRoute(Spec):
    """A name outside the cluster, by OpenShift's router: TLS ends there, with the certificate that the router has."""

    host: Annotated[
        RouteHost,
        Derived("`<service>-<team>.apps.<name>.<openshift.domain>`, with 63 characters before the first dot at most"),
    ]
    """Name that users reach it by. With one label before the apps domain it has a certificate and a DNS record."""
    balance: Literal["leastconn", "random", "roundrobin", "source", "cookie"] = "leastconn"
    """How a replica is chosen. leastconn: the one with the fewest open connections, for answers that stream for long.
    random: the less busy of two. source: by the client's address. cookie: a client stays at the replica of its first
    request, whatever waits there."""
    timeout_seconds: Annotated[int, Field(ge=1, le=86400)] = 600
    """Longest silence of a replica: until its first token, between two, or until the whole of an answer that does not
    stream. The router's own 30 s cut off answers that take longer (600: what OpenAI's client waits by itself,
    openai/openai-python, src/openai/_constants.py)."""
    limits: RouteLimits = RouteLimits()
    """What one source address may take."""
    sources: Annotated[tuple[IPv4Network, ...], Field(max_length=256)] = ()
    """Networks that clients are in; connections from elsewhere are closed. Empty: from everywhere."""
    hsts_days: Annotated[int, Field(ge=1, le=730)] | None = None
    """Days for which browsers reach this name by HTTPS alone (Strict-Transport-Security). Plain HTTP is redirected
    anyway."""
