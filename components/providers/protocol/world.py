"""Which world a stack's devices belong to, compared with the one that the reach file leads to.

A stack's addresses say nothing of that: the same file comes up on a lab, on a second lab and on the site. The
provider configuration holds the world's id from the first `up` on; with the reach file of another world, nothing is
dialled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podwright.components.providers.protocol.kind import Failure
from podwright.components.providers.reach import VARIABLE, Reach, ReachError


def with_world(
    inputs: Mapping[str, Any], before: Mapping[str, Any], reach: Callable[[], Reach]
) -> tuple[dict[str, Any], Reach | None]:
    """The instance's inputs with a world id: the program's, else the state's, else that of the reach in force.

    A reach file that cannot be used gives none: a preview dials nobody, and operations say what is wrong with it.
    """
    try:
        in_force = reach()
    except ReachError:
        in_force = None
    if inputs.get("world") is not None:
        return dict(inputs), in_force
    world = before.get("world") or (in_force.world if in_force else None)
    return {**inputs, **({"world": world} if world else {})}, in_force


def world_failures(config: Mapping[str, Any], reach: Reach | None, urn: str) -> list[Failure]:
    """The one failure of an instance whose devices are in another world than the reach file's."""
    sentence = mismatch(config, reach, urn) if reach is not None else ""
    return [Failure(("world",), sentence)] if sentence else []


def mismatch(config: Mapping[str, Any], reach: Reach, urn: str = "") -> str:
    """Why nothing may be dialled through `reach`, with the two ways out; empty where the worlds are the same.

    The world of a state of earlier releases is not known; such an instance works as it did.
    """
    world = config.get("world")
    if not isinstance(world, str) or not world or world == reach.world:
        return ""
    stack = urn.split("::", maxsplit=1)[0].removeprefix("urn:pulumi:") or "STACK"
    found = f"the reach file {reach.file} in {VARIABLE} is that of" if reach.file else f"without a {VARIABLE} it is"
    return (
        f"the devices of stack {stack} are in the world {world}, and {found} {reach.world}; nothing was dialled. "
        f"Set {VARIABLE} to the reach file of {world}, or move the stack deliberately: `podwright reach {stack} --move`"
    )
