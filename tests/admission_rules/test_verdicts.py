"""The pack's cases at a real API server that has the planned admission policies: the same verdict, rule by rule.

Each rule is in force in a namespace of its own, since an API server names the first refusal alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from podwright.components import model
from podwright.components.design.platform import admission_rules, priorities
from podwright.components.design.platform.admission_rules import RULES, LiveRule, pods
from podwright.lab.openshift.api import Api, ApiError, path_of
from tests.admission_rules import cases
from tests.admission_rules.cases import PLURALS, Case, Object
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.undefined import definition
from tests.platforms.planned import objects
from tests.test_sizes import ROOT
from tests.waiting import until
from tools import goldens

pytestmark = pytest.mark.rough
_ADMISSION: Final = "admissionregistration.k8s.io/v1"
KEDA: Final = definition("ScaledObject", "scaledobjects", "keda.sh", "v1alpha1")
"""KEDA's kind, without its own definition: only fields that the rule reads matter here."""
BEFORE: Final = "before"
"""A namespace with objects that are older than the rules."""
OLD: Final[Object] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "old"},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "old"}},
        "template": {"metadata": {"labels": {"app": "old"}}, "spec": {"containers": [{"name": "web", "image": "w:1"}]}},
    },
}


class Server:
    """A control plane with every rule, each in the namespace of its name."""

    def __init__(self, rack: Rack) -> None:
        api = rack.side.cluster.api
        assert api is not None
        self.rack, self.api = rack, api
        api.ensure(path_of("apiextensions.k8s.io/v1", "customresourcedefinitions"), KEDA)
        make_classes(api)
        for space in (BEFORE, *(rule.id for rule in RULES)):
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
            api.ensure(path_of("v1", "namespaces"), body)
            until(partial(_has_account, api, space), 60, f"account of {space}", pause=0.1)
        api.ensure(path_of("apps/v1", "deployments", BEFORE), OLD)
        for rule in RULES:
            teams = [rule.id, BEFORE] if rule.id == "workloads-image-by-digest" else [rule.id]
            policy, binding = admission_rules.policy(rule, teams, "Deny")
            api.ensure(path_of(_ADMISSION, "validatingadmissionpolicies"), policy)
            api.ensure(path_of(_ADMISSION, "validatingadmissionpolicybindings"), binding)
        for rule in RULES:
            bad = next(each for each in cases.cases(rule.id) if each.wrong)
            until(partial(self._refuses, bad), 60, f"{rule.id} is in force", pause=0.2)

    def _refuses(self, case: Case) -> bool:
        return f"{case.rule}: " in self.answer(case.rule, case.body)

    def answer(self, space: str, body: Object) -> str:
        """What the server says to an object; empty where it takes it."""
        path = path_of(body["apiVersion"], PLURALS[body["kind"]], space)
        try:
            self.api.request("POST", f"{path}?dryRun=All", json.dumps(body).encode())
        except ApiError as problem:
            return str(problem)
        return ""


def make_classes(api: Api) -> None:
    """The priority classes of teams: a pod whose class is not there is refused before any rule is asked."""
    for each in priorities(batch=True):
        api.ensure(path_of("scheduling.k8s.io/v1", "priorityclasses"), each)


def _has_account(api: Api, space: str) -> bool:
    return api.get(path_of("v1", "serviceaccounts", space, "default")) is not None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all rules."""
    rack = Rack(Path(tmp_path_factory.mktemp("plane")) / "rack", workers=())
    try:
        rack.install()
        yield Server(rack)
    finally:
        rack.close()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_api_server_refuses_what_the_pack_finds(server: Server, rule: LiveRule) -> None:
    verdicts = set()
    for case in cases.cases(rule.id):
        answer = server.answer(rule.id, case.body)
        assert bool(answer) == case.wrong, (case.number, answer, case.body)
        assert not answer or f"{rule.id}: " in answer, answer
        verdicts.add(case.wrong)
    assert verdicts == {True, False}


@pytest.mark.parametrize("rule", [each for each in RULES if each.kinds == pods.KINDS], ids=lambda rule: rule.id)
def test_a_pod_that_a_controller_makes_has_the_verdict_of_its_template(server: Server, rule: LiveRule) -> None:
    for case in cases.cases(rule.id):
        pod = cases.pod_of(case)
        if pod is not None:
            answer = server.answer(rule.id, pod)
            assert (bool(answer), f"{rule.id}: " in answer) == (case.wrong, case.wrong), (case.number, answer)


def test_no_object_of_a_plan_is_refused(server: Server) -> None:
    cluster = model.load(goldens.stack_file("platform"))
    planned = [
        each
        for each in objects(cluster)
        if each["metadata"].get("namespace") in cluster.teams and each["kind"] in PLURALS
    ]
    assert len(planned) > 20
    for rule in RULES:
        asked = {plural for _, _, plurals in rule.kinds for plural in plurals}
        for each in (one for one in planned if PLURALS[one["kind"]] in asked):
            meta = {key: value for key, value in each["metadata"].items() if key != "namespace"}
            assert server.answer(rule.id, {**each, "metadata": meta}) == ""


def test_other_namespaces_are_asked_nothing(server: Server) -> None:
    for rule in RULES:
        bad = next(each for each in cases.cases(rule.id) if each.wrong)
        assert server.answer("default", bad.body) == ""


def test_what_is_older_than_a_rule_is_left_alone_until_it_is_changed(server: Server) -> None:
    path = path_of("apps/v1", "deployments", BEFORE, "old")
    server.api.merge(path, {"metadata": {"labels": {"a": "b"}}})
    server.api.merge(path, {"spec": {"replicas": 1}})
    image = {"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "w:2"}]}}}}
    with pytest.raises(ApiError, match="workloads-image-by-digest: container web runs no image by its digest"):
        server.api.merge(path, image)


def test_the_page_shows_a_refusal_as_it_is_printed(server: Server) -> None:
    page = (ROOT / "docs/how-to/enforce-rules-live.md").read_text(encoding="utf-8")
    shown = page.split("```text\n")[1].split("```")[0]
    tagged = json.dumps(OLD).replace('"old"', '"chat"').replace('"web"', '"vllm"')
    words = ("create", "--dry-run=server", "-n", "workloads-image-by-digest", "-f", "-")
    printed = server.rack.kubectl(*words, stdin=tagged, check=False)
    assert shown.split() == printed.split(), printed


def test_warn_takes_the_object_and_says_why(server: Server) -> None:
    rule = next(each for each in RULES if each.id == "workloads-budget-lets-one-go")
    _, binding = admission_rules.policy(rule, [rule.id], "Warn")
    path = path_of(_ADMISSION, "validatingadmissionpolicybindings", None, binding["metadata"]["name"])
    server.api.merge(path, binding)
    bad = next(each for each in cases.cases(rule.id) if each.wrong)
    until(lambda: server.answer(rule.id, bad.body) == "", 60, "it warns", pause=0.2)
    words = ("create", "--dry-run=server", "-n", rule.id, "-f", "-")
    text = server.rack.kubectl(*words, stdin=json.dumps(bad.body), check=False)
    assert "Warning: " in text and f"{rule.id}: minAvailable holds up a drain" in text and "created" in text
