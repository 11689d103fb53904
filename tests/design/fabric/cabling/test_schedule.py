"""The schedule and its CSV: nothing lost, nothing added, mistakes refused with row and column."""

import csv
import io
import random
import re
from collections import Counter
from dataclasses import fields, replace
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components import model
from podwright.components.design import fabric
from podwright.components.design.fabric import cabling, materials
from podwright.components.design.fabric.cabling import Cable, picture, spreadsheet
from tools.generated import ROOT

STACKS = ["Pulumi.lab.yaml", "Pulumi.prod.yaml", "tests/examples/top-of-rack/Pulumi.top-of-rack.yaml"]


def schedule(path: str) -> tuple[Cable, ...]:
    cluster = model.load(ROOT / path)
    return cabling.schedule(cluster.network, fabric.plan(cluster.network))


LAB = schedule("Pulumi.lab.yaml")
TEXT = spreadsheet.write(LAB)


@pytest.mark.parametrize("path", STACKS)
def test_every_planned_cable_is_a_row_with_both_racks_and_labels(path: str) -> None:
    cluster = model.load(ROOT / path)
    plan = fabric.plan(cluster.network)
    rows = cabling.schedule(cluster.network, plan)
    assert {each.ends for each in rows} == {
        ((link.device, link.port), (link.peer, link.peer_port)) for link in plan.links
    }
    for each in rows:
        assert each.rack == plan.switch(each.device).rack
        assert each.peer_rack in cluster.site.racks or each.peer.startswith(("array-", "border-"))
        assert each.label.partition(" > ")[::2] == each.peer_label.partition(" > ")[::-2]


def test_lengths_and_pluggables_are_those_the_stack_file_says() -> None:
    said = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())["config"]["podwright:cluster"]
    said["fabric"]["cables"] = {
        "same_rack_m": 2.5,
        "other_rack_m": 20,
        "runs": {"r2": {"r1": 9}},
        "fabric": {"near": "QDD-400G-DR4-S"},
    }
    cluster = model.Cluster.model_validate(said)
    rows = cabling.schedule(cluster.network, fabric.plan(cluster.network))
    assert {(each.rack, each.peer_rack, each.length_m) for each in rows} == {
        ("r1", "r1", "2.5"),
        ("r1", "r2", "9"),
        ("r1", "r3", "20"),
    }
    plugs = {(each.role, each.optic, each.peer_optic) for each in rows}
    assert {each for each in plugs if each[0] == "fabric"} == {("fabric", "QDD-400G-DR4-S", "QDD-400G-DR4-S")}
    taken = Counter(name for each in rows for name in (each.optic, each.peer_optic))
    billed: Counter[str] = Counter()
    for line in materials.bill(cluster.network, fabric.plan(cluster.network)).lines:
        if line.kind in ("transceiver", "cable"):
            billed[line.product] += line.count * (2 if line.kind == "cable" else 1)
    assert taken == billed, "the schedule and the bill name the same products"


@pytest.mark.parametrize("path", STACKS)
def test_csv_graph_csv_is_exact(path: str) -> None:
    text = spreadsheet.write(schedule(path))
    again = spreadsheet.write(cabling.cables(cabling.graph(spreadsheet.read(text))))
    assert again == text
    assert text.endswith("\r\n") and text.count("\r\n") == text.count("\n")


FREE = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=12).map(str.strip)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_labels_survive_the_spreadsheet(data: st.DataObject) -> None:
    rows = [
        replace(each, label=data.draw(FREE), peer_label=data.draw(FREE), optic=data.draw(FREE), length_m="2.5")
        for each in data.draw(st.lists(st.sampled_from(LAB), unique=True, max_size=6))
    ]
    shuffled = random.Random(3).sample(rows, len(rows))
    read = spreadsheet.read(spreadsheet.write(shuffled))
    assert read == tuple(sorted(rows, key=cabling.order))
    assert cabling.cables(cabling.graph(reversed(read))) == read


def test_a_spreadsheet_may_reorder_columns_end_lines_its_way_and_abbreviate_ports() -> None:
    rows = list(csv.reader(io.StringIO(TEXT, newline="")))
    turned = "\ufeff" + "\n".join(",".join(row[::-1]) for row in rows) + "\n\n"
    assert spreadsheet.read(turned) == LAB
    assert spreadsheet.read(TEXT.replace(",Ethernet1/", ",eth 1/")) == LAB


