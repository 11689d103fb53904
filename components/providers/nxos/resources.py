"""What the program registers: one resource per switch, what it must show then, and one per wave of a roll-out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi

from podwright.components.providers.nxos.read.expectations import compact


class Switch(pulumi.CustomResource):
    """The owned configuration of one Nexus switch; its id is the hostname.

    `spec` is fully known at preview (fields: components/providers/nxos/inputs.py). `after` takes outputs of other
    resources that must stand first; they are no part of the switch's configuration.
    """

    version: pulumi.Output[str]
    """The NX-OS release it runs, as it says itself."""
    serial: pulumi.Output[str]
    """Serial number, as the device says it."""
    digest: pulumi.Output[str]
    """Names the configuration as it stands: what acceptance runs are triggered by."""
    found: pulumi.Output[dict[str, str]]
    """Blocks that stood there before us, as they stood: destroying the stack gives them back."""

    def __init__(
        self,
        name: str,
        spec: pulumi.Input[Mapping[str, Any]],
        after: pulumi.Input[Any] = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        props: dict[str, Any] = {"spec": spec, **dict.fromkeys(("version", "serial", "digest", "found"))}
        if after is not None:
            props["after"] = after
        super().__init__("podwright:nxos:Switch", name, props, opts)


class Soak(pulumi.CustomResource):
    """The look at the switches of one wave, some time after they changed, that the next wave waits for.

    `spec` names the wave, the seconds to wait, and for each switch how it is reached and the digest of its
    configuration: only a wave that changed is soaked.
    """

    def __init__(
        self, name: str, spec: pulumi.Input[Mapping[str, Any]], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("podwright:nxos:Soak", name, {"spec": spec, "before": None}, opts)


class Verification(pulumi.CustomResource):
    """What a switch shows, held against what it must show: the update fails where they differ.

    `spec` says how the switch is reached, the seconds it may take to settle, by interface what it must show
    (components/design/fabric/verification.py), and the digests of all that can change it: then it looks again. What
    alike interfaces share is registered once (`expectations.py`).
    """

    unjudged: pulumi.Output[list[str]]
    """Ports that were down and may be: nobody knows what they would show."""

    def __init__(
        self,
        name: str,
        spec: Mapping[str, Any] | pulumi.Output[Mapping[str, Any]],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        made = spec.apply(compact) if isinstance(spec, pulumi.Output) else compact(spec)
        super().__init__("podwright:nxos:Verification", name, {"spec": made, "unjudged": None}, opts)
