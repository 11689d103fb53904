"""The life of a server profile: assign, deploy, activate, fall out of step with its policies, unassign.

    Not-assigned -- server --> Assigned -- Deploy --> Validating -> Configuring -> Associated
    Configuring -- the machine must restart, and nobody approved it --> Pending-changes (Not-activated)
    Pending-changes (Not-activated) -- Activate --> Configuring (Activating) -- boot --> Associated
    Associated -- a policy changes --> Validating (Evaluating) -> Pending-changes (Not-deployed) -- Deploy --> ...
    Associated -- the machine's BIOS is changed behind its back --> Out-of-sync

States and words are those of `policy.ConfigContext`; which InconsistencyReason goes with which state is inferred.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.lab.intersight import effects, errors
from podwright.lab.intersight.admission import BUSY, action_in
from podwright.lab.intersight.clock import Clock
from podwright.lab.intersight.leases import Leases
from podwright.lab.intersight.runs import ASSIGNED, PROFILE, RELEASED, Runs, hardware, what
from podwright.lab.intersight.settings import press
from podwright.lab.intersight.states import States, state_of
from podwright.lab.intersight.store import Mo, Store, ref
from podwright.lab.intersight.workflows import Workflows
from podwright.lab.world.model import Server, World

RECHECK_SECONDS = 0.5
TASKS = ("Validate", "Configure", "Activate")


@dataclass
class Timing:
    """Seconds that a workflow's steps take."""

    validate: float = 0.2
    configure: float = 0.3
    activate_timeout: float = 60.0


