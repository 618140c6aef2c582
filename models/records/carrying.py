"""Evidence of a note, and candidates for what other notes of its patient say of its words."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from ..bundles.propagate import is_eponym
from ..core.arrays import Ints
from ..core.code_hash import hash_of_module, hash_of_room, installed
from ..core.detectors import RECORD, DetectorId
from ..core.keys import fingerprint
from ..core.record_links import LEFT, MOST_TOLD, Facts
from ..core.spans import Candidate
from .hashes import RecordHash
from .linking import CarryRule
from .words import NAMES, DocumentEvidence, LeftWord, word_classes, words_of

CARRIED = ("ACCOUNT", "DOCTOR", "IDNUM", "MEDICALRECORD", "PATIENT", "PHONE")
"""Labels whose words are carried over, sorted; a label's code is its place here, from 1."""

DETECTOR = str(DetectorId(RECORD, "links"))
SCORE = 0.96
"""Share of PHI in what is carried over in records of `synth`; see docs/records.md."""

RULE = CarryRule(share=0.5, sure=frozenset((1 + CARRIED.index("PATIENT"),)))


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ReadWords:
    """The words of a document, and what stands around them.

    Attributes:
        words: what the document says of them.
        text: of the document.
        starts, ends: of its fine tokens.
    """

    words: DocumentEvidence
    text: str
    starts: Ints
    ends: Ints

    def spelt(self, token: int) -> str:
        """The text of a token; "" behind the last."""
        if token >= len(self.starts):
            return ""
        return self.text[self.starts[token] : self.ends[token]]


class RecordLinks:
    """Reads documents for evidence, and applies facts to them.

    Args:
        key: `Keys.records`.
        kept: labels that the policy keeps: their words stay, so they count as left.
    """

    def __init__(self, key: bytes, kept: Collection[str] = ()) -> None:
        self._hash = RecordHash(key)
        self._kept = frozenset(kept)
        self._labels = frozenset(CARRIED) - self._kept
        self._classes = word_classes()

    def read(
        self, text: str, starts: Ints, ends: Ints, candidates: Iterable[Candidate]
    ) -> ReadWords:
        """The words of one document; arguments of `words_of`."""
        removed = (one for one in candidates if one.label not in self._kept)
        words = words_of(text, starts, ends, removed, self._labels, self._classes)
        return ReadWords(words, text, starts, ends)

    def rows(self, patient: str, documents: Sequence[ReadWords]) -> set[tuple[int, int]]:
        """Key and code of all that a note says, each once.

        Args:
            patient: `patient_key` of the note.
            documents: the texts of the note.
        """
        found = {pair for one in documents for pair in one.words.found}
        left = {word.form for one in documents for word in one.words.left}
        key = self._hash.key
        rows = {(key(patient, form), 1 + CARRIED.index(label)) for form, label in found}
        return rows | {(key(patient, form), LEFT) for form in left}

    def carried(self, patient: str, document: ReadWords, facts: Facts) -> list[Candidate]:
        """Candidates on words that were left, in order.

        Args:
            patient: `patient_key` of the note.
            document: one of its texts.
            facts: of the unit; those of other patients do not matter.
        """
        left = document.words.left
        if not left or not len(facts):
            return []
        forms = list(dict.fromkeys(word.form for word in left))
        keys = np.array([self._hash.key(patient, form) for form in forms], np.uint64)
        at = np.minimum(np.searchsorted(facts.keys, keys), len(facts) - 1)
        said = {
            form: (int(facts.codes[row]), int(facts.documents[row]))
            for form, row, is_it in zip(forms, at, facts.keys[at] == keys, strict=True)
            if is_it
        }
        return [
            Candidate(
                int(document.starts[word.token]),
                int(document.ends[word.token]),
                label,
                DETECTOR,
                SCORE,
            )
            for word in left
            if word.form in said and (label := _label_here(word, *said[word.form], document))
        ]


def _label_here(word: LeftWord, code: int, documents: int, document: ReadWords) -> str:
    """The label of a word that other notes speak of; "" where it is none."""
    if word.is_listed and documents < MOST_TOLD:
        return ""
    label = CARRIED[code - 1]
    around = [document.spelt(word.token + step) for step in range(5)]
    return "" if label in NAMES and is_eponym(around, 1) else label


def detector_hashes_of_links() -> dict[str, str]:
    """Hash of how words are carried over, by the name of the detector."""
    return {DETECTOR: links_code_hash()}


@functools.cache
def links_code_hash() -> str:
    """Changes when evidence, facts or what becomes of them may change."""
    used = ("models/roster/folding.py", "models/roster/word_lists.py")
    return fingerprint(hash_of_room("records"), *(hash_of_module(one, installed()) for one in used))
