"""Everything a stack's screen needs, read at once from switches, BMCs and the API server. Nothing is written."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.openshift.kube import rehomed
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import ReachError, SecretNotFoundError, load, variable
from podwright.components.providers.status import servers, switches
from podwright.components.providers.status.servers import ServerSeen
from podwright.components.providers.status.snapshot import Snapshot, take
from podwright.components.providers.status.switches import SwitchSeen

PATIENCE = 4.0
"""Seconds that one device may take: a screen that hangs on a dead switch is of no use in an outage."""
THOROUGH = 60.0
"""Seconds where something is decided by what a device says: a busy one is asked for its whole configuration twice."""


@dataclass(frozen=True)
class Wanted:
    """Whom to ask. `switches` are specs as their resources take them; `servers` have name, address, serial and
    credential; an empty kubeconfig means that there is no cluster yet, None that none is defined.
    """

    switches: tuple[Mapping[str, Any], ...]
    switch_user: str
    servers: tuple[Mapping[str, Any], ...]
    server_user: str
    kubeconfig: str | None


@dataclass(frozen=True)
class Live:
    """What answered. `snapshot` is None without an API server, and `problem` says why where there should be one."""

    switches: Mapping[str, SwitchSeen]
    servers: Mapping[str, ServerSeen]
    snapshot: Snapshot | None
    problem: str = ""


def given(secrets: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with what a stack's configuration says of secrets; what stands in it already comes first."""
    return {**{variable(name): value for name, value in secrets.items()}, **environ}


async def look(wanted: Wanted, environ: Mapping[str, str], patience: float = PATIENCE) -> Live:
    """Ask everybody at the same time, each for `patience` seconds at most.

    Raises ValueError for a reach file that cannot be used.
    """
    try:
        reach = load(environ)
    except ReachError as wrong:
        raise ValueError(str(wrong)) from None

    async def switch(spec: Mapping[str, Any]) -> SwitchSeen:
        try:
            async with asyncio.timeout(patience):
                return await switches.look(spec, wanted.switch_user, reach)
        except TimeoutError:
            return SwitchSeen(spec["hostname"], problem=f"no answer from {spec['management']} within {patience:.0f} s")
        except SecretNotFoundError as missing:
            return SwitchSeen(spec["hostname"], problem=str(missing))

    async def cluster() -> tuple[Snapshot | None, str]:
        if wanted.kubeconfig is None:
            return None, ""
        if not wanted.kubeconfig:
            return None, "the stack has no kubeconfig yet: `pulumi up` has not come as far as the installation"
        try:
            return await take(rehomed(wanted.kubeconfig, reach), patience), ""
        except ProviderError as sentence:
            return None, str(sentence)

    boxes, machines, (snapshot, problem) = await asyncio.gather(
        asyncio.gather(*(switch(spec) for spec in wanted.switches)),
        asyncio.gather(*(servers.look(each, wanted.server_user, reach, patience / 2) for each in wanted.servers)),
        cluster(),
    )
    return Live({each.name: each for each in boxes}, {each.name: each for each in machines}, snapshot, problem)
