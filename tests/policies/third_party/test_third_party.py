"""Rules over manifests that nobody here wrote: every finding there is right, and has the sentence that says why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from podwright.policies.rules import RULES
from tests.policies.third_party import found, reading, table
from tests.policies.third_party.reading import File


def test_every_finding_of_the_table_has_its_reason() -> None:
    rules, files = {rule.id for rule in RULES}, reading.listed()
    for row in table.committed():
        assert row.reason, f"{row.file}: {row.message}: a reason in reasons.yaml, or a rule to mend"
        assert table.reasons()[row.reason - 1].covers(row.rule, row.message), row
        assert row.file in files and row.rule in rules
    assert {row.reason for row in table.committed()} == set(range(1, len(table.reasons()) + 1))
    assert all(each.why.endswith(".") and len(each.why.split()) > 8 for each in table.reasons())


def test_manifests_are_of_many_projects_at_the_versions_that_the_toolchain_has() -> None:
    files = reading.listed()
    assert len(files) > 500 and {each.module for each in files} == set(reading.modules())


def test_a_finding_that_nobody_explained_is_one_without_a_reason() -> None:
    box = f"{{name: b, image: 'c@sha256:{'0' * 64}', env: [{{name: NCCL_IB_HCA, value: ^mlx5}}]}}"
    written = f"{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{containers: [{box}]}}}}"
    (row,) = table.rows(File("m", "a.yaml"), written)
    assert (row.reason, row.rule) == (0, "workloads-nccl-keeps-the-rails")


def test_lists_and_several_objects_of_a_file_are_objects() -> None:
    one, definition = "{apiVersion: v1, kind: Service, metadata: {name: a}}", "{kind: CustomResourceDefinition}"
    several = f"---\n{one}\n---\n{{apiVersion: v1, kind: List, items: [{one}, {one}]}}\n---\n{definition}\n"
    assert [each.type for each in reading.resources(File("m", "p"), several)] == ["kubernetes:core/v1:Service"] * 3


@pytest.fixture
def cached(tmp_path: Path) -> Path:
    """Where Go keeps the modules that the toolchain was built from. Skips where it was built elsewhere."""
    found = reading.module_cache(dict(os.environ), tmp_path)
    if found is None or reading.absent(found):
        pytest.skip("Go's cache lacks modules of tests/policies/third_party: a set-up that builds brings them")
    return found


@pytest.mark.rough
def test_the_rules_find_what_the_table_has(cached: Path) -> None:
    assert table.evaluated(cached, reading.listed()) == table.committed()


@pytest.mark.rough
def test_most_rules_about_kubernetes_speak_about_some_manifest(cached: Path) -> None:
    asked: set[str] = set()
    for file in reading.listed():
        asked |= found.asked(reading.resources(file, reading.text(cached, file)))
    assert len(asked) >= 30
