"""General named entities: a CRF for people, places and organisations, trained on open corpora.

Liu et al. 2015, §3.2.2, call this the "general NER" feature; they use the output of another tool.
The features are local ones and gazetteers (Ratinov and Roth 2009, "Design Challenges and
Misconceptions in Named Entity Recognition", §5 and §6); only shipped gazetteers are used.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Sequence

from ..corpora import AnnotatedDocument, remap
from ..crf.codec import decode, encode_batch
from ..crf.learning import Progress
from ..features import CharacterClass, Feature, Gazetteer, Prefix, Shape, Suffix, Word, at, together
from ..recipes.recipe import Learner
from ..text.tokenizer import tokenize_documents
from .kinds import AuxiliaryTagger, Declaration
from .sources import Origin
from .tagging import train_tagger

LABELS = ("LOC", "ORG", "PER")

LABEL_OF: dict[str, str] = {
    "per": "PER",
    "person": "PER",
    "loc": "LOC",
    "location": "LOC",
    "gpe": "LOC",
    "org": "ORG",
    "organization": "ORG",
    "corporation": "ORG",
    "group": "ORG",
}
"""Label of a corpus, in lower case -> ours; spans with other labels are left out."""

DICTIONARIES = (
    "countries_en",
    "first_names_en",
    "first_names_world",
    "institution_words_en",
    "organization_words_en",
    "surnames_en",
    "surnames_world",
    "us_places",
    "us_states",
    "world_cities",
)

_WORD, _SHAPE = Word(fold=True), Shape(collapsed=True)
FEATURES: tuple[Feature, ...] = (
    *at(Word(), 0),
    *at(_WORD, -2, -1, 0, 1, 2),
    *(f for n in (1, 2, 3, 4) for f in at(Prefix(n, fold=True), 0)),
    *(f for n in (1, 2, 3, 4) for f in at(Suffix(n, fold=True), 0)),
    *at(Shape(), 0),
    *at(_SHAPE, -2, -1, 0, 1, 2),
    *at(CharacterClass(("ALLCAPS", "INITCAPS", "HASDIGIT", "INNERCAP")), 0),
    together((_WORD, -1), (_WORD, 0)),
    together((_WORD, 0), (_WORD, 1)),
    together((_SHAPE, -1), (_SHAPE, 0)),
    together((_SHAPE, 0), (_SHAPE, 1)),
    together((_SHAPE, -1), (_SHAPE, 0), (_SHAPE, 1)),
    together((_WORD, -1), (_SHAPE, 0)),
    together((_SHAPE, 0), (_WORD, 1)),
    *at(Gazetteer("common_words_en"), -1, 0, 1),
    together((Gazetteer("common_words_en"), 0), (_SHAPE, 0)),
    *(f for name in DICTIONARIES for f in at(Gazetteer(name, "bioes"), -1, 0, 1)),
    *(together((Gazetteer(name, "bioes"), 0), (_SHAPE, 0)) for name in DICTIONARIES),
)
DECLARATION = Declaration(FEATURES)
LEARNER = Learner.of("lbfgs", c1=0.3, c2=0.01, feature_minfreq=2, max_iterations=80)


def train_ner(
    documents: Sequence[AnnotatedDocument],
    *,
    origin: Origin,
    declaration: Declaration = DECLARATION,
    learner: Learner = LEARNER,
    command: str = "",
    progress: Progress | None = None,
) -> AuxiliaryTagger:
    """Trains the auxiliary model `ner`; its tags are B- and I- with PER, LOC and ORG.

    Args:
        documents: spans with labels of `LABEL_OF`, in any case, are used; others are left out, and
            so are handles (`@` and what follows) and spans without a letter or digit.
        origin: of the documents.
        declaration: the features of the tagger.
        learner: algorithm and parameters.
        command: for the card.
        progress: see `models.crf.learning.Progress`.

    Raises:
        UsageError: if no span has a label of `LABEL_OF`.
    """
    corpus = [_mapped(document) for document in documents]
    texts = [document.text for document in corpus]
    features = declaration.featurize(texts, tokenize_documents(texts))
    gold = [[(span.start, span.end, span.label) for span in document.spans] for document in corpus]
    spans = collections.Counter(label for spans in gold for _, _, label in spans)
    return train_tagger(
        "ner",
        declaration,
        features,
        encode_batch(gold, features, "BIO"),
        learner,
        corpus={"documents": len(corpus), "spans": dict(sorted(spans.items()))},
        origin=origin,
        command=command,
        progress=progress,
    )


def score_ner(tagger: AuxiliaryTagger, documents: Sequence[AnnotatedDocument]) -> dict[str, object]:
    """Phrase-level precision, recall and F1 (exact offsets and label), overall and by label.

    Args:
        tagger: `ner`.
        documents: of one corpus, not trained on; spans that `train_ner` leaves out do not count.
    """
    corpus = [_mapped(document) for document in documents]
    texts = [document.text for document in corpus]
    tokens = tokenize_documents(texts)
    column = [tag or "O" for tag in tagger.columns(texts, tokens)]
    starts, ends = tokens.starts.tolist(), tokens.ends.tolist()
    bounds = tokens.document_offsets.tolist()
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    for index, document in enumerate(corpus):
        rows = slice(bounds[index], bounds[index + 1])
        found = set(decode(column[rows], starts[rows], ends[rows]))
        gold = {(span.start, span.end, span.label) for span in document.spans}
        for side, spans in (("gold", gold), ("found", found), ("both", gold & found)):
            counts.update((side, label) for _, _, label in spans)
    scores: dict[str, object] = {"documents": len(corpus)}
    for label in ("all", *LABELS):
        gold_count, found_count, both = (
            sum(n for (s, counted), n in counts.items() if s == side and label in ("all", counted))
            for side in ("gold", "found", "both")
        )
        total = gold_count + found_count
        scores[label] = {
            "gold": gold_count,
            "precision": round(both / found_count, 4) if found_count else None,
            "recall": round(both / gold_count, 4) if gold_count else None,
            "f1": round(2 * both / total, 4) if total else None,
        }
    return scores


def _mapped(document: AnnotatedDocument) -> AnnotatedDocument:
    """The document with our labels, without spans that are not names.

    Corpora of tweets mark `@` and the handle after it as a person; in notes `@` means "at".
    """
    text = document.text
    spans = tuple(
        span
        for span in document.spans
        if any(map(str.isalnum, text[span.start : span.end]))
        and "@" not in (text[span.start], text[: span.start].rstrip(" ")[-1:])
    )
    named = dataclasses.replace(document, spans=spans)
    return remap(named, lambda label: LABEL_OF.get(label.casefold()))
