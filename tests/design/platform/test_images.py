"""Which images may run: every object, what is added to a file's list, and which nodes are waited for."""

import base64
from pathlib import Path
from typing import Any

import yaml

from podwright.components import model
from podwright.components.changes.objects import object_impact
from podwright.components.changes.row import ChangeClass
from podwright.components.design.platform import images
from podwright.components.model import Cluster
from podwright.lab.openshift import image_policy
from tests.design.goldens import cluster
from tests.model.changes import PROD, both, put
from tests.model.image_cases import AT, KEY, SITE
from tests.model.mirror_cases import MIRRORED
from tools.goldens import stack_file

GOLDEN = Path(__file__).with_name("images.yaml")


def _plan(whole: Cluster) -> images.ImagesPlan | None:
    assert whole.openshift
    return images.plan(whole.openshift, whole.servers, certified=whole.has_certified)


def _changed(*changes: Any) -> images.ImagesPlan:
    said = yaml.safe_load(yaml.safe_dump(PROD))
    both(*changes)(said)
    found = _plan(model.load(said))
    assert found
    return found


def test_every_object_of_the_example_word_by_word() -> None:
    plan = _plan(model.load(stack_file("platform")))
    assert plan and plan.registries
    assert [plan.registries, *plan.policies, plan.ready["master"]] == list(yaml.safe_load_all(GOLDEN.read_text()))


def test_nothing_is_planned_unless_defined() -> None:
    assert [_plan(cluster(each)) for each in ("lab", "prod")] == [None, None]


def test_a_list_has_what_the_cluster_pulls_by_itself_also_behind_a_mirror() -> None:
    plain = _changed(put(AT, {"allowed_registries": [SITE]}))
    assert plain.registries
    allowed = plain.registries["spec"]["registrySources"]["allowedRegistries"]
    assert {SITE, "quay.io/openshift-release-dev", "registry.redhat.io", "nvcr.io"} <= set(allowed)
    assert allowed == sorted(allowed)
    mirrored = _changed(MIRRORED, put(AT, {"allowed_registries": [SITE]}))
    assert mirrored.registries
    assert set(mirrored.registries["spec"]["registrySources"]["allowedRegistries"]) == {*allowed, f"{SITE}:8443"}


def test_signatures_alone_allow_every_registry() -> None:
    plan = _changed(put(AT, {"signatures": {SITE: {"public_key": KEY}}}))
    (policy,) = plan.policies
    assert plan.registries is None and "allowed" not in plan.ready["worker"]["images"]
    key = policy["spec"]["policy"]["rootOfTrust"]["publicKey"]["keyData"]
    assert base64.b64decode(key).decode() == KEY


def test_every_pool_is_waited_for_and_again_for_another_key() -> None:
    one, other = (
        _changed(put(AT, {"signatures": {SITE: {"public_key": KEY, **more}}})) for more in ({}, {"rekor_key": KEY})
    )
    assert set(one.ready) == {"master", "worker", *PROD["pools"]} & set(one.ready) >= {"master", "worker", "training"}
    assert one.ready["worker"]["trigger"] != other.ready["worker"]["trigger"]


def test_two_scopes_never_have_one_name() -> None:
    names = [images.name(each) for each in ("a.io/b/c", "a.io/b-c", "a.io:5000/b", "*.a.io", "x" * 256)]
    assert len(set(names)) == len(names) and all(len(each) < 253 for each in names)
    assert names[0].startswith("podwright-a.io-b-c-")


def test_signatures_that_cosign_makes_are_accepted_by_what_is_planned_and_by_the_default_are_not() -> None:
    plan = _changed(put(AT, {"signatures": {SITE: {"public_key": KEY}}}))
    (policy,) = plan.policies
    default = {**policy, "spec": {**policy["spec"], "policy": {"rootOfTrust": policy["spec"]["policy"]["rootOfTrust"]}}}

    def refused(each: Any) -> str:
        config = {"config": {"storage": {"files": image_policy.files(None, [each], {})}}}
        return image_policy.refusal(f"{SITE}/a@sha256:{'0' * 64}", config, {SITE: [KEY]})

    assert refused(policy) == ""
    assert refused(default) == f'Source image rejected: Signature for identity "{SITE}/a" is not accepted'


def test_neither_drains_a_node() -> None:
    plan = _plan(model.load(stack_file("platform")))
    assert plan and plan.registries
    for each in (plan.registries, *plan.policies):
        impact = object_impact({**each, "spec": {}}, each)
        assert impact is not None and impact.change_class is ChangeClass.LIVE
