"""The forms of ports that the lab has, and configurations as they are read from a switch of each."""

from __future__ import annotations

from podwright.components.providers.nxos.read.blocks import parse
from podwright.components.providers.nxos.read.ports import PortDefaults, stated_config
from podwright.components.providers.nxos.read.spelling import tidy_config
from podwright.components.providers.nxos.write.remediation import Config

FORMS = {
    "routed-shut": PortDefaults(layer2=False, up=False),
    "layer2-up": PortDefaults(layer2=True, up=True),
    "layer2-shut": PortDefaults(layer2=True, up=False),
    "routed-up": PortDefaults(layer2=False, up=True),
}


def config(text: str, form: str = "layer2-up") -> Config:
    """A configuration as it is read from a switch whose ports have this form."""
    return stated_config(tidy_config(parse(text)), FORMS[form])
