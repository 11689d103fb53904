"""What a stack file writes of an object of Intersight, by the table of properties."""

from podwright.components.intersight_table.secrets import named, reference
from podwright.components.intersight_table.table import object_types, rules_of

named_secrets = named
"""Properties with {secret: NAME} in the form that a spec has it in."""
secret_reference = reference
"""Where the value of a secret belongs in a spec."""


def takes_several(object_type: str, name: str) -> bool:
    """Whether a property of a type refers to a list of objects."""
    rules = rules_of(object_type) if object_type in object_types() else {}
    return bool(rules.get(name, {}).get("list"))
