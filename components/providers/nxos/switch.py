"""``podwright:nxos:Switch``: the owned blocks of one Nexus switch, and nothing else on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from podwright.components.changes.impact import Impact
from podwright.components.providers.nxos.inputs import switch_failures
from podwright.components.providers.nxos.pool import Pool, Terminal
from podwright.components.providers.nxos.read.access import refuse_lockout
from podwright.components.providers.nxos.read.blocks import parse_lines
from podwright.components.providers.nxos.read.facts import Facts, chassis_serial, check_model, check_serial, facts_of
from podwright.components.providers.nxos.read.health import Health, look
from podwright.components.providers.nxos.read.ports import PortDefaults, stated, wanted
from podwright.components.providers.nxos.read.resemblance import guarded, resembling
from podwright.components.providers.nxos.read.spelling import (
    fixed,
    header,
    hidden_default,
    is_blank,
    same,
    slot,
    tidy,
)
from podwright.components.providers.nxos.secret_lines import SecretLines, without_unknown
from podwright.components.providers.nxos.session import Address
from podwright.components.providers.nxos.texts import blocks_of, digest_of, in_words_of, upgraded
from podwright.components.providers.nxos.write.archive import keep
from podwright.components.providers.nxos.write.change import Change
from podwright.components.providers.nxos.write.claims import as_blocks, claimed, cut_off, refuse_edits, refuse_losses
from podwright.components.providers.nxos.write.disruption import changed, notices
from podwright.components.providers.nxos.write.names import refuse_another, renamed
from podwright.components.providers.nxos.write.ownership import Mark, mark_line, mark_of
from podwright.components.providers.nxos.write.push import Push, UnsavedError
from podwright.components.providers.nxos.write.remediation import Config
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
    Secret,
    Values,
)
from podwright.components.providers.protocol.shape import devices_of

TOKEN: Final = "podwright:nxos:Switch"


class Switch(Kind):
    """One resource per switch; `spec.config` names the blocks it owns whole."""

    token = TOKEN
    schema = 2
    """2: ports and port-channels say their layer and their admin state."""

    def __init__(self, pool: Pool | None = None, before: dict[str, Health] | None = None) -> None:
        self._pool = pool or Pool()
        self._before = {} if before is None else before
        """What switches in service were like right before they were written: what a soak compares with."""

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Shape only; whether the configuration is a good one is the design's and the policies' question."""
        del ctx
        return switch_failures(inputs.get("spec"))

    def devices(self, inputs: Values) -> Mapping[Path, str]:
        """Its management address, and its chassis where the spec names it."""
        return devices_of(inputs["spec"], "management", "serial")

    def upgrade(self, inputs: Values) -> Values:
        """Texts of schema 1 left out what a port was by default on the switches of then."""
        return upgraded(inputs, self.schema)

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """Leaf by leaf; a block that means the same in other words is no change.

        A serial number given for the first time changes nothing either: it only guards the next push. Nor does the end
        of a move: the stack that a switch came from leaves the spec once the mark is ours.
        """
        found = super().diff(in_words_of(new_inputs, old_inputs), new_inputs, outputs)
        if not (old_inputs.get("spec") or {}).get("serial"):
            found = found.without(("spec", "serial"))
        return found if (new_inputs.get("spec") or {}).get("moved_from") else found.without(("spec", "moved_from"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """Version and serial are known once the switch was asked; the digest is known from the spec."""
        known = outputs or {}
        return {
            **inputs,
            "digest": digest_of(blocks_of(inputs["spec"])),
            **{key: known.get(key, UNKNOWN) for key in ("version", "serial", "found")},
        }

    def impacts(self, old_inputs: Values, new_inputs: Values) -> Sequence[Impact]:
        """Line by line; a block that means the same in other words is no change."""
        return changed(old_inputs["spec"], new_inputs["spec"])

    def notices(self, old_inputs: Values, new_inputs: Values) -> Sequence[str]:
        """A network-qos change and a line that wants a reload, with the ports and GPUs they touch."""
        return tuple(notices(old_inputs["spec"], new_inputs["spec"]))

    async def close(self) -> None:
        """Hang up."""
        await self._pool.close()

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Claim the blocks and write them. A run that was killed is completed."""
        spec = inputs["spec"]
        outputs = await self._write(spec["hostname"], inputs, {}, {}, ctx)
        return Created(spec["hostname"], outputs)

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """Write what changed; blocks no longer named are taken away, or given back if they stood there before us."""
        return await self._write(id, inputs, old_inputs, outputs, ctx)

    async def _write(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        spec, before = inputs["spec"], old_inputs.get("spec", {})
        secrets = _secrets(ctx, blocks_of(spec), blocks_of(before))
        async with self._pool.terminal(_address(spec, ctx), ctx, secrets) as terminal:
            push = Push(terminal, ctx)
            facts = await _ask(terminal, spec, ctx)
            live = await push.begin(spec.get("moved_from") or "")
            secrets.make()
            unfinished = await push.checkpoints.before(push.ports)
            want, old = (wanted(blocks_of(each), push.ports) for each in (spec, before))
            former = before.get("hostname", "")
            refuse_another(spec, former, live, want, ctx)
            owned = claimed(spec, live, unfinished, want, old, outputs, ctx)
            if old:
                refuse_edits(spec["hostname"], live, want, old, ctx, unfinished=unfinished)
            taken = {slot(name) for name in want}
            back = {name: text for name, text in owned.found.items() if name in old and slot(name) not in taken}
            gone = tuple(name for name in old if name not in want and name not in back)
            mark = mark_line(ctx.identity, want, owned.places, spec["hostname"])
            named = renamed(spec, former, live, want)
            change = Change({mark: (), **named, **want, **wanted(as_blocks(back), push.ports)}, gone)
            refuse_losses(spec["hostname"], live, change, old)
            await refuse_lockout(await terminal.open(), want, change.gone)
            found = without_unknown({name: text for name, text in owned.found.items() if name not in back})
            result = {**inputs, **_outputs(facts, blocks_of(spec), found)}
            writes = bool(change.sections(live))
            in_service = bool(old) and writes
            if in_service:
                self._before[spec["hostname"]] = await look(await terminal.open())
            if writes and (why := await _kept(terminal, spec)):
                ctx.warn(f"{spec['hostname']}: its configuration was not kept before the push: {why}")
            try:
                await push.apply(change, live, drain=in_service and _drained(spec, ctx))
            except UnsavedError as unsaved:
                raise Incomplete(id, result, [str(unsaved)]) from None
            return result

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """The owned blocks as they stand. Gone when neither our mark nor any owned block is there."""
        del id
        spec = inputs["spec"]
        planned = blocks_of(spec)
        secrets = _secrets(ctx, planned, planned)
        async with self._pool.terminal(_address(spec, ctx), ctx, secrets) as terminal:
            facts = await _facts(terminal, spec)
            push = Push(terminal, ctx)
            live = await push.read()
            want = wanted(planned, push.ports)
            begun = await cut_off(push, live, want, ctx)
        empty = mark_of(live) == Mark() and not any(n in live and not is_blank(n, live[n]) for n in want)
        if empty and not begun.unsaved:
            return None
        # What a push of ours left half done is ours, and an update to the same spec takes it away again.
        config = live_config({**spec["config"], **begun.left}, live, push.ports)
        seen = {**inputs, "spec": {**spec, "config": config}}
        seen.pop("saved", None)
        if begun.unsaved:  # no program writes it, so the next update finds a difference and saves
            seen["saved"] = False
        if spec.get("serial") and facts.serial:
            seen["spec"]["serial"] = facts.serial
        existing = {n: live.get(n, tidy(n, ())) for n in want if n in live or fixed(n) or hidden_default(n)}
        existing |= {n: planned[n] for n, block in existing.items() if same(n, block, want[n])}
        return Read(seen, {**seen, **_outputs(facts, existing, {**outputs.get("found", {}), **begun.stood})})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Take the owned blocks away, our mark last; what stood there before us is given back as it was found."""
        del id
        spec = inputs["spec"]
        secrets = _secrets(ctx, {}, blocks_of(spec))
        async with self._pool.terminal(_address(spec, ctx), ctx, secrets) as terminal:
            push = Push(terminal, ctx)
            check_serial(spec, (await _facts(terminal, spec)).serial)
            live = await push.begin()
            back = wanted(as_blocks(outputs.get("found", {})), push.ports)
            mark = mark_of(live)
            if mark.identity and mark.identity != ctx.identity:
                ctx.warn(f"{spec['hostname']} belongs to the stack {mark.identity} now; nothing was removed from it")
                return
            if mark.name not in ("", spec["hostname"]):
                ctx.warn(f"{spec['hostname']} is {mark.name} of this stack now; nothing was removed from it")
                return
            gone = [name for name in blocks_of(spec) if name not in back]
            if mark.line:
                gone.append(mark.line)
            change = Change(back, tuple(gone))
            refuse_losses(spec["hostname"], live, change, blocks_of(spec))
            try:
                await push.apply(change, live)
            except UnsavedError as unsaved:
                raise ProviderError(str(unsaved)) from None


def live_config(config: Mapping[str, str], live: Config, ports: PortDefaults) -> dict[str, str | Secret]:
    """The spec's config as the switch holds it: the spec's own text where it means the same, the device's elsewhere.

    A block that is not there is left out, and one of the device's that may hold a password is marked secret.
    """
    found: dict[str, str | Secret] = {}
    for name, text in config.items():
        spelled = header(name)
        want = wanted({spelled: tidy(spelled, parse_lines(text))}, ports)[spelled]
        if spelled in live or fixed(spelled):
            now = live[spelled] if spelled in live else stated(spelled, tidy(spelled, ()), ports)
            found[name] = text if same(spelled, now, want) else guarded(resembling(spelled, text, now))
        elif hidden_default(spelled):
            found[name] = text
    return found


def _address(spec: Values, ctx: Context) -> Address:
    credentials = ctx.config.get("credentials")
    user = credentials.get("user", "") if isinstance(credentials, Mapping) else ""
    if not user:
        raise ProviderError(
            f"{spec['hostname']}: the nxos provider instance names no user; give it credentials with user and secret"
        )
    return Address(spec["hostname"], spec["management"], user, ctx.secret(spec["credential"]))


def _secrets(ctx: Context, want: Config, old: Config) -> SecretLines:
    return SecretLines(want, old, ctx.secret, ctx.resolved)


async def _kept(terminal: Terminal, spec: Values) -> str:
    return await keep(await terminal.open(), spec["archive"]) if spec.get("archive") else ""


def _drained(spec: Values, ctx: Context) -> bool:
    """A leaf's hosts have no other way: draining it would stop what it was to protect."""
    return ctx.config.get("drain") == "maintenance" and spec["role"] != "leaf"


async def _facts(terminal: Terminal, spec: Values) -> Facts:
    """What the switch is; of a serial number other than the spec's, the chassis has the last word."""
    session = await terminal.open()
    facts = facts_of(await session.show("show version"))
    if spec.get("serial") and facts.serial != spec["serial"]:
        return replace(facts, serial=chassis_serial(await session.show("show inventory")) or facts.serial)
    return facts


async def _ask(terminal: Terminal, spec: Values, ctx: Context) -> Facts:
    facts = await _facts(terminal, spec)
    check_serial(spec, facts.serial)
    check_model(spec["hostname"], spec["model"], facts)
    if facts.version and facts.version != spec["release"]:
        ctx.warn(f"{spec['hostname']} runs NX-OS {facts.version}, the spec was made for {spec['release']}")
    return facts


def _outputs(facts: Facts, blocks: Config, found: Mapping[str, str]) -> dict[str, Any]:
    return {
        "version": facts.version,
        "serial": facts.serial,
        "digest": digest_of(blocks),
        "found": {name: guarded(text) for name, text in sorted(found.items())},
    }
