"""Lists of Intersight objects: page by page, many questions in one request, and a stack's own objects of a type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from podwright.components.providers.intersight import ownership, transport
from podwright.components.providers.intersight.readings import Lookup, Writes
from podwright.components.providers.intersight.table import path_of
from podwright.components.providers.intersight.transport import Client
from podwright.components.providers.protocol.kind import ProviderError

PAGE = 100
"""Objects per page: the documented default of $top."""
MOST_PAGES = 50
"""What is asked for has a name, a parent or a mark: a hundred objects are many."""
MOST_KEYS = 40
"""Names or moids in one filter: a few thousand characters of a URL."""

_PATHS = {
    "organization.Organization": "organization/Organizations",
    "compute.BladeIdentity": "compute/BladeIdentities",
    "compute.PhysicalSummary": "compute/PhysicalSummaries",
    "compute.RackUnitIdentity": "compute/RackUnitIdentities",
    "compute.Blade": "compute/Blades",
    "compute.RackUnit": "compute/RackUnits",
    "compute.ServerSetting": "compute/ServerSettings",
    "adapter.Unit": "adapter/Units",
    "equipment.Chassis": "equipment/Chasses",
    "network.Element": "network/Elements",
    "network.Vethernet": "network/Vethernets",
    "ether.PhysicalPort": "ether/PhysicalPorts",
    "workflow.WorkflowInfo": "workflow/WorkflowInfos",
    "workflow.TaskInfo": "workflow/TaskInfos",
    "server.ConfigResult": "server/ConfigResults",
    "iam.EndPointRole": "iam/EndPointRoles",
    "cond.HclStatus": "cond/HclStatuses",
    "firmware.RunningFirmware": "firmware/RunningFirmwares",
}
"""Collections that are only read (or belong to the hardware), beside those of the property table."""

EXPANDED: Mapping[str, str] = {
    "server.Profile": "AssignedServer($select=Serial,Model,HardwareUuid,Uuid)",
    "fabric.SwitchProfile": "AssignedSwitch($select=Serial)",
    "chassis.Profile": "AssignedChassis($select=Serial)",
}
"""What the list of a stack's objects brings of the hardware they are on."""

Found = list[dict[str, Any]]


def collection(object_type: str) -> str:
    """Collection path of an object type, below /api/v1."""
    return _PATHS.get(object_type) or path_of(object_type)


def quoted(text: str) -> str:
    """A string literal of the query language; a quote inside is doubled (OData)."""
    return "'" + text.replace("'", "''") + "'"


class Listing:
    """Lists of one account, shared by all operations of the provider instance on one key."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.writes = Writes()
        self._lookups: dict[tuple[str, ...], Lookup[Found]] = {}

    async def query(self, object_type: str, condition: str, expand: str = "", what: str = "") -> Found:
        """All objects that a `$filter` finds, page by page; `what` names them for people.

        Raises ProviderError where pages do not end, not in time, or are none: no list of objects must not read as no
        object.
        """
        what = what or f"{object_type} where {condition}"
        found: Found = []
        for _ in transport.LIMITS.pages(MOST_PAGES):
            query = [("$filter", condition), ("$top", str(PAGE)), ("$skip", str(len(found)))]
            if expand:
                query.append(("$expand", expand))
            page = await self._client.get(collection(object_type), query, f"look up {what}")
            if not isinstance(page, dict) or "Results" not in page:
                raise ProviderError(f"Intersight answers the search for {object_type} with no list of objects")
            results = page["Results"] or []
            found += results
            if len(results) < PAGE:
                return found
        raise ProviderError(f"Intersight's list of {what} does not end ({len(found)} objects)")

    async def where(
        self, object_type: str, name: str, value: str, within: str = "", since: float | None = None
    ) -> Found:
        """Objects whose property `name` (a path such as Organization.Moid) is `value`, and that `within` holds for.

        Questions that differ in `value` alone share a request. `since` is as in `readings`.
        """

        async def ask(values: Sequence[str]) -> dict[str, Found]:
            listed = ", ".join(quoted(each) for each in values)
            condition = f"{name} in ({listed})" if len(values) > 1 else f"{name} eq {listed}"
            found = await self.query(object_type, condition + (f" and {within}" if within else ""))
            return {each: [live for live in found if _at(live, name) == each] for each in values}

        return await self._lookup((object_type, name, within), ask).get(value, since)

    async def marked(self, object_type: str, identity: str, since: float) -> Found:
        """Every object of that type with the mark of that stack, in whatever organization."""

        async def ask(identities: Sequence[str]) -> dict[str, Found]:
            found = {}
            for each in identities:
                condition = f"Tags/any(t: t/Key eq {quoted(ownership.OWNER)} and t/Value eq {quoted(each)})"
                found[each] = await self.query(object_type, condition, EXPANDED.get(object_type, ""))
            return found

        return await self._lookup((object_type,), ask).get(identity, since)

    def _lookup(self, key: tuple[str, ...], ask: Callable[[Sequence[str]], Any]) -> Lookup[Found]:
        if key not in self._lookups:
            self._lookups[key] = Lookup(ask, MOST_KEYS)
        return self._lookups[key]


def named(found: Iterable[dict[str, Any]], name: str, organization: str) -> Found:
    """Of these objects those of that name in the organization with that moid."""
    return [live for live in found if live.get("Name") == name and _at(live, "Organization.Moid") == organization]


def _at(live: Any, path: str) -> str:
    for name in path.split("."):
        live = live.get(name) if isinstance(live, Mapping) else None
    return str(live or "")
