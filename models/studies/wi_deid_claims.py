"""Claims of He et al. 2015 that runs of its studies decide besides those of its tables."""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterator, Mapping, Sequence

from ..core.labels import NATIVE_LABELS
from ..corpora import AnnotatedDocument
from ..evaluation.matrices import Matrix
from ..evaluation.scores import Score
from ..evaluation.wi_deid import MISSING, SPURIOUS
from ..features.gazetteer import cut_phrases
from ..text.segmentations import SEGMENTATIONS
from ..text.tokenizer import tokenize, tokenize_documents
from ..training.reporting import shown
from .base import Bench, RecipeResult
from .classifiers import Found
from .findings import ClaimCheck

_HIGH = ("NAME", "DATE", "AGE", "CONTACT", "ID")
_BEST = ("USERNAME", "ZIP", "DATE", "MEDICALRECORD")
_FEW = 250
"""Training spans: the most that a label has which the paper calls rare is 234."""

_HELPED = 0.005

_Bounds = tuple[int, int]

_HIPAA = frozenset(label.name for label in NATIVE_LABELS if label.scored_as_hipaa)


def claim_of_recall(scored: Mapping[str, Score]) -> ClaimCheck:
    """Whether recall is below precision at each level of Table 3."""
    return ClaimCheck(
        "Recall is lower than precision, since missing errors are most (§3.4).",
        "; ".join(f"{n}: P {shown(s.precision)}, R {shown(s.recall)}" for n, s in scored.items())
        + ".",
        all((s.recall or 0.0) < (s.precision or 0.0) for s in scored.values()),
    )


def claims_of_types(
    by_label: Mapping[str, Score], by_category: Mapping[str, Score]
) -> tuple[ClaimCheck, ...]:
    """Which categories and labels are good, and which make i2b2's scores worse than HIPAA's.

    Args:
        by_label: native label -> strict score.
        by_category: category -> strict score.
    """
    there = {
        name: score.f1 or 0.0
        for name, score in by_category.items()
        if name != "total" and score.tp + score.fn
    }
    best = {n: by_label[n].f1 or 0.0 for n in _BEST if n in by_label and _gold(by_label[n])}
    inside, outside = (
        _sum([s for name, s in by_label.items() if (name in _HIPAA) == is_hipaa])
        for is_hipaa in (True, False)
    )
    high = all(there[name] > 0.9 for name in _HIGH if name in there)
    return (
        ClaimCheck(
            "NAME, DATE, AGE, CONTACT and ID have F above .9, PROFESSION has the lowest, .5929.",
            ", ".join(f"{name} {shown(f1)}" for name, f1 in there.items()) + ".",
            high and min(there, key=lambda name: there[name]) == "PROFESSION"
            if "PROFESSION" in there
            else None,
        ),
        ClaimCheck(
            "Labels that are not HIPAA's (PROFESSION, HOSPITAL, STATE, COUNTRY, LOCATION-OTHER) are"
            " below .9, which makes results for i2b2's labels worse. (So are seven labels of"
            " HIPAA's in Table 4.)",
            f"F of labels that are not HIPAA's {shown(outside.f1)}, of the others"
            f" {shown(inside.f1)}.",
            (outside.f1 or 0.0) < (inside.f1 or 0.0) if _gold(outside) and _gold(inside) else None,
        ),
        ClaimCheck(
            "USERNAME, ZIP, DATE and MEDICALRECORD exceed .97.",
            (", ".join(f"{name} {shown(f1)}" for name, f1 in best.items()) or "None is there")
            + ".",
            all(f1 > 0.97 for f1 in best.values()) if best else None,
        ),
    )


def _gold(score: Score) -> int:
    return score.tp + score.fn


def _sum(scores: list[Score]) -> Score:
    return Score(*(sum(getattr(s, count) for s in scores) for count in ("tp", "fp", "fn")))


