"""$apply, tags and moments in filters, read by Cisco's own SDK too."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.lab.intersight.conftest import Bench
from tests.lab.intersight.test_rest import ntp
from tests.lab.intersight.test_sdk import sdk


def applied(bench: Bench, path: str, text: str, **more: str) -> list[dict[str, object]]:
    query = "&".join(f"${key}={value}" for key, value in {"apply": text, **more}.items())
    document = bench.client.get(f"{path}?{query}")
    assert document["ObjectType"] == "mo.AggregateTransform"
    return document["Results"]  # type: ignore[no-any-return]


def test_servers_are_counted_by_model(bench: Bench) -> None:
    found = applied(bench, "compute/PhysicalSummaries", "groupby((Model),aggregate($count as Total))")
    assert {row["Model"]: row["Total"] for row in found} == {
        "UCSC-845A-M8": 1,
        "UCSX-210C-M7": 1,
        "UCSC-885A-M8": 1,
    }
    (row,) = applied(bench, "compute/PhysicalSummaries", "aggregate($count as N,NumCpus with sum as Sockets)")
    assert row == {"N": 3, "Sockets": 6}
    only = applied(
        bench, "compute/PhysicalSummaries", "aggregate(NumCpuCores with max as Most)", filter="Model eq 'UCSX-210C-M7'"
    )
    assert only == [{"Most": 64}]
    pairs = applied(bench, "compute/PhysicalSummaries", "groupby((Vendor,RegisteredDevice.ConnectionStatus))")
    assert pairs == [{"Vendor": "Cisco Systems Inc", "RegisteredDevice.ConnectionStatus": "Connected"}]
    chained = "groupby((Model),aggregate($count as N))/aggregate(N with average as Mean)"
    assert applied(bench, "compute/PhysicalSummaries", chained) == [{"Mean": 1.0}]


@pytest.mark.parametrize("text", ["top(3)", "groupby(Model)", "aggregate(Model)", "aggregate(Model with guess as X)"])
def test_what_is_not_understood_is_refused(bench: Bench, text: str) -> None:
    assert bench.client.refused("GET", f"compute/PhysicalSummaries?$apply={text}") == (400, "lab_query_invalid")


def test_tags_in_use(bench: Bench) -> None:
    ntp(bench, "a", Tags=[{"Key": "pool", "Value": "x"}])
    ntp(bench, "b", Tags=[{"Key": "pool", "Value": "y"}, {"Key": "site", "Value": "1"}])
    document = bench.client.get("ntp/Policies?tags=all")
    assert document["ObjectType"] == "mo.TagSummary"
    assert [(row["Key"], row["NumKeys"], row["Values"]) for row in document["Results"]] == [
        ("pool", 2, ["x", "y"]),
        ("site", 1, ["1"]),
    ]


def test_moments_are_compared_as_moments(bench: Bench) -> None:
    made = ntp(bench, "a")
    now = datetime.now(UTC)
    for text, count in (
        ("CreateTime gt 2026-01-01T00:00:00Z", 1),
        (f"CreateTime gt {(now + timedelta(hours=1)).strftime('%Y-%m-%dT%H:%M:%SZ')}", 0),
        (f"CreateTime le {(now + timedelta(hours=1)).strftime('%Y-%m-%dT%H:%M:%S.123Z')}", 1),
        (f"CreateTime eq {made['CreateTime']}", 1),
        (f"CreateTime lt {made['CreateTime']}", 0),
        ("Name eq 'a' and ModTime ge 2000-01-01T00:00:00Z", 1),
        ("Name gt 2026-01-01T00:00:00Z", 0),
    ):
        assert len(bench.client.list("ntp/Policies", filter=text.replace("+", "%2B"))) == count, text


def test_the_sdk_reads_both(bench: Bench) -> None:
    from intersight.api.ntp_api import NtpApi

    ntp(bench, "a", Tags=[{"Key": "pool", "Value": "x"}])
    api = NtpApi(sdk(bench, bench.lab.secrets / "intersight-key"))
    assert api.get_ntp_policy_list(apply="groupby((Enabled),aggregate($count as N))").results[0]["N"] == 1
    assert api.get_ntp_policy_list(tags="all").results[0].key == "pool"
