"""Tags of a server profile: those of the spec are held, people's stay, and nothing is deployed for them."""

from typing import Any

import pytest

from podwright.components.providers.intersight import ownership
from tests.providers.intersight import specs
from tests.providers.intersight.conftest import Stand
from tests.providers.intersight.test_check import problems
from tests.providers.intersight.test_profile import bucket, profile


def tags(stand: Stand) -> dict[str, str]:
    return ownership.tags(stand.live("server.Profile", "cp-01"))


async def test_tags_of_the_spec_are_held_and_peoples_stay(stand: Stand) -> None:
    await bucket(stand)
    driver = profile(stand)
    await driver.create()
    workflows = len(stand.store.of("workflow.WorkflowInfo"))
    mark = tags(stand)
    await driver.update(lambda spec: spec.update(tags={"row": "7", "owner": "ai"}))
    assert tags(stand) == {**mark, "row": "7", "owner": "ai"}
    live = stand.live("server.Profile", "cp-01")["Tags"]
    stand.edit("server.Profile", "cp-01", {"Tags": [*live, {"Key": "ticket", "Value": "42"}]})
    assert await driver.drift() == []
    stand.edit("server.Profile", "cp-01", {"Tags": ownership.written({**tags(stand), "row": "8"})})
    assert await driver.drift() == ["spec.tags.row"]
    await driver.update(lambda spec: spec.update(tags={"owner": "ai"}))
    assert tags(stand) == {**mark, "owner": "ai", "ticket": "42"}
    assert len(stand.store.of("workflow.WorkflowInfo")) == workflows, "nothing is deployed for a tag"


@pytest.mark.parametrize("wrong", [{"podwright": "x"}, {"cisco.meta.x": "y"}, {"row": 7}])
def test_marks_of_owners_and_what_is_no_text_are_refused(wrong: dict[str, Any]) -> None:
    assert len(problems("ServerProfile", specs.profile(tags=wrong))) == 1
