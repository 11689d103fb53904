"""What a service that scales is made of, and that one which does not is what it was."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.design.operators import autoscaling
from podwright.components.design.platform.infrastructure import monitoring
from podwright.components.design.workloads import monitor, scaling, service
from podwright.components.design.workloads.scaling import stay
from podwright.components.model import Inference, Infrastructure, Operators, load
from podwright.components.model.advisory import findings
from tests.components.recording import register
from tests.components.test_graph import all_before, named, of
from tests.design import whole
from tests.model.changes import PROD, both, put
from tests.model.scaling_cases import SCALED
from tests.model.test_sections import cluster as stack
from tools.generated import ROOT

GOLDEN = Path(__file__).with_name("scaling.yaml")
KEDA = "kubernetes:keda.sh/v1alpha1"


def _service(**changes: Any) -> Inference:
    return Inference.model_validate({**stack(PROD, SCALED).workloads.inference["chat"].model_dump(), **changes})


def test_every_object_of_a_service_that_scales_and_of_keda() -> None:
    """Word by word."""
    made = [*scaling("chat", _service()), *autoscaling(Operators(release="2026.11")).manifests]
    assert made == list(yaml.safe_load_all(GOLDEN.read_text()))


def test_a_service_that_does_not_scale_has_none_of_it_and_its_pods_are_the_same() -> None:
    fixed = _service(scale=None)
    assert scaling("chat", fixed) == ()
    servers = whole.members(stack(PROD, SCALED), "inference")
    plain, *beside = service("chat", fixed, servers)
    deployment, *same = service("chat", _service(), servers)
    assert beside == same
    assert deployment["spec"] == plain["spec"]
    assert deployment["metadata"]["annotations"].items() - plain["metadata"]["annotations"].items() == {
        ("podwright.io/replicas", "autoscaler")
    }
    assert monitor("chat", fixed) == monitor("chat", _service())


@pytest.mark.parametrize(("load_seconds", "given", "seconds"), [
    (None, None, 1200), (10, None, 300), (3000, None, 3600), (10, 60, 60),
])  # fmt: skip
def test_a_replica_stays_twice_as_long_as_it_loads(load_seconds: int | None, given: int | None, seconds: int) -> None:
    scale = {"max": 6, "stay_seconds": given}
    assert stay(_service(load_seconds=load_seconds, scale=scale)) == seconds


def test_monitoring_of_user_projects_is_one_line_before_where_the_pods_go() -> None:
    text = monitoring(Infrastructure(pool="infra"), users=True)["data"]["config.yaml"]
    assert (
        text
        == "enableUserWorkload: true\n" + monitoring(Infrastructure(pool="infra"), users=False)["data"]["config.yaml"]
    )
    assert monitoring(None, users=True)["data"] == {"config.yaml": "enableUserWorkload: true\n"}


def test_who_scales_is_told_of_monitoring_that_nothing_switches_on() -> None:
    words = "set openshift.user_workload_monitoring: true"
    assert any(words in each for each in findings(stack(PROD, SCALED)))
    assert not any(words in each for each in findings(stack(PROD, both())))
    on = both(SCALED, put("openshift/user_workload_monitoring", True))
    assert not any(words in each for each in findings(stack(PROD, on)))


def test_keda_comes_before_services_that_scale_and_leaves_their_replicas_alone() -> None:
    seen = register(stack(PROD, both(SCALED, put("openshift/user_workload_monitoring", True))))
    (controller,), (scaled,) = of(seen, f"{KEDA}:KedaController"), of(seen, f"{KEDA}:ScaledObject")
    assert all_before(seen, controller, [named(seen, "autoscaler-install")])
    assert all_before(seen, scaled, [controller])
    left = {each.inputs["metadata"]["name"]: each.ignored for each in of(seen, "kubernetes:apps/v1:Deployment")}
    assert left == {"chat": ("spec.replicas",), "embed": ()}
    (config,) = (each for each in of(seen, "kubernetes:core/v1:ConfigMap")
                 if each.inputs["metadata"]["name"] == "cluster-monitoring-config")  # fmt: skip
    assert config.inputs["data"]["config.yaml"].startswith("enableUserWorkload: true\n")


def test_a_stack_without_the_key_plans_nothing_of_it() -> None:
    before = register(load(ROOT / "Pulumi.prod.yaml"))
    assert not [
        each for each in before.values() if "keda" in str(each.inputs) or "enableUserWorkload" in str(each.inputs)
    ]
