"""The Machine Config Operator's controllers of settings: an object becomes a MachineConfig of each pool it selects.

After openshift/machine-config-operator, `pkg/controller/kubelet-config` and `pkg/controller/container-runtime-config`
(release-4.20 and release-4.22): one MachineConfig per pool that the selector matches, with a number from the second
object of a pool on; each writes whole files, so of two for one pool the later name has its way.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.controller import Controller, now
from podwright.lab.openshift.kinds import MACHINE_CONFIG_POOLS, MACHINE_CONFIGS
from podwright.lab.openshift.selectors import matches

GROUP = "machineconfiguration.openshift.io/v1"
ROLE = "machineconfiguration.openshift.io/role"
SUFFIX = "machineconfiguration.openshift.io/mc-name-suffix"


class PoolConfigs(Controller):
    """Keeps a MachineConfig per object and pool, and says in the status what it refuses."""

    source: ClassVar[Kind]
    """The objects that it serves."""
    kind: ClassVar[str]
    generated: ClassVar[str]
    """What a MachineConfig's name ends in: 99-<pool>-generated-<this>."""

    @abstractmethod
    def problem(self, spec: Mapping[str, Any]) -> str:
        """Why the settings are refused; empty where they are not."""

    @abstractmethod
    def no_pool(self, name: str) -> str:
        """The operator's words for an object that selects no pool."""

    @abstractmethod
    def files(self, spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Files of the machine configuration, as Ignition has them."""

    def reconcile(self) -> None:
        """One pass over all."""
        self.each(self.source, self._serve)

    def _serve(self, item: Object) -> None:
        meta, spec = item["metadata"], item["spec"]
        selector = spec.get("machineConfigPoolSelector") or {}
        pools = [
            pool for pool in self.cache.list(MACHINE_CONFIG_POOLS)
            if selector and matches(selector, pool["metadata"].get("labels", {}))
        ]  # fmt: skip
        problem = self.problem(spec) or ("" if pools else self.no_pool(meta["name"]))
        for pool in () if problem else pools:
            self._render(item, pool["metadata"]["name"], list(self.files(spec)))
        self._report(item, f"Error: {problem}" if problem else "")

    def _render(self, item: Object, pool: str, files: list[Mapping[str, Any]]) -> None:
        suffix = self._suffix(item)
        name = f"99-{pool}-generated-{self.generated}{f'-{suffix}' if suffix else ''}"
        spec = {"config": {"ignition": {"version": "3.5.0"}, "storage": {"files": files}}}
        found = self.cache.get(MACHINE_CONFIGS, name)
        if found is not None:
            self.patch(MACHINE_CONFIGS, found, {"spec": spec})
            return
        owner = self.own(item, GROUP, self.kind)
        self.api.ensure(MACHINE_CONFIGS.path(), {
            "apiVersion": GROUP, "kind": "MachineConfig", "spec": spec,
            "metadata": {"name": name, "labels": {ROLE: pool}, "ownerReferences": owner},
        })  # fmt: skip

    def _suffix(self, item: Object) -> str:
        """Which of a pool's it is: the first has no number. It keeps the one that it was given."""
        known = item["metadata"].get("annotations", {}).get(SUFFIX)
        if known is not None:
            return str(known)
        # Asked of the API itself: two that were made at once must not get one number.
        others = self.api.request("GET", self.source.path())["items"]
        alike = [each for each in others if _selector(each) == _selector(item)]
        given = [each["metadata"].get("annotations", {}).get(SUFFIX) for each in alike]
        taken = [int(each or 0) for each in given if each is not None]
        suffix = str(max(taken) + 1) if taken else ""
        self.note(self.source, item, **{SUFFIX: suffix})
        return suffix

    def _report(self, item: Object, problem: str) -> None:
        before = (item.get("status") or {}).get("conditions") or []
        row = {"type": "Failure", "status": "False", "message": problem} if problem else {
            "type": "Success", "status": "True", "message": "Success"
        }  # fmt: skip
        if not before or {key: before[-1].get(key) for key in row} != row:
            rows = [*before, {**row, "lastTransitionTime": now()}][-3:]
            self.set_status(
                self.source, item, {"conditions": rows, "observedGeneration": item["metadata"]["generation"]}
            )


def _selector(item: Object) -> str:
    return json.dumps(item["spec"].get("machineConfigPoolSelector") or {}, sort_keys=True)
