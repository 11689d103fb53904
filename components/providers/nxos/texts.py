"""The texts of a spec: as blocks, as a digest, in the shape of today, and whether two say the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

from podwright.components.providers.nxos.read.blocks import Block, parse_lines, text_of
from podwright.components.providers.nxos.read.ports import PortDefaults, spelled_out, stated
from podwright.components.providers.nxos.read.spelling import canonical, header, same, tidy
from podwright.components.providers.nxos.write.remediation import Config
from podwright.components.providers.protocol.kind import Values


def blocks_of(spec: Values) -> Config:
    """The spec's config as tidy blocks by canonical top-level line."""
    config: Mapping[str, str] = spec.get("config", {})
    return {header(name): tidy(header(name), parse_lines(text)) for name, text in config.items()}


_SCHEMA_1: Final = PortDefaults(layer2=True, up=True)
"""What a port was where a text of schema 1 did not say: that release wrote to no switches with other defaults."""


def digest_of(blocks: Config) -> str:
    """Sixteen hex digits that name a configuration, whatever its spelling and order in the spec.

    That a port is switched is left out: states of schema 1 hold digests of texts that did not say it.
    """
    settled: dict[str, Block] = {}
    for name, block in sorted(blocks.items()):
        lines = canonical(name, stated(name, block, _SCHEMA_1))
        settled[name] = tuple(line for line in lines if line.text != "switchport")
    return hashlib.sha256(text_of(settled).encode()).hexdigest()[:16]


def upgraded(inputs: Values, schema: int) -> Values:
    """A switch's inputs as an older release stored them, in the shape of `schema`, today's."""
    spec = inputs.get("spec")
    if not isinstance(spec, Mapping) or spec.get("schema") != 1 or not isinstance(spec.get("config"), Mapping):
        return inputs
    config = {name: spelled_out(name, text, _SCHEMA_1) for name, text in spec["config"].items()}
    return {**inputs, "spec": {**spec, "schema": schema, "config": config}}


def in_words_of(new: Values, old: Values) -> Values:
    """Old inputs with the blocks of the new ones where those mean the same."""
    before, after = ((each.get("spec") or {}).get("config") for each in (old, new))
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return old
    texts = {name: after[name] if name in after and _alike(name, text, after[name]) else text
             for name, text in before.items()}  # fmt: skip
    return {**old, "spec": {**old["spec"], "config": texts}}


def _alike(name: str, one: object, other: object) -> bool:
    if one == other or not isinstance(one, str) or not isinstance(other, str):
        return one == other
    first, second = (tidy(header(name), parse_lines(text)) for text in (one, other))
    return same(header(name), first, second)
