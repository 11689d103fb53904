"""What `openshift-install` refuses in `imageDigestSources` and `additionalTrustBundle` of an install-config.

After openshift/installer: `validateImageDigestSources`, `validateAdditionalCABundlePolicy` and `validate.CABundle`
(https://github.com/openshift/installer/blob/main/pkg/types/validation/installconfig.go). It asks for no bundle where
there are mirrors: the registry's certificate may be from a public authority.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cryptography import x509

NAMED = re.compile(
    r"^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*(:[0-9]+)?"
    r"(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$"
)
"""A repository, or a registry alone; a tag or digest is refused."""
POLICIES = ("Proxyonly", "Always")
SOURCES, CONTENT = "imageDigestSources", "imageContentSources"


RELEASE = ("quay.io/openshift-release-dev/ocp-release", "quay.io/openshift-release-dev/ocp-v4.0-art-dev")
"""Repositories of a release and of its components."""


def unserved(config: Mapping[str, Any]) -> str:
    """A repository of the release that no mirror has; empty where all are."""
    sources = [str(row.get("source")) for row in config.get(SOURCES) or config.get(CONTENT) or [] if row.get("mirrors")]
    lacking = (
        each for each in RELEASE if not any(each == source or each.startswith(f"{source}/") for source in sources)
    )
    return next(lacking, "")


def problems(config: Mapping[str, Any]) -> list[str]:
    """Everything wrong with mirrors and trust, each as `path: what`."""
    found = list(_trust(config))
    if config.get(SOURCES) and config.get(CONTENT):
        found.append(f"{CONTENT}: Invalid value: cannot set {CONTENT} and {SOURCES} at the same time")
    for key in (SOURCES, CONTENT):
        for index, row in enumerate(config.get(key) or []):
            where = f"{key}[{index}]"
            if not NAMED.match(str(row.get("source") or "")):
                found.append(f"{where}.source: Invalid value: {row.get('source')!r}: the repository is invalid")
            for place, mirror in enumerate(row.get("mirrors") or []):
                if not NAMED.match(str(mirror)):
                    found.append(f"{where}.mirrors[{place}]: Invalid value: {mirror!r}: the repository is invalid")
            found += [f"{where}.{name}: unknown field" for name in sorted(set(row) - {"source", "mirrors"})]
    return found


def _trust(config: Mapping[str, Any]) -> list[str]:
    found = []
    policy, bundle = config.get("additionalTrustBundlePolicy"), config.get("additionalTrustBundle")
    if policy and policy not in POLICIES:
        found.append(f"additionalTrustBundlePolicy: Unsupported value: {policy!r}: supported values: Always, Proxyonly")
    if bundle:
        try:
            x509.load_pem_x509_certificates(str(bundle).encode())
        except ValueError as problem:
            found.append(f"additionalTrustBundle: Invalid value: {problem}")
    return found
