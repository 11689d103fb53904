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


@pytest.mark.parametrize(
    ("written", "finding"),
    [
        ("secrets: {HF_TOKEN: quiet-words}", "secrets.HF_TOKEN: this value is text, which does not belong here"),
        ("secrets: {HF_TOKEN: {secret: Quiet-words}}", "HF_TOKEN.secret: this value is not the name of a Secret"),
        ("secrets: {HF_TOKEN: {secret: hub, key: quiet words}}", "HF_TOKEN.key: this value is not a key of a Secret"),
        ("secrets: {HF_TOKEN: {value: quiet-words}}", "secrets.HF_TOKEN.value: unknown key"),
        ("secrets: [quiet-words]", "assistant.secrets: this value is a list, which does not belong here"),
        ("secrets: {HF-TOKEN: {secret: hub}}", '"HF-TOKEN" cannot be a key here'),
        ('secrets: {"": {secret: hub}}', '"" cannot be a key here'),
        ('secrets: {HF_TOKEN: {secret: ""}}', "HF_TOKEN.secret: this value is not the name of a Secret"),
        ("secrets: {HF_TOKEN: {secret: hub, key: .dockerconfigjson}}", "this value is not a key of a Secret"),
        ("secrets: {HF_TOKEN: {secret: ..}}", "this value is not the name of a Secret"),
        (f"env: {{HF_TOKEN: hf_{'qUieT' * 6}}}", "assistant.env: unknown key"),
        ("secrets: {WANDB_API_KEY: {secret: 01234567abcdef890123456789abcdef01234567}}", "this looks like a key"),
    ],
)
def test_what_stands_in_place_of_a_secret_s_name_is_in_no_error(tmp_path: Path, written: str, finding: str) -> None:
    file = tmp_path / "Pulumi.platform.yaml"
    file.write_text(EXAMPLE.read_text().replace(NIM, f"{written}, {NIM}"))
    with pytest.raises(SpecErrors) as caught:
        load(file)
    assert finding in caught.value.render()
    for value in ("uiet", "01234567abcdef"):
        assert value not in caught.value.render()
