"""What must hold of a record of which some values and stretches of texts were replaced.

All that lies outside of them is as it was; texts read back as the scrubbed ones; parsers of others
see the same structure: `hl7` for HL7 v2, the standard library for JSON, `lxml` for XML.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.views import Edit, applied
from scrubline.models.core.written_texts import Layer, Mapped, Stack, TextPiece
from scrubline.models.formats import FORMATS
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.formats.message_columns import MessageColumn
from scrubline.models.formats.nested_columns import NestedNote
from scrubline.models.jobs.record_rows import unstable_rows
from scrubline.models.messages.attachments import may_hold_encoded
from scrubline.models.messages.base import MessageValue, is_of_form
from scrubline.models.rendering.flow import Flowing
from scrubline.models.roster.people import LABELS as PEOPLE_LABELS

from . import message_structures as structures

NEW = 'a|b^c&d~e\\f"<g>'
"""What is put in the place of values."""

STAND_INS = (
    *(
        "[PATIENT]",
        "[DATE]",
        "Zoë",
        "x",
        "Mary Ann",
        "J.",
        'f|g^h&i~j\\k"<l>',
        "",
        "\U0001f600",
        "12/3/2020",
        "O'Neil",
    ),
    *("&lt;", "]]>", "\\.br\\", "{\\b x}", "two\nlines", "-", "a--b", "\\u00e9", "&#65;"),
)
"""What is put in the place of stretches of texts."""

FILLED = tuple(sorted(set(PEOPLE_LABELS) - {"DATE"}))
"""Labels of known values that policy `expert` gives surrogates."""

_OF_ONE_FORM = str.maketrans("0123456789aeiouAEIOU", "1234567890eiouaEIOUA")
"""In the place of a known value stands another of its form."""

WAYS = ("stay", "roles", "any")
"""What becomes of values that are no texts: nothing; what their roles say; anything."""

Hole = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Checked:
    """What became of a record.

    Attributes:
        became: `read`, or the class of its error.
        out: the scrubbed record.
        way: one of `WAYS`.
        plain: whether stand-ins are as those of a run, without signs of markup.
    """

    became: str
    out: str = ""
    way: str = ""
    plain: bool = False


@dataclasses.dataclass(frozen=True)
class Declared:
    """A grammar, with the roles of its values.

    Attributes:
        name: of the grammar.
        columns: what is declared.
        roles: role of each name.
        texts: the names whose values are read and replaced as texts.
    """

    name: str
    columns: Columns
    roles: Mapping[str, Role]
    texts: Sequence[str]

    @classmethod
    def of(cls, name: str, own: Sequence[tuple[str, str]], fills: bool) -> Declared:
        """What is declared of a grammar, and of a site's own parts of it.

        Args:
            fills: whether something stands in the place of known values, as with surrogates.
        """
        columns = Columns.of_record(name, own, FILLED if fills else ()).resolved([name])
        texts = (*columns.named(Role.TEXT), *columns.filled_names)
        return cls(name, columns, dict(columns.roles), texts)


def check(declared: Declared, record: str, draw: random.Random, counts: Counter[str]) -> Checked:
    """Scrubs a changed record at random.

    Args:
        counts: of texts and stretches, and of comparisons; added to.

    Raises:
        AssertionError: if something is not as it was.
    """
    name = declared.name
    column = _opened(declared, record)
    if column.errors:
        return Checked(column.errors[0])
    values = column._values[0]
    for one, other in itertools.pairwise(values):
        assert one.end <= other.start, "values overlap or are out of order"
    assert all(0 <= one.start <= one.end <= len(record) for one in values), "a value is nowhere"
    kept = {leaf: own.cells for leaf, own in column.leaves.items()}
    assert column.closed(kept).to_pylist() == [record], "a record was changed without need"
    if unread := next((note.error for note in column.notes if note.written is None), ""):
        return Checked(unread)
    (way,) = draw.choices(WAYS, (2, 2, 1))
    plain = draw.random() < 0.5
    texts: dict[str, str] = {}
    try:
        for note in column.notes:
            texts |= _scrubbed(note, draw, plain, counts)
    except DocumentError as error:
        return Checked(f"replaced: {error.code}")
    cells = {
        leaf: own if leaf in declared.texts else _others(way, declared.roles[leaf], own, draw)
        for leaf, own in kept.items()
    }
    cells = {leaf: own for leaf, own in cells.items() if own is not None}
    try:
        (first,) = column.closed(cells).to_pylist()
    except DocumentError as error:
        return Checked(f"written: {error.code}")
    if way == "stay":
        assert first == record, "a record was changed without need"
    else:
        check_others(name, record, values, cells, first)
    again = _opened(declared, first)
    if unstable_rows(column, again, declared.texts):
        return Checked(f"UnstableRecord ({way})")
    out = _with_texts(declared, again, first, texts, counts)
    return Checked("read", out, way, plain) if out is not None else Checked("TextLost")


def _opened(declared: Declared, record: str) -> MessageColumn:
    name = declared.name
    nesting = FORMATS[name].nesting
    assert nesting is not None
    column = nesting.open(pa.array([record]), name, declared.columns.nested[name])
    assert isinstance(column, MessageColumn)
    return column


# -- texts


def stretches(
    text: str, joins: Sequence[int], draw: random.Random, stand_ins: Sequence[str]
) -> list[Edit]:
    """Some stretches of a text with what takes their places; none holds one of `joins`."""
    found: list[Edit] = []
    at, taken = 0, frozenset(joins)
    for _ in range(draw.choice((0, 1, 1, 2, 4))):
        low = at + draw.randrange(max(1, len(text) // 3))
        high = min(len(text), low + draw.choice((1, 2, 5, 12, 40)))
        high = next((one for one in range(low, high) if one in taken), high)
        if low < high:
            found.append((low, high, draw.choice(stand_ins)))
            at = high
    return found


def _scrubbed(
    note: NestedNote, draw: random.Random, plain: bool, counts: Counter[str]
) -> dict[str, str]:
    """Place -> new source of each piece; checked is that all else in it stays."""
    written = note.written
    assert written is not None
    edits = stretches(written.text, written.joins, draw, STAND_INS[:6] if plain else STAND_INS)
    if note.known is not None:
        edits = [(a, b, written.text[a:b].translate(_OF_ONE_FORM)) for a, b, _ in edits]
    new = written.replaced(edits)
    counts["texts" if note.known is None else "known values"] += 1
    counts["texts in markup"] += any(len(piece.layers) > 1 for piece in written.pieces)
    counts["stretches"] += len(edits)
    low = 0
    for piece, (place, source) in zip(written.pieces, new, strict=True):
        assert place == piece.place
        size = len(piece.stack.text)
        own = [(a - low, b - low, put) for a, b, put in edits if low <= a < low + size]
        check_piece(piece, own, source)
        low += size + 1
    return dict(new)


def check_piece(piece: TextPiece, edits: Sequence[Edit], source: str) -> None:
    """A new source reads as the text with its edits, and outside of them is as it was.

    Raises:
        AssertionError: if not.
    """
    before, after = piece.stack, Stack.of(source, piece.layers)
    assert after.text == applied(before.text, edits), "a text does not read as the scrubbed one"
    holes: list[Hole] = [(low, high) for low, high, _ in edits]
    olds = [before.source, *(level.text for level in before.levels)]
    news = [after.source, *(level.text for level in after.levels)]
    for depth in range(len(before.levels) - 1, -1, -1):
        level = before.levels[depth]
        if isinstance(level, Mapped):
            starts, ends = level.view.starts.tolist(), level.view.ends.tolist()
            ranges, holes = holes, list(level.removed)
            for low, high in ranges:
                holes += zip(starts[low:high], ends[low:high], strict=True)
                if isinstance(level, Flowing):  # blanks that were read as one
                    more = zip(level.owners.tolist(), level.more, strict=True)
                    holes += (place for owner, place in more if low <= owner < high)
        elif holes:  # bytes that are encoded anew
            holes = [(0, len(olds[depth]))]
        assert keeps(olds[depth], holes, news[depth]), "something beside a stretch is another"
        if not holes:
            assert olds[depth] == news[depth], "a text was changed without need"


def keeps(old: str, holes: Iterable[Hole], new: str) -> bool:
    """Whether all of a text that lies outside of holes stands in another, in order."""
    merged: list[list[int]] = []
    for low, high in sorted(holes):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(high, merged[-1][1])
        else:
            merged.append([low, high])
    if not merged:
        return old == new
    head, tail = old[: merged[0][0]], old[merged[-1][1] :]
    if len(head) + len(tail) > len(new) or not (new.startswith(head) and new.endswith(tail)):
        return False
    at, end = len(head), len(new) - len(tail)
    for (_, low), (high, _) in itertools.pairwise(merged):
        found = new.find(old[low:high], at, end)
        if found < 0:
            return False
        at = found + high - low
    return True


# -- values that are no texts


def _others(way: str, role: Role, cells: pa.Array, draw: random.Random) -> pa.Array | None:
    """Other cells of a role; None for those that are left out."""
    if way == "stay":
        return cells
    if way == "any":
        what = draw.random()
        new = pa.array([NEW] * len(cells), pa.string())
        return None if what < 0.3 else new if what < 0.5 else cells
    if role in (Role.DROP, Role.KNOWN) or (role in (Role.DATE, Role.BIRTH) and draw.random() < 0.5):
        return None
    values = cells.to_pylist()
    if role in (Role.ID, Role.PATIENT, Role.HASH):
        keys = [hashlib.sha256(value.encode()).hexdigest()[:32] for value in values]
        if role is not Role.HASH:
            keys = [key if key == keys[0] else None for key in keys]
        return pa.array(keys, pa.string())
    return cells


def check_others(
    name: str,
    record: str,
    values: Sequence[MessageValue],
    cells: Mapping[str, pa.Array],
    out: str,
) -> None:
    """What lies outside of values that changed or went is as it was.

    Raises:
        AssertionError: if not.
    """
    given = {leaf: iter(own.to_pylist()) for leaf, own in cells.items()}
    new = [next(given[one.name]) if one.name in given else None for one in values]
    gone = [one for one, cell in zip(values, new, strict=True) if cell is None]
    changed = {
        one: cell
        for one, cell in zip(values, new, strict=True)
        if cell is not None and not one.layers and cell != one.value
    }
    if name != "fhir" or not gone:
        holes = [(one.start, one.end) for one in changed]
        holes += [structures.hole_of(name, record, one) for one in gone]
        assert keeps(record, holes, out), "something beside a value is another"
    if name == "fhir":
        structures.check_json(record, gone, changed, out)
    elif name == "ccda":
        structures.check_xml(record, gone, changed, out)
    else:
        structures.check_hl7(record, gone, changed, out)


# -- both


def _with_texts(
    declared: Declared,
    column: MessageColumn,
    record: str,
    texts: Mapping[str, str],
    counts: Counter[str],
) -> str | None:
    """The record with its texts replaced, checked byte for byte, and by reading it again.

    Returns:
        None for a record that is held back, as its texts would not be found again.
    """
    cells = {leaf: own.cells for leaf, own in column.leaves.items()}
    for leaf in declared.texts:
        if leaf in cells:
            own = [texts[place] for place in column.leaves[leaf].places]
            cells[leaf] = pa.array(own, pa.string())
    (out,) = column.closed(cells).to_pylist()
    edits = [(v.start, v.end, texts[v.place]) for v in column._values[0] if v.layers]
    assert out == applied(record, edits), "bytes outside of texts are others"
    again = _opened(declared, out)
    assert not again.errors, f"what comes out cannot be read: {again.errors.get(0)}"
    read = [value for value in column._values[0] if value.layers]
    expected = [Stack.of(texts[value.place], value.layers).text.strip() for value in read]
    found = [_said(out, value) for value in again._values[0] if value.layers]
    if _opened_by(read, expected) != _opened_by(again._values[0], found):
        may_be = any(is_of_form(value.name) for value in read)
        assert may_be or any(map(may_hold_encoded, expected)), (
            "a text is lost of which a run would not look"
        )
        return None
    assert [one for one in found if one] == list(filter(None, expected)), (
        "texts of what comes out are others"
    )
    by = structures.COMPARED[declared.name](record, out, column._values[0], _moved(read, texts))
    counts[f"compared by {by}"] += 1
    return out


def _opened_by(
    values: Iterable[MessageValue], said: Sequence[str]
) -> list[tuple[str, Sequence[Layer]]]:
    """Name and layers of each text that says something.

    Without places: those of others are counted anew where one is empty, as none is in a run.
    """
    texts = [value for value in values if value.layers]
    return [(one.name, tuple(one.layers)) for one, own in zip(texts, said, strict=True) if own]


def _moved(values: Iterable[MessageValue], texts: Mapping[str, str]) -> list[MessageValue]:
    """Where texts are once they have been replaced."""
    moved, by = [], 0
    for one in sorted(values, key=lambda value: value.start):
        start, new = one.start + by, texts[one.place]
        moved.append(one._replace(start=start, end=start + len(new), value=new))
        by += len(new) - (one.end - one.start)
    return moved


def _said(record: str, value: MessageValue) -> str:
    try:
        return Stack.of(record[value.start : value.end], value.layers).text.strip()
    except DocumentError as error:
        raise AssertionError(f"a text of what comes out cannot be read: {error.code}") from None
