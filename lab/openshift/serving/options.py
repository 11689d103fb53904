"""Command line of tritonserver: options that it knows, with `=` or a word behind them, as getopt_long reads them.

After triton-inference-server/server, src/command_line_parser.cc. What is here is known; an option that the real one has
and this table has not is refused too, with the same words.
"""

from __future__ import annotations

from collections.abc import Sequence

from podwright.lab.openshift.serving.box import EndedError

KNOWN = frozenset({
    "id", "exit-timeout-secs", "model-store", "model-repository", "exit-on-error", "disable-auto-complete-config",
    "strict-readiness", "model-control-mode", "repository-poll-secs", "load-model", "model-load-thread-count",
    "model-load-retry-count", "allow-http", "http-port", "http-address", "http-restricted-api", "http-thread-count",
    "allow-grpc", "grpc-port", "grpc-address", "grpc-restricted-protocol", "allow-metrics", "allow-gpu-metrics",
    "allow-cpu-metrics", "metrics-port", "metrics-address", "metrics-interval-ms", "log-verbose", "log-info",
    "log-warning", "log-error", "log-format", "backend-config", "pinned-memory-pool-byte-size",
    "cuda-memory-pool-byte-size", "cache-config", "rate-limit", "min-supported-compute-capability",
})  # fmt: skip
FLAGS = frozenset({"disable-auto-complete-config"})
APIS = frozenset({
    "health", "metadata", "inference", "shared-memory", "model-config", "model-repository", "statistics", "trace",
    "logging",
})  # fmt: skip
MODES = ("none", "poll", "explicit")


class Options:
    """Values by option, in their order."""

    def __init__(self, words: Sequence[str]) -> None:
        self._given: dict[str, list[str]] = {}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            name, joined, value = word.removeprefix("--").partition("=")
            if not word.startswith("--") or name not in KNOWN:
                raise EndedError(1, f"tritonserver: unrecognized option '{word}'\nUsage: tritonserver [options]")
            if name not in FLAGS and not joined:
                if not rest:
                    raise EndedError(1, f"tritonserver: option '{word}' requires an argument")
                value = rest.pop(0)
            self._given.setdefault("model-repository" if name == "model-store" else name, []).append(value)
        self._checked()

    def all(self, name: str) -> list[str]:
        """Every value of an option."""
        return self._given.get(name, [])

    def one(self, name: str, otherwise: str) -> str:
        """The last value of an option."""
        return (self.all(name) or [otherwise])[-1]

    def switch(self, name: str, otherwise: bool) -> bool:
        """A truth value."""
        text = self.one(name, "true" if otherwise else "false").lower()
        if text not in ("true", "on", "1", "false", "off", "0"):
            raise EndedError(1, f"invalid value for bool option: {text}")
        return text in ("true", "on", "1")

    def number(self, name: str, otherwise: int) -> int:
        """A whole number."""
        text = self.one(name, str(otherwise))
        if not text.isdigit():
            raise EndedError(1, f"Invalid option value. Got {text}")
        return int(text)

    def restricted(self, name: str) -> dict[str, tuple[str, str]]:
        """Header and value that each restricted API asks for."""
        found: dict[str, tuple[str, str]] = {}
        for text in self.all(name):
            apis, _, key = text.partition(":")
            header, equals, value = key.partition("=")
            if not equals:
                raise EndedError(1, f"Cannot parse pair option due to incorrect number of inputs. Found: {text}")
            for api in apis.split(","):
                if api not in APIS:
                    raise EndedError(1, f"unknown restricted api '{api}' found, expecting {','.join(sorted(APIS))}")
                if api in found:
                    raise EndedError(1, f"restricted api '{api}' can not be specified in multiple config groups")
                found[api] = header.lower(), value
        return found

    def _checked(self) -> None:
        mode = self.one("model-control-mode", "none")
        if mode not in MODES:
            raise EndedError(1, f"invalid argument for --model-control-mode. Got '{mode}'")
        if self.all("load-model") and mode != "explicit":
            raise EndedError(
                1, "Error: Use of '--load-model' requires setting '--model-control-mode=explicit' as well."
            )
        ports = [
            self.number(each, port) for each, port in (("http-port", 8000), ("grpc-port", 8001), ("metrics-port", 8002))
        ]
        if len(set(ports)) < len(ports):
            raise EndedError(1, "The server cannot listen to two services on one port")
