"""The corpora of Uzuner et al. 2008, made from any, and the detectors that it compares there."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from ..core.documents import Context, Document
from ..core.labels import CATEGORIES, UNKNOWN_KIND
from ..corpora import AnnotatedDocument, Annotation
from ..recipes import Learner, Recipe
from ..recipes.stat_deid import LANGUAGES
from ..recognisers import DEFAULT_RECOGNISERS, recognise_all
from ..synth import lists
from ..synth.replacing import REPLACEMENTS, PhiLabels, replace_phi
from ..training.settings import with_learner
from .base import Bench, Material
from .phrases_in_text import covered_by_spans, listed_phrases

Found = Sequence[Sequence[Annotation]]

AS_IT_IS = "as it is"
CORPORA = (AS_IT_IS, *REPLACEMENTS)
SYSTEMS = ("rules", "rules and dictionaries", "CRF", "SVM")

_MEDICAL = {"en": ("eponyms", "drugs", "first_names_that_are_words")}
"""Language -> words that a name may be mistaken for, of those that stand in generated notes."""

_PEOPLE = frozenset(CATEGORIES["NAME"]) - {"USERNAME"}
_PLACES = frozenset(CATEGORIES["LOCATION"]) - {"ZIP"}
_CRF = Learner.of("lbfgs", c2=1.0, max_iterations=100)
_WORD = re.compile(r"[^\W\d_]+")


def corpus_named(bench: Bench, name: str) -> Bench:
    """The same bench on one of `CORPORA`."""
    if name == AS_IT_IS:
        return bench
    material = bench.material
    train = bench.some(material.train, bench.size.held)
    test = list(material.test)[: bench.size.held]
    listed = (phrase for one in material.dictionaries.values() for phrase in one.phrases)
    train, test = replace_phi(
        (train, test),
        name,
        phi_labels(material),
        words=[w for one in _MEDICAL.get(material.language, ()) for w in lists.words(one)],
        known={word for phrase in listed for word in _WORD.findall(phrase)},
    )
    changed = dataclasses.replace(material, name=f"{material.name}, {name}", train=train, test=test)
    return dataclasses.replace(bench, material=changed)


def phi_labels(material: Material) -> PhiLabels:
    """Which labels of a corpus are names, by their native ones."""
    every = {s.label for part in (material.train, material.test) for d in part for s in d.spans}

    def of(native: Collection[str]) -> frozenset[str]:
        return frozenset(label for label in every if material.native(label) in native)

    return PhiLabels(of(_PEOPLE), of(_PLACES))


def found_by(bench: Bench) -> tuple[Sequence[AnnotatedDocument], Mapping[str, Found]]:
    """The test part, and what each of `SYSTEMS` finds in it."""
    machine = bench.stat_deid()
    svm, crf = bench.held_out([machine, _as_crf(machine)])
    rules = [by_rules(document) for document in svm.gold]
    listed = _by_dictionaries(bench, svm.gold)
    return svm.gold, MappingProxyType(
        {
            "rules": rules,
            "rules and dictionaries": [[*a, *b] for a, b in zip(rules, listed, strict=True)],
            "CRF": crf.found,
            "SVM": svm.found,
        }
    )


def _as_crf(recipe: Recipe) -> Recipe:
    """A CRF on the same features and tags; a sequence is a line."""
    taggers = tuple(dataclasses.replace(t, sequence="line") for t in recipe.taggers)
    lines = dataclasses.replace(recipe, taggers=taggers)
    return with_learner(lines, _CRF.algorithm, dict(_CRF.parameters))


def by_rules(document: AnnotatedDocument) -> list[Annotation]:
    """What all rules find that run unless others are named."""
    candidates = recognise_all(Document(document.text), Context(), DEFAULT_RECOGNISERS)
    return [Annotation(c.start, c.end, UNKNOWN_KIND) for c in candidates]


def _by_dictionaries(
    bench: Bench, documents: Sequence[AnnotatedDocument]
) -> Iterator[list[Annotation]]:
    """Yields the phrases of names and places in each document that begin with a capital."""
    names = LANGUAGES[bench.material.language]
    phrases = [p for name in names for p in bench.material.dictionaries[name].phrases]
    for words, ranges, matches in listed_phrases(documents, phrases):
        yield [
            Annotation(ranges[low][0], ranges[high - 1][1], UNKNOWN_KIND)
            for low, high in matches
            if words[low][0].isupper()
        ]


@dataclasses.dataclass(frozen=True, slots=True)
class PhiWords:
    """How the words of PHI in the test part are known, as shares of its words of letters.

    Attributes:
        words: how many there are.
        unseen: that stand nowhere in the training part.
        ambiguous: that stand outside of PHI in the training part.
        listed: that are words of the dictionaries.
    """

    words: int
    unseen: float
    ambiguous: float
    listed: float


def vocabulary(bench: Bench) -> PhiWords:
    """That of the test part against the training part."""
    material = bench.material
    train = bench.some(material.train, bench.size.held)
    outside = {w for d in train for w in _words(d, inside=False)}
    seen = outside | {w for d in train for w in _words(d, inside=True)}
    names = LANGUAGES[material.language]
    phrases = (p for name in names for p in material.dictionaries[name].phrases)
    listed = {word.casefold() for phrase in phrases for word in _WORD.findall(phrase)}
    test = [w for d in list(material.test)[: bench.size.held] for w in _words(d, inside=True)]
    most = max(1, len(test))
    return PhiWords(
        len(test),
        sum(word not in seen for word in test) / most,
        sum(word in outside for word in test) / most,
        sum(word in listed for word in test) / most,
    )


def _words(document: AnnotatedDocument, *, inside: bool) -> Iterator[str]:
    """Yields the folded words of letters that touch a span, or those that do not."""
    covered = covered_by_spans(document)
    for match in _WORD.finditer(document.text):
        if any(covered[match.start() : match.end()]) == inside:
            yield match.group().casefold()
