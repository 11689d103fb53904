"""What a client reads of a profile's state: ConfigContext, ConfigChanges, change details and results."""

from __future__ import annotations

from typing import Any

from podwright.lab.intersight.runs import PROFILE
from podwright.lab.intersight.store import Mo, Store, ref


class States:
    """Writes the state of profiles for clients to read."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def show(
        self,
        profile: Mo,
        state: str,
        summary: str,
        reasons: list[str] | None = None,
        *,
        control: str = "No-op",
        change: str = "Ok",
        error: str = "",
    ) -> None:
        """State, its summary, why it is inconsistent, the action under way and how it failed. No changes pend."""
        oper = {"Associated": "Ok", "Failed": "Failed"}.get(state, state)
        context = {"ConfigState": state, "ConfigStateSummary": summary, "ControlAction": control, "ErrorState": error}
        self._write(
            profile,
            "ConfigContext",
            "policy.ConfigContext",
            context | {"OperState": oper, "InconsistencyReason": reasons or []},
        )
        self._write(profile, "ConfigChangeContext", "policy.ConfigChangeContext", {"ConfigChangeState": change})
        self._changes(profile, [], [])

    def pending(self, profile: Mo, reasons: list[str], changes: set[str], costs: list[str]) -> None:
        """Why, which policy types differ from what is in force, and what it costs to bring them there."""
        drifted = "Out-of-sync" in reasons
        self.show(profile, "Out-of-sync" if drifted else "Pending-changes", "Inconsistent", reasons)
        self._changes(profile, sorted(changes), costs)
        if profile["ObjectType"] != PROFILE:
            return  # the other profiles' change details are types of their own, which are not modelled
        for name in sorted(changes):
            detail = {
                "Profile": ref(profile),
                "Changes": [name],
                "Disruptions": costs,
                "ConfigChangeFlag": "Drift-changes" if drifted else "Pending-changes",
                "ModStatus": "Modified",
                "Message": f"{name} differs from what is deployed.",
            }
            self._store.create("server.ConfigChangeDetail", detail)

    def _changes(self, profile: Mo, changes: list[str], costs: list[str]) -> None:
        self._write(profile, "ConfigChanges", "policy.ConfigChange", {"Changes": changes, "Disruptions": costs})
        for old in [d for d in self._store.of("server.ConfigChangeDetail") if d["Profile"] == ref(profile)]:
            self._store.remove(old)

    def _write(self, profile: Mo, name: str, kind: str, values: dict[str, Any]) -> None:
        self._store.update(
            profile, {name: {**(profile.get(name) or {}), **values, "ClassId": kind, "ObjectType": kind}}
        )

    def result(self, profile: Mo, state: str, message: str = "") -> None:
        """How the last deploy ended; `message` is the failed step's."""
        if profile["ObjectType"] != PROFILE:
            return
        old = self._store.target(profile.get("ConfigResult"))
        for entry in [e for e in self._store.of("server.ConfigResultEntry") if old and e["ConfigResult"] == ref(old)]:
            self._store.remove(entry)
        if old is not None:
            self._store.remove(old)
        values = {"Profile": ref(profile), "ConfigState": state, "ConfigStage": "Deploy"}
        result = ref(self._store.create("server.ConfigResult", values))
        self._store.update(profile, {"ConfigResult": result})
        if message:
            entry = {"ConfigResult": result, "State": "errored", "Type": "config", "Message": message}
            self._store.create("server.ConfigResultEntry", entry)


def state_of(profile: Mo) -> str:
    """ConfigState of a profile; empty before the first one was written."""
    return str((profile.get("ConfigContext") or {}).get("ConfigState") or "")
