"""Whatever a client sends, the answer is a refusal or a result: never a failure of the server itself."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from podwright.lab.intersight.errors import ApiError
from podwright.lab.intersight.service import Call
from tests.lab.intersight.conftest import Bench

NONSENSE: list[Any] = [
    None,
    True,
    7,
    -1,
    1.5,
    "",
    "x",
    "é—",
    [],
    {},
    [None],
    [1],
    ["a"],
    [{}],
    [[]],
    {"a": 1},
    {"ClassId": 1},
    {"Moid": None},
    {"Moid": 5},
    {"Selector": "Name eq"},
    {"Selector": 3},
    {"ClassId": "mo.MoRef"},
    [{"Moid": "0" * 24}],
    [{"ClassId": []}],
    {"ObjectType": "bios.Policy", "Moid": {}},
    [{"Key": 1}],
    [{"From": "zz"}],
    {"AllowedVlans": "1-"},
]
QUERIES = [
    "$filter=('",
    "$filter=a/any(",
    "$filter=Tags/any(t:x/Key eq 'a')",
    "$filter=Name/any(t:t eq 'a')",
    "$filter=Name in ()",
    "$filter=1 lt Name",
    "$filter=contains(Tags,'a')",
    "$filter=tolower(Tags) eq 'x'",
    "$orderby=Tags",
    "$orderby=,",
    "$expand=Organization($select=Name;$expand=Account)",
    "$expand=)(",
    "$top=-1",
    "$skip=1e9",
    "$select=,",
    "$filter=Name eq ''''",
]


def status(bench: Bench, method: str, path: str, body: bytes = b"", query: dict[str, str] | None = None) -> int:
    try:
        return bench.side.service.handle(Call(method, f"/api/v1/{path}", query or {}, {}, body)).status
    except ApiError as problem:
        json.dumps(problem.body("trace"))
        return problem.status


def test_every_property_of_every_type_takes_nonsense_calmly(bench: Bench) -> None:
    choose = random.Random(7)
    refused = asked = 0
    for kind in bench.side.service.schema.objects.values():
        if "POST" not in kind.verbs:
            continue
        names = sorted(kind.properties) if len(kind.properties) < 90 else choose.sample(sorted(kind.properties), 40)
        for name in names:
            for value in NONSENSE:
                body = json.dumps({**bench.named("n"), name: value}).encode()
                asked += 1
                refused += status(bench, "POST", kind.path, body) >= 400
    assert refused > asked / 2


def test_nonsense_updates(bench: Bench) -> None:
    made = [
        bench.client.create(path, bench.named("n"))
        for path in ("server/Profiles", "ntp/Policies", "macpool/Pools", "vnic/EthAdapterPolicies")
    ]
    for mo in made:
        kind = bench.side.service.schema.objects[mo["ObjectType"]]
        for name in kind.properties:
            for value in NONSENSE:
                assert status(bench, "PATCH", f"{kind.path}/{mo['Moid']}", json.dumps({name: value}).encode()) != 500
        assert status(bench, "GET", f"{kind.path}/{mo['Moid']}") == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"3", b'"x"', b"null", b"\xff"])
def test_bodies_that_are_no_objects(bench: Bench, body: bytes) -> None:
    assert status(bench, "POST", "ntp/Policies", body) == 400
    for path in ("bulk/Requests", "bulk/MoCloners", "bulk/MoMergers"):
        assert 400 <= status(bench, "POST", path, body) < 600


@pytest.mark.parametrize("text", QUERIES)
def test_queries_that_make_little_sense(bench: Bench, text: str) -> None:
    bench.client.create("ntp/Policies", bench.named("n", Tags=[{"Key": "a", "Value": "b"}]))
    name, _, value = text.partition("=")
    assert status(bench, "GET", "ntp/Policies", query={name: value}) in (200, 400)
