"""Other PHI in the same notes: corpora that try what a detector leans on.

Source: Uzuner et al. 2008, "A de-identifier for medical discharge summaries", on five corpora:
authentic, re-identified, ambiguous, out of vocabulary and challenge. Here each is made from any
annotated corpus, of which the text outside of spans stays as it is.

- "re-identified": PHI of other notes of the same part, of the same label and shape; names of people
  word by word.
- "ambiguous": the words of names of people and of places become words that stand outside of PHI.
- "out of vocabulary": they become words that are in no list and nowhere in the corpus; all digits
  are drawn anew.
- "challenge": half of these words ambiguous, half out of vocabulary.

Deviations: what the paper drew from lists of the US, other notes give here. Shape and capitals are
kept. Small words of names ("de", "of") stay.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from ..corpora import AnnotatedDocument, Annotation
from .drawing import Draw

REPLACEMENTS = ("re-identified", "ambiguous", "out of vocabulary", "challenge")

SHORTEST_NEW = 4
"""Fewest letters of a made-up word that is certain to be new: there are too few shorter ones."""

_WORD = re.compile(r"[^\W\d_]+")
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_LEAST_ELSEWHERE = 2
"""Notes in which a word stands outside of PHI before names may become it."""
_TRIES = 50
_PARTICLE = 3

Parts = Sequence[Sequence[AnnotatedDocument]]


@dataclasses.dataclass(frozen=True, slots=True)
class PhiLabels:
    """Which labels of a corpus are names; its others are numbers, dates and the like.

    Attributes:
        people: labels of names of people.
        places: labels of institutions and places.
    """

    people: frozenset[str]
    places: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """Both."""
        return self.people | self.places


def replace_phi(
    parts: Parts,
    how: str,
    labels: PhiLabels,
    *,
    words: Collection[str] = (),
    known: Collection[str] = (),
    seed: int = 0,
) -> list[list[AnnotatedDocument]]:
    """The documents of the parts of one corpus with other PHI; the same input gives the same.

    Within a document equal PHI stays equal: a word of names, or a span of another label. Spans come
    in order and disjoint: where they overlap, the longest stays whole, and the others lose what it
    covers. `meta` is dropped, since it may hold offsets.

    Args:
        parts: such as training and test part; re-identified ones do not share PHI.
        how: one of `REPLACEMENTS`.
        labels: which are names.
        words: more words that names may become if they are to be ambiguous.
        known: more words that made-up ones must not be, in any case.
        seed: another one gives other PHI.

    Raises:
        ValueError: if `how` is not known.
    """
    if how not in REPLACEMENTS:
        raise ValueError(f"replace_phi: how must be one of {REPLACEMENTS}")
    flat = [[_flattened(document) for document in part] for part in parts]
    corpus = _Sources.of(flat, labels, words, known)
    made: set[str] = set()
    return [
        [
            _Replacer(how, labels, corpus, donors, made, number, Draw(seed, how, place, number))
            .document(document)
            for number, document in enumerate(part)
        ]
        for place, part in enumerate(flat)
        for donors in [_Donors.of(part, labels)]
    ]  # fmt: skip


def shape_of(text: str) -> str:
    """Capitals, small letters, digits and signs; runs of letters as one."""
    signs = [
        "9" if sign.isdigit() else "X" if sign.isupper() else "x" if sign.isalpha() else sign
        for sign in text
    ]
    return "".join(s for s, run in itertools.groupby(signs) for s in (run if s == "9" else s))


def _flattened(document: AnnotatedDocument) -> AnnotatedDocument:
    """The document with disjoint spans in order; see `replace_phi`."""
    owners = [-1] * len(document.text)
    ranked = sorted(document.spans, key=lambda s: (s.start - s.end, s.start, s.label))
    for number, span in enumerate(ranked):
        for place in range(span.start, span.end):
            if owners[place] < 0:
                owners[place] = number
    spans, end = [], 0
    for owner, run in itertools.groupby(owners):
        start, end = end, end + len(list(run))
        if owner >= 0:
            spans.append(Annotation(start, end, ranked[owner].label))
    return AnnotatedDocument(document.doc_id, document.text, tuple(spans))


def _covered(document: AnnotatedDocument) -> Iterator[tuple[str, str]]:
    """Label and text of each span."""
    for span in document.spans:
        yield span.label, document.text[span.start : span.end]


def _is_replaced(word: str) -> bool:
    """Whether a word of a name is more than a particle."""
    return len(word) > _PARTICLE or not word.islower()


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _Sources:
    """What is drawn from, of all parts.

    Attributes:
        outside: folded words that stand outside of PHI, and those given, sorted.
        known: all folded words, and those given.
        following: letter, or "" before a word -> letters of names behind it, and running sums.
    """

    outside: tuple[str, ...]
    known: frozenset[str]
    following: Mapping[str, tuple[tuple[str, ...], tuple[int, ...]]]

    @classmethod
    def of(
        cls, parts: Parts, labels: PhiLabels, words: Collection[str], known: Collection[str]
    ) -> _Sources:
        every: set[str] = {word.lower() for word in (*words, *known)}
        elsewhere: collections.Counter[str] = collections.Counter()
        pairs: dict[str, collections.Counter[str]] = {}
        for document in itertools.chain.from_iterable(parts):
            edges = [0, *(e for s in document.spans for e in (s.start, s.end)), len(document.text)]
            outside = {
                word.lower()
                for start, end in zip(edges[::2], edges[1::2], strict=True)
                for word in _WORD.findall(document.text[start:end])
            }
            elsewhere.update(sorted(outside))
            every |= {word.lower() for word in _WORD.findall(document.text)}
            for label, text in _covered(document):
                if label in labels.names:
                    for word in _WORD.findall(text):
                        _count_letters(word.lower(), pairs)
        pool = {w for w, n in elsewhere.items() if n >= _LEAST_ELSEWHERE and len(w) > _PARTICLE}
        pool |= {w.lower() for w in words if _WORD.fullmatch(w)}
        following = {}
        for letter, counts in pairs.items():
            letters = tuple(sorted(counts))
            following[letter] = letters, tuple(itertools.accumulate(counts[x] for x in letters))
        return cls(tuple(sorted(pool)), frozenset(every), following)


def _count_letters(word: str, pairs: dict[str, collections.Counter[str]]) -> None:
    # Letters that are longer in capitals could not keep the length of a word.
    if all(len(letter.upper()) == 1 for letter in word):
        for before, letter in zip(("", *word), word, strict=False):
            pairs.setdefault(before, collections.Counter())[letter] += 1


Listed = tuple[tuple[str, ...], Mapping[str, set[int]]]
"""Texts in order, and the documents that have each."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _Donors:
    """The PHI of one part.

    Attributes:
        words: (label, whether it is an initial) -> folded words of names of people.
        spans: (label, shape), and (label, "") for any shape -> texts of spans.
    """

    words: Mapping[tuple[str, bool], Listed]
    spans: Mapping[tuple[str, str], Listed]

    @classmethod
    def of(cls, part: Sequence[AnnotatedDocument], labels: PhiLabels) -> _Donors:
        words: dict[tuple[str, bool], dict[str, set[int]]] = {}
        spans: dict[tuple[str, str], dict[str, set[int]]] = {}
        for number, document in enumerate(part):
            for label, text in _covered(document):
                if label in labels.people:
                    for word in filter(_is_replaced, _WORD.findall(text)):
                        key = label, len(word) == 1
                        words.setdefault(key, {}).setdefault(word.lower(), set()).add(number)
                for shape in (shape_of(text), ""):
                    spans.setdefault((label, shape), {}).setdefault(text, set()).add(number)
        return cls(
            {key: (tuple(sorted(found)), found) for key, found in words.items()},
            {key: (tuple(sorted(found)), found) for key, found in spans.items()},
        )


