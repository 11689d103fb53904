"""GPUs that the open kernel modules do not drive keep nvidia-peermem."""

import pytest

from podwright.components.model import Operators
from podwright.components.model.catalogue import GPUS
from podwright.components.model.catalogue.gpus import Gpu
from podwright.components.model.coherence import driver_problems, gpu_driver

VOLTA = Gpu("Tesla-V100-SXM2-32GB", 32, 32768, (7, 0), 300, "sxm", 8)
ASKED = Operators(release="2026.11", gpu_direct="dma-buf")


def test_dma_buf_is_for_turing_and_later_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server of the catalogue has an older GPU; a server that gets one is refused by the GPU's own data."""
    monkeypatch.setattr(gpu_driver, "GPUS", {**GPUS, VOLTA.name: VOLTA})
    (found,) = driver_problems(ASKED, [VOLTA.name, "Tesla-T4", "NVIDIA-B200"], rdma=True)
    assert found.loc == ("gpu_direct",)
    assert "do not drive Tesla-V100-SXM2-32GB: they are for Turing" in found.message
    assert not list(driver_problems(ASKED, list(GPUS), rdma=True)), "every GPU of the catalogue is newer"
    stored = ASKED.model_copy(update={"gds": True})
    assert [each.loc for each in driver_problems(stored, [VOLTA.name], rdma=False)] == [("gds",)]


def test_without_rails_nothing_is_asked_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_driver, "GPUS", {**GPUS, VOLTA.name: VOLTA})
    assert not list(driver_problems(ASKED, [VOLTA.name], rdma=False))
    assert not list(driver_problems(ASKED.model_copy(update={"gpu_direct": "peermem"}), [VOLTA.name], rdma=True))
