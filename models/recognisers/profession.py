"""Jobs of patients and their relatives, where words say that a job is meant.

"works as a line cook", "a retired papermaker", "Occupation: potter", "Mother 33 (tugboat mate)".
Staff are never meant: a job that is followed by a name, that is a clinician's beside the chart's
own words, or that nobody is said to have, is left alone.

The job itself is read back from its last word, which a list holds or whose ending makes it one
(-er, -or, -ist, -man); what stands before it belongs to it ("county librarian") unless it says
something of the person ("retired", "heavy").
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from ...dictionaries import phrase_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .casing import TOO_LONG, WordProperty, words
from .context_words import folded
from .matching import Match, Pattern, RuleView
from .patterns import after, before, disjoint, is_word, lines_before, narrow, pattern, view

NAME = "profession"
LABELS = ("PROFESSION",)
# 40 of 40 right: english_clinical_sample 14/14, demo/train 26/26.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9762

# Last words of jobs beside those of the list.
_HEADS = phrase_set("profession_heads_en")
# Last words of the list that name nobody's job by themselves, or what a chart calls anybody.
_NO_HEADS = phrase_set("profession_no_heads_en")


@functools.cache
def _heads() -> frozenset[str]:
    """Last words of jobs."""
    last = {phrase.split()[-1] for phrase in folded("professions_en")}
    return _HEADS | (last - _NO_HEADS)


_ENDINGS = tuple(
    ["maker", "keeper", "worker", "smith", "wright", "monger", "herder", "fitter", "grapher"]
)
_ENDS_AS_JOB = re.compile(rf"[a-z]{{3}}(?:{'|'.join(_ENDINGS)})$")
_NOT_A_JOB = phrase_set("profession_not_a_job_en")
_MODIFIERS = re.compile(
    r"(?:former|retired|semi-?retired|current|currently|previous|previously|full-?time"
    r"|part-?time|self-?employed|disabled|unemployed"
    r"|active|professional|licensed|certified|registered|lifelong|long-?time|very|busy"
    r"|successful|local|avid|good|heavy|current"
    r"|married|single|divorced|widowed|pleasant|young|elderly|old|healthy|healthcare|an?|the"
    r"|her|his|my|our|their|is|was|be|as|been|who|by|and|or"
    r"|of|at|in|for|with|to|from|on|also|now|then|still|being|works?|worked|working|mainly"
    r"|mostly|right-?handed|left-?handed"
    r"|rhd|lhd|male|female|caucasian|white|black|hispanic|asian|obese|year|yo|y/?o|m|f|man"
    r"|woman|lady|gentleman|non-?smoking|w/|but|not"
    r"|known|poor|primary|chronic|new|mr|mrs|ms|dr|he|she|they|i|had|has|have|two|one|three"
    r"|both|some)$"
)
# Words that are a job only behind what kind of one it is ("deck hand", "smelter tender"), or where
# a job is asked for.
_HALF = phrase_set("profession_half_en")
# Before those: words that say how something is, not what kind of work.
_NO_KIND = phrase_set("profession_no_kind_en")
# Names of families as well: an article has to stand before them.
_SURNAMES = phrase_set("profession_surnames_en")
# What follows is a job, whatever it is called.
_SAYS_SO = pattern(
    r"\b(?:(?:work(?:s|ed|ing)?(?: (?:full|part)[- ]?time)?|employed|employment|job|career"
    r"|retired(?: from \S{1,20})?|trained|served|volunteers?|"
    r"self[- ]employed)(?: \w{1,12}){0,3}? as (?:an? |the |our )?(?:retired |former "
    r"|full[- ]?time |part[- ]?time |self-employed ){0,2}"
    r"|(?:occupation|profession|employed as|work|job title|job|vocation)(?: is"
    r"| was)? ?[:=-] {0,4}(?:is |was )?(?:an? )?(?:retired |former |disabled ){0,2}"
    r"|by (?:trade|profession|occupation)(?: is| was)? (?:an? )?"
    r"|(?:occupation|profession|job) (?:is|was)(?: that of)? (?:an? |as an? )?(?:retired "
    r"|former ){0,2})"
)
# What follows may be a job; its last word has to be one.
_MAY_SAY_SO = pattern(
    r"\b(?:(?:is|was|she's|he's|be|became|becoming|being|been|then|used to be|i'm|i am) (?:now "
    r"|currently |also |then |still ){0,2}(?:an? |the )?"
    r"|(?:year|yr)s?[- ]{0,2}old,? {1,2}(?:[a-z-]{3,20} ){0,2}?|\b\d{2,3} ?(?:yo|y/o|y\.o\."
    r"|y)[mf]? (?:[a-z-]{3,20} ){0,2}?|\d{2,3} ?[mf] "
    r"|retired,? (?:as an? )?|former |unemployed |disabled |self-employed |laid[- ]off "
    r"|(?:mother|father|mom|dad|wife|husband|spouse|son|daughter|brother|sister|partner"
    r"|fiancee?|girlfriend|boyfriend|grandmother|grandfather"
    r"|uncle|aunt|niece|nephew|decedent|patient|pt)(?: [a-z'-]{2,15})?(?: \d{2})?(?:,| is| was"
    r"| -)? (?:an? )?"
    r"|(?:social|soc|sh|shx|social history|soc hx)[:.] (?:[a-z]{3,12}, ){0,2}(?:an? )?"
    r"|offered (?:him|her|them) an? |, (?:an?|who is an?|who was an?) )"
    r"(?:(?:retired|former|unemployed|disabled|busy|full-?time|part-?time|semi-?retired"
    r"|self-?employed|now|current|right-?handed|left-?handed|rhd|lhd"
    r"|male|female|man|woman|white|black|hispanic) ){0,3}"
)
_WORD = r"[a-z\xe0-\xff][a-z\xe0-\xff'-]{1,18}"
_PHRASE = pattern(rf"{_WORD}(?:(?: |\n){_WORD}){{0,4}}")
_BRACKETED = pattern(
    rf"\((?:\d{{2}}, ?)?(?:retired |former )?({_WORD}(?: {_WORD}){{0,3}}?)(?:[),;]| (?:at|for"
    rf"|with|w/|of|days|nights)\b)"
)
_ALONE = pattern(rf"(?:^|[.:;!?]|\n) {{0,2}}({_WORD}(?: {_WORD}){{1,5}})")
_ENDS_ALONE = re.compile(r"\.(?: |$)|, retired\b")
_BY_TRADE = re.compile(rb"(?i) by (?:trade|profession|occupation)(?: .*)?$")
_EMPLOYED = pattern(
    rf"(?:^|[-.,:;(/\n] {{0,2}}| as (?:an? )?)({_WORD}(?: {_WORD}){{1,3}}?)(?: ?,? (?:at|for"
    rf"|with|w/)[ \n]|, )"
)
_KIN = re.compile(
    r"\b(?:mother|father|mom|dad|wife|husband|spouse|son|daughter|dtr|brother|sister|partner"
    r"|fiancee?|girlfriend|boyfriend|parent"
    r"|grandmother|grandfather|uncle|aunt|niece|nephew|he|she|her|his|patient|pt|works?|job"
    r"|lives?|nights|stand|roof|pike|sews?|teaches)\b"
)
_CLINICIANS = phrase_set("clinicians_en")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields PROFESSION candidates, left to right and without overlap."""
    text = document.text
    heads = _heads_in(text)
    if not heads.ends:
        return
    seen = view(text)
    found = [
        *_after(text, seen, heads, _SAYS_SO, True),
        *_after(text, seen, heads, _MAY_SAY_SO, False),
        *_bracketed(text, seen, heads),
    ]
    yield from disjoint(Candidate(s, e, "PROFESSION", NAME, SCORE) for s, e in found)


