"""What a host keeps by itself, whatever becomes of operators and their pods: files on its disk, state of its NICs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift.sriov.functions import Functions


@dataclass
class Card:
    """Firmware settings of one NIC: in force, and as they will be from the next boot on."""

    now: dict[str, str]
    after_boot: dict[str, str]


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
    cards: dict[str, Card] = field(default_factory=dict)
    """Firmware settings by PCI address without the function."""
    kernel: dict[str, dict[str, str]] = field(default_factory=dict)
    """Settings that the Tuned daemon made in the running kernel, by section and key."""
    network: dict[str, dict[str, Any]] | None = None
    """Interfaces of its system by name, which NetworkManager keeps over boots; None until somebody looks."""
    booted: str = ""
    """Boot id that it was last seen with."""
    driver: str = ""
    """The driver container that loaded the NICs' driver last; empty: the kernel's own."""
    peer_memory: tuple[str, str] = ("", "")
    """The GPU driver that runs, and the NICs' driver that its module for NICs was built against."""
    nic_daemon: str = ""
    """The NIC configuration daemon that runs, and during which boot it began."""
    nics_reboot: str = ""
    """Boot id during which that daemon asked for a restart."""
    nics_checked: float = 0.0
    """When that daemon last compared the NICs with what is asked; monotonic seconds."""

    def running(self, boot_id: str) -> dict[str, Any] | None:
        """The machine configuration that is in force during this boot."""
        return self.staged[0] if self.staged and self.staged[1] != boot_id else self.config

    def boot(self, boot_id: str) -> None:
        """The host runs with this boot id: what was staged under another one is in force now."""
        if self.staged and self.staged[1] != boot_id:
            self.config, self.staged = self.staged[0], None
        if self.rdma_staged and self.rdma_staged[1] != boot_id:
            self.rdma_mode, self.rdma_staged = self.rdma_staged[0], None
        if self.booted != boot_id:
            if self.booted:
                # A kernel that starts has no virtual functions, whatever it had before.
                self.functions = {}
                self.kernel = {}
                self.driver = ""
                for card in self.cards.values():
                    card.now = dict(card.after_boot)
            self.booted = boot_id
