"""What a disconnected site mirrors: all that a stack pulls by name, nothing that it does not."""

import copy
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from podwright.cli.__main__ import app
from podwright.components import model
from podwright.components.design.image_set import ImageSet, image_set
from tests.design import whole
from tests.model.changes import LAB, PROD, Said, both, drop, put
from tools.generated import ROOT

GOLDEN = ROOT / "tests/design/images/prod.yaml"
STACKS = sorted(
    path
    for path in [*ROOT.glob("Pulumi.*.yaml"), *ROOT.glob("tests/examples/*/Pulumi.*.yaml")]
    if model.load(path).openshift is not None
)


def made(said: Said, *changes: Any) -> ImageSet:
    said = copy.deepcopy(said)
    both(*changes)(said)
    return image_set(model.load(said))


def packages(found: ImageSet) -> dict[str, tuple[str, str, Any]]:
    """By package: index image, the one channel, and its release."""
    return {
        each["name"]: (catalog["catalog"], each["channels"][0]["name"], each["channels"][0].get("maxVersion"))
        for catalog in found.document["mirror"]["operators"]
        for each in catalog["packages"]
    }


def images(found: ImageSet) -> list[str]:
    return [each["name"] for each in found.document["mirror"]["additionalImages"]]


def pulled(node: Any) -> set[str]:
    """Images that manifests name: of a container, or as repository, image and version."""
    if isinstance(node, dict):
        image = node.get("image")
        if isinstance(image, str) and "repository" in node:
            return {f"{node['repository']}/{image}:{node['version']}"}
        own = {image} if isinstance(image, str) else set()
        return own.union(*(pulled(each) for each in node.values()))
    return set().union(*(pulled(each) for each in node)) if isinstance(node, (list, tuple)) else set()


def test_the_image_set_of_the_production_stack_is_written_down() -> None:
    done = CliRunner().invoke(app, ["explain", "images", str(ROOT / "Pulumi.prod.yaml")])
    assert done.exit_code == 0
    assert done.stdout == GOLDEN.read_text(encoding="utf-8")
    assert "not pinned: nvcr.io/nvidia/mellanox/doca-driver" in done.stderr


@pytest.mark.parametrize("stack", STACKS, ids=lambda path: path.stem.removeprefix("Pulumi."))
def test_the_operators_are_those_that_the_stack_subscribes_to(stack: Any) -> None:
    cluster = model.load(stack)
    if cluster.operators is None:
        return
    found = packages(image_set(cluster))
    planned = {each.name: each.subscription["spec"] for each in whole.operators(cluster)}
    assert {name: channel for name, (_, channel, _) in found.items()} == {
        name: spec["channel"] for name, spec in planned.items()
    }
    for name, (catalog, _, version) in found.items():
        assert version is None or planned[name]["startingCSV"].endswith(version)
        assert catalog.endswith(f":v{cluster.openshift.version[:4]}") if cluster.openshift else False


@pytest.mark.parametrize("stack", STACKS, ids=lambda path: path.stem.removeprefix("Pulumi."))
def test_every_image_that_the_stack_names_itself_is_mirrored_or_named(stack: Any) -> None:
    cluster = model.load(stack)
    found = image_set(cluster)
    parts = [job.image for job in cluster.workloads.training.values()]
    parts += [service.image for service in cluster.workloads.inference.values()]
    planned = set(parts)
    for operator in whole.operators(cluster) if cluster.operators else ():
        planned |= pulled(list(operator.settings))
    lost = planned - set(images(found))
    assert all(any(image in sentence for sentence in found.unpinned) for image in lost), lost
    of_a_node = ("/doca-driver:", "/nvidia/driver:", "/nvidia-fs:", "/gdrdrv:")
    assert all(any(name in image for name in of_a_node) for image in lost)


def test_a_stack_without_gpus_and_rails_mirrors_feature_discovery_alone() -> None:
    gone = [f"servers/{name}" for name, server in LAB["servers"].items() if server["pool"] != "control-plane"]
    emptied = [*map(drop, gone), put("pools", {}), put("openshift/teams", {}), put("fabric/survive", {})]
    found = made(LAB, *emptied, drop("workloads"), drop("acceptance"))
    assert list(packages(found)) == ["nfd"]
    assert images(found) == []


def test_a_pin_of_the_file_is_the_release_that_is_mirrored() -> None:
    pin = {"channel": "stable", "csv": "nfd.4.20.0-202510211212"}
    found = made(PROD, put("operators/pins", {"nfd": pin}))
    assert packages(found)["nfd"][1:] == ("stable", "4.20.0-202510211212")
    assert not any(each.startswith("nfd:") for each in found.unpinned)
    assert any(each.startswith("nfd:") for each in made(PROD).unpinned)


def test_an_image_without_a_digest_is_named() -> None:
    image = "registry.example.com/research/pretrain:v7"
    found = made(PROD, put("workloads/training/pretrain/image", image))
    assert image in images(found)
    assert f"{image}: has no digest; write its name@sha256:…" in found.unpinned


def test_a_release_is_mirrored_alone() -> None:
    version = PROD["openshift"]["version"]
    (channel,) = made(PROD).document["mirror"]["platform"]["channels"]
    assert channel == {"name": f"stable-{version[:4]}", "minVersion": version, "maxVersion": version}


def test_a_fabric_alone_pulls_nothing() -> None:
    done = CliRunner().invoke(app, ["explain", "images", str(ROOT / "tests/model/fabric_only.yaml")])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "pulls no images" in done.stderr


def test_a_document_is_plain_data() -> None:
    document = made(PROD).document
    assert yaml.safe_load(yaml.safe_dump(document)) == document
