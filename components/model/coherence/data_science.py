"""Data scientists' tools: every name is defined, workbenches run where they stop no gang, and some size is everybody's.

Components that wait for what is not there would never be Ready; what this program does not install is no component of a
stack file.
"""

import re
from collections.abc import Iterator, Mapping

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.compute import refused_gpu
from podwright.components.model.coherence.platform import laid_out, members, parts
from podwright.components.model.coherence.references import reference
from podwright.components.model.compute import Server
from podwright.components.model.data_science import DataScience
from podwright.components.model.operators import Operators
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem, below
from podwright.components.model.teams import Team
from podwright.components.model.workbenches import Size, admits, sizes

_LOC: Loc = ("openshift", "data_science")
_PACKAGE = "rhods-operator"
_RELEASE = "3.4"
"""The release whose components are all written: an earlier one lacks some of them, a later one has others."""
_PURPOSES = ("inference", "cpu")


def _data_science(cluster: Cluster) -> Iterator[Problem]:
    section = cluster.openshift.data_science if cluster.openshift else None
    if cluster.openshift is None or section is None:
        return
    for key, known, what in (("teams", cluster.teams, "team"), ("pools", cluster.pools, "pool")):
        where = "openshift.teams" if key == "teams" else "pools"
        for index, name in enumerate(getattr(section, key)):
            yield from reference((*_LOC, key, index), name, known, what, where)
    if cluster.openshift.mirror is not None:
        message = "its images are named by no image set: workbenches, and Service Mesh, which OpenShift fetches for it"
        yield Problem(_LOC, message, "take data_science away: on a disconnected site it is not supported", at_key=True)
    if not any(pool.purpose == "cpu" and members(cluster.servers, name) for name, pool in cluster.pools.items()):
        message = "its controllers run on no node: they tolerate no taint, and every pool but those for cpu has one"
        yield Problem(_LOC, message, "add a pool of purpose cpu with a server or more", at_key=True)
    pools = {name: cluster.pools[name] for name in section.pools if name in cluster.pools}
    servers = {host: each for name in pools for host, each in members(cluster.servers, name).items()}
    for problem in _contradictions(section, pools, servers, cluster.teams, cluster.pools):
        yield problem.moved(lambda own: ("openshift", *own))
    if cluster.operators is not None:
        yield from below(("operators",), _pinned(cluster.operators))


def tools_problems(
    section: DataScience,
    pools: Mapping[str, Pool],
    servers: Mapping[str, Server],
    teams: Mapping[str, Team],
    operators: Operators,
) -> list[Problem]:
    """Contradictions of the tools by themselves; paths begin at `data_science`, those of pins at `section`."""
    found: list[Problem] = []
    for key, known, what in (("teams", teams, "team"), ("pools", pools, "pool")):
        for index, name in enumerate(getattr(section, key)):
            found += reference(("data_science", key, index), name, known, what, key)
    found += _contradictions(section, pools, servers, teams, pools)
    return [*found, *below(("section",), _pinned(operators))]


def _contradictions(
    section: DataScience,
    pools: Mapping[str, Pool],
    servers: Mapping[str, Server],
    teams: Mapping[str, Team],
    every: Mapping[str, Pool],
) -> Iterator[Problem]:
    yield from below(("data_science",), _twice(section))
    yield from below(("data_science",), _placed(section, pools, servers, every))
    if all(name in pools and not _unfit(pools[name], name, servers) for name in section.pools):
        yield from below(("data_science",), _sized(section, pools, servers, teams))


def _twice(section: DataScience) -> Iterator[Problem]:
    for key in ("components", "teams", "pools"):
        names: tuple[str, ...] = getattr(section, key)
        for index, name in enumerate(names):
            if name in names[:index]:
                yield Problem((key, index), f"{name} is written twice", "delete one of both")


def _placed(
    section: DataScience, pools: Mapping[str, Pool], servers: Mapping[str, Server], every: Mapping[str, Pool]
) -> Iterator[Problem]:
    """Workbenches have pools, and pools have workbenches."""
    if "workbenches" not in section.components:
        if section.pools:
            message = "nothing runs on pools by it: workbenches are not among its components"
            yield Problem(("pools",), message, "add workbenches to components, or take pools away", at_key=True)
        return
    if not section.pools:
        fit = [name for name, pool in every.items() if pool.purpose in _PURPOSES]
        instead = f"write pools: [{', '.join(fit)}]" if fit else "define a pool of purpose inference or cpu"
        yield Problem(("components",), "workbenches run on no pool", instead, at_key=True)
    for index, name in enumerate(section.pools):
        if name in pools and (why := _unfit(pools[name], name, servers)):
            fit = [each for each, pool in every.items() if pool.purpose in _PURPOSES and each != name]
            yield Problem(("pools", index), why, f"take {' or '.join(fit)}" if fit else "take a pool of purpose cpu")


def _unfit(pool: Pool, name: str, servers: Mapping[str, Server]) -> str:
    """Why no workbench runs there; empty where one does."""
    if pool.purpose == "training":
        return f"pool {name} is for training: a workbench there would keep a gang from starting"
    if pool.purpose not in _PURPOSES:
        return f"pool {name} is for {pool.purpose}"
    return "" if members(servers, name) else f"pool {name} has no servers"


def _sized(
    section: DataScience, pools: Mapping[str, Pool], servers: Mapping[str, Server], teams: Mapping[str, Team]
) -> Iterator[Problem]:
    """Each team may have a workbench of some size."""
    if "workbenches" not in section.components or not section.pools:
        return
    own = {name: members(servers, name) for name in section.pools}
    if any(refused_gpu(each) for each in servers.values()):
        return
    if not all(laid_out(pools[name], here) for name, here in own.items()):
        return
    found = [
        size
        for name, here in own.items()
        for size in sizes(pools[name], [parts(pools[name], server) for server in here.values()])
    ]
    for index, team in enumerate(section.teams):
        if team in teams and found and not any(admits(teams[team], size) for size in found):
            has = ", ".join(dict.fromkeys(size.name for size in found))
            message = f"no workbench fits the quota of {team}: {', '.join(section.pools)} offers {has}"
            yield Problem(("teams", index), message, f"write openshift.teams.{team}.{_quota(found[0])}, or a pool of "
                          "purpose cpu")  # fmt: skip


def _quota(size: Size) -> str:
    """What a team would have to have, by its key."""
    if size.shared:
        return f"shares: {{{size.unit}: 1}}"
    return f"gpus: {size.count}" if size.name == f"{size.count}-gpu" else f"slices: {{{size.unit}: 1}}"


def _pinned(operators: Operators) -> Iterator[Problem]:
    """A pin brings exactly the components that are written; one without a number is OLM's."""
    pin = operators.pins.get(_PACKAGE)
    found = re.search(r"\.(\d+\.\d+)\.\d+", pin.csv) if pin is not None else None
    if pin is not None and found is not None and found[1] != _RELEASE:
        message = f"{pin.csv} has other components than release {_RELEASE}, whose are written by name, on or off"
        yield Problem(("pins", _PACKAGE, "csv"), message, f"pin {_PACKAGE}.{_RELEASE}.x of channel stable-{_RELEASE}")


CLUSTER = (_data_science,)
