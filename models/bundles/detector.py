"""Detection with one bundle: its taggers, their vote, propagation and label names."""

from __future__ import annotations

import collections
import string
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..auxiliary import AuxiliaryTagger, tag_columns
from ..core.detectors import PROPAGATION, DetectorId
from ..core.errors import UsageError
from ..core.feature_rows import Featurized
from ..core.labels import LABELS, UNKNOWN_KIND
from ..core.spans import Candidate, Candidates
from ..core.suggestions import did_you_mean
from ..core.token_risks import TokenRisks
from ..core.tokens import Tokens
from ..features import FOUND
from ..features.declaration import FeatureSet, properties
from ..recipes import Recipe
from ..recognisers import ENGLISH_RECOGNISERS, RECOGNISERS, SPANISH_RECOGNISERS
from .bundle import Bundle
from .doses import without_doses
from .passes import Tagged, found_tags, majority
from .propagate import propagate
from .standardising import standardise
from .tagger import SCORE_DIGITS, Tagger, detector_of, featurize_together, output_names
from .tiny_texts import is_tiny, language_of, plausible

RECIPE, LANGUAGE = "recipe", "language"
"""Among the names of rules: stand for those of the bundles' recipes, all or for their language."""

_SEPARATORS = ",;: \t\r\n"
_NOT_LETTERS = frozenset(
    ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "Zs", "Zl", "Zp", "Cc")
)
"""Unicode categories of punctuation, symbols, white space and control characters."""


