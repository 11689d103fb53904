"""What of a training job cannot change, so that it is made again, and the one before has to be gone by then."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from podwright.components.design.compute import digest
from podwright.components.design.platform.names import Manifest

FIXED: Final[Mapping[str, Sequence[str]]] = {
    "Job": tuple(
        f"spec.{each}"
        for each in ("completions", "parallelism", "selector", "template", "podFailurePolicy", "backoffLimitPerIndex")
    ),
    **dict.fromkeys(("JobSet", "TrainJob"), ("spec",)),
}
"""By kind, fields whose change makes an object anew: those that the API server or a webhook lets nobody change
(kubernetes/kubernetes, pkg/apis/batch/validation/validation.go; kubernetes-sigs/jobset, pkg/webhooks/jobset_webhook.go;
kubeflow/trainer, the kind's own rules), where the plugin by itself would change some in place (pulumi-kubernetes
v4.25.0, provider/pkg/provider/diff.go, forceNew)."""

MADE_OF: Final = "podwright.io/made-of"
"""Annotation of a job: the digest of what of it cannot change. A stack that knows nothing of a job that runs, as one
of an earlier release, reads by it whether its own is another one."""


def marked(job: Manifest, digest: str) -> Manifest:
    """The job with its digest on it, and not on its pods."""
    meta = job["metadata"]
    return {**job, "metadata": {**meta, "annotations": {**meta.get("annotations", {}), MADE_OF: digest}}}


def former(job: Manifest, stack: str, left: Sequence[str] = ()) -> dict[str, Any]:
    """Spec of `podwright:openshift:FormerJobEnded` for a job of this stack; `left`: paths of its fields that others
    change.

    Only what makes it anew may count: a job that is ended for anything else would not come back.
    """
    kind, meta = str(job["kind"]), job["metadata"]
    counts = [each for each in FIXED[kind] if each not in left]
    parts = {each: job["spec"] if each == "spec" else job["spec"].get(each.removeprefix("spec.")) for each in counts}
    return {
        "schema": 1,
        "namespace": meta["namespace"],
        "job": meta["name"],
        "api": job["apiVersion"],
        "resource": f"{kind.lower()}s",
        "stack": stack,
        "digest": digest(parts),
    }