class Deployer:
    """Hooks of the service and listener of the world. All methods run under the service's lock.

    `machine` finds the world's server behind an inventory object. `fail_next` makes the next deploy fail so.
    `in_force` are told of every profile whose deploy is through, `released` of one that still names what it lets go.
    """

    def __init__(self, store: Store, world: World, clock: Clock, machine: Callable[[Mo | None], Server | None]) -> None:
        self._store = store
        self._world = world
        self._clock = clock
        self._machine = machine
        self._states = States(store)
        self.runs = Runs()
        self.workflows = Workflows(store)
        self.leases = Leases(store)
        self.timing = Timing()
        self.fail_next: str | None = None
        self.in_force: list[Callable[[Mo], None]] = []
        self.released: list[Callable[[Mo], None]] = []

    def _server(self, profile: Mo) -> Server | None:
        return self._machine(self._store.target(hardware(profile)))

    def _profiles(self) -> list[Mo]:
        return [profile for kind in ASSIGNED for profile in self._store.of(kind)]

    # --- what follows from a write ----------------------------------------------------------------------------

    def after(self, mo: Mo, values: Mapping[str, Any]) -> None:
        """Start actions, follow assignments, notice changed policies."""
        if mo["ObjectType"] not in ASSIGNED:
            self.revalidate()
            return
        scheduled = values.get("ScheduledActions") or []
        run, action = self.runs.of(mo), action_in(values)
        run.proceed = any(a.get("Action") == "Activate" and a.get("ProceedOnReboot") for a in scheduled)
        # Both are orders, not settings: they read back as if nobody had given them.
        mo["Action"], mo["ScheduledActions"] = "No-op", []
        self.follow_assignment(mo)
        if action == "Deploy":
            self._deploy(mo)
        elif action == "Activate":
            run.workflow = self.workflows.start("Activate Server Profile", mo, TASKS)
            self._activate(mo)
        elif action == "Unassign":
            self._unassign(mo)
        else:
            self.revalidate()

    def follow_assignment(self, profile: Mo) -> None:
        """A profile that was given hardware is assigned; one that lost it is not."""
        if hardware(profile) and state_of(profile) in ("", "Not-assigned"):
            if profile["ObjectType"] == PROFILE:
                self._store.update(profile, {"ServerAssignmentMode": "Static"})
            self._states.show(profile, "Assigned", "Assigned")
        elif not hardware(profile) and state_of(profile) != "Not-assigned":
            self._states.show(profile, "Not-assigned", "Not-assigned")

    def revalidate(self) -> None:
        """Profiles whose policies are no longer those that were last looked at begin to validate the change."""
        known: dict[str, str] = {}
        for profile in self._profiles():
            run = self.runs.of(profile)
            if run.deployed is None or state_of(profile) in BUSY:
                continue
            now = effects.digests(self._store, profile, known)
            if now != run.seen:
                run.seen = now
                self._states.show(profile, "Validating", "Evaluating", change="Validating-change")
                self._later(self.timing.validate, self._judge, profile)

    def _later(self, seconds: float, step: Callable[[Mo], None], profile: Mo) -> None:
        self._clock.after(seconds, lambda: step(profile))

    def _judge(self, profile: Mo) -> None:
        """The change is understood: it is none after all, or it is pending."""
        server, run = self._server(profile), self.runs.of(profile)
        if state_of(profile) != "Validating" or run.deployed is None:
            return
        run.seen = effects.digests(self._store, profile)
        changed = run.changed(run.seen)
        if changed:
            costs = effects.disruptions(self._store, profile, run.deployed, run.seen, self._world, server)
            reasons = ["Not-activated"] * run.needs_reboot + ["Not-deployed"]
            self._states.pending(profile, reasons, changed, ["Reboot"] if run.needs_reboot else costs)
        elif run.needs_reboot:
            self._states.pending(profile, ["Not-activated"], set(), ["Reboot"])
        else:
            self._states.show(profile, "Associated", "Associated")

    # --- deploy -----------------------------------------------------------------------------------------------

    def _deploy(self, profile: Mo) -> None:
        run = self.runs.of(profile)
        run.workflow = self.workflows.start(f"Deploy {what(profile)} Profile", profile, TASKS)
        self.workflows.reached(run.workflow, "Validate")
        self._states.show(profile, "Validating", "Validating", control="Deploy")
        self._later(self.timing.validate, self._configure, profile)

    def _configure(self, profile: Mo) -> None:
        run = self.runs.of(profile)
        if run.workflow is None:
            return
        try:
            self.leases.take(profile)
        except errors.ApiError as problem:
            self._fail(profile, problem.message, "Validation-error")
            return
        self.workflows.reached(run.workflow, "Configure")
        self._states.show(profile, "Configuring", "Configuring", control="Deploy")
        self._later(self.timing.configure, self._configured, profile)

    def _configured(self, profile: Mo) -> None:
        run, server = self.runs.of(profile), self._server(profile)
        if run.workflow is None:
            return
        if self.fail_next is not None:
            reason, self.fail_next = self.fail_next, None
            self._fail(profile, reason, "Config-error")
            return
        now = effects.digests(self._store, profile)
        changed = run.changed(now)
        if server is not None:
            staged = effects.configure(self._store, profile, self._world, server)
            run.needs_reboot |= staged or effects.need_reboot(run.deployed or {}, now)
        run.deployed = run.seen = now
        run.boot_order_staged = copy.deepcopy(effects.policies(self._store, profile).get("boot.PrecisionPolicy"))
        if not run.needs_reboot:
            self._finish(profile)
        elif run.proceed:
            self._activate(profile)
        else:
            self._end_workflow(profile)
            self._states.pending(profile, ["Not-activated"], changed, ["Reboot"])

    def _activate(self, profile: Mo) -> None:
        """Restart the machine; `booted` says when it came back."""
        run, server = self.runs.of(profile), self._server(profile)
        if run.workflow is None or server is None:
            return
        workflow = run.workflow
        self.workflows.reached(workflow, "Activate")
        self._states.show(profile, "Configuring", "Activating", control="Activate")
        self._clock.after(self.timing.activate_timeout, lambda: self._overdue(profile, workflow, server))
        on = self._world.host(server.name).power == "On"
        press(self._world, server.name, "ForceRestart" if on else "On")

    def _overdue(self, profile: Mo, workflow: Mo, server: Server) -> None:
        """A restart that the world still runs, and that should be through by now, is late because we are busy."""
        if self.runs.of(profile).workflow is not workflow:
            return
        late = self._world.post_seconds < self.timing.activate_timeout
        if late and self._world.host(server.name).state == "post":
            self._clock.after(RECHECK_SECONDS, lambda: self._overdue(profile, workflow, server))
        else:
            self._fail(profile, "The server did not come up in time after the reboot.", "Config-error")

    def booted(self, server_name: str) -> None:
        """A server came through its self-test: what was deployed to it is in force now."""
        for profile in self._store.of(PROFILE):
            server, run = self._server(profile), self.runs.of(profile)
            if server is None or server.name != server_name or run.deployed is None:
                continue
            if run.needs_reboot and state_of(profile) != "Validating":
                run.needs_reboot = False
                self._finish(profile)
            elif state_of(profile) == "Associated":
                self._look_for_drift(profile, server)

    def _look_for_drift(self, profile: Mo, server: Server) -> None:
        live, run = self._world.bios(server.name), self.runs.of(profile)
        wanted = effects.bios_wanted(self._store, profile, server, effects.c845a_checked(self._world))
        if run.deployed is not None and any(live.get(name) != value for name, value in wanted.items()):
            run.deployed = {**run.deployed, "bios.Policy": "changed on the endpoint"}
            self._states.pending(profile, ["Out-of-sync"], {"bios.Policy"}, ["Reboot"])

    def _end_workflow(self, profile: Mo, failure: str | None = None) -> None:
        run = self.runs.of(profile)
        if run.workflow is not None:
            self.workflows.end(run.workflow, failure)
            run.workflow = None

    def _finish(self, profile: Mo) -> None:
        """Everything deployed is in force (unless a policy changed meanwhile, which is judged afresh)."""
        run = self.runs.of(profile)
        self._end_workflow(profile)
        run.boot_order = run.boot_order_staged
        property_name = ASSIGNED[profile["ObjectType"]]
        values: Mo = {property_name.replace("Assigned", "Associated"): profile[property_name]}
        if profile["ObjectType"] == PROFILE:
            values |= {"DeployStatus": "Complete"}
        self._store.update(profile, values | {"DeployedPolicies": sorted(run.deployed or {})})
        self._states.show(profile, "Associated", "Associated")
        self._states.result(profile, "Applied")
        for told in self.in_force:
            told(profile)
        self.revalidate()

    def _fail(self, profile: Mo, reason: str, error: str) -> None:
        self._end_workflow(profile, reason)
        self._states.show(profile, "Failed", "Failed", error=error)
        self._states.result(profile, "Failed", reason)

    def boot_order(self, unit: Mo) -> Mo | None:
        """The boot order in force on a machine: that of its profile's last deploy that is through, reboot and all."""
        for profile in self._store.of(PROFILE):
            if profile.get("AssociatedServer") == ref(unit):
                return self.runs.of(profile).boot_order
        return None

    # --- release ----------------------------------------------------------------------------------------------

    def _unassign(self, profile: Mo) -> None:
        run = self.runs.of(profile)
        run.workflow = self.workflows.start(f"Unassign {what(profile)} Profile", profile, ("Unconfigure",))
        self.workflows.reached(run.workflow, "Unconfigure")
        self._states.show(profile, "Configuring", "UnConfiguring", control="Unbind")
        self._later(self.timing.configure, self._unassigned, profile)

    def _unassigned(self, profile: Mo) -> None:
        self._end_workflow(profile)
        for told in self.released:
            told(profile)
        self.runs.forget(profile)
        server = self._server(profile)
        if server is not None:
            with self._world.lock:
                host = self._world.host(server.name)
                host.bios_pending.clear()
                host.uuid_pending = "" if host.uuid else None
        self.leases.release(profile)
        assigned = ASSIGNED[profile["ObjectType"]]
        empty: Mo = {assigned: None, assigned.replace("Assigned", "Associated"): None, "DeployedPolicies": []}
        self._store.update(profile, empty | dict(RELEASED.get(profile["ObjectType"], {})))
        self._states.show(profile, "Not-assigned", "Not-assigned")

    def deleting(self, mo: Mo) -> None:
        """A profile gives back what it leased before it goes."""
        if mo["ObjectType"] in ASSIGNED:
            self.leases.release(mo)

    def forsaken(self) -> None:
        """Profiles whose machine left the account have none."""
        for profile in self._profiles():
            if not hardware(profile) and state_of(profile) not in ("", "Not-assigned"):
                self._end_workflow(profile, "The device left the account.")
                self.runs.forget(profile)
                self._states.show(profile, "Not-assigned", "Not-assigned")

    def deleted(self, mo: Mo) -> None:
        """Profiles notice what they lost."""
        self.runs.forget(mo)
        self.revalidate()

    def overlay(self, profile: Mo) -> Mapping[str, Any]:
        """Workflows that run for this profile."""
        return {"RunningWorkflows": [ref(w) for w in self.workflows.running(profile)]}
