"""Files that are not even YAML, YAML's traps, and the shape of an error."""

from datetime import date
from pathlib import Path

import pytest
import yaml

from podwright.components import model
from podwright.components.model import describe, document
from podwright.components.model.documentation import sentence
from podwright.components.model.problems import Loc, Problem, dotted
from tools.generated import ROOT

LAB = (ROOT / "Pulumi.lab.yaml").read_text()
LINKS = LAB[: LAB.index("links_per_pair")].count("\n") + 1
"""Line of a number of the lab's stack."""


def problems(text: str | bytes, folder: Path) -> tuple[Problem, ...]:
    path = folder / "Pulumi.wrong.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(model.SpecErrors) as caught:
        model.load(path)
    assert "Traceback" not in str(caught.value)
    return caught.value.problems


def changed(old: str, new: str) -> str:
    assert LAB.count(old) >= 1
    return LAB.replace(old, new, 1)


@pytest.mark.parametrize("stack", ["lab", "prod"])
def test_the_stacks_of_this_project_load(stack: str) -> None:
    assert model.load(ROOT / f"Pulumi.{stack}.yaml").name == stack


UGLY: dict[str, tuple[str | bytes, int | None, str]] = {
    "an empty file": ("", None, "is empty"),
    "only a comment": ("# nothing\n", None, "is empty"),
    "a list": ("- a\n", 1, "is not a mapping"),
    "a scalar": ("hello\n", 1, "is not a mapping"),
    "no config": ("encryptionsalt: x\n", 1, "is missing"),
    "config without the key": ("config:\n  other:key: 1\n", 2, "is missing"),
    "config is a list": ("config: [1]\n", 1, "is not a mapping"),
    "the cluster is text": ("config:\n  podwright:cluster: hello\n", 2, "is not a mapping"),
    "the cluster is null": ("config:\n  podwright:cluster:\n", 2, "is not a mapping"),
    "the key twice": ("config:\n  podwright:cluster: {}\n  podwright:cluster: {}\n", 3, "stands twice"),
    "a tab": ("config:\n\tpodwright:cluster: {}\n", 2, "is not valid YAML: found character '\\t'"),
    "two documents": (LAB + "---\na: 1\n", None, "is not valid YAML"),
    "an open quote": (changed('release: "10.4(5)"', 'release: "10.4(5)'), None, "is not valid YAML"),
    "an open bracket": (changed("ntp: [192.0.2.1]", "ntp: [192.0.2.1"), None, "is not valid YAML"),
    "not UTF-8": (LAB.encode().replace(b"name: lab", b"name: l\xe4b"), 3, "is not UTF-8"),
    "UTF-16": (LAB.encode("utf-16"), 1, "is not UTF-8"),
    "a control character": (changed("name: lab", "name: l\x07ab"), 3, "control character"),
    "an undefined alias": (changed("name: lab", "name: *nothing"), 3, "is not valid YAML"),
    "a foreign tag": (changed("name: lab", "name: !ruby/object lab"), 3, "the tag"),
    "a binary tag": (changed("name: lab", "name: !!binary aGVsbG8="), 3, "the tag"),
    "a python tag": (changed("name: lab", "name: !!python/object/apply:os.system [ls]"), 3, "the tag"),
    "a merge key": (changed("    site:\n", "    site:\n      <<: {a: 1}\n"), 5, "merge keys"),
    "a key that is a list": (changed("    site:\n", "    site:\n      ? [a]\n      : 1\n"), 5, "a key that is a list"),
    "a huge number": (changed("links_per_pair: 20", "links_per_pair: " + "9" * 5000), LINKS, "cannot be read"),
    "a number in base 60": (changed("links_per_pair: 20", "links_per_pair: 1:30:00"), LINKS, "out of range"),
    "half a character": (changed("name: lab", 'name: "\\ud800"'), 3, "half a Unicode character"),
    "an alias in itself": (changed("    site:\n", "    site: &a\n      extra: *a\n"), 4, "contains itself"),
    "nesting without end": ("config:\n  podwright:cluster: " + "[" * 5000, None, "nested too deeply"),
    "a bomb of aliases": (
        "config:\n  podwright:cluster:\n    a: &a [1,1,1,1,1,1,1,1,1,1]\n"
        + "".join(
            f"    {two}: &{two} [{', '.join(['*' + one] * 10)}]\n"
            for one, two in zip("abcdefg", "bcdefgh", strict=True)
        ),
        None,
        "more than",
    ),
}


