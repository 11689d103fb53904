"""Firmware behind a controller of its own: read by its inventory, compared, and unknown is called not checked."""

from __future__ import annotations

from typing import Any

import pytest

from podwright.components.providers.protocol.kind import CheckContext
from podwright.components.providers.redfish.module import KINDS
from tests.providers.redfish.conftest import Stand
from tests.providers.redfish.test_server import drift, inputs

SERVER = KINDS[0]
RUNS = {"BMC": "4.3(6c)", "BIOS": "4.3.6c.0"}


def approved(**components: str) -> dict[str, Any]:
    return {"version": "1.1(0.250022)", "until": "2999-01-01", "source": "CHG-7", "components": components}


async def test_what_runs_is_read_and_what_is_as_approved_is_not_spoken_of(stand: Stand) -> None:
    said = inputs(firmware=approved(**RUNS))
    made = await SERVER.create(said, stand.context())
    assert made.outputs["firmware"] == RUNS
    assert stand.warned == []
    assert await drift(said, made.outputs, stand.context()) == {}


async def test_another_version_is_named_and_one_that_nobody_shows_is_not_checked(stand: Stand) -> None:
    said = inputs(firmware=approved(BMC="1.1.9", CPLD="7"))
    made = await SERVER.create(said, stand.context())
    assert made.outputs["firmware"] == {"BMC": "4.3(6c)"}
    other = "gpu-01: firmware BMC runs 4.3(6c), 1.1(0.250022) has 1.1.9"
    assert stand.warned == [other, "gpu-01: firmware of CPLD is not checked, its controller's inventory has none"]
    assert stand.world.host("gpu-01").firmware["BMC"] == "4.3(6c)"


async def test_without_a_word_of_firmware_the_inventory_is_not_asked(stand: Stand) -> None:
    made = await SERVER.create(inputs(), stand.context())
    assert "firmware" not in made.outputs


@pytest.mark.parametrize(
    ("firmware", "message"),
    [
        ({"version": "1"}, "takes components, source, until, version, and images"),
        (
            {**approved(), "components": {"BMC": 1}},
            "must be versions by the Ids of the controller's firmware inventory",
        ),
        ({**approved(), "images": "all"}, "must be a list"),
        (
            {**approved(), "images": [{"url": "ftp://a/b", "sha256": "0" * 64, "components": ["BMC"]}]},
            "takes components, sha256, url: an http or https URL and its checksum",
        ),
        (
            {**approved(), "images": [{"url": "http://a/b", "sha256": "0" * 63, "components": ["BMC"]}]},
            "takes components, sha256, url: an http or https URL and its checksum",
        ),
        ({**approved(), "until": "soon"}, "must be a day such as 2027-05-01, not 'soon'"),
    ],
)
def test_what_is_compared_has_its_parts(firmware: dict[str, Any], message: str) -> None:
    (found,) = SERVER.check(inputs(firmware=firmware), CheckContext())
    assert found.message == message
