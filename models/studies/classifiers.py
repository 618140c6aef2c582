"""The three classifiers of Liu et al. 2015 and their merge, for its studies."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..core.detectors import RULE, DetectorId
from ..core.documents import Context, Document
from ..core.spans import Candidate
from ..corpora import AnnotatedDocument, Annotation
from ..evaluation.scores import Scores
from ..recipes.hitsz import CHARACTER_LEARNER, RULES
from ..recognisers import recognise_all
from ..redaction.merging import LIU_2015, select
from .base import (
    Bench,
    RecipeResult,
)

Found = Sequence[Sequence[Annotation]]
"""The entities of each document."""

CLASSIFIERS = ("token", "character", "rule")
"""In rising order of trust."""

_DETECTORS = (
    *(str(DetectorId.of_tagger("crf", items, items)) for items in ("token", "character")),
    str(DetectorId(RULE, "rule")),
)
"""Names of detectors in rising order of their rank in `select`."""


def classify(
    bench: Bench, *, dictionaries: bool = False
) -> tuple[Sequence[AnnotatedDocument], dict[str, Found]]:
    """The test part, and what each of `CLASSIFIERS` finds in it, in the labels of the corpus.

    Args:
        bench: that trains them.
        dictionaries: whether both CRFs have them; the submitted system has none.
    """
    (token,) = bench.held_out([bench.hitsz("token", dictionaries=dictionaries)])
    (character,) = bench.held_out([bench.hitsz("character", dictionaries=dictionaries)])
    return token.gold, {
        "token": token.found,
        "character": character.found,
        "rule": _by_rules(bench, token.gold),
    }


def _by_rules(bench: Bench, gold: Sequence[AnnotatedDocument]) -> list[list[Annotation]]:
    """What the rules of Table 2 find, without native labels that several own labels map to."""
    own: dict[str, list[str]] = {}
    for label in sorted({span.label for d in bench.material.train for span in d.spans}):
        if (native := bench.material.native(label)) is not None:
            own.setdefault(native, []).append(label)
    names = {native: labels[0] for native, labels in own.items() if len(labels) == 1}
    found = []
    for document in gold:
        candidates = select(recognise_all(Document(document.text), Context(), RULES))
        found.append(
            [Annotation(c.start, c.end, names[c.label]) for c in candidates if c.label in names]
        )
    return found


def join(found: Sequence[Found]) -> list[list[Annotation]]:
    """The paper's merge (§3.4) of what classifiers found, given in rising order of trust."""
    merged = []
    for documents in zip(*found, strict=True):
        candidates = []
        for detector, spans in zip(_DETECTORS[-len(documents) :], documents, strict=True):
            candidates += [Candidate(s.start, s.end, s.label, detector, 1.0) for s in spans]
        merged.append([Annotation(c.start, c.end, c.label) for c in select(candidates, LIU_2015)])
    return merged


def agreed(first: Found, second: Found) -> list[list[Annotation]]:
    """The entities that both found alike."""
    return [
        sorted(set(a) & set(b), key=lambda span: span.start)
        for a, b in zip(first, second, strict=True)
    ]


def score_found(
    bench: Bench,
    gold: Sequence[AnnotatedDocument],
    found: Found,
    metric: str,
    *,
    native: bool = True,
) -> Scores:
    """The scores of one metric; see `Bench.score_found`."""
    scores = bench.score_found(gold, found, (metric,), native=native).metrics[metric]
    assert isinstance(scores, Scores)
    return scores


def of_native(bench: Bench, found: Found, labels: Collection[str]) -> list[list[Annotation]]:
    """The entities whose native label is one of some."""
    native = bench.material.native
    return [[span for span in spans if native(span.label) in labels] for spans in found]


def score_strictly(bench: Bench, run: RecipeResult) -> Scores:
    """The strict scores of a recipe, in the labels of the corpus."""
    return score_found(bench, run.gold, run.found, "strict", native=False)


def document_means(scores: Scores) -> tuple[float | None, float | None, float | None]:
    """Precision, recall and F1, averaged over documents."""
    means = scores.documents
    return (means.precision, means.recall, means.f1) if means else (None, None, None)


def describe(bench: Bench) -> str:
    """What all studies of the paper did, for pages."""
    missing = bench.missing_auxiliary
    left_out = (
        f" Features that need {', '.join(missing)} are left out: there are no such auxiliary models"
        " for this corpus."
        if missing
        else ""
    )
    most = dict(CHARACTER_LEARNER.parameters)["max_iterations"]
    return (
        f"{bench.how_held_out}, strict spans. The system as submitted, without dictionaries; its 29"
        f" section headings are the most frequent ones of the training documents.{left_out} The"
        " token CRF learns until ten iterations improve the likelihood by less than 0.1 %, the"
        f" character CRF for {most} iterations at most, both with c1 = c2 = .1; the paper's were"
        " tuned (see hitsz-tuning)."
    )
