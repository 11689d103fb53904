"""No object of the cluster is planned twice: whoever is written last would win, and every `up` would change it."""

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from podwright.components import model
from podwright.components.model import Cluster
from podwright.components.model.workloads import SETS, deployed
from tests.design import whole
from tests.design.once import refusing
from tests.design.with_gateway import with_keys, with_mesh
from tests.model.changes import Said
from tests.model.name_cases import CASES
from tools.generated import ROOT

FILES = sorted([*ROOT.glob("Pulumi.*.yaml"), *ROOT.glob("tests/examples/*/Pulumi.*.yaml")])
STACKS = [
    *(pytest.param(lambda path=path: model.load(path), id=path.stem.removeprefix("Pulumi.")) for path in FILES),
    with_mesh,
    with_keys,
]


Object = tuple[str, str, str, str]


def _named(manifests: Iterable[dict[str, Any]]) -> Iterator[Object]:
    for each in manifests:
        yield each["apiVersion"], each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"]


def _of_the_cluster(cluster: Cluster) -> Iterator[Object]:
    yield from _named(refusing(cluster))
    for operator in whole.operators(cluster):
        yield from _named(operator.manifests)


def _of_teams(cluster: Cluster) -> Iterator[Object]:
    yield from _named((*whole.platform(cluster).manifests, *whole.storage(cluster), *whole.workloads(cluster)))
    yield from _made_of_them(cluster)


def _made_of_them(cluster: Cluster) -> Iterator[Object]:
    """What KServe and JobSet make of them, under names that nobody else's object may have."""
    for name, service in cluster.workloads.inference.items():
        if service.kind == "kserve":
            yield "apps/v1", "Deployment", service.team, deployed(name, service)
            yield "v1", "Service", service.team, deployed(name, service)
    for name, job in cluster.workloads.training.items():
        if job.kind in SETS:
            yield "v1", "Service", job.team, name
            yield "batch/v1", "Job", job.team, f"{name}-{SETS[job.kind]}-0"


@pytest.mark.parametrize("made", STACKS)
def test_every_object_is_planned_once(made: Any) -> None:
    cluster = made()
    found = Counter((*_of_the_cluster(cluster), *_of_teams(cluster)))
    assert [each for each, count in found.items() if count > 1] == []


@pytest.mark.parametrize(("base", "change", "loc"), [case[:3] for case in CASES])
def test_a_name_is_refused_where_an_object_would_be_planned_twice(
    base: Said, change: Callable[[Said], None], loc: str
) -> None:
    said = copy.deepcopy(base)
    change(said)
    found = Counter(_of_teams(Cluster.model_validate(said)))
    assert [each for each, count in found.items() if count > 1], loc
