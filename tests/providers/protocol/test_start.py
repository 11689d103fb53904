"""What a plugin loads to check the inputs of every resource, which is all that a preview asks of it."""

import subprocess
import sys

from podwright.components.providers.protocol.registry import MODULES

OF_A_DEVICE = ("asyncssh", "hier_config", "pydantic", "kubernetes", "intersight", "sushy", "networkx", "scrapli")
"""Libraries that read or write devices, or that a stack file is validated with: a tenth of a second each, or more."""


def test_every_resource_is_checked_without_a_library_that_reaches_a_device() -> None:
    code = (
        "import sys; from importlib import import_module; import podwright.components.package\n"
        f"for name in {sorted(MODULES.values())}: import_module(name)\n"
        f"print([name for name in {OF_A_DEVICE} if name in sys.modules])"
    )
    started = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert started.stdout.strip() == "[]"
