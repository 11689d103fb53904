"""Queues on the status screen: what each team's jobs hold, and what of it is borrowed or lent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.markup import escape

from podwright.components import model
from podwright.components.design.operators import places
from podwright.components.model import nominal, queued
from podwright.components.providers.status.queues import Share, inactive, shares, slices, waits
from podwright.components.providers.status.snapshot import Snapshot


@dataclass(frozen=True)
class Line:
    """One team's part of one pool."""

    team: str
    pool: str
    text: str
    wrong: bool = False


def lines(cluster: model.Cluster, snapshot: Snapshot) -> Iterator[Line]:
    """A line for each team and pool; none where no job waits in a queue, or nobody can say."""
    section = queued(cluster)
    if section is None or snapshot.unseen("ClusterQueue"):
        return
    flavors = {flavor: name for name in section.names for flavor in _flavors(cluster, name)}
    found = {(each.queue, flavors.get(each.flavor, each.flavor)): each for each in shares(snapshot)}
    for team, own in nominal(cluster).items():
        why = inactive(snapshot, team)
        waiting = waits(snapshot, team)
        for number, pool in enumerate(own):
            share = found.get((team, pool))
            if share is None or why:
                yield Line(team, pool, why or f"its ClusterQueue has no quota of pool {pool}", wrong=True)
                continue
            more = f"; {waiting} job{'s' * (waiting > 1)} of the team wait{'s' * (waiting == 1)}" if waiting else ""
            cut = slices(snapshot, team, share.flavor)
            yield Line(team, pool, ", ".join(_parts(share, cut)) + more * (number == 0))


def rows(cluster: model.Cluster, snapshot: Snapshot) -> Iterator[tuple[str, str, str]]:
    """The same as the screen prints it."""
    for each in lines(cluster, snapshot):
        yield (each.team, f"pool {each.pool}", f"[red]✗ {escape(each.text)}[/]" if each.wrong else escape(each.text))


def stopped(cluster: model.Cluster, snapshot: Snapshot) -> Iterator[str]:
    """A sentence for each queue that admits nothing."""
    for each in lines(cluster, snapshot):
        if each.wrong:
            yield f"queue of team {each.team} on pool {each.pool}: {each.text}"


def _flavors(cluster: model.Cluster, pool: str) -> list[str]:
    """Of each tenant's part of a pool."""
    own = {node: server for node, server in cluster.nodes.items() if server.pool == pool}
    section = cluster.pools[pool]
    return [each.flavor for each in places(pool, section, model.as_pooled(section, own), model.joined(cluster))]


def _parts(share: Share, cut: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """Whole GPUs, where it has any or nothing else, and slices."""
    if share.nominal or share.used or not cut:
        yield _text(share)
    for profile, (used, have) in cut.items():
        yield f"{used} of {have} slices {profile}"


def _text(share: Share) -> str:
    least, most = share.lent
    text = f"{share.used} of {share.nominal} GPUs"
    if share.borrowed:
        text += f", {share.borrowed} of them borrowed"
    if most:
        text += f", {least if least == most else f'{least} to {most}'} of its own lent"
    return text
