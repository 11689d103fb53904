"""One Intersight account as an operation sees it: look up, refer, insert, patch, remove; by names, never by moids."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight import transport
from podwright.components.providers.intersight.signing import Signer
from podwright.components.providers.intersight.table import path_of
from podwright.components.providers.intersight.transport import ApiError, Client
from podwright.components.providers.protocol.kind import Context, ProviderError

PAGE = 100
"""Objects per page: the documented default of $top."""
MOST_PAGES = 50
"""What is asked for has a name or a parent: a hundred objects are many."""
LIST_EXCHANGES = 5
"""A list may take as long as so many exchanges at their slowest, however many pages it has."""
ENDPOINT = "intersight.com"

_PATHS = {
    "organization.Organization": "organization/Organizations",
    "compute.PhysicalSummary": "compute/PhysicalSummaries",
    "compute.Blade": "compute/Blades",
    "compute.RackUnit": "compute/RackUnits",
    "compute.ServerSetting": "compute/ServerSettings",
    "network.Element": "network/Elements",
    "workflow.WorkflowInfo": "workflow/WorkflowInfos",
    "workflow.TaskInfo": "workflow/TaskInfos",
    "server.ConfigResult": "server/ConfigResults",
}
"""Collections that are only read (or belong to the hardware), beside those of the property table."""

_clients: dict[tuple[str, ...], Client] = {}


def collection(object_type: str) -> str:
    """Collection path of an object type, below /api/v1."""
    return _PATHS.get(object_type) or path_of(object_type)


def quoted(text: str) -> str:
    """A string literal of the query language; a quote inside is doubled (OData)."""
    return "'" + text.replace("'", "''") + "'"


def reference(live: Mapping[str, Any]) -> dict[str, str]:
    """A reference to an object that was looked up."""
    return {"ClassId": "mo.MoRef", "ObjectType": str(live["ObjectType"]), "Moid": str(live["Moid"])}


def account(ctx: Context, login: Mapping[str, Any] | None = None) -> Account:
    """The account that the provider instance (or `login`: endpoint, key_id, secret) names.

    One client, with its connections, is shared by all operations on one key.
    """
    credentials = login or ctx.config.get("credentials") or {}
    missing = [name for name in ("key_id", "secret") if not credentials.get(name)]
    if missing:
        raise ProviderError(f"the Intersight provider instance needs credentials with {' and '.join(missing)}")
    endpoint = str(credentials.get("endpoint") or ctx.config.get("endpoint") or ENDPOINT)
    host, _, number = endpoint.removeprefix("https://").rstrip("/").partition(":")
    port = int(number or 443)
    pem = ctx.secret(str(credentials["secret"]))
    dialled, dialled_port = ctx.reach.endpoint(host, port)
    digest = hashlib.sha256(pem.encode()).hexdigest()
    key = (host, str(port), dialled, str(dialled_port), str(ctx.reach.ca), str(credentials["key_id"]), digest)
    if key not in _clients:
        name = host if port == 443 else f"{host}:{port}"
        _clients[key] = Client(host, port, ctx.reach, Signer(str(credentials["key_id"]), pem, name))
    return Account(_clients[key])


class Account:
    """Objects of one account. What is looked up is remembered for this one operation only."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._organizations: dict[str, str] = {}
        self._named: dict[tuple[str, str, str], dict[str, Any] | None] = {}

    async def query(self, object_type: str, condition: str, expand: str = "") -> list[dict[str, Any]]:
        """All objects that a `$filter` finds, page by page.

        Raises ProviderError where pages do not end, not in time, or are none: no list of objects must not read as no
        object.
        """
        found: list[dict[str, Any]] = []
        until = time.monotonic() + LIST_EXCHANGES * transport.LIMITS.seconds
        for _ in range(MOST_PAGES):
            if time.monotonic() > until:
                break
            query = [("$filter", condition), ("$top", str(PAGE)), ("$skip", str(len(found)))]
            if expand:
                query.append(("$expand", expand))
            page = await self._client.get(collection(object_type), query, f"look up {object_type} where {condition}")
            if not isinstance(page, dict) or "Results" not in page:
                raise ProviderError(f"Intersight answers the search for {object_type} with no list of objects")
            results = page["Results"] or []
            found += results
            if len(results) < PAGE:
                return found
        raise ProviderError(f"Intersight's list of {object_type} where {condition} does not end ({len(found)} objects)")

    async def one(self, object_type: str, condition: str, what: str) -> dict[str, Any] | None:
        """The one object that a `$filter` finds, None when there is none. Several are an error naming `what`."""
        found = await self.query(object_type, condition)
        if len(found) > 1:
            raise ProviderError(f"Intersight holds {len(found)} objects that could be {what}; names must be unique")
        return found[0] if found else None

    async def organization(self, name: str) -> str:
        """Moid of an organization. Raises ProviderError when it is not there or not shown to this key."""
        if name not in self._organizations:
            found = await self.one("organization.Organization", f"Name eq {quoted(name)}", f"organization {name}")
            if found is None:
                raise ProviderError(f"Intersight shows no organization {name!r} to this API key; create it there first")
            self._organizations[name] = str(found["Moid"])
        return self._organizations[name]

    async def named(self, object_type: str, name: str, organization: str) -> dict[str, Any] | None:
        """The object of that type and name in that organization: names are only unique inside one."""
        moid = await self.organization(organization)
        condition = f"Name eq {quoted(name)} and Organization.Moid eq {quoted(moid)}"
        return await self.one(object_type, condition, f"{object_type} {name} in {organization}")

    async def by_moid(self, object_type: str, moid: str) -> dict[str, Any] | None:
        """The object with that moid, None when it is gone."""
        try:
            found: dict[str, Any] = await self._client.get(f"{collection(object_type)}/{moid}")
        except ApiError as refused:
            if refused.status == 404:
                return None
            raise
        return found

    async def refer(self, target: Mapping[str, Any], organization: str) -> dict[str, str] | None:
        """A reference to ``{"object_type", "name", "organization"?}``; None when there is no such object."""
        where = str(target.get("organization") or organization)
        key = (str(target["object_type"]), str(target["name"]), where)
        if key not in self._named:
            self._named[key] = await self.named(*key)
        found = self._named[key]
        return reference(found) if found else None

    async def name_of(self, ref: Mapping[str, Any]) -> str:
        """The name behind a reference that Intersight holds; its moid when the object is gone or nameless."""
        found = await self.by_moid(str(ref["ObjectType"]), str(ref["Moid"])) if _readable(ref) else None
        return str((found or {}).get("Name") or ref.get("Moid"))

    async def insert(self, object_type: str, body: Mapping[str, Any], what: str) -> dict[str, Any]:
        """Create, and only create: without ``If-None-Match: *`` the API takes an object of that name over."""
        headers = {"If-None-Match": "*"}
        sent = {"ClassId": object_type, "ObjectType": object_type} | dict(body)
        made = await self._client.write("POST", collection(object_type), sent, headers, f"create {what}")
        return dict(made or {})

    async def patch(self, live: Mapping[str, Any], changes: Mapping[str, Any], what: str) -> dict[str, Any]:
        """Change `live`, unless somebody changed it since we read it (HTTP 412)."""
        headers = {"If-Match": str(live["ModTime"])} if live.get("ModTime") else {}
        path = f"{collection(str(live['ObjectType']))}/{live['Moid']}"
        made = await self._client.write("PATCH", path, dict(changes), headers, f"update {what}")
        return dict(made or {})

    async def remove(self, live: Mapping[str, Any], what: str) -> None:
        """Delete `live`; that it is gone already is fine."""
        path = f"{collection(str(live['ObjectType']))}/{live['Moid']}"
        try:
            await self._client.write("DELETE", path, None, {}, f"delete {what}")
        except ApiError as refused:
            if refused.status != 404:
                raise


def _readable(ref: Mapping[str, Any]) -> bool:
    try:
        collection(str(ref.get("ObjectType")))
    except KeyError:
        return False
    return bool(ref.get("Moid"))
