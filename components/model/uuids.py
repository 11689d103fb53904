"""What is defined about UUIDs that servers take from a pool."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Spec, Words


class Uuids(Spec):
    """UUIDs that Intersight gives to servers behind Fabric Interconnects, in place of those they were made with.

    A server that takes the place of another under the same profile has its UUID too. The pool has 256 of them, or as
    many times 256 as there are servers for.
    """

    prefix: (
        Annotated[
            str,
            Field(pattern=r"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}$"),
            Words("the first three parts of a UUID, such as 000025B5-0A1B-0001"),
        ]
        | None
    ) = None
    """First three of the five parts of each. Null: 000025B5 and two that follow from the cluster's name."""
    first: Annotated[
        str,
        Field(pattern=r"^[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"),
        Words("the last two parts of a UUID, such as 0000-000000000001"),
    ] = "0000-000000000001"
    """Last two parts of the first one."""
