"""A certificate in a stack file: its key stays out of it, and out of every error."""

import json
from pathlib import Path

import pytest

from podwright.components import model
from tests.certificates import made
from tools.generated import ROOT

ROLES = (ROOT / "tests/examples/roles/Pulumi.roles.yaml").read_text()


@pytest.mark.parametrize("key", ["certificate", "key"])
def test_a_private_key_that_stands_in_a_file_is_refused_and_not_repeated(key: str, tmp_path: Path) -> None:
    pem, private = made("cp-3.example.com")
    said = {"certificate": pem, "key": "imc-cp-3"} | {key: private}
    above, _, below = ROLES.partition("        certificate:\n")
    rest = below[below.index("      gpu-[1-2]") :]
    path = tmp_path / "Pulumi.roles.yaml"
    for line in (f"        certificate: {json.dumps(said)}\n", *_blocks(said)):
        path.write_text(above + line + rest)
        with pytest.raises(model.SpecErrors) as refused:
            model.load(path)
        shown = refused.value.render()
        assert "this private key is not" in shown
        assert not [each for each in private.splitlines()[1:-1] if each[:20] in shown]


def _blocks(said: dict[str, str]) -> list[str]:
    """The same as YAML blocks."""
    lines = ["        certificate:\n"]
    for key, text in said.items():
        lines += [f"          {key}: |\n", *(f"            {line}\n" for line in text.splitlines())]
    return ["".join(lines)]
