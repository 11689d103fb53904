"""The verifier against signatures made here, by the text of the draft, with every key form that clients use."""

from __future__ import annotations

import base64
import hashlib
import time
from email.utils import formatdate
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from podwright.lab.intersight.signature import Request, new_key, public_of, verified

RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
TARGET = "/api/v1/ntp/Policies?%24filter=Name+eq+%27a%27"
SHORT = "(request-target) host date digest"
LONG = "(request-target) (created) (expires) host date digest content-type"


def pem(key: Any, form: serialization.PrivateFormat) -> str:
    text: bytes = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    return text.decode()


def signed(
    key: Any, names: str = SHORT, body: bytes = b"", moment: float | None = None, changes: dict[str, str] | None = None
) -> Request:
    now = moment or time.time()
    created, expires = str(int(now)), f"{now + 60:.7f}"
    headers = {
        "host": "intersight.com",
        "date": formatdate(now, usegmt=True),
        "digest": "SHA-256=" + base64.b64encode(hashlib.sha256(body).digest()).decode(),
        "content-type": "application/json",
    }
    values = {"(request-target)": f"post {TARGET}", "(created)": created, "(expires)": expires, **headers}
    text = "\n".join(f"{name}: {values[name]}" for name in names.split()).encode()
    if isinstance(key, rsa.RSAPrivateKey):
        raw = key.sign(text, padding.PKCS1v15(), hashes.SHA256())
    else:
        raw = key.sign(text, ec.ECDSA(hashes.SHA256()))
    extra = f"created={created},expires={expires}," if "(expires)" in names else ""
    signature = base64.b64encode(raw).decode()
    headers["authorization"] = (
        f'Signature keyId="k",algorithm="hs2019",{extra}headers="{names}",signature="{signature}"'
    )
    return Request("POST", TARGET, headers | (changes or {}), body)


@pytest.mark.parametrize("key", [RSA, EC], ids=["rsa", "ec"])
@pytest.mark.parametrize("names", [SHORT, LONG], ids=["short", "long"])
def test_both_keys_and_header_sets(key: Any, names: str) -> None:
    keys = {"k": key.public_key()}
    assert verified(signed(key, names, b'{"a": 1}'), keys.get) == "k"
    assert verified(signed(key, names), {"other": key.public_key()}.get) is None
    assert verified(signed(RSA if key is EC else EC, names), keys.get) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"host": "elsewhere.example.com"},
        {"date": formatdate(time.time() - 30, usegmt=True)},
        {"digest": "SHA-256=" + base64.b64encode(hashlib.sha256(b"x").digest()).decode()},
        {"authorization": "Basic YTpi"},
        {"authorization": 'Signature keyId="k",headers="",signature=""'},
    ],
)
def test_any_change_breaks_it(changes: dict[str, str]) -> None:
    assert verified(signed(EC, changes=changes), {"k": EC.public_key()}.get) is None


def test_a_changed_target_body_or_verb_breaks_it() -> None:
    good, keys = signed(EC, body=b"{}"), {"k": EC.public_key()}
    for bad in (
        Request(good.method, good.target.replace("+", "%20"), good.headers, good.body),
        Request(good.method, good.target, good.headers, b"[]"),
        Request("DELETE", good.target, good.headers, good.body),
    ):
        assert verified(bad, keys.get) is None
    assert verified(good, keys.get) == "k"


def test_what_must_be_signed_is_signed() -> None:
    keys = {"k": EC.public_key()}
    assert verified(signed(EC, "host date digest"), keys.get) is None
    assert verified(signed(EC, "(request-target) host date"), keys.get) is None
    assert verified(signed(EC, "(request-target) host digest"), keys.get) is None


def test_old_and_expired_signatures_are_refused() -> None:
    keys, now = {"k": EC.public_key()}, time.time()
    assert verified(signed(EC, moment=now - 3600), keys.get) is None
    assert verified(signed(EC, LONG), keys.get, now + 59) == "k"
    assert verified(signed(EC, LONG), keys.get, now + 62) is None


def test_key_forms() -> None:
    pkcs8, old = serialization.PrivateFormat.PKCS8, serialization.PrivateFormat.TraditionalOpenSSL
    for key in (RSA, EC):
        for form in (pkcs8, old):
            assert public_of(pem(key, form)) == key.public_key()
    handed_out = new_key()
    assert handed_out.startswith("-----BEGIN EC PRIVATE KEY-----")
    assert isinstance(public_of(handed_out), ec.EllipticCurvePublicKey)
    with pytest.raises(ValueError, match=r".+"):
        public_of("no key")
