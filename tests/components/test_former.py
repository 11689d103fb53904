"""Every URN of an earlier release is found again: by itself, or as the alias of exactly one resource."""

from collections import Counter
from pathlib import Path

import pytest

from tests.components.recording import register
from tests.design import goldens
from tools.generated import ROOT

RELEASES = sorted((ROOT / "tests/states").glob("*"))
INSTANCES = ("podwright::intersight", "podwright::redfish", "podwright::openshift")
"""Instances whose work the site's one does."""


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
@pytest.mark.parametrize("stack", goldens.STACKS)
def test_every_resource_of_an_earlier_release_is_found_again(release: Path, stack: str) -> None:
    seen = register(goldens.cluster(stack))
    found = Counter(urn for each in seen.values() for urn in {each.urn, *each.aliases})
    assert {urn: count for urn, count in found.items() if count > 1} == {}
    lost = [
        urn
        for urn in (release / f"{stack}.urns").read_text().splitlines()
        if urn not in found and not urn.endswith(INSTANCES)
    ]
    # A cluster without volumes has no storage component any more; the layers' other components live on.
    # A blade's profile has no fans any more, which are its chassis', and no other server of prod is in Intersight.
    # Prod's file names the addresses of both vNICs of a blade, and no vNIC takes one of a pool any more.
    gone = (
        f"podwright:storage:Storage::{stack}",
        "podwright:intersight:Policy::prod-fans-plain",
        "podwright:intersight:Pool::prod-mac-b",
    )
    assert [urn for urn in lost if not urn.endswith(gone)] == []