@pytest.mark.parametrize("name", UGLY)
def test_ugly_files_end_in_a_sentence(name: str, tmp_path: Path) -> None:
    text, line, message = UGLY[name]
    found = problems(text, tmp_path)
    right = [each for each in found if message in each.message]
    assert right, [each.message for each in found]
    if line is not None:
        assert right[0].position is not None
        assert right[0].position.line == line


def test_a_file_that_is_not_there_or_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.yaml", tmp_path):
        with pytest.raises(model.SpecErrors, match="cannot be read"):
            model.load(path)


TRAPS = {
    "a bare on": ("    fabric:\n", "    fabric:\n      lossless: {pfc: on}\n", 'quote it: "on"'),
    "a bare off": ("    fabric:\n", "    fabric:\n      lossless: {watchdog: off}\n", 'quote it: "off"'),
    "true for on": (
        "    fabric:\n",
        "    fabric:\n      lossless: {pfc: true}\n",
        'one of "on", "off", with the quotes',
    ),
    "a bare release set": ('"2026.11"', "2026.11", 'quote it: "2026.11"'),
    "a MAC in base 60": ('"02:00:00:00:01:01"', "12:00:00:00:01:01", 'quote it: "12:00:00:00:01:01"'),
    "a number in quotes": ("links_per_pair: 20", 'links_per_pair: "20"', "without quotes"),
    "a number of a choice in quotes": (
        "links_per_pair: 20",
        'links_per_pair: 20\n      host_gbps: "200"',
        "write 200, without",
    ),
    "a mistyped key": ("links_per_pair:", "links_per_pairs:", "did you mean `links_per_pair`?"),
    "a mistyped choice": ("purpose: training", "purpose: trainig", "did you mean `training`?"),
    "a mistyped rack": ("rack: r2}", "rack: r22}", "did you mean `r2`?"),
}


@pytest.mark.parametrize("name", TRAPS)
def test_traps_of_yaml_and_typing_get_their_own_hint(name: str, tmp_path: Path) -> None:
    old, new, hint = TRAPS[name]
    found = problems(changed(old, new), tmp_path)
    assert any(hint in each.hint for each in found), [each.hint for each in found]


def test_a_number_that_is_no_choice_is_not_to_be_quoted(tmp_path: Path) -> None:
    (found,) = problems(changed("links_per_pair: 20", "links_per_pair: 20\n      host_gbps: 300"), tmp_path)
    assert found.hint == "write one of 100, 200, or null"


def test_every_problem_is_reported_at_once_in_file_order(tmp_path: Path) -> None:
    text = (
        changed("links_per_pair: 20", "links_per_pair: 99").replace("asn: 64602", "asn: -1").replace("team: chat,", "")
    )
    found = problems(text, tmp_path)
    assert [each.loc[-1] for each in found] == ["links_per_pair", "asn", "team"]
    lines = [each.position.line for each in found if each.position]
    assert lines == sorted(lines)


def test_the_rendering_of_one_problem(tmp_path: Path) -> None:
    path = tmp_path / "Pulumi.wrong.yaml"
    path.write_text(changed("links_per_pair: 20", "links_per_pair: 99"))
    with pytest.raises(model.SpecErrors) as caught:
        model.load(path)
    assert str(caught.value) == (
        f"{path}:{LINKS}:23: fabric.links_per_pair: 99 is out of range\n"
        "          links_per_pair: 99\n"
        "                          ^^\n"
        "  hint: write a whole number from 1 to 32. Links between each leaf and each spine.\n"
        f"1 problem in {path}"
    )


