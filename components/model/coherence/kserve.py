"""Services that KServe runs: it is there, and does for them what the file asks."""

from collections.abc import Iterator
from typing import Final

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.workloads import InferenceOn
from podwright.components.model.problems import Problem

COMPONENT: Final = "kserve"
_PLAIN: Final = "write kind: deployment"


def _does(given: InferenceOn) -> Iterator[Problem]:
    """What KServe does not do as the file has it is not asked of it."""
    job = given.job
    if job.kind != "kserve":
        return
    if job.engine == "nim":
        message = "OpenShift AI runs NIMs of an account that its dashboard asks NVIDIA's catalogue about"
        yield Problem(("kind",), message, f"{_PLAIN}: the NIM is the same")
    if job.scale is not None:
        message = "the number of replicas is a field of the Deployment, which KServe writes again as it has it"
        yield Problem(("scale",), message, f"{_PLAIN}, or leave `scale` out", at_key=True)
    if job.canary is not None:
        message = "the KServe of OpenShift AI 3.4 shares requests among no versions of a service that it deploys"
        hint = f"{_PLAIN}, or give the second version a service of its own"
        yield Problem(("canary",), message, hint, at_key=True)


def _there(cluster: Cluster) -> Iterator[Problem]:
    """A kind that no operator brings is refused by the API server, when everything else stands."""
    tools = cluster.openshift.data_science if cluster.openshift else None
    if cluster.openshift is None or (tools is not None and COMPONENT in tools.components):
        return
    for name, service in cluster.workloads.inference.items():
        if service.kind == COMPONENT:
            missing = f"define openshift.data_science: {{components: [{COMPONENT}], teams: [{service.team}]}}"
            hint = missing if tools is None else f"add {COMPONENT} to openshift.data_science.components"
            loc = ("workloads", "inference", name, "kind")
            yield Problem(loc, "nothing installs KServe: it is a component of Red Hat OpenShift AI", hint)


INFERENCE = (_does,)
CLUSTER = (_there,)
