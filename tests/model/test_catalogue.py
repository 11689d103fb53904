"""MIG packings and the catalogue's own consistency."""

import pytest

from podwright.components.model.catalogue import GPUS, SERVERS, SWITCHES
from podwright.components.model.catalogue.mig import fits, layout, layouts

H200 = GPUS["NVIDIA-H200"]


@pytest.mark.parametrize(
    ("wanted", "possible"),
    [
        ({"2g.35gb": 3, "1g.18gb": 1}, True),
        ({"4g.71gb": 1, "3g.71gb": 1}, True),
        ({"3g.71gb": 1, "2g.35gb": 1, "1g.18gb": 2}, True),
        ({"3g.71gb": 1, "2g.35gb": 2}, True),
        ({"4g.71gb": 1, "2g.35gb": 1, "1g.18gb": 1}, True),
        ({"1g.35gb": 4}, True),
        ({"3g.71gb": 2, "1g.18gb": 1}, False),
        ({"2g.35gb": 3, "1g.18gb": 2}, False),
        ({"2g.35gb": 4}, False),
        ({"7g.141gb": 1, "1g.18gb": 1}, False),
    ],
)
def test_packings_of_a_seven_slice_gpu(wanted: dict[str, int], possible: bool) -> None:
    """Enumerated by hand from NVIDIA's placement table."""
    assert fits(H200, wanted) is possible


@pytest.mark.parametrize("product", [gpu.name for gpu in GPUS.values() if gpu.mig])
def test_every_layout_is_a_packing_and_no_profile_fits_once_more(product: str) -> None:
    gpu = GPUS[product]
    for name in layouts(gpu):
        held = layout(gpu, name)
        assert held is not None
        assert fits(gpu, held), name
    for profile in gpu.mig.values():
        if not profile.name.endswith("+me"):
            assert not fits(gpu, {profile.name: profile.largest + 1}), profile.name


def test_counts_of_nvidias_table() -> None:
    assert layout(GPUS["NVIDIA-A100-PCIE-40GB"], "all-1g.10gb") == {"1g.10gb": 4}
    assert layout(GPUS["NVIDIA-H100-80GB-HBM3"], "all-1g.10gb") == {"1g.10gb": 7}
    assert layout(GPUS["NVIDIA-H100-NVL"], "all-3g.47gb") == {"3g.47gb": 2}
    assert layout(H200, "all-balanced") == {"1g.18gb": 2, "2g.35gb": 1, "3g.71gb": 1}
    assert layout(H200, "all-1g.10gb") is None
    assert layouts(GPUS["NVIDIA-L40S"]) == ()


def test_servers_take_known_gpus_and_no_x_series_takes_sxm() -> None:
    for server in SERVERS.values():
        assert set(server.gpus) <= set(GPUS)
        assert [nic.rail for nic in server.rails] == list(range(len(server.rails)))
        sxm = [name for name in server.gpus if GPUS[name].form == "sxm"]
        assert not sxm or server.name == "UCSC-885A-M8"


def test_port_groups_of_switches_are_seamless() -> None:
    for switch in SWITCHES.values():
        speeds = [switch.gbps(number) for number in range(1, switch.ports + 1)]
        assert None not in speeds
        assert switch.gbps(switch.ports + 1) is None
