"""An installation shows how far it has come, whatever is slow or silent."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from podwright.components.providers.openshift.install import progress
from podwright.components.providers.openshift.kube import SilentError
from podwright.components.providers.protocol.kind import Context
from tests.providers.openshift.conftest import BY_TOKEN, Rack

INSTALL = BY_TOKEN["Install"]


def thing(name: str, **conditions: tuple[str, str]) -> dict[str, Any]:
    rows = [{"type": kind, "status": status, "reason": reason} for kind, (status, reason) in conditions.items()]
    return {"metadata": {"name": name}, "status": {"conditions": rows}}


DONE = {"Available": ("True", "AsExpected"), "Progressing": ("False", ""), "Degraded": ("False", "")}
VERSION = {"status": {"conditions": [{"type": "Progressing", "message": "Working towards 4.20.1: 640 of 901 done"}]}}


def test_a_sentence_names_what_is_missing_and_why() -> None:
    operators = [
        thing("etcd", **DONE),
        thing("dns", **DONE),
        thing("authentication", Available=("False", "OAuthServerRouteEndpointAccessible_SyncError")),
        thing("network", Available=("True", ""), Progressing=("True", "Deploying")),
        thing("ingress", Available=("True", ""), Degraded=("True", "")),
        thing("console"),
    ]
    nodes = [thing("cp-01", Ready=("True", "")), thing("cp-02", Ready=("False", ""))]
    assert progress.sentence(VERSION, operators, nodes, ["cp-01", "cp-02", "gpu-01"]) == (
        "Working towards 4.20.1: 640 of 901 done; 2 of 6 operators settled, not authentication (not available: "
        "OAuthServerRouteEndpointAccessible_SyncError), console (not available), ingress (degraded) and 1 more; "
        "1 of 3 nodes ready, not cp-02 (not ready), gpu-01 (not joined)"
    )
    assert progress.sentence({}, operators[:2], nodes[:1], ["cp-01"]) == "2 of 2 operators settled; 1 of 1 nodes ready"


@pytest.mark.parametrize("silent", [SilentError("down"), None])
async def test_what_does_not_answer_or_hangs_is_reported_too(
    monkeypatch: pytest.MonkeyPatch, silent: Exception | None
) -> None:
    reports: list[str] = []
    reported = asyncio.Event()

    async def look() -> str:
        if silent is not None:
            raise silent
        await asyncio.Event().wait()
        return "never"

    def log(text: str) -> None:
        reports.append(text)
        if len(reports) == 3:
            reported.set()

    monkeypatch.setattr(progress, "SECONDS", 0.01)
    monkeypatch.setattr(progress, "ASK_SECONDS", 0.01)
    async with progress.reported(Context(log=log), look):
        await asyncio.wait_for(reported.wait(), 10)
    count = len(reports)
    assert all("the cluster's API does not answer yet" in each for each in reports)
    await asyncio.sleep(0.05)
    assert len(reports) == count, "nothing is reported once the wait is over"


def test_no_silence_is_longer_than_a_minute() -> None:
    assert progress.SECONDS + progress.ASK_SECONDS < 60


@pytest.mark.rough
async def test_an_installation_reports_hosts_operators_and_nodes(rack: Rack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SECONDS", 0.05)
    await INSTALL.create({"spec": rack.spec()}, rack.context())
    reports = [each.partition(": ")[2] for each in rack.said if each.startswith("after ")]
    assert any("of 3 hosts booted the image" in each for each in reports), reports
    assert any("Working towards 4.22.3; 4 of 6 operators settled, not machine-config" in each for each in reports)
    assert any("network (not available: Deploying)" in each for each in reports)
    assert any("(not joined)" in each for each in reports)
