"""Everything a stack's screen needs, read at once from switches, BMCs and the API server. Nothing is written."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.protocol.kind import ProviderError
from podwright.components.providers.reach import ReachError, SecretNotFoundError, load, variable
from podwright.components.providers.status import firmware, objects, servers, switches
from podwright.components.providers.status.firmware import FirmwareSeen
from podwright.components.providers.status.servers import ServerSeen
from podwright.components.providers.status.snapshot import Snapshot, take
from podwright.components.providers.status.switches import SwitchSeen

THERE = 4.0
"""Seconds until a device that takes no connection counts as gone: a screen that waits for the dead is of no use in an
outage. The API server answers its lists within it."""
READING = 20.0
"""Seconds that one that is there may take for all it is asked: a busy switch gives its whole configuration twice, and a
BMC takes seconds for a log-in."""
THOROUGH = 60.0
"""The same where something is decided by what a device says."""


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
    account: Mapping[str, Any] = field(default_factory=dict)
    """Intersight's endpoint, key_id and secret (its name)."""
    objects: tuple[Mapping[str, Any], ...] = ()
    """Manifests that the stack's last update left on the cluster."""
    bundles: tuple[str, ...] = ()
    """Serial numbers of the servers whose firmware is asked there."""


@dataclass(frozen=True)
class Live:
    """What answered. `snapshot` is None without an API server, and `problem` says why where there should be one."""

    switches: Mapping[str, SwitchSeen]
    servers: Mapping[str, ServerSeen]
    snapshot: Snapshot | None
    problem: str = ""
    firmware: FirmwareSeen = field(default_factory=FirmwareSeen)
    objects: tuple[str, ...] = ()
    """Objects that are not there or otherwise than planned, a sentence each."""


def given(secrets: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with what a stack's configuration says of secrets; what stands in it already comes first."""
    return {**{variable(name): value for name, value in secrets.items()}, **environ}


async def look(wanted: Wanted, environ: Mapping[str, str], reading: float = READING) -> Live:
    """Ask everybody at the same time: `THERE` seconds for a connection, `reading` seconds for what it is asked.

    Raises ValueError for a reach file that cannot be used.
    """
    try:
        reach = load(environ)
    except ReachError as wrong:
        raise ValueError(str(wrong)) from None

    async def switch(spec: Mapping[str, Any]) -> SwitchSeen:
        try:
            async with asyncio.timeout(THERE + reading):
                return await switches.look(spec, wanted.switch_user, reach, THERE)
        except TimeoutError:
            problem = f"{spec['management']} took the connection, and has not shown everything within {reading:.0f} s"
            return SwitchSeen(spec["hostname"], problem=problem)
        except SecretNotFoundError as missing:
            return SwitchSeen(spec["hostname"], problem=str(missing))

    async def cluster() -> tuple[Snapshot | None, str, tuple[str, ...]]:
        if wanted.kubeconfig is None:
            return None, "", ()
        if not wanted.kubeconfig:
            return None, "the stack has no kubeconfig yet: `pulumi up` has not come as far as the installation", ()
        try:
            reached = rehomed(wanted.kubeconfig, reach)
            snapshot = await take(reached, THERE)
            return snapshot, "", await _objects(reached, wanted.objects, reading)
        except ProviderError as sentence:
            return None, str(sentence), ()

    boxes, machines, (snapshot, problem, off), running = await asyncio.gather(
        asyncio.gather(*(switch(spec) for spec in wanted.switches)),
        asyncio.gather(*(servers.look(each, wanted.server_user, reach, THERE, reading / 2) for each in wanted.servers)),
        cluster(),
        firmware.look(wanted.account, wanted.bundles, reach, THERE + reading),
    )
    by_name = {each.name: each for each in boxes}, {each.name: each for each in machines}
    return Live(*by_name, snapshot, problem, running, off)


async def _objects(kubeconfig: str, planned: tuple[Mapping[str, Any], ...], reading: float) -> tuple[str, ...]:
    """What of the planned objects is off; one sentence instead where the API server did not show them in time."""
    try:
        async with asyncio.timeout(THERE + reading):
            return tuple(await objects.off_plan(Kube(kubeconfig, reading), planned))
    except (SilentError, KubeError, TimeoutError) as late:
        why = str(late) or f"not within {THERE + reading:.0f} s"
        return (f"{len(planned)} objects of the plan could not be compared with the cluster's: {why}",)
