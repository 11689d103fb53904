"""A pool goes by a file's registries and signatures when policy.json of its rendered configuration does."""

import asyncio
import copy
from typing import Any, cast

import pytest

from podwright.components import model
from podwright.components.design.platform import images
from podwright.components.providers.openshift.cordons import Survey
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.openshift.pools import readiness
from podwright.components.providers.openshift.pools.image_policy import release, unpoliced
from podwright.lab.openshift import image_policy
from tools.goldens import stack_file

POOL = {"spec": {"configuration": {"name": "rendered-worker-1"}}}


class Rendered:
    """A cluster with one rendered configuration."""

    def __init__(self, files: list[dict[str, Any]]) -> None:
        self._files = files

    async def find(self, path: str) -> Any:
        assert path.endswith("/rendered-worker-1")
        return {"spec": {"config": {"storage": {"files": self._files}}}}


def planned() -> images.ImagesPlan:
    whole = model.load(stack_file("platform"))
    assert whole.openshift
    found = images.plan(whole.openshift, whole.servers, certified=whole.has_certified)
    assert found
    return found


def lacking(registries: Any, policies: Any, wanted: Any = None, pools: Any = None) -> list[str]:
    """What the planned list and signatures lack where the operator rendered these objects."""
    live = Survey({}, {"worker": POOL} if pools is None else pools, {})
    kube = cast(Kube, Rendered(image_policy.files(registries, policies, {})))
    asked = planned().ready["worker"]["images"] if wanted is None else wanted
    return [
        each.removeprefix("MachineConfigPool worker ") for each in asyncio.run(unpoliced(kube, live, "worker", asked))
    ]


def test_what_the_operator_renders_of_the_plan_lacks_nothing() -> None:
    plan = planned()
    assert lacking(plan.registries, plan.policies) == []


def test_a_configuration_without_policies_lacks_all_of_it() -> None:
    found = lacking(None, [])
    assert "takes images of every registry yet" in found
    assert "does not allow registry.example.com yet" in found
    assert "does not verify signatures of registry.example.com/research with its key yet" in found


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda each: each.append("docker.io"), "allows docker.io still"),
        (lambda each: each.remove("nvcr.io"), "does not allow nvcr.io yet"),
    ],
)
def test_another_list_is_not_the_files(change: Any, sentence: str) -> None:
    plan = planned()
    registries: Any = copy.deepcopy(plan.registries)
    change(registries["spec"]["registrySources"]["allowedRegistries"])
    assert lacking(registries, plan.policies) == [sentence]


def test_the_key_before_a_change_is_not_the_new_one() -> None:
    plan = planned()
    old: Any = copy.deepcopy(plan.policies)
    old[0]["spec"]["policy"]["rootOfTrust"]["publicKey"]["keyData"] = "QUFB"
    (sentence,) = lacking(plan.registries, old)
    assert sentence == "does not verify signatures of registry.example.com/research with its key yet"


def test_a_scope_that_is_an_entry_of_the_list_is_allowed_by_its_signature() -> None:
    plan = planned()
    registries: Any = copy.deepcopy(plan.registries)
    registries["spec"]["registrySources"]["allowedRegistries"].append("registry.example.com/research")
    wanted = copy.deepcopy(plan.ready["worker"]["images"])
    wanted["allowed"].append("registry.example.com/research")
    assert lacking(registries, plan.policies, wanted) == []


def test_a_pool_that_is_not_made_yet_is_not_waited_for() -> None:
    assert lacking(None, [], pools={}) == []
    assert lacking(None, [], wanted={}) == []


class Live:
    """A cluster whose list is this one."""

    def __init__(self, *allowed: str) -> None:
        self.spec: dict[str, Any] = {"registrySources": {"allowedRegistries": list(allowed)}}
        self.changes: list[Any] = []

    async def find(self, path: str) -> Any:
        assert path.endswith("/images/cluster")
        return {"spec": self.spec}

    async def merge(self, path: str, change: Any) -> None:
        assert path.endswith("/images/cluster")
        self.changes.append(change)


@pytest.mark.parametrize(
    ("live", "old", "new", "taken"),
    [
        (["b", "a"], {"allowed": ["a", "b"]}, {}, True),
        (["a"], {"allowed": ["a"]}, {"signed": {}}, True),
        (["a", "c"], {"allowed": ["a"]}, {}, False),
        (["a"], {"allowed": ["a"]}, {"allowed": ["b"]}, False),
        (["a"], {"signed": {}}, {}, False),
    ],
)
def test_a_list_goes_with_its_key_unless_somebody_else_changed_it(
    live: list[str], old: dict[str, Any], new: dict[str, Any], taken: bool
) -> None:
    there = Live(*live)
    asyncio.run(release(cast(Kube, there), old, new))
    assert there.changes == ([{"spec": {"registrySources": {"allowedRegistries": None}}}] if taken else [])


@pytest.mark.parametrize(("pool", "asked"), [("master", True), ("training", False)])
def test_a_pool_that_goes_takes_no_list_along_and_the_control_planes_wait_does(
    pool: str, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    async def noted(*given: Any) -> None:
        seen.append(given[1:])

    monkeypatch.setattr(readiness, "release", noted)
    monkeypatch.setattr(readiness, "Kube", lambda *_: None)
    monkeypatch.setattr(readiness, "rehomed", lambda *_: "")
    inputs = {"spec": {"pool": pool, "images": {"allowed": ["a"]}}, "kubeconfig": "x"}
    ctx: Any = type("Nowhere", (), {"reach": None})()
    asyncio.run(readiness.PoolReadyKind().delete(pool, inputs, inputs, ctx))
    assert seen == ([({"allowed": ["a"]}, {})] if asked else [])
