"""A disconnected site's mirror on its way from the stack file to the installer and the cluster."""

import copy
import re
from typing import Any

import pytest

from podwright.components import model
from podwright.components.design import mirror
from podwright.components.design.mirror import Pulls
from podwright.components.model.image_names import registry_of
from podwright.components.providers.openshift.install import InstallKind
from podwright.components.providers.openshift.install.check import judge
from podwright.components.providers.openshift.install.files import install_config
from podwright.lab.openshift.install.config import install_problems
from tests.certificates import made
from tests.design import whole
from tests.model.changes import LAB, PROD, Said, both, put
from tests.model.mirror_cases import AT, DIGEST, MIRROR, MIRRORED

PULL_SECRET = '{"auths":{"registry.example.com:8443":{"auth":"Y2FuYXJ5OmNhbmFyeQ=="}}}'
HERE = "registry.example.com:8443/pod"
PINNED = f"registry.example.org/team/model@{DIGEST}"


def cluster(base: Said = LAB, *changes: Any) -> model.Cluster:
    said = copy.deepcopy(base)
    both(*changes)(said)
    return model.load(said)


def spec(base: Said = LAB, *changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = whole.compute(cluster(base, *changes)).install
    return found


def mirrors(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {row["source"]: row["mirrors"] for row in rows}


def test_an_installation_pulls_its_release_and_everything_of_the_stack_from_the_mirror() -> None:
    made_spec = spec(LAB, MIRRORED)
    assert judge({"spec": made_spec}) == []
    config = install_config(made_spec, PULL_SECRET)
    assert install_problems(config) == []
    found = mirrors(config["imageDigestSources"])
    assert found["quay.io/openshift-release-dev/ocp-release"] == [f"{HERE}/openshift/release-images"]
    assert found["quay.io/openshift-release-dev/ocp-v4.0-art-dev"] == [f"{HERE}/openshift/release"]
    assert found["registry.redhat.io"] == found["registry.connect.redhat.com"] == found["nvcr.io"] == [HERE]
    assert "additionalTrustBundle" not in config


@pytest.mark.parametrize("base", [LAB, PROD])
def test_every_image_of_the_stack_has_a_source(base: Said) -> None:
    found = cluster(base, MIRRORED)
    sources = mirrors(spec(base, MIRRORED)["mirror"]["sources"])
    assert found.images
    for image in found.images:
        assert any(image.startswith(f"{source}/") for source in sources), image


def test_hosts_trust_the_private_authorities_from_their_first_boot() -> None:
    one, two = made("one")[0], made("two")[0]
    config = install_config(spec(LAB, MIRRORED, put(f"{AT}/authorities", [one, two.rstrip()])), PULL_SECRET)
    assert config["additionalTrustBundle"] == one + two
    assert config["additionalTrustBundlePolicy"] == "Always"
    assert install_problems(config) == []


def test_without_a_mirror_the_installer_gets_what_it_got_before() -> None:
    assert "mirror" not in spec()
    assert not {"imageDigestSources", "additionalTrustBundle"} & set(install_config(spec(), PULL_SECRET))


def test_what_the_network_operator_names_by_tag_is_mirrored_by_tag_and_by_digest() -> None:
    found = model.Mirror.model_validate(MIRROR)
    nics = Pulls(nics=True)
    assert mirrors(mirror.tag_sources(found, nics)) == {"nvcr.io/nvidia/mellanox": [f"{HERE}/nvidia/mellanox"]}
    assert mirrors(mirror.digest_sources(found, nics))["nvcr.io/nvidia/mellanox"] == [f"{HERE}/nvidia/mellanox"]
    assert mirror.tag_sources(found, Pulls()) == []


@pytest.mark.parametrize(
    ("image", "registry"),
    [
        ("nvcr.io/nvidia/pytorch:26.01", "nvcr.io"),
        ("localhost/a", "localhost"),
        ("registry:5000/a", "registry:5000"),
        ("library/busybox", "docker.io"),
        ("busybox:1", "docker.io"),
    ],
)
def test_an_image_is_of_a_registry(image: str, registry: str) -> None:
    assert registry_of(image) == registry


def test_a_source_of_its_own_and_an_image_that_is_in_the_mirror_already() -> None:
    found = model.Mirror.model_validate({**MIRROR, "sources": ["ghcr.io/team"]})
    rows = mirrors(mirror.digest_sources(found, Pulls((f"{HERE}/own@{DIGEST}", PINNED))))
    assert rows["ghcr.io/team"] == [f"{HERE}/team"]
    assert rows["registry.example.org"] == [HERE]
    assert "registry.example.com:8443" not in rows


def test_a_catalogue_is_named_as_oc_mirror_names_it_and_pulled_by_its_digest() -> None:
    found = model.Mirror.model_validate(MIRROR)
    assert mirror.catalog_source("redhat-operators", "4.20.3") == "cs-redhat-operator-index-v4-20"
    assert mirror.index(found, "certified-operators") == f"{HERE}/redhat/certified-operator-index@{DIGEST}"
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", mirror.catalog_source("certified-operators", "4.20.3"))


def test_another_mirror_leaves_a_cluster_that_runs_as_it_was_installed() -> None:
    other = spec(LAB, MIRRORED, put(f"{AT}/registry", "other.example.com"))
    assert other != spec(LAB, MIRRORED)
    assert not InstallKind().diff({"spec": spec(LAB, MIRRORED)}, {"spec": other}, {}).changes


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"sources": []}, "has two keys"),
        ({"sources": [{"source": "a.io"}]}, "has two keys"),
        ({"sources": [{"source": "a.io", "mirrors": ["b.io"]}], "trust": 1}, "PEM text"),
    ],
)
def test_a_mirror_of_another_shape_is_no_spec(wrong: Said, words: str) -> None:
    assert [words in each.message for each in judge({"spec": {**spec(), "mirror": wrong}})] == [True]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"imageDigestSources": [{"source": "a.io/b:1", "mirrors": ["c.io"]}]}, "source: Invalid value"),
        ({"imageDigestSources": [{"source": "a.io", "mirrors": ["https://c.io"]}]}, "mirrors[0]: Invalid value"),
        ({"imageDigestSources": [{"source": "a.io"}], "imageContentSources": [{"source": "a.io"}]}, "at the same time"),
        ({"additionalTrustBundle": "no PEM"}, "additionalTrustBundle: Invalid value"),
        ({"additionalTrustBundlePolicy": "Sometimes"}, "additionalTrustBundlePolicy: Unsupported value"),
    ],
)
def test_the_labs_installer_refuses_what_the_vendors_does(change: Said, words: str) -> None:
    config = install_config(spec(), PULL_SECRET)
    assert any(words in each for each in install_problems({**config, **change}))
