"""A blade that its slot names: what a preview knows of it, and what the stack's outputs say."""

from podwright.components import model
from tests.components.recording import register, unknown
from tools.generated import ROOT


def test_the_serial_number_of_a_blade_that_its_slot_names_is_an_output() -> None:
    seen = register(model.load(ROOT / "tests/examples/chassis/Pulumi.chassis.yaml"))
    servers = {each.name: each for each in seen.values() if each.type == "podwright:index:ServerProfile"}
    assert unknown(servers["chassis-inf-12"].outputs["serial"])
    assert servers["chassis-inf-11"].outputs["serial"] == "FCH00000011"
    (bound,) = (each for each in seen.values() if each.custom and each.parent == servers["chassis-inf-12"].urn)
    assert bound.inputs["spec"]["serial"] == "FOX00000043/3"
