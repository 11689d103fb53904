"""The Operator Lifecycle Manager as the outside sees it: Subscription, InstallPlan, approval, CSV, Deployment.

Behaviour after operator-framework/operator-lifecycle-manager (OLM v0): resolution needs exactly one OperatorGroup;
a Manual plan waits; a CSV outlives its Subscription and then blocks the next one; CRDs are never removed.
"""

from __future__ import annotations

import secrets
import string
from typing import Any

from podwright.lab.openshift import image_policy, pulls, registries
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.catalog import Package, brought, cluster_service_version, package_of, packages, serves
from podwright.lab.openshift.controller import Controller, condition, merge_conditions, now
from podwright.lab.openshift.kinds import (
    CATALOG_SOURCES,
    CLUSTER_VERSIONS,
    CSVS,
    INSTALL_PLANS,
    NODES,
    OPERATOR_GROUPS,
    SUBSCRIPTIONS,
)

GROUP = "operators.coreos.com/v1alpha1"
SETTLED = ("Complete", "Failed")


class Olm(Controller):
    """Catalogue health, resolution, plans. CSVs are `Csvs`' business."""

    watches = (SUBSCRIPTIONS, INSTALL_PLANS, CSVS, CATALOG_SOURCES, OPERATOR_GROUPS, CLUSTER_VERSIONS)

    def reconcile(self) -> None:
        """One pass over everything."""
        for source in self.cache.list(CATALOG_SOURCES):
            state = "READY" if serves(source) and self._pulled(source) else "TRANSIENT_FAILURE"
            if source.get("status", {}).get("connectionState", {}).get("lastObservedState") != state:
                name = source["metadata"]["name"]
                address = f"{name}.{source['metadata']['namespace']}.svc:50051"
                self.set_status(CATALOG_SOURCES, source, {
                    "connectionState": {"address": address, "lastConnect": now(), "lastObservedState": state},
                })  # fmt: skip
        self.each(OPERATOR_GROUPS, self._group)
        self.each(INSTALL_PLANS, self._plan)
        self.each(SUBSCRIPTIONS, self._subscription)

    def _minor(self) -> str:
        """Minor release of the cluster, for which a site's own index is taken to be made."""
        version = self.cache.get(CLUSTER_VERSIONS, "version") or {}
        return str(((version.get("status") or {}).get("desired") or {}).get("version") or "").rpartition(".")[0]

    def _pulled(self, source: Object) -> bool:
        """Whether some worker finds the index's image, and may run it."""
        image = str(source["spec"].get("image", ""))
        hosts = [self.around.host_memory(node["metadata"]["name"]).config for node in self.cache.list(NODES)]
        signatures = self.world.cluster.get("signed") or {}
        willing = [config for config in hosts if not image_policy.refusal(image, config, signatures)]
        if not pulls.closed(self.world.variants):
            return bool(willing) or not hosts
        return any(pulls.found(image, registries.registries(config), self.around.registries) for config in willing)

    def _group(self, group: Object) -> None:
        namespace = group["metadata"]["namespace"]
        targets = group["spec"].get("targetNamespaces")
        wanted: dict[str, Any] = {"namespaces": sorted(targets) if targets else [""]}
        many = len(self.cache.list(OPERATOR_GROUPS, namespace)) > 1
        status = group.get("status", {})
        had = any(row["type"] == "MultipleOperatorGroupsFound" for row in status.get("conditions", []))
        if many != had:
            row = condition(
                "MultipleOperatorGroup",
                True,
                "MultipleOperatorGroupsFound",
                "Multiple OperatorGroup found in the same namespace",
            )
            wanted["conditions"] = [row] if many else []
        if wanted["namespaces"] != status.get("namespaces") or many != bool(status.get("conditions")):
            self.set_status(OPERATOR_GROUPS, group, {**wanted, "lastUpdated": now()})

    # --- resolution -------------------------------------------------------------------------------------------

    def _subscription(self, item: Object) -> None:
        namespace, spec, status = item["metadata"]["namespace"], item["spec"], item.get("status", {})
        source = self.cache.get(CATALOG_SOURCES, spec["source"], spec["sourceNamespace"])
        self._label(item)
        if len(self.cache.list(OPERATOR_GROUPS, namespace)) != 1:
            # The real resolver ends with an error here and says nothing in the Subscription.
            count = len(self.cache.list(OPERATOR_GROUPS, namespace))
            self.event(item, "Subscription", "ResolutionFailed", f"found {count} operatorGroups, expected 1")
            return
        problem = self._unresolvable(item, source)
        if problem or source is None:
            self._conditions(
                item,
                [
                    condition(
                        "ResolutionFailed", True, "ConstraintsNotSatisfiable", f"constraints not satisfiable: {problem}"
                    )
                ],
            )
            return
        package = packages()[spec["name"]]
        names = package.offered(spec.get("channel") or package.default, source, self._minor())
        installed = status.get("installedCSV")
        present = self.cache.get(CSVS, installed, namespace) if installed else None
        wanted = self._next(names, spec, installed if present else None)
        if wanted is None:
            self._conditions(item, [], state="AtLatestKnown")
        else:
            self._offer(item, wanted)

    def _label(self, item: Object) -> None:
        namespace, package = item["metadata"]["namespace"], item["spec"]["name"]
        self.patch(SUBSCRIPTIONS, item, {"metadata": {"labels": {f"operators.coreos.com/{package}.{namespace}": ""}}})

    def _unresolvable(self, item: Object, source: Object | None) -> str | None:
        spec, name = item["spec"], item["metadata"]["name"]
        package = packages().get(spec["name"])
        tail = f"in the catalog referenced by subscription {name}"
        if source is None or source.get("status", {}).get("connectionState", {}).get("lastObservedState") != "READY":
            where = f"{spec['source']} in namespace {spec['sourceNamespace']}"
            return f"no operators found from catalog {where} referenced by subscription {name}"
        if package is None or serves(source) != package.source:
            return f"no operators found in package {spec['name']} {tail}"
        channel = spec.get("channel") or package.default
        if channel not in package.channels:
            return f"no operators found in channel {channel} of package {package.name} {tail}"
        start = spec.get("startingCSV")
        if (
            start
            and start not in package.offered(channel, source, self._minor())
            and not item.get("status", {}).get("installedCSV")
        ):
            return f"no operators found with name {start} in channel {channel} of package {package.name} {tail}"
        return self._orphan(item, package)

    def _orphan(self, item: Object, package: Package) -> str | None:
        """A CSV of this package that no Subscription claims blocks a new one."""
        namespace = item["metadata"]["namespace"]
        claimed = {s.get("status", {}).get("installedCSV") for s in self.cache.list(SUBSCRIPTIONS, namespace)}
        planned = {name for plan in self._plans_of(item) for name in plan["spec"]["clusterServiceVersionNames"]}
        for csv in self.cache.list(CSVS, namespace):
            name = csv["metadata"]["name"]
            if package_of(name) == package and name not in claimed | planned:
                return f"clusterserviceversion {name} exists and is not referenced by a subscription"
        return None

    @staticmethod
    def _next(names: list[str], spec: Object, installed: str | None) -> str | None:
        if installed is None:
            return str(spec.get("startingCSV") or names[-1])
        later = names[names.index(installed) + 1 :] if installed in names else []
        return later[0] if later else None

    def _plans_of(self, item: Object) -> list[Object]:
        uid = item["metadata"]["uid"]
        plans = self.cache.list(INSTALL_PLANS, item["metadata"]["namespace"])
        return [p for p in plans if any(o["uid"] == uid for o in p["metadata"].get("ownerReferences", []))]

    def _offer(self, item: Object, csv: str) -> None:
        """See to it that an InstallPlan for `csv` exists, and say in the Subscription how far it is."""
        plans = [p for p in self._plans_of(item) if csv in p["spec"]["clusterServiceVersionNames"]]
        open_plans = [p for p in plans if p.get("status", {}).get("phase") not in SETTLED]
        done = [p for p in plans if p.get("status", {}).get("phase") == "Complete"]
        # A plan's end may be seen before the CSV that it made: only the API itself knows that one is gone.
        if done and self.api.get(CSVS.path(item["metadata"]["namespace"], csv)) is not None:
            self._conditions(item, [], state="AtLatestKnown", installedCSV=csv, currentCSV=csv)
            return
        plan = open_plans[0] if open_plans else self._make_plan(item, csv)
        name = plan["metadata"]["name"]
        phase = plan.get("status", {}).get("phase") or "RequiresApproval"
        reference = {
            "apiVersion": GROUP,
            "kind": "InstallPlan",
            "name": name,
            "namespace": item["metadata"]["namespace"],
            "uid": plan["metadata"]["uid"],
        }
        pending = condition("InstallPlanPending", True, phase)
        old = {"apiVersion": GROUP, "kind": "InstallPlan", "name": name, "uuid": reference["uid"]}
        self._conditions(
            item,
            [pending],
            state="UpgradePending",
            currentCSV=csv,
            installPlanRef=reference,
            installplan=old,
            installPlanGeneration=int(plan["spec"].get("generation", 1)),
        )

    def _make_plan(self, item: Object, csv: str) -> Object:
        meta, spec = item["metadata"], item["spec"]
        approval = spec.get("installPlanApproval") or "Automatic"
        suffix = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(5))
        plan = self.api.create(INSTALL_PLANS.path(meta["namespace"]), {
            "apiVersion": GROUP, "kind": "InstallPlan",
            "metadata": {
                "name": f"install-{suffix}", "namespace": meta["namespace"],
                "labels": {f"operators.coreos.com/{spec['name']}.{meta['namespace']}": ""},
                "ownerReferences": self.own(item, GROUP, "Subscription"),
            },
            "spec": {
                "approval": approval, "approved": approval == "Automatic",
                "clusterServiceVersionNames": [csv, *brought(spec["name"])],
                "generation": len(self._plans_of(item)) + 1,
            },
        })  # fmt: skip
        self.cache.put(INSTALL_PLANS, plan)
        return plan

    def _conditions(self, item: Object, rows: list[dict[str, Any]], **status: Any) -> None:
        healthy = condition(
            "CatalogSourcesUnhealthy", False, "AllCatalogSourcesHealthy", "all available catalogsources are healthy"
        )
        before = item.get("status", {})
        merged = merge_conditions(before.get("conditions", []), [healthy, *rows])
        wanted = {**status, "conditions": merged}
        if any(before.get(key) != value for key, value in wanted.items()):
            self.set_status(SUBSCRIPTIONS, item, {**wanted, "lastUpdated": now()})

    # --- plans ------------------------------------------------------------------------------------------------

    def _plan(self, plan: Object) -> None:
        status, spec = plan.get("status", {}), plan["spec"]
        if status.get("phase") in SETTLED:
            return
        if not spec["approved"]:
            if not status.get("phase"):
                self.set_status(INSTALL_PLANS, plan, {"phase": "RequiresApproval", "catalogSources": []})
            return
        self.set_status(INSTALL_PLANS, plan, {"phase": "Installing", "catalogSources": []})
        steps = []
        for name in spec["clusterServiceVersionNames"]:
            steps += self._execute(plan["metadata"]["namespace"], name)
        done = condition("Installed", True, "")
        fresh = self.api.get(INSTALL_PLANS.path(plan["metadata"]["namespace"], plan["metadata"]["name"])) or plan
        self.set_status(
            INSTALL_PLANS,
            fresh,
            {
                "phase": "Complete",
                "catalogSources": [],
                "conditions": [{**done, "lastUpdateTime": now()}],
                "plan": steps,
            },
        )

    def _execute(self, namespace: str, csv: str) -> list[dict[str, Any]]:
        package = package_of(csv)
        if package is None:
            return []
        missing = self.around.crds.apply(self.api, tuple(package.crds))
        if missing:
            self._say(f"no CRD file for {', '.join(missing)}")
        for old in self.cache.list(CSVS, namespace):
            name = old["metadata"]["name"]
            if name != csv and package_of(name) == package:
                self.api.delete(CSVS.path(namespace, name))
        self.api.ensure(CSVS.path(namespace), cluster_service_version(package, csv, namespace))
        resource = {
            "group": "operators.coreos.com",
            "kind": "ClusterServiceVersion",
            "name": csv,
            "version": "v1alpha1",
            "sourceName": package.source,
            "sourceNamespace": "openshift-marketplace",
            "manifest": "",
        }
        return [{"resolving": csv, "status": "Created", "resource": resource}]
