"""Ages of relatives and of events in a family: "son Minh, 3,", "sister (31", "father died at 58".

A relative's name may stand between the word and the age. The number must end there: "brother, 2
sisters" and "mother 120/80" are none. The span is the number only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .patterns import after, disjoint, is_word, number_is_whole, pattern, view

NAME = "age_relative"
LABELS = ("AGE",)
# 23 of 23 right: english_clinical_sample 2/2, demo/train 21/21.
# `python -m benchmarks.rules --scores`
SCORE = 0.96

_N = r"(1[01]\d|12[0-4]|\d{1,2})"
_KIN = (
    r"(?:(?:grand|great-?grand|step|half-?)?-?(?:mother|father|sons?|daughters?|mom|dad|sister"
    r"|brother|child|children|ma|pa)|aunt|uncle|cousin|niece|nephew|husband|wife|spouse|partner"
    r"|boyfriend|girlfriend|fiancée?|roommate|sib|sibling|sibs|siblings|twins?|kids?|boys?|girls?"
    r"|dtr|granny|grandma|grandpa|mgm|mgf|pgm|pgf|bro|sis|neighbor)"
)
# "Sachiko, 66", "Anjali (17)", "Annika Lindgren 33 (potter)", "healthy 70,"
_KIN_AGE = pattern(rf"\b{_KIN},?(?: [a-z\x80-\xff'?.-]{{1,20}}){{0,3}}(?:,| \(|:)? ?\(?{_N}\b")
# "her husband's (Amos, 91)", "lives w/ Sigrid (22)"
_NAMED = pattern(
    rf"\([a-z][a-z\x80-\xff'?-]{{2,16}}, {_N}\)|\blives? (?:w/"
    rf"|with) [a-z][a-z\x80-\xff'?-]{{2,16}} \({_N}\)"
)
_NEXT = re.compile(r"(?:,| and|;) ([A-Z][a-z]{1,14}) (\d{1,2})(?=[;,.)]|$|\n)")
_AT = pattern(
    r"\b(?:died|d\.|deceased|passed(?: away)?|lived|living|drove|alive|diagnosed|dx'd"
    r"|cancer|ca|mi|cva|stroke|attack|infarction|breast|prostate|colon|ovarian|lung|leukemia"
    r"|lymphoma|gunshot|suicide|sudden death|scd|dementia|cirrhosis)"
    rf"(?: (?:of|from|with|by) (?:[a-z]{{1,12}} ){{1,3}}| in [a-z]{{2,12}},? (?:[a-z]{{2,12}}, )?"
    rf"|,? )(?:at|age|to|until|at age) {_N}\b"
)
_STOPPED = pattern(rf"\b(?:breast|ca|cancer|d\.|living,|alive,) ?(?:ca )?{_N}(?:[;,.)]| \()")
_ENDS = re.compile(
    r"[,;:)]|\.(?: |$|\r)| \(|$|\r| and (?:[a-z]+ \d|his|her|still)| of\b| in\b| from\b"
)
_BEHIND_AT = re.compile(
    r"[,;:)]|\.(?: |$|\r)| \(|$|\r| of\b| in\b| from\b| and\b| with\b| after\b| due\b| when\b"
    r"| while\b"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one AGE per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [*_of_kin(text, seen), *_at_event(text, seen), *_named(text, seen)]
    yield from disjoint(Candidate(start, end, "AGE", NAME, SCORE) for start, end in found)


def _of_kin(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _KIN_AGE.finditer(seen):
        start, end = match.span(1)
        if is_word(text, match.start() - 1) or not number_is_whole(text, start, end):
            continue
        if is_word(text, end) or not _ENDS.match(after(seen, end, 12)):
            continue
        between = text[match.start() : start].rstrip(" ,(:").split()[1:]
        # Only a name, or nothing, may stand between.
        if not all(
            word[:1].isupper() or word in ("healthy", "is", "age", "aged") for word in between
        ):
            continue
        if not between and text[start - 1] != "(" and text[start - 2 : start] != ", ":
            continue
        yield start, end
        more = _NEXT.match(seen[end : end + 24].decode("latin-1"))
        if more:
            yield end + more.start(2), end + more.end(2)


def _named(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _NAMED.finditer(seen):
        group = 1 if match.start(1) >= 0 else 2
        start, end = match.span(group)
        before_number = text[match.start() : start].rstrip(" ,(").split()[-1].lstrip("(")
        if before_number.istitle():
            yield start, end


def _at_event(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _AT.finditer(seen):
        start, end = match.span(1)
        if (
            not is_word(text, match.start() - 1)
            and number_is_whole(text, start, end)
            and not is_word(text, end)
            and _BEHIND_AT.match(after(seen, end, 12))
        ):
            yield start, end
    for match in _STOPPED.finditer(seen):
        start, end = match.span(1)
        if (
            not is_word(text, match.start() - 1)
            and number_is_whole(text, start, end)
            and int(seen[start:end]) > 19
            and (
                seen[match.start() : match.start() + 2] == b"d."
                or b"," in seen[match.start() : start]
                or seen[match.start() : match.start() + 2].lower() == b"ca"
            )
        ):
            yield start, end
