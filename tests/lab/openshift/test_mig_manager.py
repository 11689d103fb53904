"""The lab's MIG manager tries a label once, and an answer of the API server that did not come is not one try."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from podwright.lab.openshift.api import ApiError
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.gpu.node import CONFIG, STATE, GpuNode
from podwright.lab.world.model import Server

POLICY: dict[str, Any] = {"spec": {}}


class _Api:
    """Labels of the node as they are written, after so many answers that did not come."""

    def __init__(self, silent: int) -> None:
        self.silent, self.states = silent, list[str]()

    def merge(self, path: str, body: Any) -> None:
        assert path.endswith("/nodes/inf-1")
        if self.silent:
            self.silent -= 1
            raise ApiError(0, "Timeout", "no answer")
        self.states.append(body["metadata"]["labels"][STATE])


def _node(api: _Api) -> GpuNode:
    world = SimpleNamespace(variants={"mig-places": "tight"}, gpu_instances={})
    cache = SimpleNamespace(list=lambda *_where: [], get=lambda *_where: None)
    controller = SimpleNamespace(api=api, cache=cache, world=world, around=SimpleNamespace(world=world))
    server = SimpleNamespace(name="inf-1", gpus=SimpleNamespace(count=2, product="NVIDIA-H200"))
    return GpuNode(cast(Controller, controller), "inf-1", cast(Server, server))


@pytest.mark.parametrize("silent", [0, 1, 2])
def test_a_layout_is_laid_out_once_the_api_server_answers_and_not_again(silent: int) -> None:
    api = _Api(silent)
    node = _node(api)
    labelled = {"metadata": {"name": "inf-1", "labels": {CONFIG: "all-1g.18gb"}}}
    for _ in range(silent):
        with pytest.raises(ApiError):
            node._mig(labelled, POLICY, "nvidia-gpu-operator")
    for _ in range(2):
        node._mig(labelled, POLICY, "nvidia-gpu-operator")
    assert api.states == ["pending", "success"]
    assert node._placed == {0: {"1g.18gb": 7}, 1: {"1g.18gb": 7}}
