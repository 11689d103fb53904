"""Where servers of pipelines, MLflow and registries are made, as the page about data scientists' tools has it."""

import re

import pytest

from podwright.components.design.platform.names import APPLICATIONS
from tools.generated import ROOT

_PAGE = (ROOT / "docs/how-to/give-data-scientists-tools.md").read_text("utf-8")
_ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in _PAGE.partition("## Databases and object stores")[2].partition("\n## ")[0].splitlines()
    if re.match(r"\| (?!what|-)", line)
]


@pytest.mark.parametrize(
    ("what", "maker", "namespace"),
    [
        ("a server of pipelines", "the team", "its project"),
        ("MLflow", "an administrator", f"`{APPLICATIONS}`"),
        ("a model registry", "an administrator", "`rhoai-model-registries`"),
    ],
)
def test_who_makes_each_and_where(what: str, maker: str, namespace: str) -> None:
    ((_, made, beside),) = (row for row in _ROWS if row[0] == what)
    assert maker in made and namespace in made
    assert beside.startswith(f"in {namespace.replace('its', 'the')}"), "what it connects to stands where it may"
