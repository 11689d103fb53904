"""Show commands, by topic."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows import (
    addresses,
    bgp,
    bgp_table,
    health,
    interfaces,
    layer2,
    neighbors,
    optics,
    qos,
    routes,
    scheduler,
    spanning,
    switching,
    system,
    vrfs,
)
from podwright.lab.nxos.table import Found

ALL: dict[str, Callable[[Session, Found], Output]] = {
    **system.SHOWS,
    **interfaces.SHOWS,
    **qos.SHOWS,
    **bgp.SHOWS,
    **bgp_table.SHOWS,
    **neighbors.SHOWS,
    **routes.SHOWS,
    **switching.SHOWS,
    **layer2.SHOWS,
    **spanning.SHOWS,
    **addresses.SHOWS,
    **vrfs.SHOWS,
    **scheduler.SHOWS,
    **optics.SHOWS,
    **health.SHOWS,
}
