"""A key for NVIDIA's catalogue that somebody writes into a stack file is refused, and nothing of it is repeated."""

from pathlib import Path

import pytest

from podwright.components.model import SpecErrors, load
from podwright.components.model.explain import is_private
from tools.generated import ROOT

EXAMPLE = ROOT / "tests/examples/platform/Pulumi.platform.yaml"
KEY = "nvapi-AbC1defGHI2jkl-MNO3pqr_STU4"
NIM = "nim: {cache: nim-cache,"


@pytest.mark.parametrize(
    ("written", "finding"),
    [
        (f"nim: {{ngc_secret: {KEY}, cache: nim-cache,", "nim.ngc_secret: this API key is not a name"),
        (f"nim: {{ngc_api_key: {KEY}, cache: nim-cache,", "nim.ngc_api_key: unknown key"),
        (f"env: {{NGC_API_KEY: {KEY}}}, {NIM}", "assistant.env: "),
        (f"home_gib: many, nim: {{ngc_secret: {KEY}, cache: nim-cache,", "home_gib: "),
    ],
)
def test_it_is_in_no_error(tmp_path: Path, written: str, finding: str) -> None:
    text = EXAMPLE.read_text()
    assert NIM in text
    file = tmp_path / "Pulumi.platform.yaml"
    file.write_text(text.replace(NIM, written))
    with pytest.raises(SpecErrors) as caught:
        load(file)
    assert finding in caught.value.render()
    assert KEY[6:] not in caught.value.render()


def test_a_secret_may_have_a_name_that_begins_like_a_key() -> None:
    assert not is_private("nvapi-for-the-chat-team")
