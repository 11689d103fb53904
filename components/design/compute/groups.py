"""Resource groups: through which an organization of Intersight sees the servers whose profiles it has."""

from collections.abc import Iterator, Mapping

from podwright.components.design.compute.model import SCHEMA, Group
from podwright.components.design.hardware import server_model
from podwright.components.model import Intersight, Server

_BLADES, _RACKS = "/api/v1/compute/Blades", "/api/v1/compute/RackUnits"


def groups(servers: Mapping[str, Server], homes: Mapping[str, str], account: Intersight) -> Iterator[Group]:
    """One group for each organization that the file names one for; `homes` are organizations by host name.

    Serial numbers are sorted, so that the order of servers in the file is no change of a group.
    """
    for organization, name in account.resource_groups.items():
        members = [
            each
            for host, each in servers.items()
            if homes[host] == organization and server_model(each.model).manager == "intersight"
        ]
        spec = {
            "schema": SCHEMA,
            "name": name,
            "organization": organization,
            "selectors": list(_selectors(members)),
            **({"adopt": True} if name in account.adopt else {}),
        }
        yield Group(name, spec)


def _selectors(members: list[Server]) -> Iterator[str]:
    for collection, blades in ((_BLADES, True), (_RACKS, False)):
        serials = sorted(each.serial for each in members if bool(server_model(each.model).slots) is blades)
        if serials:
            listed = ",".join(f"'{each}'" for each in serials)
            yield f"{collection}?$filter=Serial in ({listed})"
