"""Who may log in to the nodes as `core`: the MachineConfigs 99-master-ssh and 99-worker-ssh.

The Machine Config Operator writes a changed key to every node without a drain or a restart, to those of pools of
their own too: such pools take in what `worker` has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podwright.components.providers.openshift.install.upgrade import wait_pools
from podwright.components.providers.openshift.kube import Kube
from podwright.components.providers.protocol.kind import Context

CONFIGS = "/apis/machineconfiguration.openshift.io/v1/machineconfigs"
ROLES = ("master", "worker")
USER = "core"


async def authorized(kube: Kube) -> dict[str, str]:
    """By role, the keys of `core` as one text; without the roles whose MachineConfig is not there."""
    found = {role: await kube.find(_path(role)) for role in ROLES}
    return {role: keys_of(config) for role, config in found.items() if config is not None}


def keys_of(config: Mapping[str, Any]) -> str:
    """The keys of `core` in a MachineConfig, one a line."""
    keys = [key for user in _users(config) if user.get("name") == USER for key in user.get("sshAuthorizedKeys") or []]
    return "\n".join(str(key).strip() for key in keys)


async def authorize(kube: Kube, key: str, ctx: Context) -> None:
    """Let `key` alone log in as `core`, on every node; other users stay. Waits until every node has it."""
    changed: set[str] = set()
    for role in ROLES:
        config = await kube.find(_path(role))
        if config is None or keys_of(config) == key.strip():
            continue
        others = [user for user in _users(config) if user.get("name") != USER]
        own = next((user for user in _users(config) if user.get("name") == USER), {"name": USER})
        users = [*others, {**own, "sshAuthorizedKeys": [key]}]
        ctx.log(f"writing the SSH key of role {role}")
        await kube.merge(_path(role), {"spec": {"config": {"passwd": {"users": users}}}})
        changed.add(_name(role))

    async def taken(pool: Mapping[str, Any]) -> bool:
        configuration = (pool.get("spec") or {}).get("configuration") or {}
        if not changed & {each.get("name") for each in configuration.get("source") or []}:
            return True
        rendered = await kube.find(f"{CONFIGS}/{configuration.get('name')}")
        return rendered is not None and key in keys_of(rendered)

    if changed:
        await wait_pools(kube, ctx, taken)


def _name(role: str) -> str:
    return f"99-{role}-ssh"


def _path(role: str) -> str:
    return f"{CONFIGS}/{_name(role)}"


def _users(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    settings = (config.get("spec") or {}).get("config") or {}
    return list((settings.get("passwd") or {}).get("users") or [])
