"""What is said of a service behind the inference gateway that users do not reach, in Istio's own words."""

from typing import Any

import pytest

from podwright.components.providers.status.gateway import closed, refused, unasked, unkept
from podwright.components.providers.status.snapshot import Snapshot

OK = [{"type": each, "status": "True", "reason": each} for each in ("Accepted", "ResolvedRefs")]
LOST = [OK[0], {"type": "ResolvedRefs", "status": "False", "reason": "BackendNotFound", "message": "backend(chat)"}]


def _seen(route: list[dict[str, Any]] | None, pool: list[dict[str, Any]] | None, programmed: str = "True") -> Snapshot:
    meta = {"name": "chat", "namespace": "team"}
    objects = {"HTTPRoute": route, "InferencePool": pool}
    found = {
        kind: ({"metadata": meta, "status": {"parents": [{"conditions": rows}] if rows else []}},)
        for kind, rows in objects.items()
        if rows is not None
    }
    row = {"type": "Programmed", "status": programmed, "reason": "AddressNotAssigned", "message": "address pending"}
    gateway = {"metadata": {"name": "inference", "namespace": "openshift-ingress"}, "status": {"conditions": [row]}}
    return Snapshot({**found, "Gateway": (gateway,)})


@pytest.mark.parametrize(("snapshot", "words"), [
    (Snapshot(), []),
    (_seen(OK, OK), []),
    (_seen([], OK), ["HTTPRoute team/chat is taken by no gateway: none has looked at it"]),
    (_seen(LOST, OK), ["HTTPRoute team/chat is not ResolvedRefs: BackendNotFound: backend(chat)"]),
    (_seen(OK, OK[:1]), ["InferencePool team/chat is not ResolvedRefs: nobody has looked at it"]),
])  # fmt: skip
def test_what_a_service_is_not_reached_for(snapshot: Snapshot, words: list[str]) -> None:
    assert list(refused(snapshot, "team", "chat")) == words


def test_a_gateway_that_serves_nobody() -> None:
    at = ("openshift-ingress", "inference")
    assert list(closed(_seen(OK, OK), *at)) == list(closed(Snapshot(), *at)) == []
    (words,) = closed(_seen(OK, OK, "False"), *at)
    assert words == "Gateway openshift-ingress/inference serves no name: AddressNotAssigned: address pending"


def _policy(name: str, *rows: tuple[str, str, str]) -> dict[str, Any]:
    said = [{"type": kind, "status": status, "reason": reason, "message": "so"} for kind, status, reason in rows]
    return {"metadata": {"name": name, "namespace": "team"}, "status": {"conditions": said}}


@pytest.mark.parametrize(("rows", "words"), [
    ([("Accepted", "True", "Accepted"), ("Enforced", "True", "Enforced")], []),
    ([], [
        "AuthPolicy team/chat is not Accepted: nobody has looked at it",
        "AuthPolicy team/chat is not Enforced: nobody has looked at it",
    ]),
    (
        [("Accepted", "True", "Accepted"), ("Enforced", "False", "Overridden")],
        ["AuthPolicy team/chat is not Enforced: Overridden: so"],
    ),
])  # fmt: skip
def test_policies_that_are_not_in_force(rows: list[tuple[str, str, str]], words: list[str]) -> None:
    assert list(unkept(Snapshot({"AuthPolicy": (_policy("chat", *rows),)}), "team", "chat")) == words
    assert list(unkept(Snapshot(), "team", "chat")) == []


def test_connectivity_link_that_is_not_ready() -> None:
    missing = Snapshot({"Kuadrant": (_policy("kuadrant", ("Ready", "False", "MissingDependency")),)})
    (words,) = unasked(missing, "team", "kuadrant")
    assert words == "Kuadrant team/kuadrant asks nobody for a key yet: MissingDependency: so"
    assert list(unasked(Snapshot(), "team", "kuadrant")) == []
