"""The policy about RuntimeClasses of the GPU operator: where there is one, and whom it leaves out."""

from podwright.components import model
from podwright.components.design import operators
from podwright.components.design.platform import gpu_runtimes
from podwright.components.design.platform.training_pools import lawful
from tests.design.platform.test_admission import _cluster


def test_pods_that_are_made_are_asked_everywhere_but_in_the_system() -> None:
    cluster = _cluster()
    found = lawful(cluster.pools, cluster.servers, ["research"], ["nvidia-gpu-operator"], rdma=True)
    policy, binding = gpu_runtimes.policies(found)
    (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == (["pods"], ["CREATE"])
    (condition,) = policy["spec"]["matchConditions"]
    assert "'nvidia-gpu-operator'" in condition["expression"] and "'nvidia-'" not in condition["expression"]
    assert binding["spec"]["validationActions"] == ["Deny"]


def test_a_pool_of_inference_alone_has_it_and_a_cluster_without_gpus_has_not() -> None:
    serving = {"chat": model.Pool(purpose="inference")}
    assert len(list(gpu_runtimes.policies(lawful(serving, {}, (), None, rdma=False)))) == 2
    assert list(gpu_runtimes.policies(lawful({"work": model.Pool(purpose="cpu")}, {}, (), None, rdma=False))) == []


def test_the_operator_hands_gpus_out_by_cdi() -> None:
    section = _cluster().operators
    assert section is not None
    *_, policy = operators.gpus(section, ["NVIDIA-H200"], rdma=False, pools=[]).settings
    assert policy["spec"]["cdi"] == {"enabled": True}
