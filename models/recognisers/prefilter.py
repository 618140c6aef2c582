r"""What a text must hold for a pattern to match in it, read off the pattern.

Most rules find nothing in most texts: "accession", "biopsy" or "specimen" is nowhere in them. To
tell so by running each pattern costs a pass each. Here a pattern's source becomes *pieces* of
words, one of which is in every match; all pieces of all patterns are looked for in one pass over a
text (`matching`), and each pattern is run around its own. A pattern may need several things, say a
word and a number; it is run where they are near each other.

    >>> for need in needs(r"\b(?:batch|serial)(?:es)?[: ]{1,4}\d{1,3}").each:
    ...     for piece in sorted(need.pieces):
    ...         print(piece)
    LiteralRun(text='batch', begins=True, ends=True)
    LiteralRun(text='batches', begins=True, ends=True)
    LiteralRun(text='serial', begins=True, ends=True)
    LiteralRun(text='seriales', begins=True, ends=True)

A piece is letters and digits of ASCII, every digit as 0; small letters if case does not matter.
Some marks are pieces too ("@"). The analysis is that of Russ Cox, "Regular Expression Matching with
a Trigram Index" (2012): the strings that a part of the pattern matches are listed as long as they
are few; what is not listed is a wildcard.
"""

from __future__ import annotations

import enum
import functools
import itertools
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

MOST_STRINGS = 50
"""Beyond so many, the strings of a sequence are no longer multiplied but begun anew."""

_ANY = "*"
"""In a listed string: anything, or nothing."""
_GAP = " "
"""In a listed string: a character that is no letter or digit of ASCII, or an edge of a word."""
_MARKS = '@%+(/#"'
"""What stands for itself, between gaps, where it is no choice among other characters."""


class LiteralRun(NamedTuple):
    """Letters and digits that a word holds in a row.

    Attributes:
        text: letters, and 0 for digits.
        begins: whether no other letter or digit stands before it.
        ends: whether none stands behind it.
    """

    text: str
    begins: bool
    ends: bool


class Case(enum.IntEnum):
    """How the pieces of a pattern are written.

    ANY: in small letters or capitals; AS_IT_STANDS: as the pattern writes them; CAPITAL: either,
    but a match counts only if it begins with a capital.
    """

    ANY = 0
    AS_IT_STANDS = 1
    CAPITAL = 2


class Required(NamedTuple):
    """What every match of a pattern holds: one at least of some pieces.

    Attributes:
        pieces: they; in small letters, but for AS_IT_STANDS.
        case: how they are written; CAPITAL only where they begin the match.
        before: how many code points before the piece the match begins; -1 if that may differ.
    """

    pieces: frozenset[LiteralRun]
    case: Case
    before: int


class Needs(NamedTuple):
    """What every match of a pattern holds.

    Attributes:
        each: all of these needs; none if nothing is known.
        reach: code points; no match is longer.
        is_anchored: whether it asks where the text, or a line, begins or ends; true if not known.
    """

    each: tuple[Required, ...]
    reach: int
    is_anchored: bool


NO_END = 1 << 40
"""The reach of a pattern whose matches may be of any length."""


# May be told too often, as in brackets: then texts are searched one by one.
_ANCHORS = re.compile(r"\\[AZz]|(?<!\\)\$|(?<![\[\\])\^")


