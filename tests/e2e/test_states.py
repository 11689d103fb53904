"""A stack of an earlier release, planned by this one: what it has is found again, and no device is touched."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.site import Change, Site
from tools.generated import ROOT

pytestmark = pytest.mark.e2e

STATES = ROOT / "tests/states"
SINCE_THEN = (("version: 4.20.3", "version: 4.22.3"), ('release: "2026.11"', 'release: "2026.10"'))
STORED = sorted(STATES.glob("*/*.json.gz"))
DEVICES = ("podwright:nxos:", "podwright:intersight:", "podwright:redfish:", "podwright:openshift:", "kubernetes:")
DEFINED_SINCE = (
    'metadata.labels["podwright.io/purpose"]',
    # A C845A by family and model, two tokens that hold what it is shipped with. The roll-out of its pool asks each
    # machine what waits for a restart: nothing does.
    "spec.server_family",
    "spec.properties.Model",
    "spec.properties.BiosConfigurations",
    "spec.digest",
    # What of a server profile waits for a restart, beside what it is as a whole: nothing is handed over for it.
    "spec.restart_digest",
    # And by node, in the roll-out of its pool.
    *(f"spec.nodes[{number}].digest" for number in range(5)),
    "spec.trigger",
    # How long the first node of a roll-out is watched: there is none to watch.
    "spec.soak_seconds",
    # NICs in the lossless class: functions wait for their settings, and firmware has one writer.
    "spec.nicConfigurationOperator",
    "spec.configDaemonNodeSelector",
    "spec.disablePlugins",
    # Pulumi's own word that it waits for the GPU operator: a roll-out of each pool does, which knows of its drivers.
    'metadata.annotations["pulumi.com/',
    "metadata.annotations.pulumi",
    # What the GPU operator does by itself since v25.10: its device plugin hands GPUs out by CDI.
    "spec.cdi",
    # The same NICs by their address alone: a node's functions are those it has.
    "spec.nicSelector.pfNames",
    # The SCC of pods with rails allows what restricted-v2 does: a volume of a CSI driver had no SCC at all.
    "allowedCapabilities",
    "volumes",
    # A HOME that replicas of any user can write: a service's pods are replaced one after the other.
    *(f"spec.template.spec.containers[0].{each}" for each in ("env", "volumeMounts")),
    "spec.template.spec.volumes",
)
"""What later releases define of a device beyond what an earlier one did; none of it restarts or takes away anything."""

MADE_SINCE = {
    *(f"maintenance-{each}-nvidia-maintenance-operator" for each in ("namespace", "operatorgroup", "subscription")),
    "maintenance-install",
    "maintenance-maintenanceoperatorconfig-default",
    "network-nicconfigurationtemplate-training-a2dc",
    "network-nics-training",
    "pretrain-former-ended",
    "sriov-ports-training",
    *(f"machineconfig-99-{role}-chrony" for role in ("master", "worker")),
    "machineconfiguration-cluster",
    *(f"gpu-driver-{pool}" for pool in ("training", "inference")),
    *(f"{pool}-tuned-podwright-{pool}" for pool in ("training", "inference")),
    *(f"{pool}-{each}" for pool in ("training", "inference") for each in ("taint", f"kubeletconfig-{pool}")),
    *(
        f"validatingadmissionpolicy{each}-podwright-training-pools{about}"
        for each in ("", "binding")
        for about in ("", "-bindings")
    ),
    *(f"validatingadmissionpolicy{each}-podwright-gpus-by-resource" for each in ("", "binding")),
}
"""What an earlier release left out, behind the cluster's name: nothing set its NICs, which restarts nodes with rails
once (CHANGELOG); a pool's taint was part of its nodes' list, and kubelets registered without it; nobody looked where
its ports are, or took nodes to another GPU driver, of which none waits; memory was left to the profile that nodes have
anyway, and a Tuned object takes effect without a restart; so does where a node takes its time from. Nothing kept
other pods off training pools, or off GPUs that they did not ask for, and nothing ended a job before it was made again:
the first time it is only looked for.
"""

STARTED_ANEW = {"pretrain-job-pretrain"}
"""Its pods named NVIDIA's own RDMA devices (NCCL_IB_HCA), and a pod template is immutable; the nodes that it runs on
restart in the same update, for their NICs."""


CHANGED_SINCE = {
    # A pool's taint is its own resource now, and was all that a node's spec had.
    ("kubernetes:core/v1:NodePatch", "spec"),
    # A team that lists no slices may have none.
    ("kubernetes:core/v1:ResourceQuota", 'spec.hard["requests.nvidia.com/mig-1g.18gb"]'),
    # The guard's refusal stops a preview too.
    ("kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy", "spec.validations[0].reason"),
}


@pytest.mark.parametrize("stored", STORED, ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_a_stack_of_an_earlier_release_previews_without_touching_a_device(stored: Path, tmp_path: Path) -> None:
    stack = stored.name.partition(".")[0]
    # No lab, and no reach file: a plan dials no device.
    site = Site(tmp_path / "site", stack, {"PODWRIGHT_REACH": ""})
    site.lay_out(as_then((ROOT / f"Pulumi.{stack}.yaml").read_text()))
    site.init()
    changes = planned_from(site, stored)
    names = Counter(f"{change.op} {change.type}" for change in changes)
    expected = stored.with_name(f"{stack}.txt").read_text().splitlines()
    assert [f"{count} {what}" for what, count in sorted(names.items())] == expected
    made_or_gone = [each for each in changes if each.op != "update" and each.type.startswith(DEVICES)]
    by_op = {
        op: {each.name.partition("-")[2] for each in made_or_gone if each.op == op} for op in ("create", "replace")
    }
    assert by_op == {"create": MADE_SINCE, "replace": STARTED_ANEW}
    assert {each.op for each in made_or_gone} == set(by_op)
    moved = [each for each in changes if each.op == "update" and each.type.startswith(DEVICES)]
    paths = {(each.type, path) for each in moved for path in each.paths if not path.startswith(DEFINED_SINCE)}
    assert paths == CHANGED_SINCE


def as_then(text: str) -> str:
    """A stack file with the OpenShift release and the release set of stored stacks: neither goes back by itself."""
    for now, then in SINCE_THEN:
        assert now in text
        text = text.replace(now, then)
    return text


def planned_from(site: Site, stored: Path) -> list[Change]:
    """What this release would change in a stored state, no device in reach."""
    file = site.folder / "stored.json"
    file.write_bytes(gzip.decompress(stored.read_bytes()))
    site.pulumi("stack", "import", "--file", str(file))
    return [change for change in site.preview() if change.type != "pulumi:pulumi:Stack"]
