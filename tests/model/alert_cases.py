"""What is refused of alerts: each case a change of the lab's file, the place, and a part of the message."""

from tests.model.changes import LAB, put

ALERTS = "openshift/alerts"
CASES = [
    (LAB, put(ALERTS, {"off": ["GpuFellOfBus"]}), "openshift.alerts.off[0]", "GpuFellOfBus is no alert"),
    (LAB, put(ALERTS, {"off": ["GpuHot", "GpuHot"]}), "openshift.alerts.off[1]", "GpuHot is named twice"),
    (
        LAB,
        put(ALERTS, {"severity": {"GpuUtilisationLow": "info"}}),
        "openshift.alerts.severity.GpuUtilisationLow",
        "GpuUtilisationLow is no alert",
    ),
    (
        LAB,
        put(ALERTS, {"off": ["GpuHot"], "severity": {"GpuHot": "info"}}),
        "openshift.alerts.severity.GpuHot",
        "GpuHot is in `off`",
    ),
    (
        LAB,
        put(ALERTS, {"hot_celsius": {"NVIDIA-H100": 85}}),
        "openshift.alerts.hot_celsius.NVIDIA-H100",
        "no server has GPUs NVIDIA-H100",
    ),
]
