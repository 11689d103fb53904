"""What a stack may leave its mark on, from the sections it uses: the resource that goes last looks there."""

from typing import Any

from podwright.components.model import FabricArgs, Intersight, OpenShift
from podwright.components.model.coherence.references import switches

SCHEMA = 1


def searched(network: FabricArgs, intersight: Intersight | None, openshift: OpenShift | None) -> dict[str, Any]:
    """Spec of a cluster's `World`. The switches of another stack are that stack's to search."""
    fabric = network.fabric
    existing = {} if fabric.stack else switches(network)
    publish = openshift.publish if openshift else None
    return {
        "schema": SCHEMA,
        "cluster": network.cluster,
        "switches": {
            str(loc[-1]): {"management": str(switch.management), "credential": fabric.credential}
            for loc, switch in existing.items()
        },
        "intersight": intersight is not None,
        "installation": {
            "cluster": network.cluster,
            "publish": {"directory": publish.directory, "url": publish.url},
        }
        if publish
        else {},
    }
