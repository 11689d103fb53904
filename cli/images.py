"""`podwright explain images`: the ImageSetConfiguration of a stack, for `oc mirror --v2`."""

import typer
import yaml

from podwright.components import model

USAGE = 2
"""Exit code: the file has no cluster that would pull images."""


def show(cluster: model.Cluster) -> None:
    """The document on standard output, what of the stack it does not pin on standard error."""
    from podwright.components.design import image_set  # noqa: PLC0415 - the offline check need not load it

    try:
        found = image_set.image_set(cluster)
    except ValueError as sentence:
        typer.echo(str(sentence), err=True)
        raise typer.Exit(USAGE) from None
    typer.echo(yaml.safe_dump(found.document, sort_keys=False, width=1000), nl=False)
    for each in found.unpinned:
        typer.echo(f"not pinned: {each}", err=True)
