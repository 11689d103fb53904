"""The REST interface over the managed objects: URLs, verbs, preconditions, updates, relationships, listings."""

from __future__ import annotations

import json
import threading
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.intersight import aggregation, buckets, drives, errors, jsonpatch, query, rules
from podwright.lab.intersight.render import Renderer
from podwright.lab.intersight.schema import ObjectType, Schema
from podwright.lab.intersight.store import Mo, Store

ROOT = "/api/v1/"
PAGE = 100
LARGEST_PAGE = 1000


@dataclass(frozen=True)
class Call:
    """One request after authentication. `path` is decoded; header names are lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body. Raises ApiError when it is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            raise errors.malformed("The JSON document is malformed.") from None


@dataclass
class Reply:
    """Status and JSON document; None for an empty body."""

    status: int = 200
    document: Any = None


@dataclass
class Hooks:
    """What other parts of the server do at a write. Each may raise ApiError in `before`."""

    before: list[Callable[[Mo | None, ObjectType, dict[str, Any]], None]] = field(default_factory=list)
    """(object or None for a create, type, values) before they are stored; may change the values."""
    after: list[Callable[[Mo, Mapping[str, Any]], None]] = field(default_factory=list)
    """(object, values) once stored."""
    deleting: list[Callable[[Mo], None]] = field(default_factory=list)
    """Before an object is deleted."""
    deleted: list[Callable[[Mo], None]] = field(default_factory=list)
    """After an object was deleted."""


class Service:
    """Answers calls. Every call holds `lock` for its whole length."""

    def __init__(self, schema: Schema, seed: int) -> None:
        self.lock = threading.RLock()
        self.schema = schema
        self.store = Store(schema, seed)
        self.render = Renderer(self.store)
        self.hooks = Hooks()
        self.bulk: dict[str, Callable[[Call], Reply]] = {}

    def handle(self, call: Call) -> Reply:
        """Answer one call. Raises ApiError."""
        with self.lock:
            if not call.path.startswith(ROOT):
                raise errors.no_such_url(call.path)
            rest = call.path.removeprefix(ROOT).strip("/")
            if rest in self.bulk and call.method == "POST":
                return self.bulk[rest](call)
            kind, tail = self._route(rest)
            if not tail:
                return self._collection(kind, call)
            mo = self.store.get(kind.name, tail[0])
            if len(tail) > 1:
                return self._relationship(kind, mo, tail[1:], call)
            return self._object(kind, mo, call)

    def _route(self, rest: str) -> tuple[ObjectType, list[str]]:
        parts = rest.split("/")
        kind = self.schema.by_path.get("/".join(parts[:2]))
        if kind is None:
            raise errors.no_such_url(ROOT + rest)
        return kind, parts[2:]

    # --- collections -----------------------------------------------------------------------------------------

    def _collection(self, kind: ObjectType, call: Call) -> Reply:
        if call.method == "GET" and "LIST" in kind.verbs:
            return Reply(200, self._list(kind, call.query))
        if call.method != "POST" or "POST" not in kind.verbs:
            raise errors.no_such_method(call.method, call.path)
        return self._create(kind, call)

    def _list(self, kind: ObjectType, options: Mapping[str, str]) -> dict[str, Any]:
        found = self.store.of(kind.name)
        if options.get("$filter"):
            holds = query.predicate(options["$filter"], self.store.value)
            found = [mo for mo in found if holds(self.store.view(mo))]
        if options.get("$count") == "true":
            return {"ClassId": "mo.DocumentCount", "ObjectType": "mo.DocumentCount", "Count": len(found)}
        for name, word in (("mo.AggregateTransform", "$apply"), ("mo.TagSummary", "tags")):
            if word in options:
                views = [self.store.view(mo) for mo in found]
                rows = aggregation.tag_summary(views) if word == "tags" else self._applied(options[word], views)
                return {"ClassId": name, "ObjectType": name, "Results": rows}
        total = len(found)
        found.sort(key=self.render.order)
        for key, descending in reversed(
            query.sort_keys(options["$orderby"], self.store.value) if "$orderby" in options else []
        ):
            found.sort(key=lambda mo: key(self.store.view(mo)), reverse=descending)
        start, size = _whole(options, "$skip", 0), min(_whole(options, "$top", PAGE), LARGEST_PAGE)
        page = found[start : start + size]
        name = f"{kind.name}.List"
        out: dict[str, Any] = {"ObjectType": name, "ClassId": name}
        if options.get("$inlinecount") == "allpages":
            out["Count"] = total
        select, expand = options.get("$select", ""), options.get("$expand", "")
        # An empty listing is null, as some of the real endpoints answer; clients must take both.
        out["Results"] = [self.render.document(mo, select, expand) for mo in page] or None
        return out

    def _applied(self, text: str, views: list[Mo]) -> list[dict[str, Any]]:
        return aggregation.applied(text, views, self.store.value)

    def _create(self, kind: ObjectType, call: Call) -> Reply:
        body = call.json()
        values = self._checked(kind, body)
        full = {**self.schema.defaults(kind), **values}
        rules.check_complete(kind, full, values)
        twin = rules.twin(self.store, kind, full)
        if twin is not None and call.headers.get("if-none-match") == "*":
            raise errors.precondition("If-None-Match")
        if twin is not None:
            # A POST to the collection with the name of an existing object updates it (nac-compute, easy-imm).
            return self._updated(kind, twin, values, call)
        if call.headers.get("if-match"):
            raise errors.precondition("If-Match")
        drives.check(kind.name, full)
        for hook in self.hooks.before:
            hook(None, kind, values)
        mo = self.store.create(kind.name, values)
        for done in self.hooks.after:
            done(mo, values)
        return Reply(201, self.render.document(mo))

    def _checked(self, kind: ObjectType, body: Any) -> dict[str, Any]:
        values = rules.normalised(self.store.resolved(kind, self.schema.checked(kind, body)))
        rules.check_tags(values.get("Tags", []))
        rules.check_blocks(values)
        if "Tags" in values:
            values["Tags"] = [tag for tag in values["Tags"] if not tag["Key"].startswith("cisco.meta.")]
        return values

    # --- objects ---------------------------------------------------------------------------------------------

    def _object(self, kind: ObjectType, mo: Mo, call: Call) -> Reply:
        if call.method == "GET" and "GET" in kind.verbs:
            options = call.query
            return Reply(200, self.render.document(mo, options.get("$select", ""), options.get("$expand", "")))
        if call.method == "DELETE" and "DELETE" in kind.verbs:
            self.delete(mo)
            return Reply(200)
        if (call.method, "UPDATE" in kind.verbs) == ("POST", True) or (call.method, "PATCH" in kind.verbs) == (
            "PATCH",
            True,
        ):
            body = call.json()
            if "json-patch" in call.headers.get("content-type", ""):
                body = jsonpatch.patched(self.render.document(mo), body, kind)
            return self._updated(kind, mo, self._checked(kind, body), call)
        raise errors.no_such_method(call.method, call.path)

    def _updated(self, kind: ObjectType, mo: Mo, values: dict[str, Any], call: Call) -> Reply:
        if call.headers.get("if-match") not in (None, "", mo["ModTime"], f'"{mo["ModTime"]}"'):
            raise errors.precondition("If-Match")
        rules.check_unchanged(kind, mo, values)
        rules.check_platform(self.store, mo, values)
        for name, value in list(values.items()):
            if isinstance(value, dict) and isinstance(mo.get(name), dict) and kind.properties[name]["t"] != "ref":
                values[name] = _merged(mo[name], value)
        drives.check(kind.name, {**mo, **values})
        for hook in self.hooks.before:
            hook(mo, kind, values)
        self.store.update(mo, values)
        for done in self.hooks.after:
            done(mo, values)
        return Reply(200, self.render.document(mo))

    def delete(self, mo: Mo) -> None:
        """Delete an object and what goes with it. Raises ApiError when something still needs it."""
        for hook in self.hooks.deleting:
            hook(mo)
        rules.check_deletable(self.store, mo)
        for dependent in rules.dependents(self.store, mo):
            if dependent["Moid"] in self.store.objects:
                self.store.remove(dependent)
        self.store.remove(mo)
        for done in self.hooks.deleted:
            done(mo)

    # --- relationships ---------------------------------------------------------------------------------------

    def _relationship(self, kind: ObjectType, mo: Mo, tail: list[str], call: Call) -> Reply:
        """GET, POST and DELETE on `/{type}/{moid}/{Relationship}[/{moid}]`: in no published document, but in use."""
        name = tail[0]
        entry = kind.properties.get(name, {"t": "any"})
        if entry["t"] != "ref" or not entry.get("list"):
            raise errors.no_such_url(call.path)
        existing = self.store.view(mo)[name]
        if call.method == "GET":
            return Reply(200, [self.render.document(t) for r in existing if (t := self.store.target(r))])
        if call.method == "POST":
            body = call.json()
            added = self.store.resolved(kind, {name: body if isinstance(body, list) else [body]})[name]
            wanted = [*existing, *(r for r in added if r not in existing)]
        elif call.method == "DELETE" and len(tail) == 2:
            wanted = [r for r in existing if r["Moid"] != tail[1]]
        else:
            raise errors.no_such_method(call.method, call.path)
        return self._updated(kind, mo, {name: wanted}, call)


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """A nested value after a merge patch: parts that are not said stay, unless the concrete type changes."""
    if new.get("ClassId") != old.get("ClassId"):
        return dict(new)
    out = {**old, **new}
    for name, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(name), dict):
            out[name] = _merged(old[name], value)
    return out


def _whole(options: Mapping[str, str], name: str, default: int) -> int:
    text = options.get(name, "")
    if text and not text.isdigit():
        raise query.bad_query(f"{name} {text!r} is no number")
    return int(text) if text else default


def parse_query(text: str) -> dict[str, str]:
    """Query options by name; the last one wins."""
    return dict(urllib.parse.parse_qsl(text, keep_blank_values=True))


def attach_buckets(service: Service) -> None:
    """Keep `PolicyBucket` of profiles and `Profiles` of policies two views of one fact."""
    links = buckets.Buckets(service.store)
    service.hooks.before.append(links.before)
    service.hooks.after.append(links.after)
    for kind in service.schema.objects.values():
        if rules.is_policy(kind):
            service.store.overlays.setdefault(kind.name, []).append(links.users)
