"""VLANs for nodes that stand: the image's interfaces beside the machine network, and nothing under br-ex."""

import copy
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from podwright.cli.__main__ import app
from podwright.components import model
from podwright.components.design.compute.host_network import Pairs
from podwright.components.design.compute.standing_network import NO_BOND, UNDER_MACHINE, Standing, standing
from podwright.lab.openshift.install.nmstate import problems
from tests.design.compute.test_host_network import changed, interfaces, networks, racked
from tests.model.changes import LAB, PROD, Said, drop, put
from tools.generated import ROOT


def derived(said: Said) -> Standing:
    cluster = model.load(copy.deepcopy(said))
    assert cluster.fabric.frontend is not None and cluster.openshift is not None
    fabric = cluster.fabric
    pairs = Pairs(cluster.fabric.frontend, fabric.frontend_mtu, fabric.storage, fabric.storage_mtu)
    return standing(cluster.servers, cluster.openshift, cluster.site, pairs)


def by_node(found: Standing) -> dict[str, list[dict[str, Any]]]:
    return {
        each["spec"]["nodeSelector"]["kubernetes.io/hostname"]: each["spec"]["desiredState"]["interfaces"]
        for each in found.policies
    }


def test_a_node_is_brought_exactly_what_the_image_would_give_it_beside_the_machine_network() -> None:
    said = racked()
    image, found = networks(said), by_node(derived(said))
    assert found.keys() == {name for name, network in image.items() if network}
    for name, rows in found.items():
        assert [row["name"] for row in rows] == ["bond0.20"]
        assert rows == [interfaces(image[name])["bond0.20"]]
        config = {"hostname": name, "networkConfig": {"interfaces": rows}}
        # The bond is there already: a policy names it, and does not make it.
        assert not [
            each for each in problems(config, name) if not each.endswith(("bond0 is missing", "to a MAC address"))
        ]


def test_nothing_under_the_machine_network_is_touched() -> None:
    """OVN-Kubernetes has it on br-ex: no bond, no port of one, no route, no name server is in a policy."""
    for each in derived(racked()).policies:
        state = each["spec"]["desiredState"]
        assert state.keys() == {"interfaces"}
        assert {row["type"] for row in state["interfaces"]} == {"vlan"}
        assert not any(row["name"] in ("bond0", "bond0.10") for row in state["interfaces"])


def test_another_subnet_reaches_the_policies_each_with_an_address_of_its_own() -> None:
    found = by_node(derived(changed(put("fabric/frontend/vlans/storage/subnet", "10.77.0.0/24"))))
    addresses = {name: rows[0]["ipv4"]["address"][0] for name, rows in found.items()}
    assert all(each["ip"].startswith("10.77.0.") for each in addresses.values())
    assert len({each["ip"] for each in addresses.values()}) == len(addresses), "each node has its own"


def test_what_cannot_be_brought_is_named_with_the_way_out() -> None:
    found = derived(changed(drop("servers/gpu-01/bond_mac")))
    assert found.left_out == {"gpu-01": NO_BOND}
    assert "gpu-01" not in by_node(found)
    assert "gpu-02" in by_node(found)


def test_an_untagged_network_beside_a_tagged_machine_network_is_left_out() -> None:
    said = racked()
    put("fabric/frontend/ports/cp-03/vlans", [20, 10])(said)
    found = derived(said)
    assert found.left_out == {"cp-03": UNDER_MACHINE}
    assert "cp-03" not in by_node(found), "its machine network is tagged, and in no policy"


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["explain", "host-network", *words])
    return done.exit_code, done.stdout, done.stderr


def test_the_command_prints_them_as_oc_takes_them() -> None:
    code, printed, _ = run(str(ROOT / "Pulumi.prod.yaml"))
    assert code == 0
    documents = list(yaml.safe_load_all(printed))
    assert documents == list(derived(PROD).policies)
    assert {each["kind"] for each in documents} == {"NodeNetworkConfigurationPolicy"}


@pytest.mark.parametrize("said", [LAB])
def test_a_file_without_a_frontend_pair_has_none(said: Said) -> None:
    code, printed, error = run(str(ROOT / "Pulumi.lab.yaml"))
    assert (code, printed) == (2, "")
    assert "no `fabric.frontend`" in error
