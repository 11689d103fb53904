"""A stack file with every entry written out: what patterns and an entry's own number stand for, and where it stood.

It works on the file's plain values before their shape is checked. Explicit values win over patterns, closer patterns
(`gpu-[01-04]`, then `gpu-*`, then `*`) over wider ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from typing import Any, get_args

from podwright.components.model import describe, loading, pattern
from podwright.components.model.cluster import Cluster
from podwright.components.model.fabric import AsnPlan
from podwright.components.model.pair import PairVlan, RoutedPort
from podwright.components.model.pattern import Key, PatternError
from podwright.components.model.platform import Pool
from podwright.components.model.problems import Loc, Problem
from podwright.components.model.routes import usual_host
from podwright.components.model.types import Alone, Numbered, Spec

Raw = dict[str, Any]


@dataclass
class Expanded:
    """The values of a file written out."""

    value: Raw
    origin: dict[Loc, Loc] = field(default_factory=dict)
    """Where in the file a value stands that was written once for many, by its own path."""
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _Layer:
    """An entry that stands for several."""

    key: Key
    values: Raw


def expand(value: Mapping[str, Any]) -> Expanded:
    """Everything written out. What is no pattern stays as it is, right or wrong."""
    made = Expanded({})
    made.value = _section(Cluster, value, (), made)
    _numbers(made.value)
    return made


def _section(model: type[Spec], value: Mapping[str, Any], loc: Loc, made: Expanded) -> Raw:
    hints = describe.hints(model)
    return {name: _field(hints.get(name), each, (*loc, name), made) for name, each in value.items()}


def _field(annotation: Any, value: Any, loc: Loc, made: Expanded) -> Any:
    shape = describe.shape(annotation)
    if not isinstance(value, dict):
        short = next((each for each in shape.metadata if isinstance(each, Alone)), None)
        if short is not None and isinstance(value, str):
            made.origin[*loc, short.field] = loc
            return {short.field: value}
        try:
            return _numbered(shape, value)
        except PatternError as error:
            made.problems.append(Problem(loc, str(error), "write a range such as [9-14]"))
            return value
    if describe.is_model(shape) and not shape.variants:
        return _section(shape.kind, value, loc, made)
    if shape.kind is dict:
        inner = describe.shape(shape.arguments[1])
        if describe.is_model(inner) and not inner.variants:
            return _entries(inner.kind, value, loc, made)
    return value


def _entries(model: type[Spec], value: Raw, loc: Loc, made: Expanded) -> Raw:
    layers, names = _keys(value, loc, made)
    found: Raw = {}
    for name, own in names.items():
        layer_of = [layer for layer in layers if layer.key.covers(name)]
        entry = _merged(model, name, own, layer_of, loc, made)
        found[name] = _section(model, entry, (*loc, name), made) if isinstance(entry, dict) else entry
        if own is _ABSENT and layer_of:
            made.origin[*loc, name] = (*loc, layer_of[-1].key.text)
    return found


def _numbered(shape: describe.Shape, value: Any) -> Any:
    """A number where a name with a number in it belongs, such as 7 for the port Ethernet1/7; in a list too, which a
    range may stand for."""
    if shape.kind is tuple:
        inner = describe.shape(shape.arguments[0])
        listed = pattern.listed(value)
        if listed and inner.kind is int and all(each.isdecimal() for each in listed):
            return [int(each) for each in listed]
        members = listed or value
        return [_numbered(inner, each) for each in members] if isinstance(members, list) else value
    form = next((each.form for each in shape.metadata if isinstance(each, Numbered)), "")
    return form.format(value) if form and isinstance(value, int) and not isinstance(value, bool) else value


_ABSENT = object()


def _keys(value: Raw, loc: Loc, made: Expanded) -> tuple[list[_Layer], Raw]:
    """Entries that stand for several, the widest first, and the names of all others with their own value."""
    layers: list[_Layer] = []
    names: Raw = {}
    for text, own in value.items():
        try:
            found = pattern.key(str(text))
        except PatternError as error:
            made.problems.append(Problem((*loc, text), str(error), "write a range such as gpu-[01-16]", at_key=True))
            continue
        if found is None:
            names[text] = own
            continue
        layers.append(_Layer(found, own if isinstance(own, dict) else {}))
        for name in found.numbers:
            names.setdefault(name, _ABSENT)
        if own is not None and not isinstance(own, dict):
            hint = "write what its entries have alike, such as {model: UCSC-885A-M8}"
            made.problems.append(Problem((*loc, text), "is not a mapping", hint))
    return sorted(layers, key=lambda each: (bool(each.key.numbers), len(each.key.stem))), names


def _merged(model: type[Spec], name: str, own: Any, layers: list[_Layer], loc: Loc, made: Expanded) -> Any:
    """An entry with what patterns give it; a serial number alone may stand for the entry that has it."""
    if isinstance(own, str) and "serial" in model.model_fields:
        made.origin[*loc, name, "serial"] = (*loc, name)
        own = {"serial": own}
    if own is _ABSENT or (own is None and layers):
        own = {}
    if not isinstance(own, dict):
        return own
    hints = describe.hints(model)
    number = next((layer.key.numbers[name] for layer in layers if name in layer.key.numbers), None)
    found: Raw = {}
    for layer in layers:
        for key, written in layer.values.items():
            if key in own:
                continue
            source = (*loc, layer.key.text, key)
            try:
                found[key] = pattern.value(written, name, hints.get(key), number)
            except PatternError as error:
                made.problems.append(Problem(source, str(error), f"write `{key}` in the entry {name}"))
            made.origin[*loc, name, key] = source
    return {**found, **own}


def _numbers(value: Raw) -> None:
    """What follows from an entry's own number or name, where nothing is written."""
    fabric = _mapping(value.get("fabric"))
    shift = _mapping(value.get("openshift"))
    _indexes(value, fabric)
    _places(value)
    _autonomous_systems(fabric)
    for name, pool in _items(value.get("pools")):
        _purpose(Pool, name, pool)
    for place in ("frontend", "storage"):
        pair = _mapping(fabric.get(place))
        for name, vlan in _items(pair.get("vlans")):
            _purpose(PairVlan, name, vlan)
            if vlan.get("purpose") == "machine" and "machine_network" in shift:
                vlan.setdefault("subnet", shift["machine_network"])
        for name, port in _items(pair.get("ports")):
            port.setdefault("device", name)
            if found := pattern.number(name):
                port.setdefault("port", f"Ethernet1/{found}")
                port.setdefault("channel", 100 + found)
        peers = {pattern.number(name): name for name in _mapping(pair.get("leaves"))}
        for name, port in _items(pair.get("routed")):
            port.setdefault("device", name)
            if "leaf" not in port and (peer := peers.get(pattern.number(name))):
                port["leaf"] = peer
            _next_hop(port)
    _second_macs(value)
    _route_hosts(value, shift)
    _load_times(value)
    network = _network(shift.get("machine_network"))
    if network is not None:
        _addresses(value, shift, network)


