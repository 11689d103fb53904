"""Keys of clients at the inference gateway: somebody asks for them, each service has somebody, a release that works."""

import re
from collections.abc import Iterator
from typing import Final

from podwright.components.model.catalogue.packages import KEYS
from podwright.components.model.cluster import Cluster
from podwright.components.model.gateway import KEYS_NAMESPACE, InferenceGateway
from podwright.components.model.operators import Operators
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.workloads import Inference

_LOC: Loc = ("openshift", "inference_gateway", "keys")
FIRST: Final = (1, 3)
"""Connectivity Link whose limits of tokens Red Hat's own Models-as-a-Service takes (its README)."""
OPEN: Final = (1, 4, 0)
"""Lets everybody in without a key, and says nothing (opendatahub-io/models-as-a-service, page of
prerequisites: "silent auth bypass")."""


def client_problems(section: Inference, gateway: InferenceGateway) -> Iterator[Problem]:
    """Clients that nobody asks for a key, and a service that no key opens; by paths in the service."""
    if section.gateway is None:
        return
    if gateway.keys is None and section.gateway.clients is not None:
        message = "the gateway asks nobody for a key: everybody would get in, within no limit"
        hint = "add `openshift.inference_gateway.keys: {}`, or take the clients away"
        yield Problem(("gateway", "clients"), message, hint, at_key=True)
    if gateway.keys is not None and section.gateway.clients is None:
        message = "nobody may call it: the gateway asks for keys, and the service names no client"
        yield Problem(("gateway",), message, "add `clients: {portal: {}}`, by the name of each client", at_key=True)


def pin_problems(operators: Operators) -> list[Problem]:
    """A release that lets everybody in, or does not count tokens; one without a number is OLM's."""
    pin = operators.pins.get(KEYS.package)
    found = re.search(r"\.v(\d+)\.(\d+)\.(\d+)", pin.csv) if pin is not None else None
    if pin is None or found is None:
        return []
    version, loc = tuple(int(each) for each in found.groups()), ("pins", KEYS.package, "csv")
    if version == OPEN:
        message = f"{pin.csv} lets requests in without a key, and says nothing"
        return [Problem(loc, message, f"pin {KEYS.csv}, or another one of 1.4.1 and later")]
    if version < FIRST:
        message = f"{pin.csv} is not known to count tokens: Red Hat's own services of models take 1.3 and later"
        return [Problem(loc, message, f"pin {KEYS.csv}")]
    return []


def _keys(cluster: Cluster) -> Iterator[Problem]:
    gateway = cluster.openshift.inference_gateway if cluster.openshift else None
    if gateway is None or gateway.keys is None:
        return
    if cluster.operators is None:
        message = "nothing would ask for keys: Connectivity Link is an operator, and the file has no `operators`"
        yield Problem(_LOC, message, "define `operators`", at_key=True)
    else:
        yield from (each.moved(lambda loc: ("operators", *loc)) for each in pin_problems(cluster.operators))
    if KEYS_NAMESPACE in cluster.teams:
        message = f"{KEYS_NAMESPACE} has everybody's keys: it is the namespace of Connectivity Link"
        yield Problem(("openshift", "teams", KEYS_NAMESPACE), message, "give the team another name", at_key=True)


CLUSTER = (_keys,)
