"""Firmware images: fetched from where the BMC has a way to, and read.

An image is the lab's own format: JSON with the model it is for and the version of each component in it,
`{"Model": "UCSC-885A-M8", "Versions": {"BMC": "1.1", "BIOS": "4.4"}}`. Real images are the makers'.
"""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Collection, Mapping

import requests

from podwright.lab.redfish import registry
from podwright.lab.redfish.media import FETCH_SECONDS, LOOPBACK


def fetched(url: str, routes: Mapping[str, str]) -> bytes:
    """What is at `url`. `routes` are the world's ways to addresses. Raises RefusalError where there is none."""
    parts = urllib.parse.urlsplit(url)
    site = f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
    target = routes.get(site, site)
    failed = registry.RefusalError("Update.1.0.TransferFailed", f"Transfer of image '{url}' failed.", (url,))
    if parts.scheme not in ("http", "https") or target.rpartition(":")[0] not in LOOPBACK:
        raise failed
    try:
        with requests.Session() as session:
            session.trust_env = False  # a proxy of the environment has no way to loopback
            reply = session.get(parts._replace(netloc=target).geturl(), timeout=FETCH_SECONDS)
    except requests.RequestException:
        raise failed from None
    if reply.status_code != 200:
        raise failed
    return reply.content


def versions(image: bytes, model: str, parts: Collection[str], service: str) -> Mapping[str, str]:
    """By component, the version in an image. Raises RefusalError for another model's, another's part, and for none."""
    try:
        document = json.loads(image)
        found, new = document["Model"], dict(document["Versions"])
    except (ValueError, KeyError, TypeError):
        found, new = "", {}
    if found != model or not new or set(new) - set(parts):
        text = f"Verification of image '{found or 'unknown'}' at '{service}' failed."
        raise registry.RefusalError("Update.1.0.VerificationFailed", text, (found, service))
    return new
