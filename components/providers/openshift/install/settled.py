"""What a running cluster can no longer be given, and what of its spec can be read from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podwright.components.changes.row import ChangeClass
from podwright.components.changes.table import ROWS
from podwright.components.providers.openshift.install import keys, upgrade
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.waiting import VERSION
from podwright.components.providers.protocol.difference import Difference
from podwright.components.providers.protocol.kind import Failure, Values

_ROWS = ROWS["podwright:openshift:Install"]
IDENTITY = tuple(row.name for row in _ROWS if row.change is ChangeClass.REPLACED)
"""What a cluster is born with: another value is another cluster, and the preview says so."""
PROGRAM_ONLY = tuple(row.name for row in _ROWS if row.change is ChangeClass.PROGRAM_ONLY)
"""What is read again only when a host joins, or says how hosts are reached: a change of it alone changes no cluster."""
HOST_PROGRAM_ONLY = ("pool", "bmc", "credential", "intersight", "model", "network")
"""The same for one host. Its pool is a label, which the pool's own resources write; its network is read when it is
installed, and a node that stands keeps the interfaces it has."""
INSTALLED = ("address", "boot_mac", "serial", "disk", "role")
"""What a node is installed with and keeps."""

Host = Mapping[str, Any]


def matters(found: Difference) -> Difference:
    """The same difference, silent about what no running cluster would be changed for."""
    silent = [path for path in found.changes if path[:1] == ("servers",) or of_the_program_alone(path)]
    return found.without(*silent)


def of_the_program_alone(path: Sequence[str | int]) -> bool:
    """Whether a leaf of the inputs says only how hosts are reached, or what the first boot of one reads."""
    if path[:2] == ("spec", "hosts"):
        return len(path) > 3 and path[3] in HOST_PROGRAM_ONLY
    return len(path) > 1 and path[1] in PROGRAM_ONLY


def judge_change(old_inputs: Values, new_inputs: Values) -> list[Failure]:
    """What of a change cannot be done to the cluster that stands, each with the way out. Another cluster takes all."""
    old, new = old_inputs.get("spec"), new_inputs.get("spec")
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return []
    if any(old.get(key) != new.get(key) for key in IDENTITY):
        return []
    return [*_release(old, new), *_gateway(old, new), *_hosts(old, new), *_quorum(old, new)]


def _release(old: Values, new: Values) -> Iterator[Failure]:
    try:
        problem = upgrade.refused(str(old["version"]), str(new["version"]))
    except ValueError:
        return  # a release in a spelling of its own: the cluster itself judges it
    if problem:
        yield Failure(("spec", "version"), problem)


def _gateway(old: Values, new: Values) -> Iterator[Failure]:
    if old.get("gateway") != new.get("gateway"):
        yield Failure(
            ("spec", "gateway"),
            f"nodes keep the gateway they were installed with ({old.get('gateway')}), and a cluster of nodes with two "
            "is not made here: give the new router the old address, or install another cluster",
        )


def _hosts(old: Values, new: Values) -> Iterator[Failure]:
    before = {str(host.get("name")): host for host in old.get("hosts") or []}
    for index, host in enumerate(new["hosts"]):
        known = before.get(str(host["name"]))
        place = ("spec", "hosts", index)
        if known is None and before and host["role"] == "master":
            yield Failure(
                (*place, "role"),
                f"{host['name']} would join a running cluster as a control-plane host, which node images do not make; "
                "follow the release's procedure, or let it join as a worker",
            )
        if _other_machine(known, host):
            continue
        for key in INSTALLED if known is not None else ():
            if known is not None and known.get(key) != host[key]:
                yield Failure((*place, key), _kept(host, key, known.get(key)))


def _other_machine(known: Host | None, host: Host) -> bool:
    """A worker's other serial number is another machine, which is installed; with it all else may be another. A blade
    that is named by its slot now, or no longer, may well be the same."""
    if known is None or not host["role"] == known.get("role") == "worker":
        return False
    now, before = str(host["serial"]), str(known.get("serial"))
    return now != before and ("/" in now) == ("/" in before)


def exchanged(old: Values, new: Values) -> list[str]:
    """One sentence for each host that keeps its name and gets another machine."""
    before = {str(host.get("name")): host.get("serial") for host in old.get("hosts") or []}
    return [
        f"{host['name']}: {before[host['name']]} is replaced by {host['serial']}: its node is drained where it still "
        "answers, and deleted; the new machine is installed and joins under the same name"
        for host in new.get("hosts") or []
        if before.get(host["name"]) not in (None, host["serial"])
    ]


def _kept(host: Host, key: str, value: Any) -> str:
    name = host["name"]
    return (
        f"{name} keeps the {key} it was installed with: write {value} again, or take {name} out of the stack file, run "
        f"`podwright up`, and add it again with {host[key]}. If it never became a node, `podwright refresh` comes first"
    )


def _quorum(old: Values, new: Values) -> Iterator[Failure]:
    """etcd's members that are left must be a majority of what they were while the others go."""
    before = [host["name"] for host in old.get("hosts") or [] if host.get("role") == "master"]
    wanted = {host["name"] for host in new["hosts"]}
    stay = [name for name in before if name in wanted]
    if before and len(stay) <= len(before) // 2:
        gone = ", ".join(name for name in before if name not in wanted)
        yield Failure(
            ("spec", "hosts"),
            f"without {gone}, {len(stay)} of {len(before)} etcd members are left, which is no majority: the cluster "
            "would stop. Take fewer control-plane hosts away at a time",
        )


async def seen(spec: Values, kube: Kube, nodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The spec as the running cluster shows it: its hosts that are nodes, their addresses, its release, its SSH key."""
    found = dict(spec)
    addresses = {str(node["metadata"]["name"]): internal_address(node) for node in nodes}
    found["hosts"] = [
        {**host, "address": addresses[host["name"]] or host["address"]}
        for host in spec["hosts"]
        if host["name"] in addresses
    ]
    release = upgrade.completed(await kube.find(VERSION) or {})
    if release is not None:
        found["version"] = release
    wanted = str(spec["ssh_key"]).strip()
    other = [each for each in (await keys.authorized(kube)).values() if each != wanted]
    if other:
        found["ssh_key"] = other[0]
    return found


def internal_address(node: Mapping[str, Any]) -> str:
    """A Node's InternalIP; empty where it has none."""
    rows = (node.get("status") or {}).get("addresses") or []
    return next((str(row["address"]) for row in rows if row.get("type") == "InternalIP"), "")
