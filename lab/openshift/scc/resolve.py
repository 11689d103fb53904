"""What an SCC leaves to the namespace: ranges of user and group ids, and the SELinux level, from its annotations.

https://github.com/openshift/apiserver-library-go/blob/main/pkg/securitycontextconstraints/sccmatching/matcher.go
"""

from __future__ import annotations

import re
from typing import Any

from podwright.lab.openshift.api import Object

UID_RANGE = "openshift.io/sa.scc.uid-range"
GROUPS = "openshift.io/sa.scc.supplemental-groups"
MCS = "openshift.io/sa.scc.mcs"
BLOCK = re.compile(r"(\d+)([/-])(\d+)")


class UnresolvedError(ValueError):
    """A namespace's annotation cannot be read."""


def block(text: str) -> tuple[int, int]:
    """First and last id of `1000650000/10000` or `1000650000-1000659999`."""
    found = BLOCK.fullmatch(text.strip())
    if found is None:
        raise UnresolvedError('block not in the format "<start>/<size>" or "<start>-<end>"')
    start, last = int(found[1]), int(found[3])
    return start, start + last - 1 if found[2] == "/" else last


def resolved(scc: Object, namespace: Object) -> Object:
    """The SCC with the namespace's values where it has none of its own. Raises UnresolvedError."""
    notes = namespace["metadata"].get("annotations") or {}
    made = dict(scc)
    user = scc["runAsUser"]
    if user["type"] == "MustRunAsRange" and user.get("uidRangeMin") is None and user.get("uidRangeMax") is None:
        first, last = _of(scc, namespace, "uid", lambda: block(notes.get(UID_RANGE, "")))
        made["runAsUser"] = {**user, "uidRangeMin": first, "uidRangeMax": last}
    selinux = scc["seLinuxContext"]
    options = selinux.get("seLinuxOptions") or {}
    if selinux["type"] == "MustRunAs" and not options.get("level"):
        made["seLinuxContext"] = {**selinux, "seLinuxOptions": {**options, "level": notes[MCS]}}
    text = notes.get(GROUPS) or notes.get(UID_RANGE, "")
    for key, whole in (("fsGroup", False), ("supplementalGroups", True)):
        if (scc.get(key) or {}).get("type") == "MustRunAs" and not scc[key].get("ranges"):
            blocks = _of(scc, namespace, "group", lambda: [block(each) for each in text.split(",")])
            rows = blocks if whole else [(blocks[0][0], blocks[0][0])]
            made[key] = {**scc[key], "ranges": [{"min": first, "max": last} for first, last in rows]}
    return made


def _of(scc: Object, namespace: Object, what: str, read: Any) -> Any:
    try:
        return read()
    except UnresolvedError as problem:
        names = (namespace["metadata"]["name"], scc["metadata"]["name"])
        raise UnresolvedError(
            f"unable to find pre-allocated {what} annotation for namespace {names[0]} while trying to configure SCC "
            f"{names[1]}: {problem}"
        ) from problem