class BundleDetector:
    """Finds candidates with the taggers of one bundle, as its recipe declares.

    Taggers, vote, standardising and propagation work in the labels of the training corpus; labels
    are mapped at the end. Candidates whose label maps to none are dropped before standardising and
    propagation, so they never propagate.

    Like its taggers it is opened in the process that uses it and never pickled.

    Attributes:
        name: the bundle's.
        hash: the bundle's.
        taggers: in the order of the recipe.
        labels: all that candidates can have, sorted.
        reads_sentences: see `reads_sentences`.
        order: in which its candidates are believed: a key of `merging.ORDERS`.
    """

    def __init__(
        self,
        bundle: Bundle,
        *,
        biases: Mapping[str, float] | None = None,
        labels_as: str = "native",
    ) -> None:
        """Opens a bundle; the arguments and errors are those of `Tagger`."""
        self.name, self.hash = bundle.name, bundle.hash
        self.taggers = tuple(
            Tagger(bundle, key, biases=biases, labels_as="own") for key in bundle.recipe.keys
        )
        self._names = output_names(bundle, labels_as)
        self.labels = tuple(sorted({name for name in self._names.values() if name is not None}))
        self._recipe, self.order = bundle.recipe, bundle.recipe.order
        self._passes = bundle.recipe.passes
        self._standardise = bundle.recipe.standardise
        trust = bundle.recipe.trust
        self._trusted = frozenset(bundle.dictionaries[trust.name].phrases if trust else ())
        self._propagation = bundle.recipe.propagation
        self._propagates_as = propagation_name(bundle)
        self._auxiliary = bundle.auxiliary
        self.reads_sentences = reads_sentences(bundle)

    def featurize(self, texts: Sequence[str | None], tokens: Tokens) -> tuple[Featurized, ...]:
        """The attribute rows of a batch for each tagger; a text of None has no items.

        Of several passes only those of the first, on which the others depend.
        """
        # The auxiliary taggers run once for all taggers that use their tags.
        tags = tag_columns(self._auxiliary, texts, tokens)
        first = self.taggers[: self._passes[0]] if self._passes else self.taggers
        return featurize_together(first, texts, tokens, tags)

    def label(
        self, features: Sequence[Featurized], texts: Sequence[str | None], tokens: Tokens
    ) -> Candidates:
        """The candidates of all documents of a batch."""
        found = self.decode(features, texts, tokens)
        return Candidates.of(
            [
                (document, candidate)
                for document in range(len(texts))
                for candidate in self.join_document(
                    [own[document] for own in found], document, texts, tokens
                )
            ]
        )

    def decode(
        self, features: Sequence[Featurized], texts: Sequence[str | None], tokens: Tokens
    ) -> list[list[list[Candidate]]]:
        """The candidates of each tagger in each document of a batch, for `join_document`.

        Of passes, those of the vote of the last. The arguments are those of `label`.
        """
        return self.decode_risks(features, texts, tokens, at_risk=False)[0]

    def decode_risks(
        self,
        features: Sequence[Featurized],
        texts: Sequence[str | None],
        tokens: Tokens,
        *,
        at_risk: bool = True,
    ) -> tuple[list[list[list[Candidate]]], tuple[TokenRisks, ...]]:
        """What `decode` gives, and what each tagger that tells risks says of its tokens.

        Of passes, the taggers of the last. Without `at_risk` none is asked.
        """
        if self._passes:
            found, risks = self._decode_passes(features, texts, tokens, at_risk)
            return [found], risks
        tagged = self._tagged(features, at_risk)
        return [
            tagger.label_documents(rows, own)
            for tagger, rows, own in zip(self.taggers, features, tagged, strict=True)
        ], _token_risks(features, tagged)

    def label_document(
        self,
        features: Sequence[Featurized],
        document: int,
        texts: Sequence[str | None],
        tokens: Tokens,
    ) -> list[Candidate]:
        """The sorted candidates of one document of a batch, decoded alone.

        Args:
            features: of each tagger.
            document: index in the batch.
            texts: of the batch.
            tokens: of the batch.
        """
        return self.label_document_risks(features, document, texts, tokens, at_risk=False)[0]

    def label_document_risks(
        self,
        features: Sequence[Featurized],
        document: int,
        texts: Sequence[str | None],
        tokens: Tokens,
        *,
        at_risk: bool = True,
    ) -> tuple[list[Candidate], tuple[TokenRisks, ...]]:
        """What `label_document` gives, and risks as of `decode_risks`, of document 0."""
        rows = [one.of_document(document) for one in features]
        if self._passes:
            own = tokens.of_documents(document, document + 1)
            text = texts[document : document + 1]
            found, risks = self._decode_passes(rows, text, own, at_risk)  # of one document
        else:
            tagged = self._tagged(rows, at_risk)
            risks = _token_risks(rows, tagged)
            found = [
                tagger.label_document(of_batch, document, alone)
                for tagger, of_batch, alone in zip(self.taggers, features, tagged, strict=True)
            ]
        return self.join_document(found, document, texts, tokens), risks

    def _tagged(self, features: Sequence[Featurized], at_risk: bool) -> list[Tagged]:
        return [
            tagger.tag(rows, at_risk=at_risk)
            for tagger, rows in zip(self.taggers, features, strict=True)
        ]

    def _decode_passes(
        self,
        features: Sequence[Featurized],
        texts: Sequence[str | None],
        tokens: Tokens,
        at_risk: bool,
    ) -> tuple[list[list[Candidate]], tuple[TokenRisks, ...]]:
        """What the last pass agrees on in each document of a batch, and its risks."""
        begin = self._passes[0]
        last = len(self._passes) - 1
        voted, risks = self._vote_of(self.taggers[:begin], features, at_risk and not last)
        for number, count in enumerate(self._passes[1:], 1):
            known = [[(s, e, label) for s, e, label, _ in own] for own in voted]
            tags = {
                **tag_columns(self._auxiliary, texts, tokens),
                FOUND: found_tags(known, self._trusted, texts, tokens),
            }
            taggers = self.taggers[begin : begin + count]
            rows = featurize_together(taggers, texts, tokens, tags)
            voted, risks = self._vote_of(taggers, rows, at_risk and number == last)
            begin += count
        name = self.taggers[-1].name
        return [
            [Candidate(s, e, label, name, score) for s, e, label, score in own] for own in voted
        ], risks

    @staticmethod
    def _vote_of(
        taggers: Sequence[Tagger], rows: Sequence[Featurized], at_risk: bool
    ) -> tuple[list[list[tuple[int, int, str, float]]], tuple[TokenRisks, ...]]:
        tagged = [
            tagger.tag(own, at_risk=at_risk) for tagger, own in zip(taggers, rows, strict=True)
        ]
        return [
            [(s, e, label, round(score, SCORE_DIGITS)) for s, e, label, score in own]
            for own in majority(tagged).spans(rows[0])
        ], _token_risks(rows, tagged)

    def join_document(
        self,
        found: Sequence[Sequence[Candidate]],
        document: int,
        texts: Sequence[str | None],
        tokens: Tokens,
    ) -> list[Candidate]:
        """The sorted candidates of one document, from those of each tagger."""
        text = texts[document]
        if text is None:
            return []
        candidates = [
            c
            for c in join(found, self._recipe, text)
            if (name := self._names[c.label]) is not None and not _is_letter(c, name, text)
        ]
        rows = tokens.of_document(document)
        if self._standardise != "none" and candidates:
            candidates = standardise(
                text, tokens.starts[rows], tokens.ends[rows], candidates, self._standardise
            )
        if self._propagation is not None and candidates:
            candidates += propagate(
                self._propagation,
                text,
                tokens.starts[rows],
                tokens.ends[rows],
                candidates,
                self._propagates_as,
            )
        return sorted(map(self._named, candidates))

    def _named(self, candidate: Candidate) -> Candidate:
        name = self._names[candidate.label]
        assert name is not None, "candidates without a label were dropped"
        if candidate.label == name:
            return candidate
        return Candidate(candidate.start, candidate.end, name, candidate.detector, candidate.score)