def claims_of_errors(
    labels: Matrix,
    extents: Matrix,
    shares: Mapping[str, tuple[float | None, float | None]],
    train: Mapping[str, int],
) -> tuple[ClaimCheck, ...]:
    """What is missing, spurious and inexact, and of which labels.

    Args:
        labels, extents: the matrices of Tables 7 and 8.
        shares: label -> share of gold spans that are missing, of predicted ones that are spurious.
        train: label -> spans in training.
    """
    gold = sum(
        n for name, n in zip(labels.row_names, labels.row_totals(), strict=True) if name != SPURIOUS
    )
    missing = sum(labels.count(name, MISSING) for name in labels.row_names)
    spurious = sum(labels.count(SPURIOUS, name) for name in labels.column_names)
    most_missed = [name for name, (share, _) in shares.items() if (share or 0.0) > 0.5]
    highest = max(shares, key=lambda name: shares[name][1] or 0.0, default="")
    inexact = dict(zip(extents.column_names, extents.column_totals(), strict=True))
    worst = max(inexact, key=lambda name: inexact[name], default="")
    total = sum(inexact.values())
    rate = missing / gold if gold else 0.0
    return (
        ClaimCheck(
            "Missing spans are 7.4 % of the gold ones, 851 of 11,462. Within five points of that.",
            f"{missing:,} of {gold:,}, {rate:.1%}.",
            abs(rate - 0.074) < 0.05 if gold else None,
        ),
        ClaimCheck(
            "More than half of PROFESSION, ORGANIZATION, LOCATION-OTHER, FAX, EMAIL and DEVICE are"
            " missing, largely for lack of training instances, of which PROFESSION has 234.",
            "More than half is missing of "
            + (
                ", ".join(f"{n} ({train.get(n, 0):,} in training)" for n in most_missed)
                or "no label"
            )
            + ".",
            all(train.get(name, 0) < _FEW for name in most_missed) if most_missed else None,
        ),
        ClaimCheck(
            "Spurious errors are much rarer than missing ones; their share is highest in"
            " PROFESSION, 9.6 %.",
            f"{spurious:,} spurious, {missing:,} missing; the share is highest in {highest},"
            f" {shown(shares[highest][1] if highest else None)}.",
            spurious < missing and highest == "PROFESSION" if spurious else None,
        ),
        ClaimCheck(
            "Almost a third of extent errors are in DATE, 42 short and 20 long of 202; it has the"
            " most.",
            f"{inexact.get('DATE', 0):,} of {total:,} in DATE; most, {inexact.get(worst, 0):,}, in"
            f" {worst or 'no label'}.",
            worst == "DATE" if total else None,
        ),
    )


def claim_of_speech(whole: Mapping[str, Score], without: Mapping[str, Score] | None) -> ClaimCheck:
    """Whether parts of speech help.

    Args:
        whole: category, and "total" -> strict score of the recipe.
        without: the same without parts of speech; None if the recipe has none here.
    """
    claim = (
        "The part of speech of a token is always very helpful (§2.2): with it strict F is more than"
        " half a point higher."
    )
    if without is None:
        return ClaimCheck(claim, "There is no tagger for parts of speech here.", None)
    none = Score(0, 0, 0)
    gains = {
        name: (score.f1 or 0.0) - (without.get(name, none).f1 or 0.0)
        for name, score in whole.items()
    }
    return ClaimCheck(
        claim,
        f"F {shown(whole['total'].f1)} with it, {shown(without['total'].f1)} without; it adds "
        + ", ".join(f"{gain:+.4f} ({name})" for name, gain in gains.items())
        + ".",
        gains["total"] > _HELPED,
    )


