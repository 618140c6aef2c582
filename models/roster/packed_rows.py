"""How a row of a roster is packed: the values that are known of one patient, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core.errors import OverBudget
from ..core.known_values import KnownAttribute, KnownValue, PersonKind

MOST_VALUES = 200
"""Budget: different values of one patient, relatives and contacts included."""

BUDGET = "roster"
"""The name of the budget, as in the class `OverBudget:roster`."""

_KINDS = tuple(PersonKind)
_ATTRIBUTES = tuple(KnownAttribute)
_HEADS = {
    k * 16 + a: (kind, attribute)
    for k, kind in enumerate(_KINDS)
    for a, attribute in enumerate(_ATTRIBUTES)
}
_END, _OVER = 0xFF, 0xFE
_LONG = 0xFF


def pack_value(known: KnownValue) -> bytes:
    """A byte of kind and attribute, the length, the value in UTF-8."""
    raw = known.value.encode("utf-8", "surrogatepass")
    head = _KINDS.index(known.kind) * 16 + _ATTRIBUTES.index(known.attribute)
    if len(raw) < _LONG:
        return bytes((head, len(raw))) + raw
    return bytes((head, _LONG)) + len(raw).to_bytes(2, "big") + raw


def pack_row(values: Iterable[bytes]) -> bytes:
    """The content of a row: packed values in order, each once, and the end.

    A patient with more than `MOST_VALUES` has a row that says so and holds nothing.
    """
    ordered = sorted(set(values))
    if len(ordered) > MOST_VALUES:
        return bytes((_OVER,))
    return b"".join(ordered) + bytes((_END,))


def unpack_row(content: bytes) -> tuple[KnownValue, ...]:
    """The values of a row, sorted as `pack_row` did; what stands after the end is padding.

    Raises:
        OverBudget: "roster", if the patient had too many values.
        ValueError: if this is no row.
    """
    if content[:1] == bytes((_OVER,)):
        raise OverBudget(BUDGET)
    return tuple(_values(content))


def _values(content: bytes) -> Iterator[KnownValue]:
    at = 0
    try:
        while content[at] != _END:
            kind, attribute = _HEADS[content[at]]
            size, at = content[at + 1], at + 2
            if size == _LONG:
                size, at = int.from_bytes(content[at : at + 2], "big"), at + 2
            value = content[at : at + size].decode("utf-8", "surrogatepass")
            yield KnownValue(kind, attribute, value)
            at += size
    except (IndexError, KeyError, UnicodeDecodeError):
        raise ValueError("not a row of a roster") from None


def is_over(content: bytes) -> bool:
    """Whether a row says that its patient has too many values."""
    return content[:1] == bytes((_OVER,))
