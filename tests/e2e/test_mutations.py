"""Each leaf of each resource, mutated alone in the stored state, shows exactly that leaf in the next preview."""

import copy
import json
import random
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path as File
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from podwright.components.providers.openshift.install import settled
from podwright.components.providers.protocol.difference import Difference
from podwright.components.providers.protocol.values import encode
from tests.e2e.site import Change, Site
from tests.providers.protocol.test_values import parsed

pytestmark = pytest.mark.rough

ROUNDS = 2
"""Through the engine, one leaf of each resource at a time. The plugins' own diff is asked for every leaf."""
SECRET = "4dabf18193072939515e22adb298388d"
"""Key of a value that the state holds as a secret (pulumi: sdk/go/common/resource/sig)."""
IDENTITY = {("apiVersion",), ("kind",), ("spec", "schema"), ("cluster",)}
"""Part of the type token already: no state holds another. A schema number is upgraded, never a difference; neither is
the stamp that policies judge by, which no device knows."""

CLUSTER = {("spec", key) for key in settled.IDENTITY}
"""Another cluster: its kubeconfig is not known yet, and everything on it shows as well. Asked of the plugin only."""

REFUSED = {
    "podwright:nxos:Switch": {("spec", "hostname")},
    "podwright:intersight:ServerProfile": {("spec", "name")},
    "podwright:redfish:Server": {("spec", "name")},
    "podwright:openshift:Install": {("spec", "gateway"), ("spec", "version")},
}
"""What no device that stands takes: the preview refuses it. Asked of the plugin only."""
KEPT = {"name", *settled.INSTALLED}
"""The same of an installation's hosts."""

Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of scalars, and of maps and lists that are empty; a secret is one leaf that stays closed."""
    if isinstance(value, dict) and SECRET in value:
        return
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


def leaves_of(resource: Mapping[str, Any]) -> Iterator[Path]:
    """Leaves of a resource's inputs that say something about it."""
    for path in leaves(resource["inputs"]):
        # The plugin notes a namespace for a kind that the cluster does not know yet, and heeds none where none is.
        nowhere = path == ("metadata", "namespace") and "/" not in resource["id"]
        if path not in IDENTITY and not nowhere:
            yield path


def other(value: Any) -> Any:
    """Another value of the same kind, as an earlier spec could have had."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value}0"
    if isinstance(value, list):
        return ["was-there"]
    return {"matchLabels": "was-there"} if isinstance(value, dict) else "was-there"


def mutate(resource: Mapping[str, Any], path: Path) -> set[Path]:
    """Change the leaf at `path` as if another spec had been applied; returns the paths that must differ then.

    Kubernetes and command resources are compared with what they keep of their inputs among their outputs.
    """
    value = found(resource["inputs"], path)
    for held in (resource["inputs"], resource["outputs"].get("__inputs"), resource["outputs"]):
        if held is not None and found(held, path) == value:
            *parents, last = path
            found(held, tuple(parents))[last] = other(value)
    if path[:2] == ("spec", "hosts") and path[3:] == ("name",):
        # The hosts of an installation are matched by name: another name is another host.
        return {(*path[:3], *leaf) for leaf in leaves(found(resource["inputs"], path[:3]))}
    if value == []:
        return {(*path, 0)}
    return {(*path, "matchLabels")} if value == {} else {path}


def found(value: Any, path: Path) -> Any:
    """What stands at `path`, None if nothing does."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def mutable(state: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Resources with a spec, by URN: everything custom that is not a provider instance."""
    for resource in sorted(state["deployment"]["resources"], key=lambda each: str(each["urn"])):
        if resource["custom"] and not resource["type"].startswith("pulumi:") and not resource.get("delete"):
            yield resource


def put(site: Site, state: Any) -> None:
    """Make `state` the stack's state."""
    file = site.folder / "mutated.json"
    file.write_text(json.dumps(state))
    file.chmod(0o600)
    site.pulumi("stack", "import", "--file", str(file))
    file.unlink()


def shown(changes: list[Change]) -> dict[str, set[Path]]:
    """Changed paths by URN; the several steps of one replacement are one change."""
    by_urn: dict[str, set[Path]] = {}
    for change in changes:
        if not change.type.startswith("pulumi:"):
            by_urn.setdefault(change.urn, set()).update(parsed(path) for path in change.paths)
    return by_urn


