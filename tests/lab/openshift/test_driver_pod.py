"""How NICs reach GPU memory follows from the pod that runs on a node, not from what the ClusterPolicy says since."""

from __future__ import annotations

from typing import Any, cast

import pytest

from podwright.lab.openshift.cache import Cache, Kind
from podwright.lab.openshift.gpu import driver_pod
from podwright.lab.openshift.kinds import PODS
from podwright.lab.openshift.networks import MOFED_WAIT

HOPPER, NODE = (9, 0), "gpu-01"


class Known:
    """A cache of one node and its driver's pod."""

    def __init__(self, driver: dict[str, Any], image: str, kernel: str, mofed: bool) -> None:
        beside = [
            {"name": name, "image": each} for name, each in driver_pod.sidecars({"driver": driver}, image).items()
        ]
        env = [{"name": name, "value": value} for name, value in driver_pod.environment(driver).items()]
        self.pod = {
            "metadata": {"labels": {"app.kubernetes.io/component": "nvidia-driver"}},
            "spec": {"nodeName": NODE, "containers": [{"name": "driver", "image": image, "env": env}, *beside]},
        }
        labels = {MOFED_WAIT: "false"} if mofed else {}
        self.node = {"metadata": {"labels": labels}, "status": {"nodeInfo": {"kernelVersion": kernel}}}

    def list(self, kind: Kind) -> list[Any]:
        return [self.pod] if kind is PODS else []

    def get(self, kind: Kind, name: str) -> Any:
        return self.node if kind is not PODS and name == NODE else None


def copied(
    image: str = "nvcr.io/nvidia/driver:580.95.05-rhcos4.20",
    kernel: str = "5.14.0-570.el9",
    compute: tuple[int, int] = HOPPER,
    mofed: bool = True,
    **driver: Any,
) -> str:
    return driver_pod.copied(cast("Cache", Known(driver, image, kernel, mofed)), NODE, compute)


@pytest.mark.parametrize("chosen", ["open", "auto"])
def test_open_modules_on_a_kernel_with_dma_buf_need_nothing_else(chosen: str) -> None:
    assert copied(kernelModuleType=chosen, mofed=False) == ""
    assert "neither DMA-BUF nor nvidia-peermem" in copied(kernelModuleType=chosen, kernel="5.11.9", mofed=False)


def test_other_modules_need_peermem_and_the_nics_driver() -> None:
    assert "host's" in copied(kernelModuleType="proprietary")
    assert copied(kernelModuleType="proprietary", rdma={"enabled": True}) == ""
    assert "host's" in copied(kernelModuleType="proprietary", rdma={"enabled": True}, mofed=False)


def test_auto_takes_open_modules_from_a_branch_on_and_for_gpus_that_they_drive() -> None:
    older = "nvcr.io/nvidia/driver:550.163.01-rhcos4.20"
    assert "host's" in copied(image=older)
    assert copied(image=older, kernelModuleType="open") == ""
    assert "host's" in copied(compute=(7, 0))
    assert copied(image="nvcr.io/nvidia/driver@sha256:00") == "", "the operator's own is of a later branch"


def test_the_operator_has_an_image_of_gdrdrv_and_none_of_nvidia_fs() -> None:
    """As OLM's bundle sets its environment."""
    assert driver_pod.sidecars({"gdrcopy": {"enabled": True}}, "x") == {
        "nvidia-gdrcopy-ctr": "nvcr.io/nvidia/cloud-native/gdrdrv"
    }
    with pytest.raises(driver_pod.ImageError, match="ENV GDS_IMAGE"):
        driver_pod.sidecars({"gds": {"enabled": True}}, "x")


def test_nvidia_fs_is_not_loaded_beside_other_kernel_modules() -> None:
    image = {"repository": "nvcr.io/nvidia/cloud-native", "image": "nvidia-fs", "version": "2.29.4"}
    spec = {"gds": {"enabled": True, **image}}
    containers = [{"name": each, "image": of} for each, of in driver_pod.sidecars(spec, "x").items()]
    assert containers[0]["image"] == "nvcr.io/nvidia/cloud-native/nvidia-fs:2.29.4-rhcos4.20"
    for kind, wrong in (("open", False), ("proprietary", True)):
        env = [{"name": driver_pod.MODULES, "value": kind}]
        main = {"name": "driver", "image": "nvcr.io/nvidia/driver:580.95.05-rhcos4.20", "env": env}
        found = driver_pod.problem({"spec": {"containers": [main, *containers]}}, {}, HOPPER, host_mofed=False)
        assert ("open kernel modules" in str(found)) is wrong
