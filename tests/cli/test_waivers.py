"""`podwright check` on waivers: what can hold is summed up with its end, what cannot is refused in its place."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from podwright.cli.review import waivers
from podwright.components import model
from tests.cli.command import inside
from tools.generated import ROOT

WATCHDOG = "fabric-pfc-watchdog"


def stack(folder: Path, *written: str) -> Path:
    """The lab's file with waivers of these keys."""
    path = folder / "Pulumi.lab.yaml"
    rest = "reason: armed after the move, owner: network team, until: 2050-12-31"
    lines = "".join(f"      - {{{each}{'' if 'until' in each else ', ' + rest}}}\n" for each in written)
    path.write_text(
        (ROOT / "Pulumi.lab.yaml").read_text().replace("encryptionsalt", f"    waivers:\n{lines}encryptionsalt")
    )
    return path


def test_the_summary_shows_each_with_reason_owner_and_end(tmp_path: Path) -> None:
    answer = inside("check", stack(tmp_path, f"rule: {WATCHDOG}, resource: lab-leaf-*"))
    words = " ".join(answer.stdout.split())
    assert answer.returncode == 0
    assert f"waivers {WATCHDOG} on lab-leaf-* until 2050-12-31: armed after the move (owner: network team)" in words


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (15, "until 2050-06-16: why"),
        (14, "until 2050-06-15, which is within two weeks: why"),
        (0, "until 2050-06-01, which is within two weeks: why"),
        (-1, "ended on 2050-05-31 and holds no longer: why"),
    ],
)
def test_the_summary_says_which_end(days: int, said: str) -> None:
    day = date(2050, 6, 1)
    until = str(day + timedelta(days=days))
    one = {"rule": WATCHDOG, "resource": "lab-leaf-01", "reason": "why", "owner": "us", "until": until}
    cluster = model.load(ROOT / "Pulumi.lab.yaml")
    waived = cluster.model_copy(update={"waivers": (model.Waiver.model_validate(one),)})
    assert list(waivers.rows(waived, day)) == [("waivers", f"{WATCHDOG} on lab-leaf-01 {said} (owner: us)")]


@pytest.mark.parametrize(
    ("rule", "message", "hint"),
    [
        ("fabric-pfc-watchdg", "the policy pack has no rule fabric-pfc-watchdg", f"did you mean `{WATCHDOG}`?"),
        ("no-such", "the policy pack has no rule no-such", "docs/reference/policies.md lists every rule"),
        ("waivers-match-a-finding", "the policy pack has no rule waivers-match-a-finding", "hint: "),
        ("fabric-pfc-on-every-hop", "is a critical rule, and no waiver holds for one", "fabric.lossless.pfc"),
        ("fabric-*", '"fabric-*" is not the name of one rule', "hint: write the name of one rule"),
    ],
)
def test_a_rule_that_cannot_be_waived_is_refused_in_its_place(
    tmp_path: Path, rule: str, message: str, hint: str
) -> None:
    path = stack(tmp_path, f"rule: {WATCHDOG}, resource: lab-leaf-01", f"rule: {rule}, resource: lab-leaf-02")
    answer = inside("check", path)
    line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if "lab-leaf-02" in text)
    assert answer.returncode == 1
    assert f"Pulumi.lab.yaml:{line}:16: waivers[1].rule: " in answer.stderr
    assert message in answer.stderr
    assert hint in answer.stderr
    assert f"{' ' * 15}{'^' * len(rule)}" in answer.stderr


def test_nothing_about_waivers_is_secret_or_unbounded(tmp_path: Path) -> None:
    """Every key is needed, each is one line, and no other key is taken."""
    path = stack(tmp_path, f"rule: {WATCHDOG}, resource: lab-leaf-01, reason: x, owner: '', until: soon, note: y")
    answer = inside("check", path)
    for sentence in ("note: unknown key", 'reason: "x" is not one line', 'owner: "" is not', "is not a date such as"):
        assert sentence in answer.stderr
