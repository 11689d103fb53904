"""The cabling as a picture (SVG): racks side by side, spines, leaves, servers, then the frontend and storage pairs.

Each rail of a leaf is a line of its own colour that runs along the racks and drops to every server on it, as a map of
an underground railway is drawn: what a lost leaf takes with it is one look.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape

from podwright.components.design.fabric.cabling import Cable, natural
from podwright.components.design.fabric.model import FabricPlan
from podwright.components.model import FabricArgs
from podwright.components.model.feeds import feeds

RAIL_COLOURS = ("#4269d0", "#efb118", "#ff725c", "#3ca951", "#6cc5b0", "#a463f2", "#9c6b4e", "#ff8ab7")
"""One for each of eight rails; told apart by people with the common colour blindnesses in this order."""
FABRIC, FRONTEND = "#5b6470", "#b6bdc6"
BOX, GAP, RACK_GAP, HIGH = 118, 8, 26, 34
"""Width and height of a device, space between two, between two racks."""
TIERS = ("spine", "leaf", "server", "frontend-leaf", "storage-leaf")
PAIRS = TIERS[3:]
LANE = 9
"""Distance of two rails' lines."""
TOP = 92


class Drawing:
    """Where everything stands."""

    def __init__(self, args: FabricArgs, plan: FabricPlan, cables: Iterable[Cable]) -> None:
        self.args = args
        self.cables = tuple(cables)
        self.tier = {switch.hostname: str(switch.role) for switch in plan.switches}
        cabled = {cable.peer for cable in self.cables}
        self.tier |= {name: "server" for name in args.hosts if name in cabled}
        self.model = {switch.hostname: switch.model for switch in plan.switches}
        self.model |= {name: args.hosts[name].model for name, tier in self.tier.items() if tier == "server"}
        self.rack = {switch.hostname: switch.rack for switch in plan.switches}
        self.rack |= {name: args.hosts[name].rack for name in self.tier if name in args.hosts}
        self.columns = {rack: 1 for rack in args.site.racks if rack in self.rack.values()}
        for (rack, _), count in Counter((self.rack[name], self.tier[name]) for name in self.tier).items():
            self.columns[rack] = max(self.columns[rack], min(count, 4))
        self.left: dict[str, int] = {}
        at = RACK_GAP
        for rack, wide in self.columns.items():
            self.left[rack] = at
            at += wide * (BOX + GAP) + GAP + RACK_GAP
        self.width = max(at, 640)
        self.rails: dict[str, list[int]] = {name: [] for name in self.tier}
        for cable in self.cables:
            if (rail := _rail(cable)) is not None:
                for end in (cable.device, cable.peer):
                    self.rails[end] = sorted({*self.rails[end], rail})
        self.lanes: dict[tuple[str, int | None], int] = {}
        """The y of the line of a leaf's rail, and of a pair's leaf (rail None)."""
        self.place: dict[str, tuple[int, int]] = {}
        self.height = self._stand()

    def _stand(self) -> int:
        """Give every device its corner; returns the height of the picture."""
        at = TOP
        for tier in TIERS:
            members = sorted((name for name, its in self.tier.items() if its == tier), key=natural)
            if not members:
                continue
            counts: Counter[str] = Counter()
            for name in members:
                rack = self.rack[name]
                row, column = divmod(counts[rack], self.columns[rack])
                counts[rack] += 1
                self.place[name] = (self.left[rack] + GAP + column * (BOX + GAP), at + row * (HIGH + 22))
            rows = max(-(-count // self.columns[rack]) for rack, count in counts.items())
            at += rows * (HIGH + 22)
            if tier == "spine":
                at += 110
            at = self._lay(members, tier, at)
        return at + 20

    def _lay(self, members: list[str], tier: str, at: int) -> int:
        """Lines below the leaves for rails, and below the servers for the pairs; returns where they end."""
        keys: list[tuple[str, int | None]] = []
        if tier == "leaf":
            keys = [(name, rail) for name in members for rail in self.rails[name]]
        elif tier == "server":
            keys = [(name, None) for name in sorted(self.tier) if self.tier[name] in PAIRS]
        for key in keys:
            self.lanes[key] = at
            at += LANE
        return at + 24 if keys else at

    def middle(self, name: str) -> int:
        """The x of a device's middle."""
        return self.place[name][0] + BOX // 2


def picture(args: FabricArgs, plan: FabricPlan, cables: Iterable[Cable]) -> str:
    """The whole picture. Cables to what is neither switch nor server are left out and counted."""
    drawing = Drawing(args, plan, cables)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawing.width} {drawing.height}" '
        f'width="{drawing.width}" height="{drawing.height}" font-family="Helvetica, Arial, sans-serif" font-size="11">',
        f"<title>Cabling of {escape(args.cluster)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *_heading(drawing),
        *_racks(drawing),
        *_wires(drawing),
        *_boxes(drawing),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x: int, y: int, text: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" {more}>{escape(text)}</text>'


def _heading(drawing: Drawing) -> Iterator[str]:
    args = drawing.args
    yield _text(
        RACK_GAP, 26, f"Cabling of {args.cluster}: {len(drawing.cables)} cables", 'font-size="17" fill="#1b1f24"'
    )
    left_out = sum(cable.peer not in drawing.place for cable in drawing.cables)
    at = RACK_GAP
    rails = sorted({nic for cable in drawing.cables if (nic := _rail(cable)) is not None})
    legend = [(f"rail {rail}", RAIL_COLOURS[rail % 8]) for rail in rails]
    legend += [("leaf–spine", FABRIC)] * any(cable.role == "fabric" for cable in drawing.cables)
    legend += [("frontend, storage", FRONTEND)] * any(cable.role == "peer" for cable in drawing.cables)
    for words, colour in legend:
        yield f'<line x1="{at}" y1="44" x2="{at + 18}" y2="44" stroke="{colour}" stroke-width="3"/>'
        yield _text(at + 22, 48, words, 'fill="#424a53"')
        at += 34 + 6 * len(words)
    if left_out:
        yield _text(
            at + 8, 48, f"{left_out} cables to interconnects, arrays and borders are not drawn", 'fill="#8b949e"'
        )


def _racks(drawing: Drawing) -> Iterator[str]:
    for rack, left in drawing.left.items():
        wide = drawing.columns[rack] * (BOX + GAP) + GAP
        high = drawing.height - TOP + 16
        yield f'<rect x="{left}" y="{TOP - 26}" width="{wide}" height="{high}" rx="6" fill="#f6f8fa" stroke="#d0d7de"/>'
        feed = " + ".join(feeds(drawing.args.site.racks[rack]))
        yield _text(left + GAP, TOP - 10, f"{rack} · {feed}", 'fill="#57606a" font-weight="bold"')


def _boxes(drawing: Drawing) -> Iterator[str]:
    for name, (x, y) in drawing.place.items():
        fill = {"spine": "#24292f", "leaf": "#32475b", "frontend-leaf": "#6e7781", "storage-leaf": "#6e7781"}.get(
            drawing.tier[name], "#ffffff"
        )
        ink = "#1b1f24" if fill == "#ffffff" else "#ffffff"
        yield f'<rect x="{x}" y="{y}" width="{BOX}" height="{HIGH}" rx="4" fill="{fill}" stroke="#57606a"/>'
        yield _text(x + 6, y + 14, name, f'fill="{ink}" font-weight="bold"')
        yield _text(x + 6, y + 27, _model(drawing, name), f'fill="{ink}" font-size="9"')
        for at, rail in enumerate(drawing.rails[name]):
            top = y - 3 if drawing.tier[name] == "server" else y + HIGH - 3
            left = _slot(x, at, len(drawing.rails[name]))
            yield f'<rect x="{left - 4}" y="{top}" width="8" height="6" fill="{RAIL_COLOURS[rail % 8]}"/>'


def _model(drawing: Drawing, name: str) -> str:
    return drawing.model[name].removeprefix("N9K-C").removeprefix("UCSC-").removeprefix("UCSX-")


def _slot(x: int, at: int, count: int) -> int:
    """The x of the at-th of `count` plugs along a box."""
    return x + (2 * at + 1) * BOX // (2 * max(count, 1))


def _rail(cable: Cable) -> int | None:
    number = cable.peer_port.removeprefix("rail")
    return int(number) if number.isdigit() and cable.peer_port != number else None


def _wires(drawing: Drawing) -> Iterator[str]:
    """Leaf to spine one line for all cables of a pair; rails and frontend along their lanes."""
    trunks = Counter((cable.device, cable.peer) for cable in drawing.cables if cable.role in ("fabric", "peer"))
    for (device, peer), count in sorted(trunks.items(), key=lambda item: (natural(item[0][0]), natural(item[0][1]))):
        yield from _trunk(drawing, device, peer, count)
    for (leaf, rail), y in drawing.lanes.items():
        stops = {cable.peer for cable in drawing.cables if cable.device == leaf and _rail(cable) == rail}
        stops = {name for name in stops if drawing.tier.get(name) == "server"}
        if stops:
            yield from _line(drawing, leaf, rail, y, sorted(stops, key=natural))


def _line(drawing: Drawing, leaf: str, rail: int | None, y: int, stops: list[str]) -> Iterator[str]:
    """A lane with a riser to its leaf and a drop to every server on it."""
    style = f'stroke="{FRONTEND if rail is None else RAIL_COLOURS[rail % 8]}" stroke-width="1.6"'
    ends = []
    for name in (leaf, *stops):
        x, top = drawing.place[name]
        if rail is not None:
            x = _slot(x, drawing.rails[name].index(rail), len(drawing.rails[name]))
        else:
            pair = [key for key, none in drawing.lanes if none is None]
            x = _slot(x, pair.index(leaf), len(pair)) if name != leaf else drawing.middle(name)
        ends.append(x)
        edge = top if top > y else top + HIGH
        yield f'<line x1="{x}" y1="{y}" x2="{x}" y2="{edge}" {style}/>'
    yield f'<line x1="{min(ends)}" y1="{y}" x2="{max(ends)}" y2="{y}" {style}/>'


def _trunk(drawing: Drawing, device: str, peer: str, count: int) -> Iterator[str]:
    """Leaf to spine, or a pair's peer link."""
    lower, upper = sorted((device, peer), key=lambda name: -drawing.place[name][1])
    (_, high), (_, low) = drawing.place[upper], drawing.place[lower]
    one, two = drawing.middle(upper), drawing.middle(lower)
    if high == low:
        y = high + HIGH // 2
        yield f'<line x1="{one}" y1="{y}" x2="{two}" y2="{y}" stroke="{FRONTEND}" stroke-width="3"/>'
        return
    bend = (low - high - HIGH) // 2
    points = f"M{one},{high + HIGH} C{one},{high + HIGH + bend} {two},{low - bend} {two},{low}"
    yield f'<path d="{points}" fill="none" stroke="{FABRIC}" stroke-width="{min(1 + count / 6, 5):.1f}"/>'
    halo = f'fill="{FABRIC}" font-size="10" stroke="#f6f8fa" stroke-width="4" paint-order="stroke"'
    yield _text((one + two) // 2 - 8, (high + HIGH + low) // 2 + 4, f"{count}×", halo)