def _addresses(value: Raw, shift: Raw, network: IPv4Network) -> None:
    """The gateway is the network's first address; a number where an address of it belongs is its address of that
    number."""
    shift.setdefault("gateway", 1)
    places = [(shift, name) for name in ("gateway", "api_vip", "ingress_vip")]
    places += [(server, "address") for _, server in _items(value.get("servers"))]
    for entry, name in places:
        number = entry.get(name)
        if isinstance(number, int) and not isinstance(number, bool) and 0 < number < network.num_addresses:
            entry[name] = str(network[number])


def _second_macs(value: Raw) -> None:
    """A number where a second interface's MAC address belongs is counted from the first one's."""
    for name, server in _items(value.get("servers")):
        number, first = server.get("bond_mac"), server.get("boot_mac")
        if isinstance(number, int) and not isinstance(number, bool) and 0 < number < 256 and pattern.is_mac(first):
            server["bond_mac"] = pattern.value(f"{first}+n", name, None, number)


def _route_hosts(value: Raw, shift: Raw) -> None:
    """A Route, or a way by the gateway, without a name has that of its service, its team and the cluster."""
    for name, service in _items(_mapping(value.get("workloads")).get("inference")):
        parts = (name, service.get("team"), value.get("name"), shift.get("domain"))
        for route in (service.get("route"), service.get("gateway")):
            if isinstance(route, dict) and all(isinstance(each, str) for each in parts):
                host = usual_host(*map(str, parts))
                route.update({} if "host" in route or host is None else {"host": host})


