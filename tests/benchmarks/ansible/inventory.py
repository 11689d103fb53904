"""What podwright derives, as an Ansible inventory: the same pools, policies and profiles, with the same values.

References become templates that read the Moid from what the other object's task registered: no look-up by name.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from podwright.components.providers.intersight.children import PARENTS
from podwright.components.providers.intersight.table import path_of
from tests.benchmarks.intersight import Resource

PROFILE = "podwright:intersight:ServerProfile"
ORGANIZATION = {"ObjectType": "organization.Organization", "Moid": "{{ org }}"}
LEVELS = 3
"""Plays of policies.yml: so many steps from an object to what it refers to in the end."""


def inventory(given: Iterable[Resource]) -> dict[str, Any]:
    """The inventory, ready for YAML: a group of hosts for each level of policies, and one of servers."""
    groups: dict[str, Any] = {f"level_{level}": {"hosts": {}} for level in range(1, LEVELS + 1)}
    servers: dict[str, Any] = {}
    for each in given:
        if each.type == PROFILE:
            servers[each.spec["name"]] = _server(each.spec)
        elif each.level > LEVELS:
            raise ValueError(f"{each.spec['name']}: policies.yml has no play for level {each.level}")
        else:
            groups[f"level_{each.level}"]["hosts"][each.spec["name"]] = _policy(each.spec)
    serials = ",".join(f"'{each['serial_number']}'" for each in servers.values())
    own = {
        "ansible_connection": "local",
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        "org": "{{ hostvars.localhost.organization.api_response.Moid }}",
        "serials": serials,
    }
    return {"all": {"vars": own, "hosts": {"localhost": {}}, "children": {**groups, "servers": {"hosts": servers}}}}


def _policy(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "object": spec["name"],
        "path": f"/{path_of(spec['object_type'])}",
        "body": _body(spec) | {"Organization": ORGANIZATION},
        "children": [_child(each) for each in spec.get("children", ())],
    }


def _child(spec: Mapping[str, Any]) -> dict[str, Any]:
    parent = PARENTS[spec["object_type"]]
    body = _body(spec) | {parent: {"Moid": "{{ made.api_response.Moid }}"}}
    return {"object": spec["name"], "path": f"/{path_of(spec['object_type'])}", "parent": parent, "body": body}


def _body(spec: Mapping[str, Any]) -> dict[str, Any]:
    references = {name: _reference(each) for name, each in spec.get("references", {}).items()}
    return {"Name": spec["name"], **spec["properties"], **references}


def _reference(target: Any) -> Any:
    if isinstance(target, list):
        return [_reference(each) for each in target]
    moid = f"{{{{ hostvars['{target['name']}'].made.api_response.Moid }}}}"
    return {"ObjectType": target["object_type"], "Moid": moid}


def _server(spec: Mapping[str, Any]) -> dict[str, Any]:
    birth = {"Name": spec["name"], "TargetPlatform": spec["target_platform"], "Organization": ORGANIZATION}
    return {
        "object": spec["name"],
        "serial_number": spec["serial"],
        "platform": spec["target_platform"],
        "birth": birth,
        "bucket": [_reference(each) for each in spec["policies"]],
        "policies": {each["object_type"]: each["name"] for each in spec["policies"]},
    }
