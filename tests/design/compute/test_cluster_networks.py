"""Networks of pods and services on their way from the stack file to the installer."""

import copy
from typing import Any

import pytest

from podwright.components import model
from podwright.components.providers.openshift.install import InstallKind
from podwright.components.providers.openshift.install.check import judge
from podwright.components.providers.openshift.install.files import install_config
from podwright.lab.openshift.controlplane import Identity
from podwright.lab.openshift.install.config import install_problems
from tests.design import whole
from tests.model.changes import LAB, Said, put

PULL_SECRET = '{"auths":{"registry.example.com":{"auth":"Y2FuYXJ5OmNhbmFyeQ=="}}}'
OWN = {"cluster": "10.64.0.0/16", "host_prefix": 24, "service": "10.66.0.0/16", "max_nodes": 128}


def spec(networks: Said | None = None) -> dict[str, Any]:
    said = copy.deepcopy(LAB)
    put("fabric/addressing/hosts", "10.96.0.0/16")(said)
    if networks is not None:
        put("openshift/networks", networks)(said)
    found: dict[str, Any] = whole.compute(model.load(said)).install
    return found


def networking(made: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = install_config(made, PULL_SECRET)["networking"]
    return found


def test_a_files_own_networks_reach_the_installer_and_the_cluster() -> None:
    made = spec(OWN)
    assert judge({"spec": made}) == []
    assert networking(made)["clusterNetwork"] == [{"cidr": "10.64.0.0/16", "hostPrefix": 24}]
    assert networking(made)["serviceNetwork"] == ["10.66.0.0/16"]
    install = install_config(made, PULL_SECRET)
    assert install_problems(install) == []
    pair = ["certificate", "key"]
    identity = Identity.of({"install": install, "agent": {}, "root": pair, "tokens": pair})
    assert (identity.service_network, identity.pod_network) == ("10.66.0.0/16", "10.64.0.0/16")
    assert "10.66.0.1" in identity.server_names


@pytest.mark.parametrize("networks", [None, {}, {"max_nodes": 12}, {"cluster": "10.128.0.0/14"}])
def test_the_installers_own_networks_leave_a_cluster_that_is_installed_as_it_was(networks: Said | None) -> None:
    made = spec(networks)
    assert "networks" not in made
    assert networking(made)["clusterNetwork"] == [{"cidr": "10.128.0.0/14", "hostPrefix": 23}]
    assert networking(made)["serviceNetwork"] == ["172.30.0.0/16"]


def test_other_networks_are_another_cluster() -> None:
    found = InstallKind().diff({"spec": spec()}, {"spec": spec(OWN)}, {})
    assert any(path[:2] == ("spec", "networks") for path in found.changes)
    assert all(path[:2] == ("spec", "networks") for path in found.replaces)
    assert found.replaces
    assert not InstallKind().diff({"spec": spec(OWN)}, {"spec": spec({**OWN, "max_nodes": 64})}, {}).changes


@pytest.mark.parametrize(
    ("change", "path", "word"),
    [
        ({"host_prefix": 17}, "spec.networks.host_prefix", "no subnet of /17 for each of 9 hosts"),
        ({"service": "10.64.8.0/22"}, "spec.networks.service", "overlaps the pods'"),
        ({"service": "10.66.0.1/16"}, "spec.networks", "has host bits set"),
        ({"host_prefix": "24"}, "spec.networks", "has three keys"),
        ({"max_nodes": 9}, "spec.networks", "has three keys"),
    ],
)
def test_the_resource_refuses_networks_without_room(change: dict[str, Any], path: str, word: str) -> None:
    made = spec(OWN)
    (found,) = judge({"spec": {**made, "networks": {**made["networks"], **change}}})
    assert ".".join(map(str, found.path)) == path
    assert word in found.message


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"clusterNetwork": [{"cidr": "192.0.0.0/14"}]}, "must not overlap with any of the machine networks"),
        ({"clusterNetwork": [{"cidr": "10.66.0.0/20"}]}, "must not overlap with service network 0"),
        ({"clusterNetwork": [{"cidr": "10.68.0.0/24"}]}, "must not be larger size than CIDR 10.68.0.0/24"),
        ({"clusterNetwork": [{"cidr": "11.0.0.0/8", "hostPrefix": 24}]}, "not large enough for the maximum number"),
        ({"clusterNetwork": [{"cidr": "100.88.0.0/16"}]}, "OVNKubernetes default transit subnet 100.88.0.0/16"),
        ({"serviceNetwork": ["192.0.2.0/25"]}, "service network must not overlap with any of the machine networks"),
        ({"serviceNetwork": ["10.66.0.0/16", "10.67.0.0/16"]}, "only one service network"),
        ({"serviceNetwork": ["10.66.1.0/16"]}, "has host bits set"),
        ({"machineNetwork": [{"cidr": "100.64.0.0/16"}]}, "OVNKubernetes default internal subnet 100.64.0.0/16"),
    ],
)
def test_the_installers_stand_in_refuses_what_the_installer_refuses(change: dict[str, Any], sentence: str) -> None:
    install = install_config(spec(OWN), PULL_SECRET)
    found = install_problems({**install, "networking": {**install["networking"], **change}})
    assert any(sentence in each for each in found), found
