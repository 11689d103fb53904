"""Each resource of a plan leads to the entry of the stack file that it comes from."""

import pytest

from podwright.cli.review.places import origin
from podwright.components import model
from podwright.components.model.problems import dotted
from tests.model.changes import LAB
from tools import goldens
from tools.generated import ROOT

INSIDE = "urn:pulumi:lab::podwright::podwright:index:AiCluster$"
SRIOV = "SriovOperator$kubernetes:sriovnetwork.openshift.io/v1:"


@pytest.mark.parametrize("stack", ["lab", "prod"])
def test_every_resource_has_a_place_and_every_device_its_own(stack: str) -> None:
    cluster, where = model.located(goldens.stack_file(stack))
    urns = (ROOT / f"tests/components/goldens/{stack}.urns").read_text().splitlines()
    found = {urn: origin(cluster, urn) for urn in urns}
    assert all(where(loc) for loc in found.values())
    paths = {dotted(loc) for loc in found.values()}
    assert {f"servers.{name}" for name in cluster.servers} <= paths
    assert {f"fabric.leaves.{name}" for name in cluster.fabric.leaves} <= paths
    assert {f"pools.{name}" for name in cluster.pools} <= paths
    assert {f"openshift.teams.{name}" for name in cluster.teams} <= paths
    assert {f"workloads.training.{name}" for name in cluster.workloads.training} <= paths
    assert {f"storage.volumes.{name}" for name in cluster.storage.volumes} <= paths
    networks = {dotted(found[urn]) for urn in urns if ":SriovNetwork::" in urn}
    assert networks == {"operators", *(f"openshift.teams.{job.team}" for job in cluster.workloads.training.values())}


@pytest.mark.parametrize(
    ("end", "path"),
    [
        ("Fabric$podwright:nxos:Switch::lab-leaf-01", "fabric.leaves.leaf-01"),
        ("Fabric$podwright:nxos:Verification::lab-spine-01-links", "fabric.spines.spine-01"),
        ("Fabric$podwright:nxos:Soak::lab-wave-1", "fabric"),
        ("Fabric$podwright:nxos:Switch::lab-leaf-011", "fabric"),
        ("ServerRole$podwright:intersight:Policy::lab-bios-serving", "intersight"),
        ("NodePool$kubernetes:core/v1:NodePatch::lab-training-node-inference", "pools.training"),
        ("OpenShiftCluster$podwright:openshift:Install::lab-install", "openshift"),
        ("GpuOperator$podwright:openshift:DriverRollout::lab-gpu-driver-training", "operators"),
        (f"{SRIOV}SriovNetwork::lab-sriov-sriovnetwork-research-group1-rail0", "openshift.teams.research"),
        (f"{SRIOV}SriovNetwork::lab-sriov-sriovnetwork-podwright-acceptance-group1-rail0", "operators"),
        (f"{SRIOV}SriovNetworkNodePolicy::lab-sriov-sriovnetworknodepolicy-training-rail0", "operators"),
        ("podwright:index:World::lab-world", "name"),
        ("podwright:index:Join::lab-servers", "name"),
    ],
)
def test_the_longest_whole_name_counts(end: str, path: str) -> None:
    cluster = model.load(LAB)
    inside = end if end.startswith("podwright:index:") else f"podwright:index:{end}"
    assert dotted(origin(cluster, f"{INSIDE}{inside}")) == path
