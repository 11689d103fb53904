"""Rules about nodes that reach block storage: what starts, and what no two of them share."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from .kubernetes import kind, of_kind
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, items, nothing, strings

_ROLE: Final = "machineconfiguration.openshift.io/role"
_MULTIPATH: Final = "/etc/multipath.conf"
_IDENTITY: Final = ("/etc/nvme/hostnqn", "/etc/nvme/hostid", "/etc/iscsi/initiatorname.iscsi")


def _config(resource: Resource) -> Any:
    return (resource.props.get("spec") or {}).get("config") or {}


def _paths(resource: Resource) -> set[str]:
    return {str(row.get("path")) for row in items((_config(resource).get("storage") or {}).get("files"))}


def _role(resource: Resource) -> str:
    return strings((resource.props.get("metadata") or {}).get("labels")).get(_ROLE, "")


def _runs(resource: Resource) -> bool:
    units = items((_config(resource).get("systemd") or {}).get("units"))
    return any(unit.get("name") == "multipathd.service" and unit.get("enabled") is True for unit in units)


def _multipath(resources: Sequence[Resource]) -> Iterator[Finding]:
    """A custom pool takes the workers' units too."""
    configs = [each for each in resources if kind(each) == "MachineConfig"]
    writers = [each for each in configs if _MULTIPATH in _paths(each)]
    if not writers:
        raise NotApplicable(f"no MachineConfig writes {_MULTIPATH}")
    running = {_role(each) for each in configs if _runs(each)}
    for each in writers:
        if not running & (roles := {_role(each), "worker"}):
            message = f"MachineConfig {each.name} writes {_MULTIPATH}, and none enables multipathd.service"
            excused = (_runs, lambda one, roles=roles: _role(one) in roles)
            yield Finding(f"{message} on nodes of {_role(each)}", each.urn, excused)


def _identity(resources: Sequence[Resource]) -> Iterator[Finding]:
    configs = [each for each in resources if kind(each) == "MachineConfig"]
    if not configs:
        raise NotApplicable("no MachineConfig")
    for each in configs:
        for path in sorted(_paths(each) & set(_IDENTITY)):
            yield Finding(f"MachineConfig {each.name} writes {path}, one for every node of {_role(each)}", each.urn)


INITIATORS: tuple[StackRule, ...] = (
    StackRule(
        id="platform-multipath-runs",
        title="Nodes with multipath.conf run multipathd",
        why="The file starts nothing: volumes are attached by one path, and the loss of one switch or controller takes "
        "them away under pods that write to them.",
        fix="Enable multipathd.service in the same MachineConfig, or leave it to pools.<name>.block_storage.",
        reference="https://docs.netapp.com/us-en/trident/trident-use/worker-node-prep.html",
        severity="high",
        types=of_kind("MachineConfig"),
        compare=_multipath,
    ),
    StackRule(
        id="platform-initiator-is-its-own",
        title="No two nodes have one name at the array",
        why="An array gives volumes to a host by this name: two nodes of one name are given each other's volumes, and "
        "both may write to them.",
        fix="Make the name on the node, by a systemd unit, or leave it to pools.<name>.block_storage.",
        reference="https://dell.github.io/csm-docs/",
        severity="high",
        excused_by=nothing,
        types=of_kind("MachineConfig"),
        compare=_identity,
    ),
)
