"""The stand-ins' pure parts: MIG placement, perftest command lines, huge pages, the image."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from podwright.components.model import catalogue
from podwright.components.model.catalogue.servers import SERVERS
from podwright.lab.openshift import variants as openshift_variants
from podwright.lab.openshift.gpu import mig
from podwright.lab.openshift.hardware import GPUS
from podwright.lab.openshift.install import image
from podwright.lab.openshift.perftest.command import Run, parse
from podwright.lab.openshift.rails import rdma_mtu
from podwright.lab.openshift.tuning import arguments, huge_pages

H200 = GPUS["NVIDIA-H200"]


@pytest.mark.parametrize(
    ("wanted", "legal"),
    [
        ({"1g.18gb": 7}, True), ({"1g.18gb": 8}, False), ({"3g.71gb": 2}, True), ({"4g.71gb": 1, "3g.71gb": 1}, True),
        ({"4g.71gb": 2}, False), ({"3g.71gb": 2, "1g.18gb": 1}, False), ({"2g.35gb": 3, "1g.18gb": 1}, True),
        ({"1g.35gb": 4}, True), ({"1g.35gb": 3, "1g.18gb": 1}, True), ({"1g.35gb": 4, "1g.18gb": 1}, False),
        ({"7g.141gb": 1}, True), ({"7g.141gb": 1, "1g.18gb": 1}, False), ({"1g.10gb": 1}, False), ({}, True),
        ({"1g.18gb+me": 2}, False),
    ],
)  # fmt: skip
def test_what_fits_one_h200(wanted: dict[str, int], legal: bool) -> None:
    assert mig.fits(wanted, H200) is legal


@given(st.dictionaries(st.sampled_from(sorted(H200.profiles)), st.integers(1, 8), max_size=3))
def test_taking_an_instance_away_never_makes_a_layout_illegal(wanted: dict[str, int]) -> None:
    if mig.fits(wanted, H200):
        for profile in wanted:
            fewer = {p: n - (p == profile) for p, n in wanted.items() if n - (p == profile)}
            assert mig.fits(fewer, H200)


def test_strategies_name_resources_differently() -> None:
    placed = {0: {"1g.18gb": 7}, 1: {"1g.18gb": 7}}
    assert mig.resources(placed, "mixed") == {"nvidia.com/mig-1g.18gb": 14}
    assert mig.resources(placed, "single") == {"nvidia.com/gpu": 14}
    assert mig.resources(placed, "none") == {"nvidia.com/gpu": 2}
    assert mig.resources({0: {"1g.18gb": 7}, 1: {}}, "mixed") == {"nvidia.com/mig-1g.18gb": 7, "nvidia.com/gpu": 1}
    assert mig.resources({0: {"1g.18gb": 7}, 1: {}}, "single") == {"nvidia.com/gpu": 0}


def test_an_index_that_no_gpu_has_is_passed_over_and_what_no_row_names_stays() -> None:
    rows: list[Mapping[str, Any]] = [{"devices": [0, 8], "mig-enabled": True, "mig-devices": {"7g.141gb": 1}}]
    assert mig.instances(rows, H200, 8) == {0: {"7g.141gb": 1}}


def test_instances_come_to_the_places_of_public_outputs() -> None:
    """Seven 1g.10gb on one H100; 3g, 1g, 2g and 1g in this order on one A100; two 3g.20gb of the MIG user guide."""
    h100, a100 = GPUS["NVIDIA-H100-80GB-HBM3"], GPUS["NVIDIA-A100-SXM4-40GB"]
    assert [start for _, start in mig.place({"1g.10gb": 7}, h100) or ()] == [6, 4, 5, 0, 1, 2, 3]
    made: list[tuple[str, int]] = []
    for profile in ("3g.20gb", "1g.5gb", "2g.10gb", "1g.5gb"):
        start = mig.driver_start(profile, made, a100, "tight")
        assert start is not None
        made.append((profile, start))
    assert [start for _, start in made] == [4, 0, 2, 1]
    assert mig.place({"3g.20gb": 2}, a100, "lowest") == [("3g.20gb", 0), ("3g.20gb", 4)]


@pytest.mark.parametrize("choice", openshift_variants.OPENSHIFT["mig-places"].forms)
def test_mig_parted_finds_an_order_that_the_driver_can_place(choice: str) -> None:
    """The order of most slices first is not enough where 3g comes to the first half; other orders are tried."""
    assert mig.place({"1g.18gb": 2, "2g.35gb": 1, "3g.71gb": 1}, H200, choice) is not None
    assert mig.place({"3g.71gb": 2, "1g.18gb": 1}, H200, choice) is None
    with pytest.raises(mig.LayoutError, match="GPU 1: error attempting multiple config orderings: all orderings"):
        mig.instances([{"devices": [1], "mig-enabled": True, "mig-devices": {"2g.35gb": 4}}], H200, 2, choice)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"devices": "all", "mig-enabled": True}, "missing required field 'mig-devices'"),
        ({"mig-enabled": False}, "missing required field: devices"),
        ({"devices": "first", "mig-enabled": False}, "invalid string input for 'devices'"),
        ({"devices": "all", "mig-enabled": False, "mig-devices": {"1g.18gb": 1}}, "'mig-enabled' is false"),
        ({"devices": "all", "mig-enabled": True, "mig-devices": {"1g.18gb": 0}}, "all counts"),
        ({"devices": "all", "mig-enabled": False, "mig-device": {}}, "unexpected field: mig-device"),
    ],
)
def test_one_wrong_row_spoils_a_map_of_layouts(row: dict[str, Any], told: str) -> None:
    layouts = {"all-disabled": [{"devices": "all", "mig-enabled": False}], "wrong": [row]}
    with pytest.raises(mig.LayoutError, match=told):
        mig.parse(yaml.safe_dump({"version": "v1", "mig-configs": layouts}))


def test_a_device_filter_chooses_products_by_pci_id() -> None:
    mine, other = {"1g.18gb": 2}, {"1g.12gb": 2}
    layout: list[Mapping[str, Any]] = [
        {"device-filter": ["0x232110DE"], "devices": "all", "mig-enabled": True, "mig-devices": other},
        {"device-filter": "0x233510DE", "devices": "all", "mig-enabled": True, "mig-devices": mine},
    ]
    assert mig.instances(layout, H200, 2) == {0: mine, 1: mine}


def test_a_client_is_read_from_its_arguments() -> None:
    words = "ib_write_bw -F --report_gbits -D 10 -q 4 -x 3 --tclass 106 -p 18516 --out_json --out_json_file=/dev/termination-log 198.51.100.9"  # noqa: E501
    (run,) = parse(words.split()).runs
    assert run == Run("198.51.100.9", 18516, 10.0, 4, 106, 0, 65536, "", True)


def test_servers_and_counters_are_read_from_a_script() -> None:
    counter = "cat /sys/class/infiniband/*/ports/1/hw_counters/out_of_sequence"
    script = f"{counter} > /dev/termination-log; ib_write_bw -p 1 & ib_write_bw -d mlx5_0 -p 2 & wait; {counter} >> /dev/termination-log"  # noqa: E501
    found = parse(["sh", "-c", script])
    assert [(run.port, run.device, run.address) for run in found.runs] == [(1, "", ""), (2, "mlx5_0", "")]
    assert found.before == found.after == ("out_of_sequence",)


def test_the_rdma_mtu_fits_into_the_interface() -> None:
    assert [rdma_mtu(mtu) for mtu in (9000, 4200, 4096, 1500)] == [4096, 4096, 2048, 1024]


def test_huge_pages_come_back_from_their_arguments() -> None:
    spec = {
        "hugepages": {"defaultHugepagesSize": "1G", "pages": [{"size": "1G", "count": 16}, {"size": "2M", "count": 8}]}
    }
    assert huge_pages(arguments(spec)) == {"hugepages-1Gi": 16, "hugepages-2Mi": 16}


def test_an_image_carries_its_content_and_nothing_else_passes(tmp_path: Path) -> None:
    path = tmp_path / "agent.iso"
    image.write(path, {"release": "4.22.3"})
    assert image.read(path) == {"release": "4.22.3"}
    assert path.stat().st_mode & 0o077 == 0
    path.write_bytes(path.read_bytes()[: image.FILE_SECTOR * image.SECTOR + 20])
    with pytest.raises(image.ImageError, match="damaged"):
        image.read(path)
    path.write_bytes(b"not an image")
    with pytest.raises(image.ImageError, match="not an ISO"):
        image.read(path)


def test_every_gpu_that_a_server_of_the_catalogue_takes_is_known() -> None:
    """A world with such a server would not start otherwise; both tables come from NVIDIA's, each by itself."""
    for product in {product for each in SERVERS.values() for product in each.gpus}:
        gpu = catalogue.GPUS[product]
        listed = GPUS[product]
        assert (listed.memory, listed.compute) == (gpu.mib, gpu.capability)
        assert listed.device == (gpu.device.lower() or listed.device)
        assert set(listed.profiles) == set(gpu.mig)
