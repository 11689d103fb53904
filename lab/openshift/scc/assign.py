"""One SCC's part in a pod: the security contexts that it fills in.

https://github.com/openshift/apiserver-library-go/blob/main/pkg/securitycontextconstraints/sccmatching/provider.go.
What a pod sets is left alone; the values are judged afterwards (`judge.py`).
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from podwright.lab.openshift.api import Object

POD_SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"
CONTAINER_SECCOMP = "container.seccomp.security.alpha.kubernetes.io/"
LOCALHOST = "localhost/"
CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


def each_container(spec: Object) -> Iterator[tuple[str, Object]]:
    """Every container with its path below the pod, in the order of the API server."""
    for kind in CONTAINERS:
        for index, container in enumerate(spec.get(kind) or ()):
            yield f"{kind}[{index}]", container


def as_annotation(profile: Object) -> str:
    """A seccomp profile in the words of the annotation that came before the field."""
    kind = profile.get("type")
    if kind == "Localhost" and profile.get("localhostProfile"):
        return f"{LOCALHOST}{profile['localhostProfile']}"
    return {"Unconfined": "unconfined", "RuntimeDefault": "runtime/default"}.get(str(kind), "")


def _as_profile(annotation: str) -> Object | None:
    if annotation in ("runtime/default", "docker/default"):
        return {"type": "RuntimeDefault"}
    if annotation.startswith(LOCALHOST) and annotation != LOCALHOST:
        return {"type": "Localhost", "localhostProfile": annotation.removeprefix(LOCALHOST)}
    return {"type": "Unconfined"} if annotation == "unconfined" else None


def profiles(scc: Object) -> list[str]:
    """The seccomp profiles that an SCC names, without the star that stands for each."""
    return [each for each in scc.get("seccompProfiles") or () if each != "*"]


def assigned(scc: Object, pod: Object) -> Object:
    """A copy of the pod with what a resolved SCC fills in."""
    made = {**pod, "metadata": {**pod["metadata"]}, "spec": copy.deepcopy(pod["spec"])}
    context = dict(made["spec"].get("securityContext") or {})
    if context.get("supplementalGroups") is None and scc["supplementalGroups"]["type"] == "MustRunAs":
        context["supplementalGroups"] = [scc["supplementalGroups"]["ranges"][0]["min"]]
    if context.get("fsGroup") is None and scc["fsGroup"]["type"] == "MustRunAs":
        context["fsGroup"] = scc["fsGroup"]["ranges"][0]["min"]
    if context.get("seLinuxOptions") is None and scc["seLinuxContext"]["type"] == "MustRunAs":
        context["seLinuxOptions"] = dict(scc["seLinuxContext"]["seLinuxOptions"])
    notes = dict(pod["metadata"].get("annotations") or {})
    if seccomp := _seccomp(scc, context, notes):
        notes[POD_SECCOMP] = seccomp
        if profile := _as_profile(seccomp):
            context["seccompProfile"] = profile
    if notes:
        made["metadata"]["annotations"] = notes
    if context or "securityContext" in made["spec"]:
        made["spec"]["securityContext"] = context
    for _, container in each_container(made["spec"]):
        _container(scc, context, notes, container)
    return made


def _seccomp(scc: Object, context: Object, notes: Object) -> str:
    if notes.get(POD_SECCOMP):
        return str(notes[POD_SECCOMP])
    if context.get("seccompProfile"):
        return as_annotation(context["seccompProfile"])
    return next(iter(profiles(scc)), "")


def _container(scc: Object, pod: Object, notes: Object, container: Object) -> None:
    found: dict[str, Any] = dict(container.get("securityContext") or {})
    user = found.get("runAsUser", pod.get("runAsUser"))
    if user is None and (user := _user(scc)) is not None:
        found["runAsUser"] = user
    labels = found.get("seLinuxOptions", pod.get("seLinuxOptions"))
    if labels is None and scc["seLinuxContext"]["type"] == "MustRunAs":
        found["seLinuxOptions"] = dict(scc["seLinuxContext"]["seLinuxOptions"])
    never_root = scc["runAsUser"]["type"] == "MustRunAsNonRoot" if user is None else user > 0
    if never_root and found.get("runAsNonRoot", pod.get("runAsNonRoot")) is None:
        # Pod Security's `restricted` wants it written wherever it holds.
        found["runAsNonRoot"] = True
    _capabilities(scc, found)
    if scc.get("readOnlyRootFilesystem") and found.get("readOnlyRootFilesystem") is None:
        found["readOnlyRootFilesystem"] = True
    if profile := _as_profile(notes.get(f"{CONTAINER_SECCOMP}{container['name']}", "")):
        found["seccompProfile"] = profile
    _escalation(scc, found)
    if found or "securityContext" in container:
        container["securityContext"] = found


def _user(scc: Object) -> int | None:
    strategy = scc["runAsUser"]
    key = {"MustRunAs": "uid", "MustRunAsRange": "uidRangeMin"}.get(strategy["type"])
    return None if key is None else int(strategy[key])


def _capabilities(scc: Object, context: dict[str, Any]) -> None:
    have = context.get("capabilities") or {}
    added, dropped = set(have.get("add") or ()), set(have.get("drop") or ())
    add = added | (set(scc.get("defaultAddCapabilities") or ()) - dropped)
    drop = dropped | set(scc.get("requiredDropCapabilities") or ())
    if (add, drop) != (added, dropped):
        both = {"add": sorted(add), "drop": sorted(drop)}
        context["capabilities"] = {key: names for key, names in both.items() if names}


def _escalation(scc: Object, context: dict[str, Any]) -> None:
    if context.get("allowPrivilegeEscalation") is not None:
        return
    default = scc.get("defaultAllowPrivilegeEscalation")
    admin = "CAP_SYS_ADMIN" in ((context.get("capabilities") or {}).get("add") or ())
    if default is not None and not context.get("privileged") and not admin:
        context["allowPrivilegeEscalation"] = default
    elif scc.get("allowPrivilegeEscalation") is False:
        context["allowPrivilegeEscalation"] = False
