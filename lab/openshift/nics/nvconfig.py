"""Firmware settings of a NIC (`mlxconfig`): kept by the card, in force from the next boot of its host on.

After Mellanox/nic-configuration-operator v1.3.1 (configvalidation.go): what a template makes of them, its own raw
values last.
"""

from __future__ import annotations

from typing import Any

FACTORY = {
    "ADVANCED_PCI_SETTINGS": "0", "SRIOV_EN": "0", "NUM_OF_VFS": "0", "ATS_ENABLED": "0", "MAX_ACC_OUT_READ": "0",
}  # fmt: skip
"""Settings of a card as it is delivered, those of the whole card."""
FACTORY_OF_A_PORT = {"LINK_TYPE": "2", "ROCE_CC_PRIO_MASK": "255", "CNP_DSCP": "48", "CNP_802P_PRIO": "6"}
"""Those of each port: Ethernet, and mlx5's own mark of congestion notifications."""
LINK_TYPES = {"Ethernet": "2", "Infiniband": "1"}
OPERATORS_CNP = {"ROCE_CC_PRIO_MASK": "255", "CNP_DSCP": "4", "CNP_802P_PRIO": "6"}
"""What `roceOptimized` writes to every port where the template's raw values name no other."""


class SpecError(ValueError):
    """A template that its device cannot take; the message is the operator's."""


def factory(ports: int) -> dict[str, str]:
    """Every setting of a card with that many ports, as it is delivered."""
    found = dict(FACTORY)
    for port in range(1, ports + 1):
        found |= {f"{name}_P{port}": value for name, value in FACTORY_OF_A_PORT.items()}
    return found


def desired(template: dict[str, Any], ports: int, device: str) -> dict[str, str]:
    """Settings that a template asks of a card with that many ports. Raises SpecError."""
    known = factory(ports)
    roce = (template.get("roceOptimized") or {}).get("enabled")
    if roce and template["linkType"] != "Ethernet":
        raise SpecError("RoceOptimized settings can only be used with link type Ethernet")
    if (template.get("gpuDirectOptimized") or {}).get("enabled") and not (
        template.get("pciPerformanceOptimized") or {}
    ).get("enabled"):
        raise SpecError("GpuDirectOptimized should only be enabled together with PciPerformanceOptimized")
    functions = int(template["numVfs"])
    found = {"ADVANCED_PCI_SETTINGS": "1", "SRIOV_EN": "1" if functions else "0", "NUM_OF_VFS": str(functions)}
    for port in range(1, ports + 1):
        found[f"LINK_TYPE_P{port}"] = LINK_TYPES[template["linkType"]]
        marks = OPERATORS_CNP if roce else {name: FACTORY_OF_A_PORT[name] for name in OPERATORS_CNP}
        found |= {f"{name}_P{port}": value for name, value in marks.items()}
    for row in template.get("rawNvConfig") or []:
        if row["name"].endswith("_P2") and ports < 2:
            continue
        if row["name"] not in known:
            raise SpecError(f"Parameter {row['name']} unsupported for device {device}")
        found[row["name"]] = row["value"]
    return found
