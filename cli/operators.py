"""The operators' line of the status screen."""

from __future__ import annotations

from podwright.components.providers.status.snapshot import Snapshot

OPERATORS = {
    "nfd": "NFD",
    "nvidia-maintenance-operator": "NVIDIA maintenance",
    "nvidia-network-operator": "NVIDIA network",
    "sriov-network-operator": "SR-IOV",
    "gpu-operator-certified": "NVIDIA GPU",
}


def operators(snapshot: Snapshot) -> str:
    """Each operator with its version, and its phase where it has not succeeded; with markup."""
    parts = []
    for package, word in OPERATORS.items():
        csvs = [
            csv for csv in snapshot.of("ClusterServiceVersion")
            if csv["metadata"]["name"].startswith(f"{package}.")
        ]  # fmt: skip
        if not csvs:
            parts.append(f"{word} [red]absent[/]")
            continue
        version = str(csvs[0]["metadata"]["name"]).removeprefix(f"{package}.").removeprefix("v")
        phase = str(csvs[0].get("status", {}).get("phase") or "not started")
        parts.append(f"{word} {version}" + ("" if phase == "Succeeded" else f" [red]{phase}[/]"))
    return ", ".join(parts)
