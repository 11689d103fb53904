"""Keys, the store, the lock files and the data tables on their own."""

import os
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from podwright.toolchain import crds, keys
from podwright.toolchain.ansible import Ansible
from podwright.toolchain.binaries import BINARIES, BY_NAME, STEPS
from podwright.toolchain.errors import SetupError
from podwright.toolchain.pytorch import Torch
from podwright.toolchain.schemas import Schemas
from podwright.toolchain.store import Store, link
from tests.toolchain.conftest import REAL


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    return Path(shutil.copytree(REAL / "modules", tmp_path / "modules"))


@pytest.mark.parametrize("file", ["go.mod", "go.sum"])
def test_a_changed_pin_changes_the_keys_made_from_it_and_no_other(modules: Path, file: str) -> None:
    before, whole = {b.name: keys.binary_key(b, modules) for b in BINARIES}, keys.pins_key(modules)
    with (modules / "controlplane" / file).open("a") as pins:
        pins.write("// changed\n")
    changed = {b.name for b in BINARIES if keys.binary_key(b, modules) != before[b.name]}
    assert changed == {b.name for b in BINARIES if b.module == "controlplane"}
    assert keys.pins_key(modules) != whole


def test_keys_differ_between_binaries_of_one_module() -> None:
    assert len({keys.binary_key(binary) for binary in BINARIES}) == len(BINARIES)


def test_a_changed_lock_changes_the_python_key(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.txt"
    lock.write_text("a==1\n")
    before = keys.python_key(lock)
    lock.write_text("a==2\n")
    assert keys.python_key(lock) != before


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"PODWRIGHT_CACHE": "/c", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/c"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/podwright"),
        ({"HOME": "/h"}, "/h/.cache/podwright"),
    ],
)
def test_where_the_cache_is(environ: dict[str, str], expected: str) -> None:
    assert keys.cache_root(environ) == Path(expected)


def test_an_entry_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def killed(folder: Path) -> None:
        (folder / "program").write_text("half")
        raise KeyboardInterrupt

    def whole(folder: Path) -> None:
        (folder / "program").write_text("whole")

    with pytest.raises(KeyboardInterrupt):
        store.add("program", "key", killed)
    assert not store.entry("program", "key").exists()
    assert list((tmp_path / "tmp").iterdir()) == []
    store.add("program", "key", whole)
    assert store.whole("program", "key")
    assert not store.whole("program", "other")


@pytest.mark.parametrize("harm", ["truncate", "remove", "stamp"])
def test_a_damaged_entry_is_not_used_and_can_be_replaced(tmp_path: Path, harm: str) -> None:
    store = Store(tmp_path)

    def fill(folder: Path) -> None:
        (folder / "program").write_text("whole")

    entry = store.add("program", "key", fill)
    match harm:
        case "truncate":
            (entry / "program").write_text("wh")
        case "remove":
            (entry / "program").unlink()
        case _:
            (entry / "stamp.json").write_text('{"progr')
    assert store.damaged("program", "key")
    store.add("program", "key", fill)
    assert store.whole("program", "key")


def _whole(folder: Path) -> None:
    (folder / "program").write_text("whole")


def test_content_that_changed_at_the_same_size_and_time_is_found_by_a_check(tmp_path: Path) -> None:
    store = Store(tmp_path)
    entry = store.add("program", "key", _whole)
    assert store.check("program", "key")
    before = (entry / "program").stat()
    (entry / "program").write_text("while")
    os.utime(entry / "program", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert store.whole("program", "key")
    assert not store.check("program", "key")
    assert store.damaged("program", "key")


def test_an_entry_from_before_sums_were_recorded_gets_them(tmp_path: Path) -> None:
    store = Store(tmp_path)
    entry = store.add("program", "key", _whole)
    (entry / "stamp.sha256").unlink()
    assert store.check("program", "key")
    (entry / "program").write_text("while")
    assert not store.check("program", "key")


def test_a_link_replaces_what_is_there(tmp_path: Path) -> None:
    old, new, place = tmp_path / "old", tmp_path / "new", tmp_path / "bin" / "program"
    old.write_text("old")
    new.write_text("new")
    link(old, place)
    link(new, place)
    assert place.read_text() == "new"
    assert [file.name for file in place.parent.iterdir()] == ["program"]


def test_every_binary_is_pinned_by_its_module() -> None:
    for binary in BINARIES:
        folder = REAL / "modules" / binary.module
        assert (folder / "go.sum").stat().st_size > 0
        if binary.package == ".":
            assert (folder / "main.go").exists()
        else:
            tools = (folder / "go.mod").read_text().split("require", 1)[0]
            assert re.search(rf"\b{re.escape(binary.package)}$", tools, re.MULTILINE), binary.name


def test_steps_only_name_what_exists() -> None:
    assert {binary.name for step in STEPS.values() for binary in step.binaries} == set(BY_NAME)
    assert not STEPS["check"].binaries
    assert STEPS["check"].python == "check"
    apart = {name: step.apart for name, step in STEPS.items() if step.apart}
    assert apart == {"ansible": "ansible", "schemas": "schemas", "torch": "torch"}, "nobody gets them unasked"


@pytest.mark.parametrize("kind", [Ansible, Schemas, Torch])
def test_an_environment_that_cannot_be_had_is_not_taken_for_installed(
    tmp_path: Path, kind: type[Ansible] | type[Schemas] | type[Torch]
) -> None:
    made = kind(tmp_path, {**os.environ, "PIP_NO_INDEX": "1"})
    with pytest.raises(SetupError, match=r"requirements-(ansible|schemas|torch).txt could not be installed"):
        made.install()
    assert not made.whole()


def requirements(name: str) -> dict[str, str]:
    """Package → pinned release of a lock file; every one must carry hashes."""
    text = (REAL / name).read_text()
    blocks = [block for block in re.split(r"\n(?=\S)", text) if not block.startswith("#")]
    found: dict[str, str] = {}
    for block in blocks:
        match = re.match(r"([a-z0-9.-]+)==(\S+)(?: ; [^\\]+)? \\", block)
        assert match is not None, f"{name}: {block.splitlines()[0]}"
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), f"{name}: {match[1]} has no hash"
        found[match[1]] = match[2]
    return found


