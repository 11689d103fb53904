"""The JSON Schema of a whole stack file: Pulumi's own keys left open, ours closed."""

from typing import Any

from podwright.components.model.cluster import Cluster
from podwright.components.model.rates import Rates


def prices() -> dict[str, Any]:
    """JSON Schema (2020-12) of a site's price file."""
    made = Rates.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made, "title": "podwright price file"}


def document() -> dict[str, Any]:
    """JSON Schema (2020-12) of `Pulumi.<stack>.yaml`."""
    cluster = Cluster.model_json_schema()
    definitions = cluster.pop("$defs")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "podwright stack file",
        "type": "object",
        "properties": {
            "config": {
                "type": "object",
                "properties": {"podwright:cluster": {"$ref": "#/$defs/Cluster"}},
                "required": ["podwright:cluster"],
            }
        },
        "required": ["config"],
        "$defs": {**definitions, "Cluster": cluster},
    }
