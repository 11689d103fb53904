"""A reason is what was reported last, and after the last change of what it is about."""

from typing import Any

import pytest

from tests.providers.status.test_diagnosis import Objects, _meta, _without_pods, diagnose

QUOTA = 'pods "pretrain-0-abcde" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=8'
"""What a controller complains of; the last row is told where nothing is newer than the last change."""
NOT_YET = "their controller has not made them yet"


def _reason(objects: Objects, *events: dict[str, Any]) -> str:
    """Why the job's pod is not there, after these events about it."""
    rows = [
        {
            "metadata": _meta(f"e{number}", "research"),
            "involvedObject": {"uid": "uid-pretrain"},
            "type": "Warning",
            **each,
        }
        for number, each in enumerate(events)
    ]
    (verdict,) = diagnose({**objects, "Event": rows})
    return verdict.reason.removeprefix("1 of 1 pods do not exist: ")


@pytest.mark.parametrize(
    "later",
    [
        {"lastTimestamp": "2026-01-01T00:00:00Z", "series": {"lastObservedTime": "2026-01-02T00:00:00.000001Z"}},
        {"eventTime": "2026-01-01T10:00:00.5Z"},
        {"eventTime": "2026-01-01T12:00:00+01:00"},
    ],
)
def test_events_are_ordered_by_the_moment_they_were_last_seen_however_it_is_written(later: dict[str, Any]) -> None:
    first = {"lastTimestamp": "2026-01-01T10:00:00Z", "message": "earlier"}
    for order in ((first, {**later, "message": "later"}), ({**later, "message": "later"}, first)):
        assert _reason(_without_pods(), *order) == "later"


def test_a_complaint_about_a_quota_that_was_raised_since_is_no_reason() -> None:
    objects = _without_pods()
    event = {"lastTimestamp": "2026-01-01T10:00:00Z", "message": QUOTA}
    wanted = "exceeded quota: gpus, requested: requests.nvidia.com/gpu=8"
    written = [{"manager": "pulumi", "time": "2026-01-01T09:00:00Z"}]
    noted = [{"manager": "kcm", "time": "2026-01-01T11:00:00Z", "subresource": "status"}]
    quota = {"metadata": _meta("gpus", "research", managedFields=[*written, *noted])}
    assert _reason({**objects, "ResourceQuota": [quota]}, event) == wanted
    raised = {"metadata": _meta("gpus", "research", managedFields=[{"time": "2026-01-01T10:00:01Z"}])}
    assert _reason({**objects, "ResourceQuota": [raised]}, event) == NOT_YET
    elsewhere = {"metadata": _meta("gpus", "chat", managedFields=[{"time": "2026-01-01T10:00:01Z"}])}
    assert _reason({**objects, "ResourceQuota": [elsewhere]}, event) == wanted
    # It tried again with the new quota, and was refused again.
    again = {**event, "lastTimestamp": "2026-01-01T10:00:02Z"}
    assert _reason({**objects, "ResourceQuota": [raised]}, event, again) == wanted


def test_a_complaint_from_before_the_job_was_changed_is_no_reason() -> None:
    objects = _without_pods()
    event = {"lastTimestamp": "2026-01-01T10:00:00Z", "message": QUOTA}
    objects["Job"][0]["metadata"]["managedFields"] = [{"time": "2026-01-01T10:00:05Z"}]
    assert _reason(objects, event) == NOT_YET
