"""`podwright diff`: in what two stacks differ by meaning, and what promoting each difference would do."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from podwright.cli.promotion.identity import COUNTED, IDENTITY
from podwright.components import model
from podwright.components.changes.fields import FIELDS
from podwright.components.changes.row import ChangeClass
from podwright.components.model import describe
from tests.cli.command import inside as run
from tests.model.test_based import EXAMPLE, PRODUCTION, change
from tools import field_page

STAGING = "Pulumi.staging.yaml"
DESIGN = {
    "fabric.leaves.leaf-01.model",
    "fabric.leaves.leaf-02.model",
    "pools.training.max_unavailable",
    "openshift.version",
    "openshift.teams.research.gpus",
    "workloads.training.pretrain.nodes",
    "changes.limit",
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "site", ignore=shutil.ignore_patterns("expected")))


def different(site: Path, *words: str) -> dict[str, dict[str, Any]]:
    done = run("diff", site / STAGING, site / PRODUCTION, "--format", "json", *words)
    assert done.returncode == 0, done.stderr
    return {each["path"]: each for each in json.loads(done.stdout)["differences"]}


def test_what_identifies_a_site_is_folded_away() -> None:
    assert set(different(EXAMPLE)) == DESIGN
    every = different(EXAMPLE, "--all")
    assert {each for each, about in every.items() if not about["identity"]} == DESIGN
    assert {"name", "servers.gpu-05", "servers.gpu-01.address", "openshift.api_vip"} <= every.keys()


def test_each_difference_has_both_values_their_places_and_its_class() -> None:
    found = different(EXAMPLE)["openshift.version"]
    own, base = (EXAMPLE / STAGING).read_text(), (EXAMPLE / "base.yaml").read_text()
    lines = [text[: text.index("version: ")].count("\n") + 1 for text in (own, base)]
    assert found["first"] == {"value": "4.20.5", "file": str(EXAMPLE / STAGING), "line": lines[0]}
    assert found["second"] == {"value": "4.20.3", "file": "tests/examples/staging/base.yaml", "line": lines[1]}
    assert found["promoted"]["class"] == "disruptive"
    assert "drained and restarted" in found["promoted"]["reason"]


def test_the_text_has_sections_and_says_what_a_promotion_does() -> None:
    text = run("diff", EXAMPLE / STAGING, EXAMPLE / PRODUCTION).stdout
    assert text.startswith("Pulumi.staging.yaml -> Pulumi.production.yaml: 7 differences; ")
    assert "\n  leaves.leaf-01.model and 1 more: staging N9K-C9332D-GX2B, production N9K-C9364D-GX2A\n" in text
    nodes = text.index("training.pretrain.nodes: staging 2, production 8")
    assert text.index("\nworkloads\n") < nodes < text.index("promoted: replaced, a job's pods cannot change")


def test_exit_codes_are_those_of_git(site: Path) -> None:
    assert run("diff", site / STAGING, site / PRODUCTION).returncode == 0
    assert run("diff", site / STAGING, site / PRODUCTION, "--exit-code").returncode == 1
    assert run("diff", site / STAGING, site / STAGING, "--exit-code").returncode == 0
    other = site / "Pulumi.other.yaml"
    shutil.copy(site / STAGING, other)
    change(other, "name: staging", "name: other")
    assert run("diff", site / STAGING, other, "--exit-code").returncode == 0
    assert run("diff", site / STAGING, other, "--exit-code", "--all").returncode == 1


def test_a_value_that_is_written_as_its_default_is_no_difference(site: Path) -> None:
    before = different(site)
    change(site / STAGING, "    openshift:\n", "    protect: false\n    openshift:\n      host_network: installed\n")
    assert different(site).keys() == before.keys()


def test_what_one_stack_alone_has_is_made_or_taken_away(site: Path) -> None:
    change(site / PRODUCTION, "pretrain: {nodes: 8}", f"pretrain: null\n        other: {json.dumps(_job())}")
    found = different(site)
    made, gone = found["workloads.training.pretrain"], found["workloads.training.other"]
    assert (made["kind"], made["promoted"]["class"], made["second"]["value"]) == ("first only", "made", None)
    assert (gone["kind"], gone["first"]["value"]) == ("second only", None)
    assert gone["promoted"]["class"] in {each.word for each in ChangeClass} - {"program-only", "live"}


def _job() -> dict[str, Any]:
    job = model.load(EXAMPLE / STAGING).workloads.training["pretrain"]
    return job.model_dump(mode="json", exclude_defaults=True)


def test_waivers_are_compared_by_rule_and_resource(site: Path) -> None:
    for name, stack, rules in (
        (STAGING, "staging", ["fabric-pfc-watchdog", "workloads-image-by-digest"]),
        (PRODUCTION, "production", ["workloads-image-by-digest", "fabric-pfc-watchdog"]),
    ):
        each = f"resource: '{stack}-leaf-*', reason: for now, owner: team, until: 2099-01-01"
        with (site / name).open("a") as file:
            file.write(f"    waivers: [{', '.join(f'{{rule: {rule}, {each}}}' for rule in rules)}]\n")
    assert not [each for each in different(site) if each.startswith("waivers")]
    change(site / PRODUCTION, "until: 2099-01-01}, {rule: fabric", "until: 2098-01-01}, {rule: fabric")
    (found,) = (about for path, about in different(site).items() if path.startswith("waivers"))
    assert (found["section"], found["promoted"]["class"]) == ("waivers", "program-only")


def test_files_that_are_wrong_are_all_reported(site: Path) -> None:
    change(site / STAGING, "version: 4.20.5", "version: five")
    change(site / PRODUCTION, "limit: live", "limit: dead")
    done = run("diff", site / STAGING, site / PRODUCTION)
    assert (done.returncode, done.stdout) == (2, "")
    assert "openshift.version" in done.stderr
    assert "changes.limit" in done.stderr


@pytest.mark.parametrize("path", [*IDENTITY, *COUNTED])
def test_every_path_of_the_table_of_identity_is_a_key(path: str) -> None:
    assert describe.at(model.Cluster, tuple(path.removesuffix(".**").split("."))) is not None


def test_the_table_of_fields_is_that_of_the_page() -> None:
    made = field_page.tables(field_page.PAGE.read_text())
    assert {path: path.read_text() for path in made} == made
    known = {each.word for each in ChangeClass} | {"no line", "nothing is written", "made or gone"}
    assert {each[0] for each in FIELDS.values()} <= known
    assert len(FIELDS) > 200


def test_no_secret_leaves_a_file(site: Path) -> None:
    """A stack file has names of secrets alone; a private key that somebody pastes is refused before it is shown."""
    change(
        site / STAGING, "version: 4.20.5", "version: 4.20.5\n      pull_secret: '-----BEGIN RSA PRIVATE KEY-----hush'"
    )
    done = run("diff", site / STAGING, site / PRODUCTION)
    assert done.returncode == 2
    assert "hush" not in done.stdout + done.stderr