def _load_times(value: Raw) -> None:
    """A server of models that reads its weights from a volume starts as fast as storage is to be read."""
    read = _mapping(_mapping(value.get("storage")).get("read"))
    for _, service in _items(_mapping(value.get("workloads")).get("inference")):
        if service.get("load_seconds") is None and (found := loading.seconds(service, read.get("gbps_per_gpu"))):
            service["load_seconds"] = found


def _indexes(value: Raw, fabric: Raw) -> None:
    entries = [*_items(fabric.get("spines")), *_items(fabric.get("leaves"))]
    entries += [*_items(value.get("servers")), *_items(value.get("hosts"))]
    for place in ("frontend", "storage"):
        entries += _items(_mapping(fabric.get(place)).get("leaves"))
    for name, entry in entries:
        if "index" not in entry and (found := pattern.number(name)):
            entry["index"] = found


def _places(value: Raw) -> None:
    """A blade without a serial number is the one in its slot."""
    domains = _mapping(value.get("domains"))
    for _, server in _items(value.get("servers")):
        chassis, _, slot = str(server.get("slot")).rpartition("/")
        boxes = _mapping(_mapping(domains.get(str(server.get("domain")))).get("chassis"))
        serial = _mapping(_mapping(boxes.get(chassis)).get("profile")).get("serial")
        if "serial" not in server and isinstance(serial, str):
            server["serial"] = f"{serial}/{slot}"


def _autonomous_systems(fabric: Raw) -> None:
    """Spines share a number; a leaf's is its plane's base and its own number. Above OSPF all are the spines'."""
    written = _mapping(fabric.get("asn"))
    base = {name: written.get(name, info.default) for name, info in AsnPlan.model_fields.items()}
    inside = _mapping(fabric.get("underlay")).get("kind") == "ospf"
    groups: list[tuple[str, Any, Callable[[int], int]]] = []
    if isinstance(base["spines"], int):
        groups.append(("spines", fabric.get("spines"), lambda _: base["spines"]))
    for plane, leaves in (
        ("leaves", fabric.get("leaves")),
        *((place, _mapping(fabric.get(place)).get("leaves")) for place in ("frontend", "storage")),
    ):
        if isinstance(base[plane], int):
            groups.append((plane, leaves, lambda number, plane=plane: base[plane] + number))  # type: ignore[misc]
    for plane, entries, of in groups:
        for name, entry in _items(entries):
            found = pattern.number(name)
            if "asn" not in entry and (found is not None or plane == "spines"):
                entry["asn"] = base["spines"] if inside and plane == "leaves" else of(found or 0)


def _purpose(model: type[Spec], name: str, entry: Raw) -> None:
    if name in get_args(model.model_fields["purpose"].annotation):
        entry.setdefault("purpose", name)


def _next_hop(port: Raw) -> None:
    """A /31 has one other end."""
    if "next_hop" in port or port.get("prefix", RoutedPort.model_fields["prefix"].default) != 31:
        return
    try:
        address = IPv4Address(str(port.get("address")))
    except ValueError:
        return
    port["next_hop"] = str(IPv4Address(int(address) ^ 1))


def _network(text: object) -> IPv4Network | None:
    try:
        found = IPv4Network(str(text))
    except ValueError:
        return None
    return found if found.num_addresses > 2 else None


def _mapping(value: object) -> Raw:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[tuple[str, Raw]]:
    return [(str(name), each) for name, each in _mapping(value).items() if isinstance(each, dict)]
