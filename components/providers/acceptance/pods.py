"""The pods of one test: a receiver with one perftest server per sender, and the senders.

Options are perftest's own (ib_write_bw --help): `-D` seconds, `-q` queue pairs, `-x` GID index, `--tclass` the IP
traffic class, `-F` no CPU frequency check. Results travel in the termination message, which the API server keeps
with the pod, so that no log needs to be read.
"""

from __future__ import annotations

import json
from typing import Any

from podwright.components.providers.acceptance.plan import Nic, Plan, Test

RUN_LABEL = "podwright.io/acceptance"
FIRST_PORT = 18515
"""perftest's default TCP port; the i-th sender uses the i-th port from here."""
_RESULT = "/dev/termination-log"
_SEQUENCE = "/sys/class/infiniband/*/ports/1/hw_counters/out_of_sequence"
QUEUE_PAIRS = 4
"""Flows hash by queue pair: four give ECMP something to spread (NVIDIA perftest guidance for 400G)."""


def receiver_name(test: Test) -> str:
    """Name of the receiving pod."""
    return f"{test.name}-receiver"


def sender_name(test: Test, index: int) -> str:
    """Name of the i-th sending pod."""
    return f"{test.name}-sender-{index}"


def receiver(plan: Plan, test: Test) -> dict[str, Any]:
    """Servers side by side; the NIC's out-of-sequence counter before and after, one a line."""
    servers = " & ".join(" ".join(_perftest(plan, FIRST_PORT + index)) for index in range(len(test.senders)))
    script = f"cat {_SEQUENCE} > {_RESULT}; {servers} & wait; cat {_SEQUENCE} >> {_RESULT}"
    return _pod(plan, receiver_name(test), test.receiver, ["sh", "-c", script])


def sender(plan: Plan, test: Test, index: int, address: str) -> dict[str, Any]:
    """One client; perftest writes its JSON result itself."""
    command = [*_perftest(plan, FIRST_PORT + index), "--out_json", f"--out_json_file={_RESULT}", address]
    return _pod(plan, sender_name(test, index), test.senders[index], command)


def _perftest(plan: Plan, port: int) -> list[str]:
    options = {
        "-D": plan.seconds,
        "-q": QUEUE_PAIRS,
        "-x": plan.gid_index,
        "--tclass": plan.traffic_class,
        "-p": port,
    }
    words = [word for option, value in options.items() for word in (option, str(value))]
    return ["ib_write_bw", "-F", "--report_gbits", *words]


def _pod(plan: Plan, name: str, nic: Nic, command: list[str]) -> dict[str, Any]:
    resources = {nic.resource: "1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": plan.namespace,
            "labels": {RUN_LABEL: "run"},
            "annotations": {"k8s.v1.cni.cncf.io/networks": nic.network},
        },
        "spec": {
            "restartPolicy": "Never",
            "serviceAccountName": plan.service_account,
            "nodeSelector": {"kubernetes.io/hostname": nic.node},
            "tolerations": [{"operator": "Exists"}],
            "containers": [
                {
                    "name": "perftest",
                    "image": plan.image,
                    "command": command,
                    "resources": {"requests": resources, "limits": resources},
                    "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
                }
            ],
        },
    }


def rail_address(pod: Any) -> str | None:
    """The pod's address on its rail, from the network status that Multus writes; None until it is there."""
    annotations = pod["metadata"].get("annotations") or {}
    for network in json.loads(annotations.get("k8s.v1.cni.cncf.io/network-status") or "[]"):
        if not network.get("default") and network.get("ips"):
            return str(network["ips"][0])
    return None


def message(pod: Any) -> str:
    """What the container left as its last word."""
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        ended = (status.get("state") or {}).get("terminated") or {}
        return str(ended.get("message") or ended.get("reason") or "")
    return str((pod.get("status") or {}).get("reason") or "")


def bandwidth(text: str) -> float:
    """Average bandwidth in Gb/s from perftest's JSON. Raises ValueError with what it said instead."""
    try:
        results = json.loads(text)["results"]
        return float(results["BW_average"])
    except (ValueError, KeyError, TypeError):
        raise ValueError(text.strip() or "perftest left no result") from None


def out_of_sequence(text: str) -> int | None:
    """The counter's growth from the receiver's two readings (summed over devices); None where unreadable."""
    numbers = [int(line) for line in text.split() if line.isdigit()]
    half = len(numbers) // 2
    if not numbers or len(numbers) % 2:
        return None
    return sum(numbers[half:]) - sum(numbers[:half])
