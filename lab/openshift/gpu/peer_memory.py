"""nvidia_peermem, the module by which NICs reach GPU memory: built by the GPU's driver against the NICs' one.

What becomes of it when the NICs' driver is replaced, no source settles. gpu-operator's manifest has its container load
the module again (assets/state-driver/0500_daemonset.yaml, `reload_nvidia_peermem`); its issue 2868 has a module of the
earlier build that the new driver refuses, until the GPU driver's pod is deleted. Variant `peer-memory`.
"""

from __future__ import annotations

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.gpu.driver_pod import PEERMEM, has
from podwright.lab.openshift.host_memory import HostMemory


def problem(pod: Object | None, host: HostMemory, node: Object, form: str) -> str | None:
    """Why the module of the driver's `pod` is not loaded on a node, or None."""
    if pod is None or not has(pod, PEERMEM) or not host.driver or form == "reloaded":
        return None
    run = f"{pod['metadata']['uid']}/{node['status']['nodeInfo']['bootID']}"
    if host.peer_memory[0] != run:
        host.peer_memory = (run, host.driver)
    if host.peer_memory[1] == host.driver:
        return None
    return "could not insert 'nvidia_peermem': Invalid argument (built against the driver that NICs had before)"
