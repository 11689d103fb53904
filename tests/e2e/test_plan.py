"""Plans: judged before anything is touched, and the same whether or not devices can be reached."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from podwright.toolchain.bare import bare
from podwright.toolchain.environment import environment
from tests.e2e.site import ROOT, Site
from tests.listening import listening

pytestmark = pytest.mark.e2e

PATIENCE = 60.0
"""Seconds that a plan of the production stack may take; 9 on two cores that others use as well."""
TAGGED = "registry.example.com/serving/vllm:latest"
AUTOMATIC = {"channel": "stable", "csv": "nfd.4.20.0", "approval": "Automatic"}
WRONGS: dict[str, Any] = {
    "fabric/lossless": {"watchdog": "off", "ecn": None},
    "workloads/inference/chat/image": TAGGED,
    "operators/pins": {"nfd": AUTOMATIC},
}
RULES = {
    "fabric-pfc-watchdog", "fabric-ecn-on-lossless-queue", "workloads-image-by-digest",
    "operators-subscription-pinned",
}  # fmt: skip


def judged(site: Site) -> subprocess.CompletedProcess[str]:
    return site.pulumi("preview", "--policy-pack", "policies", check=False)


def test_pfc_taken_away_in_the_stack_file_stops_the_preview(site: Site) -> None:
    assert judged(site).returncode == 0
    site.edit({"fabric/lossless": {"pfc": "off"}})
    stopped = judged(site)
    assert stopped.returncode != 0
    assert "fabric-pfc-on-every-hop" in stopped.stdout
    assert "Ethernet1/1 (to gpu-01) does not have priority-flow-control mode on" in stopped.stdout


def test_every_other_wrong_of_the_stack_file_is_named_by_its_rule(site: Site) -> None:
    site.edit(WRONGS)
    assert rules_broken(site) == RULES


def rules_broken(site: Site) -> set[str]:
    """Mandatory rules that the preview names; it must fail exactly when there are any."""
    done = judged(site)
    named = set(re.findall(r"\[mandatory\].*?((?:fabric|platform|operators|workloads)-[a-z-]+)", done.stdout))
    assert (done.returncode != 0) == bool(named), done.stdout[-3000:]
    return named


def test_the_production_plan_is_the_same_with_and_without_devices(tmp_path: Path) -> None:
    began = time.monotonic()
    without = plan(tmp_path, reach=None)
    alone = time.monotonic() - began
    with listening() as (port, dialled):
        reach = tmp_path / "reach.json"
        text = (ROOT / "Pulumi.prod.yaml").read_text()
        hosts = {*re.findall(r"\b\d+\.\d+\.\d+\.\d+\b", text), "intersight.com"}
        forward = {f"{host}:{number}": f"127.0.0.1:{port}" for host in hosts for number in (22, 443, 6443)}
        reach.write_text(json.dumps({"forward": forward}))
        reached = plan(tmp_path, reach=reach)
    assert reached == without
    assert len(without) > 150
    assert {op for op, _ in without.values()} == {"create"}
    assert dialled == [], "a plan of what does not exist yet asks no device"
    assert alone < PATIENCE


def plan(home: Path, reach: Path | None) -> dict[str, tuple[str, Any]]:
    """`make preview STACK=prod` in an empty home with no secret at hand: operation and inputs by URN."""
    store = Path(environment(bare(os.environ), ROOT, home / "backend")["PULUMI_HOME"]).parents[1]
    env = bare(os.environ) | {"HOME": str(home), "PODWRIGHT_CACHE": str(store)}
    if reach is not None:
        env["PODWRIGHT_REACH"] = str(reach)
    done = subprocess.run(
        [sys.executable, "tools/preview.py", "prod", "--json"],
        cwd=ROOT, env=env, text=True, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    steps = json.loads(done.stdout[done.stdout.index('{\n    "config"') :])["steps"]
    return {step["urn"]: (step["op"], step["newState"].get("inputs")) for step in steps}
