"""The screen's line of certificates: what ends when, what has ended, whose controller shows another one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from podwright.cli.certificates import certificates
from podwright.components import model
from podwright.components.model.certificate import ControllerCertificate
from podwright.components.providers.status.certificates import parsed
from podwright.components.providers.status.live import Live
from podwright.components.providers.status.servers import ServerSeen
from tests.certificates import made
from tests.model.changes import LAB

NAME = "cp-01"


def cluster(pem: str) -> model.Cluster:
    site = model.load(LAB)
    own = ControllerCertificate(certificate=pem, key="imc-1")
    servers = {
        name: server.model_copy(update={"certificate": own if name == NAME else None})
        for name, server in site.servers.items()
    }
    return site.model_copy(update={"servers": servers})


def live(pem: str | None) -> Live:
    """Its controller shows this certificate, or none."""
    return Live({}, {NAME: ServerSeen(NAME, "On", certificate=parsed(pem) if pem else None)}, None)


def day(days: float) -> str:
    return f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%d}"


def test_a_file_without_certificates_has_no_line() -> None:
    found = certificates(model.load(LAB), live(None))
    assert (found.line, found.wrong) == ("", False)


@pytest.mark.parametrize(
    ("begins", "days", "line", "wrong"),
    [
        (-1, 400, f"1 valid, the first ends on {day(399)}", False),
        (-340, 399.9, f"{NAME}'s ends on {day(59.9)}, in 59 days", False),
        (-340, 400.1, f"1 valid, the first ends on {day(60.1)}", False),
        (-59, 90, f"1 valid, the first ends on {day(31)}", False),
        (-61, 90.1, f"{NAME}'s ends on {day(29.1)}, in 29 days", False),
        (-300, 301.1, f"{NAME}'s ends on {day(1.1)}, in 1 day", False),
        (-300, 300.5, f"{NAME}'s ends on {day(0.5)}, in less than a day", False),
        (-300, 290, f"{NAME}'s ended on {day(-10)}", True),
        (3, 400, f"{NAME}'s begins on {day(3)} only", True),
    ],
)
def test_a_certificate_is_named_by_what_its_time_is(begins: float, days: float, line: str, wrong: bool) -> None:
    pem, _ = made(NAME, begins, days)
    found = certificates(cluster(pem), live(pem))
    assert (found.line, found.wrong) == (line, wrong)


def test_a_controller_that_shows_another_certificate_is_named() -> None:
    (pem, _), (other, _) = made(NAME, -1, 400), made(NAME, -1, 400)
    found = certificates(cluster(pem), live(other))
    assert (found.line, found.wrong) == (f"{NAME} shows another one", True)


def test_a_controller_that_shows_none_is_not_checked_and_stops_nothing() -> None:
    pem, _ = made(NAME, -1, 400)
    for seen in (live(None), Live({}, {}, None)):
        found = certificates(cluster(pem), seen)
        assert found.line == f"1 valid, the first ends on {day(399)}; what {NAME} shows is not checked"
        assert not found.wrong


def test_what_is_no_certificate_is_said_to_be_none() -> None:
    pem = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
    found = certificates(cluster(pem), live(None))
    assert (found.line, found.wrong) == (f"{NAME}'s cannot be read", True)
