"""What the engine knows of a stack: its outputs, and how the last acceptance run ended."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

IN_A_CLONE = (Path(__file__).resolve().parents[1] / "pyproject.toml").is_file()
"""False where this package is installed: the demo and its backend are the clone's."""

_SECRET_SIGNATURE = "4dabf18193072939515e22adb298388d"  # noqa: S105 - the key that marks a secret in exported state
_ACCEPTANCE = "command:local:Command"
_JOIN = "podwright:index:Join"
_REDFISH = "podwright:redfish:Server"
_PROFILE = "podwright:intersight:ServerProfile"
_PROVIDER = "pulumi:providers:podwright"
_INSTALL = "podwright:openshift:Install"


class StackError(Exception):
    """The engine does not show the stack; the message says why and what to do."""


@dataclass(frozen=True)
class Stack:
    """A stack's outputs in the clear, and the printed outcome of the acceptance run that the last `up` made."""

    outputs: Mapping[str, Any] = field(default_factory=dict)
    acceptance: str = ""
    ran: str = ""
    """When that was (RFC 3339), empty where none ran."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What the stack's configuration gives its provider instances."""
    world: str = ""
    """The world that its devices were made in, empty where none were or an earlier release made them."""

    defined: str = field(default="", repr=False)
    """What the last update that ended well was made from, as JSON; empty where none did, or by an earlier release."""
    resources: Sequence[Mapping[str, Any]] = field(default=(), repr=False)

    def specs(self, token: str) -> list[Mapping[str, Any]]:
        """`spec` of each resource of a type, as the state has it."""
        found = (each.get("inputs") or {} for each in self.resources if each["type"] == token)
        return [_plain(each["spec"]) for each in found if each.get("spec")]

    @property
    def manifests(self) -> tuple[Mapping[str, Any], ...]:
        """Every Kubernetes object that the last update made, and the fields that it has on those of others; without
        those that are for others to change once it is made."""
        made = (each for each in self.resources if each["type"].startswith("kubernetes:"))
        found = (_without(_plain(each.get("inputs") or {}), each.get("ignoreChanges") or ()) for each in made)
        return tuple(each for each in found if each.get("apiVersion") and each.get("kind") and each.get("metadata"))

    @property
    def unsupported(self) -> dict[str, Mapping[str, str]]:
        """By server that Redfish reaches: settings that its BIOS was found to lack, and why."""
        found = (_plain(each.get("outputs") or {}) for each in self.resources if each["type"] == _REDFISH)
        return {each["spec"]["name"]: each["unsupported"] for each in found if each.get("unsupported")}

    @property
    def machines(self) -> dict[str, list[str]]:
        """By server, the UUIDs of its machine as the last update met it: its own, and the one its profile gives it."""
        mine = (each for each in self.resources if each["type"] in (_REDFISH, _PROFILE))
        found: dict[str, list[str]] = {}
        for known in (_plain(each.get("outputs") or {}) for each in mine):
            uuids = [str(known[key]) for key in ("uuid", "hardware_uuid") if known.get(key)]
            found |= {known["spec"]["name"]: uuids} if uuids else {}
        return found

    def environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The environment of a command that reaches devices: as it is, and the stack's secrets where it has none."""
        from podwright.components.providers.status.live import given  # noqa: PLC0415 - brings SSH, which the check never needs

        return given(self.secrets, environ)

    @property
    def kubeconfig(self) -> str:
        """Empty as long as there is no cluster. After a first `up` that failed behind the installation a stack has no
        outputs, and its installation has the kubeconfig."""
        installed = (each.get("outputs") or {} for each in self.resources if each["type"] == _INSTALL)
        found = (self.outputs, *map(_plain, installed))
        return next((str(each["kubeconfig"]) for each in found if each.get("kubeconfig")), "")


def read(name: str) -> Stack:
    """Ask the engine. Raises StackError in words for people."""
    return parse(json.loads(_engine("stack", "export", "--show-secrets", stack=name)))


