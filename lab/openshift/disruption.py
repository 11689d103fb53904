"""What a change of a node's machine configuration asks for: a restart, a drain, a service restarted, or nothing.

After openshift/machine-config-operator (release-4.20): `pkg/daemon/update.go`
(`calculatePostConfigChangeNodeDisruptionActionFromMCDiffs`), `pkg/daemon/drain.go`
(`isDrainRequiredForNodeDisruptionActions`) and the policies that every cluster has, `pkg/apihelpers/apihelpers.go`. The
daemon reads what the operator merged into the status of MachineConfiguration/cluster, never its spec.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podwright.lab.openshift import registries
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.kinds import MACHINE_CONFIGURATIONS

NAME = "cluster"
Action = Mapping[str, Any]
REBOOT: Action = {"type": "Reboot"}


def _reload(service: str) -> Action:
    return {"type": "Reload", "reload": {"serviceName": service}}


def _restart(service: str) -> Action:
    return {"type": "Restart", "restart": {"serviceName": service}}


EVERYWHERE: Mapping[str, Sequence[Action]] = {
    "/var/lib/kubelet/config.json": [{"type": "None"}],
    "/etc/machine-config-daemon/no-reboot/containers-gpg.pub": [_reload("crio.service")],
    "/etc/containers/policy.json": [_reload("crio.service")],
    registries.FILE: [{"type": "Special"}],
    "/etc/containers/registries.d": [_reload("crio.service")],
    "/etc/nmstate/openshift": [{"type": "None"}],
    "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt": [
        _restart("coreos-update-ca-trust.service"),
        _restart("crio.service"),
    ],
}
"""What a cluster does about a file unless its MachineConfiguration has another action for it."""


class DisruptionPolicies(Controller):
    """Makes MachineConfiguration/cluster and merges its policies with those of every cluster into its status."""

    watches = (MACHINE_CONFIGURATIONS,)

    def reconcile(self) -> None:
        """One pass."""
        item = self.cache.get(MACHINE_CONFIGURATIONS, NAME)
        if item is None:
            self.api.ensure(MACHINE_CONFIGURATIONS.path(), {
                "apiVersion": MACHINE_CONFIGURATIONS.api_version, "kind": "MachineConfiguration",
                "metadata": {"name": NAME}, "spec": {"managementState": "Managed"},
            })  # fmt: skip
            return
        status = {
            "nodeDisruptionPolicyStatus": {"clusterPolicies": _merged(item)},
            "observedGeneration": item["metadata"]["generation"],
        }
        if {key: (item.get("status") or {}).get(key) for key in status} != status:
            self.set_status(MACHINE_CONFIGURATIONS, item, status)


def _merged(item: Object) -> dict[str, Any]:
    asked = (item.get("spec") or {}).get("nodeDisruptionPolicy") or {}
    files = {**EVERYWHERE, **{row["path"]: row["actions"] for row in asked.get("files") or []}}
    units = {row["name"]: row["actions"] for row in asked.get("units") or []}
    key = asked.get("sshkey") or {"actions": [{"type": "None"}]}
    return {
        "files": [{"path": path, "actions": [dict(each) for each in actions]} for path, actions in files.items()],
        **({"units": [{"name": name, "actions": actions} for name, actions in units.items()]} if units else {}),
        "sshkey": {"actions": key["actions"]},
    }


def actions(old: Mapping[str, Any], new: Mapping[str, Any], item: Object | None) -> list[Action]:
    """What going from `old` to `new` asks for; `item` is MachineConfiguration/cluster, None where there is none yet."""
    policies = ((item or {}).get("status") or {}).get("nodeDisruptionPolicyStatus", {}).get("clusterPolicies") or {}
    files = {row["path"]: row["actions"] for row in policies.get("files") or []} or EVERYWHERE
    units = {row["name"]: row["actions"] for row in policies.get("units") or []}
    if _rest(old) != _rest(new):
        return [REBOOT]
    changed = _changed(_rows(old, "storage", "files", "path"), _rows(new, "storage", "files", "path"))
    found = [_closest(path, files) for path in changed]
    found += [units.get(name, [REBOOT]) for name in
              _changed(_rows(old, "systemd", "units", "name"), _rows(new, "systemd", "units", "name"))]  # fmt: skip
    every = [action for group in found for action in group]
    return [REBOOT] if REBOOT in every else every


def drains(wanted: Sequence[Action], old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether the node is emptied first; of registries it depends on what became of its mirrors."""
    types = {each["type"] for each in wanted}
    return bool(types & {"Reboot", "Drain"}) or ("Special" in types and registries.drains(old, new))


def restarted(wanted: Sequence[Action]) -> list[str]:
    """Services that are restarted, in order."""
    return [each["restart"]["serviceName"] for each in wanted if each["type"] == "Restart"]


def _closest(path: str, policies: Mapping[str, Sequence[Action]]) -> Sequence[Action]:
    """The policy of the file itself, else of the nearest folder above it; without any the node restarts."""
    above = [each for each in policies if path == each or path.startswith(f"{each}/")]
    return policies[max(above, key=len)] if above else [REBOOT]


def _rows(spec: Mapping[str, Any], section: str, part: str, key: str) -> dict[str, str]:
    rows = ((spec.get("config") or {}).get(section) or {}).get(part) or []
    return {str(row[key]): json.dumps(row, sort_keys=True) for row in rows}


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    return (name for name in {**old, **new} if old.get(name) != new.get(name))


def _rest(spec: Mapping[str, Any]) -> str:
    """All but files, units and users: of that any change restarts the node."""
    rest = {key: value for key, value in spec.items() if key not in ("config", "kernelArguments") and value}
    return json.dumps([spec.get("kernelArguments") or [], rest], sort_keys=True)
