"""Targets that take a text: the tokenizer, rules, merging, scrubbing, and the small readers."""

from __future__ import annotations

import datetime
import decimal
import functools
import hashlib
import time
import unicodedata
from typing import Any

import numpy as np
from scrubline.models.core.arrays import code_points
from scrubline.models.core.detectors import DENY
from scrubline.models.core.documents import Context, Document
from scrubline.models.core.errors import DocumentError, OverBudget, UsageError
from scrubline.models.core.keys import Keys, canonical_id
from scrubline.models.core.labels import LABELS
from scrubline.models.core.spans import Candidate
from scrubline.models.core.written_texts import joins_between
from scrubline.models.dates.written_ages import KEEP, generalise_age
from scrubline.models.formats.line_notes import pieces
from scrubline.models.recognisers import RECOGNISERS
from scrubline.models.redaction.generalization import RESTRICTED_ZIP3, generalise_zip
from scrubline.models.redaction.merging import LIU_2015, ORDER, merge
from scrubline.models.redaction.phrases import PhraseMatcher, fold, has_word
from scrubline.models.redaction.policy import OwnLabel, Policy
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.redaction.scrub import scrub
from scrubline.models.storage.hive import parse_partition, partition_path
from scrubline.models.text.sections import SECTIONS, normalise_heading, section_of
from scrubline.models.text.tokenizer import tokenize, tokenize_documents

from .inputs import PIECES, Draw, drawn_text, text_of, text_seeds
from .laws import check_merge, check_scrub, check_tokens, require


def check_tokenizer(data: bytes) -> None:
    text = text_of(data)
    found = tokenize(text)
    check_tokens(text, found)
    require(len(code_points(text)) == len(text), "a code point a character")
    again = tokenize_documents([text, None, text])
    rows = again.of_document(2)
    require(np.array_equal(again.starts[rows], found.starts), "documents do not see each other")
    require(set(found.sections.tolist()) <= set(range(-1, len(SECTIONS))), "sections are known")
    try:
        tokenize_documents([text], max_tokens=max(0, len(found) - 1))
        require(not len(found), "the budget of tokens is exact")
    except OverBudget:
        pass
    again = tokenize_documents([text], max_tokens=len(found))
    require(len(again) == len(found), "the budget is inclusive")


def check_sections(data: bytes) -> None:
    text = text_of(data)
    found = normalise_heading(text)
    require(set(found) <= set("abcdefghijklmnopqrstuvwxyz "), "letters and blanks")
    for colon in (True, False):
        require(-1 <= section_of(text, colon=colon) < len(SECTIONS), "a section or none")


def check_generalising(data: bytes) -> None:
    text = text_of(data)
    age = generalise_age(text)
    require(age in (None, KEEP, "90+"), "an age is kept, 90+ or not understood")
    prefixes = RESTRICTED_ZIP3 | {"021"}
    zip3 = generalise_zip(text, prefixes)
    require(zip3 is None or (len(zip3) == 3 and zip3.isdigit()), "a ZIP code gives three digits")
    require(zip3 not in prefixes, "few live there")
    require(zip3 in (None, "000") or zip3 in text, "three digits of the text itself")
    if age == KEEP:
        digits = [int(d) for d in _numbers(text)]
        require(all(d <= 89 or _not_years(text) for d in digits), "no age over 89 stays")


def _numbers(text: str) -> list[str]:
    return "".join(c if c.isdecimal() and c.isascii() else " " for c in text).split()


def _not_years(text: str) -> bool:
    """Whether a unit shorter than a year, or a fraction, is named."""
    lowered = text.casefold()
    units = ("mo", "week", "wk", "day", "hour", "hr", "mes", "seman", "día", "dia", "hora", ".")
    return any(unit in lowered for unit in units)


