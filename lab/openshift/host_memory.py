"""What a host keeps by itself, whatever becomes of operators and their pods: files on its disk, state of its NICs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift.sriov.functions import Functions


@dataclass
class HostMemory:
    """One host's own memory. It outlives every controller of the cluster, as disks and kernels do."""

    config: dict[str, Any] | None = None
    """Machine configuration it runs: /etc/machine-config-daemon/currentconfig."""
    staged: tuple[dict[str, Any], str] | None = None
    """(configuration, boot id): written to disk during that boot, in force from the next one on."""
    functions: dict[str, Functions] = field(default_factory=dict)
    """Virtual functions by NIC."""
    rdma_mode: str = "shared"
    """Namespace mode of the RDMA subsystem; `shared` is the kernel's default."""
    rdma_staged: tuple[str, str] | None = None
    """(mode, boot id): written to disk during that boot, in force from the next one on."""

    def running(self, boot_id: str) -> dict[str, Any] | None:
        """The machine configuration that is in force during this boot."""
        return self.staged[0] if self.staged and self.staged[1] != boot_id else self.config

    def boot(self, boot_id: str) -> None:
        """The host runs with this boot id: what was staged under another one is in force now."""
        if self.staged and self.staged[1] != boot_id:
            self.config, self.staged = self.staged[0], None
        if self.rdma_staged and self.rdma_staged[1] != boot_id:
            self.rdma_mode, self.rdma_staged = self.rdma_staged[0], None
