"""What is defined about alerts of the cluster: which are off, how urgent they are, and whom they are for."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from podwright.components.model.types import Spec, Words

AlertName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Z][A-Za-z]{2,62}$"),
    Words("the name of one alert of docs/reference/alerts.md, such as GpuFellOffBus"),
]
Owner = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$"),
    Words("1 to 63 letters, digits and - _ . such as platform-team"),
]
Runbooks = Annotated[
    str,
    StringConstraints(pattern=r"^https?://[^\s{}]+$"),
    Words("an http or https URL such as https://wiki.example.com/alerts/"),
]
Celsius = Annotated[int, Field(ge=40, le=120)]


class Alerts(Spec):
    """Alerts in OpenShift's own Prometheus, beside those that OpenShift and its operators bring.

    Each is planned only where the cluster has what it is about. To whom they go is Alertmanager's matter: label `owner`
    says whose they are, and those of a team also have `team`, its namespace.
    """

    owner: Owner = "platform"
    """Label `owner` of what the platform's people look after; what is a team's own has `team` there."""
    runbooks: Runbooks | None = None
    """Beginning of the URL of every alert's runbook, which its name ends: annotation `runbook_url`. Null: none."""
    off: tuple[AlertName, ...] = ()
    """Alerts that are not planned."""
    severity: dict[AlertName, Literal["critical", "warning", "info"]] = {}
    """Another severity of single alerts: {GpuPcieReplays: info}."""
    hot_celsius: dict[str, Celsius] = {}
    """From which temperature a GPU is hot, by product: {NVIDIA-H200: 85}. Below its slowdown temperature, which
    `nvidia-smi -q -d TEMPERATURE` prints. A product without one has no such alert: there is no limit for all models."""
