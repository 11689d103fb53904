"""A rack server with a VIC behind Fabric Interconnects: managed, addressed and booted as a blade is."""

import copy

from podwright.components.design.compute.install import Management, spec
from podwright.components.model import Cluster
from podwright.components.providers.intersight.module import KINDS
from podwright.components.providers.protocol.kind import CheckContext
from tests.design import whole
from tests.model.changes import PROD, both, drop, put

SERVER = {"UCSC-C220-M8S": "NVIDIA-L4", "UCSC-C240-M8SX": "NVIDIA-L40S", "UCSC-C245-M8SX": "NVIDIA-H100-NVL"}


def attached(model: str, gpus: str) -> Cluster:
    said = copy.deepcopy(PROD)
    both(
        put("servers/inf-01/model", model), put("servers/inf-01/gpus", gpus),
        drop("pools/inference/mig"), drop("openshift/teams"), drop("workloads"), drop("storage/volumes"),
    )(said)  # fmt: skip
    return Cluster.model_validate(said)


def test_a_rack_server_with_a_domain_is_attached_and_has_the_blades_kind_of_vnics() -> None:
    for model, gpus in SERVER.items():
        cluster = attached(model, gpus)
        plan = whole.compute(cluster)
        (profile,) = (each for each in plan.profiles if each.spec["name"] == "inf-01")
        assert profile.spec["target_platform"] == "FIAttached"
        (lan,) = (each for each in profile.policies if each.object_type == "vnic.LanConnectivityPolicy")
        assert lan.properties["TargetPlatform"] == "FIAttached"
        assert [child.properties["Placement"]["SwitchId"] for child in lan.children] == ["A", "B"]
        kinds = {kind.token: kind for kind in KINDS}
        for each in profile.policies:
            spec = {"spec": each.spec("o")}
            assert kinds["podwright:intersight:Policy"].check(spec, CheckContext()) == []


def test_the_installer_reaches_it_by_intersight() -> None:
    cluster = attached("UCSC-C220-M8S", "NVIDIA-L4")
    assert cluster.openshift
    reached = Management(cluster.bmc, cluster.intersight)
    found = spec(cluster.name, cluster.openshift, cluster.servers, cluster.site, reached)
    (host,) = (each for each in found["hosts"] if each["name"] == "inf-01")
    assert host["intersight"] is True
    assert "bmc" not in host
