"""Where a name still stands in an output, and where it was once found.

For the day on which somebody says that it leaked.

All data is read, or, if that is asked, only that of units in which evidence of linked notes says,
by keyed hashes, that a name may be left. Evidence also says where a name was found.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ...models.core.errors import UsageError
from ...models.core.keys import Keys
from ...models.core.parallel_calls import map_in_threads
from ...models.core.record_links import LEFT, Evidence
from ...models.core.shortage import raise_shortage
from ...models.jobs.receipts import Part
from ...models.records.carrying import CARRIED
from ...models.records.evidence_files import read_evidence
from ...models.records.hashes import RecordHash
from ...models.records.words import is_always_told
from ...models.roster.folding import FoldedView, fold, is_unspaced, occurrences, split_words
from ...models.storage.storage import Storage
from .catalogue import Catalogue, CatalogueEntry
from .part_tables import read_part
from .published_notes import PublishedNote, published_notes

MOST_NAMES = 10_000
_SHORTEST_JOINED = 5
"""Letters or digits; what is shorter stands within too much else."""


@functools.cache
def _parted(digits: str) -> re.Pattern[str]:
    apart = r"[^\w]{0,3}".join(digits)
    return re.compile(rf"(?<!\w){apart}(?!\w)")


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class SoughtName:
    """A name, a number or a phrase that is looked for. PHI.

    Attributes:
        number: of its line, from 1; this is what is shown of it.
        words: folded, in order.
        told: those of them of which evidence speaks wherever they are left.
    """

    number: int
    words: tuple[str, ...]
    told: frozenset[str]

    def count_in(self, view: FoldedView) -> int:
        """How often it stands in a text, whatever stands between its words but other words.

        Its words may be written together, the digits of a number apart. A word of a script without
        blanks is found within others.
        """
        first, *rest = self.words
        if not rest and is_unspaced(first):
            return view.folded.count(first)
        if self.digits:
            return sum(1 for _ in _parted(self.digits).finditer(view.folded))
        times = sum(_goes_on(view.folded, end, rest) for _, end in occurrences(view.folded, first))
        joined = "".join(self.words) if rest else ""
        if len(joined) >= _SHORTEST_JOINED:
            times += sum(1 for _ in occurrences(view.folded, joined))
        return times

    @property
    def digits(self) -> str:
        """Those of a number, which is found however its digits are parted; else ""."""
        digits = "".join(self.words)
        return digits if digits.isdecimal() and len(digits) >= _SHORTEST_JOINED else ""


def _goes_on(folded: str, end: int, rest: Sequence[str]) -> bool:
    for word in rest:
        while end < len(folded) and not folded[end].isalnum():
            end += 1
        if not folded.startswith(word, end):
            return False
        end += len(word)
        if end < len(folded) and folded[end].isalnum():
            return False
    return True


def sought_names(lines: Iterable[str]) -> tuple[SoughtName, ...]:
    """The names of a file, a line each; empty lines count as lines.

    Raises:
        UsageError: if there is none, or more than `MOST_NAMES`.
    """
    found = []
    for number, line in enumerate(lines, 1):
        if words := tuple(split_words(fold(line))):
            # As it is written: `MaryBeth` is two tokens.
            told = {fold(word) for word in line.split() if is_always_told(word)}
            if len(words) > 1 and all(map(str.isdecimal, words)):
                told = set()  # its digits may stand together: evidence knows other numbers then
            found.append(SoughtName(number, words, frozenset(told.intersection(words))))
    names = tuple(found)
    if not names:
        raise UsageError("--name-file: there is no name in it, one a line")
    if len(names) > MOST_NAMES:
        raise UsageError(f"--name-file: more than {MOST_NAMES:,} names")
    return names


@dataclasses.dataclass(frozen=True, slots=True)
class Standing:
    """A document in which a name stands.

    Attributes:
        name: number of the name.
        doc_key, patient_key: of the document; "" for no patient.
        times: how often it stands in it, at least.
        unit: name of the unit.
    """

    name: int
    doc_key: str
    patient_key: str
    times: int
    unit: str


@dataclasses.dataclass(frozen=True, slots=True)
class OnceFound:
    """Notes in which a word of a name was found, and removed unless the policy keeps its label.

    Attributes:
        name: number of the name.
        word: place of the word within it, from 1.
        patient_key: of the notes.
        label: as which it was found.
        notes: in how many notes of the unit.
        unit: name of the unit.
    """

    name: int
    word: int
    patient_key: str
    label: str
    notes: int
    unit: str


@dataclasses.dataclass(frozen=True, slots=True)
class SearchedUnit:
    """What was looked at of a unit, and what was seen.

    Attributes:
        rows: that are published of it.
        read: whether its data was read.
        unread_rows: rows without a patient that were not read: evidence says nothing of them.
        damaged: whether its data cannot be read.
        standing: documents in which a name stands.
        found: notes in which one was found.
    """

    rows: int
    read: bool
    unread_rows: int = 0
    damaged: bool = False
    standing: tuple[Standing, ...] = ()
    found: tuple[OnceFound, ...] = ()


def search_names(
    storage: Storage,
    output: str,
    manifest: Mapping[str, Any],
    keys: Keys,
    names: Sequence[SoughtName],
    *,
    by_evidence: bool = False,
) -> Iterator[SearchedUnit]:
    """Yields what is seen of each published unit, in order.

    Args:
        keys: of the output.
        by_evidence: do not read the data of units in which evidence says that no name is left.

    Raises:
        StorageError: if storage fails.
    """
    catalogue = Catalogue.read(storage, output)
    parts = {part["path"]: part for part in manifest["parts"]}
    hashes = RecordHash(keys.records)
    every = not by_evidence or _keeps_what_is_found(manifest["policy"])
    searcher = _Searcher(storage, output, manifest, parts, hashes, names, every)
    yield from map_in_threads(searcher.unit, sorted(catalogue.units.items()))


def _keeps_what_is_found(policy: Mapping[str, Any]) -> bool:
    """Whether a word may stay on which something was found: evidence does not say so then."""
    types = policy.get("note_types", {}).values()
    return any(one.get("vetoes") or one.get("allowed") for one in (policy, *types)) or any(
        one.get("kept") for one in types
    )


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _Searcher:
    storage: Storage
    output: str
    manifest: Mapping[str, Any]
    parts: Mapping[str, Mapping[str, Any]]
    hashes: RecordHash
    names: Sequence[SoughtName]
    every: bool

    def unit(self, named: tuple[str, CatalogueEntry]) -> SearchedUnit:
        """One unit."""
        name, entry = named
        receipt = entry.receipt
        rows = receipt.tally.counts["rows_out"]
        patients = self._patients(receipt.parts)
        evidence = self._evidence(receipt.evidence_part)
        found: list[OnceFound] = []
        may_stand = True
        if evidence is not None:
            whose = sorted({patient for patient in patients.values() if patient})
            said = [self._said(one, whose, evidence, name) for one in self.names]
            found = [one for finds, _ in said for one in finds]
            may_stand = self.every or any(one for _, one in said)
        without = sum(not patient for patient in patients.values())
        if not may_stand:
            return SearchedUnit(rows, False, without, found=tuple(found))
        standing: list[Standing] = []
        damaged = False
        for part in receipt.parts:
            if part.table != "data" or part.path not in self.parts:
                continue
            notes, is_whole = published_notes(
                self.storage, self.output, self.manifest, self.parts[part.path]
            )
            damaged |= not is_whole
            for note in notes:
                patient = patients.get(note.doc_key) or ""
                for one, times in _counts(note, self.names):
                    standing.append(Standing(one.number, note.doc_key, patient, times, name))
        return SearchedUnit(rows, True, 0, damaged, tuple(standing), tuple(found))

    def _patients(self, parts: Sequence[Part]) -> dict[str, str | None]:
        """doc_key -> patient_key of all published documents of a unit."""
        found: dict[str, str | None] = {}
        for part in parts:
            if part.table == "documents":
                columns = ["doc_key", "patient_key", "status"]
                table = read_part(self.storage, f"{self.output}/{part.path}", columns)
                rows = zip(*(table[name].to_pylist() for name in columns), strict=True)
                found.update((doc, who) for doc, who, status in rows if status != "quarantined")
        return found

    def _evidence(self, part: Part | None) -> Evidence | None:
        """The evidence of a unit; None if it has none that can be read."""
        if part is None:
            return None
        try:
            with self.storage.open_read(f"{self.output}/{part.path}") as stream:
                return read_evidence(stream)
        except (FileNotFoundError, pa.ArrowException, OSError, KeyError, ValueError) as error:
            raise_shortage(error)
            return None

    def _said(
        self, name: SoughtName, patients: Sequence[str], evidence: Evidence, unit: str
    ) -> tuple[list[OnceFound], bool]:
        """What evidence says of a name: where it was found, and whether it may be left.

        It may be if each of its words that evidence always speaks of is left in notes of one
        patient, or if it has no such word.
        """
        found = []
        may_stand = dict.fromkeys(patients, True)
        for at, word in enumerate(name.words, 1):
            keys = np.array([self.hashes.key(patient, word) for patient in patients], np.uint64)
            lows = np.searchsorted(evidence.keys, keys, "left").tolist()
            highs = np.searchsorted(evidence.keys, keys, "right").tolist()
            for patient, low, high in zip(patients, lows, highs, strict=True):
                codes = evidence.codes[low:high].tolist()
                notes = evidence.documents[low:high].tolist()
                found += [
                    OnceFound(name.number, at, patient, CARRIED[code - 1], count, unit)
                    for code, count in zip(codes, notes, strict=True)
                    if code != LEFT
                ]
                if LEFT not in codes and word in name.told:
                    may_stand[patient] = False
        return found, not name.told or any(may_stand.values())


def _counts(note: PublishedNote, names: Sequence[SoughtName]) -> Iterator[tuple[SoughtName, int]]:
    """Yields each name that stands in a note, and how often.

    Cells that pass are seen as they are written and as a reader of JSON sees them, and nested texts
    are within them: what is in several of these is counted once.
    """
    texts, passing = (list(map(FoldedView.of, some)) for some in (note.texts, note.passing))
    for name in names:
        times = max(sum(map(name.count_in, texts)), *map(name.count_in, passing), 0)
        if times:
            yield name, times
