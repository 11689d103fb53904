"""Services that KServe runs, as planned, by the real KServe of a cluster of the lab.

Opt-in: `make soak SUITE=kserve`, which builds KServe (`python3 -m toolchain setup kserve`).
"""

from __future__ import annotations

import asyncio
import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes
import pytest
from pulumi import automation

from podwright.components.design.platform import teams
from podwright.components.design.workloads import monitor, route, served, service
from podwright.components.model import Inference, Team, load
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.served import ServedKind, lacks
from podwright.components.providers.protocol.kind import Context, ProviderError
from tests.design import whole
from tests.design.with_kserve import with_kserve
from tests.lab.openshift.inline import Alone, anywhere, stack
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.subscribed import subscribe
from tests.lab.openshift.test_routes import Client
from tests.lab.openshift.versions import Probe
from tools.generated import ROOT

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1500)]
SHAPE = {"masters": 1, "workers": ("", "", ""), "openshift": "4.20.3"}
MACHINES = {"inf-01": load(ROOT / "Pulumi.lab.yaml").servers["inf-01"]}
HOST = "chat-chat.apps.lab.example.com"
FIXED = {
    "team": "chat", "pool": "inference", "replicas": 2, "image": "registry.example.com/serving/vllm:1", "model": "m",
    "memory_gib": 1, "cpus": 1, "load_seconds": 10, "metrics": True, "route": {"host": HOST}, "kind": "kserve",
}  # fmt: skip
GONE = 60


def _service(**changes: Any) -> Inference:
    return Inference.model_validate({**FIXED, **changes})


def _planned(inference: Inference, name: str = "chat") -> list[dict[str, Any]]:
    """The service's objects as planned, on nodes that are in no pool."""
    first, *beside = service(name, inference, MACHINES)
    anywhere(first)
    return [first, *beside, *route(name, inference), *monitor(name, inference)]


class Site:
    """The stack of one service on a cluster."""

    def __init__(self, cluster: Rack, folder: Path) -> None:
        self.cluster, self.access = cluster, cluster.kubeconfig().read_text()
        self.inference = _service()
        self.stack = stack("served", "kserve", folder, self._program)

    def _program(self) -> None:
        provider = pulumi_kubernetes.Provider("cluster", kubeconfig=self.access, enable_server_side_apply=True)
        inside = pulumi.ResourceOptions(providers=[provider])
        Alone("chat", _planned(self.inference), inside)

    def up(self) -> None:
        """Bring it about, without the wait for its replicas."""
        self.stack.up()

    @property
    def asked(self) -> dict[str, Any]:
        """What the wait is given."""
        return served("chat", self.inference, _planned(self.inference)[0])

    def wait(self) -> str:
        """Until its replicas serve: where KServe says that they are reached."""
        made = asyncio.run(ServedKind().create({"spec": self.asked, "kubeconfig": self.access}, Context(timeout=180)))
        return str(made.outputs["url"])

    def lacks(self) -> str:
        """What it waits for now."""
        return asyncio.run(lacks(Kube(self.access), self.asked))[0]

    def settled(self) -> bool:
        """Whether a preview is empty."""
        return set(self.stack.preview().change_summary) == {automation.OpType.SAME}

    def pods(self) -> dict[str, str]:
        """Node of each pod of the service."""
        every = self.cluster.items("pods", "-n", "chat", "-l", "app.kubernetes.io/name=chat")
        return {
            each["metadata"]["name"]: each["spec"].get("nodeName", "")
            for each in every
            if "deletionTimestamp" not in each["metadata"]
        }


