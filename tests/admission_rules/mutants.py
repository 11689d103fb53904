"""Changed admission rules, many of them in force at one API server, each for an identity of its own."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from podwright.components.design.platform import admission_rules
from podwright.components.design.platform.admission_rules import RULES, LiveRule, pods
from podwright.lab.openshift.api import MERGE, Api, ApiError, path_of
from podwright.lab.openshift.kubeconfig import Access
from tests.admission_rules import cases
from tests.admission_rules.cases import PLURALS, Case, Object
from tests.admission_rules.changes import changes

SPACE: Final = "mutants"
_ADMISSION: Final = "admissionregistration.k8s.io/v1"
_HARMLESS: Final = Path(__file__).with_name("harmless.yaml")


@dataclass(frozen=True)
class Mutant:
    """One changed expression: of a rule, or of what several rules have in common."""

    what: str
    """Rule or `every rule`, expression, change."""
    rules: Mapping[str, LiveRule]
    """Changed rules by the rule that they were."""


@dataclass(frozen=True)
class Question:
    """An object that is made, or what becomes of one that is there, and the rule's answer."""

    name: str
    body: Object
    refused: bool
    there: str = ""
    """Name of the object that is updated; empty: it is made."""


def alone(rule: LiveRule) -> LiveRule:
    """A rule with what it shares with others written out."""
    shared = pods.VARIABLES if rule in pods.RULES else {}
    return replace(rule, variables={**shared, **rule.variables}, changed=rule.changed or pods.CHANGED)


def mutants() -> Iterator[Mutant]:
    """Every change of every expression; one of a text that rules share is one."""
    for key, text in {**pods.VARIABLES, "changed": pods.CHANGED}.items():
        for what, other in changes(text):
            sharing = [each for each in pods.RULES if key != "changed" or not each.changed]
            made = {each.id: _with(alone(each), key, other) for each in sharing}
            yield Mutant(f"every rule: {key}: {what}", made)
    for rule in RULES:
        own = {**rule.variables, "wrong": rule.wrong, **({"changed": rule.changed} if rule.changed else {})}
        for key, text in own.items():
            for what, other in changes(text):
                yield Mutant(f"{rule.id}: {key}: {what}", {rule.id: _with(alone(rule), key, other)})


def _with(rule: LiveRule, key: str, text: str) -> LiveRule:
    if key in rule.variables:
        return replace(rule, variables={**rule.variables, key: text})
    return replace(rule, wrong=text) if key == "wrong" else replace(rule, changed=text)


@cache
def entries() -> tuple[dict[str, Any], ...]:
    """Entries of `harmless.yaml`: `mutants`, regular expressions on their names, and `why`."""
    return tuple(yaml.safe_load(_HARMLESS.read_text("utf-8")))


def excuse(what: str) -> int | None:
    """Position of the entry that says why nothing has to notice a mutant."""
    found = (at for at, each in enumerate(entries()) if any(re.search(part, what) for part in each["mutants"]))
    return next(found, None)


def install(api: Api, mark: str, rule: LiveRule) -> bool:
    """Put a rule in force for what one identity asks; False where the API server finds that it does not compile."""
    policy, binding = admission_rules.policy(replace(rule, id=f"{mark}-{rule.id}"), [SPACE], "Deny")
    # An identity for each rule: the API server names the first refusal alone, and no object needs a mark.
    asks = {"name": "is-asked", "expression": f"request.userInfo.username == '{mark}-{rule.id}'"}
    policy["spec"]["matchConditions"].append(asks)
    try:
        api.ensure(path_of(_ADMISSION, "validatingadmissionpolicies"), policy)
    except ApiError as problem:
        if problem.code != 422:
            raise
        return False
    api.ensure(path_of(_ADMISSION, "validatingadmissionpolicybindings"), binding)
    return True