class _Heads(NamedTuple):
    """Where the words of a text stand that may be the last word of a job."""

    starts: list[int]
    ends: list[int]


def _heads_in(text: str) -> _Heads:
    found = words(text)
    # What is too long to be asked about may hold one.
    places = sorted({*found.where(_HOLDS_HEAD), *found.where(TOO_LONG)})
    return _Heads([found.starts[i] for i in places], [found.ends[i] for i in places])


def _holds_head(word: str) -> bool:
    """Whether some letters of a word would be the last word of a job."""
    low = (word if word.isascii() else narrow(word).decode("latin-1")).lower()
    # Most words are one piece.
    pieces = [low] if word.isascii() and word.isalpha() else _LETTERS.findall(low)
    return any(_is_head(piece) or piece == "carrier" for piece in pieces)


_LETTERS = re.compile("[a-z\xe0-\xff]+")
_HOLDS_HEAD = WordProperty(_holds_head, _holds_head)


def _is_head(word: str) -> bool:
    low = word.lower()
    if low in _NOT_A_JOB or low.startswith(("non-", "right-", "left-")):
        return False
    heads = _heads()
    return (
        low in heads
        or ("-" in low and low.rsplit("-", 1)[-1] in heads)
        # The ends first: they tell faster.
        or (low.endswith(_ENDINGS) and _ENDS_AS_JOB.search(low) is not None)
    )


