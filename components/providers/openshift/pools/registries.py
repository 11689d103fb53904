"""Where a pool's nodes pull from: registries.conf of the configuration that the Machine Config Operator rendered.

The operator renders some seconds after a mirror set was written, and until then the pool calls itself updated.
"""

from __future__ import annotations

import base64
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote_to_bytes

from podwright.components.providers.openshift.cordons import Survey
from podwright.components.providers.openshift.kube import Kube

CONFIGS = "/apis/machineconfiguration.openshift.io/v1/machineconfigs"
PATH = "/etc/containers/registries.conf"


async def unserved(kube: Kube, live: Survey, pool: str, wanted: Mapping[str, Sequence[str]]) -> list[str]:
    """Sources whose mirrors a pool's configuration does not have yet; none for a pool that is not there."""
    if not wanted or pool not in live.pools:
        return []
    have = dict(_mirrors(await rendered(kube, live, pool, PATH)))
    lacking = [source for source, mirrors in wanted.items() if not set(mirrors) <= have.get(source, set())]
    return [f"MachineConfigPool {pool} has no mirror of {source} yet" for source in lacking]


async def rendered(kube: Kube, live: Survey, pool: str, path: str) -> str:
    """A file of the configuration that a pool goes to; empty where it has none of that path."""
    name = ((live.pools[pool].get("spec") or {}).get("configuration") or {}).get("name")
    config = (await kube.find(f"{CONFIGS}/{name}") if name else None) or {}
    files = (((config.get("spec") or {}).get("config") or {}).get("storage") or {}).get("files") or []
    return next(
        (_text((row.get("contents") or {}).get("source") or "") for row in files if row.get("path") == path), ""
    )


def _mirrors(text: str) -> Iterator[tuple[str, set[str]]]:
    """By registry or repository, where registries.conf has it pulled from."""
    for row in tomllib.loads(text).get("registry") or []:
        mirrors = {each["location"] for each in row.get("mirror") or []}
        yield str(row.get("prefix") or row.get("location")), mirrors


def _text(url: str) -> str:
    """Content of a data URL (RFC 2397), plain or base64."""
    head, _, data = url.partition(",")
    content = unquote_to_bytes(data)
    return (base64.b64decode(content) if head.endswith(";base64") else content).decode()
