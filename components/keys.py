"""What clients with keys need of the cluster: Red Hat Connectivity Link, which is Kuadrant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from podwright.components.contract import After, ArgsError, under
from podwright.components.design.operators import client_keys
from podwright.components.model import ClientKeys, OpenShift
from podwright.components.model.coherence.keys import pin_problems
from podwright.components.model.problems import Problem
from podwright.components.operators import InstalledOperator, Made, OperatorArgs


@dataclass(frozen=True)
class ConnectivityLinkArgs(OperatorArgs):
    """How requests at the inference gateway are asked for keys."""

    keys: ClientKeys | None = None
    """What is asked of every request, needed: `openshift.inference_gateway.keys`."""


class ConnectivityLink(InstalledOperator):
    """Red Hat Connectivity Link: keys of clients, their limits, and a gateway that lets nobody else in."""

    TOKEN = "podwright:index:ConnectivityLink"

    def __init__(self, name: str, args: ConnectivityLinkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        if args.keys is None:
            raise ArgsError("ConnectivityLink", name, [Problem(("keys",), "is missing", "hand it over")])
        if problems := under("section", pin_problems(args.section)):
            raise ArgsError("ConnectivityLink", name, problems)
        super().__init__(name, args, opts)
        self.install(args, client_keys(args.section, args.keys))


def asked_for_keys(openshift: OpenShift | None) -> Sequence[Made]:
    """What makes the operator of clients' keys; nothing where requests need none."""
    gateway = openshift.inference_gateway if openshift else None
    section = gateway.keys if gateway else None
    if section is None:
        return ()

    def made(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = ConnectivityLinkArgs(**common, after=after, keys=section)
        return ConnectivityLink(f"{args.cluster}-keys", args, opts)

    return (made,)
