"""NVIDIA Triton Inference Server: what it loads, what keeps it from starting, and its HTTP.

After triton-inference-server/server, src/main.cc and src/http_server.cc (paths, codes, bodies), and
triton-inference-server/core, src/server.cc and src/model_repository_manager (what is loaded, and the words of errors).
No model runs: an inference returns its first input's data in every output. gRPC listens and is not spoken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podwright.lab.openshift.serving import pbtxt
from podwright.lab.openshift.serving.box import Answer, Box, EndedError, Request, Served
from podwright.lab.openshift.serving.options import Options

PROGRAM = "tritonserver"
VERSION = "2.64.0"
EXTENSIONS = (
    "classification", "sequence", "model_repository", "model_repository(unload_dependents)", "schedule_policy",
    "model_configuration", "system_shared_memory", "cuda_shared_memory", "binary_tensor_data", "parameters",
    "statistics", "trace", "logging",
)  # fmt: skip
FAILED = "error: creating server: Internal - failed to load all models"
MODEL = re.compile(r"/v2/models/([^/]+)(?:/versions/([0-9]+))?(?:/(infer|ready|config|stats))?")
CONTROL = re.compile(r"/v2/repository(?:/([^/]+))?/(?:(index)|models/([^/]+)/(load|unload))")
MEMORY = re.compile(r"/v2/(?:system|cuda)sharedmemory(?:/region/[^/]+)?/(status|register|unregister)")


@dataclass
class Model:
    """A model of the repository that was asked for."""

    name: str
    config: dict[str, Any]
    version: str = "1"
    requests: int = 0


class Unloadable(Exception):  # noqa: N818 - a verdict about one model
    """Why a model cannot be loaded."""


def start(box: Box) -> Served:
    """The server. Raises EndedError where it ends by itself."""
    words = list(box.words)
    if not words or words[0].rpartition("/")[2] != PROGRAM:
        # The image's entry point runs a shell where nothing else is named, which ends without a terminal.
        raise EndedError(0, "")
    return Server(box, Options(words[1:])).served()


@dataclass
class Server:
    """One process."""

    box: Box
    options: Options
    models: dict[str, Model] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repositories = self.options.all("model-repository")
        self.mode = self.options.one("model-control-mode", "none")
        self.fences = self.options.restricted("http-restricted-api")
        self.options.restricted("grpc-restricted-protocol")
        self.unready: dict[str, str] = {}
        self._load()

    def served(self) -> Served:
        """Ports that it listens at."""
        ports = {}
        if self.options.switch("allow-http", True):
            ports[self.options.number("http-port", 8000)] = self.answer
        if self.options.switch("allow-metrics", True):
            ports[self.options.number("metrics-port", 8002)] = self.measured
        return Served(ports)

    # --- models -----------------------------------------------------------------------------------------------

    def _load(self) -> None:
        if not self.repositories:
            raise EndedError(1, "error: creating server: Invalid argument - --model-repository must be specified")
        for path in self.repositories:
            if self.box.read(path) is not None:
                text = "error: creating server: Invalid argument - repository path is not a valid directory"
                raise EndedError(1, text)
            if not self.box.has_folder(path):
                raise EndedError(1, f"error: creating server: Internal - failed to stat file {path}")
        named = self.options.all("load-model")
        if "*" in named and len(set(named)) > 1:
            text = "Wildcard model name '*' must be the ONLY startup model if specified at all."
            raise EndedError(1, f"error: creating server: Invalid argument - {text}")
        every = self.mode != "explicit" or named == ["*"]
        log = [text for name in (self._folders() if every else named) if (text := self._tried(name))]
        if log and self.options.switch("exit-on-error", True):
            raise EndedError(1, "\n".join([*log, FAILED]))

    def _folders(self) -> list[str]:
        return [name for path in self.repositories for name, folder in self.box.folder(path).items() if folder]

    def _tried(self, name: str) -> str:
        """Load a model; what the log says where that fails."""
        try:
            self.models[name] = self._model(name)
        except Unloadable as problem:
            self.unready[name] = str(problem)
            return f"E failed to load '{name}': {problem}"
        self.unready.pop(name, None)
        return ""

    def _model(self, name: str) -> Model:
        homes = [f"{path}/{name}" for path in self.repositories if self.box.has_folder(f"{path}/{name}")]
        if not homes:
            raise Unloadable(f"failed to poll model '{name}': model not found in any model repository.")
        if len(homes) > 1:
            raise Unloadable(f"failed to poll model '{name}': not unique across all model repositories")
        text = self.box.read(f"{homes[0]}/config.pbtxt")
        versions = [each for each, folder in self.box.folder(homes[0]).items() if folder and each.isdigit()]
        if not versions:
            raise Unloadable(f"at least one version must be available under the version policy of model '{name}'")
        try:
            config = pbtxt.parse(text or "")
        except ValueError as problem:
            raise Unloadable(f"failed to read text proto from {homes[0]}/config.pbtxt: {problem}") from problem
        if config.get("name", [name]) != [name]:
            raise Unloadable(f"model directory name '{name}' does not match model name '{config['name'][0]}'")
        files = self.box.folder(f"{homes[0]}/{versions[-1]}")
        if not files:
            raise Unloadable(f"unable to find model file for '{name}' version {versions[-1]}")
        self._placed(name, config)
        return Model(name, config, versions[-1])

    def _placed(self, name: str, config: Mapping[str, list[Any]]) -> None:
        """Instances are on GPUs that there are (model_config_utils.cc: ValidateInstanceGroup)."""
        for number, group in enumerate(config.get("instance_group", [])):
            title = f"instance group {(group.get('name') or [f'{name}_{number}'])[0]} of model {name}"
            kind = (group.get("kind") or ["KIND_AUTO"])[0]
            wanted = [int(each) for each in group.get("gpus", [])]
            if kind == "KIND_GPU" and not wanted and not self.box.gpus:
                raise Unloadable(f"{title} has kind KIND_GPU but no GPUs are available")
            if kind == "KIND_CPU" and wanted:
                raise Unloadable(f"{title} has kind KIND_CPU but specifies one or more GPUs")
            for gpu in wanted:
                if gpu >= self.box.gpus:
                    have = ", ".join(map(str, range(self.box.gpus)))
                    raise Unloadable(
                        f"{title} specifies invalid or unsupported gpu id {gpu}. GPUs with at least the minimum "
                        f"required CUDA compute compatibility of 6.000000 are: {have}"
                    )

    # --- HTTP -------------------------------------------------------------------------------------------------

    def answer(self, request: Request) -> Answer:
        """One request at the port of HTTP."""
        path = request.path.partition("?")[0]
        if path in ("/v2/health/live", "/v2/health/ready"):
            ready = path.endswith("live") or not self.unready or not self.options.switch("strict-readiness", True)
            return self._fenced("health", request) or Answer(200 if ready else 400)
        if path == "/v2":
            about = {"name": "triton", "version": VERSION, "extensions": list(EXTENSIONS)}
            return self._fenced("metadata", request) or _json(about)
        if found := MODEL.fullmatch(path):
            return self._of_model(found[1], found[2] or "", found[3] or "", request)
        if found := CONTROL.fullmatch(path):
            return self._fenced("model-repository", request) or self._control(found[3] or "", found[4] or "", request)
        if MEMORY.fullmatch(path):
            return self._fenced("shared-memory", request) or _json([])
        if path in ("/v2/trace/setting", "/v2/logging"):
            return self._fenced(path.split("/")[2], request) or _json({})
        return _error(404, "Not Found")

    def _fenced(self, api: str, request: Request) -> Answer | None:
        header, value = self.fences.get(api, ("", ""))
        if header and request.headers.get(header) != value:
            return _error(403, f"This API is restricted, expecting header '{header}'")
        return None

    def _of_model(self, name: str, version: str, what: str, request: Request) -> Answer:
        api = {"infer": "inference", "ready": "health", "config": "model-config", "stats": "statistics"}
        if refused := self._fenced(api.get(what, "metadata"), request):
            return refused
        if request.method != ("POST" if what == "infer" else "GET"):
            return _error(405, "Method Not Allowed")
        model = self.models.get(name)
        if model is None or (version and version != model.version):
            # One that nobody has asked for is in no map; one that could not be loaded is, without a version.
            if name in self.unready:
                return _error(404, f"Request for unknown model: '{name}' has no available versions")
            return _error(400, f"Request for unknown model: '{name}' is not found")
        if what == "ready":
            return Answer(200)
        if what == "stats":
            success = {"count": model.requests}
            rows = [{"name": name, "version": model.version, "inference_stats": {"success": success}}]
            return _json({"model_stats": rows})
        return self._infer(model, request) if what == "infer" else _json(_metadata(model))

    def _infer(self, model: Model, request: Request) -> Answer:
        try:
            body = json.loads(request.body)
            rows = {row["name"]: row for row in body["inputs"]}
        except (ValueError, KeyError, TypeError):
            return _error(400, "failed to parse the request JSON buffer")
        expected = [each["name"][0] for each in model.config.get("input", [])]
        if len(rows) != len(expected):
            return _error(
                400, f"[request id: <id_unknown>] expected {len(expected)} inputs but got {len(rows)} inputs for model "
                f"'{model.name}'",
            )  # fmt: skip
        for name in rows:
            if name not in expected:
                return _error(400, f"[request id: <id_unknown>] unexpected inference input '{name}' for model "
                              f"'{model.name}'")  # fmt: skip
        model.requests += 1
        first = next(iter(rows.values()), {"shape": [0], "data": [], "datatype": "FP32"})
        outputs = [
            {"name": each["name"][0], "datatype": _type(each), "shape": first["shape"], "data": first["data"]}
            for each in model.config.get("output", [])
        ]
        return _json({"model_name": model.name, "model_version": model.version, "outputs": outputs})

    def _control(self, name: str, verb: str, request: Request) -> Answer:
        if request.method != "POST":
            return _error(405, "Method Not Allowed")
        if not verb:
            return _json([self._index(each) for each in sorted({*self._folders(), *self.models, *self.unready})])
        if self.mode != "explicit":
            return _error(503, "explicit model load / unload is not allowed if polling is enabled")
        if verb == "unload":
            self.models.pop(name, None)
            return Answer(200)
        if self._tried(name):
            return _error(500, f"failed to load '{name}', failed to poll from model repository")
        return Answer(200)

    def _index(self, name: str) -> dict[str, str]:
        """A row of the repository's index; of a model that nobody has asked for, its name alone."""
        if name in self.models:
            return {"name": name, "version": self.models[name].version, "state": "READY"}
        reason = self.unready.get(name)
        return {"name": name, **({"state": "UNAVAILABLE", "reason": reason} if reason else {})}

    def measured(self, request: Request) -> Answer:
        """One request at the port of metrics."""
        if request.path.partition("?")[0] != "/metrics":
            return _error(404, "Not Found")
        lines = ["# HELP nv_inference_request_success Number of successful inference requests, all batch sizes",
                 "# TYPE nv_inference_request_success counter"]  # fmt: skip
        for each in self.models.values():
            lines.append(
                f'nv_inference_request_success{{model="{each.name}",version="{each.version}"}} {each.requests}'
            )
        lines += ["# HELP nv_gpu_utilization GPU utilization rate [0.0 - 1.0)", "# TYPE nv_gpu_utilization gauge"]
        lines += [f'nv_gpu_utilization{{gpu_uuid="GPU-{number}"}} 0' for number in range(self.box.gpus)]
        return Answer(200, ("\n".join(lines) + "\n").encode(), "text/plain; charset=utf-8")


def _type(tensor: Mapping[str, list[Any]]) -> str:
    name = str((tensor.get("data_type") or ["TYPE_FP32"])[0]).removeprefix("TYPE_")
    return "BYTES" if name == "STRING" else name


def _metadata(model: Model) -> dict[str, Any]:
    config = model.config
    platform = (config.get("platform") or config.get("backend") or [""])[0]

    def tensors(key: str) -> list[dict[str, Any]]:
        return [
            {"name": each["name"][0], "datatype": _type(each), "shape": each.get("dims", [])}
            for each in config.get(key, [])
        ]

    return {
        "name": model.name, "versions": [model.version], "platform": platform, "inputs": tensors("input"),
        "outputs": tensors("output"),
    }  # fmt: skip


def _json(found: Any) -> Answer:
    return Answer(200, json.dumps(found).encode())


def _error(status: int, text: str) -> Answer:
    return Answer(status, json.dumps({"error": text}).encode())
