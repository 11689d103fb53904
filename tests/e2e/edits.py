"""Edits that other people make behind the program's back, drawn at random from what the stack owns."""

import asyncio
import base64
import json
import random
import ssl
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.providers.intersight.signing import Signer
from podwright.components.providers.intersight.table import path_of
from podwright.components.providers.intersight.transport import ApiError, Client
from podwright.components.providers.reach import load
from tests.e2e.site import Site
from tests.e2e.standing import console, kubectl
from tests.e2e.test_mutations import leaves

Path = tuple[str | int, ...]

WORDS = {
    "enabled": "disabled", "disabled": "enabled", "Performance": "Power", "P0": "P1", "NPS1": "NPS4", "1": "0",
    "LastState": "AlwaysOn", "Balanced": "LowPower", "HighPower": "MaximumPower", "Etc/GMT": "Europe/Berlin",
    "NoChange": "UnconfiguredGood", "restricted": "baseline", "baseline": "restricted", "privileged": "baseline",
    "false": "true",
}  # fmt: skip
"""Another value that the same property takes: Intersight, BIOS attributes, labels of namespaces."""
OBJECT_FIELDS = {
    ("PriorityClass", "description"), ("PodDisruptionBudget", "maxUnavailable"), ("SriovOperatorConfig", "logLevel"),
    ("ResourceQuota", "requests.nvidia.com/gpu"), ("ServiceAccount", "automountServiceAccountToken"),
    ("NetworkPolicy", "port"), ("Role", "resourceNames"), ("Deployment", "progressDeadlineSeconds"),
    ("NodePatch", "podwright.io/leaf-group"), ("NodeFeatureDiscovery", "servicePort"),
    ("NicNodePolicy", "periodSeconds"), ("Service", "port"), ("SecurityContextConstraints", "priority"),
    ("Namespace", "pod-security.kubernetes.io/audit"), ("Namespace", "pod-security.kubernetes.io/warn"),
    ("Namespace", "security.openshift.io/scc.podSecurityLabelSync"),
}  # fmt: skip
"""Fields of objects that may change while everything runs: kind, and a key on the path."""


@dataclass(frozen=True)
class Edit:
    """One property of one resource, and what stands there now."""

    urn: str
    path: Path
    value: Any


def switch_edits(site: Site, resources: list[Mapping[str, Any]], dice: random.Random, count: int) -> Iterator[Edit]:
    """Take one line out of `count` blocks of switches."""
    blocks = [
        (resource, block, line)
        for resource in resources
        if resource["type"] == "podwright:nxos:Switch"
        for block, text in resource["inputs"]["spec"]["config"].items()
        for line in _removable(block, text, dice)
    ]
    for resource, block, line in dice.sample(blocks, count):
        typed = (block, f"no {line}") if line else (f"no {block}",)
        switch = resource["inputs"]["spec"]["hostname"]
        said = console(site, switch, "configure terminal", *typed, "end")
        assert "%" not in said, f"{switch} refused {typed}: {said}"
        yield Edit(resource["urn"], ("spec", "config", block), line)


def _removable(block: str, text: str, dice: random.Random) -> list[str]:
    """At most one line: of interfaces and VLANs any that takes nothing else with it; of plain lines the line."""
    if not text:
        return [] if block.startswith(("feature ", "priority-flow-control")) else [""]
    if not block.startswith(("interface ", "vlan ")):
        return []
    lines = [line for line in text.splitlines() if not line.startswith((" ", "no ", "ip address", "medium"))]
    return [dice.choice(lines)] if lines else []


def policy_edits(site: Site, resources: list[Mapping[str, Any]], dice: random.Random, count: int) -> Iterator[Edit]:
    """Change `count` properties of Intersight policies, with the account's own key."""
    found = [
        Edit(resource["urn"], ("spec", "properties", key), another(value))
        for resource in resources
        if resource["type"] == "podwright:intersight:Policy"
        for key, value in resource["inputs"]["spec"]["properties"].items()
        if isinstance(value, bool | int) or (isinstance(value, str) and value in WORDS)
    ]
    by_urn = {resource["urn"]: resource["inputs"].get("spec", {}) for resource in resources}
    for edit in dice.sample(found, count):
        spec, change = by_urn[edit.urn], {str(edit.path[-1]): edit.value}
        asyncio.run(change_policy(site, spec["object_type"], spec["name"], change))
        yield edit