def test_a_mapping_loads_too_and_its_problems_carry_the_path_alone() -> None:
    with pytest.raises(model.SpecErrors) as caught:
        model.load({"name": "lab", "nmae": "x"})
    text = str(caught.value)
    assert "podwright:cluster: nmae: unknown key" in text
    assert "podwright:cluster: fabric: is missing" in text


def test_a_mapping_may_hold_the_dates_that_yaml_makes_of_text() -> None:
    path = ROOT / "tests/examples/roles/Pulumi.roles.yaml"
    given = yaml.safe_load(path.read_text())["config"]["podwright:cluster"]
    assert any(isinstance(each, date) for each in given["bmc"]["firmware"]["approved"]["UCSC-885A-M8"][0].values())
    assert model.load(given) == model.load(path)
    with pytest.raises(TypeError, match="a stack file holds no complex"):
        model.load({**given, "name": 1j})


def test_the_stack_file_of_a_stack() -> None:
    assert model.stack_file(Path("/p"), "prod") == Path("/p/Pulumi.prod.yaml")
    assert model.stack_file(Path("/p"), "org/podwright/prod") == Path("/p/Pulumi.prod.yaml")


def test_every_field_says_what_it_takes_and_what_it_is_for() -> None:
    """Hints and the reference are made of these two: a field without them would leave both empty."""
    waiting: list[tuple[Loc, type[model.Cluster]]] = [((), model.Cluster)]
    seen = set()
    while waiting:
        loc, section = waiting.pop()
        if section in seen:
            continue
        seen.add(section)
        for name, annotation in describe.hints(section).items():
            assert sentence(section, name).endswith("."), (*loc, name)
            assert "a value" not in describe.words(annotation), (*loc, name)
            for each in _models(annotation):
                waiting.append(((*loc, name), each))


def _models(annotation: object) -> list[type]:
    shape = describe.shape(annotation)
    if shape.variants:
        return list(shape.variants)
    if describe.is_model(shape):
        return [shape.kind]
    return [found for each in shape.arguments if not isinstance(each, str) for found in _models(each)]


@pytest.mark.parametrize(
    ("said", "loc", "message", "hint"),
    [
        ("{asn: 1}", "fabric.underlay.kind", "is missing", "write one of ebgp, ebgp-unnumbered, ospf"),
        ("{kind: ospff}", "fabric.underlay.kind", "is not a choice", "did you mean `ospf`?"),
        ("{kind: 7}", "fabric.underlay.kind", "is not a choice", "write one of"),
        ("{kind: ospf, maximum_path: 3}", "fabric.underlay.maximum_path", "unknown key", "`maximum_paths`"),
        ("{kind: ospf, maximum_paths: 65}", "fabric.underlay.maximum_paths", "out of range", "from 2 to 64"),
        ("{kind: ospf, process: on}", "fabric.underlay.process", "does not belong", 'quote it: "on"'),
        ("{kind: ebgp-unnumbered, ing_sup: 700}", "fabric.underlay.ing_sup", "is not a choice", "in steps of 256"),
        ("[1]", "fabric.underlay", "is a list", "a mapping with kind"),
    ],
)
def test_a_choice_by_kind_is_explained_in_the_chosen_words(
    said: str, loc: str, message: str, hint: str, tmp_path: Path
) -> None:
    text = changed("      links_per_pair: 20\n", f"      links_per_pair: 20\n      underlay: {said}\n")
    found = [each for each in problems(text, tmp_path) if dotted(each.loc) == loc]
    assert found
    assert message in found[0].message
    assert hint in found[0].hint
    assert found[0].position is not None
    assert found[0].position.line == LINKS + 1


@pytest.mark.parametrize("name", ["Pulumi.lab.yaml", "Pulumi.prod.yaml", "tests/model/prod_compact.yaml"])
def test_both_parsers_make_one_document(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, places and what stood unquoted are those of PyYAML's own parser."""
    quick = _whole_document(ROOT / name)
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert _whole_document(ROOT / name) == quick


def _whole_document(path: Path) -> document.Document:
    source, root = document.read(path)
    made = document.Document(source)
    assert root is not None
    made.value = document.Builder(made).build(root, ())
    return made
