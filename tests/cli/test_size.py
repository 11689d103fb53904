"""Sizing and the bill of materials as people and pipelines call them."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from podwright.components import model
from tests.cli.command import inside as run
from tools.generated import ROOT


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    """Figures of two days ago for one switch and one module."""
    day = (datetime.now(tz=UTC) - timedelta(days=2)).date()
    path = tmp_path / "prices.yaml"
    path.write_text(
        f"as_of: {day}\ncurrency: EUR\nsource: quote 17\ngood_for_days: 30\nitems:\n"
        "  N9K-C9364D-GX2A: {price: 60000, lead_days: 90, watts: 1800}\n"
        "  QDD-400G-DR4-S: {price: 900}\n"
    )
    return path


def test_sixteen_servers_as_a_table_with_alternatives() -> None:
    answer = run("size", "--servers", "16")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "N9K-C9332D-GX2B  N9K-C9364D-GX2A       8       2" in answer.stdout
    assert "N9K-C9364D-GX2A  N9K-C9364D-GX2A       4       2" in answer.stdout
    assert "not N9K-C9336C-FX2: 400G is not a N9K-C9336C-FX2, which has 36 × 100G" in answer.stdout


def test_the_same_as_json() -> None:
    answer = json.loads(run("size", "--servers", "16", "--leaf", "N9K-C9332D-GX2B", "--json").stdout)
    (option,) = answer["options"]
    assert option["size"] == {
        "leaves": 8, "spines": 2, "links_per_pair": 8, "host_links": 128, "fabric_links": 128, "bisection_tbps": 25.6,
        "hosts_per_leaf": 16, "oversubscription": 1.0, "rails_per_leaf": 1,
    }  # fmt: skip
    assert (option["switches"], option["modules"], option["single_point_of_failure"]) == (10, 512, False)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--leaf", "N9K-C9336C-FX2"), "which has 36 × 100G: N9K-C9364D-GX2A would do"),
        (("--leaf", "9332D-GX2A"), "did you mean N9K-C9332D-GX2B"),
        (("--spine", "N9364E-SG2-O"), "is a Silicon One switch"),
        (("--gbps", "800"), "800G is not a N9K-C9364D-GX2A, which has 64 × 400G"),
    ],
)
def test_an_impossible_ask_exits_1_with_the_reason(asked: tuple[str, ...], said: str) -> None:
    answer = run("size", "--servers", "16", *asked)
    assert answer.returncode == 1
    assert said in answer.stdout


def test_options_with_the_sites_prices(prices: Path) -> None:
    asked = ("size", "--servers", "16", "--rates", str(prices), "--host-m", "20", "--fabric-m", "3")
    answer = run(*asked)
    assert answer.returncode == 0
    # six switches and 128 modules at the leaves; the servers' modules and copper have no price in the file
    assert "N9K-C9364D-GX2A: at least 475,200.00 EUR, 10,800 W, 90 days; not checked: QSFP-400G-DR4" in answer.stdout
    made = json.loads(run(*asked, "--json").stdout)
    assert made["rates"]["stale"] is None
    assert made["options"][0]["priced"]["price"] == 6 * 60000 + 128 * 900
    assert made["options"][0]["priced"]["complete"] is False
    assert {line["product"] for line in made["options"][0]["bill"]["lines"]} == {
        "N9K-C9364D-GX2A", "QDD-400G-DR4-S", "QSFP-400G-DR4", "CB-M12-M12-SMF20M", "QDD-400-CU3M",
    }  # fmt: skip
    assert run("size", "--servers", "16", "--rates", "no-such-file.yaml").returncode == 1


def test_a_single_leaf_is_said_to_be_one() -> None:
    answer = run("size", "--servers", "4", "--leaf", "N9K-C9364D-GX2A")
    assert "its loss stops every server" in answer.stdout
    assert run("size", "--servers", "0").returncode == 2
    assert run("size", "--servers", "4", "--layout", "ring").returncode == 2


def test_a_bill_without_prices_says_not_checked() -> None:
    answer = run("bill", "Pulumi.prod.yaml")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "prices, lead times and power: not checked" in answer.stdout
    assert "open: 40 × pluggables and cable of frontend host links 100G" in answer.stdout


def test_a_bill_with_prices_names_what_has_none(prices: Path) -> None:
    answer = run("bill", "Pulumi.prod.yaml", "--rates", str(prices))
    assert answer.returncode == 0
    assert "price: at least 235,200.00 EUR; not checked: N9K-C93600CD-GX" in answer.stdout
    assert "STALE" not in answer.stdout
    made = json.loads(run("bill", "Pulumi.prod.yaml", "--rates", str(prices), "--json").stdout)
    assert made["rates"]["complete"] is False
    assert made["rates"]["stale"] is None
    assert "QDD-400G-DR4-S" in made["rates"]["unknown"]["lead_days"]


def test_stale_prices_are_said_to_be(prices: Path) -> None:
    prices.write_text(prices.read_text().replace("good_for_days: 30", "good_for_days: 1"))
    assert "STALE: the figures are 2 days old" in run("bill", "Pulumi.prod.yaml", "--rates", str(prices)).stdout


def test_a_bill_as_csv(prices: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("bill", "Pulumi.prod.yaml", "--csv", "--rates", str(prices)).stdout)))
    by_product = {row["product"]: row for row in rows}
    assert (by_product["N9K-C9364D-GX2A"]["count"], by_product["N9K-C9364D-GX2A"]["price"]) == ("2", "60000.0")
    assert by_product["QSFP-400G-DR4"]["price"] == "not checked"
    assert [row["count"] for row in rows if row["kind"] == "open"] == ["40", "2"]


def test_what_a_change_adds_and_leaves_over(prices: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.yaml"
    lines = [line for line in (ROOT / "Pulumi.prod.yaml").read_text().splitlines() if "gpu-16:" not in line]
    old.write_text("\n".join(lines).replace("nodes: 16", "nodes: 15").replace("gpus: 128", "gpus: 120"))
    grown = run("bill", "Pulumi.prod.yaml", "--since", str(old), "--rates", str(prices))
    assert "    +8  QDD-400G-DR4-S     transceiver" in grown.stdout
    assert "open: +2 × pluggables and cable of frontend host links 100G" in grown.stdout
    assert "price: as far as known +7,200.00 EUR; not checked: QSFP-400G-DR4" in grown.stdout
    shrunk = json.loads(run("bill", str(old), "--since", "Pulumi.prod.yaml", "--rates", str(prices), "--json").stdout)
    assert {line["count"] for line in shrunk["lines"]} == {-8}
    assert (shrunk["rates"]["price"], shrunk["rates"]["unknown"]["lead_days"]) == (-7200, [])
    same = run("bill", "Pulumi.prod.yaml", "--since", "Pulumi.prod.yaml").stdout
    assert same == "prod: network, what changes since Pulumi.prod.yaml: nothing\n"
    assert run("bill", "Pulumi.prod.yaml", "--since", str(tmp_path / "none.yaml")).returncode == 1


def test_the_example_of_the_reference_is_a_price_file(tmp_path: Path) -> None:
    page = (ROOT / "docs/reference/prices.md").read_text()
    path = tmp_path / "prices.yaml"
    path.write_text(page.split("```yaml\n")[1].split("```")[0])
    assert model.rates(path).of("QDD-400-CU3M").price == 150
    assert "at least" in run("bill", "Pulumi.prod.yaml", "--rates", str(path)).stdout


def test_wrong_prices_come_with_line_and_hint(tmp_path: Path) -> None:
    wrong = tmp_path / "prices.yaml"
    wrong.write_text("as_of: 2026-13-01\ncurrency: EUR\nitem: {}\n")
    answer = run("bill", "Pulumi.lab.yaml", "--rates", str(wrong))
    assert answer.returncode == 1
    assert 'as_of: "2026-13-01" is not a date such as 2026-10-01' in answer.stderr
    assert "did you mean `items`?" in answer.stderr
    assert "prices.yaml:1:8" in answer.stderr
    assert run("bill", "Pulumi.lab.yaml", "--rates", str(tmp_path / "none.yaml")).returncode == 1
    assert run("bill", "Pulumi.lab.yaml", "--json", "--csv").returncode == 2
