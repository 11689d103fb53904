"""`podwright preview` for reviewers: findings at their lines, what waivers let pass, SARIF, exit codes by severity."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from podwright.cli.review.findings import BY_NAME, review
from podwright.policies.rules.waivers import ENDS, Waiver
from tests.cli import sarif
from tests.cli.test_engine import Shell
from tools.generated import ROOT

WATCHDOG, PFC, QUEUES, IDLE = (
    "fabric-pfc-watchdog", "fabric-pfc-on-every-hop", "fabric-queues-set-alike", "waivers-match-a-finding",
)  # fmt: skip
SWITCH = "urn:pulumi:lab::p::podwright:index:AiCluster$podwright:index:Fabric$podwright:nxos:Switch::lab-"
CLUSTER = "urn:pulumi:lab::p::podwright:index:AiCluster::lab"
REST = "reason: armed after the move, owner: network team, until"


def event(name: str, urn: str, message: str, level: str = "mandatory") -> str:
    """A finding as the engine's event log has it: Pulumi's marks of colours around the pack's text."""
    rule = BY_NAME[name]
    text = f"{rule.title}. {rule.why}\n{message}\n  why: {rule.why}\n  fix: {rule.fix}"
    found = {
        "resourceUrn": urn, "message": f"<{{%fg 1%}}>{text}<{{%reset%}}>\n", "color": "raw", "policyName": name,
        "policyPackName": "podwright", "policyPackVersion": "0.1.0", "policyPackVersionTag": "0.1.0",
        "enforcementLevel": level, "severity": rule.severity,
    }  # fmt: skip
    return json.dumps({"policyEvent": found}) + "\n"


def shell(folder: Path, events: str, *waivers: str, status: int = 0) -> Shell:
    made = Shell(folder)
    lines = "".join(f"      - {{{each}}}\n" for each in waivers)
    text = (ROOT / "Pulumi.lab.yaml").read_text()
    text = text.replace("encryptionsalt", f"    waivers:\n{lines}encryptionsalt") if waivers else text
    (made.project / "Pulumi.lab.yaml").write_text(text)
    made.answers["preview"] = {"prints": "Previewing update (lab):\n", "events": events, "status": status}
    return made


def line_of(made: Shell, text: str) -> int:
    lines = (made.project / "Pulumi.lab.yaml").read_text().splitlines()
    (number,) = (at for at, line in enumerate(lines, 1) if text in line)
    return number


def printed(made: Shell, *words: str) -> tuple[int, str]:
    process = made.start("preview", "lab", *words)
    text, _ = process.communicate(timeout=60)
    return process.returncode, text


def test_findings_are_printed_with_the_line_of_their_entry_and_what_waives_them(tmp_path: Path) -> None:
    events = event(WATCHDOG, f"{SWITCH}leaf-01", "no watchdog", "advisory") + event(PFC, f"{SWITCH}leaf-02", "no PFC")
    made = shell(tmp_path, events, f"rule: {WATCHDOG}, resource: lab-leaf-01, {REST}: 2050-12-31", status=255)
    status, text = printed(made)
    one, two = line_of(made, "leaf-01: {model"), line_of(made, "leaf-02: {model")
    at = f"Pulumi.lab.yaml:{line_of(made, 'armed after the move')}"
    assert status == 255
    assert text.splitlines()[1:4] == [
        f"waiver waivers[0] ({at}): {WATCHDOG} on lab-leaf-01 until 2050-12-31: lets pass 1 finding; "
        "armed after the move (owner: network team)",
        f"finding {WATCHDOG} (Pulumi.lab.yaml:{one}: fabric.leaves.leaf-01), high, waived: no watchdog",
        f"finding {PFC} (Pulumi.lab.yaml:{two}: fabric.leaves.leaf-02), critical, stops the preview: no PFC",
    ]


def test_as_json_they_stand_beside_the_approvals(tmp_path: Path) -> None:
    made = shell(
        tmp_path, event(WATCHDOG, f"{SWITCH}leaf-01", "no watchdog"),
        f"rule: {WATCHDOG}, resource: lab-leaf-01, {REST}: 2020-12-31", status=255,
    )  # fmt: skip
    found = json.loads(printed(made, "--json")[1])
    (finding,), (waiver,) = found["findings"], found["waivers"]
    assert (finding["rule"], finding["resource"], finding["waived"]) == (WATCHDOG, "lab-leaf-01", False)
    assert (finding["path"], finding["line"]) == ("fabric.leaves.leaf-01", line_of(made, "leaf-01: {model"))
    assert (waiver["ended"], waiver["passes"], waiver["until"]) == (True, 0, "2020-12-31")


def test_a_preview_without_findings_and_waivers_prints_what_it_always_did(tmp_path: Path) -> None:
    assert printed(shell(tmp_path, "")) == (0, "nothing that runs is interrupted\n\nPreviewing update (lab):\n")


def test_a_waiver_that_cannot_hold_is_refused_before_the_engine_starts(tmp_path: Path) -> None:
    made = shell(tmp_path, "", f"rule: fabric-pfc-watchdg, resource: lab-leaf-01, {REST}: 2050-12-31")
    status, told = made.run("preview", "lab")
    assert status == 1
    assert f"Pulumi.lab.yaml:{line_of(made, 'watchdg')}:16: waivers[0].rule: the policy pack has no rule" in told
    assert made.commands == []


def written(made: Shell) -> Any:
    assert printed(made, "--sarif", "found.sarif")[1].endswith("Previewing update (lab):\n")
    return sarif.check(json.loads((made.project / "found.sarif").read_text()))


