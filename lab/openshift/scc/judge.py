"""What one SCC refuses in a pod that `assign.py` has filled in, in the words of the real plugin.

https://github.com/openshift/apiserver-library-go/blob/main/pkg/securitycontextconstraints/sccmatching/provider.go and
the strategies beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from podwright.lab.openshift.api import Object
from podwright.lab.openshift.scc import wording
from podwright.lab.openshift.scc.assign import (
    CONTAINER_SECCOMP,
    POD_SECCOMP,
    as_annotation,
    each_container,
    profiles,
)

HOST_FLAGS = {"hostNetwork": "Host network", "hostPID": "Host PID", "hostIPC": "Host IPC"}
SAFE_SYSCTLS = frozenset({
    "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start", "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem",
})  # fmt: skip
VOLUME_TYPES = {"cephfs": "cephFS", "vsphereVolume": "vsphere", "storageos": "storageOS"}
"""Volume sources whose name in an SCC is another; all others are the same (openshift/api, security/v1/types.go)."""


def problems(scc: Object, pod: Object) -> list[str]:
    """Everything that a resolved SCC has against a filled-in pod."""
    path = f"provider {scc['metadata']['name']}: "
    found = list(_pod(scc, pod, f"{path}.spec.securityContext"))
    for where, container in each_container(pod["spec"]):
        found += _container(scc, pod, container, f"{path}.{where}")
    return found


def _pod(scc: Object, pod: Object, path: str) -> Iterator[str]:
    spec, context = pod["spec"], pod["spec"].get("securityContext") or {}
    fs_group = context.get("fsGroup")
    yield from _groups(scc["fsGroup"], [] if fs_group is None else [fs_group], f"{path}.fsGroup")
    supplemental = context.get("supplementalGroups")
    yield from _groups(scc["supplementalGroups"], supplemental, f"{path}.supplementalGroups")
    notes = pod["metadata"].get("annotations") or {}
    profile = notes.get(POD_SECCOMP) or as_annotation(context.get("seccompProfile") or {})
    yield from _seccomp(scc, profile, POD_SECCOMP)
    yield from _selinux(scc, context.get("seLinuxOptions"), f"{path}.seLinuxOptions")
    yield from _host(scc, spec, path, *HOST_FLAGS)
    users = spec.get("hostUsers")
    if scc.get("userNamespaceLevel") == "RequirePodLevel" and users is not False:
        yield wording.invalid(f"{path}.hostUsers", users, "Host Users must be set to false")
    yield from _sysctls(scc, context.get("sysctls") or ())
    yield from _volumes(scc, spec.get("volumes") or (), path)


def _groups(strategy: Object, values: list[int] | None, path: str) -> Iterator[str]:
    if strategy["type"] != "MustRunAs":
        return
    shown = wording.Shown(wording.groups(values))
    if not values:
        yield wording.invalid(path, shown, "unable to validate empty groups against required ranges")
    for value in values or ():
        if not any(row["min"] <= value <= row["max"] for row in strategy["ranges"]):
            yield wording.invalid(path, shown, f"{value} is not an allowed group")


def _seccomp(scc: Object, profile: str, key: str) -> Iterator[str]:
    path, allowed = f"pod.metadata.annotations[{key}]", profiles(scc)
    if "*" in (scc.get("seccompProfiles") or ()):
        return
    if not allowed:
        if profile:
            yield wording.forbidden(path, "seccomp may not be set")
        return
    default = {"docker/default", "runtime/default"}
    if profile in allowed or (profile in default and default & set(allowed)):
        return
    listed = " ".join(allowed)
    yield wording.forbidden(path, f"{profile} is not an allowed seccomp profile. Valid values are [{listed}]")


def _selinux(scc: Object, options: Object | None, path: str) -> Iterator[str]:
    strategy = scc["seLinuxContext"]
    if strategy["type"] != "MustRunAs":
        return
    if options is None:
        yield wording.required(path)
        return
    wanted = strategy["seLinuxOptions"]
    for key in ("level", "role", "type", "user"):
        want, have = str(wanted.get(key) or ""), str(options.get(key) or "")
        if not (_level(want) == _level(have) if key == "level" else want == have):
            yield wording.invalid(f"{path}.{key}", have, f"must be {want}")


def _level(text: str) -> tuple[str, tuple[str, ...]]:
    """Sensitivity and categories, whose order says nothing."""
    sensitivity, colon, categories = text.partition(":")
    return (sensitivity, tuple(sorted(categories.split(",")))) if colon else (text, ())


def _host(scc: Object, spec: Object, path: str, *flags: str) -> Iterator[str]:
    for flag in flags:
        words = HOST_FLAGS[flag]
        if spec.get(flag) and not scc.get(f"allow{flag[0].upper()}{flag[1:]}"):
            yield wording.invalid(f"{path}.{flag}", True, f"{words} is not allowed to be used")


def _sysctls(scc: Object, sysctls: Any) -> Iterator[str]:
    for index, each in enumerate(sysctls):
        name, path = each["name"], f"pod.spec.securityContext.sysctls[{index}]"
        if _matches(scc.get("forbiddenSysctls"), name):
            yield wording.forbidden(path, f'sysctl "{name}" is not allowed')
        elif name not in SAFE_SYSCTLS and not _matches(scc.get("allowedUnsafeSysctls"), name):
            yield wording.forbidden(path, f'unsafe sysctl "{name}" is not allowed')


def _matches(patterns: Any, name: str) -> bool:
    return any(name.startswith(each[:-1]) if each.endswith("*") else name == each for each in patterns or ())


def _volumes(scc: Object, volumes: Any, path: str) -> Iterator[str]:
    allowed = set(scc.get("volumes") or ())
    for index, volume in enumerate(volumes):
        source = next((key for key in volume if key != "name"), "")
        kind = VOLUME_TYPES.get(source, source)
        token = "secret" in allowed and kind == "projected" and _only_token(volume["projected"])
        if not allowed & {"*", kind} and not token:
            detail = f"{kind} volumes are not allowed to be used"
            yield wording.invalid(f"spec.volumes[{index}]", kind, detail)
    drivers = {each["driver"] for each in scc.get("allowedFlexVolumes") or ()}
    for index, volume in enumerate(volumes):
        flex = volume.get("flexVolume")
        if flex and drivers and allowed & {"*", "flexVolume"} and flex["driver"] not in drivers:
            where = f"{path}.volumes[{index}].driver"
            yield wording.invalid(where, flex["driver"], "Flexvolume driver is not allowed to be used")


ROOTS = {"kube-root-ca.crt": "ca.crt", "openshift-service-ca.crt": "service-ca.crt"}


def _only_token(projected: Object) -> bool:
    """Whether a projected volume is what every pod gets of its account."""
    return all(map(_of_account, projected.get("sources") or ()))


def _of_account(source: Object) -> bool:
    if token := source.get("serviceAccountToken"):
        return bool(token.get("path") == "token" and not token.get("audience"))
    if root := source.get("configMap"):
        name = ROOTS.get(str(root.get("name")))
        rows = root.get("items") or ()
        return name is not None and [(row["key"], row["path"]) for row in rows] == [(name, name)]
    field = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    items = (source.get("downwardAPI") or {"items": [{}]}).get("items") or ()
    return all(item.get("path") == "namespace" and item.get("fieldRef") == field for item in items)


def _container(scc: Object, pod: Object, container: Object, path: str) -> Iterator[str]:
    whole, own = pod["spec"].get("securityContext") or {}, container.get("securityContext") or {}
    either = {key: own.get(key, whole.get(key)) for key in ("runAsUser", "runAsNonRoot", "seLinuxOptions")}
    yield from _user(scc["runAsUser"], either["runAsUser"], either["runAsNonRoot"], path)
    yield from _selinux(scc, either["seLinuxOptions"], f"{path}.seLinuxOptions")
    yield from _seccomp(scc, _profile(pod, container), f"{CONTAINER_SECCOMP}{container['name']}")
    if own.get("privileged") and not scc.get("allowPrivilegedContainer"):
        yield wording.invalid(f"{path}.privileged", True, "Privileged containers are not allowed")
    yield from _capabilities(scc, own.get("capabilities"), f"{path}.capabilities")
    yield from _host(scc, pod["spec"], path, "hostNetwork")
    if not scc.get("allowHostPorts"):
        # The plugin walks through every container once for each of them.
        for where, other in each_container(pod["spec"]):
            for port in other.get("ports") or ():
                if port.get("hostPort"):
                    where_port = f"{path}.{where}.hostPort"
                    yield wording.invalid(where_port, port["hostPort"], "Host ports are not allowed to be used")
    yield from _host(scc, pod["spec"], path, "hostPID", "hostIPC")
    yield from _root(scc, own.get("readOnlyRootFilesystem"), f"{path}.readOnlyRootFilesystem")
    escalates = own.get("allowPrivilegeEscalation")
    if scc.get("allowPrivilegeEscalation") is False and escalates is not False:
        where = f"{path}.allowPrivilegeEscalation"
        yield wording.invalid(where, escalates, "Allowing privilege escalation for containers is not allowed")


def _user(strategy: Object, user: int | None, non_root: bool | None, path: str) -> Iterator[str]:
    kind, where = strategy["type"], f"{path}.runAsUser"
    if kind in ("MustRunAs", "MustRunAsRange") and user is None:
        yield wording.required(where)
    elif kind == "MustRunAs" and user != strategy["uid"]:
        yield wording.invalid(where, user, f"must be: {strategy['uid']}")
    elif kind == "MustRunAsRange" and user is not None:
        first, last = strategy["uidRangeMin"], strategy["uidRangeMax"]
        if not first <= user <= last:
            yield wording.invalid(where, user, f"must be in the ranges: [{first}, {last}]")
    elif kind == "MustRunAsNonRoot":
        if non_root is None and user is None:
            yield wording.required(f"{path}.runAsNonRoot", "must be true")
        elif non_root is False:
            yield wording.invalid(f"{path}.runAsNonRoot", False, "must be true")
        elif user == 0:
            yield wording.invalid(where, 0, "running with the root UID is forbidden")


def _profile(pod: Object, container: Object) -> str:
    own = (container.get("securityContext") or {}).get("seccompProfile")
    if own:
        return as_annotation(own)
    notes = pod["metadata"].get("annotations") or {}
    if (noted := notes.get(f"{CONTAINER_SECCOMP}{container['name']}")) is not None:
        return str(noted)
    whole = (pod["spec"].get("securityContext") or {}).get("seccompProfile")
    return as_annotation(whole) if whole else str(notes.get(POD_SECCOMP, ""))


def _capabilities(scc: Object, have: Object | None, path: str) -> Iterator[str]:
    default, dropped = scc.get("defaultAddCapabilities") or (), scc.get("requiredDropCapabilities") or ()
    if have is None:
        if default or dropped:
            yield wording.invalid(path, None, "required capabilities are not set on the securityContext")
        return
    allowed = {*default, *(scc.get("allowedCapabilities") or ())}
    if "*" in (scc.get("allowedCapabilities") or ()):
        return
    for name in have.get("add") or ():
        if name not in allowed:
            yield wording.invalid(f"{path}.add", name, "capability may not be added")
    for name in dropped:
        if name not in (have.get("drop") or ()):
            shown = wording.Shown(wording.capabilities(have.get("drop")))
            yield wording.invalid(f"{path}.drop", shown, f"{name} is required to be dropped but was not found")


def _root(scc: Object, read_only: bool | None, path: str) -> Iterator[str]:
    if scc.get("readOnlyRootFilesystem") and not read_only:
        may = "" if read_only is False else "may not be nil and "
        yield wording.invalid(path, read_only, f"ReadOnlyRootFilesystem {may}must be set to true")
