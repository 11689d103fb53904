"""Every alert fires over series of a fault, with its text rendered, and stays silent over those beside it: evaluated by
Prometheus's own engine. And none is on a metric that nobody exports, or of a form that is refused."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.platform import alerts as planned
from podwright.components.model import Alerts, Cluster, load
from podwright.components.model.catalogue.alerts import alerts, exported, refused
from podwright.toolchain import view
from tests.design.whole import operators, platform
from tools.generated import ROOT

_TEXT = Path(__file__).with_name("alert_cases.yaml").read_text("utf-8")
CASES: dict[str, dict[str, Any]] = yaml.load(_TEXT, Loader=yaml.BaseLoader)
SECTION = Alerts(hot_celsius={"NVIDIA-H200": 85}, runbooks="https://wiki.example.com/alerts/")


def _stack(name: str = "platform", section: Alerts | None = SECTION) -> Cluster:
    file = ROOT / f"tests/examples/{name}/Pulumi.{name}.yaml" if name != "lab" else ROOT / "Pulumi.lab.yaml"
    found = load(file)
    assert found.openshift
    return found.model_copy(update={"openshift": found.openshift.model_copy(update={"alerts": section})})


def _rules(stack: Cluster) -> list[dict[str, Any]]:
    made = [each for each in platform(stack).manifests if each["kind"] == "AlertingRule"]
    return [rule for each in made for group in each["spec"]["groups"] for rule in group["rules"]]


def _asked(**request: Any) -> Any:
    program = view.current(os.environ).bin / "promql"
    assert program.exists(), "run python3 -m toolchain setup alerts"
    answer = subprocess.run([program], input=json.dumps(request), capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def _rule(name: str, case: dict[str, Any]) -> dict[str, Any]:
    """The planned rule; of an alert with several, the one with the labels that the case names."""
    wanted = case.get("of", {}).items()
    (found,) = [each for each in _rules(_stack()) if each["alert"] == name and wanted <= each["labels"].items()]
    return {**found, "for": found.get("for", "")}


def _series(case: dict[str, Any], change: dict[str, Any]) -> dict[str, str]:
    if "instead" in change:
        return dict(change["instead"])
    kept = {key: value for key, value in case["series"].items() if key not in change.get("without", ())}
    assert len(kept) + len(change.get("without", ())) == len(case["series"]), "`without` names series of the case"
    return {**kept, **change.get("in_place", {})}


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() -> None:
    assert CASES.keys() == alerts().keys()
    assert [name for name, case in CASES.items() if not case["silent"]] == []
    assert {each["alert"] for each in _rules(_stack())} == alerts().keys(), "the example has what each is about"


@pytest.mark.parametrize("name", CASES)
def test_an_alert_fires_and_says_what_is_wrong(name: str) -> None:
    case = CASES[name]
    rule = _rule(name, case)
    more = [_series(case, change) for change in case.get("also", {}).values()]
    asked = [{"rule": rule, "series": each, "at": case["at"]} for each in (case["series"], *more)]
    for found in _asked(cases=asked)["cases"]:
        assert found["error"] == "" and len(found["firing"]) == 1, found
        (alert,) = found["firing"]
        assert alert["annotations"]["summary"] == case["summary"]
        assert case["labels"].items() <= alert["labels"].items(), alert["labels"]
        assert alert["annotations"]["runbook_url"] == f"https://wiki.example.com/alerts/{name}"
        assert "<no value>" not in str(alert) and "@" not in str(alert), "every word is filled in"
        assert all(alert["annotations"].values()) and all(alert["labels"][key] for key in ("severity", "owner"))


@pytest.mark.parametrize(("name", "why"), [(name, why) for name, case in CASES.items() for why in case["silent"]])
def test_an_alert_stays_silent_beside_its_fault(name: str, why: str) -> None:
    case, change = CASES[name], CASES[name]["silent"][why]
    row = {"rule": _rule(name, case), "series": _series(case, change), "at": change.get("at", case["at"])}
    (found,) = _asked(cases=[row])["cases"]
    assert found == {"error": "", "firing": []}


def test_an_alert_that_must_hold_does_not_fire_before() -> None:
    pending = {name: case for name, case in CASES.items() if alerts()[name].pending}
    rows = [{"rule": _rule(name, case), "series": case["series"], "at": "1m"} for name, case in pending.items()]
    assert all(each == {"error": "", "firing": []} for each in _asked(cases=rows)["cases"])


def test_every_metric_is_exported_and_no_gauge_of_xids_is_counted() -> None:
    expressions = [each["expr"] for each in _rules(_stack())]
    known = exported()
    for expression, read in zip(expressions, _asked(expressions=expressions)["expressions"], strict=True):
        assert read["error"] == "", f"{expression}: {read['error']}"
        for selector in read["selectors"]:
            assert selector["metric"] in known, f"{expression}: nobody exports {selector['metric']}"
            assert selector["metric"] != "DCGM_FI_DEV_XID_ERRORS" or selector["functions"] == [], expression
            assert not (selector["metric"].startswith("DCGM") and {"namespace", "pod"} & {*selector["labels"]}), (
                "of the user's pod they are exported_namespace and exported_pod"
            )


@pytest.mark.parametrize("each", refused(), ids=lambda each: each.what)
def test_no_alert_has_a_form_that_is_refused(each: Any) -> None:
    assert re.search(each.pattern, each.written), "the pattern finds what it is about"
    assert [name for name, alert in alerts().items() if re.search(each.pattern, alert.expr)] == []


def test_what_a_cluster_does_not_have_is_not_planned() -> None:
    stack = _stack(section=Alerts())
    assert "GpuHot" not in {each["alert"] for each in _rules(stack)}, "no limit is known"
    assert stack.openshift
    given = (stack.pools, stack.nodes)
    bare = stack.openshift.model_copy(update={"teams": {}, "queues": None})
    (made,) = planned.plan(bare, *given, ["nvidia-gpu-operator"])
    left = {each["alert"] for group in made["spec"]["groups"] for each in group["rules"]}
    assert all(alerts()[name].needs <= {"gpus", "training"} for name in left)
    assert "QueueNotActive" not in left and "DcgmAbsent" in left
    (made,) = planned.plan(stack.openshift, *given, ["openshift-nfd"])
    assert {group["name"] for group in made["spec"]["groups"]} == {"podwright-workloads", "podwright-queues"}
    assert planned.plan(bare, {}, {}, []) == ()
    assert planned.plan(bare.model_copy(update={"alerts": None}), *given, None) == ()


@pytest.mark.parametrize(
    ("example", "offers"),
    [
        ("lab", {"training": {"nvidia.com/gpu": 40}, "inference": {"nvidia.com/mig-1g.18gb": 56}}),
        (
            "sharing",
            {
                "notebooks": {"nvidia.com/gpu.shared": 8 * 4},
                "small-models": {"nvidia.com/gpu.shared": 8 * 6},
                "slices": {"nvidia.com/mig-1g.18gb.shared": 8 * 7 * 2},
                "mixed": {
                    "nvidia.com/gpu": 2,
                    "nvidia.com/mig-1g.18gb": 4 * 2 + 2 * 7,
                    "nvidia.com/mig-2g.35gb": 4,
                    "nvidia.com/mig-3g.71gb": 4,
                },
            },
        ),
    ],
    ids=["lab", "sharing"],
)
def test_pools_offer_what_their_layouts_and_shares_make_of_gpus(
    example: str, offers: dict[str, dict[str, int]]
) -> None:
    found: dict[str, dict[str, int]] = {}
    for each in _rules(_stack(example)):
        if each["alert"] == "GpusMissing":
            amounts = found.setdefault(each["labels"]["pool"], {})
            amounts[each["labels"]["resource"]] = int(each["expr"].rsplit("< ", 1)[1])
    assert found == offers


def test_a_site_says_which_are_off_how_urgent_they_are_and_whose() -> None:
    section = Alerts(owner="sre", off=("GpuPcieReplays",), severity={"GpuFellOffBus": "warning"})
    rules = {each["alert"]: each for each in _rules(_stack(section=section))}
    assert "GpuPcieReplays" not in rules
    assert rules["GpuFellOffBus"]["labels"] == {"severity": "warning", "owner": "sre"}
    assert "runbook_url" not in rules["GpuFellOffBus"]["annotations"]
    assert rules["GangInPart"]["labels"]["owner"] == "team"


def test_metrics_of_operators_reach_the_prometheus_that_evaluates() -> None:
    spaces = {each.namespace["metadata"]["name"]: each.namespace["metadata"]["labels"] for each in operators(_stack())}
    for name in (planned.GPU_OPERATOR, "openshift-kueue-operator"):
        assert spaces[name]["openshift.io/cluster-monitoring"] == "true"
