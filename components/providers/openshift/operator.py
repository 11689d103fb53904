"""Approving exactly one operator release: the InstallPlan that brings the pinned CSV and nothing undeclared.

OLM puts everything that a namespace's Subscriptions ask for into one plan; approving a plan unread would install what
nobody pinned.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import quote

from podwright.components.providers.openshift.kube import Kube, KubeError, SilentError, rehomed
from podwright.components.providers.openshift.waiting import step_patience
from podwright.components.providers.protocol.difference import leaf_difference
from podwright.components.providers.protocol.kind import (
    UNKNOWN,
    CheckContext,
    Context,
    Created,
    Difference,
    Failure,
    Incomplete,
    Kind,
    ProviderError,
    Read,
    Values,
)
from podwright.components.providers.protocol.shape import judge_spec

APPLY = "application/apply-patch+yaml"
OLM = "/apis/operators.coreos.com/v1alpha1/namespaces"
INSTALL_SECONDS = 1200.0
REQUIRED: Mapping[str, type] = {"namespace": str, "subscription": str, "csv": str}
OPTIONAL: Mapping[str, type] = {"dependencies": list, "brings": list}
"""`brings`: API paths of objects that the operator makes when it starts, and that others add fields to."""


class OperatorInstallKind(Kind):
    """``podwright:openshift:OperatorInstall``."""

    token = "podwright:openshift:OperatorInstall"
    schema = 1

    def check(self, inputs: Values, ctx: CheckContext) -> list[Failure]:
        """Keys and types."""
        del ctx
        return judge_spec(inputs, self.schema, REQUIRED, OPTIONAL)

    def diff(self, old_inputs: Values, new_inputs: Values, outputs: Values) -> Difference:
        """A new CSV is an update (OLM replaces the old one); another Subscription is another resource."""
        del outputs
        found = leaf_difference(old_inputs, new_inputs).without(("spec", "schema"))
        return found.replacing(("spec", "namespace"), ("spec", "subscription"))

    def preview(self, inputs: Values, outputs: Values | None) -> Values:
        """The plan's name is generated; the CSV is pinned."""
        spec = inputs["spec"]
        known = outputs or {}
        csvs = known.get("csvs", UNKNOWN) if known.get("spec") == spec else UNKNOWN
        return {**inputs, "install_plan": known.get("install_plan", UNKNOWN), "csvs": csvs}

    async def create(self, inputs: Values, ctx: Context) -> Created:
        """Find the plan, read it, approve it, wait until the operator runs."""
        spec = inputs["spec"]
        return Created(f"{spec['namespace']}/{spec['subscription']}", await self._install(inputs, ctx))

    async def update(self, id: str, inputs: Values, old_inputs: Values, outputs: Values, ctx: Context) -> Values:
        """As create; nothing is written when the pinned release runs already."""
        del id, old_inputs, outputs
        return await self._install(inputs, ctx)

    async def read(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> Read | None:
        """The release that is installed now. No Subscription or no CSV means gone."""
        spec = inputs["spec"]
        kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
        try:
            subscription = await kube.find(_path(spec, "subscriptions", spec["subscription"]))
            installed = ((subscription or {}).get("status") or {}).get("installedCSV") or spec["csv"]
            csv = await kube.find(_path(spec, "clusterserviceversions", installed))
        except (KubeError, SilentError) as silent:
            ctx.warn(f"operator {id} cannot be read ({silent}); its state is kept as it was")
            return Read(inputs, outputs)
        if subscription is None or csv is None:
            return None
        phase = (csv.get("status") or {}).get("phase")
        if phase != "Succeeded":
            ctx.warn(f"operator {id}: {installed} is {phase}")
        seen = {**inputs, "spec": {**spec, "csv": installed}}
        return Read(seen, {**outputs, **seen})

    async def delete(self, id: str, inputs: Values, outputs: Values, ctx: Context) -> None:
        """Remove the CSV, which takes the operator's pods along. Its CRDs stay, with everybody's objects in them."""
        del outputs
        spec = inputs["spec"]
        kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
        path = _path(spec, "clusterserviceversions", spec["csv"])
        try:
            csv = await kube.find(path)
            if csv is None:
                return
            await kube.remove(path)
            patience = step_patience(ctx, 300)
            while await kube.find(path) is not None:
                await patience.wait(f"CSV {spec['csv']} to go")
        except (KubeError, SilentError) as stuck:
            raise ProviderError(f"operator {id} cannot be removed: {stuck}") from None
        owned = ((csv.get("spec") or {}).get("customresourcedefinitions") or {}).get("owned") or []
        if remaining := sorted(str(crd.get("name")) for crd in owned):
            ctx.log(f"operator {id} is removed; its CRDs stay, as OLM leaves them: {', '.join(remaining)}")

    async def _install(self, inputs: Values, ctx: Context) -> dict[str, Any]:
        spec = inputs["spec"]
        kube = Kube(rehomed(str(inputs["kubeconfig"]), ctx.reach))
        patience = step_patience(ctx, ctx.timeout or INSTALL_SECONDS)
        what = f"operator {spec['namespace']}/{spec['subscription']}"
        plan = ""
        try:
            while not await _runs(kube, spec):
                plan = await _step(kube, spec, what, ctx) or plan
                await patience.wait(f"{what} to run {spec['csv']}{await _news(kube, spec)}")
        except ProviderError as late:
            if not plan:
                raise
            outputs = {**inputs, "install_plan": plan, "csvs": [spec["csv"]]}
            raise Incomplete(f"{spec['namespace']}/{spec['subscription']}", outputs, [str(late)]) from None
        except (KubeError, SilentError) as stuck:
            raise ProviderError(f"{what}: {stuck}") from None
        plan, names = await _approved(kube, spec, plan)
        return {**inputs, "install_plan": plan, "csvs": names}


def _path(spec: Mapping[str, Any], kind: str, name: str = "") -> str:
    return f"{OLM}/{spec['namespace']}/{kind}" + (f"/{name}" if name else "")


async def _runs(kube: Kube, spec: Mapping[str, Any]) -> bool:
    """True when the Subscription says that the pinned CSV is installed, and the CSV says that it works."""
    subscription = await kube.find(_path(spec, "subscriptions", spec["subscription"])) or {}
    if (subscription.get("status") or {}).get("installedCSV") != spec["csv"]:
        return False
    csv = await kube.find(_path(spec, "clusterserviceversions", spec["csv"])) or {}
    if (csv.get("status") or {}).get("phase") != "Succeeded":
        return False
    return all([await kube.find(str(path)) is not None for path in spec.get("brings") or []])


async def _step(kube: Kube, spec: Mapping[str, Any], what: str, ctx: Context) -> str:
    """Approve the plan if it is there and right; returns its name, or an empty text while there is none.

    Raises ProviderError for a plan that would install something else, and for one that failed.
    """
    subscription = await kube.find(_path(spec, "subscriptions", spec["subscription"]))
    if subscription is None:
        raise ProviderError(f"{what}: there is no such Subscription")
    status = subscription.get("status") or {}
    if (
        status.get("installedCSV") == spec["csv"]
        and await kube.find(_path(spec, "clusterserviceversions", spec["csv"])) is None
    ):
        await _subscribe_anew(kube, spec, subscription, ctx)
        return ""
    name = (status.get("installPlanRef") or status.get("installplan") or {}).get("name")
    plan = await kube.find(_path(spec, "installplans", name)) if name else None
    if plan is None:
        ctx.log(f"{what}: no install plan yet{_complaint(status)}")
        return ""
    names = [str(n) for n in (plan.get("spec") or {}).get("clusterServiceVersionNames") or []]
    judge_plan(spec, names, what, str(name))
    phase = str((plan.get("status") or {}).get("phase") or "")
    if phase == "Failed":
        raise ProviderError(f"{what}: install plan {name} failed{_complaint(plan.get('status') or {})}")
    if not (plan.get("spec") or {}).get("approved"):
        ctx.stop_here(f"approving install plan {name}")
        await kube.merge(_path(spec, "installplans", str(name)), {"spec": {"approved": True}})
        ctx.log(f"{what}: approved install plan {name} ({', '.join(names)})")
    else:
        ctx.log(f"{what}: install plan {name} is {phase or 'approved'}")
    return str(name)


async def _subscribe_anew(kube: Kube, spec: Mapping[str, Any], subscription: Mapping[str, Any], ctx: Context) -> None:
    """A removal was cut off after the CSV went: OLM brings a CSV back only for a new Subscription.

    It is applied under the name of whoever applied the old one, so that its fields keep their one owner.
    """
    meta = subscription["metadata"]
    appliers = (entry["manager"] for entry in meta.get("managedFields") or [] if entry.get("operation") == "Apply")
    writer = next(appliers, "podwright")
    path = _path(spec, "subscriptions", spec["subscription"])
    metadata = {key: meta[key] for key in ("name", "namespace", "labels", "annotations") if key in meta}
    body = {"apiVersion": subscription["apiVersion"], "kind": "Subscription", "metadata": metadata}
    ctx.stop_here(f"subscribing to {spec['subscription']} anew")
    ctx.log(f"{spec['csv']} was removed while its Subscription stayed; subscribing anew")
    await kube.remove(path)
    await kube.request("PATCH", f"{path}?fieldManager={quote(writer)}", {**body, "spec": subscription["spec"]}, APPLY)


def judge_plan(spec: Mapping[str, Any], names: list[str], what: str, plan: str) -> None:
    """Raise ProviderError for a plan without the pinned release, or with more than it and what it depends on."""
    if spec["csv"] not in names:
        raise ProviderError(
            f"{what}: install plan {plan} brings {', '.join(names)}, the pin is {spec['csv']}; it was not approved. "
            "Pin what the catalog offers (startingCSV of the Subscription), or use a catalog that offers the pin"
        )
    declared = [spec["csv"], *(spec.get("dependencies") or [])]
    if others := [name for name in names if not any(fnmatchcase(name, each) for each in declared)]:
        raise ProviderError(
            f"{what}: install plan {plan} would also install {', '.join(others)}; it was not approved. Declare them as "
            "dependencies if they are wanted, or give the operator a namespace of its own"
        )


async def _news(kube: Kube, spec: Mapping[str, Any]) -> str:
    csv = await kube.find(_path(spec, "clusterserviceversions", spec["csv"]))
    status = (csv or {}).get("status") or {}
    return f" ({status.get('phase')}: {status.get('message')})" if status.get("phase") else ""


async def _approved(kube: Kube, spec: Mapping[str, Any], plan: str) -> tuple[str, list[str]]:
    """(name, CSVs) of the plan that brought the pinned release."""
    for found in (await kube.get(_path(spec, "installplans"))).get("items") or []:
        names = sorted(str(n) for n in (found.get("spec") or {}).get("clusterServiceVersionNames") or [])
        if found["metadata"]["name"] == plan or (not plan and spec["csv"] in names and found["spec"].get("approved")):
            return str(found["metadata"]["name"]), names
    return plan, [str(spec["csv"])]


def _complaint(status: Mapping[str, Any]) -> str:
    """What OLM complains about: the messages of conditions that are not as they should be."""
    bad = [
        str(c.get("message"))
        for c in status.get("conditions") or []
        if c.get("message") and ((c.get("status") == "True") != (c.get("type") in ("Installed", "Resolved")))
    ]
    return f": {'; '.join(dict.fromkeys(bad))}" if bad else ""
