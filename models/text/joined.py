"""The segmentation "merged": fine tokens joined where several of them write one thing.

A date, a telephone number, an e-mail address, a decimal, an abbreviation with its point, a
hyphenated name become one item each, so that a CRF sees whole what it must label whole, and its
context reaches further. Fine tokens are first split where an ordinal sign runs into a word
(`NºCol`), which the tokenizer keeps together.

Each fine token is put into one of some forty *categories*, one character each; blanks and line
breaks between tokens have one too. A document is then a short string, and what is joined is said by
patterns over that string, all of them of bounded length: the cost is linear in the text, and a
pattern is a small automaton over categories. At each place the first pattern that matches wins.

Names of months, prepositions and abbreviations are those of Spanish and English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ...dictionaries import phrase_set
from ..core.arrays import Flags, Ints
from ..core.tokens import Tokens
from .join_patterns import Program, compile_patterns
from .segmentation import ItemBounds
from .tokenizer import tokenize_documents

MONTHS = phrase_set("joined_months")
ABBREVIATIONS = phrase_set("joined_abbreviations")
"""Titles, words of addresses and the like, that are written with a capital and a point."""

COUNTRIES = phrase_set("joined_countries")
"""A hyphen before one of them parts two places (`Madrid-España`)."""

DIGITS = {1: "a", 3: "d", 5: "f", 6: "g", 7: "h", 8: "i", 9: "j"}
_SIGNS = frozenset(".,/-@:()+_?=&%#~'")
_OTHER, _BLANK, _BREAK = "*", " ", "\n"
FOLDED_CATEGORIES = {
    **dict.fromkeys(("mail", "email", "correo"), "L"),
    **dict.fromkeys(("www", "http", "https"), "W"),
    **dict.fromkeys(("año", "year"), "N"),
    **dict.fromkeys(COUNTRIES, "P"),
    **dict.fromkeys(("de", "del", "of"), "D"),
    **dict.fromkeys(MONTHS, "M"),
}
RAW_CATEGORIES = {"EE": "E", **dict.fromkeys(ABBREVIATIONS, "V")}
"""Categories of words that have one of their own, case-folded and as they stand; see `JOINS`."""

_ORDINAL = re.compile("[ºª]")

_DAY, _TWO, _YEAR = "[ab]", "[bcp]", "[yebc]"
_ANY = "[A-Za-z]"
_GAP = r"[ .\-]?"
_PHONE = "|".join(
    _GAP.join(groups)
    for groups in (
        ("j",),
        ("d", _TWO, _TWO, _TWO),
        (_TWO, "d", _TWO, _TWO),
        ("d", "d", "d"),
        ("d", "g"),
        (_TWO, "h"),
        (_TWO, "d", "[ye]"),
        (_TWO, "[ye]", "d"),
        ("d", _TWO, "[ye]"),
    )
)

JOINS: dict[str, tuple[str, str, str]] = {
    "email": (
        rf"(?<!{_ANY})",
        rf"(?!S-L|L[.:\-]){_ANY}(?:{_ANY}|[._\-]){{0,15}}@(?:{_ANY}[.\-_]?){{0,8}}{_ANY}",
        "",
    ),
    "url": ("", rf"W(?:[:/._\-?=&%#~]{{1,3}}{_ANY}){{1,20}}/?", ""),
    # 12/03/2014, 12-3-14, 12.03.2014, 2014-03-12, 03/2014; a separator or a digit typed twice.
    "date": (
        r"(?<![a-kpy][/.\-])",
        rf"(?:{_DAY}[/.\-]{{1,2}}(?:{_DAY}[/.\-]{{1,2}}{_YEAR}|d[/.\-]y)|y[/.\-]{_DAY}[/.\-]{_DAY}"
        rf"|{_DAY}/y)",
        r"(?![/\-][a-kpy])",
    ),
    # 3 de mayo de 2012, 3-mayo-2012, mayo de 2012, mayo 2012, mayo del año 2012, mayo-12, 3 de
    # mayo; May 3, 2012.
    "written_date": (
        "",
        rf"(?:(?:{_DAY}(?: D |-| |/))?M(?:(?: D | D N | ?, ?| |-|/)y|[/\-]{_TWO})|{_DAY} D M"
        rf"|M {_DAY}, y)",
        r"(?![/\-][a-kpy])",
    ),
    "phone": (
        r"(?<![a-kpy][.\-/])(?<![a-kpy] )",
        # The plus of +34 stays outside: it is no part of the number to those who annotate.
        rf"(?:(?:(?<=\+)[bcp]|p)[ .\-]?)?(?:{_PHONE})",
        r"(?![.\-/][a-kpy]| [a-kpy])",
    ),
    "decimal": (r"(?<![a-kpy][.,])", "[a-kpy][.,][a-kpy]", r"(?![.,][a-kpy])"),
    "postcode": ("", "S-f", ""),
    "country": ("", r"E\. ?A\.?", ""),
    "initials": ("", r"S\.(?:S\.){1,5}", ""),
    "slashed": ("", r"(?:s/s|S/)", "(?! ?S)"),
    "abbreviation": ("", r"V\.", ""),
    "initial": ("", r"S\.", "(?= ?C)"),
    "hyphenated": ("", "C-C(?:-C)?", ""),
}
"""What is joined -> what must be before, the pattern of its categories, what must be after; most
telling first.

