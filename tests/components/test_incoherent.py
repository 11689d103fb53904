"""Programs that could never work, one component and one patch each: refused in preview, at the path of what is wrong.

Each is tried in a program of ours, where the sentence names the component and the path below `args`, and through
Construct, where it is an error of that input property. The same through the real engine: tests/package.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from pydantic import TypeAdapter

from podwright.components import package
from podwright.components.contract import ArgsError, Component
from podwright.components.design import fabric
from podwright.components.design.platform import pools
from podwright.components.model.types import Spec
from podwright.components.providers.protocol.construct import ComponentError, Received
from podwright.components.schema.arguments import arguments
from podwright.components.schema.document import arguments_class
from podwright.components.schema.names import camel, path
from podwright.components.schema.package import Package, component_class
from tests.components.recording import record
from tests.design import goldens

NAME = "incoherent"
COMPONENTS = package.components()


@dataclass(frozen=True)
class Case:
    """One patch of a component's arguments."""

    component: str
    change: Mapping[str, Any]
    path: tuple[str | int, ...]
    says: str

    @property
    def kind(self) -> type[Component]:
        """The component's class."""
        return component_class(COMPONENTS[f"podwright:index:{self.component}"])

    @property
    def values(self) -> dict[str, Any]:
        """The arguments, in the models' names."""
        made: dict[str, Any] = patched(sound()[self.component], self.change)
        return made

    @property
    def place(self) -> str:
        """The path as programs of other languages spell it."""
        args = arguments_class(self.kind)
        if issubclass(args, Spec):
            return path(self.path, args)
        head, *rest = self.path
        annotation = next(each.annotation for each in arguments(args) if each.name == head)
        below = path(tuple(rest), annotation)
        return camel(str(head)) + (f".{below}" if below and not below.startswith("[") else below)


def cases() -> dict[str, Case]:
    """Every case by its name."""
    listed = yaml.safe_load(Path(__file__).with_name("incoherent.yaml").read_text())
    return {
        name: Case(each["component"], each["change"], tuple(each["path"]), each["says"])
        for name, each in listed.items()
    }


def patched(value: Any, change: Any) -> Any:
    """Mappings are merged, null removes a key, everything else replaces what is there."""
    if not isinstance(change, Mapping) or not isinstance(value, Mapping):
        return change
    merged = {key: patched(value.get(key), each) for key, each in change.items() if each is not None}
    return {**{key: each for key, each in value.items() if key not in change}, **merged}


def _queues(file: dict[str, Any], servers: dict[str, Any]) -> dict[str, Any]:
    pool = file["pools"]["training"]
    shares = {"research": {"training": 16}}
    return {"queues": {"pool": "training"}, "pools": {"training": pool}, "servers": servers, "shares": shares}


def _watched(file: dict[str, Any]) -> dict[str, Any]:
    return {"servers": file["servers"], "site": file["site"], "lost_nodes": {"pools": ["training"]}}


def _tools(file: dict[str, Any], servers: dict[str, Any]) -> dict[str, Any]:
    section = {"components": ["workbenches"], "teams": ["chat"], "pools": ["inference"]}
    pools, teams = {"inference": file["pools"]["inference"]}, {"chat": file["openshift"]["teams"]["chat"]}
    return {"data_science": section, "pools": pools, "servers": servers, "teams": teams}


@cache
def sound() -> dict[str, dict[str, Any]]:
    """Arguments of every component, taken from the lab's stack, in the models' names: nothing is wrong with them."""
    cluster = goldens.cluster("lab")
    file = json.loads(cluster.model_dump_json())
    paths = json.loads(fabric.paths(cluster.network, fabric.plan(cluster.network)).model_dump_json())
    rails = {each.name: json.loads(each.model_dump_json()) for each in pools.offered(cluster.pools, cluster.servers)}
    members = {
        pool: {name: each for name, each in file["servers"].items() if each["pool"] == pool}
        for pool in (*file["pools"], "control-plane")
    }
    host, machine = file["servers"]["cp-01"], file["servers"]["gpu-01"]
    operator = {"cluster": "lab", "section": file["operators"], "kubeconfig": "{}"}
    workloads, teams = file["workloads"], file["openshift"]["teams"]
    return {
        "AiCluster": file,
        "Fabric": json.loads(cluster.network.model_dump_json()),
        "ServerRole": {
            "cluster": "lab", "intersight": file["intersight"], "site": file["site"],
            "servers": members["control-plane"], "domains": {"fi": DOMAIN},
        },
        "InterconnectDomain": {
            "cluster": "lab", "domain": DOMAIN, "profile": {}, "name": "fi", "frontend": {**FRONTEND, "ports": UPLINKS},
        },
        "ServerProfile": {"cluster": "lab", "host": "cp-01", "server": host, "profile": {}, "digest": "0"},
        "RedfishServer": {"cluster": "lab", "host": "gpu-01", "server": machine, "bmc": file["bmc"]},
        "OpenShiftCluster": {key: file[key] for key in ("openshift", "servers", "site", "bmc")} | {"cluster": "lab"},
        "NodePool": {
            "cluster": "lab", "pool": "inference", "section": file["pools"]["inference"],
            "servers": members["inference"], "kubeconfig": "{}", "digests": {"inf-01": "0"}, "bmc": file["bmc"],
            "machines": {"inf-01": "urn:pulumi:s::p::t::inf-01"},
        },
        "Team": {"cluster": "lab", "team": "research", "section": teams["research"]},
        "NmstateOperator": {
            **operator, "servers": file["servers"], "pools": file["pools"], "site": file["site"],
            "openshift": {**file["openshift"], "host_network": "managed"}, "frontend": {**FRONTEND, "ports": UPLINKS},
        },
        **dict.fromkeys(PLAIN, operator),
        "NodeHealthCheckOperator": {**operator, **_watched(file)},
        "DataScienceOperator": {**operator, **_tools(file, members["inference"])},
        "KueueOperator": {**operator, **_queues(file, members["training"])},
        "SriovOperator": {**operator, "pools": [rails["training"]], "networks": paths["networks"]},
        "MaintenanceOperator": {**operator, "pools": [rails["training"]]},
        "GpuOperator": {**operator, "products": ["NVIDIA-H200"]},
        "ConnectivityLink": {**operator, "keys": {}},
        "Storage": {"cluster": "lab", "section": STORAGE, "teams": {"research": "research"}},
        "FabricAcceptance": {
            "cluster": "lab", "section": file["acceptance"], "paths": paths, "kubeconfig": "{}",
            "pools": [rails["training"]],
        },
        "TrainingJob": {
            "cluster": "lab", "job": "pretrain", "section": workloads["training"]["pretrain"],
            "pool": file["pools"]["training"], "servers": members["training"], "lossless": paths["lossless"],
            "purpose": "training", "owner": teams["research"], "kubeconfig": "{}",
        },
        "InferenceService": {
            "cluster": "lab", "service": "chat", "section": workloads["inference"]["chat"],
            "pool": file["pools"]["inference"], "servers": members["inference"], "purpose": "inference",
            "owner": teams["chat"],
        },
    }  # fmt: skip


