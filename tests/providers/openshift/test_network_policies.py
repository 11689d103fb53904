"""A node's network policy and the answer to it: which counts, of which shape they are, and who has to be there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.providers.openshift.pools import host_network
from podwright.components.providers.openshift.pools.host_network import HostNetworkKind
from podwright.components.providers.openshift.pools.network_policies import _answer
from podwright.components.providers.protocol.kind import Context, Incomplete, ProviderError
from podwright.lab.openshift.crds import OWN
from podwright.lab.openshift.kinds import PODS
from podwright.lab.openshift.nmstate.operator import HANDLER, NAMESPACE
from tests.providers.openshift.networked import Site, misshapen, on, quick, spec

KIND = HostNetworkKind()


@pytest.fixture
def ctx(monkeypatch: pytest.MonkeyPatch) -> Context:
    return quick(monkeypatch)


def test_an_answer_counts_by_its_generation_and_when_it_was_given() -> None:
    def answered(generation: int, **on: str) -> dict[str, Any]:
        rows = [{"type": kind, "status": "True", "message": words} for kind, words in on.items()]
        meta = {"name": "gpu-01.gpu-01-vlans", "labels": {"nmstate.io/node": "gpu-01"}}
        return {"metadata": meta, "status": {"policyGeneration": generation, "conditions": rows}}

    assert _answer(answered(2, Available="well"), 2, {}) == ""
    assert "the policy before" in _answer(answered(1, Available="well"), 2, {})
    assert "not answered" in _answer(None, 1, {})
    failed = answered(2, Failing="no")
    old = {row["type"]: row for row in failed["status"]["conditions"]}
    assert "applies" in _answer(failed, 2, old), "this failure was there before the policy was written"
    assert "tries again" in _answer(answered(2, Failing="once", Progressing="once"), 2, {})
    for kind in ("Failing", "Aborted"):
        with pytest.raises(ProviderError, match="gpu-01: rolled back by NMState: why"):
            _answer(answered(2, **{kind: "why"}), 2, {})


async def test_a_node_without_a_handler_is_named(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    site = on(Site(), monkeypatch)
    site.api.delete(PODS.path(NAMESPACE, f"{HANDLER}-gpu-02"))
    monkeypatch.setattr(host_network, "HANDLER_SECONDS", 0.01)
    with pytest.raises(Incomplete, match="gpu-02 to have a NodeNetworkState"):
        await KIND.create(spec(20), ctx)


async def test_every_object_of_it_is_of_the_published_shape(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    site = on(Site(), monkeypatch)
    await KIND.create(spec(20), ctx)
    site.hosts["gpu-01"].loses_gateway = True
    with pytest.raises(Incomplete):
        await KIND.update("training", spec(30), spec(20), {}, ctx)
    seen = set()
    for path, item in site.api.objects.items():
        plural = path.split("/")[-2]
        file = Path(OWN) / f"nmstate.io_{plural}.yaml"
        if file.exists():
            versions = yaml.safe_load(file.read_text())["spec"]["versions"]
            version = path.split("/")[-3]
            schema = next(each for each in versions if each["name"] == version)["schema"]["openAPIV3Schema"]
            assert list(misshapen({key: item[key] for key in item if key != "metadata"}, schema, path)) == []
            seen.add(plural)
    assert len(seen) == 3
