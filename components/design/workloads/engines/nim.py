"""An NVIDIA NIM of a language model: its image names the model, variables say how it is run.

After NVIDIA/nim-deploy (helm/nim-llm/templates/deployment.yaml) and NVIDIA/k8s-nim-operator (api/apps/v1alpha1,
GetStandardEnv and the default probes), which start it alike. docs/decisions/0033-nim-as-a-deployment.md has why the
operator does not do it here.
"""

from typing import Any, Final

from podwright.components.design.workloads import home
from podwright.components.design.workloads.engines.started import Started
from podwright.components.model import Inference, Nim
from podwright.components.model.mounts import HOME

KEY: Final = "NGC_API_KEY"
"""Of the container's environment, and of the Secret that has its value."""


def started(inference: Inference) -> Started:
    """Cache, profile and names; the key by reference alone."""
    found = inference.nim or Nim()
    cache = inference.volumes[found.cache].path if found.cache else f"{HOME}/.cache/nim"
    values = {
        "NIM_CACHE_PATH": cache,
        # Both names are read, by one release or another.
        "NIM_SERVER_PORT": str(inference.port),
        "NIM_HTTP_API_PORT": str(inference.port),
        "NIM_SERVED_MODEL_NAME": inference.served_name or inference.model,
        "NIM_JSONL_LOGGING": "1",
        # By default below a folder that a user of OpenShift's choice does not write.
        "OUTLINES_CACHE_DIR": f"{HOME}/.cache/outlines",
    }
    if found.profile is not None:
        values["NIM_MODEL_PROFILE"] = found.profile
    if inference.sizing is not None:
        values["NIM_MAX_MODEL_LEN"] = str(inference.sizing.context)
    env: list[dict[str, Any]] = [*home.variables(serves=True)]
    env += [{"name": name, "value": value} for name, value in values.items()]
    if found.ngc_secret is not None:
        env.append({"name": KEY, "valueFrom": {"secretKeyRef": {"name": found.ngc_secret, "key": KEY}}})
    return Started(
        env=env,
        args=[],
        live="/v1/health/live",
        ready="/v1/health/ready",
        metrics="/v1/metrics",
        pull_secrets=(found.pull_secret,) if found.pull_secret else (),
    )