async def change_policy(site: Site, kind: str, name: str, properties: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Write properties of the policy of that name; None only reads it."""
    client = intersight(site)
    page = await client.get(path_of(kind), [("$filter", f"Name eq '{name}'")])
    (policy,) = page["Results"]
    if properties is not None:
        await patient_write(client, f"{path_of(kind)}/{policy['Moid']}", properties)
    return dict(policy)


async def patient_write(client: Client, path: str, properties: Mapping[str, Any]) -> None:
    """A profile that is being validated lets nobody change its policies for a moment."""
    for _ in range(60):
        try:
            await client.write("PATCH", path, properties, {}, "change it")
        except ApiError as refused:
            if "being validated" not in str(refused):
                raise
            await asyncio.sleep(0.5)
        else:
            return
    raise AssertionError(f"{path} stayed busy for half a minute")


def intersight(site: Site) -> Client:
    """The account, as somebody with its key sees it."""
    reach = load(site.environ)
    signer = Signer("lab0account/lab0user/lab0key", reach.secret("intersight-key"), "intersight.com")
    return Client("intersight.com", 443, reach, signer)


def bios_edits(site: Site, resources: list[Mapping[str, Any]], dice: random.Random, count: int) -> Iterator[Edit]:
    """Stage `count` other BIOS attributes on the machines themselves."""
    found = [
        (resource["inputs"]["spec"]["address"], Edit(resource["urn"], ("spec", "bios", key), another(value)))
        for resource in resources
        if resource["type"] == "podwright:redfish:Server"
        for key, value in resource["inputs"]["spec"]["bios"].items()
    ]
    for address, edit in dice.sample(found, count):
        stage(site, address, {str(edit.path[-1]): edit.value})
        yield edit


def stage(site: Site, bmc: str, attributes: Mapping[str, Any]) -> None:
    """BIOS attributes that the machine behind `bmc` takes at its next reset."""
    (system,) = redfish(site, bmc, "/redfish/v1/Systems")["Members"]
    redfish(site, bmc, f"{system['@odata.id']}/BIOS/Settings", {"Attributes": dict(attributes)})


def redfish(site: Site, bmc: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
    """GET, or PATCH when there is a body."""
    reach = load(site.environ)
    host, port = reach.endpoint(bmc, 443)
    login = base64.b64encode(f"admin:{reach.secret('bmc-admin')}".encode()).decode()
    request = urllib.request.Request(
        f"https://{host}:{port}{path}",
        None if body is None else json.dumps(body).encode(),
        {"Authorization": f"Basic {login}", "Content-Type": "application/json"},
        method="GET" if body is None else "PATCH",
    )
    with urllib.request.urlopen(request, timeout=30, context=ssl.create_default_context(cafile=str(reach.ca))) as reply:
        text = reply.read()
    return json.loads(text) if text else None


def object_edits(site: Site, resources: list[Mapping[str, Any]], dice: random.Random, count: int) -> Iterator[Edit]:
    """`kubectl edit` of `count` owned fields."""
    found = [
        (resource, path)
        for resource in resources
        if resource["type"].startswith("kubernetes:")
        for path in leaves(resource["inputs"])
        if any((resource["type"].split(":")[-1], key) in OBJECT_FIELDS for key in path)
    ]
    for resource, path in dice.sample(found, count):
        inputs, value = resource["inputs"], resource["inputs"]
        for step in path:
            value = value[step]
        group, _, version = inputs["apiVersion"].rpartition("/")
        kind = f"{inputs['kind']}.{version}.{group}"
        place = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
        change = [{"op": "replace", "path": place, "value": another(value)}]
        where = ("-n", inputs["metadata"]["namespace"]) if "namespace" in inputs["metadata"] else ()
        edit = ("--type=json", "--field-manager=kubectl-edit", "-p", json.dumps(change))
        kubectl(site, "patch", kind, inputs["metadata"]["name"], *where, *edit)
        yield Edit(resource["urn"], path, another(value))


def another(value: Any) -> Any:
    """Another value that the same property takes."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value - 1 if value > 1 else value + 1
    return WORDS.get(value, f"{value}0")
