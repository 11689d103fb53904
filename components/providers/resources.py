"""What layers import that belongs to no module of devices: the provider instance of a site, and joins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pulumi

from podwright.components.providers.reach import variable as secret_variable

__all__ = ["Join", "Podwright", "World", "secret_variable"]


class Podwright(pulumi.ProviderResource):
    """The provider instance of a site: one process that shares sessions, secrets and locks among all its resources.

    Each module of resources has a login, which gives the *name* of its secret: `nxos` ``{"user": "admin", "secret":
    "switch-admin", "drain": "maintenance"|"none"}`` (`drain`, optional: how a switch in service is written),
    `intersight` ``{"key_id", "secret", "endpoint": "intersight.com"}``, `redfish` ``{"user", "secret"}``, which
    installation and roll-outs reach BMCs with too. A resource whose module has no login here fails its preview.

    `secrets` optionally maps secret names to values (an Output marked secret). `world` is the id of the world that
    the stack's devices belong to; left out, it is that of the reach file in force at the first `up`, and stays so.
    `changes` limits how much a change may disturb: ``{"limit": "disruptive", "approve": [{"what": "two-ended", "on":
    ["leaf-01"], "until": "2026-11-23T06:00:00Z"}]}``; left out, nothing above disruptive passes. `places`, optional:
    where the stack file has each approval and where one for a server would stand, ``{"compute.roles.training": {"at":
    "Pulumi.lab.yaml:31", "on": ["gpu-01"]}}``; errors name it, and a change of it changes nothing.
    All must be known at preview: an instance with an unknown input previews nothing.
    """

    def __init__(  # noqa: PLR0913 - the instance's inputs, each by name
        self,
        name: str,
        *,
        nxos: Mapping[str, str] | None = None,
        intersight: Mapping[str, str] | None = None,
        redfish: Mapping[str, str] | None = None,
        secrets: pulumi.Input[Mapping[str, str]] | None = None,
        world: str | None = None,
        changes: Mapping[str, Any] | None = None,
        places: Mapping[str, Any] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        given: dict[str, Any] = {
            "nxos": nxos,
            "intersight": intersight,
            "redfish": redfish,
            "secrets": secrets,
            "world": world,
            "changes": changes,
            # As one text: the engine writes every value of an instance's inputs three times for each resource of it.
            "places": None if places is None else json.dumps(places, separators=(",", ":")),
        }
        super().__init__("podwright", name, {k: v for k, v in given.items() if v is not None}, opts)


class Join(pulumi.CustomResource):
    """The end of a wave or a layer: exists once all it depends on does, and stands for that in one dependency.

    `spec`: ``{"schema": 1, "cluster", "ends": what ends here, in words}``. It reaches no device. `defined`: what led
    to all of it, as JSON: the last that was brought about whole, which `podwright undo` goes back to.
    """

    spec: pulumi.Output[dict[str, Any]]
    ready: pulumi.Output[str]
    """The join's name; known in preview."""

    def __init__(
        self,
        name: str,
        spec: Mapping[str, Any],
        opts: pulumi.ResourceOptions | None = None,
        defined: pulumi.Input[str] | None = None,
    ) -> None:
        given = {"spec": dict(spec), "ready": name, **({} if defined is None else {"defined": defined})}
        super().__init__("podwright:index:Join", name, given, opts)


class World(pulumi.CustomResource):
    """Where a stack may leave its mark; made first, and deleted last if every device answers that it has none.

    `spec`: ``{"schema": 1, "cluster", "switches": {hostname: {"management", "credential"}}, "intersight": bool,
    "installation": {"cluster", "publish"} or {}, "servers": {host: {"serial"}}, "domains": {name: {"A", "B"}}}``; a
    switch may have `serial`, a server `bmc` and `node`, both `renamed_from`. Give `before` as a transformation to what
    must come after it.
    """

    spec: pulumi.Output[dict[str, Any]]

    def __init__(self, name: str, spec: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("podwright:index:World", name, {"spec": dict(spec)}, opts)

    def before(self, args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        """Make a resource that waits for nothing wait for this one."""
        if args.opts.depends_on or args.resource is self or isinstance(args.resource, pulumi.ComponentResource):
            return None
        options = pulumi.ResourceOptions.merge(args.opts, pulumi.ResourceOptions(depends_on=[self]))
        return pulumi.ResourceTransformationResult(args.props, options)
