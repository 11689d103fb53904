"""What the nodes of a pool boot with for block storage: multipathd, iSCSI, NVMe over fabrics.

multipathd of RHCOS starts only where /etc/multipath.conf is. NetApp's Trident refuses volumes where `find_multipaths`
is not `no` (NetApp/trident, utils: GetFindMultipathValue; https://docs.netapp.com/us-en/trident/trident-use/worker-node-prep.html);
Pure wants `user_friendly_names no` and settings of its own by device
(https://docs.portworx.com/portworx-csi/25.6/install/prepare/flash-array). No kernel argument is among it: those are for
hosts that boot from the array, and RHEL 9 has native NVMe multipathing by default.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from podwright.components.design.platform.names import Manifest
from podwright.components.model import BlockStorage

MULTIPATH = "/etc/multipath.conf"
MODULES = "/etc/modules-load.d/podwright-nvme.conf"
RULES = "/etc/udev/rules.d/99-podwright-nvme.rules"
_SCSI = ("iscsi", "fc")
_NETAPP = """\
defaults {
    find_multipaths no
    user_friendly_names yes
}
"""
_PURE = """\
defaults {
    polling_interval 10
    find_multipaths yes
    user_friendly_names no
}
devices {
    device {
        vendor "PURE"
        product "FlashArray"
        path_selector "service-time 0"
        hardware_handler "1 alua"
        path_grouping_policy group_by_prio
        prio alua
        failback immediate
        path_checker tur
        fast_io_fail_tmo 10
        user_friendly_names no
        no_path_retry 0
        dev_loss_tmo 600
    }
}
blacklist {
    devnode "^pxd[0-9]*"
}
"""
_SUBSYSTEM = 'ACTION=="add|change", SUBSYSTEM=="nvme-subsystem", ATTR{subsystype}=="nvm"'
_POLICIES = "".join(
    f'{_SUBSYSTEM}, ATTR{{model}}=="Pure Storage FlashArray", ATTR{{iopolicy}}="{policy}"\n'
    for policy in ("round-robin", "queue-depth")
)
"""A kernel without `queue-depth` keeps the first. nvme-cli brings such rules for ONTAP
(linux-nvme/nvme-cli, nvmf-autoconnect/udev-rules/71-nvmf-netapp.rules.in), and none for Pure before its release 3."""
IDENTITY = """\
set -eu
nqn=$(nvme gen-hostnqn)
id=${nqn##*uuid:}
case $id in ????????-????-????-????-????????????) ;; *) echo "no UUID in $nqn" >&2; exit 1 ;; esac
echo "$nqn" > "$1/hostnqn.new"
echo "$id" > "$1/hostid.new"
mv "$1/hostnqn.new" "$1/hostnqn"
mv "$1/hostid.new" "$1/hostid"
"""
"""RHCOS puts the same host NQN on every node (https://dell.github.io/csm-docs, CSI driver for PowerStore, NVMe
requirements), and the kernel refuses one id with two names (torvalds/linux, drivers/nvme/host/fabrics.c:
nvmf_host_add), so both come of one UUID: that of the machine, the same at every boot."""
_UNIT = """\
[Unit]
Description=Host NQN and host id of this machine for NVMe over fabrics
Before=nvmf-autoconnect.service kubelet.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh /usr/local/bin/podwright-nvme-host /etc/nvme
[Install]
WantedBy=multi-user.target
"""


def name(pool: str) -> str:
    """Of the pool's MachineConfig."""
    return f"50-{pool}-block-storage"


def machine_config(pool: str, defined: BlockStorage | None) -> Manifest | None:
    """One MachineConfig for all of it, so that nodes restart once; None where nothing is defined."""
    if defined is None:
        return None
    storage = {"files": [_file(*each) for each in _files(defined)]}
    config = {"ignition": {"version": "3.4.0"}, "storage": storage, "systemd": {"units": list(_units(defined))}}
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": {"name": name(pool), "labels": {"machineconfiguration.openshift.io/role": pool}},
        "spec": {"config": config},
    }


def _files(defined: BlockStorage) -> Iterator[tuple[str, str, int]]:
    if any(each in _SCSI for each in defined.protocols):
        yield MULTIPATH, _NETAPP if defined.array == "netapp-ontap" else _PURE, 0o644
    modules = [each for each in defined.protocols if each not in _SCSI]
    if modules:
        yield MODULES, "".join(f"{each}\n" for each in modules), 0o644
        yield "/usr/local/bin/podwright-nvme-host", IDENTITY, 0o755
        if defined.array == "pure-flasharray":
            yield RULES, _POLICIES, 0o644


def _units(defined: BlockStorage) -> Iterator[dict[str, Any]]:
    if any(each in _SCSI for each in defined.protocols):
        yield {"name": "multipathd.service", "enabled": True}
    if "iscsi" in defined.protocols:
        yield {"name": "iscsid.service", "enabled": True}
    if any(each not in _SCSI for each in defined.protocols):
        yield {"name": "podwright-nvme-host.service", "enabled": True, "contents": _UNIT}


def _file(path: str, text: str, mode: int) -> dict[str, Any]:
    return {"path": path, "mode": mode, "overwrite": True, "contents": {"source": f"data:,{quote(text)}"}}
