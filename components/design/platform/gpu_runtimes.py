"""That GPUs come by resources alone: no pod of a team is in a RuntimeClass of the GPU operator.

Under such a class the container toolkit gives a container every GPU that its variable NVIDIA_VISIBLE_DEVICES names,
`all` among them, whatever it asked for, and so another job's: quotas and queues count resources, and the scheduler
places by them. The toolkit reads the variable of unprivileged containers too unless it is told otherwise
(https://github.com/NVIDIA/nvidia-container-toolkit, accept-nvidia-visible-devices-envvar-when-unprivileged), which is
left as it is: the operator's own daemons come by their GPUs that way. A container in no such class is given what the
device plugin handed to its pod, by CDI.
"""

from collections.abc import Iterator
from typing import Final

from podwright.components.design.platform.denying import denying
from podwright.components.design.platform.names import SYSTEM, Manifest
from podwright.components.design.platform.training_pools import Lawful

POLICY: Final = "podwright-gpus-by-resource"
CLASSES: Final = ("nvidia", "nvidia-cdi", "nvidia-legacy")
"""RuntimeClasses that the operator makes (https://github.com/NVIDIA/gpu-operator, v26.7.0, controllers)."""


def policies(found: Lawful) -> Iterator[Manifest]:
    """The policy, then what puts it in force. Nothing where no pool is for training or inference.

    A pod that exists keeps its class, so that those that are made are asked alone.
    """
    if not any(found.pools.values()):
        return
    pods = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    chosen = "object.spec.?runtimeClassName.orValue('')"
    homes = ", ".join(f"'{each}'" for each in found.system)
    spaces = " || ".join(f"request.namespace.startsWith('{each}')" for each in SYSTEM)
    outside = {"name": "is-no-part-of-the-system", "expression": f"!(request.namespace in [{homes}] || {spaces})"}
    refused = {
        "expression": f"!({chosen} in [{', '.join(repr(each) for each in CLASSES)}])",
        "messageExpression": f"'RuntimeClass ' + {chosen} + ' gives a container every GPU that its variables name, "
        "past quotas and queues: leave runtimeClassName out, and ask for GPUs under resources.limits'",
        "reason": "Forbidden",
    }
    yield from denying(POLICY, pods, [outside], [refused])