Digits: a one, b two up to 31, p 34, c other two, y a year, e other four, d f g h i j three and five
to nine, k more. Words: M month, D preposition, N `año`, S and s one capital or small letter, V
abbreviation, P country, E `EE`, W `www` and `http`, L `mail`, C capitalised, A capitals, w other.
Signs are themselves.
"""

_JOINED = re.compile("|".join(f"{before}{body}{after}" for before, body, after in JOINS.values()))


def join_program() -> Program:
    """`JOINS` for the extension."""
    return compile_patterns(f"{before}{body}{after}" for before, body, after in JOINS.values())


def kind_program() -> Program:
    """What makes a whole word one of `KINDS`, in their order, for the extension."""
    bodies = [*(body for _, body, _ in JOINS.values()), *SINGLES.values()]
    return compile_patterns(bodies, whole=True)


SINGLES = {"year": "y"}
"""What one fine token may be -> the pattern of its category."""

KINDS = (*JOINS, *SINGLES)
_KINDS = [
    *((name, re.compile(body)) for name, (_, body, _) in JOINS.items()),
    *((name, re.compile(body)) for name, body in SINGLES.items()),
]


def merged(texts: Sequence[str | None], tokens: Tokens) -> ItemBounds:
    """The fine tokens, some of them split, then joined as `JOINS` says."""
    starts, ends, first_of_line, offsets = _split(texts, tokens)
    signature, rows = _signature(texts, starts, ends, first_of_line, offsets)
    begins = np.ones(len(starts), np.bool_)
    for match in _JOINED.finditer(signature):
        first, last = rows[match.start()], rows[match.end() - 1]
        begins[first + 1 : last + 1] = False
    kept = np.flatnonzero(begins)
    lasts = np.append(kept, len(starts))[1:] - 1
    return ItemBounds(np.searchsorted(kept, offsets).astype(np.int64), starts[kept], ends[lasts])


def kinds_of(words: Sequence[str]) -> list[str | None]:
    """What each word is, one of `KINDS`, as if it were all of a text; None for other words.

    Args:
        words: texts of items: they hold no line breaks.
    """
    # Every kind has a digit or a sign in it.
    found: list[str | None] = [None] * len(words)
    mixed = [place for place, word in enumerate(words) if not word.isalpha()]
    if mixed:
        # One text of many lines: to tokenize a text costs 70 us, however short it is.
        text = "\n".join("*" if words[at].isspace() else words[at] for at in mixed)
        tokens = tokenize_documents([text], sentences=False)
        signature, _ = _signature([text], *_split([text], tokens))
        for place, one in zip(mixed, signature.split(_BREAK)[1:], strict=True):
            found[place] = _kind(one)
    return found


def _kind(signature: str) -> str | None:
    for name, pattern in _KINDS:
        if pattern.fullmatch(signature):
            return name
    return None


def _split(texts: Sequence[str | None], tokens: Tokens) -> tuple[Ints, Ints, Flags, Ints]:
    """Starts, ends, whether first of a line, and document offsets, of the tokens after splits.

    Documents that failed have no tokens any more.
    """
    starts, ends, lines = [tokens.starts[:0]], [tokens.ends[:0]], [tokens.starts_line[:0]]
    counts = [0]
    for document, text in enumerate(texts):
        rows = tokens.of_document(document) if text is not None else slice(0, 0)
        begin, end, line = tokens.starts[rows], tokens.ends[rows], tokens.starts_line[rows]
        signs = (match.end() for match in _ORDINAL.finditer(text or ""))
        found = [end for end in signs if text and text[end : end + 1].isupper()]
        if found:
            # Where two small letters come before the capital, the tokenizer has split already.
            cuts = np.setdiff1d(np.array(found, np.int64), begin)
            at = np.searchsorted(begin, cuts, side="right")
            begin, end = np.insert(begin, at, cuts), np.insert(end, at - 1, cuts)
            line = np.insert(line, at, False)
        starts.append(begin)
        ends.append(end)
        lines.append(line)
        counts.append(len(begin))
    return (
        np.concatenate(starts),
        np.concatenate(ends),
        np.concatenate(lines),
        np.cumsum(counts, dtype=np.int64),
    )


class _WordCategories(dict[str, str]):
    """Word -> category, filled as words are met."""

    def __missing__(self, word: str) -> str:
        found = self[word] = _category(word)
        return found


def _category(word: str) -> str:
    first, size = word[0], len(word)
    if first.isdecimal():
        if not word.isdecimal():
            # A joiner or an accent inside.
            return "k"
        if size == 2:
            value = int(word)
            return "b" if value <= 31 else "p" if value == 34 else "c"
        if size == 4:
            return "y" if word[:2] in ("19", "20") else "e"
        return DIGITS.get(size, "k")
    if not first.isalpha():
        return first if first in _SIGNS else _OTHER
    if size == 1:
        return "S" if first.isupper() else "s"
    folded = word.casefold() if size < 16 else word
    if (found := FOLDED_CATEGORIES.get(folded) or RAW_CATEGORIES.get(word)) is not None:
        return found
    if not first.isupper():
        return "w"
    return "A" if word.isupper() else "C"


def _signature(
    texts: Sequence[str | None], starts: Ints, ends: Ints, first_of_line: Flags, offsets: Ints
) -> tuple[str, list[int]]:
    """The categories of a batch, each document after a line break, and the token of each."""
    categories = _WordCategories()
    characters: list[str] = []
    rows: list[int] = []
    bounds, begins, stops = offsets.tolist(), starts.tolist(), ends.tolist()
    lines = first_of_line.tolist()
    for document, text in enumerate(texts):
        characters.append(_BREAK)
        rows.append(bounds[document])
        if text is None:
            continue
        before = begins[bounds[document]] if bounds[document + 1] > bounds[document] else 0
        for row in range(bounds[document], bounds[document + 1]):
            begin, end = begins[row], stops[row]
            if begin != before:
                characters.append(_BREAK if lines[row] else _BLANK)
                rows.append(row)
            characters.append(categories[text[begin:end]])
            rows.append(row)
            before = end
    return "".join(characters), rows
