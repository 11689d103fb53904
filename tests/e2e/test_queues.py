"""Two gangs that do not fit beside each other, from an empty site to its end: `up` waits for neither's turn."""

import copy
import json
from typing import Any

import pytest
import yaml

from tests.e2e.conftest import MakeSite
from tests.e2e.site import ROOT, Site
from tests.e2e.standing import kubectl
from tests.model.changes import Said, drop
from tests.model.queue_cases import IN_TURN
from tests.waiting import until

pytestmark = pytest.mark.soak


def _stack() -> str:
    """The lab's stack with two jobs of three servers each, and no acceptance."""
    loaded: Said = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())
    cluster = copy.deepcopy(loaded["config"]["podwright:cluster"])
    IN_TURN(cluster)
    drop("acceptance")(cluster)
    return yaml.safe_dump({"config": {"podwright:cluster": cluster}}, sort_keys=False, width=200)


def _running(site: Site, job: str) -> set[str]:
    """Nodes of the job's pods that run."""
    found: Any = json.loads(kubectl(site, "get", "pods", "-n", "research", "-l", f"app.kubernetes.io/name={job}",
                                    "-o", "json"))["items"]  # fmt: skip
    return {pod["spec"]["nodeName"] for pod in found if pod["status"]["phase"] == "Running"}


def test_the_second_gang_waits_and_starts_when_the_first_ends(make_site: MakeSite) -> None:
    site = make_site("queued", stack_text=_stack())
    first, second = sorted(("pretrain", "second"), key=lambda job: -len(_running(site, job)))
    assert (len(_running(site, first)), len(_running(site, second))) == (3, 0)
    assert site.preview() == []
    screen = site.run([str(ROOT / ".venv/bin/podwright"), "status", "lab"], check=False).stdout
    assert "waits in queue" in screen and "research/training" in screen

    kubectl(site, "annotate", "pod", "-n", "research", "-l", f"app.kubernetes.io/name={first}",
            "pod-complete.stage.kwok.x-k8s.io/delay=1s")  # fmt: skip
    until(lambda: len(_running(site, second)) == 3, 120, "the second gang runs", pause=1)
    assert site.preview() == []
    assert "unchanged" in site.refresh().stdout
    assert site.preview() == []
    site.destroy()
