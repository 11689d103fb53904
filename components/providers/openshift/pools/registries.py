"""Where a pool's nodes pull from: registries.conf of the configuration that the Machine Config Operator rendered.

The operator renders some seconds after a mirror set was written, and until then the pool calls itself updated.
"""

from __future__ import annotations

import base64
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote_to_bytes

from podwright.components.providers.openshift.cordons import Survey
from podwright.components.providers.openshift.kube import Kube

CONFIGS = "/apis/machineconfiguration.openshift.io/v1/machineconfigs"
PATH = "/etc/containers/registries.conf"


async def unserved(kube: Kube, live: Survey, pool: str, wanted: Mapping[str, Sequence[str]]) -> list[str]:
    """Sources whose mirrors a pool's configuration does not have yet; none for a pool that is not there."""
    if not wanted or pool not in live.pools:
        return []
    name = ((live.pools[pool].get("spec") or {}).get("configuration") or {}).get("name")
    rendered = await kube.find(f"{CONFIGS}/{name}") if name else None
    have = dict(_mirrors(rendered or {}))
    lacking = [source for source, mirrors in wanted.items() if not set(mirrors) <= have.get(source, set())]
    return [f"MachineConfigPool {pool} has no mirror of {source} yet" for source in lacking]


def _mirrors(config: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """By registry or repository, where a configuration has it pulled from."""
    storage = ((config.get("spec") or {}).get("config") or {}).get("storage") or {}
    for file in storage.get("files") or []:
        if file.get("path") == PATH:
            parsed = tomllib.loads(_text((file.get("contents") or {}).get("source") or ""))
            for row in parsed.get("registry") or []:
                mirrors = {each["location"] for each in row.get("mirror") or []}
                yield str(row.get("prefix") or row.get("location")), mirrors


def _text(url: str) -> str:
    """Content of a data URL (RFC 2397), plain or base64."""
    head, _, data = url.partition(",")
    content = unquote_to_bytes(data)
    return (base64.b64decode(content) if head.endswith(";base64") else content).decode()