def claim_of_new_tokens(bench: Bench, run: RecipeResult) -> ClaimCheck:
    """Whether tokens of a list are found that no span of their label had in training."""
    lists = {
        label: {
            word
            for name in extension.lists
            for phrase in cut_phrases(bench.material.dictionaries[name].phrases, "fine")
            for word in phrase
        }
        for extension in bench.wi_deid().extensions
        if extension.lists
        for label in extension.labels
    }
    known: dict[str, set[str]] = {label: set() for label in lists}
    for document in bench.some(bench.material.train, bench.size.held):
        for label, word, _ in _words(bench, document, lists):
            known[label].add(word)
    right = {True: 0, False: 0}
    total = {True: 0, False: 0}
    for document, spans in zip(run.gold, run.found, strict=True):
        places = [(s.start, s.end, bench.material.native(s.label)) for s in spans]
        for label, word, (start, end) in _words(bench, document, lists):
            if word in lists[label]:
                is_known = word in known[label]
                total[is_known] += 1
                right[is_known] += any(
                    low <= start and end <= high and own == label for low, high, own in places
                )
    return ClaimCheck(
        "A token of the dictionary of countries that was no COUNTRY in training is never tagged"
        " COUNTRY (§2.2), which weakens dictionaries and avoids clashes. Cities and states are"
        " counted too.",
        f"Of {total[False]:,} gold tokens that are in the list of their label, and in none of its"
        f" training spans, {right[False]:,} are found with it; of those that are in some"
        f" {right[True]:,} of {total[True]:,}.",
        right[False] == 0 if total[False] else None,
    )


def _words(
    bench: Bench, document: AnnotatedDocument, labels: Collection[str]
) -> Iterator[tuple[str, str, _Bounds]]:
    """Yields the words of letters of the spans of some native labels, folded, and their bounds."""
    for span in document.spans:
        if (label := bench.material.native(span.label)) is not None and label in labels:
            text = document.text[span.start : span.end]
            tokens = tokenize(text)
            for low, high in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True):
                if (word := text[low:high]).isalpha():
                    yield label, word.casefold(), (span.start + low, span.start + high)


def claim_of_cuts(gold: Sequence[AnnotatedDocument], split: Found, plain: Found) -> ClaimCheck:
    """Whether spans are found in part since a word was split.

    Args:
        gold: the documents.
        split: what is found in each with the splitting.
        plain: what is found without it.
    """
    partial = cut = whole = 0
    for document, words, with_it, without in zip(
        gold, _bounds_of_words(gold), split, plain, strict=True
    ):
        for span in document.spans:
            bounds = (span.start, span.end)
            others = [
                (s.start, s.end) for s in with_it if s.start < span.end and span.start < s.end
            ]
            if others and bounds not in others:
                partial += 1
                wrong = {place for other in others for place in other} - {*bounds}
                if any(_is_inside(place, words) for place in wrong):
                    cut += 1
                    whole += span in without
    return ClaimCheck(
        "Splitting tokens causes errors too (§3.4): of a name with a hyphen only the first part is"
        " found.",
        f"{cut:,} of {partial:,} spans that are found with wrong bounds have one inside of a word"
        " that only the splitting parts"
        + (f"; without the splitting {whole:,} of these are found rightly." if cut else "."),
        cut > 0 if partial else None,
    )


def _bounds_of_words(documents: Sequence[AnnotatedDocument]) -> Iterator[list[_Bounds]]:
    """Yields the bounds of the words of each document, in order: tokens without the splitting."""
    texts = [document.text for document in documents]
    words = SEGMENTATIONS["word"](texts, tokenize_documents(texts))
    starts, ends = words.starts.tolist(), words.ends.tolist()
    offsets = words.document_offsets.tolist()
    for low, high in zip(offsets, offsets[1:], strict=False):
        yield list(zip(starts[low:high], ends[low:high], strict=True))


def _is_inside(place: int, words: Sequence[_Bounds]) -> bool:
    """Whether a word starts before a place and ends behind it."""
    number = bisect.bisect_left(words, (place, 0)) - 1
    return number >= 0 and place < words[number][1]
