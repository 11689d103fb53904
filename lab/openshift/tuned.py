"""The Node Tuning Operator's other half: which Tuned profile a node is recommended, and the daemon that applies it.

After openshift/cluster-node-tuning-operator, `pkg/operator/profilecalculator.go`: rules of all Tuned objects by
priority, lowest number first; a rule matches by labels of the node, or by labels of MachineConfigs that the node's
pool selects. The daemon reports in the node's Profile (`pkg/tuned/status.go`). A profile that cannot be loaded, such
as one whose include nobody defines, leaves the kernel as it is.
"""

from __future__ import annotations

import configparser
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.daemons import node_ready
from podwright.lab.openshift.kinds import MACHINE_CONFIG_POOLS, NODES, TUNED_PROFILES, TUNEDS
from podwright.lab.openshift.selectors import matches

GROUP = "tuned.openshift.io/v1"
NAMESPACE = "openshift-cluster-node-tuning-operator"
SHIPPED = (
    "openshift", "openshift-control-plane", "openshift-node", "cpu-partitioning", "network-latency",
    "latency-performance", "throughput-performance", "network-throughput", "hpc-compute", "virtual-guest", "balanced",
)  # fmt: skip
"""Profiles of the daemon's image; what they set is not modelled."""
PAGES = ("always", "never", "madvise")
DEFAULT = {
    "recommend": [
        {
            "profile": "openshift-control-plane", "priority": 30,
            "match": [{"label": "node-role.kubernetes.io/control-plane"}, {"label": "node-role.kubernetes.io/infra"}],
        },
        {"profile": "openshift-node", "priority": 40},
    ],
}  # fmt: skip
Settings = dict[str, dict[str, str]]


class ProfileError(Exception):
    """A profile that the daemon does not load."""


class TunedDaemons(Controller):
    """Keeps a Profile per node, and the running kernel of each host as its profile has it."""

    watches = (TUNEDS, TUNED_PROFILES, NODES, MACHINE_CONFIG_POOLS)

    def reconcile(self) -> None:
        """One pass over nodes."""
        if self.cache.get(TUNEDS, "default", NAMESPACE) is None:
            self.api.ensure(TUNEDS.path(NAMESPACE), {
                "apiVersion": GROUP, "kind": "Tuned", "metadata": {"name": "default", "namespace": NAMESPACE},
                "spec": DEFAULT,
            })  # fmt: skip
        self.each(NODES, self._serve)
        nodes = {node["metadata"]["name"] for node in self.cache.list(NODES)}
        for profile in self.cache.list(TUNED_PROFILES, NAMESPACE):
            if profile["metadata"]["name"] not in nodes:
                self.api.delete(TUNED_PROFILES.path(NAMESPACE, profile["metadata"]["name"]))

    def _serve(self, node: Object) -> None:
        name = node["metadata"]["name"]
        tuneds = self.cache.list(TUNEDS, NAMESPACE)
        chosen = recommended(node, tuneds, self.cache.list(MACHINE_CONFIG_POOLS))
        spec = {"config": {"tunedProfile": chosen}, "profile": list(_defined(tuneds))}
        found = self.cache.get(TUNED_PROFILES, name, NAMESPACE)
        if found is None:
            made = {
                "apiVersion": GROUP, "kind": "Profile", "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec
            }  # fmt: skip
            self.api.ensure(TUNED_PROFILES.path(NAMESPACE), made)
            self.ring()
            return
        found = self.patch(TUNED_PROFILES, found, {"spec": spec})
        if node_ready(node):
            self._apply(node, found)

    def _apply(self, node: Object, profile: Object) -> None:
        """The daemon on the node; it starts anew with its host, whose kernel has forgotten everything."""
        chosen = profile["spec"]["config"]["tunedProfile"]
        texts = {each["name"]: each["data"] for each in profile["spec"].get("profile") or []}
        host = self.around.host_memory(node["metadata"]["name"])
        host.boot(node["status"]["nodeInfo"]["bootID"])
        applied, degraded = True, condition("Degraded", False, "AsExpected")
        try:
            host.kernel, warnings = values(chosen, texts)
        except ProfileError as problem:
            applied, degraded = False, condition("Degraded", True, "TunedError", str(problem))
        else:
            if warnings:
                degraded = condition("Degraded", False, "TunedWarning", "; ".join(warnings))
        rows = [condition("Applied", applied, "AsExpected" if applied else "Failed"), degraded]
        before = profile.get("status") or {}
        reached = chosen if applied else before.get("tunedProfile", "")
        self.set_status(TUNED_PROFILES, profile, {
            "tunedProfile": reached, "conditions": merge_conditions(before.get("conditions", []), rows),
        })  # fmt: skip


def recommended(node: Object, tuneds: list[Object], pools: list[Object]) -> str:
    """The profile of the first rule that matches, in the order of priority."""
    labels = node["metadata"].get("labels", {})
    mine = [pool for pool in pools if matches(pool["spec"].get("nodeSelector"), labels)]
    rules = [rule for tuned in tuneds for rule in tuned["spec"].get("recommend") or []]
    for rule in sorted(rules, key=lambda each: int(each["priority"])):
        wanted = rule.get("machineConfigLabels")
        named = rule.get("match")
        if (named or wanted is None) and (not named or any(_matches(row, labels) for row in named)):
            return str(rule["profile"])
        if wanted and any(matches(pool["spec"].get("machineConfigSelector"), wanted) for pool in mine):
            return str(rule["profile"])
    return "openshift-node"


def values(name: str, texts: Mapping[str, str]) -> tuple[Settings, list[str]]:
    """Settings of a profile over those that it includes, and what the daemon warns of. Raises ProfileError."""
    found: Settings = {}
    for section, key, value in _lines(name, texts, ()):
        found.setdefault(section, {})[key] = value
    warnings = []
    pages = found.get("vm", {}).get("transparent_hugepages")
    if pages is not None and pages not in PAGES:
        warnings.append(f"Incorrect 'transparent_hugepages' value '{pages}'.")
        del found["vm"]["transparent_hugepages"]
    return found, warnings


def _lines(name: str, texts: Mapping[str, str], above: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    if name not in texts:
        if name in SHIPPED:
            return
        raise ProfileError(f"Cannot load profile(s) '{(*above, name)[0]}': Cannot find profile '{name}'")
    if name in above:
        raise ProfileError(f"Cannot load profile(s) '{above[0]}': Cannot find profile '{name}'")
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(texts[name])
    for each in parser.get("main", "include", fallback="").replace(";", ",").split(","):
        if each.strip() and not each.strip().startswith("-"):
            yield from _lines(each.strip(), texts, (*above, name))
    for section in parser.sections():
        if section not in ("main", "variables"):
            yield from ((section, key, value) for key, value in parser.items(section))


def _defined(tuneds: list[Object]) -> Iterator[dict[str, Any]]:
    for tuned in tuneds:
        yield from tuned["spec"].get("profile") or []


def _matches(row: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    label = row["label"]
    return label in labels and row.get("value", labels[label]) == labels[label]
