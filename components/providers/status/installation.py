"""What of an installation the cluster itself shows to be otherwise than defined, and the nodes that nobody defined."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podwright.components.providers.openshift.conditions import conditions
from podwright.components.providers.openshift.install.keys import ROLES, keys_of
from podwright.components.providers.openshift.install.settled import internal_address
from podwright.components.providers.openshift.install.upgrade import completed
from podwright.components.providers.openshift.replaced import is_on, reported
from podwright.components.providers.status.snapshot import SSH_CONFIG, Snapshot


def release(snapshot: Snapshot) -> str:
    """The release that the cluster runs; empty where it does not say."""
    found = snapshot.named("ClusterVersion", "version")
    return (completed(found) or "") if found is not None else ""


def off_plan(snapshot: Snapshot, version: str, ssh_key: str, addresses: Mapping[str, str]) -> Iterator[str]:
    """One sentence for each value that is otherwise; `addresses` are those defined, by host name."""
    found = snapshot.named("ClusterVersion", "version")
    have = release(snapshot)
    if have and have != version:
        yield f"the cluster runs OpenShift {have}, defined is {version}"
    elif not have and not snapshot.unseen("ClusterVersion"):
        yield "the cluster does not say which release of OpenShift it runs"
    yield from _update(found or {}, version)
    for role in ROLES:
        config = snapshot.named(SSH_CONFIG[role], f"99-{role}-ssh")
        if config is not None and keys_of(config) != ssh_key.strip():
            yield f"MachineConfig 99-{role}-ssh lets other SSH keys in than the one defined"
    for node in snapshot.of("Node"):
        name = node["metadata"]["name"]
        address, wanted = internal_address(node), addresses.get(name)
        if wanted is not None and address and address != wanted:
            yield f"node {name} has the address {address}, defined is {wanted}"
    yield from foreign(snapshot, addresses)


def foreign(snapshot: Snapshot, defined: Mapping[str, Any]) -> Iterator[str]:
    """One sentence for each node that no server of the stack file is."""
    for node in snapshot.of("Node"):
        name = node["metadata"]["name"]
        if name not in defined:
            yield (
                f"node {name} ({internal_address(node) or 'no address'}) is no server of the stack file; switch its "
                f"host off, then `oc delete node {name}`: while it runs, its kubelet's next start brings the node back"
            )


def on_other_machines(snapshot: Snapshot, uuids: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """One sentence for each node that runs on another machine than its server; `uuids` by host name, as the last update
    met them."""
    for node in snapshot.of("Node"):
        name, seen = node["metadata"]["name"], reported(node)
        if seen and uuids.get(name) and not is_on(node, uuids[name]):
            yield (
                f"node {name} is that of a machine with UUID {seen}, and the server's is "
                f"{' or '.join(uuids[name])}: switch the other machine off, then `podwright up` with a refresh "
                "takes the node away and installs the server"
            )


def _update(found: Mapping[str, Any], version: str) -> Iterator[str]:
    status = found.get("status") or {}
    going = str((status.get("desired") or {}).get("version") or "")
    history = status.get("history") or []
    if history and history[0].get("state") == "Partial":
        note = str(conditions(found).get("Progressing", {}).get("message") or "")
        yield f"an update to {going} is under way{': ' + note if note else ''}" + (
            "" if going == version else f"; defined is {version}"
        )