def _is_letter(candidate: Candidate, name: str, text: str) -> bool:
    """Whether a letter is taken for a date: in a range of results, `M 13-18 g/dl`, it is of men."""
    is_single = candidate.end - candidate.start == 1
    return is_single and name == "DATE" and text[candidate.start] in string.ascii_letters


def _token_risks(
    features: Sequence[Featurized], tagged: Sequence[Tagged]
) -> tuple[TokenRisks, ...]:
    """What each tagger that was asked for risks, and knows them, says of its items."""
    return tuple(
        TokenRisks.of(rows.documents(), rows.starts, rows.ends, own.risks)
        for rows, own in zip(features, tagged, strict=True)
        if own.risks is not None
    )


def join(found: Sequence[Sequence[Candidate]], recipe: Recipe, text: str) -> list[Candidate]:
    """The candidates of all taggers of one recipe in one document, trimmed and sorted.

    Args:
        found: the candidates of each tagger.
        recipe: for its vote, and its language, on which hangs what is kept in a tiny text.
        text: of the document.
    """
    found = [list(without_doses(_trimmed(candidates, text), text)) for candidates in found]
    if any(found) and is_tiny(text):
        language = language_of(recipe)
        found = [plausible(candidates, text, language) for candidates in found]
    if recipe.vote == "both":
        keys = [{(c.start, c.end, c.label) for c in candidates} for candidates in found]
        agreed = set.intersection(*keys)
        found = [
            [c for c in candidates if (c.start, c.end, c.label) in agreed] for candidates in found
        ]
    return sorted(candidate for candidates in found for candidate in candidates)


def _trimmed(candidates: Iterable[Candidate], text: str) -> Iterator[Candidate]:
    """Yields the candidates without separators at either end.

    A tag is a guess, but this is certain: no name, date or address begins or ends with a comma, and
    punctuation alone identifies nobody. Other characters that Unicode does not count as letters may
    be letters: names can contain private-use characters.
    """
    for found in candidates:
        if text[found.start].isalnum() and text[found.end - 1].isalnum():
            yield found  # nearly all: nothing is cut, and it is not punctuation alone
            continue
        phrase = text[found.start : found.end]
        if all(unicodedata.category(c) in _NOT_LETTERS for c in phrase):
            continue
        start = found.start + len(phrase) - len(phrase.lstrip(_SEPARATORS))
        end = found.end - len(phrase) + len(phrase.rstrip(_SEPARATORS))
        cut = (start, end) != (found.start, found.end)
        yield Candidate(start, end, found.label, found.detector, found.score) if cut else found


