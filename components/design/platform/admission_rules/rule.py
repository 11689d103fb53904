"""A rule of the policy pack as the API server evaluates it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Kinds = Sequence[tuple[str, str, Sequence[str]]]
"""API group, version and plural names of resources."""


@dataclass(frozen=True, kw_only=True)
class LiveRule:
    """A rule about one object alone, over fields that the API server has."""

    id: str
    """Name of the same rule of the pack, whose cases both gates answer alike."""
    kinds: Kinds
    wrong: str
    """Expression of a list of names: what is wrong with the object; empty where nothing is."""
    message: str
    """What is wrong and what to write instead; `{}` stands for the names."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Expressions by name, each in terms of those before it."""
    changed: str = ""
    """Whether an update touches what the rule reads; empty: the containers and tolerations of its pods."""
    advises: bool = False
    """The pack advises and stops no preview: the API server warns and refuses nothing."""
