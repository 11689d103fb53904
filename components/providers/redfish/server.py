"""A server over Redfish: BIOS attributes staged, power as said, nothing else touched.

What is not said is not ours: a spec without `power` never presses a button. Destroying the resource leaves the
machine exactly as it stands. Its power is not cut, because by then it may serve somebody else, and its BIOS is not
"restored", because a firmware default and what was set before us are not the same thing and a reset would be needed
to find out; what stays set is listed instead.
"""

from __future__ import annotations

import difflib
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
from podwright.components.providers.redfish.boot import reached
from podwright.components.providers.redfish.machine import Machine, in_thread, open_machine

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
        return found

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
        return {
            **inputs,
            "uuid": known.get("uuid", UNKNOWN),
            "serial": inputs["spec"]["serial"],
            "pending": UNKNOWN,
            "power_state": UNKNOWN,
        }

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
        """BIOS as it will be after the next reset, power as it is."""
        del id, outputs
        spec = inputs["spec"]
        machine = open_machine(ctx, spec, spec["address"])
        current, waiting, power, uuid = await in_thread(lambda: _look(machine))
        future = {**current, **waiting}
        seen = dict(spec)
        if "bios" in spec:
            seen["bios"] = {
                name: value if _same(value, future[name]) else future[name]
                for name, value in _bios(inputs).items()
                if name in future
            }
        if "power" in spec:
            seen["power"] = power
        outputs_now = _outputs(inputs, current, power, uuid, machine.serial)
        return Read({**inputs, "spec": seen}, {**outputs_now, "spec": seen})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Let go of the machine as it stands; needs no contact, so a machine that is gone stops no destroy."""
        del outputs
        if remaining := sorted(_bios(inputs)):
            ctx.log(f"{id}: left as it stands; BIOS attributes that stay set: {', '.join(remaining)}")

    async def _put(self, inputs: Values, ctx: Context) -> dict[str, Any]:
        spec = inputs["spec"]
        machine = open_machine(ctx, spec, spec["address"])
        current, waiting, power, uuid = await in_thread(lambda: _look(machine))
        stage = _to_stage(spec["name"], _bios(inputs), current, waiting)
        if stage:
            ctx.stop_here(f"staging BIOS attributes on {spec['name']}")
            ctx.log(f"{spec['name']}: staging {', '.join(sorted(stage))}")
            await in_thread(lambda: machine.stage_bios(stage))
        wanted = spec.get("power", power)
        reasons: list[str] = []
        if wanted != power:
            ctx.stop_here(f"switching {spec['name']} {wanted}")
            try:
                await in_thread(lambda: machine.press("On" if wanted == "On" else "GracefulShutdown"))
                await reached(machine, wanted, ctx)
            except ProviderError as late:
                reasons.append(str(late))
        current, waiting, power, uuid = await in_thread(lambda: _look(machine))
        outputs = _outputs(inputs, current, power, uuid, machine.serial)
        lost = [name for name in stage if not _same(stage[name], {**current, **waiting}.get(name))]
        reasons += [f"{spec['name']}: the BMC did not keep BIOS attribute {name} as staged" for name in lost]
        if reasons:
            raise Incomplete(spec["name"], outputs, reasons)
        return outputs


def _look(machine: Machine) -> tuple[dict[str, Any], dict[str, Any], str, str]:
    current, waiting = machine.bios()
    return current, waiting, machine.power(), machine.uuid


def _bios(inputs: Values) -> dict[str, Any]:
    return dict((inputs.get("spec") or {}).get("bios") or {})


def _to_stage(
    name: str, want: Mapping[str, Any], current: Mapping[str, Any], waiting: Mapping[str, Any]
) -> dict[str, Any]:
    """The attributes that will not be as said after the next reset. Raises ProviderError for one it lacks."""
    future = {**current, **waiting}
    for attribute in want:
        if attribute not in future:
            near = difflib.get_close_matches(attribute, future, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ProviderError(f"{name}: this machine has no BIOS attribute {attribute!r}{hint}")
    return {
        attribute: _typed(value, future[attribute])
        for attribute, value in want.items()
        if not _same(value, future[attribute])
    }


def _typed(value: Any, like: Any) -> Any:
    """Whole numbers as integers: the engine has one number type, a BIOS has two."""
    if isinstance(value, float) and value.is_integer() and not isinstance(like, float):
        return int(value)
    return value


def _same(want: Any, live: Any) -> bool:
    if isinstance(want, bool) or isinstance(live, bool):
        return want is live
    return bool(want == live)


def _outputs(inputs: Values, current: Mapping[str, Any], power: str, uuid: str, serial: str) -> dict[str, Any]:
    pending = {n: v for n, v in _bios(inputs).items() if not _same(v, current.get(n))}
    return {**inputs, "uuid": uuid, "serial": serial, "pending": pending, "power_state": power}