@dataclass
class Judge:
    """Asks an API server the cases of the rules, of whichever rule is in force for an identity."""

    api: Api
    access: Access
    asked: dict[str, list[Question]] = field(default_factory=dict)
    _user: str = ""
    _client: Api | None = None

    def prepare(self, rule: LiveRule, mark: str) -> None:
        """Collect what a rule is asked, with its own answers: those of `mark`, which is unchanged, decide updates."""
        found: list[Question] = []
        for case in cases.cases(rule.id):
            found.append(Question(f"case {case.number}", case.body, case.wrong))
            found += _pods(rule, case)
        self.asked[rule.id] = [*found, *self._updates(rule, mark)]

    def _updates(self, rule: LiveRule, mark: str) -> Iterator[Question]:
        """A wrong object of each kind, older than the rule: left alone, and what is asked once it is changed."""
        seen: set[str] = set()
        for case in (each for each in cases.cases(rule.id) if each.wrong):
            if case.kind in seen:
                continue
            seen.add(case.kind)
            name = f"{rule.id}-{case.kind.lower()}"
            old = _named(case.body, name)
            path = path_of(old["apiVersion"], PLURALS[old["kind"]], SPACE)
            self.api.ensure(path, old)
            for what, new in _edits(self._there(path, name)):
                asked = Question(f"{name} {what}", new, refused=False, there=name)
                answer = self.answer(mark, rule.id, asked)
                if not answer or f"{mark}-" in answer:
                    yield replace(asked, refused=bool(answer))

    def _there(self, path: str, name: str) -> Object:
        """An object as admission left it: of a pod next to nothing else may change."""
        found = self.api.get(f"{path}/{name}")
        assert found is not None
        for key in ("managedFields", "resourceVersion"):
            found["metadata"].pop(key, None)
        return found

    def answer(self, mark: str, rule: str, asked: Question) -> str:
        """What the API server says to an object of which a rule is asked; empty where it takes it."""
        api = self._as(f"{mark}-{rule}")
        body = asked.body
        path = path_of(body["apiVersion"], PLURALS[body["kind"]], SPACE, asked.there or None)
        verb, content = ("PATCH", MERGE) if asked.there else ("POST", "application/json")
        try:
            api.request(verb, f"{path}?dryRun=All", json.dumps(body).encode(), content=content)
        except ApiError as problem:
            return str(problem)
        return ""

    def _as(self, user: str) -> Api:
        """A client with this identity; one at a time is kept."""
        if self._client is None or self._user != user:
            self.close()
            self._user, self._client = user, Api(self.access, impersonate=user)
        return self._client

    def close(self) -> None:
        """End the connections of the last identity."""
        if self._client is not None:
            self._client.close()

    def notices(self, mark: str, mutant: Mutant) -> str:
        """The first question of which the answer is another one; empty where none is."""
        for rule in mutant.rules:
            for each in self.asked[rule]:
                if bool(self.answer(mark, rule, each)) != each.refused:
                    return f"{rule} {each.name}"
        return ""


def _pods(rule: LiveRule, case: Case) -> Iterator[Question]:
    """Pods of a case's template: as its controller makes them, and as somebody types them who names an owner."""
    pod = cases.pod_of(case) if pods.KINDS[0] in rule.kinds else None
    if pod is None:
        return
    if rule.kinds == pods.KINDS:
        yield Question(f"pod of {case.number}", pod, case.wrong)
    elif case.wrong:
        # Of a job's pods its job is asked.
        owner = pod["metadata"]["ownerReferences"][0]
        for what, owners, refused in (
            ("made", [{**owner, "controller": False}, owner], False),
            ("owned", [{**owner, "controller": False}], True),
            ("called a member of", [{key: value for key, value in owner.items() if key != "controller"}], True),
            ("of a pod of", [{**owner, "apiVersion": "v1", "kind": "Pod"}], True),
        ):
            meta = {**pod["metadata"], "ownerReferences": owners}
            yield Question(f"pod {what} {case.number}", {**pod, "metadata": meta}, refused)


def _named(body: Object, name: str) -> Object:
    return {**body, "metadata": {**body["metadata"], "name": name}}


def _edits(old: Object) -> Iterator[tuple[str, Object]]:
    """What somebody changes of an object that is there: nothing that a rule reads, then each part that one may read."""
    yield "left alone", old
    for part in ("labels", "annotations"):
        new = copy.deepcopy(old)
        new["metadata"].setdefault(part, {})["edited"] = "yes"
        yield f"with {part} changed", new
    spec = old.get("spec", {})
    if "template" not in spec and old["kind"] != "Pod":
        for key in spec:
            yield f"without {key}", {**old, "spec": {**spec, key: None}}
        return
    if old["kind"] in ("Job", "CronJob"):
        key = "ttlSecondsAfterFinished" if old["kind"] == "Job" else "startingDeadlineSeconds"
        yield f"with another {key}", {**old, "spec": {**spec, key: 77}}
        return
    for what in ("containers", "initContainers", "tolerations", "volumes", "replicas", "priorityClassName"):
        new = copy.deepcopy(old)
        pod = new["spec"] if old["kind"] == "Pod" else new["spec"]["template"]["spec"]
        if what == "replicas":
            new["spec"]["replicas"] = 7
        elif what == "priorityClassName":
            pod[what] = "system-cluster-critical"
        elif what == "tolerations":
            pod.setdefault(what, []).append({"key": "another", "operator": "Exists"})
        elif what == "volumes":
            pod.setdefault(what, []).append({"name": "another", "emptyDir": {}})
        else:
            pod.setdefault(what, []).append({"name": "another", "image": cases.IMAGE})
        yield f"with other {what}", new
