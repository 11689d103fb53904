"""A disconnected site's graph: mirror sets, pools that take them, catalogues, and operators from those alone."""

import copy
import functools

from podwright.components import model
from tests.certificates import made
from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, of
from tests.model.changes import PROD, both, put
from tests.model.mirror_cases import AT, DIGEST, MIRRORED

CONFIG = "kubernetes:config.openshift.io/v1"
CATALOG = "kubernetes:operators.coreos.com/v1alpha1:CatalogSource"
SUBSCRIPTION = "kubernetes:operators.coreos.com/v1alpha1:Subscription"


@functools.cache
def graph() -> dict[str, Registered]:
    said = copy.deepcopy(PROD)
    both(MIRRORED, put(f"{AT}/authorities", [made("one")[0]]))(said)
    return register(model.load(said))


def test_mirror_sets_stand_before_the_wait_for_every_pool_and_that_before_the_catalogues() -> None:
    seen = graph()
    (trust,) = of(seen, "kubernetes:core/v1:ConfigMapPatch")
    (digests,) = of(seen, f"{CONFIG}:ImageDigestMirrorSet")
    (tags,) = of(seen, f"{CONFIG}:ImageTagMirrorSet")
    waits = [each for each in of(seen, "podwright:openshift:PoolReady") if "-mirrors-" in each.name]
    (hub,) = of(seen, f"{CONFIG}:OperatorHubPatch")
    catalogs = of(seen, CATALOG)
    assert {each.inputs["spec"]["pool"] for each in waits} >= {"master", "worker", "training", "inference"}
    assert all_before(seen, digests, [trust])
    assert all(all_before(seen, each, [digests, tags]) for each in waits)
    assert all(all_before(seen, each, waits) for each in (hub, *catalogs))
    assert hub.inputs["spec"] == {"disableAllDefaultSources": True}
    assert trust.inputs["data"]["ca-bundle.crt"].startswith("-----BEGIN CERTIFICATE-----")


def test_what_the_installer_was_given_is_what_the_cluster_is_given() -> None:
    (install,) = of(graph(), "podwright:openshift:Install")
    (digests,) = of(graph(), f"{CONFIG}:ImageDigestMirrorSet")
    assert install.inputs["spec"]["mirror"]["sources"] == digests.inputs["spec"]["imageDigestMirrors"]


def test_every_wait_names_the_mirrors_of_every_source() -> None:
    (digests,) = of(graph(), f"{CONFIG}:ImageDigestMirrorSet")
    wanted = {row["source"]: row["mirrors"] for row in digests.inputs["spec"]["imageDigestMirrors"]}
    for each in of(graph(), "podwright:openshift:PoolReady"):
        if "-mirrors-" in each.name:
            assert each.inputs["spec"]["mirrors"] == wanted


def test_every_operator_comes_from_a_catalogue_of_the_mirror_that_stands_before_it() -> None:
    seen = graph()
    catalogs = {each.inputs["metadata"]["name"]: each for each in of(seen, CATALOG)}
    assert len(catalogs) == 2
    assert all(each.inputs["spec"]["image"].endswith(f"@{DIGEST}") for each in catalogs.values())
    subscriptions = of(seen, SUBSCRIPTION)
    assert len(subscriptions) == 5
    for each in subscriptions:
        assert all_before(seen, each, [catalogs[each.inputs["spec"]["source"]]])


def test_a_stack_without_a_mirror_registers_nothing_of_it() -> None:
    seen = register(model.load(copy.deepcopy(PROD)))
    assert not of(seen, f"{CONFIG}:ImageDigestMirrorSet", f"{CONFIG}:OperatorHubPatch", CATALOG)
    assert {each.inputs["spec"]["source"] for each in of(seen, SUBSCRIPTION)} == {
        "redhat-operators",
        "certified-operators",
    }
