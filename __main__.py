"""Load the stack's file, build the cluster, export what it became."""

from pathlib import Path
from typing import Any

import pulumi

from podwright.components import cluster
from podwright.components.model.load import load, stack_file
from podwright.components.model.problems import SpecErrors


async def main() -> dict[str, Any]:
    """Everything wrong with the file at once, or the whole graph."""
    file = stack_file(Path.cwd(), pulumi.get_stack())
    try:
        said = load(file if file.exists() else pulumi.Config().require_object("cluster"))
    except SpecErrors as errors:
        raise pulumi.RunError(str(errors)) from None
    return await cluster.build(said, pulumi.Config().get_secret_object("secrets"))


pulumi.run(main)