def test_sarif_has_each_finding_at_its_entry_and_the_waived_one_suppressed(tmp_path: Path) -> None:
    events = event(WATCHDOG, f"{SWITCH}leaf-01", "no watchdog", "advisory") + event(PFC, f"{SWITCH}leaf-02", "no PFC")
    made = shell(tmp_path, events, f"rule: {WATCHDOG}, resource: lab-leaf-*, {REST}: 2050-12-31", status=255)
    waived, stops = written(made)["results"]
    assert (waived["ruleId"], stops["ruleId"], stops["level"]) == (WATCHDOG, PFC, "error")
    place = stops["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "Pulumi.lab.yaml"
    assert place["region"]["startLine"] == line_of(made, "leaf-02: {model")
    assert waived["suppressions"][0]["justification"] == "armed after the move (owner: network team, until 2050-12-31)"
    assert "suppressions" not in stops
    assert stops["message"]["text"].startswith("lab-leaf-02: no PFC\nFix: ")


@pytest.mark.parametrize("status", [0, 2, 255])
def test_sarif_of_a_plan_that_stopped_says_so(tmp_path: Path, status: int) -> None:
    (invocation,) = written(shell(tmp_path, "", status=status))["invocations"]
    assert invocation["executionSuccessful"] is (status == 0)
    told = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    why = f"the plan stopped (Pulumi's exit code is {status}): what comes behind was not looked at"
    assert told == ([why] if status else [])


def test_what_a_rule_could_not_know_yet_is_open(tmp_path: Path) -> None:
    text = f"can't run policy '{WATCHDOG}' from policy pack 'podwright@v0.0.1' during preview: value at .spec"
    raw = json.loads(event(WATCHDOG, f"{SWITCH}leaf-01", "", "advisory"))
    raw["policyEvent"]["message"] = text
    (result,) = written(shell(tmp_path, json.dumps(raw) + "\n"))["results"]
    assert (result["kind"], result["level"]) == ("open", "none")


def test_a_finding_about_a_waiver_stands_at_the_waiver(tmp_path: Path) -> None:
    says = f"no finding is of {WATCHDOG} on lab-leaf-02: the waiver of network team is for nothing"
    waivers = [f"rule: {WATCHDOG}, resource: lab-leaf-0{n}, {REST}: 2050-12-31" for n in (1, 2)]
    made = shell(tmp_path, event(IDLE, CLUSTER, says, "advisory"), *waivers)
    (result,) = written(made)["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == line_of(made, "resource: lab-leaf-02")


def test_of_waivers_whose_names_are_alike_each_finding_stands_at_its_own(tmp_path: Path) -> None:
    until, day = date(2050, 12, 31), date(2050, 12, 30)
    names = ("lab-leaf-1", "lab-leaf-10", "lab-leaf-1*", "lab-leaf-100")
    rows = [Waiver(WATCHDOG, name, "armed after the move", "network team", until) for name in names]
    made = shell(tmp_path, "", *(f"rule: {each.rule}, resource: '{each.resource}', {REST}: {until}" for each in rows))
    lines = [event(IDLE, CLUSTER, each.idle(), "advisory") for each in rows]
    for at in (day, date(2050, 12, 31)):  # the pack's own day, at midnight the next one
        lines += [event(ENDS.id, CLUSTER, each.ending(at), "advisory") for each in rows]
    found = review(made.project / "Pulumi.lab.yaml", lines, day).findings
    assert [each.loc for each in found] == [("waivers", number) for number in range(4)] * 3


@pytest.mark.parametrize(
    ("rule", "least", "status"),
    [(QUEUES, "high", 0), (QUEUES, "medium", 0), (QUEUES, "low", 1), (WATCHDOG, "high", 1), (WATCHDOG, None, 0)],
)
def test_it_fails_by_severity_although_a_finding_only_advises(
    tmp_path: Path, rule: str, least: str | None, status: int
) -> None:
    made = shell(tmp_path, event(rule, f"{SWITCH}leaf-01", "differs", "advisory"))
    assert printed(made, *(["--fail-on", least] if least else []))[0] == status


def test_a_waived_finding_fails_nothing_and_pulumi_s_own_code_stays(tmp_path: Path) -> None:
    waiver = f"rule: {WATCHDOG}, resource: lab-leaf-01, {REST}: 2050-12-31"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    made = shell(tmp_path / "a", event(WATCHDOG, f"{SWITCH}leaf-01", "none", "advisory"), waiver)
    assert printed(made, "--fail-on", "low")[0] == 0
    stopped = shell(tmp_path / "b", event(PFC, f"{SWITCH}leaf-01", "none"), status=255)
    assert printed(stopped, "--fail-on", "low")[0] == 255


def test_a_log_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    made = shell(tmp_path, "")
    status, told = made.run("preview", "lab", "--sarif", "no/such/folder.sarif")
    assert status == 127
    assert "no/such/folder.sarif cannot be written: No such file or directory" in told


def test_another_pack_s_findings_and_a_torn_log_are_passed_over(tmp_path: Path) -> None:
    other = json.loads(event(WATCHDOG, f"{SWITCH}leaf-01", "x"))
    other["policyEvent"]["policyPackName"] = "another"
    twice = event(PFC, f"{SWITCH}leaf-01", "no PFC")
    found = review(tmp_path / "Pulumi.none.yaml", [json.dumps(other), twice, twice, twice[:-20]], date(2050, 1, 1))
    assert [(each.rule.id, each.message) for each in found.findings] == [(PFC, "no PFC")]
