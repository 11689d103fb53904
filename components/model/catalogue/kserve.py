"""Which KServe a release of Red Hat OpenShift AI brings, and which fields its API has: `kserve.toml`."""

from pathlib import Path

from podwright.components.model.catalogue.operands import Operands

FILE = Path(__file__).with_name("kserve.toml")
_KSERVE = Operands(FILE)
operand = _KSERVE.operand
"""Minor release of KServe that a channel of rhods-operator brings."""
fields = _KSERVE.fields
"""Fields that a minor release of KServe has, of the parts that podwright writes."""
