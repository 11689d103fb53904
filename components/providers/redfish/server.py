"""A server over Redfish: BIOS attributes staged, power as said, nothing else touched.

Settings are matched by the machine's own attribute registry (`attributes`). One that the machine lacks is listed in
`unsupported` and warned of, and stops nothing: the next refresh looks again.

What is not said is not ours: a spec without `power` never presses a button. Destroying the resource leaves the
machine exactly as it stands. Its power is not cut, because by then it may serve somebody else, and its BIOS is not
"restored", because a firmware default and what was set before us are not the same thing and a reset would be needed
to find out; what stays set is listed instead.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.protocol.difference import leaf_difference
from podwright.components.providers.protocol.kind import (
    UNKNOWN,
    CheckContext,
    Context,
    Created,
    Difference,
    Failure,
    Incomplete,
    Kind,
    Path,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import devices_of, judge_spec
from podwright.components.providers.redfish import firmware
from podwright.components.providers.redfish.attributes import Matched, match, plainly, same, sentences, shown
from podwright.components.providers.redfish.boot import reached
from podwright.components.providers.redfish.machine import Machine, OtherMachineError, in_thread, opened
from podwright.components.providers.redfish.staging import staged

REQUIRED: Mapping[str, type] = {
    "name": str,
    "address": str,
    "serial": str,
    "model": str,
    "credential": str,
}
OPTIONAL: Mapping[str, type] = {
    "generation": int,
    "bios": dict,
    "firmware": dict,
    "power": str,
}


class ServerKind(Kind):
    """``podwright:redfish:Server``."""

    token = "podwright:redfish:Server"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys, types, an address that is one. BIOS names are the machine's own and judged when it is reached."""
        del ctx
        found = judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)
        if found:
            return found
        spec = inputs["spec"]
        if spec.get("power", "On") not in ("On", "Off"):
            found.append(Failure(("spec", "power"), f"must be On or Off, not {spec['power']!r}"))
        try:
            ipaddress.ip_address(spec["address"])
        except ValueError:
            found.append(Failure(("spec", "address"), f"{spec['address']!r} is no IP address"))
        for name, value in (spec.get("bios") or {}).items():
            if not isinstance(value, str | int | float | bool):
                found.append(Failure(("spec", "bios", name), "a BIOS attribute is a text, a number or a boolean"))
        return found + (firmware.judge(spec["firmware"]) if "firmware" in spec else [])

    def devices(self, inputs: Values) -> Mapping[Path, str]:
        """The address of its controller, and its chassis."""
        return devices_of(inputs["spec"], "address", "serial")

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf, and all of it an update: nothing on the machine has a name of ours."""
        del outputs
        return leaf_difference(old_inputs, new_inputs).without(("spec", "schema"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """What waits for a reset is the machine's to tell; its identity is known once it was met."""
        known = outputs or {}
        same_machine = known.get("serial") == inputs["spec"]["serial"]
        return {
            **inputs,
            "uuid": known.get("uuid", UNKNOWN) if same_machine else UNKNOWN,
            "serial": inputs["spec"]["serial"],
            "pending": UNKNOWN,
            "unsupported": UNKNOWN,
            "power_state": UNKNOWN,
            **({"firmware": UNKNOWN} if "firmware" in inputs["spec"] else {}),
        }

    def unfinished(self, outputs: Values) -> list[str]:
        """Settings that the machine was found to lack."""
        return sentences(str((outputs.get("spec") or {}).get("name")), outputs.get("unsupported") or {})

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Check who answers, stage what differs, switch on if said."""
        return Created(str(inputs["spec"]["name"]), await self._put(inputs, ctx))

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """As create. Attributes no longer said keep their value and are no longer ours."""
        del id, outputs
        dropped = set(_bios(old_inputs)) - set(_bios(inputs))
        if dropped:
            ctx.log(f"{inputs['spec']['name']}: no longer ours, left as set: {', '.join(sorted(dropped))}")
        return await self._put(inputs, ctx)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """BIOS as it will be after the next reset, power as it is. A setting that the machine lacks is no drift."""
        del id
        spec, known = inputs["spec"], outputs
        async with opened(ctx, spec, spec["address"]) as machine:
            try:
                look = await in_thread(lambda: _Look(machine, inputs))
            except OtherMachineError as other:
                # Replaced: a refresh says so, and the update that names the new serial number sets it up.
                ctx.warn(str(other))
                now = {**spec, "serial": ", ".join(other.serials)}
                return Read({**inputs, "spec": now}, {**known, "spec": now, "serial": now["serial"]})
        seen = dict(spec)
        if "bios" in spec:
            seen["bios"] = {**_bios(inputs), **look.live()}
        if "power" in spec:
            seen["power"] = look.power
        _warn(ctx, spec, look)
        return Read({**inputs, "spec": seen}, {**look.outputs(inputs), "spec": seen})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Let go of the machine as it stands; needs no contact, so a machine that is gone stops no destroy."""
        del outputs
        if remaining := sorted(_bios(inputs)):
            ctx.log(f"{id}: left as it stands; BIOS attributes that stay set: {', '.join(remaining)}")

    async def _put(self, inputs: Values, ctx: Context) -> dict[str, Any]:
        async with opened(ctx, inputs["spec"], inputs["spec"]["address"]) as machine:
            return await self._put_on(machine, inputs, ctx)

    async def _put_on(self, machine: Machine, inputs: Values, ctx: Context) -> dict[str, Any]:
        spec = inputs["spec"]
        look = await in_thread(lambda: _Look(machine, inputs))
        _warn(ctx, spec, look)
        stage = look.matched.to_stage(look.future)
        if stage:
            ctx.stop_here(f"staging BIOS attributes on {spec['name']}")
            ctx.log(f"{spec['name']}: staging {', '.join(sorted(stage))}")
            await staged(machine, stage, ctx)
        wanted = spec.get("power", look.power)
        reasons: list[str] = []
        if wanted != look.power:
            ctx.stop_here(f"switching {spec['name']} {wanted}")
            try:
                await in_thread(lambda: machine.press("On" if wanted == "On" else "GracefulShutdown"))
                await reached(machine, wanted, ctx)
            except ProviderError as late:
                reasons.append(str(late))
        after = await in_thread(lambda: _Look(machine, inputs, look.matched))
        lost = [name for name in stage if not same(stage[name], after.future.get(name))]
        reasons += [f"{spec['name']}: the BMC did not keep BIOS attribute {name} as staged" for name in lost]
        if reasons:
            raise Incomplete(spec["name"], after.outputs(inputs), reasons)
        return after.outputs(inputs)