_REACH = 80
"""Code points of the phrase behind a cue."""


def _after(
    text: str, seen: RuleView, heads: _Heads, cue: Pattern, certain: bool
) -> Iterator[tuple[int, int]]:
    """Jobs behind a cue, which stands within a line; the job may go on in the next."""
    for line in lines_before(seen, heads.starts, _REACH):
        for match in cue.finditer(seen, *line):
            following = bisect_right(heads.ends, match.end())
            if following < len(heads.ends) and heads.starts[following] < match.end() + _REACH:
                yield from _behind(text, seen, match, certain)


def _behind(text: str, seen: RuleView, match: Match, certain: bool) -> Iterator[tuple[int, int]]:
    start = match.end()
    if is_word(text, match.start() - 1) and text[match.start()].isalnum():
        return
    if is_word(text, start - 1):
        return
    phrase = _PHRASE.match(seen, start, min(len(seen), start + _REACH))
    if phrase is not None:
        yield from _job(text, seen, start, phrase.end(), certain)


def _job(text: str, seen: bytes, start: int, end: int, certain: bool) -> Iterator[tuple[int, int]]:
    """The job in [start, end): from the first word that may belong to it to the last head."""
    spots = [(start + m.start(), start + m.end()) for m in _PIECE.finditer(seen[start:end])]
    words = [seen[left:right].decode("latin-1") for left, right in spots]
    first = 0
    while first < len(words) and _MODIFIERS.match(words[first].lower()):
        first += 1
    last = -1
    for place in range(first, len(words)):
        if _is_head(words[place]) or (
            place and words[place].lower() == "carrier" and words[place - 1].lower() in _MAIL
        ):
            last = place
        elif _MODIFIERS.match(words[place].lower()):
            break
    if last < 0:
        return
    begin, stop = spots[first][0], spots[last][1]
    # "nurse Anna", "Officer Drummond": a title of staff. "John Smith": a name.
    shouted = seen[begin:stop].isupper()
    if is_word(text, stop) or (
        seen[stop : stop + 1] == b" " and seen[stop + 1 : stop + 2].isupper() and not shouted
    ):
        return
    head = words[last].lower()
    article = (
        first > 0
        and words[first - 1].lower() in ("a", "an")
        or _ARTICLE.search(before(seen, begin, 40))
    )
    if not certain:
        if (
            words[last][0].isupper()
            and not (shouted and len(head) > 2)
            and not (first == last and _ARTICLE.search(before(seen, begin, 40)))
        ):
            return
        if head in _HALF and (first == last and not article or words[last - 1].lower() in _NO_KIND):
            return
        if (
            head
            in (
                "tender",
                "hand",
                "mate",
                "specialist",
                "carrier",
                "agent",
                "representative",
                "owner",
                "member",
            )
            and first == last
        ):
            return
        if (
            head in _SURNAMES
            and not article
            and (first == last or words[last - 1].lower() in folded("first_names_en"))
        ):
            return
        if head in _CLINICIANS and not _SUBJECT.search(before(seen, begin)):
            return
    yield begin, stop


