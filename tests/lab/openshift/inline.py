"""Planned objects on a rack by Pulumi's automation: without the pools, GPUs and joins of a whole site."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pulumi
from pulumi import automation

from podwright.components.contract import Component
from podwright.components.manifests import Objects


def anywhere(made: dict[str, Any]) -> None:
    """Let pods of a Deployment, or of an InferenceService, run on any node: no pool, no priority, no GPU."""
    by_kserve = made["kind"] == "InferenceService"
    pod = made["spec"]["predictor"] if by_kserve else made["spec"]["template"]["spec"]
    for key in ("nodeSelector", "tolerations", "priorityClassName"):
        pod.pop(key)
    for amounts in pod["containers"][0]["resources"].values():
        amounts.pop("nvidia.com/gpu", None)


class Alone(Component):
    """Objects of one workload, without the join that needs this program's own plugin."""

    TOKEN = "podwright:index:InferenceService"
    PROVIDERS = ("kubernetes",)

    ready: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        objects: list[dict[str, Any]],
        opts: pulumi.ResourceOptions,
        left: Mapping[str, Sequence[str]] | None = None,
        purpose: str = "inference",
    ) -> None:
        super().__init__(name, "lab", {}, opts)
        Objects(self).workload(objects, purpose, left or {})
        self.finish(ready=name)


def stack(name: str, project: str, folder: Path, program: Callable[[], None]) -> automation.Stack:
    """A stack of its own in an empty folder."""
    folder.mkdir(exist_ok=True)
    environment = {"PULUMI_BACKEND_URL": f"file://{folder}", "PULUMI_CONFIG_PASSPHRASE": ""}
    options = automation.LocalWorkspaceOptions(work_dir=str(folder), env_vars=environment)
    return automation.create_or_select_stack(name, project, program, opts=options)