PLAIN = (
    "NodeFeatureDiscovery", "NetworkOperator", "SelfNodeRemediationOperator", "CertManagerOperator", "JobSetOperator",
    "CustomMetricsAutoscaler", "MeshOperator",
)  # fmt: skip
"""Operators that are given nothing but what every one of them is."""
DOMAIN = {
    "model": "UCS-FI-6536",
    "serials": {"A": "FDO00000051", "B": "FDO00000052"},
    "rack": "r1",
    "uplinks": [35, 36],
    "server_ports": [1, 2],
}
FRONTEND = {
    "leaves": {
        f"front-{number}": {
            "model": "N9K-C93600CD-GX", "management": f"192.0.2.{40 + number}", "rack": "r1", "index": number,
            "asn": 64500 + number,
        }
        for number in (1, 2)
    },
    "vpc": {"domain": 9, "peer_link": ["Ethernet1/35", "Ethernet1/36"]},
    "vlans": {},
}  # fmt: skip
UPLINKS = {
    f"fi-{side}": {"port": f"Ethernet1/{number}", "channel": 200 + number, "device": f"fi-{side}", "vlans": [20]}
    for number, side in enumerate("ab", 1)
}
STORAGE = {
    "classes": {"files": {"provisioner": "csi.trident.netapp.io", "parameters": {"backendType": "ontap-nas"}}},
    "volumes": {"data": {"team": "research", "storage_class": "files", "size_gib": 100}},
}
CASES = cases()


def typed(case: Case) -> Any:
    """The arguments as a Python program writes them."""
    kind = arguments_class(case.kind)
    if issubclass(kind, Spec):
        return kind.model_validate_json(json.dumps(case.values))
    types = {each.name: each.annotation for each in arguments(kind)}
    return kind(
        **{name: TypeAdapter(types[name]).validate_json(json.dumps(each)) for name, each in case.values.items()}
    )


def test_there_are_twenty_of_them_for_every_component() -> None:
    assert len(CASES) >= 20
    assert {f"podwright:index:{case.component}" for case in CASES.values()} == set(COMPONENTS)


@pytest.mark.parametrize("name", list(CASES))
def test_a_program_of_ours_is_told_the_path(name: str) -> None:
    case = CASES[name]

    def program() -> None:
        args = typed(case)
        with pytest.raises(ArgsError) as caught:
            case.kind(NAME, args) if case.component != "AiCluster" else case.kind(args)  # type: ignore[call-arg]
        called = "lab" if case.component == "AiCluster" else NAME
        first, *lines = str(caught.value).splitlines()
        assert first == f'{case.component} "{called}" cannot be built:'
        where = ".".join(["args", *map(str, case.path)])
        assert [line for line in lines if line.startswith(f"  {where}: ") and case.says in line], lines

    assert record(program) == {}, "nothing is registered"


@pytest.mark.parametrize("name", list(CASES))
def test_through_construct_it_is_an_error_of_that_property(name: str) -> None:
    case = CASES[name]
    served = Package(COMPONENTS, package.RESOURCES)
    received = {camel(key): Received(each) for key, each in case.values.items()}

    def program() -> None:
        called = "lab" if case.component == "AiCluster" else NAME
        with pytest.raises(ComponentError) as caught:
            served.construct(f"podwright:index:{case.component}", called, received, pulumi.ResourceOptions(), {})
        assert case.says in caught.value.problems[case.place], caught.value.problems

    record(program)