def check_rule(name: str, data: bytes) -> None:
    """What every rule promises; one text in 256 is also repeated to a great length."""
    rule = RECOGNISERS[name]
    text = text_of(data)
    found = list(rule.recognise(Document(text), Context()))
    require(found == list(rule.recognise(Document(text), Context())), "the same again")
    reach = 0
    for candidate in found:
        require(reach <= candidate.start < candidate.end <= len(text), "ordered, disjoint, inside")
        require(candidate.label in rule.LABELS, "its own labels")
        require((candidate.detector, candidate.score) == (name, rule.SCORE), "its name and score")
        edges = text[candidate.start] + text[candidate.end - 1]
        require(not any(map(str.isspace, edges)), "no white space at the edges")
        reach = candidate.end
    if text and hashlib.sha256(name.encode() + data).digest()[0] == 0:
        long = (text * (LONG // len(text) + 1))[:LONG]
        begun = time.process_time()
        list(rule.recognise(Document(long), Context()))
        require(time.process_time() - begun < SECONDS, "time grows with length only")


LONG, SECONDS = 60_000, 4.0
"""A linear rule takes about 0.1 s for so many characters, a quadratic one minutes."""


def check_rules(data: bytes) -> None:
    """All rules on one text."""
    for name in RECOGNISERS:
        check_rule(name, data)


# -- merging and scrubbing


@functools.cache
def policies() -> tuple[Policy, ...]:
    """The shipped ones, and sites' with lists, own labels, texts and note types."""
    site = Policy(
        "site",
        {"AGE": "generalise", "ZIP": "generalise", "DATE": "keep", "PHONE": "mask"},
        labels={"STUDYID": OwnLabel("R", "number of a study")},
        veto={"PATIENT": frozenset({"93", "smith"}), "*": frozenset({"foley"})},
        texts={"*": "<{label}/>", "CITY": "somewhere", "STUDYID": "{{x}}"},
        allow={
            "*": frozenset({"foley 93", "mercy hospital", "a.f"}),
            "PATIENT": frozenset({"foley"}),
            "ZIP": frozenset({"02139"}),
        },
        deny={
            "STUDYID": frozenset({"heart-2", "mount sinai"}),
            "CITY": frozenset({"foley", "3 9"}),
            "AGE": frozenset({"54"}),
            "PHONE": frozenset({"é", "617"}),
        },
        note_types={
            "radiology*": Policy(
                "site",
                {"AGE": "redact", "CITY": "keep"},
                "mask",
                labels={"STUDYID": OwnLabel("R", "number of a study")},
                allow={"*": frozenset({"boston"})},
                deny={"STUDYID": frozenset({"ct"})},
            )
        },
    )
    keeping = Policy("keeping", dict.fromkeys(LABELS[::2], "keep") | {"AGE": "generalise"}, "mask")
    return (load_policy("hipaa"), load_policy("research"), site, keeping)


DETECTORS = (
    *("date", "phone", "listed_name", "crf:a", "crf:b", "charcrf:a", "propagation:a", "crf", "x:y"),
    "own:chart",
)


def drawn_candidates(draw: Draw, text: str, most: int, labels: tuple[str, ...]) -> list[Candidate]:
    """Candidates anywhere, mostly short and mostly near each other."""
    found: list[Candidate] = []
    for _ in range(draw.below(most)):
        if not text or not draw:
            break
        start = draw.below(len(text))
        end = min(len(text), start + 1 + draw.below((2, 6, 20, len(text))[draw.below(4)]))
        found.append(
            Candidate(
                *(start, end, draw.one(labels), draw.one(DETECTORS), draw.one((0.5, 0.9, 1.0, 0.0)))
            )
        )
    return found


def drawn_merge(data: bytes) -> tuple[str, list[Candidate], Policy, tuple[str, ...]]:
    """Text, candidates, policy and order of select that bytes stand for."""
    draw = Draw(data)
    policy = draw.one(policies())
    policy = policy.for_note_type(draw.one((None, "Radiology  CT")))
    order = draw.one((ORDER, ORDER[::-1], LIU_2015, ORDER[2:] + ORDER[:2]))
    text = drawn_text(draw, 14)
    found = drawn_candidates(draw, text, 14, policy.known_labels)
    if draw.below(2):
        for name in ("date", "age", "zip_code"):
            found += RECOGNISERS[name].recognise(Document(text), Context())
    return text, [*found, *policy.denied(text)], policy, order


def check_merging(data: bytes) -> None:
    text, found, policy, order = drawn_merge(data)
    spans = check_merge(text, found, policy, order)
    for span in spans:
        shown = policy.shown(
            span.action, span.label, text[span.start : span.end], fragment=span.fragment
        )
        if span.detectors != (DENY,) or span.action != "generalise":
            kept = span.replacement is None
            expected = text[span.start : span.end] if kept else span.replacement
            require(shown == expected, "a row of the audit says what is shown")


def check_scrubbing(data: bytes) -> None:
    text, found, policy, order = drawn_merge(data)
    check_scrub(text, merge(text, found, policy, order))


def check_line_joins(data: bytes) -> None:
    """Notes of several rows: cut at the line joins, each row gets its own text back."""
    draw = Draw(data)
    rows = [drawn_text(draw, 6) for _ in range(1 + draw.below(5))]
    text = "\n".join(rows)
    starts: list[int] = []
    for row in rows:
        starts.append((starts[-1] + len(rows[len(starts) - 1]) + 1) if starts else 0)
        del row
    policy = draw.one(policies())
    found = drawn_candidates(draw, text, 10, policy.known_labels) + policy.denied(text)
    joins = joins_between(tuple(starts))
    spans = merge(text, found, policy, joins=joins)
    require(
        not any(s.start <= join < s.end for join in joins for s in spans), "no span on a line join"
    )
    gone = {at for s in spans if s.replacement is not None for at in range(s.start, s.end)}
    whole = merge(text, found, policy)
    wanted = {at for s in whole if s.replacement is not None for at in range(s.start, s.end)}
    require(gone == wanted - set(joins), "only line joins are lost")
    out, _, out_ends = scrub(text, spans)
    ends = [(span.end, out_end) for span, out_end in zip(spans, out_ends, strict=True)]
    back = list(pieces(out, tuple(starts), ends))
    require(len(back) == len(rows), "a stretch a row")
    bare = [i for i, (a, row) in enumerate(zip(starts, rows, strict=True))
            if not any(s.start < a + len(row) and a < s.end for s in spans)]  # fmt: skip
    require(all(back[i] == rows[i] for i in bare), "rows without spans are the input")


def check_phrases(data: bytes) -> None:
    """Found are whole words that fold to a phrase, none is missed at its first words."""
    draw = Draw(data)
    phrases = {
        label: [
            folded
            for _ in range(1 + draw.below(4))
            if has_word(folded := fold(drawn_text(draw, 4)))
        ]
        for label in ("CITY", "*")
    }
    text = drawn_text(draw, 16)
    if draw.below(2):
        text += next((p for some in phrases.values() for p in some), "")
    found = PhraseMatcher(phrases).find(text)
    require(found == PhraseMatcher(phrases).find(text), "the same again")
    for start, end, label in found:
        require(0 <= start < end <= len(text), "occurrences lie in the text")
        require(fold(text[start:end]) in phrases[label], "an occurrence folds to its phrase")
    for label, some in phrases.items():
        for phrase in some:
            whole = PhraseMatcher({label: [phrase]}).find(phrase)
            require((0, len(phrase), label) in whole, "a phrase is found in itself")


# -- ids and folders

_KEYS = Keys(bytes(range(32)))


def check_ids(data: bytes) -> None:
    """Of any value a canonical form, none, or BadId; a form is its own."""
    draw = Draw(data)
    kind = draw.below(10)
    raw = draw.rest()
    text = text_of(raw)
    number = int.from_bytes(raw[:9], "little", signed=True)
    values: tuple[Any, ...] = (
        *(text, text.strip(), number, number / 8, np.frombuffer(raw[:8].ljust(8), "<f8")[0].item()),
        *(decimal.Decimal(number).scaleb(len(raw) - 8), number > 0, raw, [text]),
        datetime.date.fromordinal(1 + abs(number) % 3_000_000),
    )
    value = values[kind]
    try:
        form = canonical_id(value)
    except DocumentError as error:
        is_id = isinstance(value, str | int) and not isinstance(value, bool)
        require(error.code == "BadId" and not is_id, "texts and whole numbers are ids")
        return
    require(form is None or (form and canonical_id(form) == form), "a form is its own")
    if form is not None:
        require(unicodedata.is_normalized("NFC", form), "a form is NFC")
        require(len(_KEYS.doc_key(form, 1)) == 32 and _KEYS.patient_key(form), "it can be hashed")
    if isinstance(value, str):
        require(canonical_id(f" {value}\n") == form, "padding is no part of an id")


def check_partitions(data: bytes) -> None:
    text = text_of(data)
    try:
        found = parse_partition(text)
    except UsageError:
        return
    again = parse_partition(partition_path(found) + "x")
    require(again == found, "folders are read back")


def merge_seeds() -> list[bytes]:
    """Bytes that decide much: counters, and what random numbers give."""
    chance = np.random.default_rng(0)
    return [bytes(range(i, i + 90)) for i in range(0, 120, 20)] + [
        chance.integers(0, 256, size, np.uint8).tobytes() for size in (20, 60, 120, 200) * 6
    ]


def id_seeds() -> list[bytes]:
    return [
        bytes([kind]) + raw
        for kind in range(10)
        for raw in (b"123", b" e\xcc\x81 \x00", b"\xff" * 9)
    ]


def heading_seeds() -> list[bytes]:
    return [b"HISTORY OF PRESENT ILLNESS", b"1) Plan", b"Assessment and Plan", "é".encode()]


def generalising_seeds() -> list[bytes]:
    texts = (
        *("93", "54", "93-year-old", "92 y/o", "47yoF", "late 90s", "ninety-three", "nonagenarian"),
        *("2 years 3 months", "60-65 years", "89 years 11 months", "95M", "02139", "02139-1234"),
        *("03601", " 036011234 ", "1.5 weeks", "90 a 91 años", "one hundred and two", "89+"),
    )
    return [text.encode() for text in texts]


def partition_seeds() -> list[bytes]:
    return [b"year=2024/month=05/x.parquet", b"a=%2F%00/b=%FF/c", "é=🙂/x".encode(), b"a=1/a=2/x"]


__all__ = ["PIECES", "text_seeds"]
