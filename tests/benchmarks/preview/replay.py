"""A Pulumi program that registers again what another one registered, with an inert provider: what the engine and the
SDK cost. It reads REGISTRATIONS (JSON), which `floor.py` writes.
"""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pulumi

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # a signature, public by design
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def value(said: Any) -> Any:
    """An input as a program would give it: secrets and unknowns are outputs."""
    if said == UNKNOWN:
        unknown: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        unknown.set_result(None)
        no: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        no.set_result(False)
        return pulumi.Output(set(), unknown, no)
    if isinstance(said, dict):
        if said.get(SIGNATURE) == SECRET:
            return pulumi.Output.secret("replayed")
        return {key: value(inner) for key, inner in said.items()}
    if isinstance(said, list):
        return [value(inner) for inner in said]
    return said


class Inert(pulumi.ProviderResource):
    """The one provider."""

    def __init__(self) -> None:
        super().__init__("inert", "inert", {})


REGISTRATIONS = json.loads(Path(os.environ["REGISTRATIONS"]).read_text())


async def main() -> None:
    """Register everything, then wait for it as our own program does."""
    provider = Inert()
    made: dict[str, pulumi.Resource] = {}
    for each in REGISTRATIONS:
        options = pulumi.ResourceOptions(
            parent=made.get(each["parent"]),
            depends_on=[made[urn] for urn in each["dependencies"] if urn in made],
        )
        if each["custom"]:
            options.provider = provider
            token = f"inert:{each['type'].rpartition(':')[0].replace(':', '/')}:{each['type'].rpartition(':')[2]}"
            made[each["urn"]] = pulumi.CustomResource(token, each["name"], value(each["inputs"]), options)
        else:
            made[each["urn"]] = pulumi.ComponentResource(each["type"], each["name"], {}, options)
    await asyncio.gather(*(each.urn.future() for each in made.values()), return_exceptions=True)


pulumi.run(main)
