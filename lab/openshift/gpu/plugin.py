"""NVIDIA's device plugin on one node: which configuration it reads, what it refuses, how many shares it lists.

After NVIDIA/k8s-device-plugin: api/config/v1 (replicas.go, sharing.go, config.go), cmd/config-manager,
cmd/mps-control-daemon/mps (device.go), internal/lm (resource.go, nvml.go), internal/rm (rm.go).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

LABEL = "nvidia.com/device-plugin.config"
MPS_DAEMON = "nvidia-device-plugin-mps-control-daemon"
CLIENTS = 48
"""Of one MPS server on Volta and later; the plugin's own number whatever the driver's is."""
PREFIX = "nvidia.com/"


class PluginError(ValueError):
    """A configuration that the plugin, its config-manager or the MPS daemon ends with."""


@dataclass(frozen=True)
class Sharing:
    """How a node's resources are shared; `replicas` by resource, none where nothing is."""

    strategy: str = "none"
    replicas: Mapping[str, int] = field(default_factory=dict)
    renamed: bool = False
    one_only: bool = False

    def name(self, resource: str) -> str:
        """A resource as kubelet sees it."""
        return f"{resource}.shared" if self.renamed and resource in self.replicas else resource

    def listed(self, found: Mapping[str, int]) -> dict[str, int]:
        """Resources of a node, those that are shared as many times over."""
        return {self.name(name): count * self.replicas.get(name, 1) for name, count in found.items()}


def chosen(files: Mapping[str, str], asked: str, default: str) -> str:
    """Text of the file that config-manager links: the label's, else the default's. Raises PluginError."""
    name = asked or default
    if not name:
        raise PluginError("no config was set, no default was provided, and all fallbacks failed")
    if name not in files:
        raise PluginError(f"specified config {name} does not exist")
    return files[name]


def parse(text: str) -> Sharing:
    """What a configuration says of sharing. Raises PluginError where the plugin would end."""
    try:
        document = yaml.safe_load(text) or {}
    except yaml.YAMLError as problem:
        raise PluginError(f"unmarshal error: {problem}") from problem
    if not isinstance(document, dict):
        raise PluginError("unmarshal error: not a mapping")
    if document.get("version", "v1") != "v1":
        raise PluginError(f"unknown version: {document['version']}")
    given = document.get("sharing") or {}
    for key, strategy in (("mps", "mps"), ("timeSlicing", "time-slicing")):
        # Where both are given MPS is the one that acts (sharing.go).
        if given.get(key) is not None:
            return _replicated(given[key], strategy)
    return Sharing()


def _replicated(given: Mapping[str, Any], strategy: str) -> Sharing:
    rows = given.get("resources")
    if not rows:
        raise PluginError("no resources specified")
    found: dict[str, int] = {}
    for row in rows:
        if "name" not in row:
            raise PluginError("no resource name specified")
        if "replicas" not in row:
            raise PluginError("no replicas specified")
        if not isinstance(row["replicas"], int) or row["replicas"] < 2:
            raise PluginError("number of replicas must be >= 2")
        name = str(row["name"])
        found[name if name.startswith(PREFIX) else PREFIX + name] = row["replicas"]
    one_only = given.get("failRequestsGreaterThanOne", strategy == "mps")
    return Sharing(strategy, found, bool(given.get("renameByDefault")), bool(one_only))


def mps_problem(sharing: Sharing, divided: bool) -> str | None:
    """Why the MPS daemon would not serve this node, or None."""
    if sharing.strategy != "mps":
        return None
    if divided:
        return "MPS sharing is not supported for mig devices"
    most = max(sharing.replicas.values())
    return (
        f"invalid MPS configuration: maximum allowed replicas exceeded: {most} > {CLIENTS}" if most > CLIENTS else None
    )


def labels(sharing: Sharing, resource: str, product: str) -> dict[str, str]:
    """GFD's labels of one resource: product, replicas and strategy (resource.go, baseLabeler)."""
    replicas = sharing.replicas.get(resource, 1)
    shared = replicas > 1
    return {
        f"{resource}.product": f"{product}-SHARED" if shared and not sharing.renamed else product,
        f"{resource}.replicas": str(replicas),
        f"{resource}.sharing-strategy": sharing.strategy if shared else "none",
    }
