"""What each example's switches receive. A change here is a change on somebody's switch: read it, then renew."""

import difflib

import pytest

from tools import generated, goldens

RENEW = "python -m tools.goldens"


@pytest.mark.parametrize("example", goldens.examples())
def test_switches_receive_what_the_golden_says(example: str) -> None:
    for path, text in goldens.expected(example).items():
        assert path.is_file(), f"{path.name} of {example} has no golden; write it: {RENEW}"
        changes = difflib.unified_diff(path.read_text("utf-8").splitlines(), text.splitlines(), lineterm="", n=2)
        assert "\n".join(changes) == "", f"{path.name} of {example} changed; if that is meant: {RENEW}"


def test_no_golden_is_left_over() -> None:
    for example in goldens.examples():
        stale = generated.stale(goldens.expected(example), goldens.EXAMPLES / example / "expected")
        assert stale == [], f"renew with: {RENEW}; delete what no switch is behind"
