"""Which Routes the router admits, and why not the others.

After openshift/router: pkg/router/controller/unique_host.go with hostindex (of one name the oldest Route's namespace
has it, and there of one path the oldest Route), host_admitter.go (no wildcards unless the IngressController allows
them) and routeapihelpers/validation.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cryptography import x509

from podwright.lab.openshift.api import Object

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True)
class Admission:
    """What the router makes of a Route; a reason where it does not serve it."""

    route: Object
    reason: str = ""
    message: str = ""


def admissions(routes: Iterable[Object]) -> Iterator[Admission]:
    """One for each Route, the oldest first."""
    holders: dict[str, list[Object]] = {}
    for route in sorted(routes, key=_age):
        reason, message = _refused(route) or _claimed(route, holders.get(route["spec"].get("host", ""), []))
        if not reason:
            holders.setdefault(route["spec"]["host"], []).append(route)
        yield Admission(route, reason, message)


def _age(route: Object) -> tuple[str, str]:
    return str(route["metadata"]["creationTimestamp"]), str(route["metadata"]["uid"])


def _refused(route: Object) -> tuple[str, str] | None:
    spec = route["spec"]
    host = str(spec.get("host") or "")
    if spec.get("wildcardPolicy") == "Subdomain":
        return "RouteNotAdmitted", "wildcard routes are not allowed"
    if not host:
        return "NoHostValue", "no host value was defined for the route"
    if len(host) > 253 or not all(LABEL.fullmatch(each) for each in host.split(".")):
        invalid = f'host name validation errors: spec.host: Invalid value: "{host}"'
        return "InvalidHost", f"{invalid}: host must conform to DNS 952 subdomain conventions"
    return _tls(spec.get("tls") or {}, bool(spec.get("path")))


def _tls(tls: Object, path: bool) -> tuple[str, str] | None:
    wrong = ""
    if tls.get("termination") == "passthrough" and path:
        wrong = "spec.path: Invalid value: passthrough termination does not support paths"
    elif tls.get("termination") == "edge" and tls.get("destinationCACertificate"):
        wrong = "spec.tls.destinationCACertificate: Invalid value: edge termination does not support certificates"
    elif text := tls.get("certificate"):
        try:
            x509.load_pem_x509_certificate(str(text).encode())
        except ValueError:
            wrong = "spec.tls.certificate: Invalid value: redacted certificate data"
    return ("ExtendedValidationFailed", wrong) if wrong else None


def _claimed(route: Object, older: list[Object]) -> tuple[str, str]:
    meta, host = route["metadata"], route["spec"].get("host")
    path = route["spec"].get("path") or ""
    for each in older:
        if each["metadata"]["namespace"] != meta["namespace"]:
            message = f"a route in another namespace holds {host} and is older than {meta['name']}"
            return "HostAlreadyClaimed", message
        if (each["spec"].get("path") or "") == path:
            return "HostAlreadyClaimed", f"route {each['metadata']['name']} already exposes {host} and is older"
    return "", ""
