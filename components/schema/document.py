"""The schema of the whole package, as `pulumi package get-schema` prints it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from podwright.components.providers.specs import SPECS
from podwright.components.schema.arguments import Argument, arguments, outputs, signature, tidy
from podwright.components.schema.names import camel
from podwright.components.schema.types import PACKAGE, Json, Types

_LOGINS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "nxos": (
        "Login on Nexus switches.",
        {
            "user": "User name.",
            "secret": "Name of the secret that holds the password, never its value.",
            "drain": "How a switch in service is written: in maintenance mode, or none.",
        },
    ),
    "intersight": (
        "API key of an Intersight account.",
        {
            "keyId": "Id of the key.",
            "secret": "Name of the secret that holds the private key, never its value.",
            "endpoint": "Host name. Default: intersight.com.",
        },
    ),
    "redfish": (
        "Login on baseboard management controllers; installation and roll-outs use it too.",
        {"user": "User name.", "secret": "Name of the secret that holds the password, never its value."},
    ),
}
_OPTIONAL = ("drain", "endpoint")
_HANDED: Mapping[str, str] = {
    "kubeconfig": "Administrator's kubeconfig of the cluster; a secret.",
    "defined": "What led to everything that a join stands for, as JSON; what `podwright undo` goes back to.",
    "after": "Outputs of what must stand first; their values are not read.",
    "servers": "Outputs of servers that must stand first; their values are not read.",
}
"""What resources are handed over beside their spec."""


def document(version: str, components: Mapping[str, type[Any]], resources: Mapping[str, type[Any]]) -> Json:
    """The package schema; both tables are from token to class."""
    types = Types()
    made = {token: _component(kind, types) for token, kind in components.items()}
    made |= {token: _resource(kind, SPECS[token], types) for token, kind in resources.items()}
    provider = _provider(types)
    return {
        "name": PACKAGE,
        "displayName": PACKAGE,
        "version": version,
        "description": "Enterprise AI clusters on Cisco hardware, from switch to workload, as one Pulumi graph",
        "keywords": [
            "pulumi",
            "cisco",
            "nexus",
            "intersight",
            "openshift",
            "kind/component",
            "category/infrastructure",
        ],
        "language": {"python": {"respectSchemaVersion": True, "pyproject": {"enabled": True}}},
        "config": {},
        "provider": provider,
        "types": dict(sorted(types.made.items())),
        "resources": dict(sorted(made.items())),
    }


def _component(kind: type[Any], types: Types) -> Json:
    """A component: its arguments as inputs, its annotations as outputs."""
    fields = arguments(arguments_class(kind))
    owner = kind.__name__
    found = {camel(name): _output(types, owner, name, *each) for name, each in outputs(kind).items()}
    return {
        "isComponent": True,
        "description": inspect.cleandoc(kind.__doc__ or ""),
        "inputProperties": {camel(each.name): types.property(each, owner) for each in fields},
        "requiredInputs": [camel(each.name) for each in fields if each.required],
        "properties": found,
        "required": list(found),
    }


def arguments_class(kind: type[Any]) -> type[Any]:
    """What the constructor's `args` is of."""
    found = signature(kind)["args"].annotation
    assert isinstance(found, type)
    return found


def _output(types: Types, owner: str, name: str, annotation: Any, text: str) -> Json:
    made = types.of(annotation, f"{owner}_{name}", plain=False)
    return {**made, "description": " ".join(text.split())}


def _resource(kind: type[Any], spec: type[Any], types: Types) -> Json:
    """A resource of ours: `spec` is known at preview, what else its constructor takes may be an output."""
    about = " ".join(inspect.cleandoc(spec.__doc__ or "").split())
    taken = {name: each for name, each in signature(kind).items() if name != "opts"}
    inputs = {
        name: types.property(Argument(name, tidy(each.annotation), plain=False, text=_HANDED[name]), kind.__name__)
        for name, each in taken.items()
        if name != "spec"
    }
    typed = types.property(Argument("spec", spec, plain=True, text=about), kind.__name__)
    stamp = {"type": "string", "plain": True, "description": "Name of the cluster it is of; rules compare within one."}
    inputs = {"spec": typed, **inputs, "cluster": stamp}
    shown = {name: _output(types, kind.__name__, name, *each) for name, each in outputs(kind).items()}
    return {
        "description": inspect.cleandoc(kind.__doc__ or ""),
        "inputProperties": inputs,
        "requiredInputs": [name for name, each in taken.items() if each.default is inspect.Parameter.empty],
        "properties": {**shown, "spec": {"$ref": typed["$ref"], "description": about}},
        "required": [*shown, *({"spec"} - set(shown))],
    }


def _provider(types: Types) -> Json:
    """The site's instance. Its logins are maps, and each names its secret."""
    inputs: Json = {}
    for name, (text, fields) in _LOGINS.items():
        token = f"{PACKAGE}:model:{name.capitalize()}Login"
        types.made[token] = {
            "type": "object",
            "description": text,
            "properties": {key: {"type": "string", "description": each} for key, each in fields.items()},
            "required": [key for key in fields if key not in _OPTIONAL],
        }
        inputs[name] = {"$ref": f"#/types/{token}", "description": text}
    inputs["secrets"] = {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "secret": True,
        "description": "Values of secrets by name; what is not here is looked for in the environment and in files.",
    }
    inputs["world"] = {
        "type": "string",
        "description": "Id of the world that the devices are in. Left out: that of the reach file at the first update.",
    }
    inputs["changes"] = {
        "type": "object",
        "additionalProperties": {"$ref": "pulumi.json#/Any"},
        "description": "How much a change may disturb: limit, and approve: what, on, until. Left out: disruptive.",
    }
    inputs["places"] = {
        "type": "object",
        "additionalProperties": {"$ref": "pulumi.json#/Any"},
        "description": "Where approvals stand in a file, {key: {at: file:line, on: [devices]}}, which errors name.",
    }
    return {"description": "The provider instance of a site.", "inputProperties": inputs}
