"""Services that KServe runs: it is there, and does for them what the file asks."""

from collections.abc import Iterator
from typing import Final

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.beside import alone
from podwright.components.model.coherence.workloads import InferenceOn
from podwright.components.model.problems import Loc, Problem, below
from podwright.components.model.workloads import Inference, deployed

COMPONENT: Final = "kserve"
LABEL: Final = 63
"""Characters of a DNS label at most (RFC 1035, 2.3.4: https://www.rfc-editor.org/rfc/rfc1035)."""
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


def name_problems(name: str, service: Inference) -> Iterator[Problem]:
    """A name that KServe can make no URL of: it makes the URL before anything else of a service, also where nothing
    leads there (reconcilers/raw of kserve v0.20.0 and of red-hat-data-services/kserve, branch rhoai-3.4, createRawURL;
    https://github.com/kserve/kserve/blob/v0.20.0/pkg/controller/v1beta1/inferenceservice/reconcilers/ingress/domain.go).
    """
    label = f"{deployed(name, service)}-{service.team}"
    if service.kind == COMPONENT and (over := len(label) - LABEL) > 0:
        message = f"KServe makes the name {label} of it, with {len(label)} characters where {LABEL} are possible"
        hint = f"give it a name of at most {len(name) - over} characters, or {_PLAIN}"
        yield Problem((), message, hint, at_key=True)


def _names(cluster: Cluster) -> Iterator[Problem]:
    """What KServe makes of a service has a name to itself, and one that can be."""
    for name, service in cluster.workloads.inference.items():
        loc: Loc = ("workloads", "inference", name)
        yield from below(loc, name_problems(name, service))
        if service.kind != COMPONENT:
            continue
        yield from alone(cluster, deployed(name, service), service.team, (*loc, "kind"))


INFERENCE = (_does,)
CLUSTER = (_there, _names)