def test_locks_are_hashed_and_name_no_index() -> None:
    for lock in sorted(REAL.glob("requirements*.txt")):
        assert requirements(lock.name)
        for word in ("index-url", "find-links", "trusted-host", "://"):
            assert word not in lock.read_text(), f"{lock.name}: {word}"


def test_the_small_set_is_part_of_the_full_one() -> None:
    assert requirements("requirements-check.txt").items() <= requirements("requirements.txt").items()


def test_the_lock_satisfies_the_program() -> None:
    project = tomllib.loads((REAL.parent / "pyproject.toml").read_text())["project"]
    plain = (re.split(r"[<>=!~\[ ]", line)[0].lower() for line in project["dependencies"])
    named = {re.sub(r"[-_.]+", "-", name) for name in plain}  # as an index spells them
    assert named <= requirements("requirements.txt").keys()


def test_python_packages_and_plugins_are_of_one_release() -> None:
    locked = requirements("requirements.txt")
    plugins = {binary.plugin[0]: binary.plugin[1] for binary in BINARIES if binary.plugin}
    assert plugins == {"kubernetes": locked["pulumi-kubernetes"], "command": locked["pulumi-command"]}
    assert f"v{locked['pulumi']}" in BY_NAME["pulumi"].ldflags


def test_every_definition_of_the_table_is_in_the_lock() -> None:
    table = tomllib.loads(crds.TABLE.read_text())
    named = [file.rsplit("/", 1)[-1] for module in table["module"] for file in module["files"]]
    dumped = [f"{kind['plural']}.{kind.get('group', 'nvidia.com')}.yaml" for kind in table["dump"]["kind"]]
    locked = [line.split()[1] for line in crds.LOCK.read_text().splitlines() if not line.startswith("#")]
    assert sorted(named + dumped) == locked


def test_no_gated_feature_set_is_taken() -> None:
    gated = ("CustomNoUpgrade", "DevPreviewNoUpgrade", "TechPreviewNoUpgrade", "OKD", "Hypershift")
    assert [word for word in gated if word in crds.LOCK.read_text()] == []


def test_definitions_other_than_the_locked_are_refused() -> None:
    locked = "# header\n" + "0" * 64 + "  a.yaml\n"
    crds.check(locked.split("\n", 1)[1], locked)
    with pytest.raises(SetupError, match=re.escape("1" * 64 + "  a.yaml")):
        crds.check("1" * 64 + "  a.yaml\n", locked)
    with pytest.raises(SetupError, match=r"a\.yaml"):
        crds.check("", locked)


def test_a_definition_is_put_around_a_published_schema() -> None:
    published = {
        "description": "D", "type": "object", "namespaced": False,
        "x-kubernetes-group-version-kind": [{"group": "nvidia.com", "version": "v1", "kind": "ClusterPolicy"}],
        "properties": {"metadata": {"allOf": [{"$ref": "#/x"}]}, "spec": {"type": "object"}},
    }  # fmt: skip
    made = crds.synthesise(published, "clusterpolicies", [])
    assert made["metadata"]["name"] == "clusterpolicies.nvidia.com"
    assert made["spec"]["scope"] == "Cluster"
    (version,) = made["spec"]["versions"]
    assert version["schema"]["openAPIV3Schema"] == {
        "description": "D", "type": "object",
        "properties": {"metadata": {"type": "object"}, "spec": {"type": "object"}},
    }  # fmt: skip
