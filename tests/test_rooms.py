"""Who may import what: every import of every room, relative ones resolved, against the table of the design."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import pytest

from tests.syntax import source

ROOT = Path(__file__).resolve().parents[1]
STDLIB = frozenset(sys.stdlib_module_names)
PACKAGE = ("components", "policies", "cli", "lab", "toolchain")
"""Rooms of the package `podwright`, which links them; their own names alone would make every class twice."""
OURS = ("podwright", *PACKAGE, "tools", "tests")


@dataclass(frozen=True)
class Room:
    """One row of the table."""

    name: str
    files: tuple[str, ...]
    """Glob patterns below the project."""
    ours: tuple[str, ...]
    """Prefixes of our own modules it may import."""
    others: tuple[str, ...] | None
    """Top-level packages from elsewhere; None: whatever its libraries are."""
    not_stdlib: tuple[str, ...] = ()
    """Standard modules that would dial, run programs, or make a pure function depend on the day."""


DIALLING = ("socket", "http", "urllib.request", "ssl")
DATED = ("asyncio", "subprocess", "random", "time")
CHANGES = "podwright.components.changes"
LAYERS = tuple(
    f"podwright.components.{path.stem}"
    for path in sorted((ROOT / "components").glob("*.py"))
    if path.stem not in ("__init__", "program", "former", "lifetime", "package")
)
RESOURCES = (
    "podwright.components.providers.resources",
    *(f"podwright.components.providers.{kind}.resources" for kind in ("nxos", "intersight", "redfish", "openshift")),
)

TABLE = "podwright.components.intersight_table"

ROOMS = (
    Room("Intersight's table", ("components/intersight_table/*.py",), (TABLE,), (), (*DIALLING, *DATED, "os")),
    Room(
        "model",
        ("components/model/**/*.py",),
        ("podwright.components.model", TABLE),
        ("pydantic", "pydantic_core", "annotated_types", "yaml"),
        (*DIALLING, *DATED),
    ),
    Room(
        "design",
        ("components/design/**/*.py",),
        ("podwright.components.model", "podwright.components.design", CHANGES),
        ("networkx", "hier_config"),
        (*DIALLING, *DATED, "os", "datetime", "pathlib"),
    ),
    Room("changes", ("components/changes/**/*.py",), (CHANGES,), (), (*DIALLING, *DATED, "os", "datetime", "pathlib")),
    Room("providers", ("components/providers/**/*.py",), ("podwright.components.providers", CHANGES, TABLE), None),
    Room(
        "schema",
        ("components/schema/**/*.py",),
        (
            "podwright.components.model",
            "podwright.components.schema",
            "podwright.components.contract",
            "podwright.components.providers.protocol.construct",
            "podwright.components.providers.specs",
        ),
        ("pulumi", "pydantic"),
        (*DIALLING, "subprocess", "os", "random", "time"),
    ),
    Room(
        "package",
        ("components/package.py",),
        ("podwright.components.schema", "podwright.components.providers.protocol", *LAYERS),
        ("pulumi",),
        (*DIALLING, "subprocess", "os"),
    ),
    Room(
        "layers",
        tuple(f"{layer.removeprefix('podwright.').replace('.', '/')}.py" for layer in LAYERS),
        ("podwright.components.model", "podwright.components.design", *RESOURCES, *LAYERS),
        ("pulumi", "pulumi_kubernetes", "pulumi_command"),
        (*DIALLING, "subprocess", "os"),
    ),
    Room(
        "cluster",
        ("components/cluster/**/*.py",),
        ("podwright.components.model", "podwright.components.cluster", RESOURCES[0], *LAYERS),
        ("pulumi",),
        (*DIALLING, "subprocess", "os"),
    ),
    Room("lifetime", ("components/lifetime.py",), (), ("pulumi", "grpc"), (*DIALLING, "subprocess")),
    Room("former", ("components/former.py",), (), ("pulumi",), (*DIALLING, "subprocess", "os")),
    Room(
        "program of a stack",
        ("components/program.py",),
        (
            "podwright.components.model",
            "podwright.components.cluster",
            "podwright.components.contract",
            "podwright.components.former",
            "podwright.components.lifetime",
            "podwright.components.limits",
            "podwright.components.providers.resources",
        ),
        ("pulumi",),
        (*DIALLING, "subprocess", "os"),
    ),
    Room("policies", ("policies/**/*.py",), ("podwright.policies",), ("pulumi", "grpc", "google", "rules")),
    Room(
        "cli",
        ("cli/**/*.py",),
        # docs/decisions/0006-status-reads-live.md: the one arrow from people's commands to what is reached.
        (
            "podwright.components.model",
            "podwright.components.design",
            CHANGES,
            "podwright.policies.rules",
            "podwright.cli",
            "podwright.components.providers.status",
            # docs/decisions/0003-provider.md: where a reach file leads is read, nothing is dialled.
            "podwright.components.providers.reach",
        ),
        ("typer", "rich", "yaml", "ruamel"),
        DIALLING,
    ),
    Room("programs in pods", ("components/programs/*.py",), ("podwright.components.programs",), ()),
    Room("lab", ("lab/**/*.py",), ("podwright.lab",), None),
    Room("program", ("__main__.py",), ("podwright.components",), ("pulumi",)),
    Room("toolchain", ("toolchain/**/*.py",), ("podwright.toolchain",), None),
)


def imports(path: Path, module: str) -> Iterator[str]:
    """Full dotted names that a file imports, each name of a `from` import with its module."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for each in source(path).imports:
        if each.module is None:
            yield from each.names
            continue
        base = each.module
        if each.level:
            above = package.split(".")[: len(package.split(".")) - each.level + 1]
            base = ".".join([*above, base]).strip(".")
        yield from (f"{base}.{name}" for name in each.names)


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    dotted = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return f"podwright.{dotted}" if parts[0] in PACKAGE else dotted


