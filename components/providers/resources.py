"""One instance of the plugin: a process that shares sessions, secrets and locks among all resources of one
kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pulumi

from podwright.components.providers.reach import variable as secret_variable

__all__ = ["Podwright", "secret_variable"]

Module = Literal["nxos", "intersight", "redfish", "openshift"]


class Podwright(pulumi.ProviderResource):
    """The provider instance for one module; its name in the program is the module's.

    `credentials` name a login and the *name* of its secret: ``{"user": "admin", "secret": "switch-admin"}``
    or ``{"key_id": "...", "secret": "intersight-key"}``. `secrets` optionally maps secret names to values
    (an Output marked secret). `drain` (``maintenance`` or ``none``) says how a switch in service is written.
    All must be known at preview: an instance with an unknown input previews nothing.
    """

    def __init__(
        self,
        module: Module,
        credentials: Mapping[str, str] | None = None,
        secrets: pulumi.Input[Mapping[str, str]] | None = None,
        endpoint: str | None = None,
        drain: str | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        given: dict[str, Any] = {"credentials": credentials, "secrets": secrets, "endpoint": endpoint, "drain": drain}
        super().__init__("podwright", module, {k: v for k, v in given.items() if v is not None}, opts)
