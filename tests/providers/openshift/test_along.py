"""What an operator's bundle depends on may come along in its plan, and nothing else."""

import pytest

from podwright.components.providers.openshift.operator import judge_plan
from podwright.components.providers.protocol.kind import ProviderError

PIN = "rhcl-operator.v1.4.3"
SPEC = {"csv": PIN, "dependencies": ["authorino-operator.v1.4.*", "dns-operator.v1.4.2"]}


@pytest.mark.parametrize(
    "along", [[], ["authorino-operator.v1.4.3"], ["authorino-operator.v1.4.9", "dns-operator.v1.4.2"]]
)
def test_patches_of_the_same_minor_version(along: list[str]) -> None:
    judge_plan(SPEC, [PIN, *along], "operator", "install-x")


@pytest.mark.parametrize("other", ["authorino-operator.v1.5.0", "dns-operator.v1.4.3", "keda.v2.0.0"])
def test_anything_else_is_refused(other: str) -> None:
    with pytest.raises(ProviderError, match=f"would also install {other}"):
        judge_plan(SPEC, [PIN, other], "operator", "install-x")
