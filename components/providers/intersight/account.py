"""One Intersight account as an operation sees it: look up, refer, insert, patch, remove; by names, never by moids."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.intersight.listing import Found, Listing, collection, named, quoted
from podwright.components.providers.intersight.shape import BUILT_IN
from podwright.components.providers.intersight.signing import Signer
from podwright.components.providers.intersight.transport import ApiError, Client
from podwright.components.providers.protocol.kind import Context, ProviderError

ENDPOINT = "intersight.com"

_clients: dict[tuple[str, ...], tuple[Client, Listing]] = {}


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
        client = Client(host, port, ctx.reach, Signer(str(credentials["key_id"]), pem, name))
        _clients[key] = client, Listing(client)
    return Account(*_clients[key], ctx.identity, ctx.fresh_from)


class Account:
    """Objects of one account.

    Looked up is what is there after the call. What says "shared" may have been read earlier, by the rule of
    `readings`: after the command began, and after this process wrote to it.
    """

    def __init__(
        self, client: Client, listing: Listing | None = None, identity: str = "", fresh_from: float | None = None
    ) -> None:
        self._client = client
        self._listing = listing or Listing(client)
        self._identity = identity
        self._fresh_from = time.monotonic() if fresh_from is None else fresh_from

    async def query(self, object_type: str, condition: str, expand: str = "") -> Found:
        """All objects that a `$filter` finds, page by page; see `Listing.query`."""
        return await self._listing.query(object_type, condition, expand)

    async def where(self, object_type: str, name: str, value: str, within: str = "") -> Found:
        """All objects whose property `name` is `value`; asked together with others who look for objects so."""
        return await self._listing.where(object_type, name, value, within)

    async def only(self, object_type: str, name: str, value: str, what: str, within: str = "") -> dict[str, Any] | None:
        """The one object that `where` finds, None when there is none. Several are an error naming `what`."""
        return _only(await self.where(object_type, name, value, within), what)

    async def one(self, object_type: str, condition: str, what: str) -> dict[str, Any] | None:
        """The one object that a `$filter` finds, None when there is none. Several are an error naming `what`."""
        return _only(await self.query(object_type, condition), what)

    async def organization(self, name: str) -> str:
        """Moid of an organization, shared. Raises ProviderError when it is not there or not shown to this key."""
        kind = "organization.Organization"
        since = self._listing.writes.since(self._fresh_from, kind)
        found = _only(await self._listing.where(kind, "Name", name, since=since), f"organization {name}")
        if found is None:
            raise ProviderError(f"Intersight shows no organization {name!r} to this API key; create it there first")
        return str(found["Moid"])

    async def organization_of(self, name: str) -> dict[str, str]:
        """A reference to an organization, as an object that is made in it has it."""
        return {
            "ClassId": "mo.MoRef",
            "ObjectType": "organization.Organization",
            "Moid": await self.organization(name),
        }

    async def named(self, object_type: str, name: str, organization: str) -> dict[str, Any] | None:
        """The object of that type and name in that organization: names are only unique inside one."""
        within = await self._within(object_type, organization)
        return await self.only(object_type, "Name", name, _called(object_type, name, organization), within)

    async def marked(self, object_type: str) -> Found:
        """Every object of that type with this stack's mark, shared."""
        since = self._listing.writes.since(self._fresh_from)
        return await self._listing.marked(object_type, self._identity, since)

    async def shown(self, object_type: str, name: str, organization: str) -> dict[str, Any] | None:
        """As `named`, for a refresh: shared where the object carries this stack's mark."""
        moid = await self.organization(organization)
        found = named(await self.marked(object_type), name, moid)
        if found:
            return _only(found, _called(object_type, name, organization))
        return await self.named(object_type, name, organization)

    async def by_moid(self, object_type: str, moid: str) -> dict[str, Any] | None:
        """The object with that moid, None when it is gone."""
        return await self.only(object_type, "Moid", moid, f"{object_type} {moid}")

    async def refer(self, target: Mapping[str, Any], organization: str) -> dict[str, str] | None:
        """A reference, shared, to ``{"object_type", "name", "organization"?}``; None when there is no such object."""
        kind, name = str(target["object_type"]), str(target["name"])
        where = str(target.get("organization") or organization)
        since = self._listing.writes.since(self._fresh_from, kind)
        found: Found = []
        if kind not in BUILT_IN:
            ours = await self._listing.marked(kind, self._identity, since)
            found = named(ours, name, await self.organization(where))
        if not found:
            found = await self._listing.where(kind, "Name", name, await self._within(kind, where), since)
        live = _only(found, _called(kind, name, where)) or await self.named(kind, name, where)
        return reference(live) if live else None

    async def _within(self, object_type: str, organization: str) -> str:
        """What distinguishes an object of a name from those of the same name elsewhere."""
        beside = BUILT_IN.get(object_type)
        return beside or f"Organization.Moid eq {quoted(await self.organization(organization))}"

    async def name_of(self, ref: Mapping[str, Any]) -> str:
        """The name behind a reference that Intersight holds; its moid when the object is gone or nameless."""
        found = await self.by_moid(str(ref["ObjectType"]), str(ref["Moid"])) if _readable(ref) else None
        return str((found or {}).get("Name") or ref.get("Moid"))

    async def insert(self, object_type: str, body: Mapping[str, Any], what: str) -> dict[str, Any]:
        """Create, and only create: without ``If-None-Match: *`` the API takes an object of that name over."""
        headers = {"If-None-Match": "*"}
        sent = {"ClassId": object_type, "ObjectType": object_type} | dict(body)
        with self._listing.writes.write(object_type):
            made = await self._client.write("POST", collection(object_type), sent, headers, f"create {what}")
        return dict(made or {})

    async def patch(
        self, live: Mapping[str, Any], changes: Mapping[str, Any], what: str, verb: str = "update"
    ) -> dict[str, Any]:
        """Change `live`, unless somebody changed it since we read it (HTTP 412). `verb`: what that is to people."""
        headers = {"If-Match": str(live["ModTime"])} if live.get("ModTime") else {}
        path = f"{collection(str(live['ObjectType']))}/{live['Moid']}"
        with self._listing.writes.write(str(live["ObjectType"])):
            made = await self._client.write("PATCH", path, dict(changes), headers, f"{verb} {what}")
        return dict(made or {})

    async def merge(self, source: Mapping[str, Any], live: Mapping[str, Any], what: str) -> None:
        """Merge a template into a profile of it: what the template has not, the profile loses.

        Raises ApiError for the answer about that one profile, too.
        """
        kind = str(live["ObjectType"])
        marks = [{"ObjectType": str(each["ObjectType"]), "Moid": str(each["Moid"])} for each in (source, live)]
        body = {"Sources": marks[:1], "Targets": marks[1:], "MergeAction": "Replace"}
        about = f"bring {what} in step with its template"
        with self._listing.writes.write(kind):
            made = await self._client.write("POST", "bulk/MoMergers", body, {}, about)
        for each in made.get("Responses") or []:
            if int(each.get("Status") or 0) >= 300:
                raise ApiError(int(each["Status"]), each.get("Body"), about)

    async def remove(self, live: Mapping[str, Any], what: str) -> None:
        """Delete `live`; that it is gone already is fine."""
        path = f"{collection(str(live['ObjectType']))}/{live['Moid']}"
        try:
            with self._listing.writes.write(str(live["ObjectType"])):
                await self._client.write("DELETE", path, None, {}, f"delete {what}")
        except ApiError as refused:
            if refused.status != 404:
                raise


def _only(found: Found, what: str) -> dict[str, Any] | None:
    if len(found) > 1:
        raise ProviderError(f"Intersight holds {len(found)} objects that could be {what}; names must be unique")
    return found[0] if found else None


def _called(object_type: str, name: str, organization: str) -> str:
    return f"{object_type} {name} in {organization}"


def _readable(ref: Mapping[str, Any]) -> bool:
    try:
        collection(str(ref.get("ObjectType")))
    except KeyError:
        return False
    return bool(ref.get("Moid"))