def detectors_of(bundle: Bundle) -> tuple[str, ...]:
    """The names of all detectors of a bundle."""
    # The taggers of passes are one detector.
    taggers = bundle.recipe.taggers[-1:] if bundle.recipe.passes else bundle.recipe.taggers
    names = [detector_of(tagger, bundle.name) for tagger in taggers]
    if bundle.recipe.propagation is not None:
        names.append(propagation_name(bundle))
    return tuple(names)


def reads_sentences(bundle: Bundle) -> bool:
    """Whether a tagger of the bundle, or an auxiliary one, needs sentences or sections."""
    feature_sets: list[FeatureSet] = [*bundle.recipe.taggers]
    feature_sets += [
        model.declaration
        for model in bundle.auxiliary.values()
        if isinstance(model, AuxiliaryTagger)
    ]
    return any(
        used.sequence == "sentence"
        or any(seen.READS_SENTENCES for seen in properties(used.features))
        for used in feature_sets
    )


def propagation_name(bundle: Bundle) -> str:
    """The name of a bundle's propagation as a detector; it ranks lowest, see `select`."""
    return str(DetectorId(PROPAGATION, bundle.name))


def rules_named(names: Iterable[str], bundles: Iterable[Bundle]) -> tuple[str, ...]:
    """The names of rules, each once.

    `RECIPE` is replaced by the rules of the bundles' recipes, `LANGUAGE` by those of them that are
    of a language. Beside `LANGUAGE`, rules that go by English words are left out if every bundle is
    for another language.

    Raises:
        UsageError: if a rule is not in `RECOGNISERS`.
    """
    names, bundles = tuple(names), tuple(bundles)
    of_recipes = [rule for bundle in bundles for rule in bundle.recipe.rules]
    foreign = [not SPANISH_RECOGNISERS.keys().isdisjoint(b.recipe.rules) for b in bundles]
    english = ENGLISH_RECOGNISERS if LANGUAGE in names and any(foreign) and all(foreign) else ()
    standing = {
        RECIPE: of_recipes,
        LANGUAGE: [rule for rule in of_recipes if rule in SPANISH_RECOGNISERS],
    }
    named: dict[str, None] = {}
    for name in names:
        if name not in english:
            named |= dict.fromkeys(standing.get(name, [name]))
    if unknown := sorted(named.keys() - RECOGNISERS.keys()):
        meant = did_you_mean(unknown, (*RECOGNISERS, *standing, "all", "none"))
        raise UsageError(f"unknown recognisers {unknown}{meant}; known: {sorted(RECOGNISERS)}")
    return tuple(named)


def own_names(bundles: Iterable[Bundle]) -> dict[str, str] | None:
    """Native label -> its name among the labels that the bundles were trained on.

    It lets rules be scored beside taggers in the taggers' own labels. A native label that several
    own labels, or none, map to has no entry.

    Returns:
        None if the own labels of some bundle are native: then labels stay as they are.
    """
    names: dict[str, set[str]] = collections.defaultdict(set)
    count = 0
    for bundle in bundles:
        if bundle.label_map is None:
            return None
        count += 1
        if bundle.recipe.classes == "two":
            # Its taggers call all of it PHI; the labels in its map are the corpus' alone.
            for label in LABELS:
                names[label].add(UNKNOWN_KIND)
            continue
        for own, native in bundle.label_map.items():
            if native is not None:
                names[native].add(own)
    if not count:
        return None
    return {native: own.pop() for native, own in names.items() if len(own) == 1}
