"""What an operator is made of, in the order it is applied."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podwright.components.design.platform.names import Manifest


@dataclass(frozen=True)
class Operator:
    """One operator: its subscription, the approval of one pinned release, and what it is told to do."""

    name: str
    namespace: Manifest
    group: Manifest
    subscription: Manifest
    approval: Mapping[str, Any] | None
    """Spec of `podwright:openshift:OperatorInstall`; None where OLM approves by itself (a policy forbids that)."""
    stages: tuple[tuple[Manifest, ...], ...]
    """Custom resources; each waits for the release to run, and for those of the stage before its own."""

    @property
    def settings(self) -> tuple[Manifest, ...]:
        """Every custom resource, in order."""
        return tuple(setting for stage in self.stages for setting in stage)

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Every object the operator is made of."""
        return (self.namespace, self.group, self.subscription, *self.settings)

    @property
    def attaches_to(self) -> tuple[str, ...]:
        """Namespaces in which its settings make network attachments."""
        found = {setting.get("spec", {}).get("networkNamespace") for setting in self.settings}
        return tuple(sorted(name for name in found if name))