class _Replacer:
    """Replaces the PHI of one document."""

    def __init__(
        self,
        how: str,
        labels: PhiLabels,
        corpus: _Sources,
        donors: _Donors,
        made: set[str],
        number: int,
        draw: Draw,
    ) -> None:
        self._how = how
        self._labels = labels
        self._corpus = corpus
        self._donors = donors
        self._made = made
        self._number = number
        self._draw = draw
        self._words: dict[str, str] = {}
        self._spans: dict[tuple[str, str], str] = {}

    def document(self, document: AnnotatedDocument) -> AnnotatedDocument:
        """The document with other PHI."""
        pieces, spans, end, size = [], [], 0, 0
        for span in document.spans:
            kept = document.text[end : span.start]
            new = self._span(span.label, document.text[span.start : span.end])
            size += len(kept)
            pieces += [kept, new]
            spans.append(Annotation(size, size + len(new), span.label))
            size += len(new)
            end = span.end
        pieces.append(document.text[end:])
        return AnnotatedDocument(document.doc_id, "".join(pieces), tuple(spans))

    def _span(self, label: str, text: str) -> str:
        word_by_word = label in (
            self._labels.people if self._how == "re-identified" else self._labels.names
        )
        if word_by_word:
            return _PIECE.sub(lambda match: self._piece(label, match.group()), text)
        if (label, text) not in self._spans:
            new = self._made_anew(text) if self._how == "out of vocabulary" else self._donor(
                label, text
            )  # fmt: skip
            self._spans[label, text] = new
        return self._spans[label, text]

    def _piece(self, label: str, piece: str) -> str:
        """A word or a number of a name."""
        if piece.isdigit():
            return self._draw.digits(len(piece))
        if not _is_replaced(piece):
            return piece
        folded = piece.lower()
        if folded not in self._words:
            self._words[folded] = self._word(label, folded)
        return _in_capitals_of(piece, self._words[folded])

    def _word(self, label: str, word: str) -> str:
        how = self._how
        if how == "challenge":
            how = self._draw.one_of(**{"ambiguous": 1, "out of vocabulary": 1})
        new = None
        if how == "re-identified":
            new = self._other(self._donors.words.get((label, len(word) == 1)), word)
        elif how == "ambiguous" and len(word) > 1 and self._corpus.outside:
            new = self._draw.pick(self._corpus.outside)
        return self._made_up(word) if new is None else new

    def _donor(self, label: str, text: str) -> str:
        """PHI of another document, of the same shape if there is such, else digits drawn anew."""
        for shape in (shape_of(text), ""):
            if (new := self._other(self._donors.spans.get((label, shape)), text)) is not None:
                return new
        return self._made_anew(text)

    def _other(self, listed: Listed | None, own: str) -> str | None:
        """What another document has, and is something else; None if there is no such."""
        if listed is None:
            return None
        texts, where = listed
        first = self._draw.below(len(texts))
        for place in range(len(texts)):
            text = texts[(first + place) % len(texts)]
            if text != own and where[text] != {self._number}:
                return text
        return None

    def _made_anew(self, text: str) -> str:
        return re.sub(r"\d+", lambda match: self._draw.digits(len(match.group())), text)

    def _made_up(self, word: str) -> str:
        """Letters by those before them in names, as many: a word that is new if it is not short."""
        new = word
        for _ in range(_TRIES):
            new = "".join(self._letters(len(word)))
            if self._is_new(new):
                break
        # Names may have too few letters to make new words of.
        while len(word) >= SHORTEST_NEW and not self._is_new(new):
            new = self._draw.shaped("a" * len(word))
        self._made.add(new)
        return new

    def _is_new(self, word: str) -> bool:
        return word not in self._corpus.known and word not in self._made

    def _letters(self, size: int) -> Iterator[str]:
        letter = ""
        for _ in range(size):
            following = self._corpus.following
            # Some letters only end words: go on as at a beginning.
            letters = following.get(letter) or following.get("")
            letter = self._draw.weighted(*letters) if letters else self._draw.shaped("a")
            yield letter


def _in_capitals_of(original: str, word: str) -> str:
    """The word in capitals, with a first one, or in small letters."""
    if original.isupper() and (len(original) > 1 or len(word) == 1):
        return word.upper()
    return word[0].upper() + word[1:] if original[0].isupper() else word
