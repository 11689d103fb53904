"""A site without a way out comes up from its mirror, with allowed registries and signatures, which it gives up."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.certificates import made
from tests.e2e.conftest import WORLD, MakeSite
from tests.e2e.site import ROOT
from tests.e2e.standing import kubectl
from tests.model.image_cases import KEY, SITE
from tests.model.mirror_cases import DIGEST, MIRROR

pytestmark = pytest.mark.rough

MARKET = "openshift-marketplace"
BY = "podwright:cluster"


def stack_text() -> str:
    """The lab's stack with a mirror, whose certificate a private authority has signed, and images of one registry
    alone, those of jobs signed."""
    text = (ROOT / "Pulumi.lab.yaml").read_text()
    said = yaml.safe_load(text)
    said["config"][BY]["openshift"]["mirror"] = {**MIRROR, "authorities": [made("registry.example.com")[0]]}
    signed = {f"{SITE}/research": {"public_key": KEY}}
    said["config"][BY]["openshift"]["images"] = {"allowed_registries": [SITE], "signatures": signed}
    return yaml.safe_dump(said, sort_keys=False)


def test_a_disconnected_site_comes_up_from_its_mirror(make_site: MakeSite, tmp_path: Path) -> None:
    rack = tmp_path / "world.yaml"
    world = yaml.safe_load(WORLD.read_text())
    world["cluster"]["signed"] = {f"{SITE}/research": [KEY]}
    rack.write_text(yaml.safe_dump({**world, "variants": {"registry": "disconnected"}}))
    site = make_site("disconnected", stack_text=stack_text(), world=rack)

    def listed(*what: str) -> list[Any]:
        found: list[Any] = json.loads(kubectl(site, "get", *what, "-o", "json"))["items"]
        return found

    sources = {each["metadata"]["name"]: each for each in listed("catalogsources", "-n", MARKET)}
    assert sorted(sources) == ["cs-certified-operator-index-v4-20", "cs-redhat-operator-index-v4-20"]
    assert all(each["spec"]["image"].endswith(DIGEST) for each in sources.values())
    assert {each["spec"]["source"] for each in listed("subscriptions", "-A")} == set(sources)
    pods = listed("pods", "-A")
    assert {each["status"]["phase"] for each in pods} <= {"Running", "Succeeded"}
    assert {each["metadata"]["name"] for each in listed("imagetagmirrorsets")} == {"podwright-mirror"}
    assert site.preview() == []
    site.refresh()
    assert site.preview() == []
    (image,) = listed("images.config.openshift.io")
    assert {SITE, f"{SITE}:8443"} <= set(image["spec"]["registrySources"]["allowedRegistries"])
    (policy,) = listed("clusterimagepolicies")
    assert policy["spec"]["scopes"] == [f"{SITE}/research"]
    boots = [node["status"]["nodeInfo"]["bootID"] for node in listed("nodes")]
    site.edit({"openshift/images": None})
    site.up()
    (image,) = listed("images.config.openshift.io")
    assert "allowedRegistries" not in image["spec"].get("registrySources", {})
    assert listed("clusterimagepolicies") == []
    assert [node["status"]["nodeInfo"]["bootID"] for node in listed("nodes")] == boots
