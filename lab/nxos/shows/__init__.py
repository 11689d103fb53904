"""Show commands, by topic."""

from __future__ import annotations

from collections.abc import Callable

from podwright.lab.nxos.filters import Output
from podwright.lab.nxos.session import Session
from podwright.lab.nxos.shows import (
    addresses,
    bgp,
    bgp_table,
    bundles,
    cdp,
    gateways,
    health,
    interfaces,
    layer2,
    management,
    neighbors,
    optics,
    ospf,
    policies,
    ports,
    qos,
    routes,
    scheduler,
    spanning,
    supervisor,
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
    **bundles.SHOWS,
    **ports.SHOWS,
    **ospf.SHOWS,
    **policies.SHOWS,
    **cdp.SHOWS,
    **management.SHOWS,
    **supervisor.SHOWS,
    **scheduler.SHOWS,
    **optics.SHOWS,
    **health.SHOWS,
    **gateways.SHOWS,
}
