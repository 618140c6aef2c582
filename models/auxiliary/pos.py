"""Parts of speech: a CRF on our own tokens, trained on a treebank in CoNLL-U.

`pos` gives the language's own tags (column XPOS: the Penn Treebank's for UD English-EWT), `upos`
the universal ones. The features are the usual ones for such taggers (Toutanova et al. 2003,
"Feature-Rich Part-of-Speech Tagging with a Cyclic Dependency Network", §4): words, affixes and
shapes of the context, and three shipped dictionaries.
"""

from __future__ import annotations

import collections
from collections.abc import Collection, Sequence

import numpy as np

from ..core.tokens import Tokens
from ..crf.learning import Progress
from ..features import Feature, Gazetteer, Prefix, Shape, Suffix, Word, at, together
from ..recipes.recipe import Learner
from ..text.tokenizer import tokenize_documents
from .conllu import TaggedSentence
from .kinds import OUTSIDE, AuxiliaryTagger, Declaration
from .sources import Origin
from .tagging import by_sequence, train_tagger

DICTIONARIES = ("common_words_en", "surnames_en", "us_places")
"""They tell names from other words that the treebank lacks."""

_WORD = Word(fold=True)
FEATURES: tuple[Feature, ...] = (
    *at(Word(), 0),
    *at(_WORD, -2, -1, 0, 1, 2),
    *(f for n in (1, 2, 3) for f in at(Prefix(n, fold=True), 0)),
    *(f for n in (1, 2, 3, 4, 5) for f in at(Suffix(n, fold=True), 0)),
    *(f for n in (1, 2, 3) for f in at(Suffix(n, fold=True), -1, 1)),
    *at(Shape(), 0),
    *at(Shape(collapsed=True), -1, 0, 1),
    *(f for name in DICTIONARIES for f in at(Gazetteer(name), 0)),
    together((_WORD, -1), (_WORD, 0)),
    together((_WORD, 0), (_WORD, 1)),
    together((Shape(collapsed=True), -1), (Shape(collapsed=True), 0)),
    together((Suffix(2, fold=True), 0), (Shape(collapsed=True), 0)),
)
DECLARATION = Declaration(FEATURES)
LEARNER_OF: dict[str, Learner] = {
    "pos": Learner.of("lbfgs", c1=0.4, c2=0.01, feature_minfreq=2, max_iterations=80),
    "upos": Learner.of("lbfgs", c1=0.3, c2=0.01, feature_minfreq=2, max_iterations=60),
}


def train_pos(
    sentences: Sequence[TaggedSentence],
    *,
    origin: Origin,
    name: str = "pos",
    declaration: Declaration = DECLARATION,
    learner: Learner | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> AuxiliaryTagger:
    """Trains `pos` or `upos`; a token gets the tag of the word that contains its first character.

    Args:
        sentences: each is treated as a text of its own.
        origin: of the sentences.
        name: "pos" for their XPOS tags, "upos" for their UPOS tags.
        declaration: the features of the tagger.
        learner: algorithm and parameters; if None, those of `LEARNER_OF`.
        command: for the card.
        progress: see `models.crf.learning.Progress`.

    Raises:
        UsageError: if no word has a tag, or a tag is not valid.
    """
    texts = [sentence.text for sentence in sentences]
    tokens = tokenize_documents(texts)
    features = declaration.featurize(texts, tokens)
    tags = []
    for sentence, rows in zip(sentences, _rows(tokens), strict=True):
        words = _tags(sentence, name)
        starts = tokens.starts[rows]
        owners = np.searchsorted(np.array(sentence.starts, np.int64), starts, side="right") - 1
        tags += [(words[i] or OUTSIDE) if i >= 0 else OUTSIDE for i in owners.tolist()]
    return train_tagger(
        name,
        declaration,
        features,
        by_sequence(tags, features),
        learner or LEARNER_OF[name],
        corpus={"sentences": len(sentences), "words": sum(len(s.starts) for s in sentences)},
        origin=origin,
        command=command,
        progress=progress,
    )


def score_pos(
    tagger: AuxiliaryTagger, sentences: Sequence[TaggedSentence], known: Collection[str] = ()
) -> dict[str, object]:
    """Accuracy over words; the tag of a word is that of its first token.

    That is the first token that starts inside the word or, where our tokens are longer, the token
    that the word starts in. Words without a gold tag do not count.

    Args:
        tagger: `pos` or `upos`.
        sentences: not those it was trained on.
        known: case-folded words of the training text; words not among them are also scored
            separately. If empty, none are.
    """
    texts = [sentence.text for sentence in sentences]
    tokens = tokenize_documents(texts)
    column = tagger.columns(texts, tokens)
    right: collections.Counter[bool] = collections.Counter()
    total: collections.Counter[bool] = collections.Counter()
    for sentence, rows in zip(sentences, _rows(tokens), strict=True):
        starts = tokens.starts[rows]
        firsts = np.searchsorted(starts, sentence.starts)
        for first, start, end, tag in zip(
            firsts.tolist(),
            sentence.starts,
            sentence.ends,
            _tags(sentence, tagger.name),
            strict=True,
        ):
            if not tag or not len(starts):
                continue
            begins = first < len(starts) and starts[first] < end
            row = rows.start + (first if begins else max(first - 1, 0))
            unknown = bool(known) and sentence.text[start:end].casefold() not in known
            total[unknown] += 1
            right[unknown] += column[row] == tag
    words = total.total()
    scores: dict[str, object] = {
        "words": words,
        "accuracy": round(right.total() / words, 4) if words else None,
    }
    if total[True]:
        scores["unknown words"] = total[True]
        scores["accuracy on unknown words"] = round(right[True] / total[True], 4)
    return scores


def words_of(sentences: Sequence[TaggedSentence]) -> frozenset[str]:
    """The case-folded words, for `score_pos`."""
    return frozenset(
        s.text[start:end].casefold()
        for s in sentences
        for start, end in zip(s.starts, s.ends, strict=True)
    )


def _tags(sentence: TaggedSentence, name: str) -> tuple[str, ...]:
    return sentence.upos if name == "upos" else sentence.xpos


def _rows(tokens: Tokens) -> list[slice]:
    """The rows of each document's tokens."""
    bounds = tokens.document_offsets.tolist()
    return [slice(begin, end) for begin, end in zip(bounds, bounds[1:], strict=False)]
