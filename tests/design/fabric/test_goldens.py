"""What each example's switches receive. A change here is a change on somebody's switch: read it, then renew."""

import pytest

from tools import generated, goldens

RENEW = "python -m tools.goldens"


@pytest.mark.parametrize("example", goldens.examples())
def test_switches_receive_what_the_golden_says(example: str) -> None:
    changed = "\n".join(
        filter(None, (generated.changes(path, text) for path, text in goldens.expected(example).items()))
    )
    if changed:
        pytest.fail(f"{changed}\n\n{example} changed; if that is meant: {RENEW}", pytrace=False)


def test_no_golden_is_left_over() -> None:
    for example in goldens.examples():
        stale = generated.stale(goldens.expected(example), goldens.EXAMPLES / example / "expected")
        assert stale == [], f"renew with: {RENEW}; delete what no switch is behind"