@pytest.fixture(scope="module")
def site(cluster: Rack, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A team whose service KServe runs, on a cluster with OpenShift AI."""
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "kserve"], cwd=ROOT, check=True)
    cluster.apply(teams.namespace("chat", rdma=False))
    cluster.apply(*teams.inside("chat", Team(), trains=False, serves=True))
    (planned,) = (each for each in whole.operators(with_kserve()) if each.name == "rhods-operator")
    subscribe(cluster, planned)
    cluster.apply(*planned.stages[0])
    cluster.apply(*planned.stages[1])
    cluster.wait("KServe answers", lambda: _condition(cluster, "KserveReady") == "True", 120)
    made = Site(cluster, tmp_path_factory.mktemp("stack"))
    made.up()
    made.wait()
    return made


def _condition(cluster: Rack, kind: str) -> str:
    rows = (cluster.get("datasciencecluster", "default-dsc") or {}).get("status", {}).get("conditions", [])
    return next((str(row["status"]) for row in rows if row["type"] == kind), "")


def test_its_pods_are_those_of_a_deployment_and_the_second_preview_is_empty(site: Site) -> None:
    """Whatever KServe writes, defaults or loses on the way shows here."""
    made = site.cluster.get("deployment", "chat-predictor", "-n", "chat")
    plain, *_ = _planned(_service(kind="deployment"))
    own = json.loads(
        site.cluster.kubectl(
            "apply", "--server-side", "--dry-run=server", "-o", "json", "-f", "-", stdin=json.dumps(plain)
        )
    )
    ours, theirs = (copy.deepcopy(each["spec"]["template"]["spec"]) for each in (own, made))
    box, other = ours["containers"][0], theirs["containers"][0]
    assert (box.pop("name"), other.pop("name")) == ("serve", "kserve-container")
    assert other["env"].pop() == {"name": "INFERENCE_SERVICE_NAME", "value": "chat"}
    assert theirs == ours
    assert made["spec"]["strategy"] == own["spec"]["strategy"] and made["spec"]["replicas"] == 2
    labels = own["spec"]["template"]["metadata"]["labels"]
    assert labels.items() <= made["spec"]["template"]["metadata"]["labels"].items()
    assert site.cluster.items("horizontalpodautoscalers", "-n", "chat") == []
    for pod in site.cluster.items("pods", "-n", "chat"):
        assert [each["name"] for each in pod["spec"]["containers"]] == ["kserve-container"], "no webhook adds an agent"
    assert site.settled()
    site.stack.refresh()
    assert site.settled(), "and that behind a refresh"


def test_its_services_lead_to_its_replicas_and_monitoring_reads_one_of_them(site: Site) -> None:
    cluster = site.cluster
    theirs = cluster.get("service", "chat-predictor", "-n", "chat")
    assert theirs["spec"]["clusterIP"] != "None", "the component says Headed"
    ports = [(each["name"], each["port"], each["targetPort"]) for each in theirs["spec"]["ports"]]
    assert ports == [("http", 80, 8000)]
    (watched,) = cluster.items("servicemonitors", "-n", "chat")
    selector = watched["spec"]["selector"]
    assert selector["matchLabels"].items() <= theirs["metadata"]["labels"].items(), "it has the labels of ours too"
    assert "serving.kserve.io/inferenceservice" in theirs["metadata"]["labels"]
    user = Client(cluster, HOST)
    cluster.wait("the Route answers", lambda: user.pod() in site.pods(), 60)
    found = cluster.get("inferenceservice", "chat", "-n", "chat")
    assert found["status"]["url"] and found["status"]["deploymentMode"] == "Standard"


def test_a_change_fails_no_answer_and_is_waited_for_though_kserve_says_ready(site: Site) -> None:
    user, before = Client(site.cluster, HOST), site.pods()
    probe = Probe(user.pod)
    with probe.running():
        site.inference = _service(cpus=2)
        # While the controller of Deployments stands still it is the moment after a change.
        processes = site.cluster.side.cluster.plane.processes  # type: ignore[union-attr]
        processes.freeze("kube-controller-manager", True)
        try:
            site.up()
            _says_ready_too_early(site)
        finally:
            processes.freeze("kube-controller-manager", False)
        site.wait()
        site.cluster.wait("new replicas answer", lambda: user.pod() in set(site.pods()) - set(before), 60)
    assert len(probe.answers) > 10 and probe.failed == []
    assert not set(site.pods()) & set(before)


def test_another_number_of_replicas_restarts_none(site: Site) -> None:
    kept = site.pods()
    site.inference = _service(cpus=2, replicas=3)
    site.up()
    site.wait()
    assert set(kept) < set(site.pods()) and len(site.pods()) == 3
    site.inference = _service(cpus=2)
    site.up()
    site.wait()


def _says_ready_too_early(site: Site) -> None:
    rows = site.cluster.get("inferenceservice", "chat", "-n", "chat")["status"]["conditions"]
    assert {row["type"]: row["status"] for row in rows}["Ready"] == "True"
    assert site.lacks(), "old replicas serve still"


def test_a_drain_of_one_replicas_node_fails_no_answer(site: Site) -> None:
    user, before = Client(site.cluster, HOST), site.pods()
    leaving = next(iter(before.values()))
    probe = Probe(user.pod)
    try:
        with probe.running():
            drain = ("drain", leaving, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=90s")
            site.cluster.kubectl(*drain)
            site.wait()
            site.cluster.wait("the new one answers", lambda: user.pod() in set(site.pods()) - set(before), 60)
        assert leaving not in site.pods().values()
        assert len(probe.answers) > 5 and probe.failed == []
    finally:
        site.cluster.kubectl("uncordon", leaving)


def _refused(site: Site, change: dict[str, Any]) -> str:
    made = _planned(site.inference, "other")[0]
    made["metadata"] |= change.get("metadata", {})
    made["spec"]["predictor"] |= change.get("predictor", {})
    command = ("apply", "--server-side", "--dry-run=server", "-f", "-")
    return site.cluster.kubectl(*command, stdin=json.dumps(made), check=False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"predictor": {"model": {"modelFormat": {"name": "vLLM"}}}}, "must be specified in PredictorSpec"),
        ({"metadata": {"name": "1-chat"}}, "is invalid: a InferenceService name must consist of lower case"),
        ({"predictor": {"minReplicas": -1}}, "'MinReplicas' cannot be less than 0"),
        ({"metadata": {"annotations": {"serving.kserve.io/autoscalerClass": "mine"}}}, "is not a supported autoscaler"),
        (
            {"predictor": {"containers": [{"image": "x", "env": [{"name": "PYTHONPATH", "value": "/x"}]}]}},
            "PYTHONPATH",
        ),
    ],
)
def test_what_kserves_webhook_refuses(site: Site, change: dict[str, Any], words: str) -> None:
    site.cluster.wait("KServe answers", lambda: "serverside-applied" in _refused(site, {}), 60)
    assert words in _refused(site, change)


def test_a_service_beyond_its_quota_is_waited_for_in_kubernetes_words(site: Site) -> None:
    beyond = service("beyond", _service(), MACHINES)[0]
    for key in ("nodeSelector", "tolerations", "priorityClassName"):
        beyond["spec"]["predictor"].pop(key)
    site.cluster.apply(beyond)
    asked = served("beyond", _service(), beyond)
    site.cluster.wait("a quota", lambda: "exceeded quota" in asyncio.run(lacks(Kube(site.access), asked))[0], 60)
    with pytest.raises(ProviderError, match="exceeded quota"):
        asyncio.run(ServedKind().create({"spec": {**asked, "seconds": 2}, "kubeconfig": site.access}, Context()))
    site.cluster.kubectl("delete", "inferenceservice", "beyond", "-n", "chat")


def test_it_goes_with_all_that_kserve_made_and_kserve_goes_with_its_component(site: Site) -> None:
    site.stack.destroy()
    cluster = site.cluster
    kinds = "deployments,services,pods,inferenceservices,servingruntimes"
    cluster.wait("nothing is left", lambda: cluster.items(kinds, "-n", "chat") == [], GONE)
    off = {"spec": {"components": {"kserve": {"managementState": "Removed"}}}}
    cluster.kubectl("patch", "datasciencecluster", "default-dsc", "--type=merge", "-p", json.dumps(off))
    hooks = "validatingwebhookconfigurations"
    cluster.wait("no webhook is left", lambda: "kserve" not in cluster.kubectl("get", hooks, "-o", "name"), GONE)
