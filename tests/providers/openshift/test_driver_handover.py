"""A cluster that goes over to NVIDIADrivers: nodes keep the driver that they have until their pool's roll-out comes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from podwright.components.providers.openshift.kube import Kube
from tests.lab.openshift.manifests import OPERATORS, cluster_policy, feature_discovery, operator
from tests.lab.openshift.test_driver_objects import driver
from tests.providers.openshift.conftest import Rack, apply, build
from tests.providers.openshift.layouts import offers
from tests.providers.openshift.test_drivers import DRIVERS, INSTALL, OPERATOR, POLICY, kubeconfigs, rollout

pytestmark = pytest.mark.rough

NAMES = ("gpu-01", "gpu-02")
HOSTS = {"cp-01": ("UCSC-C225-M8N", "master"), **dict.fromkeys(NAMES, ("UCSC-885A-M8", "worker"))}
NODES = "/api/v1/nodes"
SELECTOR = {"node-role.kubernetes.io/worker": ""}


@pytest.fixture(scope="module")
def gpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    built = build(tmp_path_factory.mktemp("handover") / "rack", "NVIDIA-H200", HOSTS)
    try:
        yield built
    finally:
        built.close()


@pytest_asyncio.fixture
async def kube(gpus: Rack) -> AsyncIterator[Kube]:
    created = await INSTALL.create({"spec": gpus.spec()}, gpus.context())
    kubeconfigs["lab"] = created.outputs["kubeconfig"].value
    api = Kube(kubeconfigs["lab"])
    for package in ("nfd", "gpu-operator-certified"):
        await apply(api, *operator(package))
        namespace, _, _, csv = OPERATORS[package]
        spec = {"schema": 1, "namespace": namespace, "subscription": package, "csv": csv}
        await OPERATOR.create({"spec": spec, "kubeconfig": kubeconfigs["lab"]}, gpus.context())
    await apply(api, feature_discovery(), cluster_policy(daemonsets={"tolerations": [{"operator": "Exists"}]}))
    await DRIVERS.create(rollout(None, nodes=list(NAMES)), gpus.context())
    try:
        yield api
    finally:
        kubeconfigs.clear()


async def test_every_node_goes_over_within_the_budget_and_nothing_is_left(gpus: Rack, kube: Kube) -> None:
    await apply(
        kube, driver("default", "595.91.07", default=True), driver("pool-a", "580.95.05", nodeSelector=SELECTOR)
    )
    wanted = rollout("580.95.05", nodes=list(NAMES), max_unavailable=1)
    reports = {"policy": "/apis/nvidia.com/v1alpha1/nvidiadrivers/pool-a", "owner": "pool-a"}
    wanted["spec"]["driver"] |= reports
    await kube.merge(POLICY, {"spec": {"driver": {"useNvidiaDriverCRD": True}}})
    await DRIVERS.update("worker", wanted, rollout(None, nodes=list(NAMES)), {}, gpus.context())
    for name in NAMES:
        node = await kube.get(f"{NODES}/{name}")
        assert node["metadata"]["labels"]["nvidia.com/cuda.driver.major"] == "580"
        assert not node["spec"].get("unschedulable")
        await offers(kube, name, "gpu", 8)
    assert (await kube.get(reports["policy"]))["status"]["state"] == "ready"
    assert (await kube.get(POLICY))["status"]["state"] == "ready"
    seen = await DRIVERS.read("worker", wanted, {}, gpus.context())
    assert seen is not None
    assert DRIVERS.diff(seen.inputs, wanted, {}).changes == {}
