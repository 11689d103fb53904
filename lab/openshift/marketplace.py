"""The marketplace operator: OpenShift's own catalogues, and OperatorHub/cluster by which they are switched off.

After https://github.com/operator-framework/operator-marketplace, pkg/operatorhub and pkg/defaults: a default that is
switched off is deleted, one that somebody deleted or changed is made as it was; `sources` come before
`disableAllDefaultSources`.
"""

from __future__ import annotations

from typing import Any

from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.fresh import CATALOGS, default_source
from podwright.lab.openshift.kinds import CATALOG_SOURCES, CLUSTER_VERSIONS, OPERATOR_HUBS

HOME = "openshift-marketplace"


class Marketplace(Controller):
    """Keeps the default CatalogSources as the hub has them."""

    watches = (OPERATOR_HUBS, CATALOG_SOURCES, CLUSTER_VERSIONS)

    def reconcile(self) -> None:
        """One pass over the defaults."""
        hub = self.cache.get(OPERATOR_HUBS, "cluster")
        version = self.cache.get(CLUSTER_VERSIONS, "version")
        if hub is None or version is None:
            return
        spec = hub.get("spec") or {}
        own = {row["name"]: bool(row.get("disabled")) for row in spec.get("sources") or []}
        rows: list[dict[str, Any]] = []
        for name in CATALOGS:
            off = own.get(name, bool(spec.get("disableAllDefaultSources")))
            found = self.cache.get(CATALOG_SOURCES, name, HOME)
            if off and found is not None:
                self.api.delete(CATALOG_SOURCES.path(HOME, name))
            elif not off and found is None:
                release = str(version["status"]["desired"]["version"])
                self.api.ensure(CATALOG_SOURCES.path(HOME), default_source(name, release))
            rows.append({"name": name, "disabled": off, "status": "Success"})
        self.set_status(OPERATOR_HUBS, hub, {"sources": rows})
