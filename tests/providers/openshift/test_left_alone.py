"""Nodes of a roll-out are never given up, however long they are away: a label comes and goes with the cordon."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from podwright.components.providers.openshift.drain import CORDONED, EXCLUDED, cordon, uncordon
from podwright.components.providers.openshift.kube import Kube

OURS = "podwright.io/excluded-from-remediation"


class Nodes(Kube):
    """One node, on a cluster that serves NodeHealthChecks or does not."""

    def __init__(self, *, checks: bool, labels: Mapping[str, str] | None = None) -> None:
        self.node: dict[str, Any] = {"metadata": {"labels": dict(labels or {}), "annotations": {}}, "spec": {}}
        self._checks = checks

    async def get(self, path: str) -> Any:
        return self.node

    async def find(self, path: str) -> Any | None:
        return {"items": []} if self._checks else None

    async def merge(self, path: str, change: Mapping[str, Any]) -> Any:
        for part in ("labels", "annotations"):
            for key, value in change["metadata"].get(part, {}).items():
                self.node["metadata"][part][key] = value
                if value is None:
                    del self.node["metadata"][part][key]
        self.node["spec"] |= change.get("spec", {})

    @property
    def marks(self) -> set[str]:
        return {*self.node["metadata"]["labels"], *self.node["metadata"]["annotations"]}


@pytest.mark.parametrize("checks", [True, False])
def test_the_label_comes_and_goes_with_the_cordon_where_nodes_are_given_up(checks: bool) -> None:
    kube = Nodes(checks=checks)
    asyncio.run(cordon(kube, "gpu-01"))
    assert kube.marks == {CORDONED, *([EXCLUDED, OURS] if checks else [])}
    asyncio.run(uncordon(kube, "gpu-01"))
    assert kube.marks == set()


def test_a_persons_label_stays() -> None:
    kube = Nodes(checks=True, labels={EXCLUDED: "true"})
    asyncio.run(cordon(kube, "gpu-01"))
    asyncio.run(uncordon(kube, "gpu-01"))
    assert kube.marks == {EXCLUDED}


def test_what_a_person_uncordoned_by_hand_is_taken_back_by_the_next_run() -> None:
    kube = Nodes(checks=True)
    asyncio.run(cordon(kube, "gpu-01"))
    kube.node["spec"] = {}
    asyncio.run(uncordon(kube, "gpu-01"))
    assert kube.marks == set()
