"""A TrainJob waits for what Trainer has not heard of yet, and for nothing else that is wrong with it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.openshift import runtime_known
from podwright.components.providers.openshift.kube import Kube, KubeError
from podwright.components.providers.openshift.runtime_known import RuntimeKnownKind
from podwright.components.providers.protocol.kind import Context, ProviderError

INPUTS = {
    "kubeconfig": "apiVersion: v1\nkind: Config\n",
    "spec": {"schema": 1, "namespace": "research", "runtime": "pretrain-1a2b3c4d", "queue": "training"},
}
UNHEARD = (
    'TrainingRuntime.trainer.kubeflow.org "pretrain-1a2b3c4d" not found: specified trainingRuntime must be created '
    "before the TrainJob is created"
)


def answering(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[dict[str, Any]]:
    """An API server that refuses with these words, one after the other, the last for ever; what it was asked."""
    asked: list[dict[str, Any]] = []

    async def request(_self: Kube, _verb: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        assert path.endswith("/namespaces/research/trainjobs?dryRun=All"), "nothing is written"
        words = answers[min(len(asked), len(answers) - 1)]
        asked.append(body)
        if words:
            raise KubeError(403, {"message": words}, "POST")
        return body

    monkeypatch.setattr(runtime_known, "Kube", lambda _config: object.__new__(Kube))
    monkeypatch.setattr(runtime_known, "rehomed", lambda config, _reach: config)
    monkeypatch.setattr(Kube, "request", request)
    return asked


def test_it_asks_again_until_trainer_has_heard_of_the_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    kueues = "admission webhook \"vtrainjob.kb.io\" denied the request: runtime 'pretrain-1a2b3c4d' not found"
    asked = answering(monkeypatch, UNHEARD, kueues, "failed calling webhook: connection refused", "")
    asyncio.run(RuntimeKnownKind().create(INPUTS, Context()))
    assert len(asked) == 4
    assert asked[0]["spec"]["runtimeRef"]["name"] == "pretrain-1a2b3c4d"
    assert asked[0]["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "training"}


def test_what_else_is_refused_is_the_jobs_own_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answering(monkeypatch, "quota exceeded")
    asyncio.run(RuntimeKnownKind().create(INPUTS, Context()))
    assert len(asked) == 1


def test_a_runtime_that_stays_unknown_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, UNHEARD)
    with pytest.raises(ProviderError, match=r"runtime pretrain-1a2b3c4d to be known to all webhooks .* not found"):
        asyncio.run(RuntimeKnownKind().update("", INPUTS, INPUTS, {}, Context(timeout=0.2)))
