"""Servers: models, GPUs that fit them, how they are reached, power of a rack."""

from collections.abc import Iterator
from difflib import get_close_matches

from podwright.components.model.catalogue import GPUS, SERVERS, SWITCHES
from podwright.components.model.catalogue import Server as Model
from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.references import switches
from podwright.components.model.compute import Server
from podwright.components.model.explain import suggest
from podwright.components.model.problems import Problem

USABLE = 0.8
"""Share of a rack's budget that planned draw may take."""
_FI_PORTS = {"UCS-FI-6536": 36, "UCSX-S9108-100G": 8}


def gpu_count(server: Server) -> int:
    """Physical GPUs; 0 where the model or product is refused elsewhere."""
    model = SERVERS.get(server.model)
    if model is None or server.gpus is None or server.gpus not in model.gpus:
        return 0
    return server.gpu_count or model.gpus[server.gpus].default


def refused_gpu(server: Server) -> bool:
    """Whether this server's GPUs are refused for their own sake: what follows from them is not judged then."""
    model = SERVERS.get(server.model)
    return server.gpus is not None and (model is None or server.gpus not in model.gpus)


def cores(server: Server) -> int | None:
    """Physical cores, or None for an unknown model."""
    model = SERVERS.get(server.model)
    return server.cores or (model.sockets * model.cores if model else None)


def memory_gib(server: Server) -> int | None:
    """Memory in GiB, or None for an unknown model."""
    model = SERVERS.get(server.model)
    return server.memory_gib or (model.memory_gib if model else None)


def _models(cluster: Cluster) -> Iterator[Problem]:
    for name, server in cluster.servers.items():
        if server.model not in SERVERS:
            lower = {each.lower(): each for each in SERVERS}
            close = suggest(server.model, tuple(lower))
            hint = next((f"did you mean {lower[each]}?" for each in lower if close and each in close), "")
            known = f"known: {', '.join(SERVERS)}"
            loc = ("servers", name, "model")
            yield Problem(loc, f"{server.model} is not in the server catalogue", hint or known)


def _gpus(cluster: Cluster) -> Iterator[Problem]:
    for name, server in cluster.servers.items():
        model = SERVERS.get(server.model)
        if model is None:
            continue
        if server.gpus is None:
            if server.gpu_count is not None:
                loc = ("servers", name, "gpu_count")
                yield Problem(loc, "counts GPUs of no product", "say the product in `gpus`, or delete this line")
            continue
        yield from _product(name, server, model)


def _product(name: str, server: Server, model: Model) -> Iterator[Problem]:
    loc = ("servers", name, "gpus")
    product = server.gpus or ""
    if product not in GPUS:
        near = suggest(product, tuple(each.lower() for each in GPUS)).lower()
        hint = next((f"did you mean {each}?" for each in GPUS if f"`{each.lower()}`" in near), "")
        hint = hint or "write the product as nvidia-smi prints it, spaces as dashes: " + ", ".join(GPUS)
        yield Problem(loc, f"{product} is no GPU of the catalogue", hint)
    elif product not in model.gpus:
        form = " has no SXM socket, it" if GPUS[product].form == "sxm" and model.gpus else ""
        able = [each.name for each in SERVERS.values() if product in each.gpus]
        hint = f"{product} goes into {', '.join(able)}" if able else f"no server of the catalogue takes {product}"
        yield Problem(loc, f"{model.name}{form} does not take {product}", hint)
    elif server.gpu_count is not None and server.gpu_count not in model.gpus[product].counts:
        counts = ", ".join(str(each) for each in model.gpus[product].counts)
        loc = ("servers", name, "gpu_count")
        yield Problem(loc, f"{model.name} does not take {server.gpu_count} x {product}", f"possible: {counts}")


def _reach(cluster: Cluster) -> Iterator[Problem]:
    """Without a BMC address only Intersight reaches a server, and then it hangs on Fabric Interconnects."""
    for name, server in cluster.servers.items():
        model = SERVERS.get(server.model)
        if model is None:
            continue
        attached = model.platform == "FIAttached"
        if attached and server.domain is None:
            message = f"{model.name} hangs on Fabric Interconnects; its `domain` is missing"
            yield Problem(("servers", name), message, "add `domain:` with a key of `domains`")
        if not attached and server.domain is not None:
            message = f"{model.name} stands alone and hangs on no Fabric Interconnect"
            yield Problem(("servers", name, "domain"), message, "delete this line")
        if not attached and server.bmc is None:
            message = f"{model.name} is installed through its BMC, whose address is missing"
            yield Problem(("servers", name), message, "add `bmc:` with the address of its management controller")


def _rails(cluster: Cluster) -> Iterator[Problem]:
    for name, server in cluster.servers.items():
        model = SERVERS.get(server.model)
        if model is not None and server.group is not None and not model.rails:
            able = ", ".join(each.name for each in SERVERS.values() if each.rails)
            message = f"{model.name} has no rail NICs to cable to group {server.group}"
            yield Problem(("servers", name, "group"), message, f"delete this line; models with rails: {able}")


def _domains(cluster: Cluster) -> Iterator[Problem]:
    for name, domain in cluster.domains.items():
        last = _FI_PORTS[domain.model]
        uplinks = set(domain.uplinks)
        for field, ports in (("uplinks", domain.uplinks), ("server_ports", domain.server_ports)):
            for position, port in enumerate(ports):
                loc = ("domains", name, field, position)
                if port > last:
                    yield Problem(loc, f"{domain.model} has no port {port}", f"its ports are 1 to {last}")
                elif port in ports[:position] or (field == "server_ports" and port in uplinks):
                    yield Problem(loc, f"port {port} is named before", "each port has one role")


def _power(cluster: Cluster) -> Iterator[Problem]:
    """Highest draw of what stands in a rack, against 80 % of its budget."""
    draw: dict[str, int] = {}
    said = cluster.site.watts
    for server in cluster.servers.values():
        model = SERVERS.get(server.model)
        watts = said.get(server.model) or (model.watts if model else 0)
        draw[server.rack] = draw.get(server.rack, 0) + watts
    for switch in switches(cluster).values():
        box = SWITCHES.get(switch.model)
        watts = said.get(switch.model) or (box.watts if box else 0)
        draw[switch.rack] = draw.get(switch.rack, 0) + watts
    for name, rack in cluster.site.racks.items():
        if rack.power_kw is not None and draw.get(name, 0) > rack.power_kw * 1000 * USABLE:
            needed = draw[name] / 1000 / USABLE
            message = f"{draw[name] / 1000:.1f} kW stand in this rack, more than 80 % of {rack.power_kw:g} kW"
            loc = ("site", "racks", name, "power_kw")
            hint = f"move servers, give the rack {needed:.1f} kW, or say what your models draw in site.watts"
            yield Problem(loc, message, hint)


def _watts(cluster: Cluster) -> Iterator[Problem]:
    """A draw is said of a model that exists."""
    known = (*SERVERS, *SWITCHES)
    for name in cluster.site.watts:
        if name not in known:
            close = get_close_matches(name, known, n=2, cutoff=0.6)
            hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"
            yield Problem(("site", "watts", name), f"{name} is no model of the catalogue", hint, at_key=True)


CHECKS = (_models, _gpus, _reach, _rails, _domains, _power, _watts)
