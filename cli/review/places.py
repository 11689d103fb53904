"""Which entry of a stack file a resource of a preview comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from podwright.components import model
from podwright.components.model.coherence.references import switches
from podwright.components.model.problems import Loc

_COMPONENT: Final = "podwright:index:"
_SECTION: Final[Mapping[str, Loc]] = {
    "AiCluster": ("name",),
    "World": ("name",),
    "Fabric": ("fabric",),
    "ServerRole": ("intersight",),
    "InterconnectDomain": ("domains",),
    "ServerProfile": ("servers",),
    "RedfishServer": ("servers",),
    "OpenShiftCluster": ("openshift",),
    "NodePool": ("pools",),
    "Team": ("openshift", "teams"),
    "Storage": ("storage",),
    "FabricAcceptance": ("acceptance",),
    "TrainingJob": ("workloads", "training"),
    "InferenceService": ("workloads", "inference"),
}
"""Section that a component is made from, by the component's type; one that is not listed is an operator's."""
_SHARED: Final = ("ServerRole", "Storage")
"""Components that are made from a whole section."""
_OPERATORS: Final[Loc] = ("operators",)
_OF_TEAMS: Final = "-sriovnetwork-"
"""Before the namespace in the name of a network that an operator makes: a team's networks are its entry's."""


def origin(cluster: model.Cluster, urn: str) -> Loc:
    """Path of the entry that a resource comes from; of its section where no entry is behind it alone."""
    types, _, name = urn.split("::", 2)[-1].partition("::")
    components = [each.removeprefix(_COMPONENT) for each in types.split("$") if each.startswith(_COMPONENT)]
    inside = [each for each in components if each not in ("Join", "World")] or ["AiCluster"]
    section = _SECTION.get(inside[-1], _OPERATORS)
    label = name.removeprefix(f"{cluster.name}-")
    if inside[-1] == "SriovOperator" and _OF_TEAMS in label:
        teams = _entries(cluster, "Team", _SECTION["Team"])
        return _longest(teams, label.partition(_OF_TEAMS)[2], shared=False) or section
    return _longest(_entries(cluster, inside[-1], section), label, inside[-1] in _SHARED) or section


def _longest(entries: Iterable[Loc], label: str, shared: bool) -> Loc | None:
    """The entry of the longest name that the label begins with, in whole words: `leaf-1` does not begin `leaf-10`.

    A component of a section (`shared`) has the entry's name behind the kind of what it makes, not in front.
    """
    found = [each for each in entries if f"-{label}-".find(f"-{each[-1]}-") in (range(len(label)) if shared else (0,))]
    return max(found, key=lambda each: len(str(each[-1])), default=None)


def _entries(cluster: model.Cluster, component: str, section: Loc) -> Iterator[Loc]:
    """Entries that a resource of this component may come from."""
    if component == "Fabric":
        yield from switches(cluster.network)
    elif component == "ServerRole":
        yield from (("compute", "roles", name) for name in cluster.compute.roles)
        yield from (("domains", name) for name in cluster.domains)
        yield from (("servers", name) for name in cluster.servers)
    elif component == "Storage":
        yield from (("storage", "classes", name) for name in cluster.storage.classes)
        yield from (("storage", "volumes", name) for name in cluster.storage.volumes)
    else:
        yield from ((*section, name) for name in _named(cluster, section))


def _named(cluster: model.Cluster, section: Loc) -> Iterable[str]:
    work = cluster.workloads
    named: dict[Loc, Mapping[str, object]] = {
        ("domains",): cluster.domains,
        ("servers",): cluster.servers,
        ("pools",): cluster.pools,
        ("openshift", "teams"): cluster.teams,
        ("workloads", "training"): work.training,
        ("workloads", "inference"): work.inference,
    }
    return named.get(section, {})
