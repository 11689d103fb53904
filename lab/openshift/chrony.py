"""Time servers of nodes: what the installation leaves, and what a machine configuration has.

The agent-based installer's service makes `50-<role>s-chrony-configuration` of every time source that it was given or
that hosts have, behind a pool of the internet (openshift/assisted-service,
`internal/network/manifests_generator.go`).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.kinds import MACHINE_CONFIGS

FILE = "/etc/chrony.conf"
_LINES = (
    "",
    "pool 0.rhel.pool.ntp.org iburst",
    "driftfile /var/lib/chrony/drift",
    "makestep 1.0 3",
    "rtcsync",
    "logdir /var/log/chrony",
)


def installed(role: str, sources: Sequence[str]) -> Object:
    """The MachineConfig of a role as the installation leaves it."""
    text = "\n".join([*_LINES, *(f"server {each} iburst" for each in sources)])
    encoded = base64.b64encode(text.encode()).decode()
    source = f"data:text/plain;charset=utf-8;base64,{encoded}"
    file = {"path": FILE, "mode": 0o644, "overwrite": True, "contents": {"source": source}}
    return {
        "apiVersion": MACHINE_CONFIGS.api_version, "kind": "MachineConfig",
        "metadata": {
            "name": f"50-{role}s-chrony-configuration",
            "labels": {"machineconfiguration.openshift.io/role": role},
        },
        "spec": {"config": {"ignition": {"version": "3.1.0"}, "storage": {"files": [file]}}},
    }  # fmt: skip


def servers(config: Mapping[str, Any] | None) -> list[str]:
    """Where a host with this machine configuration takes its time from: servers and pools."""
    files = (((config or {}).get("config") or {}).get("storage") or {}).get("files") or []
    source = next((str(row["contents"]["source"]) for row in files if row["path"] == FILE), "")
    head, _, data = source.partition(",")
    text = base64.b64decode(data).decode() if head.endswith(";base64") else unquote(data)
    lines = [line.split() for line in text.splitlines()]
    return [words[1] for words in lines if words[:1] in (["server"], ["pool"])]
