"""`podwright explain host-network`: VLANs that nodes which stand are brought, for `oc apply -f -`."""

import typer
import yaml

from podwright.components import model

USAGE = 2
"""Exit code: the file has no cluster, or no frontend pair whose networks its hosts could have."""


def show(cluster: model.Cluster) -> None:
    """The policies on standard output, what has none on standard error."""
    from podwright.components.design.compute.host_network import Pairs  # noqa: PLC0415 - the offline check
    from podwright.components.design.compute.standing_network import standing  # noqa: PLC0415 - need not load it

    pair = cluster.fabric.frontend
    if cluster.openshift is None or pair is None:
        missing = "openshift" if cluster.openshift is None else "fabric.frontend"
        typer.echo(f"the file has no `{missing}`: no host has a network from it", err=True)
        raise typer.Exit(USAGE)
    pairs = Pairs(pair, cluster.fabric.frontend_mtu, cluster.fabric.storage, cluster.fabric.storage_mtu)
    found = standing(cluster.servers, cluster.openshift, cluster.site, pairs)
    if found.policies:
        typer.echo(yaml.safe_dump_all(found.policies, sort_keys=False, width=1000), nl=False)
    for name, why in found.left_out.items():
        typer.echo(f"left out: {name}: {why}", err=True)
    if not found.policies:
        typer.echo("no server has an address beside the machine network on a bond", err=True)
