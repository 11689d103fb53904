"""A controller's certificate on the lab: written with its key, read back without it, written again when it rotates."""

from __future__ import annotations

import base64

from podwright.components.design.compute.bucket import Bucket
from podwright.components.design.compute.certificates import certificate
from podwright.components.model.certificate import ControllerCertificate
from tests.certificates import made
from tests.design.compute.test_compute import _cluster
from tests.providers.intersight.conftest import BY_TOKEN, Driver, Stand

POLICY = BY_TOKEN["Policy"]


def driver(stand: Stand, pem: str, generation: int, **secrets: str) -> Driver:
    own = ControllerCertificate(certificate=pem, key="imc-key", generation=generation)
    server = _cluster("lab").servers["cp-01"].model_copy(update={"certificate": own})
    (policy,) = certificate("cp-01", server, Bucket("lab", {}))
    return Driver(stand, POLICY, policy.spec("default"), **secrets)


def key_in_force(stand: Stand) -> str:
    with stand.side.service.lock:
        (live,) = stand.store.of("certificatemanagement.Policy")
    return base64.b64decode(live["Certificates"][0]["Privatekey"]).decode()


async def test_a_key_is_in_no_state_and_a_raised_number_writes_the_next_one(stand: Stand) -> None:
    pem, first = made("cp-01.example.com")
    policy = driver(stand, pem, 1, **{"imc-key": first})
    outputs = await policy.create()
    assert key_in_force(stand) == first
    assert "PRIVATE KEY" not in str(outputs) and base64.b64encode(first.encode()).decode() not in str(outputs)
    assert await policy.drift() == []
    renewed, second = made("cp-01.example.com")
    later = driver(stand, renewed, 2, **{"imc-key": second})
    later.id, later.outputs = policy.id, policy.outputs
    after, later.inputs = later.inputs, policy.inputs
    await later.update(lambda spec: spec.update(after["spec"]))
    assert key_in_force(stand) == second
    assert await later.drift() == []
    assert not any("PRIVATE KEY" in line for line in (*stand.said, *stand.warned))
