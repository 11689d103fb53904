"""What stands in a lab, as plain data that two moments or two labs can be compared by.

Everything is asked of the devices themselves, never of the stack's state: a duplicate or an orphan is exactly what
the state does not know.
"""

import asyncio
import base64
import difflib
import json
import re
import ssl
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from podwright.components.providers.intersight.signing import Signer
from podwright.components.providers.intersight.table import object_types, path_of
from podwright.components.providers.intersight.transport import ApiError, Client
from podwright.components.providers.reach import Reach, load
from tests.e2e.site import Site

Standing = dict[str, Any]
"""Path of a thing to what it is: flat, so that a failing comparison names what differs."""

SETTLES = 180.0
"""Seconds within which controllers on a busy machine have done what follows from a command that has ended."""
PAUSE = 4.0
"""Seconds between two looks."""

LOGIN = re.compile(r"^(username|snmp-server user) ")
"""Lines that hold a lab's own random password."""
GENERATED = re.compile(r"-[0-9a-f]{8,10}(-[0-9a-z]{5})?$|-[0-9a-z]{5}$")
"""The part of a Kubernetes name that a controller makes up."""
PASSING = ("events", "leases", "endpoint", "componentstatus", "controllerrevision", "apiservice", "ipaddress")
"""Kinds that come and go by themselves."""
SERVER_MADE = (
    "uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "ownerReferences", "selfLink",
    "clusterIP", "clusterIPs", "nodePort", "controller-uid", "batch.kubernetes.io/controller-uid",
    "sriovnetwork.openshift.io/state", "openshift.io/sa.scc.mcs", "openshift.io/sa.scc.uid-range",
    "openshift.io/sa.scc.supplemental-groups",
)  # fmt: skip
"""Keys whose values the API server or a controller draws by lot, or leaves when it was there once: the SR-IOV operator
notes on a pool that it paused it; a pool that it left paused differs by `paused`. Ranges of users and labels go to
namespaces in the order in which they are made."""


def everything(site: Site) -> Standing:
    """Switches, Intersight, servers, and the cluster when there is one."""
    return {**switches(site), **intersight(site), **servers(site), **cluster(site)}


def settled(site: Site) -> Standing:
    """`everything`, once two looks in a row are alike: pods of operators come up after the `up` that waits for none.

    Raises AssertionError with what still changes after `SETTLES`.
    """
    deadline, before = time.monotonic() + SETTLES, everything(site)
    while True:
        time.sleep(PAUSE)
        after = everything(site)
        if not (moving := differences(before, after)):
            return after
        assert time.monotonic() < deadline, f"still changes: {moving}"
        before = after


def lasting_differences(before: Standing, site: Site) -> dict[str, tuple[Any, Any]]:
    """How the site differs from `before` for good: what goes away within `SETTLES` was on its way."""
    deadline = time.monotonic() + SETTLES
    while (found := differences(before, everything(site))) and time.monotonic() < deadline:
        time.sleep(PAUSE)
    return found


def console(site: Site, switch: str, *lines: str) -> str:
    """What a person sees who types `lines` at a switch's console."""
    return str(site.world("POST", "/fault", {"kind": "cli", "switch": switch, "lines": list(lines)})["output"])


def switches(site: Site) -> Standing:
    """Running configurations, whether they are saved, and checkpoints left behind."""
    found: Standing = {}
    for name in site.world("GET", "/state")["switches"]:
        running = _config(console(site, name, "show running-config"))
        found[f"{name} running"] = running
        found[f"{name} saved"] = _config(console(site, name, "show startup-config")) == running
        found[f"{name} checkpoints"] = re.findall(r"podwright-\w+", console(site, name, "show checkpoint summary"))
    return found


def _config(text: str) -> str:
    lines = [line.rstrip() for line in text.splitlines()]
    text = "\n".join(line for line in lines if line and not line.startswith("!") and not LOGIN.match(line))
    # There is no `no system qos`: once entered, its empty header stays and says nothing.
    return re.sub(r"^system qos\n(?! )", "", text, flags=re.MULTILINE)


def intersight(site: Site) -> Standing:
    """Every configured object of the account: type, organization, name; and whose it is."""
    reach = load(site.environ)
    key_id = "lab0account/lab0user/lab0key"
    client = Client("intersight.com", 443, reach, Signer(key_id, reach.secret("intersight-key"), "intersight.com"))

    async def held(kind: str) -> list[Mapping[str, Any]]:
        try:
            page = await client.get(path_of(kind), [("$top", "1000")])
        except ApiError as refused:
            if refused.status == 404:
                return []  # a kind that this account does not serve
            raise
        found: list[Mapping[str, Any]] = page["Results"] or []
        return found

    async def ask() -> list[list[Mapping[str, Any]]]:
        return await asyncio.gather(*(held(kind) for kind in object_types()))

    counted = Counter(_owned(item) for page in asyncio.run(ask()) for item in page)
    return {f"intersight {name}": number for name, number in counted.items()}


def _owned(item: Mapping[str, Any]) -> str:
    tags = {tag["Key"]: tag["Value"] for tag in item.get("Tags") or []}
    home = (item.get("Organization") or {}).get("Moid", "-")
    name = item.get("Name") or item.get("SerialNumber") or item.get("Moid")
    return f"{item['ObjectType']} {home} {name} of {tags.get('podwright', 'nobody')}"


