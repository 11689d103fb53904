"""What an operator is made of, in the order it is applied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    owned: tuple[Manifest, ...] = ()
    """Fields on objects that the operator makes when it starts, before all stages."""
    beside: tuple[Manifest, ...] = ()
    """Fields on objects that are there without it, before all stages; without it they are as they were."""
    gateways: Mapping[str, Any] | None = None
    """Spec of `podwright:openshift:GatewayMode`, behind the fields of `beside`; None where nodes take nothing of it."""
    answers: Mapping[str, Any] | None = None
    """Spec of `podwright:openshift:QueuesReady`, which stands behind the first stage; None where nothing is asked."""

    def of(self, catalogs: Mapping[str, str]) -> "Operator":
        """The same, from the CatalogSource that has its catalogue's operators; OpenShift's own where none is named."""
        spec = self.subscription["spec"]
        if spec["source"] not in catalogs:
            return self
        return replace(self, subscription={**self.subscription, "spec": {**spec, "source": catalogs[spec["source"]]}})

    def completing(self, owned: tuple[Manifest, ...], brings: Sequence[str]) -> "Operator":
        """The same, with fields on objects that it makes by itself: installed once these are there, by API path."""
        approval = None if self.approval is None else {**self.approval, "brings": list(brings)}
        return replace(self, owned=owned, approval=approval)

    @property
    def settings(self) -> tuple[Manifest, ...]:
        """Every custom resource, in order."""
        return (*self.beside, *self.owned, *(setting for stage in self.stages for setting in stage))

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Every object the operator is made of."""
        return (self.namespace, self.group, self.subscription, *self.settings)

    @property
    def attaches_to(self) -> tuple[str, ...]:
        """Namespaces in which its settings make network attachments."""
        found = {setting.get("spec", {}).get("networkNamespace") for setting in self.settings}
        return tuple(sorted(name for name in found if name))