def test_a_leaf_mutated_alone_shows_exactly_there(site: Site) -> None:
    before = site.export()
    dice = random.Random(8)
    unseen = {
        resource["urn"]: [path for path in leaves_of(resource) if previewed(resource, path)]
        for resource in mutable(before)
    }
    text = site.stack_file.read_text()
    # An earlier spec of any kind: a plan of it is wanted. Lost data passes under no limit, so it is approved.
    wiped = {"what": "wipe", "on": ["lab-storage"], "until": "2999-01-01T00:00:00Z"}
    site.edit({"changes": {"limit": "replaced", "approve": [wiped]}})
    try:
        for _ in range(ROUNDS):
            state = copy.deepcopy(before)
            expected: dict[str, set[Path]] = {}
            for resource in mutable(state):
                left = unseen[resource["urn"]]
                if left:
                    path = left.pop(dice.randrange(len(left)))
                    expected[resource["urn"]] = mutate(resource, path)
            put(site, state)
            assert shown(site.preview()) == expected
    finally:
        put(site, before)
        site.stack_file.write_text(text)
    assert site.preview() == []


def previewed(resource: Mapping[str, Any], path: Path) -> bool:
    """Whether a preview shows another value there, and does not refuse it."""
    nothing = resource["type"] == "podwright:index:World" and found(resource["inputs"], path) == {}
    if silent(resource, path) or nothing:  # no earlier spec had a word in the place of a device
        return False
    kept = path[:2] == ("spec", "hosts") and path[-1] in KEPT
    if resource["type"] == "podwright:index:World" and path[-1] == "node":  # a Node's name cannot change
        return False
    if path == ("spec", "children") and found(resource["inputs"], path) == []:  # no earlier child was a word
        return False
    return path not in CLUSTER and path not in REFUSED.get(resource["type"], ()) and not kept


def silent(resource: Mapping[str, Any], path: Path) -> bool:
    """Whether no running cluster is changed for it: it is read when a host is installed, or says how to reach one."""
    installation = resource["type"] == "podwright:openshift:Install"
    return installation and not settled.matters(Difference({path: "update"})).changes


def test_every_leaf_of_every_resource_is_told_by_its_plugin(site: Site) -> None:
    """The same question as the engine asks, for each leaf: what differs between the state's inputs and these?"""
    resources = list(mutable(site.export()))
    wrong, asked = [], 0
    for package in sorted({resource["type"].split(":")[0] for resource in resources}):
        with plugin(site, package) as stub:
            for resource in resources:
                if not resource["type"].startswith(f"{package}:"):
                    continue
                new = encode(opened(resource["inputs"]))
                assert told(stub, resource, new) == set(), resource["urn"]
                for path in leaves_of(resource):
                    old = copy.deepcopy(resource)
                    expected = {each for each in mutate(old, path) if not silent(old, each)}
                    asked += 1
                    if (answer := told(stub, old, new)) != expected:
                        wrong.append((resource["urn"], expected, answer))
    assert wrong == []
    assert asked > 1500


def told(stub: Any, old: Mapping[str, Any], new: Any) -> set[Path]:
    """Paths that the plugin names between a stored resource and new inputs."""
    request = provider_pb2.DiffRequest(
        id=old["id"],
        urn=old["urn"],
        type=old["type"],
        name=old["urn"].split("::")[3],
        olds=encode(opened(old["outputs"])),
        old_inputs=encode(opened(old["inputs"])),
        news=new,
    )
    return {parsed(path) for path in stub.Diff(request).detailedDiff}


def opened(value: Any) -> Any:
    """Exported values with their secrets in the clear."""
    if isinstance(value, dict):
        if SECRET in value:
            return json.loads(value["plaintext"])
        return {key: opened(inner) for key, inner in value.items()}
    return [opened(inner) for inner in value] if isinstance(value, list) else value


@contextmanager
def plugin(site: Site, package: str) -> Iterator[Any]:
    """A plugin as the engine starts it, configured as in the stack."""
    if package == "podwright":
        command = [sys.executable, "-m", "podwright.components.package"]
    else:
        found_at = File(site.environ["PULUMI_HOME"]).glob(f"plugins/resource-{package}-v*/pulumi-resource-{package}")
        command = [str(next(found_at))]
    # Nothing answers at the engine's address: the plugins only send log lines there. Ours leaves when nobody listens.
    engine = socket.create_server(("127.0.0.1", 0), backlog=128)
    address = f"127.0.0.1:{engine.getsockname()[1]}" if package == "podwright" else "127.0.0.1:9"
    process = subprocess.Popen(
        [*command, address], cwd=site.folder, env=site.environ, text=True, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        channel = grpc.insecure_channel(f"127.0.0.1:{process.stdout.readline().strip()}")
        stub = provider_pb2_grpc.ResourceProviderStub(channel)
        if package == "kubernetes":
            instance = next(r for r in site.export()["deployment"]["resources"] if r["type"].endswith(":kubernetes"))
            inputs = {key: value for key, value in opened(instance["inputs"]).items() if key != "__internal"}
            variables = {f"kubernetes:config:{key}": value for key, value in inputs.items()}
            stub.Configure(
                provider_pb2.ConfigureRequest(
                    args=encode(inputs), variables=variables, acceptSecrets=True, acceptResources=True
                )
            )
        yield stub
        channel.close()
    finally:
        process.kill()
        process.communicate()
        engine.close()
