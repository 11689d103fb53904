"""What the lab reads by libyaml is what PyYAML's own parser reads, and so is what it says of a broken file."""

from pathlib import Path

import pytest
import yaml

from podwright.lab.reading import read

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for path in (ROOT / "lab").rglob("*.yaml") if path.name != "stages.yaml")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_both_parsers_read_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert read(text) == yaml.safe_load(text)


@pytest.mark.parametrize("text", ["a: [1", "a: b: c", "a:\n\t- b", "- *nobody", "a: \x01"])
def test_a_broken_file_is_told_of_in_the_same_words(text: str) -> None:
    with pytest.raises(yaml.YAMLError) as refused:
        yaml.safe_load(text)
    with pytest.raises(type(refused.value)) as ours:
        read(text)
    assert str(ours.value) == str(refused.value)