class _Look:
    """A machine as it stands, and its settings in its own words; reads it at once. `matched` from an earlier look."""

    def __init__(self, machine: Machine, inputs: Values, matched: Matched | None = None) -> None:
        self.wanted = wanted = _bios(inputs)
        self.current, waiting = machine.bios() if wanted else ({}, {})
        self.future = {**self.current, **waiting}
        # A registry is some megabytes: not read where every attribute has our name and value already.
        needed = matched is None and not plainly(wanted, self.future)
        self._registry = machine.registry() if needed and self.future else None
        self.matched = matched or match(wanted, self.future, self._registry)
        self.power, self.uuid, self.serial = machine.power(), machine.uuid, machine.serial
        approved = inputs["spec"].get("firmware")
        self.firmware = machine.firmware(approved["components"]) if approved else None

    def live(self) -> dict[str, Any]:
        """The settings as they will be, in our words."""
        return {
            name: shown(each, self.future, self._registry, self.wanted[name])
            for name, each in self.matched.found.items()
        }

    def outputs(self, inputs: Values) -> dict[str, Any]:
        """What the resource shows."""
        found = self.matched.found.items()
        return {
            **inputs,
            "uuid": self.uuid,
            "serial": self.serial,
            "pending": {
                name: self.wanted[name] for name, each in found if not same(each.value, self.current.get(each.id))
            },
            "unsupported": dict(self.matched.unsupported),
            "power_state": self.power,
            **({"firmware": self.firmware} if self.firmware is not None else {}),
        }


def _bios(inputs: Values) -> dict[str, Any]:
    return dict((inputs.get("spec") or {}).get("bios") or {})


def _warn(ctx: Context, spec: Mapping[str, Any], look: _Look) -> None:
    said = sentences(spec["name"], look.matched.unsupported)
    if look.firmware is not None:
        said += firmware.sentences(spec["name"], spec["firmware"], look.firmware)
    for sentence in said:
        ctx.warn(sentence)
