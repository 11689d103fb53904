"""An NVIDIA NIM of a language model: profile, download, and its HTTP.

After NVIDIA's documentation of NIM for large language models (configuration, model profiles and selection, API
reference: /v1/health/live and /v1/health/ready, /v1/models, /v1/metrics, /v1/chat/completions), NVIDIA/nim-deploy
(helm/nim-llm) and NVIDIA/k8s-nim-operator (api/apps/v1alpha1/nimservice_types.go: variables that it is started with; an
air-gapped one is given no key, since it would log in). No model runs: an answer repeats the last message.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podwright.lab.openshift.serving.box import Answer, Box, EndedError, Request, Served

PROFILES = tuple(
    f"{backend}-{precision}-tp{gpus}-pp1"
    for backend in ("vllm",)
    for precision in ("fp8", "bf16")
    for gpus in (8, 4, 2, 1)
)
"""Profiles of the image's manifest, those that are preferred first."""
CACHE = "/opt/nim/.cache"
NO_LOGIN = "nimlib.exceptions.ManifestDownloadError: Error downloading manifest: Authentication Error"
NO_WAY = "nimlib.exceptions.ManifestDownloadError: Error downloading manifest: Connection error: api.ngc.nvidia.com"


def identity(profile: str) -> str:
    """Id of a profile: a digest of what it is."""
    return hashlib.sha256(profile.encode()).hexdigest()


def start(box: Box, image: str) -> Served:
    """The server. Raises EndedError where it ends by itself."""
    nim = Nim(box, image.partition("@")[0].rpartition("/nim/")[2] or "model", _profile(box))
    nim.download()
    return Served({int(box.env.get("NIM_SERVER_PORT") or box.env.get("NIM_HTTP_API_PORT") or 8000): nim.answer})


def _profile(box: Box) -> str:
    if not box.gpus:
        raise EndedError(1, "ERROR: No GPUs were detected: the NVIDIA driver was not detected")
    fits = [each for each in PROFILES if _gpus(each) <= box.gpus]
    wanted = box.env.get("NIM_MODEL_PROFILE", "")
    if not wanted:
        return fits[0]
    found = next((each for each in PROFILES if wanted in (each, identity(each))), None)
    if found is None:
        raise EndedError(1, f"ValueError: Profile {wanted} is not in the manifest; run list-model-profiles")
    if _gpus(found) > box.gpus:
        text = f"Profile {found} is incompatible with the detected hardware: {_gpus(found)} GPUs, found {box.gpus}"
        raise EndedError(1, f"ValueError: {text}")
    return found


def _gpus(profile: str) -> int:
    found = re.search(r"-tp(\d+)-pp(\d+)", profile)
    return int(found[1]) * int(found[2]) if found else 1


@dataclass
class Nim:
    """One process."""

    box: Box
    model: str
    """Name of the model that the image is of."""
    profile: str
    requests: int = 0

    @property
    def names(self) -> list[str]:
        """What the API calls the model."""
        given = self.box.env.get("NIM_SERVED_MODEL_NAME", "")
        return [each.strip() for each in given.split(",") if each.strip()] or [self.model]

    def download(self) -> None:
        """Weights of the profile into the cache, unless it has them. A key is used wherever it is given."""
        cache = self.box.env.get("NIM_CACHE_PATH") or CACHE
        place = f"{cache}/ngc/hub/models--nim--{self.model.replace('/', '--')}/{identity(self.profile)}"
        cached, key = self.box.read(place) is not None, self.box.env.get("NGC_API_KEY", "")
        if (key or not cached) and not self.box.connected:
            raise EndedError(1, NO_WAY)
        if cached:
            return
        if not key and self.box.wants_key:
            raise EndedError(1, NO_LOGIN)
        if not self.box.write(place, self.profile):
            raise EndedError(1, f"PermissionError: [Errno 13] Permission denied: '{cache}/ngc'")

    def answer(self, request: Request) -> Answer:
        """One request."""
        path = request.path.partition("?")[0]
        if path in ("/v1/health/live", "/v1/health/ready"):
            word = path.rpartition("/")[2]
            return _json({"object": "health.response", "message": f"Service is {word}."})
        if path == "/v1/models":
            rows = [{"id": name, "object": "model", "owned_by": "vllm", "root": name} for name in self.names]
            return _json({"object": "list", "data": rows})
        if path == "/v1/metrics":
            lines = ["# TYPE vllm:request_success_total counter",
                     f'vllm:request_success_total{{model_name="{self.names[0]}"}} {self.requests}']  # fmt: skip
            return Answer(200, ("\n".join(lines) + "\n").encode(), "text/plain; version=0.0.4; charset=utf-8")
        if path == "/v1/metadata":
            return _json({"modelInfo": [{"shortName": self.model}], "profile": identity(self.profile)})
        if path in ("/v1/chat/completions", "/v1/completions"):
            return self._completed(path.endswith("chat/completions"), request)
        return _error(404, "Not Found", "NotFoundError")

    def _completed(self, chat: bool, request: Request) -> Answer:
        if request.method != "POST":
            return _error(405, "Method Not Allowed", "MethodNotAllowedError")
        try:
            body: Any = json.loads(request.body)
        except ValueError:
            body = None
        asked = body.get("messages" if chat else "prompt") if isinstance(body, Mapping) else None
        if not asked:
            return _error(400, f"Field required: {'messages' if chat else 'prompt'}", "BadRequestError")
        if body.get("model", self.names[0]) not in self.names:
            return _error(404, f"The model `{body['model']}` does not exist.", "NotFoundError")
        self.requests += 1
        text = str(asked[-1]["content"]) if chat else str(asked)
        choice = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        return _json({
            "id": f"cmpl-{self.requests}", "object": "chat.completion" if chat else "text_completion",
            "model": body.get("model", self.names[0]), "choices": [{"index": 0, "finish_reason": "stop", **choice}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        })  # fmt: skip


def _json(found: Any) -> Answer:
    return Answer(200, json.dumps(found).encode())


def _error(status: int, text: str, kind: str) -> Answer:
    body = {"object": "error", "message": text, "type": kind, "param": None, "code": status}
    return Answer(status, json.dumps(body).encode())
