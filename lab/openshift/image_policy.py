"""Which images a node runs: what becomes of Image/cluster and ClusterImagePolicies on it, and what CRI-O refuses.

Files and conflicts after openshift/machine-config-operator release-4.20, pkg/controller/container-runtime-config
(`updatePolicyJSON`, `policyItemFromSpec`, `validateImagePolicyWithAllowedBlockedRegistries`,
`generateSigstoreRegistriesdConfig`). Which requirement decides, identities and sentences after containers/image,
signature/policy_eval*.go and its page containers-policy.json(5). A signature is a declaration of the world file, and
one that cosign made: it names the repository of its image and no tag.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from podwright.lab.openshift.api import Object

FILE = "/etc/containers/policy.json"
ATTACHMENTS = "/etc/containers/registries.d/sigstore-registries.yaml"
ANYTHING, REJECT, SIGNED = "insecureAcceptAnything", "reject", "sigstoreSigned"
MATCHES = {
    "MatchRepoDigestOrExact": "matchRepoDigestOrExact", "MatchRepository": "matchRepository",
    "ExactRepository": "exactRepository", "RemapIdentity": "remapIdentity",
}  # fmt: skip
Signatures = Mapping[str, Sequence[str]]
"""By scope, the keys and certificates that images in it are signed with."""


def allowed(image: Object | None) -> list[str]:
    """The registries of Image/cluster; empty where every one is allowed."""
    return list(((((image or {}).get("spec") or {}).get("registrySources")) or {}).get("allowedRegistries") or [])


def conflict(image: Object | None, policies: Iterable[Object]) -> str:
    """Why the operator writes neither; empty where it does."""
    sources = ((image or {}).get("spec") or {}).get("registrySources") or {}
    some, blocked = allowed(image), sources.get("blockedRegistries") or []
    if some and blocked:
        return "invalid images config: only one of AllowedRegistries or BlockedRegistries may be specified"
    for scope in _scopes(policies):
        if some and not any(nested(scope, each) for each in some):
            return f"clusterimagePolicy configured for the scope {scope} is not nested inside allowedRegistries"
        if any(nested(scope, each) for each in blocked):
            return f"clusterimagePolicy configured for the scope {scope} is nested inside blockedRegistries"
    return ""


def files(image: Object | None, policies: Iterable[Object], mirrors: Mapping[str, Iterable[str]]) -> list[Object]:
    """The files as a machine configuration has them; none where every image may run. `mirrors` by source."""
    signed = _scopes(policies)
    some = allowed(image)
    if not some and not signed:
        return []
    anything = [{"type": ANYTHING}]
    scopes: dict[str, list[Object]] = {each: list(anything) for each in some if each not in signed}
    scopes |= signed
    text = json.dumps({
        "default": [{"type": REJECT}] if some else anything,
        "transports": {
            "atomic": {scope: each for scope, each in scopes.items() if scope.count("/") < 3},
            "docker": scopes,
            "docker-daemon": {"": anything},
        },
    }, indent=2)  # fmt: skip
    found = [_file(FILE, text)]
    if signed:
        places = {*signed, *(place for scope in signed for place in _mirrored(scope, mirrors))}
        attached = {place: {"use-sigstore-attachments": True} for place in sorted(places)}
        found.append(_file(ATTACHMENTS, yaml.safe_dump({"docker": attached})))
    return found


def refusal(image: str, config: Mapping[str, Any] | None, signatures: Signatures) -> str:
    """Why CRI-O does not pull an image on a node with this configuration; empty where it does."""
    text = _content(config, FILE)
    if not text:
        return ""
    policy = json.loads(text)
    scopes = (policy.get("transports") or {}).get("docker") or {}
    decides = next((each for each in covering(image) if each in scopes), None)
    attached = (yaml.safe_load(_content(config, ATTACHMENTS) or "{}") or {}).get("docker") or {}
    looked_up = any(each in attached for each in covering(image))
    has = next((signatures[each] for each in covering(image) if each in signatures), ()) if looked_up else ()
    for each in scopes[decides] if decides is not None else policy["default"]:
        if each["type"] == REJECT:
            return f"Source image rejected: Running image docker://{image} is rejected by policy."
        if each["type"] == SIGNED and (why := _unsigned(image, each, has)):
            return f"Source image rejected: {why}"
    return ""


def covering(image: str) -> Iterator[str]:
    """Scopes that an image lies in, the closest one first."""
    yield image
    folder, slash, last = image.partition("@")[0].rpartition("/")
    name = f"{folder}{slash}{last.partition(':')[0]}"
    host = name.partition("/")[0].partition(":")[0]
    while name:
        yield name
        name = name.rpartition("/")[0]
    labels = host.split(".")
    yield from (f"*.{'.'.join(labels[index:])}" for index in range(1, len(labels)))


def nested(scope: str, outer: str) -> bool:
    """Whether a scope is another one or lies in it (openshift/runtime-utils, `ScopeIsNestedInsideScope`)."""
    host = scope.partition("/")[0].partition(":")[0]
    return scope == outer or scope.startswith(f"{outer}/") or (outer.startswith("*.") and host.endswith(outer[1:]))


def _scopes(policies: Iterable[Object]) -> dict[str, list[Object]]:
    found: dict[str, list[Object]] = {}
    for each in sorted(policies, key=lambda item: str(item["metadata"]["name"])):
        for scope in each["spec"]["scopes"]:
            found.setdefault(scope, []).append(_requirement(each["spec"]["policy"]))
    return found


def _requirement(policy: Mapping[str, Any]) -> Object:
    root = policy["rootOfTrust"]
    identity = policy.get("signedIdentity") or {"matchPolicy": "MatchRepoDigestOrExact"}
    found: dict[str, Any] = {"type": SIGNED, "signedIdentity": {"type": MATCHES[identity["matchPolicy"]]}}
    if root["policyType"] == "PublicKey":
        found["keyData"] = root["publicKey"]["keyData"]
        if log := root["publicKey"].get("rekorKeyData"):
            found["rekorPublicKeyData"] = log
    elif root["policyType"] == "FulcioCAWithRekor":
        own = root["fulcioCAWithRekor"]
        subject = own["fulcioSubject"]
        found["fulcio"] = {
            "caData": own["fulcioCAData"], "oidcIssuer": subject["oidcIssuer"], "subjectEmail": subject["signedEmail"],
        }  # fmt: skip
        found["rekorPublicKeyData"] = own["rekorKeyData"]
    return found


def _unsigned(image: str, requirement: Mapping[str, Any], has: Sequence[str]) -> str:
    if not has:
        return "A signature was required, but no signature exists"
    fulcio = requirement.get("fulcio") or {}
    asked = [_decoded(requirement[key]) for key in ("keyData", "rekorPublicKeyData") if key in requirement]
    asked += [_decoded(fulcio["caData"]), fulcio["oidcIssuer"], fulcio["subjectEmail"]] if fulcio else []
    if not {each.strip() for each in asked} <= {each.strip() for each in has}:
        return "cryptographic signature verification failed: invalid signature when validating ASN.1 encoded signature"
    if requirement["signedIdentity"]["type"] != MATCHES["MatchRepository"]:
        repository = list(covering(image))[1]
        return f'Signature for identity "{repository}" is not accepted'
    return ""


def _mirrored(scope: str, mirrors: Mapping[str, Iterable[str]]) -> Iterator[str]:
    for source, places in mirrors.items():
        if nested(scope, source):
            yield from (f"{place}{scope[len(source) :]}" for place in places)
        elif nested(source, scope):
            yield from places


def _file(path: str, text: str) -> Object:
    source = f"data:text/plain;charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"
    return {"path": path, "mode": 0o644, "overwrite": True, "contents": {"source": source}}


def _content(config: Mapping[str, Any] | None, path: str) -> str:
    rows = (((config or {}).get("config") or {}).get("storage") or {}).get("files") or []
    source = next((row["contents"]["source"] for row in rows if row["path"] == path), "")
    return _decoded(source.partition(";base64,")[2])


def _decoded(data: str) -> str:
    return base64.b64decode(data).decode()
