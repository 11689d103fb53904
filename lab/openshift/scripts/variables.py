"""Variables of a container, and `$(NAME)` in its command, as kubelet has them.

After kubernetes/kubernetes, pkg/kubelet/kubelet_pods.go (makeEnvironmentVariables, podFieldSelectorRuntimeValue) and
third_party/forked/golang/expansion: a value refers to variables before it, the command to all of them; `$$` is one `$`,
and what refers to nothing stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from podwright.lab.openshift.api import Object

_REFERENCE = re.compile(r"\$(?:\$|\(([^)]*)\))")
_KEYED = re.compile(r"metadata\.(annotations|labels)\['([^']+)'\]")


def environment(pod: Object, container: Mapping[str, Any]) -> dict[str, str]:
    """The container's own variables. Values of Secrets, ConfigMaps and resources are empty: nothing here asks for one.
    Raises KeyError for a field that the downward API does not have."""
    found: dict[str, str] = {}
    for row in container.get("env") or []:
        source = row.get("valueFrom") or {}
        if "fieldRef" in source:
            found[row["name"]] = field(pod, source["fieldRef"]["fieldPath"])
        else:
            found[row["name"]] = expanded(str(row.get("value", "")), found)
    return found


def expanded(text: str, known: Mapping[str, str]) -> str:
    """`text` with the values of the variables that it refers to."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        return "$" if name is None else known.get(name, match[0])

    return _REFERENCE.sub(value, text)


def field(pod: Object, path: str) -> str:
    """A field of the pod by the downward API; a label or annotation that it lacks is empty."""
    meta, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
    if keyed := _KEYED.fullmatch(path):
        return str((meta.get(keyed[1]) or {}).get(keyed[2], ""))
    return str({
        "metadata.name": meta["name"], "metadata.namespace": meta["namespace"], "metadata.uid": meta.get("uid", ""),
        "spec.nodeName": spec.get("nodeName", ""), "spec.serviceAccountName": spec.get("serviceAccountName", ""),
        "status.hostIP": status.get("hostIP", ""), "status.podIP": status.get("podIP", ""),
    }[path])  # fmt: skip