def needs(source: str, case: Case = Case.ANY) -> Needs:
    """What every match of a pattern holds.

    Args:
        source: of the pattern, as RE2 reads it for Latin-1.
        case: how its letters may be written.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            parsed = parser.parse(source)
    except re.error:
        # RE2 knows what Python's parser does not.
        return Needs((), NO_END, is_anchored=True)
    is_anchored = _ANCHORS.search(source) is not None
    most = parsed.getwidth()[1]
    # Python tells of no more than so many.
    reach = most if most < 1 << 31 else NO_END
    edge = _edge(parsed)
    strings, needed = _sequence(parsed if edge is None else list(parsed)[1:])
    if edge is not None:
        strings = frozenset(_GAP + string for string in strings)
    first = _need(strings, case, edge or 0, 0 if edge is None else 1)
    if case is Case.CAPITAL and first is None:
        return Needs((), reach, is_anchored)
    written = Case.ANY if case is Case.CAPITAL else case
    rest = [need for group in needed if (need := _need(group, written))]
    rest.sort(key=lambda need: _share(need.pieces))
    found: list[Required] = [first] if first else []
    for need in rest:
        # What many words hold is looked for only if there is nothing better.
        few = not found or _share(need.pieces) < _FEW
        if few and need.pieces not in [other.pieces for other in found]:
            found.append(need)
    return Needs(tuple(found[:MOST_NEEDS]), reach, is_anchored)


MOST_NEEDS = 3
_FEW, _MOST_SHARE = 0.1, 0.25


def _edge(parsed: Sequence[Any]) -> int | None:
    """How wide the gap is that a pattern begins with; None if it begins with none, or with any."""
    first = _item(*parsed[0])[0] if len(parsed) and parsed[0][0] is not ops.LITERAL else frozenset()
    if first != {_GAP}:
        return None
    return {ops.AT: 0, ops.IN: 1}.get(parsed[0][0])


def _need(strings: _Strings, case: Case, before: int = 0, leads: int = -1) -> Required | None:
    """What tells most of some strings, one of which a match holds; None if that is too little.

    Args:
        strings: they.
        case: how they are written.
        before: how far a match begins before its piece ...
        leads: ... if the piece is at this place in its string.
    """
    if case is not Case.AS_IT_STANDS:
        strings = frozenset(map(str.lower, strings))
    found = list(map(_first if case is Case.CAPITAL else _best, strings))
    places = {at for _, at in filter(None, found)}
    pieces = _without_longer({piece for piece, _ in filter(None, found)})
    if not all(found) or not pieces or _share(pieces) > _MOST_SHARE:
        return None
    return Required(pieces, case, before if places == {leads} else -1)


_Strings = frozenset[str]
_Found = tuple[_Strings, list[_Strings]]
"""The strings that a part matches, with wildcards; and others, one of which each match holds."""


def _sequence(items: Iterable[Any]) -> _Found:
    head: _Strings | None = None
    strings: _Strings = frozenset([""])
    needed: list[_Strings] = []
    for more, also in _parts(items):
        needed += also
        if min(len(strings), len(more)) > 1 and len(strings) * len(more) > MOST_STRINGS:
            # How it begins is kept; what follows is listed anew.
            head = head or frozenset(_shortened(string + _ANY) for string in strings)
            needed.append(strings)
            strings = frozenset([_ANY])
        strings = frozenset(_shortened(left + right) for left in strings for right in more)
    if head is None:
        return strings, needed
    return head, [*needed, strings]


def _parts(items: Iterable[Any]) -> Iterator[_Found]:
    """What each item matches; literals in a row are one."""
    for literal, group in itertools.groupby(items, lambda item: item[0] is ops.LITERAL):
        if literal:
            yield frozenset(["".join([_LITERALS[code] for _, code in group])]), []
        else:
            for item in group:
                yield _item(*item)


def _item(kind: Any, value: Any) -> _Found:
    if kind is ops.IN:
        return _class(value), []
    if kind is ops.AT:
        return frozenset([_GAP if value is not ops.AT_NON_BOUNDARY else ""]), []
    if kind is ops.BRANCH:
        return _branches([_sequence(branch) for branch in value[1]])
    if kind is ops.SUBPATTERN:
        return _sequence(value[3])
    if kind in (ops.MAX_REPEAT, ops.MIN_REPEAT):
        return _repeated(*value)
    return frozenset([_ANY]), []


def _class(members: Sequence[tuple[Any, Any]]) -> _Strings:
    symbols = set()
    for kind, value in members:
        if kind is ops.LITERAL:
            symbols.add(_SYMBOLS[value])
        elif kind is ops.RANGE and value[1] - value[0] < 26:
            symbols.update(_SYMBOLS[value[0] : value[1] + 1])
        elif kind is ops.CATEGORY and value is ops.CATEGORY_DIGIT:
            symbols.add("0")
        elif kind is ops.CATEGORY and value is ops.CATEGORY_SPACE:
            symbols.add(_GAP)
        else:
            return frozenset([_ANY])
    # Of letters and digits together, as in hexadecimal numbers, nothing is learnt.
    few = len(symbols) <= (12 if "0" not in symbols else 3)
    return frozenset(symbols) if few else frozenset([_ANY])


def _branches(branches: list[_Found]) -> _Found:
    strings = frozenset().union(*(strings for strings, _ in branches))
    needed = []
    if any(also for _, also in branches):
        # Of each branch what tells most.
        best = [min((strings, *also), key=_share_of_strings) for strings, also in branches]
        needed = [frozenset().union(*best)]
    return strings, needed


def _repeated(least: int, most: int, item: Any) -> _Found:
    strings, needed = _sequence(item)
    if strings == {_GAP}:
        # So many blanks part words as one does.
        return (frozenset([_GAP]) if least else frozenset(["", _GAP])), []
    if (least, most) == (0, 1):
        return strings | {""}, []
    one = (ops.SUBPATTERN, (None, 0, 0, item))
    found, also = _sequence([one] * min(int(least), 8))
    if least != most or least > 8:
        # The last one stands beside what follows, whatever is between.
        more, _ = _sequence([one] * min(int(least), 8) + [(ops.ANY, None), one])
        found |= more
    return found, also if least else []


def _symbol(code: int) -> str:
    character = chr(code)
    if not character.isascii() or not character.isalnum():
        return _GAP
    return "0" if character.isdigit() else character


_SYMBOLS = list(map(_symbol, range(0x100)))
_LITERALS = [
    _GAP + chr(code) + _GAP if chr(code) in _MARKS else symbol
    for code, symbol in enumerate(_SYMBOLS)
]


def _shortened(string: str) -> str:
    """One wildcard where several follow each other: far fewer strings are different."""
    if "**" in string or "  " in string:
        return string.replace("**", "*").replace("**", "*").replace("  ", " ")
    return string


# Decides what is looked for first and nothing that is found, so it is no dictionary.
_FREQUENT = frozenset(
    """
    a an and as at be by for from had has have he her his in is it no not of on or patient pt she
    that the they this to was were who will with year years
    """.split()  # noqa: SIM905
)


_PIECES = re.compile(f"({_GAP}?)([A-Za-z0]+|[{re.escape(_MARKS)}])(?=({_GAP}?))")


@functools.lru_cache(1 << 14)
def _best(string: str) -> tuple[LiteralRun, int] | None:
    """The piece of a string that fewest texts hold, and its place; None if it tells nothing."""
    best, least = None, 1.0
    for match in _PIECES.finditer(string):
        before, text, behind = match.groups()
        begins, ends = (before != "", behind != "") if text not in _MARKS else (False, False)
        if (share := _share_of_piece(text, begins, ends)) < least:
            best, least = (LiteralRun(text, begins, ends), match.start(2)), share
    return best


def _first(string: str) -> tuple[LiteralRun, int] | None:
    match = re.match("( )([a-z]+)(?=( ?))", string)
    return (LiteralRun(match[2], True, match[3] == _GAP), 1) if match else None


@functools.lru_cache(1 << 14)
def _share_of_piece(text: str, begins: bool, ends: bool) -> float:
    """How many words of a hundred hold a piece, as a share; a guess."""
    if text in _MARKS:
        return 0.02
    if text[0] == "0":
        return 0.03
    if text in ("s", "S") or (len(text) == 1 and not (begins and ends)):
        # An s may be a possessive, which is no part of a word.
        return 1.0
    if begins and ends:
        return 0.02 if text.lower() in _FREQUENT else 0.2 * 6.0 ** -len(text)
    return (1 if begins or ends else 4) * 6.0 ** -len(text)


def _without_longer(found: set[LiteralRun]) -> frozenset[LiteralRun]:
    """Pieces without those that hold another one, at their beginning or anywhere."""
    starting = {text for text, begins, ends in found if begins and not ends}
    anywhere = {text for text, begins, ends in found if not begins and not ends}
    if not starting and not anywhere:
        return frozenset(found)
    lengths = sorted(set(map(len, starting)))
    kept = set()
    for piece in found:
        text, begins, ends = piece
        longest = len(text) - 1 + ends
        if begins and any(text[:size] in starting for size in lengths if size <= longest):
            continue
        if any(other in text and (other != text or begins or ends) for other in anywhere):
            continue
        kept.add(piece)
    return frozenset(kept)


def _share(found: Iterable[LiteralRun]) -> float:
    return sum(_share_of_piece(*piece) for piece in found)


def _share_of_strings(strings: _Strings) -> float:
    best = [_best(string) for string in strings]
    if not all(best):
        return math.inf
    return _share({piece for piece, _ in filter(None, best)})
