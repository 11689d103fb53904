"""Servers and hosts: models, GPUs that fit them, how they are reached, Fabric Interconnect pairs."""

from collections.abc import Iterator

from podwright.components.model.catalogue import GPUS, INTERCONNECTS, SERVERS
from podwright.components.model.catalogue import Server as Model
from podwright.components.model.coherence import port_modes
from podwright.components.model.compute import Domain, Server
from podwright.components.model.explain import suggest
from podwright.components.model.hosts import Host
from podwright.components.model.problems import Problem


def gpu_count(server: Host) -> int:
    """Physical GPUs; 0 where the model or product is refused elsewhere."""
    model = SERVERS.get(server.model)
    if model is None or server.gpus is None or server.gpus not in model.gpus:
        return 0
    return server.gpu_count or model.gpus[server.gpus].default


def refused_gpu(server: Host) -> bool:
    """Whether this server's GPUs are refused for their own sake: what follows from them is not checked then."""
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


def _models(host: Host) -> Iterator[Problem]:
    if host.model not in SERVERS:
        lower = {each.lower(): each for each in SERVERS}
        close = suggest(host.model, tuple(lower))
        hint = next((f"did you mean {lower[each]}?" for each in lower if close and each in close), "")
        known = f"known: {', '.join(SERVERS)}"
        yield Problem(("model",), f"{host.model} is not in the server catalogue", hint or known)


def _gpus(host: Host) -> Iterator[Problem]:
    model = SERVERS.get(host.model)
    if model is None:
        return
    if host.gpus is not None:
        yield from _product(host, host.gpus, model)
    elif host.gpu_count is not None:
        hint = "name the product in `gpus`, or delete this line"
        yield Problem(("gpu_count",), "counts GPUs of no product", hint)


def _product(host: Host, product: str, model: Model) -> Iterator[Problem]:
    if product not in GPUS:
        near = suggest(product, tuple(each.lower() for each in GPUS)).lower()
        hint = next((f"did you mean {each}?" for each in GPUS if f"`{each.lower()}`" in near), "")
        hint = hint or "write the product as nvidia-smi prints it, spaces as dashes: " + ", ".join(GPUS)
        yield Problem(("gpus",), f"{product} is no GPU of the catalogue", hint)
    elif product not in model.gpus:
        form = " has no SXM socket, it" if GPUS[product].form == "sxm" and model.gpus else ""
        able = [each.name for each in SERVERS.values() if product in each.gpus]
        hint = f"{product} goes into {', '.join(able)}" if able else f"no server of the catalogue takes {product}"
        yield Problem(("gpus",), f"{model.name}{form} does not take {product}", hint)
    elif host.gpu_count is not None and host.gpu_count not in model.gpus[product].counts:
        counts = ", ".join(str(each) for each in model.gpus[product].counts)
        message = f"{model.name} does not take {host.gpu_count} x {product}"
        yield Problem(("gpu_count",), message, f"possible: {counts}")


def _rails(host: Host) -> Iterator[Problem]:
    model = SERVERS.get(host.model)
    if model is not None and host.group is not None and not model.rails:
        able = ", ".join(each.name for each in SERVERS.values() if each.rails)
        message = f"{model.name} has no rail NICs to cable to group {host.group}"
        if model.rails_unknown:
            message = f"{model.name} cannot be cabled to group {host.group}: {model.rails_unknown}"
        yield Problem(("group",), message, f"delete this line; models with rails: {able}")


def _nics(host: Host) -> Iterator[Problem]:
    """Addresses are those of rails that the host has, and each port is one rail's."""
    model = SERVERS.get(host.model)
    if model is None or not host.nics or (host.group is not None and not model.rails):
        return
    if host.group is None:
        yield Problem(
            ("nics",), "are rail NICs of a server that is cabled to no leaf group", "add `group`, or delete them"
        )
        return
    places = {nic.rail: nic.pci for nic in model.rails} | host.nics
    for rail, address in host.nics.items():
        other = next((each for each, pci in places.items() if pci == address and each != rail), None)
        if rail not in {nic.rail for nic in model.rails}:
            message = f"{model.name} has no rail {rail}"
            yield Problem(("nics", str(rail)), message, f"its rails are 0 to {len(model.rails) - 1}")
        elif other is not None:
            message = f"{address} is rail {other}'s port too"
            yield Problem(("nics", str(rail)), message, f"write the address of rail {other} in `nics` as well")


def _reach(server: Server) -> Iterator[Problem]:
    """Without a BMC address only Intersight reaches a server, and then it hangs on Fabric Interconnects."""
    model = SERVERS.get(server.model)
    if model is None:
        return
    attached = server.domain is not None or model.platform == "FIAttached"
    if attached and server.domain is None:
        message = f"{model.name} hangs on Fabric Interconnects; its `domain` is missing"
        yield Problem((), message, "add `domain:` with a key of `domains`")
    if server.domain is not None and "FIAttached" not in model.attachments:
        message = f"{model.name} stands alone and hangs on no Fabric Interconnect"
        able = ", ".join(each.name for each in SERVERS.values() if "FIAttached" in each.attachments)
        yield Problem(("domain",), message, f"delete this line; models that may: {able}")
    if not attached and server.bmc is None:
        message = f"{model.name} is installed through its BMC, whose address is missing"
        yield Problem((), message, "add `bmc:` with the address of its management controller")
    if server.bmc is None and server.bmc_password is not None:
        message = "is the password of a management controller whose address is missing"
        yield Problem(("bmc_password",), message, "delete this line, or add `bmc:` with the address")


def _ports(domain: Domain) -> Iterator[Problem]:
    last = INTERCONNECTS[domain.model].ports
    uplinks = set(domain.uplinks)
    for field, ports in (("uplinks", domain.uplinks), ("server_ports", domain.server_ports)):
        for position, port in enumerate(ports):
            if port > last:
                message = f"{domain.model} has no port {port}"
                yield Problem((field, position), message, f"its ports are 1 to {last}")
            elif port in ports[:position] or (field == "server_ports" and port in uplinks):
                yield Problem((field, position), f"port {port} is named before", "each port has one role")


HOST = (_models, _gpus, _rails, _nics)


def _leaves(server: Server) -> Iterator[Problem]:
    """Intersight decommissions what it found behind interconnects; a machine that stands alone was claimed."""
    if server.leave is not None and server.domain is None:
        message = f"this {server.model} stands alone; only one behind Fabric Interconnects can be decommissioned"
        hint = "delete this line; delete its target in Intersight when the machine goes"
        yield Problem(("leave",), message, hint)


SERVER = (*HOST, _reach, _leaves)
DOMAIN = (_ports, *port_modes.DOMAIN)
