"""From words of names to names: which of the words in a text are meant, and how far a name goes.

Words that touch but for blanks, a comma, an initial or a line break are a *run*. A strong word
counts in any run; a weak one as part of a full form (given name and surname in either order),
beside a title, with a capital in mid-sentence, or where the text never has it in small letters;
in small letters behind a title, if it is no word that stands there in any note (`pt will`),
and, a word that few sentences have, in a text written in small letters.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from ..core.known_values import PersonKind
from .folding import LETTERS, FoldedView
from .name_marks import NameMark, kind_of, name_marks
from .names import FAMILY, GIVEN, KnownNames, NameClass
from .word_lists import (
    abbreviations,
    clinical_pairs,
    eponym_nouns,
    names_rather_than_words,
    rare_words,
    titles,
    words,
    words_of_sentences,
)

_JOIN = re.compile(
    r"[-'_^]|(?:\s?,)?[ \t\xa0]{0,3}(?:\r?\n[ \t]{0,8})?(?:[\"'(][ \t]?)?"
    r"(?:[^\W\d_](?:'|\.?[ \t]{1,2})(?:[^\W\d_](?:'|\.?[ \t]{1,2}))?)?|[ \t]?[\"')]{1,2}[ \t]?"
)
"""What stands between the words of one name; at most `_MOST_JOIN` characters of it."""

_MOST_JOIN = 16
_MOST_CAPITALS = 20
"""A text of which fewer than one word in so many has a capital is written in small letters."""

_LEFT_INITIALS = re.compile(r"(?:(?<![^\W_])[^\W\d_](?:\. ?| |-|')){1,3}$")
_RIGHT_INITIALS = re.compile(
    r"(?:,? ?|,\s)((?:[^\W\d_](?:\.(?: ?|$)|(?![^\W_])-?)){1,2})(?![^\W_])"
)
_GENERATION = re.compile(r",?[ \t]{1,2}(?:jr|sr|ii|iii|iv|junior|senior)(?![^\W_])\.?")
_LAST_WORD = re.compile(r"([^\W_]+)(?:\. ?|[ \t]{1,2}|\r?\n[ \t]*)$")
_FIELD = re.compile(r"(?<![^\W_])(?:pt|patient|name|paciente|nombre)[ \t]*:[ \t]*$")
_NEXT_WORD = re.compile(r"(?:'s|s'|')?[ \t-]{1,2}([^\W_]+)")
_ENDS_SENTENCE = frozenset(".!?:;*•·|#>=")
_INITIALS = re.compile(r"\.?:? ?([A-Z](?:\.? ?[A-Z]){1,3}\.?)(?![A-Za-z])")
_BEFORE_INITIALS = ("(", "[", "pt", "patient")
"""What initials stand behind; the first two are brackets."""


@dataclasses.dataclass(frozen=True, slots=True)
class NameRun:
    """A name in a text.

    Attributes:
        start, end: half-open, in the folded text.
        kind: whose it is.
        strength: of its strongest word; SHORT for initials.
        exact: whether a word of that strength is spelt as in the roster.
    """

    start: int
    end: int
    kind: PersonKind
    strength: NameClass
    exact: bool


def name_runs(view: FoldedView, names: KnownNames, fuzzy: int) -> Iterator[NameRun]:
    """Yields the names of a text, left to right within each step; linear."""
    marks = name_marks(view, names, fuzzy)
    if marks:
        runs = _runs(view.folded, marks)
        certain = [_certain(view, names, run) for run in runs]
        small = {
            mark.spelt
            for run, sure in zip(runs, certain, strict=True)
            for mark, is_sure in zip(run, sure, strict=True)
            if not is_sure and _is_small(view, mark)
        }
        is_small_text = any(map(_is_rare, small)) and _is_small_text(view)
        for run, sure in zip(runs, certain, strict=True):
            accepted = [
                is_sure or _is_name_here(view, mark, small, is_small_text=is_small_text)
                for mark, is_sure in zip(run, sure, strict=True)
            ]
            yield from _stretches(view, names, run, _with_short(view, run, accepted))
    yield from _initials(view, names)


def _runs(folded: str, marks: Sequence[NameMark]) -> list[list[NameMark]]:
    runs: list[list[NameMark]] = []
    for mark in marks:
        if runs:
            between = folded[runs[-1][-1].end : mark.start]
            if not between or (len(between) <= _MOST_JOIN and _JOIN.fullmatch(between)):
                runs[-1].append(mark)
                continue
        runs.append([mark])
    return runs


def _is_small(view: FoldedView, mark: NameMark) -> bool:
    return view.at(mark.start).islower()


def _certain(view: FoldedView, names: KnownNames, run: Sequence[NameMark]) -> list[bool]:
    """Which marks are names whatever stands elsewhere in the text."""
    strong = [
        mark.what.strength is NameClass.STRONG or _has_initials(view, names, mark) for mark in run
    ]
    small = [_is_small(view, mark) for mark in run]
    if len(run) == 1:
        return strong
    sure = list(strong)
    for at, mark in enumerate(run):
        others = [at - 1] if at else []
        others += [at + 1] if at + 1 < len(run) else []
        for other in others:
            if not sure[at] and _is_full(view, run, small, min(at, other)):
                sure[at] = mark.what.strength is not NameClass.SHORT or not small[at]
    return sure


def _is_full(view: FoldedView, run: Sequence[NameMark], small: list[bool], at: int) -> bool:
    """Whether a word and the next one are given name and surname, in either order."""
    one, other = run[at], run[at + 1]
    if small[at] != small[at + 1]:
        return False  # "Smith may": two ways of writing are not one name
    between = view.folded[one.end : other.start]
    straight = one.what.parts & GIVEN and other.what.parts & FAMILY
    turned = one.what.parts & FAMILY and other.what.parts & GIVEN
    if NameClass.SHORT in (one.what.strength, other.what.strength) and small[at]:
        return False
    if not small[at] or NameClass.STRONG in (one.what.strength, other.what.strength):
        return bool(straight or turned or not small[at])
    return bool(straight) or bool(turned and "," in between)


def _is_rare(spelt: str) -> bool:
    """Whether few sentences have a weak word; the beginning of a name is in no list."""
    return spelt in rare_words() or not (spelt in words() or spelt in names_rather_than_words())


def _is_small_text(view: FoldedView) -> bool:
    """Whether a text is written in small letters, so that they tell nothing of a word."""
    begin = [match[0][0] for match in LETTERS.finditer(view.text)]
    return sum(map(str.isupper, begin)) * _MOST_CAPITALS < len(begin)


def _is_name_here(
    view: FoldedView, mark: NameMark, small: set[str], *, is_small_text: bool
) -> bool:
    """Whether a weak word by itself is a name, by how and where it is written."""
    if mark.what.strength is not NameClass.WEAK or mark.what.derived:
        return False
    folded = view.folded
    before = _LAST_WORD.search(folded, max(0, mark.start - 24), mark.start)
    titled = before is not None and before[1] in titles()
    is_small = _is_small(view, mark)
    if is_small and (titled or _FIELD.search(folded, max(0, mark.start - 24), mark.start)):
        return mark.spelt not in words_of_sentences()
    if titled:
        return True
    if is_small and not (is_small_text and _is_rare(mark.spelt)):
        return False
    behind = _NEXT_WORD.match(folded, mark.end)
    if behind is not None and (
        behind[1] in eponym_nouns() or f"{mark.spelt} {behind[1]}" in clinical_pairs()
    ):
        return False
    if before is not None and f"{before[1]} {mark.spelt}" in clinical_pairs():
        return False
    return is_small or mark.spelt not in small or _is_in_mid_sentence(view, mark)


def _is_in_mid_sentence(view: FoldedView, mark: NameMark) -> bool:
    """Whether a capitalised word stands behind another one of its sentence.

    In a line of capitals a capital says nothing.
    """
    folded = view.folded
    head = folded[max(0, mark.start - 40) : mark.start]
    bare = head.rstrip(" \t")
    if bare.endswith("\n"):
        bare = bare.rstrip("\r\n")
        if len(head) - len(bare) > 2 and head.count("\n", len(bare)) > 1:
            return False
        bare = bare.rstrip(" \t")
    if not bare or bare[-1] in _ENDS_SENTENCE or bare[-1] in "-])\"'" or bare[-1].isdigit():
        return False
    start, end = view.span(mark.start, mark.end)
    shown = view.text[start:end]
    if shown.isupper() and len(shown) > 1:
        before = re.search(r"[^\W\d_]+\W*$", view.text[max(0, start - 40) : start])
        return before is None or not before[0].isupper()
    return True


def _with_short(view: FoldedView, run: Sequence[NameMark], accepted: list[bool]) -> list[bool]:
    """Adds particles before a name, and capitalised short words beside one."""
    found = list(accepted)
    for at in range(len(run) - 2, -1, -1):
        if not found[at] and found[at + 1] and run[at].what.strength is NameClass.SHORT:
            found[at] = True
    for at in range(1, len(run)):
        if not found[at] and found[at - 1] and run[at].what.strength is NameClass.SHORT:
            found[at] = not _is_small(view, run[at])
    return found


def _stretches(
    view: FoldedView, names: KnownNames, run: Sequence[NameMark], accepted: Sequence[bool]
) -> Iterator[NameRun]:
    held: list[NameMark] = []
    for mark, is_in in zip((*run, run[-1]), (*accepted, False), strict=True):
        if is_in:
            held.append(mark)
        elif held:
            yield _stretch(view, names, held)
            held = []


def _stretch(view: FoldedView, names: KnownNames, marks: list[NameMark]) -> NameRun:
    kind = kind_of(marks)
    strength = max(mark.what.strength for mark in marks)
    exact = any(mark.exact for mark in marks if mark.what.strength is strength)
    start, end = marks[0].start, marks[-1].end
    folded = view.folded
    letters = names.initials[0] | names.initials[1]
    if match := _LEFT_INITIALS.search(folded, max(0, start - 9), start):
        first = match.start()
        if _are_initials(view, first, start, letters, kind):
            start = first
    if (match := _RIGHT_INITIALS.match(folded, end)) and _are_initials(
        view, match.start(1), match.end(1), names.initials[0], kind
    ):
        end = _end_of_initials(view, match)
    if match := _GENERATION.match(folded, end):
        end = match.end()
    return NameRun(start, end, kind, strength, exact)


def _end_of_initials(view: FoldedView, match: re.Match[str]) -> int:
    """Where initials behind a name end: not with a blank, nor with `b.` for born behind `Z.`."""
    start = match.start(1)
    end = start + len(match[1].rstrip())
    letters = [at for at in range(start, end) if view.folded[at].isalpha()]
    if view.at(letters[0]).isupper() and not view.at(letters[-1]).isupper():
        return letters[0] + 2
    return end


def _has_initials(view: FoldedView, names: KnownNames, mark: NameMark) -> bool:
    """Whether the patient's own initial stands beside a capitalised weak surname."""
    own = mark.what.kind is PersonKind.SELF and mark.what.parts & FAMILY
    if mark.what.strength is not NameClass.WEAK or not own or _is_small(view, mark):
        return False
    given = names.initials[0]
    left = _LEFT_INITIALS.search(view.folded, max(0, mark.start - 9), mark.start)
    if left and _are_initials(view, left.start(), mark.start, given, PersonKind.SELF):
        return "." in left[0]
    right = _RIGHT_INITIALS.match(view.folded, mark.end)
    if right is None or "," not in right[0]:
        return False
    return _are_initials(view, right.start(1), right.end(1), given, PersonKind.SELF)


