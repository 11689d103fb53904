"""Where an image lies, which scope decides about it, and what is a public key."""

import pytest
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from podwright.components import model
from podwright.components.model.image_names import closest, inside, is_short, own_registries, repository, scopes
from podwright.components.model.images import Images
from podwright.components.model.problems import SpecErrors
from podwright.components.model.public_key import is_public_key
from tests.certificates import made
from tests.model.changes import LAB, put
from tests.model.image_cases import AT, CUT, KEY, SITE, pem

DIGEST = f"sha256:{'0' * 64}"


def test_scopes_of_an_image_the_closest_one_first() -> None:
    assert list(scopes("a.example.com:5000/b/c:v1")) == [
        "a.example.com:5000/b/c:v1",
        "a.example.com:5000/b/c",
        "a.example.com:5000/b",
        "a.example.com:5000",
        "*.example.com",
        "*.com",
    ]
    assert next(scopes(f"a.io/b:v1@{DIGEST}")) == f"a.io/b@{DIGEST}"


@pytest.mark.parametrize(
    ("image", "among", "found"),
    [
        ("nvcr.io/nvidia/a:1", ["nvcr.io", "nvcr.io/nvidia"], "nvcr.io/nvidia"),
        ("nvcr.io/nvidia-lab/a:1", ["nvcr.io/nvidia"], None),
        ("nvcr.io.example.net/a:1", ["nvcr.io"], None),
        ("eu.example.com/a:1", ["*.example.com"], "*.example.com"),
        ("example.com/a:1", ["*.example.com"], None),
        ("a.io:5000/a:1", ["a.io"], None),
        (f"a.io/b@{DIGEST}", ["a.io/b"], "a.io/b"),
    ],
)
def test_the_closest_scope_decides(image: str, among: list[str], found: str | None) -> None:
    assert closest(image, among) == found


def test_a_scope_inside_another_one() -> None:
    assert inside("a.io/b", "a.io") and inside("a.io", "a.io") and inside("eu.a.io/b", "*.a.io")
    assert not inside("a.io", "a.io/b") and not inside("a.io.net/b", "a.io") and not inside("a.io/b", "*.a.io")


def test_names_without_a_registry_and_without_a_tag() -> None:
    assert [is_short(each) for each in ("busybox", "team/a:1", "docker.io/team/a", "localhost/a")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert repository(f"a.io:5000/b:1@{DIGEST}") == "a.io:5000/b"


def test_what_a_cluster_pulls_by_itself_follows_from_its_operators_and_its_mirror() -> None:
    assert own_registries(certified=False, mirror=None) == (
        "quay.io/openshift-release-dev",
        "image-registry.openshift-image-registry.svc:5000",
        "registry.redhat.io",
    )
    more = set(own_registries(certified=True, mirror="mirror.example.com:8443/pod"))
    assert {"nvcr.io", "ghcr.io/mellanox", "registry.connect.redhat.com", "mirror.example.com:8443"} <= more


@pytest.mark.parametrize(
    "key",
    [
        ec.generate_private_key(ec.SECP384R1()).public_key(),
        rsa.generate_private_key(65537, 2048).public_key(),
        ed25519.Ed25519PrivateKey.generate().public_key(),
    ],
    ids=["ecdsa", "rsa", "ed25519"],
)
def test_keys_that_sigstore_signs_with(key: ec.EllipticCurvePublicKey) -> None:
    assert is_public_key(pem(key))
    assert Images.model_validate({"signatures": {SITE: {"public_key": pem(key)}}})


def test_what_is_no_such_key() -> None:
    other = dsa.generate_private_key(1024).public_key()
    text = other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    assert not any(map(is_public_key, (text, CUT, made("one")[0], KEY.replace("M", "A", 1))))


@pytest.mark.parametrize("quoted", [False, True])
def test_a_private_key_in_the_place_of_the_public_one_is_refused_and_nothing_of_it_is_repeated(quoted: bool) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    text = text.replace("BEGIN PRIVATE", "BEGIN ENCRYPTED SIGSTORE PRIVATE") if quoted else text
    said = {**LAB, "openshift": dict(LAB["openshift"])}
    put(AT, {"signatures": {SITE: {"public_key": text}}})(said)
    with pytest.raises(SpecErrors) as refused:
        model.load(said)
    sentence = str(refused.value)
    assert f"openshift.images.signatures.{SITE}.public_key" in sentence and "BEGIN PUBLIC KEY" in sentence
    assert not any(line in sentence for line in text.splitlines()[1:-1])


@pytest.mark.parametrize(
    "registry", ["https://a.io", "a.io/b:1", f"a.io/b@{DIGEST}", "a.*.io", "*", "a.io/", "A.io", ""]
)
def test_what_nodes_cannot_take_as_a_registry_is_refused(registry: str) -> None:
    with pytest.raises(ValueError):
        Images.model_validate({"allowed_registries": [registry]})
    with pytest.raises(ValueError):
        Images.model_validate({"signatures": {registry: {"public_key": KEY}}})
