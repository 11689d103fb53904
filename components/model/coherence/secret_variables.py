"""Variables from Secrets: none is set by others too, and none shows a program what is no program's."""

import re
from collections.abc import Iterator
from typing import Final

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.huge_pages import jobs
from podwright.components.model.coherence.workloads import InferenceOn, TrainingOn
from podwright.components.model.problems import Problem
from podwright.components.model.variables import owner
from podwright.components.model.workloads import Inference

_NIM_KEY: Final = "NGC_API_KEY"
_VLLM_KEY: Final = "VLLM_API_KEY"
"""With it vLLM wants a key in the header Authorization of every request below /v1 (vllm, entrypoints/openai/
api_server.py, AuthenticationMiddleware); probes and metrics are not below it."""
_OWN: Final = re.compile(r"-(dockercfg|token)-[a-z0-9]{5}")
"""How OpenShift ends the names of the Secrets that it makes for service accounts, and makes anew when it likes
(openshift/openshift-controller-manager, pkg/serviceaccounts/controllers)."""
_OTHER: Final = "write the Secret that has the key"
_KEY_LIKE: Final = re.compile(r"[0-9a-f]{32,}")
"""Keys of experiment trackers are such digits (wandb/wandb, wandb/sdk/lib/apikey.py: 40 characters or more)."""


def _names(given: TrainingOn | InferenceOn) -> Iterator[Problem]:
    """A variable is set once: of two with one name the later one counts."""
    job = given.job
    for name in job.secrets:
        loc = ("secrets", name)
        if (who := owner(name)) is not None:
            yield Problem(loc, f"{name} is taken: {who}", "write another name, or leave it out", at_key=True)
        elif isinstance(job, Inference) and job.engine == "nim" and name == _NIM_KEY:
            message = f"{name} is taken: a NIM has it by `nim.ngc_secret`"
            yield Problem(loc, message, "write the Secret's name there; its key is NGC_API_KEY", at_key=True)
        elif isinstance(job, Inference) and name == _VLLM_KEY and job.gateway is not None and job.gateway.clients:
            message = "the gateway takes a client's key away, and vLLM would refuse every request without its own"
            yield Problem(loc, message, "leave it out: `gateway.clients` has who may call it", at_key=True)


def _objects(given: TrainingOn | InferenceOn) -> Iterator[Problem]:
    """The Secret is the team's own, and its name is none of its values."""
    for name, found in given.job.secrets.items():
        loc = ("secrets", name, "secret")
        if _OWN.search(found.secret):
            message = f"{found.secret} is OpenShift's, for a service account, and is made anew under another name"
            yield Problem(loc, message, "make a Secret of the team's own, and write its name")
        elif _KEY_LIKE.fullmatch(found.secret):
            hint = "make a Secret that has the key, write the Secret's name, and have the key replaced"
            yield Problem(loc, "this looks like a key, not like a Secret's name", hint, confidential=True)


def _login(given: InferenceOn) -> Iterator[Problem]:
    """What nodes log in to a registry with is no variable of a program."""
    own = given.job.nim.pull_secret if given.job.nim else None
    for name, found in given.job.secrets.items():
        if found.secret == own:
            message = f"by {found.secret} nodes pull the image: it is a login, and no program's variable"
            yield Problem(("secrets", name, "secret"), message, _OTHER)


def _logins(cluster: Cluster) -> Iterator[Problem]:
    """The same of another service of the team."""
    logins = {
        (service.team, service.nim.pull_secret): name
        for name, service in cluster.workloads.inference.items()
        if service.nim is not None and service.nim.pull_secret is not None
    }
    for loc, job in jobs(cluster):
        own = job.nim.pull_secret if isinstance(job, Inference) and job.nim else None
        for name, found in job.secrets.items():
            user = logins.get((job.team, found.secret))
            if user is not None and found.secret != own:
                message = f"by {found.secret} nodes pull the image of {user}: it is a login, and no program's variable"
                yield Problem((*loc, "secrets", name, "secret"), message, _OTHER)


TRAINING = (_names, _objects)
INFERENCE = (_names, _objects, _login)
CLUSTER = (_logins,)
