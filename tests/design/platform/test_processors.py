"""Reserved processors are whole cores, some on every NUMA node, with the threads that the BIOS makes of them."""

import re

import pytest

from podwright.components.design import hardware
from podwright.components.design.platform import processors
from podwright.components.model import Server, Settings
from podwright.components.model.settings import Smt
from tests.design.goldens import cluster


def _numbers(text: str) -> set[int]:
    runs = [re.fullmatch(r"(\d+)(?:-(\d+))?", part) for part in text.split(",")]
    return {n for run in runs if run for n in range(int(run[1]), int(run[2] or run[1]) + 1)}


def _server(model: str, gpus: str | None, cores: int | None) -> Server:
    base = next(iter(cluster("lab").servers.values()))
    return base.model_copy(update={"model": model, "gpus": gpus, "cores": cores, "group": None})


def _settings(smt: bool, **bios: str) -> Settings:
    return Settings(smt=Smt(enabled=smt, reason="measured on this site"), bios=dict(bios))


@pytest.mark.parametrize("smt", [True, False])
@pytest.mark.parametrize("cores", [None, 16, 24, 48, 96, 120])
@pytest.mark.parametrize(
    ("model", "token", "per_socket"),
    [
        ("UCSC-885A-M8", {}, 1),
        ("UCSC-885A-M8", {"CbsDfCmnDramNps": "NPS2"}, 2),
        ("UCSC-885A-M8", {"CbsDfCmnDramNps": "NPS4"}, 4),
        ("UCSC-885A-M8", {"CbsDfCmnDramNps": "NPS0"}, 0.5),
        ("UCSX-210C-M7", {}, 1),
        ("UCSX-210C-M7", {"Snc": "enabled"}, 4),
    ],
)
def test_whole_cores_of_every_numa_node_are_reserved(
    model: str, token: dict[str, str], per_socket: float, cores: int | None, smt: bool
) -> None:
    server, settings = _server(model, None, cores), _settings(smt, **token)
    count, threads = hardware.cores(server), hardware.threads(server, settings)
    found = processors.sets(server, settings)
    reserved, isolated = _numbers(found["reserved"]), _numbers(found["isolated"])
    assert reserved | isolated == set(range(threads)) and not reserved & isolated
    assert {each % count for each in reserved}.isdisjoint(each % count for each in isolated), "a core is shared"
    nodes = max(1, int(hardware.SERVERS[model].sockets * per_socket))
    homes = [each % count * nodes // count for each in reserved]
    assert set(homes) == set(range(nodes)), "a NUMA node has none"
    assert len({homes.count(node) for node in range(nodes)}) == 1
    # No more than needed: eight threads, or one core of each node where that is more.
    assert processors.RESERVED_THREADS <= len(reserved) < processors.RESERVED_THREADS + nodes * (threads // count)


def test_a_pool_is_written_as_the_kernel_writes_lists() -> None:
    assert processors.listed([5, 0, 1, 3, 2, 9]) == "0-3,5,9"
