"""Systems: a bundle opened for work, with all that it detects with, and the rules beside it."""

from __future__ import annotations

import collections
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .bundles import Bundle
from .errors import UsageError
from .features import Featurized
from .features.declaration import properties
from .parts import TagPart, tag_columns
from .parts.base import Declaration
from .propagation import propagate
from .recipes import TaggerRecipe
from .recognisers import RECOGNISERS
from .spans import Candidate, Candidates
from .taggers import Tagger, detector_name, output_names
from .tokens import Tokens

RECIPE = "recipe"
"""Stands among the names of rules for those that belong to the recipes of the bundles."""

_SEPARATORS = ",;: \t\r\n"
_SIGNS = frozenset(
    ("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "Zs", "Zl", "Zp", "Cc")
)
"""Categories of punctuation, signs, blanks and control characters."""


class System:
    """Finds candidates with the taggers of one bundle, as its recipe says.

    Its taggers label as in the corpus that the bundle was trained on, and so do a vote and
    propagation; labels are mapped at the end. What has no label is dropped before propagation: a
    name that goes in one place goes where a tagger would have left it as well.

    Opened where it works and never pickled, as its taggers are.

    Attributes:
        name: the bundle's.
        hash: the bundle's.
        taggers: in the order of the recipe.
        labels: those that candidates can have, sorted.
        reads_sentences: see `reads_sentences`.
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
            Tagger(bundle, recipe.kind, biases=biases, labels_as="own")
            for recipe in bundle.recipe.taggers
        )
        self._names = output_names(bundle, labels_as)
        self.labels = tuple(sorted({name for name in self._names.values() if name is not None}))
        self._vote = bundle.recipe.vote
        self._propagation = bundle.recipe.propagation
        self._propagates_as = propagation_name(bundle)
        self._parts = bundle.parts
        self.reads_sentences = reads_sentences(bundle)

    def featurize(self, texts: Sequence[str | None], tokens: Tokens) -> tuple[Featurized, ...]:
        """The attribute rows of a batch for each tagger; a text that is None has no items."""
        # Tags are made once, for all taggers that see them.
        tags = tag_columns(self._parts, texts, tokens)
        return tuple(tagger.featurize(texts, tokens, tags) for tagger in self.taggers)

    def label(
        self, features: Sequence[Featurized], texts: Sequence[str | None], tokens: Tokens
    ) -> Candidates:
        """The candidates of all documents of a batch."""
        found = self.decode(features)
        return Candidates.of(
            [
                (document, candidate)
                for document in range(len(texts))
                for candidate in self.join_document(
                    [own[document] for own in found], document, texts, tokens
                )
            ]
        )

    def decode(self, features: Sequence[Featurized]) -> list[list[list[Candidate]]]:
        """What each tagger finds in each document of a batch, for `join_document`."""
        return [
            tagger.label_documents(rows)
            for tagger, rows in zip(self.taggers, features, strict=True)
        ]

    def label_document(
        self,
        features: Sequence[Featurized],
        document: int,
        texts: Sequence[str | None],
        tokens: Tokens,
    ) -> list[Candidate]:
        """The candidates of one document of a batch, decoded alone, in order.

        Args:
            features: those of each tagger.
            document: index in the batch.
            texts: of the batch.
            tokens: of the batch.
        """
        found = [
            tagger.label_document(rows, document)
            for tagger, rows in zip(self.taggers, features, strict=True)
        ]
        return self.join_document(found, document, texts, tokens)

    def join_document(
        self,
        found: Sequence[Sequence[Candidate]],
        document: int,
        texts: Sequence[str | None],
        tokens: Tokens,
    ) -> list[Candidate]:
        """The candidates of one document, in order, by what each tagger found in it."""
        text = texts[document]
        if text is None:
            return []
        candidates = [c for c in join(found, self._vote, text) if self._names[c.label] is not None]
        if self._propagation is not None and candidates:
            rows = tokens.of_document(document)
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
        assert name is not None, "what has no label was dropped"
        if candidate.label == name:
            return candidate
        return Candidate(candidate.start, candidate.end, name, candidate.detector, candidate.score)


def join(found: Sequence[Sequence[Candidate]], vote: str, text: str) -> list[Candidate]:
    """The candidates of the taggers of one recipe in one document, trimmed and in order.

    Args:
        found: those of each tagger.
        vote: see `Recipe.vote`.
        text: of the document.
    """
    found = [list(_trimmed(one, text)) for one in found]
    if vote == "both":
        places = [{(c.start, c.end, c.label) for c in one} for one in found]
        agreed = set.intersection(*places)
        found = [[c for c in one if (c.start, c.end, c.label) in agreed] for one in found]
    return sorted(candidate for one in found for candidate in one)


def _trimmed(candidates: Iterable[Candidate], text: str) -> Iterator[Candidate]:
    """Yields the candidates without what parts one thing from the next at either end.

    A tag is a guess, these characters are none: no name, date or address begins or ends in a comma,
    and what is nothing but signs is nobody's. What Unicode does not know as a letter may be one:
    names are written in private characters too.
    """
    for one in candidates:
        phrase = text[one.start : one.end]
        if all(unicodedata.category(c) in _SIGNS for c in phrase):
            continue
        start = one.start + len(phrase) - len(phrase.lstrip(_SEPARATORS))
        end = one.end - len(phrase) + len(phrase.rstrip(_SEPARATORS))
        cut = (start, end) != (one.start, one.end)
        yield Candidate(start, end, one.label, one.detector, one.score) if cut else one


def detectors_of(bundle: Bundle) -> tuple[str, ...]:
    """The names of the detectors whose candidates a bundle gives."""
    names = [detector_name(bundle, tagger.kind) for tagger in bundle.recipe.taggers]
    if bundle.recipe.propagation is not None:
        names.append(propagation_name(bundle))
    return tuple(names)


def reads_sentences(bundle: Bundle) -> bool:
    """Whether a tagger of the bundle, or a part that gives it tags, needs sentences or sections."""
    declarations: list[TaggerRecipe | Declaration] = [*bundle.recipe.taggers]
    declarations += [
        part.declaration for part in bundle.parts.values() if isinstance(part, TagPart)
    ]
    return any(
        one.sequence == "sentence" or any(seen.READS_SENTENCES for seen in properties(one.features))
        for one in declarations
    )


def propagation_name(bundle: Bundle) -> str:
    """The detector of what is carried over in a document: of the lowest rank, see `select`."""
    return f"propagation:{bundle.name}"


def rules_named(names: Iterable[str], bundles: Iterable[Bundle]) -> tuple[str, ...]:
    """The names of rules, each once, with those of the bundles' recipes in the place of RECIPE.

    Raises:
        UsageError: if a rule is not in `RECOGNISERS`.
    """
    of_recipes = [rule for bundle in bundles for rule in bundle.recipe.rules]
    named: dict[str, None] = {}
    for name in names:
        named |= dict.fromkeys(of_recipes if name == RECIPE else [name])
    if unknown := sorted(named.keys() - RECOGNISERS.keys()):
        raise UsageError(f"unknown recognisers {unknown}; known are {sorted(RECOGNISERS)}")
    return tuple(named)


def own_names(bundles: Iterable[Bundle]) -> dict[str, str] | None:
    """Native label -> its name among the labels that the bundles were trained on.

    So that what rules find can be scored beside what taggers find in their own labels. A native
    label that several own labels are mapped to has no name, nor one that none is mapped to.

    Returns:
        None if some bundle's own labels are native: then labels stay as they are.
    """
    names: dict[str, set[str]] = collections.defaultdict(set)
    count = 0
    for bundle in bundles:
        if bundle.label_map is None:
            return None
        count += 1
        for own, native in bundle.label_map.items():
            if native is not None:
                names[native].add(own)
    if not count:
        return None
    return {native: own.pop() for native, own in names.items() if len(own) == 1}
