"""What the stacks plan is what stands in the goldens, and its manifests are ones an API server could read."""

from typing import Any

import pytest

from podwright.components.design.platform import tuned
from podwright.lab.openshift import fresh
from tests.design import goldens
from tools.generated import changes, stale

KUBERNETES = ("platform", "operators", "storage", "workloads")


@pytest.mark.parametrize("stack", [*goldens.STACKS, *(f"lab-{name}" for name in goldens.older())])
def test_goldens_are_current(stack: str) -> None:
    files = {path: text for path, text in goldens.files().items() if path.parent.name == stack}
    changed = "\n".join(filter(None, (changes(path, text) for path, text in files.items())))
    if changed:
        pytest.fail(f"{changed}\n\n{stack} changed; if that is meant: python -m tests.design.goldens", pytrace=False)
    assert stale(files, goldens.HOME / stack) == [], "delete what no plan is behind"


def test_what_is_another_one_renumbered_is_counted_and_what_differs_is_shown() -> None:
    lab = [{"name": "gpu-01", "address": "192.0.2.11", "mtu": 9216}]
    prod = [{"name": f"gpu-{n:02}", "address": f"203.0.113.{n}", "mtu": 9216} for n in range(1, 17)]
    (counted,) = goldens.distinct_objects(prod, lab)
    assert counted.keys() == {"more like these or the lab's"}
    prod[7]["mtu"] = 1500
    assert goldens.distinct_objects(prod, lab)[0] == prod[7]
    entries = goldens.distinct_objects([{"nics": prod}], [])[0]["nics"]
    assert entries[:2] == [prod[0], prod[7]]
    before = goldens.distinct_objects([{"nics": prod}], [])
    prod[3]["address"] = "203.0.113.99"
    assert goldens.distinct_objects([{"nics": prod}], []) != before, "the digest has every number"


def _manifests(stack: str) -> list[dict[str, Any]]:
    found = goldens.documents(goldens.cluster(stack))
    return [each for layer in KUBERNETES for each in found[layer] if "apiVersion" in each]


@pytest.mark.parametrize("stack", goldens.STACKS)
def test_no_object_is_planned_twice(stack: str) -> None:
    places = [(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in _manifests(stack)]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("stack", goldens.STACKS)
def test_every_namespaced_object_has_its_namespace_planned(stack: str) -> None:
    manifests = _manifests(stack)
    spaces = {each["metadata"]["name"] for each in manifests if each["kind"] == "Namespace"}
    used = {each["metadata"]["namespace"] for each in manifests if "namespace" in each["metadata"]}
    # That one comes with OpenShift; the operator reads Tuned objects of no other.
    assert tuned.NAMESPACE in fresh.NAMESPACES
    assert used - {tuned.NAMESPACE} == spaces


@pytest.mark.parametrize("stack", goldens.STACKS)
def test_labels_and_names_have_the_form_kubernetes_asks(stack: str) -> None:
    for each in _manifests(stack):
        meta = each["metadata"]
        assert len(meta["name"]) <= 63, meta["name"]
        for key, value in (meta.get("labels") or {}).items():
            assert isinstance(value, str), f"{meta['name']}: {key}"
            assert len(value) <= 63
        assert all(isinstance(value, str) for value in (meta.get("annotations") or {}).values())


@pytest.mark.parametrize("stack", goldens.STACKS)
def test_nothing_sets_a_label_that_discovery_owns(stack: str) -> None:
    for each in _manifests(stack):
        owned = [key for key in (each["metadata"].get("labels") or {}) if key.startswith(("nvidia.com/", "feature."))]
        assert set(owned) <= {"nvidia.com/mig.config"}, each["metadata"]["name"]