def files(room: Room) -> list[Path]:
    found = {path for pattern in room.files for path in ROOT.glob(pattern)}
    return sorted(path for path in found if path.is_file())


def forbidden(room: Room, path: Path) -> list[str]:
    """Imports of a file that its room may not have."""
    wrong = []
    for name in imports(path, module_of(path)):
        top = name.split(".")[0]
        if top in OURS:
            allowed = any(f"{name}.".startswith(f"{prefix}.") for prefix in room.ours)
            allowed = allowed or name == "podwright.__version__"
            allowed = allowed or (room.name == "model" and name == "podwright.components.model")
        elif top in STDLIB:
            allowed = not any(f"{name}.".startswith(f"{banned}.") for banned in room.not_stdlib)
        else:
            allowed = room.others is None or top in room.others
        if not allowed:
            wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    return wrong


@pytest.mark.parametrize("room", ROOMS, ids=[room.name for room in ROOMS])
def test_imports_run_one_way(room: Room) -> None:
    wrong = [each for path in files(room) for each in forbidden(room, path)]
    assert wrong == [], f"{room.name} may import {', '.join(room.ours)} and {room.others or 'its libraries'}"


NXOS = "podwright.components.providers.nxos"


def test_what_looks_at_a_switch_never_imports_what_changes_it() -> None:
    """`session` and `pool` serve both; the resource kinds on top of the folder join the two."""
    allowed = (f"{NXOS}.read", f"{NXOS}.session", f"{NXOS}.pool")
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / "components/providers/nxos/read").glob("*.py"))
        for name in imports(path, module_of(path))
        if f"{name}.".startswith(f"{NXOS}.") and not any(f"{name}.".startswith(f"{each}.") for each in allowed)
    ]
    assert wrong == []


def test_device_modules_never_import_the_exporter() -> None:
    """The exporter reads switches through `nxos/read`; nothing that reaches a device knows who looks at it."""
    status = "podwright.components.providers.status"
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / "components/providers").glob("**/*.py"))
        if not path.is_relative_to(ROOT / "components/providers/status")
        for name in imports(path, module_of(path))
        if f"{name}.".startswith(f"{status}.")
    ]
    wrong += [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / "components/providers/status").glob("*.py"))
        for name in imports(path, module_of(path))
        if f"{name}.".startswith(f"{status}.export.")
    ]
    assert wrong == []


def graph(folder: Path) -> nx.DiGraph:
    """Modules below a folder and what they import of it, imports for types only included."""
    modules = {module_of(path): path for path in sorted(folder.rglob("*.py"))}
    found: nx.DiGraph = nx.DiGraph()
    for module, path in modules.items():
        for name in imports(path, module):
            target = name if name in modules else name.rpartition(".")[0]
            if target in modules and target != module:
                found.add_edge(module, target)
    return found


def test_no_two_modules_of_the_labs_switch_import_each_other() -> None:
    """Sessions find commands in `Device.commands`, which the factory fills: nothing below imports what stands above."""
    circles = [sorted(each) for each in nx.strongly_connected_components(graph(ROOT / "lab/nxos")) if len(each) > 1]
    assert circles == []


def inner_imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line number and line of every import inside a function."""
    lines = source(path).text.splitlines()
    numbers = {each.line for each in source(path).inner_imports()}
    yield from ((number, lines[number - 1]) for number in sorted(numbers))


def test_an_import_inside_a_function_gives_its_reason() -> None:
    """What it would cost to load at the top, beside the line; in the lab's switch there is none."""
    wrong = []
    for path in sorted(path for folder in PACKAGE for path in (ROOT / folder).rglob("*.py")):
        for number, line in inner_imports(path):
            _, _, reason = line.partition("# noqa: PLC0415 - ")
            if not reason.strip() or path.is_relative_to(ROOT / "lab/nxos"):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert wrong == []


def test_every_source_file_is_in_a_room() -> None:
    known = {path for room in ROOMS for path in files(room)}
    sources = {path for folder in PACKAGE for path in (ROOT / folder).rglob("*.py")}
    homeless = sorted(str(path.relative_to(ROOT)) for path in sources - known)
    assert [name for name in homeless if name != "components/__init__.py"] == []


def test_yaml_is_read_in_three_places_only() -> None:
    """The spec's models know nothing of files; reading is load's, and for it document's, and based's file by file."""
    for path in (ROOT / "components/model").rglob("*.py"):
        if path.stem not in ("load", "document", "based"):
            assert "yaml" not in [name.split(".")[0] for name in imports(path, module_of(path))], path.name


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        ("podwright.policies.rules.fabric", "from .rule import Rule", "podwright.policies.rules.rule.Rule"),
        ("podwright.lab.nxos.device", "from ...components import model", "podwright.components.model"),
        (
            "podwright.components.model.load",
            "import podwright.components.design.fabric as f",
            "podwright.components.design.fabric",
        ),
        (
            "podwright.components.model.load",
            "def f():\n    from podwright.components import providers",
            "podwright.components.providers",
        ),
    ],
)
def test_the_reader_sees_relative_and_hidden_imports(module: str, source: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(source)
    assert list(imports(path, module)) == [expected]
