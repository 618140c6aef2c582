"""Attacks on text in which surrogates stand in place of PHI, which look for what was missed.

A released corpus is made of the test part: what a tagger finds is replaced by surrogates and
shifted dates, what it misses stays. Two attackers then look for what stayed. The *parrot* (Carrell
et al. 2019) marks by hand all that looks like PHI in one half, trains a tagger of its own on that,
and lets it tag the other half: it learns to find what the first tagger found, so what it does not
find is what the first one missed. The *odd one out* reads a record for names that stand in it once,
where another stands in it often.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import get_args

from ..corpora import AnnotatedDocument, Annotation
from ..dates import DateSettings, NoteOrder, offset, order_of, read_date
from ..recipes import Recipe
from ..surrogates import Surrogates, SurrogateSettings
from ..surrogates.settings import LANGUAGES, Scope
from ..surrogates.words import folded
from .base import Bench
from .findings import ClaimCheck, Findings, PageTable, Study

PAPER = "Carrell et al. 2019"
SCOPES: tuple[Scope, ...] = get_args(Scope)

OFTEN = 3
"""Times that a word must stand in a record for another one to be odd beside it."""

_KEY = hashlib.sha256(b"the key of a study, which protects nobody").digest()
_SHIFTED = ("DATE",)
_NAMES = ("PATIENT",)


@dataclasses.dataclass(frozen=True, slots=True)
class Visible:
    """What looks like PHI in a released text: a surrogate or a leak, never a marker.

    Attributes:
        span: where, and the label of the corpus.
        is_leak: whether it is the true text.
    """

    span: Annotation
    is_leak: bool


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Released:
    """A document as it is published.

    Attributes:
        document: the new text; its spans are those of `visible`.
        visible: all that looks like PHI in it, in order.
        record: to whom it belongs, in the eyes of an attacker: the patient, or the document.
    """

    document: AnnotatedDocument
    visible: tuple[Visible, ...]
    record: str


@dataclasses.dataclass(frozen=True, slots=True)
class Attack:
    """How an attack went.

    Attributes:
        leaks: true texts that stayed.
        suspected: what the attacker took for such.
        exposed: leaks among these.
        visible: what the attacker had to choose from.
        notes: documents with a leak.
        notes_exposed: documents with an exposed one.
    """

    leaks: int = 0
    suspected: int = 0
    exposed: int = 0
    visible: int = 0
    notes: int = 0
    notes_exposed: int = 0

    @property
    def recall(self) -> float | None:
        """Share of the leaks that is exposed."""
        return self.exposed / self.leaks if self.leaks else None

    @property
    def precision(self) -> float | None:
        """Share of leaks among what is suspected."""
        return self.exposed / self.suspected if self.suspected else None

    @property
    def by_chance(self) -> float | None:
        """The precision of who picks at random."""
        return self.leaks / self.visible if self.visible else None


def released(
    gold: Sequence[AnnotatedDocument],
    found: Sequence[Sequence[Annotation]],
    settings: SurrogateSettings,
    native: Mapping[str, str | None],
) -> list[Released]:
    """The documents as they are published under a scope.

    Args:
        gold: all PHI marked; `meta` may name the `patient`, else each document is its own record,
            and the `note_date`.
        found: what the tagger that replaces found in each.
        settings: of the surrogates.
        native: label of the corpus -> native label or None, which is replaced by a marker.
    """
    surrogates = Surrogates(_KEY, settings)
    return [
        _released(document, spans, surrogates, native)
        for document, spans in zip(gold, found, strict=True)
    ]


def _released(
    document: AnnotatedDocument,
    found: Sequence[Annotation],
    surrogates: Surrogates,
    native: Mapping[str, str | None],
) -> Released:
    text, language = document.text, surrogates.settings.languages[0]
    patient = document.meta.get("patient")
    days = offset(_KEY, str(patient or document.doc_id), DateSettings())
    ranges = _apart(found)
    order = order_of(
        (text[s.start : s.end] for s in ranges if native.get(s.label) in _SHIFTED), language
    )
    day = _day(document.meta.get("note_date"))

    def replacement(span: Annotation) -> str | None:
        old, label = text[span.start : span.end], native.get(span.label)
        if label is None:
            return None
        if label in _SHIFTED:
            return _shifted(old, days, language, order, day)
        made = surrogates.of(
            None if patient is None else str(patient),
            label,
            old,
            document=document.doc_id,
            mention=span.start,
        )
        return None if made is None else made.text

    leaks = [rest for span in _apart(document.spans) for rest in _left(text, span, ranges)]
    out: list[str] = []
    visible: list[Visible] = []
    at = length = 0
    for span in sorted((*ranges, *leaks), key=lambda s: s.start):
        is_leak = span in leaks
        old = text[span.start : span.end]
        new = old if is_leak else replacement(span)
        before, shown = text[at : span.start], f"[{span.label}]" if new is None else new
        out += (before, shown)
        length += len(before)
        if new:
            visible.append(Visible(Annotation(length, length + len(new), span.label), is_leak))
        length += len(shown)
        at = span.end
    out.append(text[at:])
    spans = tuple(one.span for one in visible)
    new_document = AnnotatedDocument(document.doc_id, "".join(out), spans)
    return Released(new_document, tuple(visible), str(patient or document.doc_id))


def _shifted(
    old: str, days: int, language: str, order: NoteOrder, day: datetime.date | None
) -> str | None:
    date = read_date(old, language, order.order)
    return None if date is None else date.shifted(days, day)


def _day(said: object) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(str(said))
    except ValueError:
        return None


def _apart(spans: Iterable[Annotation]) -> list[Annotation]:
    """The spans without those that overlap an earlier, or a longer, one."""
    kept: list[Annotation] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end, s.label)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _left(text: str, span: Annotation, ranges: Sequence[Annotation]) -> Iterator[Annotation]:
    """Yields what is left of a span outside of the ranges, which are in order and apart."""
    at = span.start
    for other in (*ranges, Annotation(span.end, span.end + 1, span.label)):
        if at < min(other.start, span.end) and any(map(str.isalnum, text[at : other.start])):
            yield Annotation(at, min(other.start, span.end), span.label)
        at = max(at, other.end)


def _meet(one: Annotation, other: Annotation) -> bool:
    return one.start < other.end and other.start < one.end


def parrot(corpus: Sequence[Released], tagged: Sequence[Sequence[Annotation]]) -> Attack:
    """Suspects what looks like PHI and is not found by a tagger of the attacker.

    Args:
        corpus: as published.
        tagged: what the tagger found, trained on other documents of it.
    """
    return _attack(
        corpus,
        (
            [one for one in document.visible if not any(_meet(one.span, other) for other in spans)]
            for document, spans in zip(corpus, tagged, strict=True)
        ),
    )


def odd_one_out(corpus: Sequence[Released], names: Sequence[str]) -> Attack:
    """Suspects names of which no word stands again in the record, where another word is frequent.

    Args:
        corpus: as published.
        names: the labels of patients' names.
    """
    words = [
        {one: _words(document, one) for one in document.visible if one.span.label in names}
        for document in corpus
    ]
    counts: dict[str, Counter[str]] = {}
    for document, of_names in zip(corpus, words, strict=True):
        of_record = counts.setdefault(document.record, Counter())
        of_record.update(word for found in of_names.values() for word in found)
    named = [
        dataclasses.replace(document, visible=tuple(of_names))
        for document, of_names in zip(corpus, words, strict=True)
    ]
    return _attack(
        named,
        (
            [one for one, found in of_names.items() if _is_odd(found, counts[document.record])]
            for document, of_names in zip(corpus, words, strict=True)
        ),
    )


def _words(document: Released, one: Visible) -> frozenset[str]:
    text = document.document.text[one.span.start : one.span.end]
    return frozenset(word for word in map(folded, text.split()) if len(word) > 1)


def _is_odd(words: frozenset[str], counts: Counter[str]) -> bool:
    often = any(count >= OFTEN for word, count in counts.items() if word not in words)
    return bool(words) and often and all(counts[word] == 1 for word in words)


def _attack(corpus: Sequence[Released], suspected: Iterable[Sequence[Visible]]) -> Attack:
    total = Counter[str]()
    for document, chosen in zip(corpus, suspected, strict=True):
        leaks = [one for one in document.visible if one.is_leak]
        exposed = [one for one in chosen if one.is_leak]
        total.update(
            leaks=len(leaks),
            suspected=len(chosen),
            exposed=len(exposed),
            visible=len(document.visible),
            notes=bool(leaks),
            notes_exposed=bool(exposed),
        )
    return Attack(**total)


def _attacks(bench: Bench) -> Iterator[tuple[Scope, Attack, Attack]]:
    """Yields each scope with what the parrot and the odd one out come to."""
    recipe = _recipe(bench)
    [run] = bench.held_out([recipe])
    labels = {s.label for d in (*bench.material.train, *run.gold) for s in d.spans}
    native = MappingProxyType({label: bench.material.native(label) for label in labels})
    names = [label for label, meant in native.items() if meant in _NAMES]
    language = bench.material.language if bench.material.language in LANGUAGES else "en"
    for scope in SCOPES:
        settings = SurrogateSettings(scope=scope, languages=(language,))
        corpus = released(run.gold, run.found, settings, native)
        by_id = {one.document.doc_id: one for one in corpus}
        [attacker] = bench.folds([recipe], [one.document for one in corpus], folds=2)
        ordered = [by_id[document.doc_id] for document in attacker.gold]
        yield scope, parrot(ordered, attacker.found), odd_one_out(corpus, names)


def _recipe(bench: Bench) -> Recipe:
    return bench.hitsz("token", dictionaries=True)


def _run(bench: Bench) -> Findings:
    found = list(_attacks(bench))
    rows = tuple(
        (
            scope,
            name,
            attack.visible,
            attack.leaks,
            attack.suspected,
            attack.exposed,
            *map(_share, (attack.recall, attack.precision, attack.by_chance)),
            attack.notes,
            attack.notes_exposed,
        )
        for scope, *attacks in found
        for name, attack in zip(("parrot", "odd one out"), attacks, strict=True)
    )
    head = (
        *("scope", "attack", "looks like PHI", "leaks", "suspected", "exposed"),
        *("share exposed", "precision", "by chance", "notes with leaks", "of them exposed"),
    )
    by_scope = {scope: (one, other) for scope, one, other in found}
    return Findings(
        how=(
            f"{bench.how_held_out}: the token CRF of Wu et al. 2017 replaces what it finds by "
            "surrogates and shifted dates; what it misses stays. Text that stays a marker is not "
            "counted. The parrot is the same recipe, trained on one half of the output with all "
            "marked that looks like PHI, and run on the other. The odd one out reads patients' "
            f"names: none of its words stands again in the record, where another stands {OFTEN} "
            "times or more. `by chance` is the precision of who picks at random."
        ),
        tables=(PageTable("", head, rows),),
        plots=(),
        verdicts=(_parrot_claim(by_scope["record"][0]), _scope_claim(by_scope)),
    )


def _share(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _parrot_claim(attack: Attack) -> ClaimCheck:
    recall = attack.recall
    said = "nothing was missed" if recall is None else f"{recall:.0%} of {attack.leaks} leaks"
    return ClaimCheck(
        "A parrot attack exposes most of the leaks: 211 of 310 (68 %).",
        f"Scope record: {said}.",
        None if recall is None else recall > 0.5,
    )


def _scope_claim(by_scope: Mapping[Scope, tuple[Attack, Attack]]) -> ClaimCheck:
    exposed = {scope: other.exposed for scope, (_, other) in by_scope.items()}
    said = ", ".join(f"{scope} {count}" for scope, count in exposed.items())
    leaks = by_scope["record"][1].leaks
    return ClaimCheck(
        "Other surrogates at each mention hide leaks better than consistent ones (Carrell et al."
        " 2020).",
        f"Patients' names exposed as odd ones out, of {leaks}: {said}.",
        exposed["mention"] < exposed["record"] if exposed["record"] else None,
    )


STUDIES = (
    Study(
        "parrot",
        "Attacks on surrogates: what was missed, found by who reads the output",
        f"{PAPER} (the machine giveth and the machine taketh away), and Carrell et al. 2020",
        _run,
    ),
)