def servers(site: Site) -> Standing:
    """Power, BIOS as it is and as it will be, and what lies in the virtual drives."""
    reach = load(site.environ)
    found: Standing = {}
    for name, server in site.world("GET", "/state")["servers"].items():
        for at, system in _members(reach, server["bmc"], "/redfish/v1/Systems"):
            bios = _redfish(reach, server["bmc"], system["Bios"]["@odata.id"])
            found[f"{name} {at} bios"] = bios["Attributes"]
            found[f"{name} {at} power"] = system["PowerState"]
        for _, manager in _members(reach, server["bmc"], "/redfish/v1/Managers"):
            for at, drive in _members(reach, server["bmc"], manager["VirtualMedia"]["@odata.id"]):
                found[f"{name} {at}"] = drive.get("Inserted") and drive.get("Image")
    return found


def _members(reach: Reach, bmc: str, path: str) -> Iterator[tuple[str, Any]]:
    for member in _redfish(reach, bmc, path)["Members"]:
        yield member["@odata.id"].rpartition("/")[2], _redfish(reach, bmc, member["@odata.id"])


def _redfish(reach: Reach, bmc: str, path: str) -> Any:
    host, port = reach.endpoint(bmc, 443)
    login = base64.b64encode(f"admin:{reach.secret('bmc-admin')}".encode()).decode()
    request = urllib.request.Request(f"https://{host}:{port}{path}", headers={"Authorization": f"Basic {login}"})
    trust = ssl.create_default_context(cafile=str(reach.ca))
    with urllib.request.urlopen(request, timeout=30, context=trust) as reply:
        return json.load(reply)


def kubectl(site: Site, *words: str, stdin: str = "", check: bool = True) -> str:
    """`kubectl …` as the cluster's administrator."""
    import subprocess

    kubeconfig = site.folder / "kubeconfig"
    if not kubeconfig.exists() and (text := site.outputs().get("kubeconfig")):
        kubeconfig.write_text(text)
    command = ["kubectl", "--kubeconfig", str(kubeconfig), *words]
    done = subprocess.run(
        command, env=site.environ, text=True, input=stdin, capture_output=True, timeout=120, check=False
    )
    if check and done.returncode:
        raise AssertionError(f"{' '.join(words)}: {done.stderr}")
    return done.stdout + ("" if check else done.stderr)


def objects(site: Site) -> list[dict[str, Any]]:
    """Every object the cluster holds, of every kind that stays; none when the stack has no cluster."""
    (site.folder / "kubeconfig").unlink(missing_ok=True)
    if "kubeconfig" not in site.outputs():
        return []
    kinds = kubectl(site, "api-resources", "--verbs=list", "-o", "name").split()
    lasting = ",".join(kind for kind in kinds if not kind.startswith(PASSING))
    found: list[dict[str, Any]] = json.loads(
        kubectl(site, "get", lasting, "-A", "-o", "json", "--show-managed-fields")
    )["items"]
    return found


def cluster(site: Site) -> Standing:
    """Objects with the stack's mark in full, the others by number; pods by how they are."""
    found: Standing = {}
    others: Counter[str] = Counter()
    for item in _without_history(objects(site)):
        meta = item["metadata"]
        name = f"{item['kind']} {meta.get('namespace', '-')} {GENERATED.sub('', meta['name'])}"
        others[name] += 1
        if "podwright.io/stack" in meta.get("labels", {}):
            found[f"cluster {name}"] = _without_server_made(item)
        found[f"cluster {name} writers"] = sorted(_appliers(meta))
        if item["kind"] == "Node":
            found[f"cluster {name} labels"] = meta.get("labels")
        if item["kind"] == "Pod":
            found[f"cluster {name} is"] = item.get("status", {}).get("phase")
    return {**found, **{f"cluster {name} times": number for name, number in others.items()}}


def _without_history(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Without the rendered MachineConfigs that no pool has any more: the operator keeps each one it ever made."""
    pools = [item["spec"] for item in items if item["kind"] == "MachineConfigPool"]
    in_use = {pool.get("configuration", {}).get("name") for pool in pools}
    for item in items:
        name = item["metadata"]["name"]
        if item["kind"] != "MachineConfig" or not name.startswith("rendered-") or name in in_use:
            yield item


def _appliers(meta: Mapping[str, Any]) -> Iterator[str]:
    """Who applies to the object; an attempt that was cut off must not stay on as a second owner of its fields."""
    for entry in meta.get("managedFields", ()):
        if entry["operation"] == "Apply":
            yield re.sub(r"-[0-9a-f]{8}$", "", entry["manager"])


def _without_server_made(value: Any) -> Any:
    if isinstance(value, Mapping):
        left = {key: each for key, each in value.items() if key not in SERVER_MADE and key != "status"}
        # Never paused and no longer paused are the same.
        return {key: _without_server_made(each) for key, each in left.items() if (key, each) != ("paused", False)}
    return [_without_server_made(each) for each in value] if isinstance(value, list) else value


def differences(before: Standing, after: Standing) -> dict[str, tuple[Any, Any]]:
    """What is not the same, down to the leaf: (before, after) by place; None stands for absent."""
    return dict(_apart("", before, after))


def _apart(place: str, before: Any, after: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted(before.keys() | after.keys()):
            yield from _apart(f"{place} / {key}" if place else key, before.get(key), after.get(key))
    elif before != after and isinstance(before, str) and isinstance(after, str):
        lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))
        gone, come = ("\n".join(line for line in lines if line[:1] == sign) for sign in "-+")
        yield place, (gone, come)
    elif before != after:
        yield place, (before, after)
