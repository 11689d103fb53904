"""What SARIF 2.1.0 (section 3) requires of the properties that logs of this project use, as its schema has it."""

from typing import Any

_LEVELS = {"none", "note", "warning", "error"}


def check(log: Any) -> Any:
    """The one run of a log; fails where a code host would refuse it."""
    assert set(log) <= {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (ran,) = log["runs"]
    driver = ran["tool"]["driver"]
    assert driver["name"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule.get("helpUri", "https://").startswith("https://")
        assert rule["defaultConfiguration"]["level"] in _LEVELS
    for invocation in ran["invocations"]:
        assert isinstance(invocation["executionSuccessful"], bool)
        assert all(each["message"]["text"] for each in invocation["toolExecutionNotifications"])
    assert ran["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    for result in ran["results"]:
        _result(result, ids)
    return ran


def _result(result: Any, ids: list[str]) -> None:
    assert ids[result["ruleIndex"]] == result["ruleId"]
    assert result["level"] in _LEVELS
    assert result.get("kind", "fail") in {"fail", "open"}
    assert result["level"] == "none" or result.get("kind", "fail") == "fail", "3.27.10: only a failure has a level"
    assert result["message"]["text"]
    assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
    for each in result.get("suppressions", ()):
        assert each["kind"] in {"inSource", "external"}
        assert each["status"] in {"accepted", "underReview", "rejected"}
        assert each["justification"]
    for place in (*result["locations"], *result["relatedLocations"]):
        physical = place["physicalLocation"]
        assert " " not in physical["artifactLocation"]["uri"]
        region = physical["region"]
        assert region["startLine"] >= 1
        assert 1 <= region.get("startColumn", 1) < region.get("endColumn", 2)
