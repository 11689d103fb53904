"""`bulk/…`: many writes in one call, and profiles cloned from or merged with a template.

None of the three leaves an object behind: cloners, mergers and requests vanish after they ran.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from podwright.lab.intersight import errors
from podwright.lab.intersight.service import ROOT, Call, Reply, Service
from podwright.lab.intersight.store import Mo, ref
from podwright.lab.intersight.templates import TEMPLATES, Templates

MOST = 100
"""Sub-requests that one call takes [S: the Ansible collection splits its calls there]."""


class Bulk:
    """The three bulk calls of one service."""

    def __init__(self, service: Service, templates: Templates) -> None:
        self._service = service
        self._templates = templates
        self._store = service.store
        service.bulk |= {"bulk/Requests": self.requests, "bulk/MoCloners": self.clone, "bulk/MoMergers": self.merge}

    def requests(self, call: Call) -> Reply:
        """bulk.Request: runs its sub-requests in order; `ActionOnError` Stop (the default) ends at the first error."""
        body = _object(call)
        parts = body.get("Requests") or []
        if len(parts) > MOST:
            raise errors.bad_value("bulk.Request.Requests", f"There are {len(parts)} requests; at most {MOST} fit.")
        results: list[dict[str, Any]] = []
        for part in parts:
            verb, uri = part.get("Verb") or body.get("Verb", "POST"), part.get("Uri") or body.get("Uri", "")
            target = f"/{part['TargetMoid']}" if part.get("TargetMoid") else ""
            path = ROOT + uri.strip("/").removeprefix("api/").removeprefix("v1/") + target
            results.append(self._one(Call(verb, path, {}, {}, json.dumps(part.get("Body") or {}).encode())))
            if results[-1]["Status"] >= 400 and body.get("ActionOnError", "Stop") == "Stop":
                break
        return Reply(
            201, _answer("bulk.Request", {"Results": results, "NumSubRequests": len(parts), "Status": "Completed"})
        )

    def _one(self, call: Call) -> dict[str, Any]:
        try:
            reply = self._service.handle(call)
        except errors.ApiError as problem:
            return _result(problem.status, problem.body(""))
        return _result(reply.status, reply.document)

    def clone(self, call: Call) -> Reply:
        """bulk.MoCloner: new objects from a template."""
        body = _object(call)
        template = self._template(body)
        kind = self._service.schema.objects[TEMPLATES[template["ObjectType"]]]
        responses = []
        for target in body.get("Targets") or []:
            wanted = {k: v for k, v in target.items() if k not in ("ClassId", "ObjectType")}
            inherited = self._templates.values(wanted, template)
            wanted |= {name: value for name, value in inherited.items() if value is not None}
            wanted["SrcTemplate"] = ref(template)
            for name in ("TargetPlatform", "Organization"):
                if name in kind.properties:
                    wanted.setdefault(name, template[name])
            made = Call("POST", ROOT + kind.path, {}, {"if-none-match": "*"}, json.dumps(wanted).encode())
            responses.append(self._one(made))
        return Reply(201, _answer("bulk.MoCloner", {"Responses": responses}))

    def merge(self, call: Call) -> Reply:
        """bulk.MoMerger: existing objects take over a template's values."""
        body = _object(call)
        template = self._template(body)
        responses = []
        for target in body.get("Targets") or []:
            derived = self._store.get(TEMPLATES[template["ObjectType"]], str(target.get("Moid")))
            replace = body.get("MergeAction", "Merge") == "Replace"
            for part, source in self._templates.parts(derived, template):
                with self._templates.merging(part):
                    responses.append(self._one(self._templates.merge(part, source, replace)))
        return Reply(201, _answer("bulk.MoMerger", {"Responses": responses}))

    def _template(self, body: Mapping[str, Any]) -> Mo:
        sources = body.get("Sources") or []
        if len(sources) != 1 or sources[0].get("ObjectType") not in TEMPLATES:
            raise errors.not_implemented("cloning or merging anything but one template of a profile or vNIC")
        return self._store.get(str(sources[0]["ObjectType"]), str(sources[0].get("Moid")))


def _object(call: Call) -> dict[str, Any]:
    body = call.json()
    if not isinstance(body, dict):
        raise errors.malformed("The JSON document is not an object.")
    return body


def _result(status: int, body: Any) -> dict[str, Any]:
    return _answer("bulk.RestResult", {"Status": status, "Body": body})


def _answer(kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {"ClassId": kind, "ObjectType": kind, **values}
