"""The schedule as a spreadsheet takes it (RFC 4180), and back: what is wrong with a file is said all at once."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields

from podwright.components.design.fabric.cabling import ROLES, Cable, interface, order

COLUMNS = tuple(each.name for each in fields(Cable))
MAY_BE_EMPTY = {"rack", "peer_rack", "label", "peer_label", "optic", "peer_optic", "length_m", "shared"}
MAY_LACK = {"shared"}
"""Columns that lists written before there were breakouts do not have."""


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong with a file. Rows count from 1, the header's; `column` is empty for a whole row."""

    row: int
    column: str
    message: str

    def __str__(self) -> str:
        where = f"row {self.row}, column {self.column}" if self.column else f"row {self.row}"
        return f"{where}: {self.message}"


class CsvError(ValueError):
    """A file that is no cabling schedule; `mistakes` are all of them, top to bottom."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(sorted(mistakes, key=lambda each: (each.row, each.column)))
        super().__init__("\n".join(str(each) for each in self.mistakes))


def write(cables: Iterable[Cable]) -> str:
    """The schedule with a header; lines end in CR LF, as the RFC has it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows(astuple(cable) for cable in sorted(cables, key=order))
    return out.getvalue()


def read(text: str) -> tuple[Cable, ...]:
    """The cables of a file, in the schedule's order. Raises CsvError with every mistake."""
    mistakes: list[Mistake] = []
    try:
        rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))
    except csv.Error as error:
        raise CsvError([Mistake(1, "", f"this is not CSV: {error}")]) from None
    header = rows[0] if rows else []
    if wrong := list(_header(header)):
        raise CsvError(wrong)
    found: list[tuple[int, Cable]] = []
    for number, row in enumerate(rows[1:], 2):
        if not any(row):
            continue
        cable, wrong = _row(number, header, row)
        mistakes += wrong
        if cable is not None:
            found.append((number, cable))
    mistakes += _twice(found)
    if mistakes:
        raise CsvError(mistakes)
    return tuple(sorted((cable for _, cable in found), key=order))


def _header(header: list[str]) -> Iterator[Mistake]:
    """Columns may stand in any order; none but MAY_LACK may lack, none may be unknown or there twice."""
    if not header:
        yield Mistake(1, "", f"the file is empty; its first row names the columns: {','.join(COLUMNS)}")
        return
    for name in COLUMNS:
        if header.count(name) != 1 and not (name in MAY_LACK and name not in header):
            yield Mistake(1, name, "the column is missing" if name not in header else "the column is there twice")
    for name in dict.fromkeys(header):
        if name not in COLUMNS:
            yield Mistake(1, name, f"nobody reads this column; known are {', '.join(COLUMNS)}")


def _row(number: int, header: list[str], row: list[str]) -> tuple[Cable | None, list[Mistake]]:
    if len(row) != len(header):
        return None, [Mistake(number, "", f"{len(row)} fields under {len(header)} columns")]
    cells = dict.fromkeys(MAY_LACK, "") | {name: value.strip() for name, value in zip(header, row, strict=True)}
    wrong = [
        Mistake(number, name, "is empty") for name in COLUMNS if not cells[name] and name not in MAY_BE_EMPTY | {"gbps"}
    ]
    if cells["role"] and cells["role"] not in ROLES:
        wrong.append(Mistake(number, "role", f'"{cells["role"]}" is none of {", ".join(ROLES)}'))
    if not (cells["gbps"].isascii() and cells["gbps"].isdigit() and int(cells["gbps"])):
        wrong.append(Mistake(number, "gbps", f'"{cells["gbps"]}" is no speed in Gb/s; write a number such as 400'))
    if cells["length_m"] and not _positive(cells["length_m"]):
        wrong.append(Mistake(number, "length_m", f'"{cells["length_m"]}" is no length in metres; write 3 or 2.5'))
    cells["port"], cells["peer_port"] = interface(cells["port"]), interface(cells["peer_port"])
    if not wrong and (cells["device"], cells["port"]) == (cells["peer"], cells["peer_port"]):
        wrong.append(Mistake(number, "peer_port", f"both ends are {cells['device']} {cells['port']}"))
    if wrong:
        return None, wrong
    return Cable(**{**cells, "gbps": int(cells["gbps"])}), []  # type: ignore[arg-type]


def _positive(text: str) -> bool:
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False


def _twice(found: list[tuple[int, Cable]]) -> Iterator[Mistake]:
    """A port takes one plug."""
    taken: dict[tuple[str, str], int] = {}
    for number, cable in found:
        for column, end in zip(("port", "peer_port"), cable.ends, strict=True):
            if end in taken:
                yield Mistake(number, column, f"{end[0]} {end[1]} has a cable in row {taken[end]} already")
            taken.setdefault(end, number)
