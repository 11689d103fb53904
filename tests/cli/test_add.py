"""One more device in a stack file: the rest of it stays byte for byte, and nothing wrong is ever written."""

import subprocess
from pathlib import Path

import pytest

from podwright.components import model
from tests.cli.command import inside
from tools.generated import ROOT

OWN = ("--set", "serial=WZP00000099", "--set", "boot_mac=02:00:00:00:02:06", "--set", "rack=r3")


def add(kind: str, file: Path, name: str, *more: str) -> subprocess.CompletedProcess[str]:
    return inside("add", kind, file, name, *more)


def copy(name: str, folder: Path) -> Path:
    path = folder / "Pulumi.site.yaml"
    path.write_text((ROOT / name).read_text())
    return path


def test_a_server_beside_others_is_one_line(tmp_path: Path) -> None:
    file = copy("Pulumi.lab.yaml", tmp_path)
    before = file.read_text().splitlines()
    answer = add("server", file, "gpu-06", *OWN)
    assert (answer.returncode, answer.stderr) == (0, "")
    after = file.read_text().splitlines()
    (new,) = [line for line in after if line not in before]
    assert [line for line in after if line != new] == before
    assert after[after.index(new) - 1].lstrip().startswith("gpu-05:")
    assert f"+{new}" in answer.stdout
    server = model.load(file).servers["gpu-06"]
    assert (server.index, str(server.address), str(server.bmc)) == (6, "192.0.2.146", "192.0.2.116")
    assert (server.model, server.pool, server.rack) == ("UCSC-885A-M8", "training", "r3")


def test_a_range_grows(tmp_path: Path) -> None:
    file = copy("tests/model/prod_compact.yaml", tmp_path)
    file.write_text(file.read_text().replace("gpu-[01-16]", "gpu-[01-15]").replace("nodes: 16", "nodes: 15"))
    answer = add("server", file, "gpu-16", "--set", "serial=WZP26229999")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert file.read_text().count("gpu-[01-16]") == 2, "the server and its port"
    assert model.load(file).servers["gpu-16"].serial == "WZP26229999"
    assert len(answer.stdout.splitlines()) < 20


def test_one_of_several_ranges_grows(tmp_path: Path) -> None:
    file = copy("tests/model/prod_compact.yaml", tmp_path)
    answer = add("server", file, "inf-04", "--set", "rack=r1")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "cp-[01-03], inf-[01-04]:" in file.read_text()
    assert str(model.load(file).servers["inf-04"].address) == "198.51.100.24"


def test_a_switch_takes_its_neighbours_numbers_on(tmp_path: Path) -> None:
    file = copy("Pulumi.lab.yaml", tmp_path)
    answer = add("switch", file, "leaf-03", "--set", "group=2")
    assert (answer.returncode, answer.stderr) == (0, "")
    leaf = model.load(file).fabric.leaves["leaf-03"]
    assert (leaf.index, leaf.asn, str(leaf.management), leaf.group) == (3, 64603, "192.0.2.13", 2)


@pytest.mark.parametrize(
    ("kind", "name", "more", "words"),
    [
        ("server", "gpu-05", (), "gpu-05 is there already"),
        ("server", "foo-1", (), "say what foo-1 is like with --like: cp-01"),
        ("server", "gpu-06", (), "add `serial:`"),
        ("server", "gpu-06", ("--set", "serial"), "is not KEY=VALUE"),
        ("server", "gpu-09", OWN, "needs host port 36 of leaf-01"),
        ("switch", "leaf-03", (), "carried by leaf-02 already"),
    ],
)
def test_what_is_wrong_is_not_written(kind: str, name: str, more: tuple[str, ...], words: str, tmp_path: Path) -> None:
    file = copy("Pulumi.lab.yaml", tmp_path)
    answer = add(kind, file, name, *more)
    assert answer.returncode in (1, 2)
    assert words in answer.stderr
    assert "Traceback" not in answer.stderr
    assert file.read_text() == (ROOT / "Pulumi.lab.yaml").read_text()


@pytest.mark.parametrize("name", ["Pulumi.lab.yaml", "Pulumi.prod.yaml", "tests/model/prod_compact.yaml"])
def test_a_file_is_written_back_as_it_was(name: str) -> None:
    import io

    from podwright.cli import extend

    text, written = (ROOT / name).read_text(), io.StringIO()
    yaml = extend.round_trip()
    yaml.dump(yaml.load(text), written)
    assert written.getvalue() == text
