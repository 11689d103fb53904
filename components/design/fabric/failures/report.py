"""Single losses as people read them: alike ones in one row, worst first within a kind; and as bars in a picture."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from podwright.components.design.fabric.failures import Effect
from podwright.components.design.fabric.failures.remains import Verdict

COLUMNS = (
    "kind",
    "lost",
    "verdict",
    "leaf_pair_left",
    "bisection_gbps",
    "server_left",
    "servers_whole",
    "pair_host_left",
    "servers_cut_off",
    "why",
)
COLOURS: dict[Verdict, str] = {"fatal": "#cf222e", "degraded": "#bf8700", "none": "#1a7f37", "not checked": "#6e7781"}
ROW, LEFT, BAR = 22, 300, 130
"""Height of a row, x of the first bar, length of a full bar."""


@dataclass(frozen=True)
class Group:
    """Losses of one kind that leave the same; the first one speaks for them."""

    first: Effect
    count: int

    @property
    def name(self) -> str:
        """What is lost: its name, or how many of them could be."""
        return self.first.loss.name if self.count == 1 else f"any of {self.count}, such as {self.first.loss.name}"


def figures(effect: Effect) -> tuple[object, ...]:
    """The row of one loss under COLUMNS. Shares have four digits; an unknown figure is empty."""
    return (effect.loss.kind, effect.loss.name, *_left(effect), " ".join(effect.left.cut_off), effect.why)


def _left(effect: Effect) -> tuple[object, ...]:
    """From the verdict to the pairs' hosts."""
    if effect.verdict == "not checked":
        return effect.verdict, "", "", "", "", ""
    left = effect.left
    bisection = left.bisection if left.bisection is not None else ""
    shares = (left.worst_pair, bisection, left.worst_server, left.whole, left.worst_home)
    return effect.verdict, *(round(each, 4) if isinstance(each, float) else each for each in shares)


def details(effect: Effect) -> dict[str, dict[str, float]]:
    """Gb/s left to everything that lost some: by server, by leaf and rail for each NIC, by leaf pair, by host."""
    return {
        "server_gbps": dict(effect.left.servers),
        "nic_to_other_leaves_gbps": {f"{leaf} rail{rail}": left for (leaf, rail), left in effect.left.per_nic.items()},
        "leaf_pair_gbps": {f"{one} {other}": left for (one, other), left in effect.left.pairs.items()},
        "pair_host_gbps": dict(effect.left.homes),
    }


def grouped(effects: Iterable[Effect]) -> tuple[Group, ...]:
    """Losses of one kind and the same figures as one."""
    rows: dict[object, tuple[object, ...]] = {}
    found: dict[tuple[object, ...], list[Effect]] = {}
    for effect in effects:
        unknown = effect.loss.unknown
        known = (unknown, effect.left.alike)
        if known not in rows:
            rows[known] = (*_left(effect), len(effect.left.cut_off), unknown)
        found.setdefault((effect.loss.kind, *rows[known]), []).append(effect)
    return tuple(Group(alike[0], len(alike)) for alike in found.values())


def picture(title: str, groups: Iterable[Group]) -> str:
    """Bars (SVG): what is left between leaves and to the server that loses most, a colour for the verdict."""
    rows = tuple(groups)
    high = 104 + ROW * len(rows)
    body = [line for at, group in enumerate(rows) for line in _bar(group, 92 + ROW * at)]
    heads = (
        ("lost", 20),
        ("between leaves", LEFT),
        ("worst server", LEFT + BAR + 60),
        ("what it means", LEFT + 2 * BAR + 120),
    )
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1220 {high}" width="1220" height="{high}" '
                'font-family="Helvetica, Arial, sans-serif" font-size="11">',
                f"<title>What fails when: {escape(title)}</title>",
                '<rect width="100%" height="100%" fill="#ffffff"/>',
                f'<text x="20" y="26" font-size="17" fill="#1b1f24">What fails when: {escape(title)}</text>',
                *_legend(),
                *(f'<text x="{x}" y="70" font-weight="bold" fill="#57606a">{head}</text>' for head, x in heads),
                *body,
                "</svg>",
            ]
        )
        + "\n"
    )


def _legend() -> Iterator[str]:
    at = 20
    for verdict, colour in COLOURS.items():
        yield f'<rect x="{at}" y="38" width="10" height="10" fill="{colour}"/>'
        yield f'<text x="{at + 14}" y="47" fill="#424a53">{verdict}</text>'
        at += 34 + 7 * len(verdict)


def _bar(group: Group, y: int) -> Iterator[str]:
    effect, colour = group.first, COLOURS[group.first.verdict]
    what = effect.loss.name if group.count == 1 else f"any of {group.count}"
    yield f'<rect x="20" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
    yield f'<text x="36" y="{y}" fill="#1b1f24">{escape(_cut(f"{effect.loss.kind}: {what}", 44))}</text>'
    for x, share in ((LEFT, effect.left.worst_pair), (LEFT + BAR + 60, effect.left.worst_server)):
        if effect.verdict == "not checked":
            yield f'<text x="{x}" y="{y}" fill="#6e7781">not checked</text>'
            continue
        yield f'<rect x="{x}" y="{y - 10}" width="{BAR}" height="12" fill="#eaeef2"/>'
        # All of it left is no alarm, whatever the verdict is for.
        fill = colour if share < 1 else "#c4ccd4"
        yield f'<rect x="{x}" y="{y - 10}" width="{round(BAR * share)}" height="12" fill="{fill}"/>'
        yield f'<text x="{x + BAR + 6}" y="{y}" fill="#424a53">{share:.4g}</text>'
    yield f'<text x="{LEFT + 2 * BAR + 120}" y="{y}" fill="#424a53">{escape(_cut(effect.why, 95))}</text>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
