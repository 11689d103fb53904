"""$filter, $orderby, paging, $select, $expand and selectors, as clients send them."""

from __future__ import annotations

import pytest

from tests.lab.intersight.conftest import Bench
from tests.lab.intersight.test_rest import ntp


def test_selectors(bench: Bench) -> None:
    org = {"ObjectType": "organization.Organization", "Selector": "Name eq 'default'"}
    made = bench.client.create("ntp/Policies", {"Name": "x", "Organization": org})
    assert made["Organization"]["Moid"] == bench.org
    assert made["Organization"]["link"].endswith(f"/api/v1/organization/Organizations/{bench.org}")
    org["Selector"] = "Name eq 'nowhere'"
    assert bench.client.refused("POST", "ntp/Policies", {"Name": "y", "Organization": org})[0] == 400


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Name eq 'b'", "b"),
        ("Name ne 'b'", "acd"),
        ("Name in ('a','c')", "ac"),
        ("not (Name eq 'a' or Name eq 'b')", "cd"),
        ("contains(tolower(Description),'odd') and Enabled eq true", "a"),
        ("startswith(Timezone,'Europe/')", "c"),
        ("Tags/any(t:t/Key eq 'pool' and t/Value eq 'x')", "bd"),
        ("Tags/all(t: t/Key eq 'pool')", "abcd"),
        ("Organization.Name eq 'default'", "abcd"),
        ("Enabled eq false", "c"),
        ("(Enabled eq true) and (Name gt 'a')", "bd"),
        ("Description eq 'it''s'", "d"),
    ],
)
def test_filters(bench: Bench, text: str, names: str) -> None:
    tag = {"Tags": [{"Key": "pool", "Value": "x"}]}
    ntp(bench, "a", Description="Odd one")
    ntp(bench, "b", **tag)
    ntp(bench, "c", Enabled=False, Description="odd", Timezone="Europe/Vienna")
    ntp(bench, "d", Description="it's", **tag)
    assert "".join(sorted(p["Name"] for p in bench.client.list("ntp/Policies", filter=text))) == names


def test_unreadable_queries_are_refused(bench: Bench) -> None:
    ntp(bench)
    for query in ("$filter=Name eq", "$filter=Name is 'x'", "$top=many", "$orderby=Name sideways", "$expand=A("):
        assert bench.client.refused("GET", f"ntp/Policies?{query}")[0] == 400, query
    assert bench.client.refused("GET", "ntp/Policies?$apply=top(3)")[0] == 400


def test_paging_order_count_select_expand(bench: Bench) -> None:
    for number in range(130):
        ntp(bench, f"n{number:03d}")
    first = bench.client.get("ntp/Policies?$inlinecount=allpages")
    assert (len(first["Results"]), first["Count"], first["ObjectType"]) == (100, 130, "ntp.Policy.List")
    pages = [bench.client.list("ntp/Policies", top="50", skip=str(s), select="Name") for s in (0, 50, 100)]
    names = [p["Name"] for page in pages for p in page]
    assert len(set(names)) == 130
    assert names != sorted(names), "a listing without an order must not come in the order of creation"
    assert set(pages[0][0]) == {"ClassId", "ObjectType", "Moid", "Name"}
    assert bench.client.list("ntp/Policies", orderby="Name desc", top="1")[0]["Name"] == "n129"
    assert bench.client.get("ntp/Policies?$count=true")["Count"] == 130
    opened = bench.client.list("ntp/Policies", top="1", expand="Organization($select=Name)")[0]
    assert opened["Organization"]["Name"] == "default"


def test_empty_listing_is_null(bench: Bench) -> None:
    assert bench.client.get("snmp/Policies")["Results"] is None


def test_unknown_urls_moids_and_verbs(bench: Bench) -> None:
    assert bench.client.refused("GET", "graphics/GpuPolicies")[0] == 404
    assert bench.client.refused("GET", f"ntp/Policies/{'0' * 24}") == (404, "barcelona_request_object_does_not_exist")
    assert bench.client.refused("POST", "compute/PhysicalSummaries", {})[0] == 405
    assert bench.client.refused("POST", "cond/Alarms", {})[0] == 405
    assert bench.client.refused("PUT", f"ntp/Policies/{ntp(bench)['Moid']}", {})[0] == 405
