"""The Machine Config Operator's controller of CRI-O: a ContainerRuntimeConfig becomes files of CRI-O and its storage.

After openshift/machine-config-operator, `pkg/controller/container-runtime-config/helpers.go` (release-4.20):
`validateUserContainerRuntimeConfig`, `createCRIODropinFiles` and storage.conf. Sizes of logs and the number of
processes are checked alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from podwright.lab.openshift.kinds import CONTAINER_RUNTIME_CONFIGS, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS
from podwright.lab.openshift.kubelet_start import KubeletError, mib
from podwright.lab.openshift.pool_configs import PoolConfigs

STORAGE = "/etc/containers/storage.conf"
LOG_LEVEL = "/etc/crio/crio.conf.d/01-ctrcfg-logLevel"
LEVELS = ("error", "fatal", "panic", "warn", "info", "debug", "trace")
LEAST_PIDS = 20
LEAST_LOG = 8192
"""Bytes."""


class RuntimeConfigs(PoolConfigs):
    """Keeps a MachineConfig per ContainerRuntimeConfig and pool."""

    watches = (CONTAINER_RUNTIME_CONFIGS, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS)
    source = CONTAINER_RUNTIME_CONFIGS
    kind = "ContainerRuntimeConfig"
    generated = "containerruntime"

    def problem(self, spec: Mapping[str, Any]) -> str:
        """What the operator refuses."""
        return next(iter(_problems(spec.get("containerRuntimeConfig") or {})), "")

    def no_pool(self, name: str) -> str:
        """Nothing selects it."""
        return f"could not find any MachineConfigPool set for ContainerRuntimeConfig {name}"

    def files(self, spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """Storage's file and CRI-O's, each only where a setting of it is given."""
        given = spec.get("containerRuntimeConfig") or {}
        texts: dict[str, str] = {}
        if size := given.get("overlaySize"):
            text = '[storage]\ndriver = "overlay"\nrunroot = "/run/containers/storage"\n'
            text += 'graphroot = "/var/lib/containers/storage"\n'
            texts[STORAGE] = f'{text}[storage.options]\nsize = "{size}"\n'
        if level := given.get("logLevel"):
            texts[LOG_LEVEL] = f'[crio]\n[crio.runtime]\nlog_level = "{level}"\n'
        return [
            {"path": path, "mode": 0o644, "overwrite": True, "contents": {"source": f"data:,{quote(text)}"}}
            for path, text in texts.items()
        ]


def _problems(given: Mapping[str, Any]) -> Iterator[str]:
    if (level := given.get("logLevel")) and level not in LEVELS:
        yield f'invalid LogLevel "{level}", must be one of {", ".join(LEVELS)}'
    if (pids := given.get("pidsLimit")) is not None and 0 < pids < LEAST_PIDS:
        yield f'invalid PidsLimit "{pids}", cannot be less than {LEAST_PIDS}'
    try:
        size = mib(str(given.get("logSizeMax", "0"))) if not str(given.get("logSizeMax", "")).startswith("-") else 0
    except KubeletError as problem:
        yield str(problem)
        return
    if 0 < size * 2**20 < LEAST_LOG:
        yield f'invalid LogSizeMax "{given["logSizeMax"]}", cannot be less than 8kB'
    if str(given.get("overlaySize", "")).startswith("-"):
        yield f'invalid overlaySize "{given["overlaySize"]}", cannot be less than 0'
