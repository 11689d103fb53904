"""Variables of a container by reference to a Secret of its namespace: kubelet reads the value when it makes the
container, and no plan has it.

A Secret or key that is not there keeps the container from being made (CreateContainerConfigError), and kubelet looks
again (kubernetes/kubernetes, pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables).
"""

from typing import Any

from podwright.components.model.variables import Secrets


def env(secrets: Secrets) -> list[dict[str, Any]]:
    """By name, in whatever order a file has them: another order would be another pod."""
    return [
        {
            "name": name,
            "valueFrom": {"secretKeyRef": {"name": each.secret, "key": each.key or name, "optional": False}},
        }
        for name, each in sorted(secrets.items())
    ]
