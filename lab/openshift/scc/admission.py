"""The admission plugin `security.openshift.io/SecurityContextConstraint`: which SCC a pod gets, or why it gets none.

https://github.com/openshift/apiserver-library-go/blob/main/pkg/securitycontextconstraints/sccadmission/admission.go.
On creation the first SCC in order that its account or its creator may use and that the pod passes wins, and fills in
what the pod leaves open; afterwards nothing of a pod may change but ephemeral containers.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.scc import wording
from podwright.lab.openshift.scc.assign import assigned
from podwright.lab.openshift.scc.grants import Subject
from podwright.lab.openshift.scc.judge import problems
from podwright.lab.openshift.scc.order import ordered
from podwright.lab.openshift.scc.resolve import MCS, UID_RANGE, UnresolvedError, resolved
from podwright.lab.openshift.scc.shipped import GROUP, PLURAL, STANDARD

VALIDATED = "openshift.io/scc"
REQUIRED = "openshift.io/required-scc"
SUBJECT_TYPE = "security.openshift.io/validated-scc-subject-type"
NETWORK_NOTE = "k8s.ovn.org/pod-networks"
"""An annotation that the network writes: it brings no pod before the plugin again."""
COLLECTED = ("ownerReferences", "finalizers")
"""What the garbage collector changes."""
KEPT = ("managedFields", "resourceVersion", "generation")
EPHEMERAL = "ephemeralcontainers"
FAILED = "unable to validate against any security context constraint: "


class RefusedError(Exception):
    """The pod is not admitted; the message is the reason without the pod's name."""


class Rights(Protocol):
    """Who may use what."""

    def may_use(self, subject: Subject, scc: Object, namespace: str) -> bool:
        """Whether the subject may use the SCC for a pod of this namespace."""


@dataclass(frozen=True)
class Review:
    """One request about a pod."""

    pod: Object
    before: Object | None
    subresource: str
    creates: bool
    namespace: Object
    user: Subject
    sccs: tuple[Object, ...]
    rights: Rights

    @property
    def space(self) -> str:
        """The namespace's name."""
        return str(self.namespace["metadata"]["name"])


@dataclass
class Trial:
    """What came of trying one SCC after the other."""

    allowed: Object | None = None
    scc: str = ""
    subject: str = ""
    problems: list[str] = field(default_factory=list)


def ignored(pod: Object, before: Object | None) -> bool:
    """Whether the plugin lets this by: pods of Windows, and changes of metadata that the cluster itself makes."""
    if (pod["spec"].get("os") or {}).get("name") == "windows":
        return True
    if before is None or pod["spec"] != before["spec"]:
        return False
    now, then = _notes(pod), _notes(before)
    if any(now.get(key) != then.get(key) for key in {*now, *then} - {NETWORK_NOTE}):
        return False
    return _lasting(pod) == _lasting(before)


def _lasting(pod: Object) -> Object:
    left = {*COLLECTED, *KEPT, "annotations"}
    rest = {key: value for key, value in pod.items() if key not in ("metadata", "spec")}
    return {**rest, "metadata": {key: value for key, value in pod["metadata"].items() if key not in left}}


def _notes(pod: Object) -> Mapping[str, str]:
    notes: Mapping[str, str] = pod["metadata"].get("annotations") or {}
    return notes


def admitted(review: Review) -> Object:
    """The pod as the plugin lets it through, with its SCC's name. Raises RefusedError."""
    required = _notes(review.pod).get(REQUIRED, "")
    if review.before is not None and required != _notes(review.before).get(REQUIRED, ""):
        raise RefusedError(f"invalid change of required security context constraint annotation: {REQUIRED}")
    trial = _tried(review, required, "", creates=review.creates)
    if trial.allowed is None:
        raise RefusedError(FAILED + wording.aggregate(trial.problems))
    notes = {**_notes(trial.allowed), VALIDATED: trial.scc, SUBJECT_TYPE: trial.subject}
    return {**trial.allowed, "metadata": {**trial.allowed["metadata"], "annotations": notes}}


def validate(review: Review) -> None:
    """Once more, after all other plugins: nothing is filled in now. Raises RefusedError."""
    required, hint = (_notes(review.pod).get(key, "") for key in (REQUIRED, VALIDATED))
    if required and required != hint:
        raise RefusedError(f"required scc/{required} does not match the suggested scc/{hint}")
    trial = _tried(review, required, hint, creates=False, final=True)
    if trial.allowed is None:
        raise RefusedError(f"{FAILED}[{' '.join(trial.problems)}]")


