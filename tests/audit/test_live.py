"""Mistakes that an API server takes are named by the audit, each by its rule, within ten seconds of being typed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from podwright.cli import audit
from podwright.components.providers.status import everything
from podwright.components.providers.status.everything import Everything
from podwright.lab.openshift.binaries import crd_folder
from podwright.lab.openshift.crds import CrdLibrary
from podwright.policies.rules.kubernetes import runs_pods
from tests.lab.openshift.rack import Rack
from tests.lab.openshift.undefined import definition
from tools.mistakes import mistakes

pytestmark = pytest.mark.rough
HERE: Final = Path(__file__).parent
MISTAKES: Final[dict[str, list[dict[str, Any]]]] = yaml.safe_load((HERE / "mistakes.yaml").read_text(encoding="utf-8"))
MISTAKES.pop("templates")
DEFINITIONS: Final = (
    "clusterpolicies.nvidia.com",
    "nicclusterpolicies.mellanox.com",
    "operatorgroups.operators.coreos.com",
    "routes.route.openshift.io",
    "sriovnetworknodepolicies.sriovnetwork.openshift.io",
    "subscriptions.operators.coreos.com",
)
MACHINE_SETS: Final = definition("MachineSet", "machinesets", "machine.openshift.io", "v1beta1")
"""The kind without its own definition, which the lab does not have: a cluster on bare metal by the agent makes none."""
SECONDS: Final = 10.0


@pytest.fixture(scope="module")
def rack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rack]:
    """A control plane with the definitions of what is typed."""
    made = Rack(tmp_path_factory.mktemp("audit") / "rack", workers=())
    try:
        made.install()
        api = made.side.cluster.api
        assert api is not None
        assert CrdLibrary(crd_folder()).apply(api, DEFINITIONS) == []
        made.apply(MACHINE_SETS)
        made.wait("machine sets are served", lambda: made.items("machinesets", "-A") == [])
        yield made
    finally:
        made.close()


def read(rack: Rack) -> Everything:
    text = rack.kubeconfig().read_text(encoding="utf-8")
    return asyncio.run(everything.take(text, audit.PATIENCE, audit.asked, runs_pods))


def found(rack: Rack) -> set[tuple[str, str]]:
    return {(each.rule.id, each.place) for each in audit.judge(read(rack)).found}


def test_nothing_is_found_in_what_an_installer_makes(rack: Rack) -> None:
    seen = read(rack)
    assert seen.unread == () and len(seen.objects) > 5
    assert audit.judge(seen).found == ()


@pytest.mark.parametrize("rule", MISTAKES)
def test_each_is_taken_by_the_api_server_and_named_by_the_audit(rack: Rack, rule: str) -> None:
    before = found(rack)
    for space in {each["metadata"].get("namespace", rule) for each in MISTAKES[rule]} - {"default"}:
        rack.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})
    typed = [{**each, "metadata": {"namespace": rule, **each["metadata"]}} for each in MISTAKES[rule]]
    rack.apply(*typed)
    begun = time.monotonic()
    new = found(rack) - before
    assert rule in {id_ for id_, _ in new}, new
    assert time.monotonic() - begun < SECONDS
    places = {place for id_, place in new if id_ == rule}
    assert places & {place(each) for each in typed}


def place(typed: dict[str, Any]) -> str:
    meta = typed["metadata"]
    cluster_wide = typed["kind"] in ("ClusterPolicy", "NicClusterPolicy", "Node", "PriorityClass", "StorageClass")
    return "/".join((typed["kind"], *(() if cluster_wide else (meta["namespace"],)), meta["name"]))


def test_every_mistake_of_the_table_that_the_audit_names_is_typed_here() -> None:
    rules = {each.where: each.live for each in mistakes() if each.gate == "policy"}
    assert {rule for rule, live in rules.items() if live == "audit"} <= set(MISTAKES)
    assert {rule for rule, live in rules.items() if live != "audit"} == {"operators-by-olm", *audit.BY_WRITER}
