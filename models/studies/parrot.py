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

from ..core.keys import Keys
from ..corpora import AnnotatedDocument, Annotation
from ..corpora.base import in_order
from ..recipes import Recipe
from ..redaction.actions import ACTIONS, REDACT
from ..redaction.policy import Policy
from ..redaction.policy_file import load_policy
from ..redaction.scrub import replace_ranges
from ..redaction.stand_ins import LateSpan, NoteFacts, StandIns
from ..redaction.stretches import overlap_counter, subtract
from ..surrogates import SurrogateSettings
from ..surrogates.settings import LANGUAGES, Scope
from ..surrogates.words import folded
from .base import Bench
from .findings import ClaimCheck, Findings, PageTable, Study

PAPER = "Carrell et al. 2019"
SCOPES: tuple[Scope, ...] = get_args(Scope)

OFTEN = 3
"""Times that a word must stand in a record for another one to be odd beside it."""

_KEYS = Keys(hashlib.sha256(b"the key of a study, which protects no one").digest())
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
    policy = dataclasses.replace(load_policy("expert"), surrogates=settings)
    stand_ins = StandIns(policy, _KEYS)
    return [
        _released(document, spans, policy, stand_ins, native)
        for document, spans in zip(gold, found, strict=True)
    ]


def _released(
    document: AnnotatedDocument,
    found: Sequence[Annotation],
    policy: Policy,
    stand_ins: StandIns,
    native: Mapping[str, str | None],
) -> Released:
    text, record = document.text, str(document.meta.get("patient") or document.doc_id)
    gold, spans = _apart(document.spans), _apart(found)
    leaks = [
        Annotation(start, end, gold[at].label)
        for start, end, at in subtract(_ranges(gold), _ranges(spans))
        if any(map(str.isalnum, text[start:end]))
    ]
    facts = NoteFacts(record, document.doc_id, date=_day(document.meta.get("note_date")))
    new = _replacements(text, spans, policy, stand_ins, native, facts)
    places = sorted(
        [*zip(spans, new, strict=True), *((leak, None) for leak in leaks)],
        key=lambda place: place[0].start,
    )
    out, starts, ends = replace_ranges(text, ((s.start, s.end, shown) for s, shown in places))
    markers = {span for span, shown in zip(spans, new, strict=True) if shown == _marker(span)}
    visible = tuple(
        Visible(Annotation(start, end, span.label), span in leaks)
        for (span, _), start, end in zip(places, starts, ends, strict=True)
        if span not in markers
    )
    published = AnnotatedDocument(document.doc_id, out, tuple(one.span for one in visible))
    return Released(published, visible, record)


def _replacements(
    text: str,
    spans: Sequence[Annotation],
    policy: Policy,
    stand_ins: StandIns,
    native: Mapping[str, str | None],
    facts: NoteFacts,
) -> list[str | None]:
    """What a run puts in place of each span; None for what stays."""
    new: list[str | None] = [_marker(span) for span in spans]
    late: dict[int, LateSpan] = {}
    for at, span in enumerate(spans):
        if (label := native.get(span.label)) is None:
            continue
        action, shown = policy.decide(label, text[span.start : span.end])
        if ACTIONS[action].is_late(label):
            late[at] = LateSpan(span.start, span.end, label, action)
        elif action != REDACT:
            new[at] = shown
    made, _ = stand_ins.of_note(text, list(late.values()), facts)
    for at, one in zip(late, made, strict=True):
        if one.text is not None:
            new[at] = one.text
    return new


def _marker(span: Annotation) -> str:
    return f"[{span.label}]"


def _ranges(spans: Iterable[Annotation]) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in spans]


def _day(said: object) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(str(said))
    except ValueError:
        return None


def _apart(spans: Iterable[Annotation]) -> list[Annotation]:
    """The spans without those that overlap an earlier, or a longer, one."""
    kept: list[Annotation] = []
    for span in in_order(spans):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def parrot(corpus: Sequence[Released], tagged: Sequence[Sequence[Annotation]]) -> Attack:
    """Suspects what looks like PHI and is not found by a tagger of the attacker.

    Args:
        corpus: as published.
        tagged: what the tagger found, trained on other documents of it.
    """
    return _attack(
        corpus,
        (
            [one for one in document.visible if not found(one.span.start, one.span.end)]
            for document, spans in zip(corpus, tagged, strict=True)
            for found in [overlap_counter(_ranges(spans))]
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
