"""MIG packings and the catalogue's own consistency."""

from typing import get_args

import pytest

from podwright.components.intersight_table.table import rules_of, rules_of_nested
from podwright.components.model.catalogue import (
    CHASSIS,
    GPUS,
    INTERCONNECTS,
    SERVERS,
    SWITCHES,
    PowerSupplies,
    Redundancy,
)
from podwright.components.model.catalogue.interconnects import InterconnectName
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
        ({"1g.18gb+me": 1, "1g.18gb": 6}, True),
        ({"1g.18gb+me": 2}, False),
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
        assert not sxm or server.attachments == ("Standalone",)


def test_a_blade_takes_slots_and_is_attached_and_a_rack_server_is_fed_by_its_own_supplies() -> None:
    for server in SERVERS.values():
        blade = server.attachments == ("FIAttached",)
        assert bool(server.slots) == blade
        assert not (blade and server.supplies)
        assert server.slots <= CHASSIS["UCSX-9508"].slots
    assert {name for name, each in SERVERS.items() if each.slots == 2} == {"UCSX-410C-M7"}


def test_every_model_says_what_manages_it_and_whence_it_is_known() -> None:
    for server in SERVERS.values():
        assert server.managed
        assert server.source
        assert (server.manager == "intersight") == (server.family is not None)
        assert "FIAttached" not in server.attachments or server.vic == "MLOM"


def test_families_are_those_of_intersights_firmware_policy() -> None:
    rule = rules_of("firmware.Policy")["ModelBundleCombo"]
    known = rules_of_nested(rule, {})["ModelFamily"]["one_of"]
    assert {each.family for each in SERVERS.values() if each.family} <= set(known)


def test_interconnects_are_device_models_of_intersights_port_policy() -> None:
    known = rules_of("fabric.PortPolicy")["DeviceModel"]["one_of"]
    assert set(INTERCONNECTS) <= set(known)
    assert set(get_args(InterconnectName)) == set(INTERCONNECTS)


def test_half_of_the_supplies_and_what_a_mode_leaves() -> None:
    six = CHASSIS["UCSX-9508"].supplies
    assert [six.budget(mode) for mode in get_args(Redundancy)] == [8400, 14000, 11200, 16800]
    assert six.half_carries(8400)
    assert not six.half_carries(8401)
    five = PowerSupplies(5, 2800, "")
    assert five.budget("Grid") == 5600
    assert not five.half_carries(5601)
    assert PowerSupplies(2, None, "").half_carries(1) is None
    assert PowerSupplies(2, None, "").budget("Grid") is None
    assert PowerSupplies(1, 2800, "").budget("N+2") == 0


def test_port_groups_of_switches_are_seamless() -> None:
    for switch in SWITCHES.values():
        speeds = [switch.gbps(number) for number in range(1, switch.ports + 1)]
        assert None not in speeds
        assert switch.gbps(switch.ports + 1) is None
