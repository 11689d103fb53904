"""The same program for a site whose every name and count was drawn by lot: nothing in it knows the lab's inventory."""

import os
import random
from pathlib import Path

import pytest
import yaml

from podwright.cli.world import world
from podwright.components.providers.status.verdict import Verdict
from tests.e2e.conftest import MakeSite
from tests.e2e.inventory import generate
from tests.e2e.test_chain import Cluster


def _seed() -> int:
    """Drawn anew each time; PODWRIGHT_TEST_SEED repeats one that failed."""
    return int(os.environ.get("PODWRIGHT_TEST_SEED") or random.SystemRandom().randrange(10**6))


@pytest.mark.parametrize("seed", range(20))
def test_every_lot_is_a_site_that_could_work(seed: int) -> None:
    first, cluster = generate(seed)
    assert generate(seed)[0] == first
    lab = {"leaf-01", "leaf-02", "spine-01", "gpu-01", "inf-01", "cp-01", "training", "inference", "research", "chat"}
    names = {*cluster.servers, *cluster.fabric.leaves, *cluster.fabric.spines, *cluster.teams, *cluster.pools}
    assert not lab & names


@pytest.mark.rough
def test_a_site_named_by_lot_comes_up_and_goes_away(make_site: MakeSite, tmp_path: Path) -> None:
    seed = _seed()
    print(f"PODWRIGHT_TEST_SEED={seed}")
    text, cluster = generate(seed)
    rack = tmp_path / "world.yaml"
    rack.write_text(yaml.safe_dump(world(cluster), sort_keys=False))
    site = make_site("second", stack_text=text, world=rack)
    kubeconfig = site.folder / "second.kubeconfig"
    kubeconfig.write_text(site.outputs()["kubeconfig"])
    kubeconfig.chmod(0o600)
    seen = Cluster(site, kubeconfig)
    work = cluster.workloads
    pools = {each.team: each.pool for each in work.training.values()}
    pools |= {each.team: each.pool for each in work.inference.values()}
    pods = sum(each.nodes for each in work.training.values()) + sum(e.replicas for e in work.inference.values())

    def on_their_pools(verdicts: list[Verdict]) -> bool:
        return len(verdicts) == pods and all(
            each.state == "Running" and cluster.servers[str(each.node)].pool == pools[each.namespace]
            for each in verdicts
        )

    seen.until("every pod runs on its pool", on_their_pools)
    assert site.preview() == []
    screen = site.run([str(site.folder / ".venv/bin/python"), "-m", "podwright.cli", "status", site.stack])
    assert "all as planned" in screen.stdout
    site.destroy()
    remaining = {each["type"] for each in site.export()["deployment"].get("resources", [])} - {"pulumi:pulumi:Stack"}
    assert remaining == set()
