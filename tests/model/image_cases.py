"""Which images may run: the change, its place, a word of the sentence."""

from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.model.changes import LAB, PROD, Said, both, put

AT = "openshift/images"
SITE = "registry.example.com"
ALLOWED = put(AT, {"allowed_registries": [SITE]})


def pem(key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey | ed25519.Ed25519PublicKey) -> str:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


KEY = pem(ec.generate_private_key(ec.SECP256R1()).public_key())
CUT = "\n".join([KEY.splitlines()[0], KEY.splitlines()[1], KEY.splitlines()[-1]])
"""A key whose second line was forgotten."""


def signed(scope: str = SITE, **of: object) -> Callable[[Said], None]:
    return put(AT, {"signatures": {scope: of or {"public_key": KEY}}})


_PRETRAIN, _CHAT = "workloads/training/pretrain/image", "workloads/inference/chat/image"
_SCOPE = f"openshift.images.signatures.{SITE}"

CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (LAB, put(AT, {}), "openshift.images", "neither registries nor signatures"),
    (
        PROD,
        both(ALLOWED, put(_PRETRAIN, "docker.io/team/a@sha256:" + "1" * 64)),
        "workloads.training.pretrain.image",
        "is of none of openshift.images.allowed_registries",
    ),
    (LAB, both(ALLOWED, put(_CHAT, "ghcr.io/team/vllm:1")), "workloads.inference.chat.image", "no node would pull it"),
    (LAB, both(ALLOWED, put(_CHAT, "vllm:1")), "workloads.inference.chat.image", "names no registry"),
    (LAB, both(ALLOWED, put("acceptance/image", "quay.io/site/b:1")), "acceptance.image", "is of none of"),
    (
        LAB,
        both(put(AT, {"allowed_registries": [f"{SITE}/research"]})),
        "workloads.inference.chat.image",
        "is of none of",
    ),
    (LAB, signed("ghcr.io"), "openshift.images.signatures.ghcr.io", "has no image of this file"),
    (LAB, signed("quay.io"), "openshift.images.signatures.quay.io", "images of OpenShift's release"),
    (
        LAB,
        signed("quay.io/openshift-release-dev/ocp-v4.0-art-dev"),
        "openshift.images.signatures.quay.io/openshift-release-dev/ocp-v4.0-art-dev",
        "images of OpenShift's release",
    ),
    (
        PROD,
        both(
            ALLOWED,
            put(f"{AT}/allowed_registries", [f"{SITE}/{each}" for each in ("research", "serving", "net", "chat")]),
            put(f"{AT}/signatures", {SITE: {"public_key": KEY}}),
        ),
        _SCOPE,
        "in none of openshift.images.allowed_registries",
    ),
    (LAB, signed(rekor_key=KEY), _SCOPE, "has neither public_key nor fulcio"),
    (LAB, signed(public_key=CUT), f"{_SCOPE}.public_key", "is no public key"),
    (LAB, both(signed(), put("openshift/version", "4.19.4")), "openshift.images.signatures", "4.19.4 verifies no"),
]