def test_rows_are_counted_and_sorted_as_people_count() -> None:
    first = [each.port for each in LAB[:20]]
    assert first == [f"Ethernet1/{number}" for number in range(1, 21)]


def test_every_mistake_is_named_at_once_with_row_and_column() -> None:
    lines = TEXT.splitlines()
    lines[3] = lines[3].replace(",400,", ",fast,").replace(",host,", ",hosst,")
    lines[5] = lines[5].replace("leaf-01,", ",", 1)
    lines[7] = lines[7].replace("Ethernet1/7,", "Ethernet1/1,", 1)
    lines[9] += ",more"
    lines[11] = lines[11].replace("gpu-03,rail2", "leaf-01,Ethernet1/11")
    with pytest.raises(spreadsheet.CsvError) as wrong:
        spreadsheet.read("\r\n".join(lines))
    assert str(wrong.value).splitlines() == [
        'row 4, column gbps: "fast" is no speed in Gb/s; write a number such as 400',
        'row 4, column role: "hosst" is none of fabric, host, peer, uplink',
        "row 6, column device: is empty",
        "row 8, column port: leaf-01 Ethernet1/1 has a cable in row 2 already",
        "row 10: 15 fields under 14 columns",
        "row 12, column peer_port: both ends are leaf-01 Ethernet1/11",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "row 1: the file is empty"),
        ('"a', "row 1: this is not CSV"),
        (TEXT.replace("gbps", "speed", 1), "row 1, column gbps: the column is missing"),
        (TEXT.replace("rack,", "port,", 1), "row 1, column port: the column is there twice"),
        (TEXT.replace(",,,\r\n", ",,-3,\r\n", 1), 'row 2, column length_m: "-3" is no length'),
    ],
)
def test_files_that_are_no_schedule(text: str, said: str) -> None:
    with pytest.raises(spreadsheet.CsvError, match=re.escape(said)):
        spreadsheet.read(text)


@pytest.mark.parametrize(
    ("spelt", "port"),
    [
        ("Eth1/1", "Ethernet1/1"),
        ("eth1/49/2", "Ethernet1/49/2"),
        ("Ethernet 1/7", "Ethernet1/7"),
        ("e1/7", "Ethernet1/7"),
        ("mgmt0", "mgmt0"),
        ("eth3", "eth3"),
        ("rail3", "rail3"),
        ("0200.0000.0001", "0200.0000.0001"),
    ],
)
def test_spellings_of_a_port(spelt: str, port: str) -> None:
    assert cabling.interface(spelt) == port


@pytest.mark.parametrize("path", STACKS)
def test_the_picture_is_xml_and_shows_every_device_once(path: str) -> None:
    cluster = model.load(ROOT / path)
    plan = fabric.plan(cluster.network)
    rows = cabling.schedule(cluster.network, plan)
    root = ElementTree.fromstring(picture.picture(cluster.network, plan, rows))
    words = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    cabled = {each.peer for each in rows} & set(cluster.servers)
    for name in [*(switch.hostname for switch in plan.switches), *cabled]:
        assert words.count(name) == 1, name
    boxes = [each for each in root.iter("{http://www.w3.org/2000/svg}rect") if each.get("height") == "34"]
    corners = {(each.get("x"), each.get("y")) for each in boxes}
    assert len(corners) == len(plan.switches) + len(cabled), "no two devices stand in one place"
    pairs = {(link.device, link.peer) for link in plan.links if link.role in ("fabric", "peer")}
    drawn = len(list(root.iter("{http://www.w3.org/2000/svg}path")))
    assert drawn == len({pair for pair in pairs if not pair[0].startswith("front")})
    flat = [each for each in root.iter("{http://www.w3.org/2000/svg}line") if each.get("y1") == each.get("y2")]
    lanes = [each for each in flat if each.get("stroke-width") == "1.6"]
    rails = {(each.device, each.peer_port) for each in rows if each.peer_port.startswith("rail")}
    assert len({each.get("y1") for each in lanes}) == len(lanes) >= len(rails) > 0, "a line for each rail of a leaf"
    heads = [word for word in words if word and word.partition(" ")[0] in cluster.site.racks]
    assert heads, "racks are named"


def test_the_columns_are_the_fields() -> None:
    assert tuple(each.name for each in fields(Cable)) == spreadsheet.COLUMNS