_SAINT = re.compile(r"\bst\.? $")
_MAIL = ("mail", "postal", "letter", "newspaper", "rural")
_PIECE = re.compile(rb"[^ \n]+")
_ARTICLE = re.compile(r"\b(?:an?|retired|former|unemployed|disabled|old) $")
_SUBJECT = re.compile(
    r"\b(?:(?:he|she|i|who|patient|pt|mother|father|mom|dad|wife|husband|spouse|son|daughter"
    r"|brother|sister|partner|fiancee?|girlfriend"
    r"|boyfriend|aunt|uncle)(?: is| was|'s|'m|,)(?: now| also)? (?:an? )?(?:retired |former )?"
    r"|retired |former |old )$"
)


# What has to follow the last word of a job that stands in each of these shapes.
_BEHIND_HEAD = (
    (_BRACKETED, re.compile(rb"(?i)[),;]| (?:at|for|with|w/|of|days|nights)\b")),
    (_ALONE, re.compile(rb"(?i)\.(?:[ \n]|\Z)|, retired\b| by (?:trade|profession|occupation)")),
    (_EMPLOYED, re.compile(rb"(?i) ?,? (?:at|for|with|w/)[ \n]|, ")),
)


def _bracketed(text: str, seen: RuleView, heads: _Heads) -> Iterator[tuple[int, int]]:
    for shape, behind in _BEHIND_HEAD:
        if not any(behind.match(seen, end) for end in heads.ends):
            continue
        for match in shape.finditer(seen):
            start, end = match.span(1)
            if shape is _ALONE:
                trade = _BY_TRADE.search(seen, start, end)
                if trade:
                    end = trade.start()
                elif not _ENDS_ALONE.match(after(seen, end)):
                    continue
            words = seen[start:end].decode("latin-1").split(" ")
            head = words[-1].lower()
            mail = len(words) > 1 and head == "carrier" and words[-2].lower() in _MAIL
            if not (_is_head(words[-1]) or mail) or any(
                _MODIFIERS.match(word.lower()) for word in words
            ):
                continue
            if words[-1][0].isupper() and not seen[start:end].isupper():
                continue
            if words[0].lower() in (
                "dad",
                "mom",
                "mother",
                "father",
                "wife",
                "husband",
                "son",
                "daughter",
            ):
                start += len(words[0]) + 1
                words = words[1:]
                if (
                    words
                    and seen[start:end].islower()
                    and _is_head(words[-1])
                    and head not in _CLINICIANS
                ):
                    yield start, end
                continue
            if _SAINT.search(before(seen, start, 8)):
                continue
            kind = words[-2].lower() if len(words) > 1 else ""
            if shape is not _BRACKETED and (
                seen[start:end].isupper() or kind in _NO_KIND or head in _CLINICIANS
            ):
                continue
            if shape is _EMPLOYED and not (
                seen[match.end() : match.end() + 1].isupper() and _OF_WORK.match(kind)
            ):
                continue
            if head in _CLINICIANS and not _KIN.search(before(seen, match.start(), 32)):
                continue
            if head in _HALF and len(words) == 1:
                continue
            yield start, end


_OF_WORK = re.compile(r"[a-z-]{3,}$")
