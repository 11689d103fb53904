"""Short forms of a stack file: letters and several ranges in a key, a range for a list, a number for a port."""

import copy

import pytest

from podwright.components import model
from podwright.components.model.expand import expand
from tests.model.changes import PROD


def test_a_range_of_letters_counts_by_the_alphabet() -> None:
    ports = {"fi-[a-b]": {"port": "16+n", "channel": "200+n", "device": "domain-[a-b]", "vlans": [10]}}
    made = expand({"fabric": {"frontend": {"ports": ports}}}).value["fabric"]["frontend"]["ports"]
    assert made == {
        "fi-a": {"port": "Ethernet1/17", "channel": 201, "device": "domain-a", "vlans": [10]},
        "fi-b": {"port": "Ethernet1/18", "channel": 202, "device": "domain-b", "vlans": [10]},
    }


def test_several_ranges_are_one_key() -> None:
    servers = {"cp-[01-02], inf-[01,03]": {"rack": "r+n"}, "inf-*": {"index": "10+n"}}
    made = expand({"servers": servers}).value["servers"]
    assert made == {
        "cp-01": {"rack": "r1", "index": 1},
        "cp-02": {"rack": "r2", "index": 2},
        "inf-01": {"rack": "r1", "index": 11},
        "inf-03": {"rack": "r3", "index": 13},
    }


def test_a_number_alone_is_a_port_an_address_of_the_machine_network_or_one_after_the_boot_mac() -> None:
    said = copy.deepcopy(PROD)
    shift, frontend = said["openshift"], said["fabric"]["frontend"]
    shift["api_vip"], shift["ingress_vip"], shift["gateway"] = 5, 6, 1
    said["servers"]["gpu-01"]["address"] = 101
    said["servers"]["gpu-01"]["bond_mac"] = 64
    frontend["vpc"]["peer_link"] = [35, 36]
    frontend["ports"]["x-series-a"]["port"] = 17
    frontend["routed"]["border-01"]["port"] = 29
    assert model.load(said) == model.load(PROD)


@pytest.mark.parametrize("number", [0, 256, 1000, -1])
def test_a_number_that_the_machine_network_has_no_address_for_is_none(number: int) -> None:
    said = copy.deepcopy(PROD)
    said["openshift"]["api_vip"] = number
    with pytest.raises(model.SpecErrors, match=r"openshift\.api_vip"):
        model.load(said)


def test_a_range_stands_for_a_list() -> None:
    said = copy.deepcopy(PROD)
    said["site"]["ntp"] = "203.0.113.[2-3]"
    said["domains"]["x-series"]["server_ports"] = "[9-14]"
    assert model.load(said) == model.load(PROD)
    said["domains"]["x-series"]["server_ports"] = "[14-9]"
    with pytest.raises(model.SpecErrors, match="ends before it begins"):
        model.load(said)


def test_ports_and_channels_follow_from_a_name_where_nothing_is_written() -> None:
    said = copy.deepcopy(PROD)
    for port in said["fabric"]["frontend"]["ports"].values():
        if port["device"].startswith("gpu-"):
            del port["port"], port["channel"]
    for port in said["fabric"]["frontend"]["routed"].values():
        del port["leaf"]
    assert model.load(said) == model.load(PROD)