def _tried(review: Review, required: str, hint: str, *, creates: bool, final: bool = False) -> Trial:
    trial, denied = Trial(), set()
    chosen = _candidates(review, required, hint, creates=creates)
    for scc in chosen:
        name = scc["metadata"]["name"]
        trial.subject = _allowed(review, scc)
        if not trial.subject:
            denied.add(name)
            trial.problems.append(wording.forbidden(f'provider "{name}"', "not usable by user or serviceaccount"))
            continue
        made = assigned(scc, review.pod)
        if found := problems(scc, made):
            trial.problems += found
        elif creates or _same(review, made, ephemeral=review.subresource == EPHEMERAL and not final):
            trial.allowed, trial.scc = made, name
            return trial
    trial.problems += _hint_of_restricted(review, chosen, denied)
    return trial


def _candidates(review: Review, required: str, hint: str, *, creates: bool) -> list[Object]:
    names = {each["metadata"]["name"] for each in review.sccs}
    if missing := STANDARD - names:
        raise RefusedError(f"{PLURAL}.{GROUP} cache is missing {', '.join(sorted(missing))}")
    if required and required not in names:
        lacks = f'{PLURAL}.{GROUP} "{required}" not found'
        raise RefusedError(f'failed to retrieve the required SCC "{required}": {lacks}')
    found = ordered(each for each in review.sccs if required in ("", each["metadata"]["name"]))
    if not creates:
        found.sort(key=lambda scc: scc["metadata"]["name"] != hint)
    notes = review.namespace["metadata"].get("annotations") or {}
    for key in (UID_RANGE, MCS):
        if key not in notes:
            raise RefusedError(f'error fetching namespace "{review.space}": unable to find annotation {key}')
    try:
        return [resolved(scc, review.namespace) for scc in found]
    except UnresolvedError as problem:
        raise RefusedError(str(problem)) from problem


def _allowed(review: Review, scc: Object) -> str:
    """By whom the SCC may be used; empty where by nobody."""
    account = review.pod["spec"].get("serviceAccountName")
    if account and review.rights.may_use(Subject.account(review.space, account), scc, review.space):
        return "serviceaccount"
    return "user" if review.rights.may_use(review.user, scc, review.space) else ""


def _same(review: Review, made: Object, *, ephemeral: bool) -> bool:
    """Whether an SCC had nothing to fill in, but for ephemeral containers where those are being added."""
    if _notes(made) != _notes(review.pod):
        return False
    if ephemeral:
        made = {**made, "spec": {**made["spec"], "ephemeralContainers": review.pod["spec"].get("ephemeralContainers")}}
    have = {"ephemeralContainers": None} if ephemeral else {}
    return bool(made["spec"] == {**have, **review.pod["spec"]})


def _hint_of_restricted(review: Review, chosen: list[Object], denied: set[str]) -> Iterator[str]:
    """The plugin says so where the older SCC would do."""
    names = {each["metadata"]["name"]: each for each in chosen}
    if "restricted-v2" in names and "restricted" in denied:
        scc = names["restricted"]
        if not problems(scc, assigned(scc, review.pod)):
            yield wording.forbidden(
                "no access to scc/restricted",
                "the pod fails to validate against the `restricted-v2` security context constraint, "
                "but would validate successfully against the `restricted` security context constraint",
            )


def changes(pod: Object, made: Object) -> list[dict[str, Any]]:
    """The JSON patch from one to the other: annotations and security contexts, nothing else is ever filled in."""
    rows: list[tuple[str, Any, Any]] = [
        ("/metadata/annotations", pod["metadata"].get("annotations"), made["metadata"].get("annotations")),
        ("/spec/securityContext", pod["spec"].get("securityContext"), made["spec"].get("securityContext")),
    ]
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        pairs = zip(pod["spec"].get(kind) or (), made["spec"].get(kind) or (), strict=True)
        for index, (old, new) in enumerate(pairs):
            where = f"/spec/{kind}/{index}/securityContext"
            rows.append((where, old.get("securityContext"), new.get("securityContext")))
    return [{"op": "add", "path": path, "value": copy.deepcopy(new)} for path, old, new in rows if old != new]