def _are_initials(
    view: FoldedView, start: int, end: int, letters: frozenset[str], kind: PersonKind
) -> bool:
    """Whether single letters beside a name are initials: as written, and the patient's own."""
    written = [at for at in range(start, end) if view.folded[at].isalpha()]
    between = view.folded[start:end]
    dotted = "." in between or "'" in between
    capital = all(view.at(at).isupper() for at in written)
    own = kind is not PersonKind.SELF or view.folded[written[0]] in letters
    return bool(written) and own and (capital or dotted)


def _initials(view: FoldedView, names: KnownNames) -> Iterator[NameRun]:
    """Yields the patient's initials in brackets, and after `pt`."""
    given, family = names.initials
    if not given or not family:
        return
    shown = view.text
    small = shown.lower() if view.origins is not None else view.folded
    if len(small) != len(shown):  # rare letters change their length: no offsets to go by
        return
    for before in _BEFORE_INITIALS:
        at = small.find(before)
        while at >= 0:
            is_word = before in "([" or not at or not small[at - 1].isalnum()
            match = _INITIALS.match(shown, at + len(before)) if is_word else None
            if match is not None and _are_initials_of(names, match[1]):
                closed = shown[match.end() : match.end() + 1] in (")", "]")
                if closed or before not in "([":
                    span = _folded_span(view, *match.span(1))
                    yield NameRun(*span, PersonKind.SELF, NameClass.SHORT, True)
            at = small.find(before, at + 1)


def _are_initials_of(names: KnownNames, written: str) -> bool:
    letters = [letter.lower() for letter in written if letter.isalpha()]
    if "." not in written and "".join(letters) in abbreviations():
        return False
    return letters[0] in names.initials[0] and letters[-1] in names.initials[1]


def _folded_span(view: FoldedView, start: int, end: int) -> tuple[int, int]:
    if view.origins is None:
        return start, end
    places = [at for at, origin in enumerate(view.origins) if start <= origin < end]
    return places[0], places[-1] + 1
