"""NVIDIA Triton Inference Server: a repository of models, HTTP, gRPC and metrics.

After triton-inference-server/server, src/command_line_parser.cc and its page of secure deployment
(https://github.com/triton-inference-server/server/blob/main/docs/customization_guide/deploy.md), and
triton-inference-server/core, src/model_repository_manager.
"""

from typing import Any, Final

from podwright.components.design.workloads import home
from podwright.components.design.workloads.engines.started import Started
from podwright.components.design.workloads.times import FINISH_SECONDS
from podwright.components.model import TRITON_PORTS, Inference

KEY: Final = "podwright-pod"
"""Header of requests to the restricted APIs, which has the pod's uid; by gRPC triton-grpc-protocol-podwright-pod."""
RESTRICTED: Final = "model-repository,shared-memory,trace,logging"
"""APIs that change the server or its host's memory. A model that is loaded runs code as the server does; NVIDIA's guide
has them for trusted operators alone. Health, metadata, statistics and inference are clients'."""
_UID: Final[dict[str, Any]] = {"name": "POD_UID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}}


def started(inference: Inference) -> Started:
    """All models of the repository in control mode none, or those that are named in mode explicit.

    In mode none every folder has to be a model: a volume's lost+found, a share's .snapshot keep the server from
    starting (core, model_repository_manager.cc: Create and Poll).
    """
    named = inference.triton.models if inference.triton else ()
    mode = ["explicit", *(f"--load-model={name}" for name in named)] if named else ["none"]
    args = ["tritonserver", f"--model-repository={inference.model}", f"--model-control-mode={mode[0]}", *mode[1:]]
    args += [f"--http-port={inference.port}", *(f"--{name}-port={port}" for name, port in TRITON_PORTS.items())]
    # Its own 30 s would cut off what is in flight when the pod ends.
    args += [f"--exit-timeout-secs={FINISH_SECONDS}"]
    # Only who may read the pod knows its uid: no key is in any plan.
    args += [
        f"--{option}={RESTRICTED}:{KEY}=$(POD_UID)" for option in ("http-restricted-api", "grpc-restricted-protocol")
    ]
    return Started(
        env=[*home.variables(serves=True), _UID],
        args=args,
        live="/v2/health/live",
        ready="/v2/health/ready",
        metrics="/metrics",
        metrics_port="metrics",
        ports=dict(TRITON_PORTS),
    )