def deployment(name: str) -> Mapping[str, Any]:
    """A stack's state as the engine exports it, secrets encrypted. Raises StackError."""
    return json.loads(_engine("stack", "export", stack=name)).get("deployment") or {}


def configured(name: str, key: str) -> str:
    """A plain value of the stack's configuration, empty where it has none. Raises StackError."""
    given = json.loads(_engine("config", "--json", stack=name))
    return next((str(each.get("value") or "") for full, each in given.items() if full.endswith(f":{key}")), "")


def configure(name: str, key: str, value: str) -> None:
    """Write a plain value into the stack's configuration. Raises StackError."""
    _engine("config", "set", key, value, stack=name)


def _engine(*words: str, stack: str) -> str:
    """What `pulumi …` prints on the stack. Raises StackError."""
    done = subprocess.run(
        [*program(), *words, "--stack", stack, "--non-interactive"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or ["it printed nothing"]
        # The toolchain, where it starts Pulumi, says on a second line what to do.
        message = "\n".join(lines[:2] if lines[1:] and lines[1].startswith("  what to do: ") else lines[:1])
        hint = (
            f"The demo's stack is in a backend of its own: python3 -m toolchain run --demo -- podwright status {stack}"
            if IN_A_CLONE
            else "Its backend is what `pulumi login` or PULUMI_BACKEND_URL names; `pulumi stack ls` lists its stacks"
        )
        raise StackError(f"Pulumi does not show the stack {stack}: {message.removeprefix('error: ')}\n{hint}")
    return done.stdout


def parse(exported: Mapping[str, Any]) -> Stack:
    """A stack from its exported state."""
    outputs: Mapping[str, Any] = {}
    acceptance, ran, defined = "", "", ""
    resources = (exported.get("deployment") or {}).get("resources") or ()
    secrets: dict[str, str] = {}
    worlds: list[str] = []
    for resource in resources:
        if resource["type"] == "pulumi:pulumi:Stack":
            outputs = _plain(resource.get("outputs") or {})
        elif resource["type"] == _PROVIDER:
            inputs = resource.get("inputs") or {}
            secrets |= _plain(inputs.get("secrets") or {}) or {}
            worlds += [str(inputs["world"])] if inputs.get("world") else []
        elif resource["type"] == _JOIN and "defined" in (resource.get("inputs") or {}):
            defined = str(_plain(resource["inputs"]["defined"]) or "")
        elif resource["type"] == _ACCEPTANCE and _is_acceptance(resource["urn"]):
            acceptance = str(_plain(resource.get("outputs") or {}).get("stdout") or "")
            ran = str(resource.get("modified") or resource.get("created") or "")
    return Stack(outputs, acceptance, ran, secrets, next(iter(worlds), ""), defined, resources)


def _is_acceptance(urn: str) -> bool:
    """The run of a cluster's acceptance: named after the cluster, and by releases before plainly `acceptance`."""
    return urn.rpartition("::")[2].endswith("acceptance")


def prefix(environ: Mapping[str, str]) -> str:
    """What to type in front of a command: the toolchain's environment, where this process of a clone runs in it."""
    return "python3 -m toolchain run -- " if IN_A_CLONE and "PODWRIGHT_BIN" in environ else ""


def program() -> list[str]:
    """The person's own pulumi where there is one, else the toolchain's."""
    return (
        ["pulumi"] if shutil.which("pulumi") else [sys.executable, "-m", "podwright.toolchain", "run", "--", "pulumi"]
    )


def _without(manifest: Any, paths: Sequence[str]) -> Any:
    """A manifest without fields, each given by its path: spec.replicas."""
    for path in paths:
        *above, last = path.split(".")
        place = manifest
        for key in above:
            place = place.get(key) if isinstance(place, dict) else None
        if isinstance(place, dict):
            place.pop(last, None)
    return manifest


def _plain(value: Any) -> Any:
    """Exported secrets as what they hold."""
    if isinstance(value, dict):
        if _SECRET_SIGNATURE in value:
            return json.loads(value["plaintext"]) if "plaintext" in value else None
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value
