"""The certificate of a management controller: a policy of one server, its key by name alone."""

import base64

import pytest

from podwright.components.model import Cluster
from podwright.components.model.certificate import ControllerCertificate
from tests.certificates import made
from tests.design import whole
from tests.design.compute.test_compute import _cluster, _failures

POLICY = "certificatemanagement.Policy"


def certified(stack: str, **keys: ControllerCertificate) -> Cluster:
    cluster = _cluster(stack)
    own = {name.replace("_", "-"): each for name, each in keys.items()}
    servers = {
        name: server.model_copy(update={"certificate": own.get(name)}) for name, server in cluster.servers.items()
    }
    return cluster.model_copy(update={"servers": servers})


@pytest.mark.parametrize("stack", ["lab", "prod"])
def test_each_server_has_a_policy_of_its_own_with_its_key_by_name(stack: str) -> None:
    pem, _ = made("cp-01.example.com")
    shown = {
        "cp_01": ControllerCertificate(certificate=pem, key="imc-1"),
        "cp_02": ControllerCertificate(certificate=pem, key="imc-2", generation=3),
    }
    plan = whole.compute(certified(stack, **shown))
    policies = {each.name: each for each in plan.policies if each.object_type == POLICY}
    assert sorted(each.rpartition("certificate-")[2] for each in policies) == ["cp-01", "cp-02"]
    assert [line for each in policies.values() for line in _failures("Policy", each.spec("o"))] == []
    keys = {name: each.properties["Certificates"][0]["Privatekey"] for name, each in policies.items()}
    assert sorted(keys.values()) == ["{{secret:imc-1#1}}", "{{secret:imc-2#3}}"]
    for each in policies.values():
        (only,) = each.properties["Certificates"]
        assert base64.b64decode(only["Certificate"]["PemCertificate"]).decode() == pem
    for profile in plan.profiles:
        listed = [each["name"] for each in profile.spec["policies"] if each["object_type"] == POLICY]
        assert [name.rpartition("certificate-")[2] for name in listed] == [profile.name] * (
            profile.name in ("cp-01", "cp-02")
        )
