"""Servers of vLLM at addresses of loopback: their metrics, as vLLM writes them, and answers that say whose they are.

No model runs. What waits at a replica, and how full its cache is, is what somebody has let it be (fault `requests`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

from podwright.lab.openshift.keda.gauges import CACHE, RUNNING, WAITING, Load
from podwright.lab.openshift.loopback import Loopback

Asked = Callable[[], Load]
USAGE = "--enable-force-include-usage"
"""Of vLLM (https://docs.vllm.ai, cli/serve): every stream ends with what it took, asked or not."""


def metrics(load: Load) -> str:
    """Of one replica, what a picker and Prometheus read (https://docs.vllm.ai, production metrics)."""
    gauges = {WAITING: load.waiting, RUNNING: 1 if load.waiting else 0, CACHE: load.kv_percent / 100}
    lines = [f'# TYPE {name} gauge\n{name}{{model_name="m"}} {value:g}' for name, value in gauges.items()]
    known = 'block_size="16",num_gpu_blocks="4096"'
    lines.append(f"# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{{{known}}} 1")
    return "\n".join(lines) + "\n"


class Replica:
    """One pod's server. Raises OSError where its address is taken."""

    def __init__(self, pod: str, address: str, port: int, load: Asked, words: Sequence[str] = ()) -> None:
        self._server = _Server((address, port), _Handler)
        self._server.says = USAGE in words
        self._server.pod, self._server.load = pod, load
        self._server.begin("replica")

    def stop(self) -> None:
        """Give the address back."""
        self._server.end()


class _Server(Loopback):
    pod: str
    load: Asked
    says: bool
    """Every stream says what it took."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a picker reads twenty times a second."""

    def do_GET(self) -> None:
        """Metrics, and that it is well."""
        if self.path == "/metrics":
            self._reply(200, metrics(self.server.load()).encode(), "text/plain; version=0.0.4")
        else:
            self._reply(200 if self.path == "/health" else 404, b"", "text/plain")

    def do_POST(self) -> None:
        """An answer that has nothing to say but whose it is, how many tokens it took, one for the prompt and as many
        as it may have, and whether a key came with it. A stream says what it took where it is asked to, or always."""
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = json.loads(text) if text.startswith(b"{") else {}
        most = int(asked.get("max_tokens") or 1)
        usage = {"prompt_tokens": 1, "completion_tokens": most, "total_tokens": 1 + most}
        answered: dict[str, Any] = {"object": "chat.completion", "system_fingerprint": self.server.pod, "choices": []}
        answered["with_key"] = "Authorization" in self.headers
        if not asked.get("stream"):
            self._reply(200, json.dumps({**answered, "usage": usage}).encode(), "application/json")
            return
        says = self.server.says or (asked.get("stream_options") or {}).get("include_usage")
        events = [answered, *([{**answered, "usage": usage}] if says else [])]
        lines = [*(json.dumps(each) for each in events), "[DONE]"]
        self._reply(200, "".join(f"data: {each}\n\n" for each in lines).encode(), "text/event-stream")

    def _reply(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
