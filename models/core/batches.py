"""A batch: the one value that travels along the pipeline's arrows, gaining a column group at each.

A document that fails is remembered in `failures` and skipped by every later step; the batch itself
fails only where the machine falls short, for which no document is to blame. A row with one failed
field is quarantined whole.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import NoReturn, TypeVar

from .documents import Context, Document, Documents, Rows
from .errors import error_class
from .feature_rows import Featurized
from .record_links import Evidence, Facts
from .shortage import raise_shortage
from .spans import NO_CANDIDATES, Candidates, Spans
from .token_risks import TokenRisks
from .tokens import Tokens
from .views import View

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class Failure:
    """Why a row goes to quarantine: the step that failed and the PHI-free class of its error."""

    stage: str
    error: str


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class StandInColumns:
    """What is told of surrogates and shifted dates; see the audit and the documents table.

    Attributes:
        attempts, precisions, entities: of each row of `Batch.spans`, None where there is none.
        surrogates, dates_unread, dates_ambiguous: numbers of each document.
    """

    attempts: tuple[int | None, ...]
    precisions: tuple[str | None, ...]
    entities: tuple[str | None, ...]
    surrogates: tuple[int, ...]
    dates_unread: tuple[int, ...]
    dates_ambiguous: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scrubbed:
    """The result for the documents of a batch.

    Attributes:
        texts: scrubbed text of each document; None where it failed.
        out_starts, out_ends: offsets in the scrubbed text of each row of `Batch.spans`.
        stand_ins: of policies with surrogates or shifted dates; None for others.
        sources: document index -> place and new source of each of its pieces, of the documents in
            `Documents.written`.
    """

    texts: tuple[str | None, ...]
    out_starts: tuple[int, ...]
    out_ends: tuple[int, ...]
    stand_ins: StandInColumns | None = None
    sources: Mapping[int, list[tuple[str, str]]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Batch:
    """Documents and all that is known of them so far.

    Attributes:
        unit: index of the work unit in the plan.
        last: true for the last batch of its unit (every unit has one, even if it is empty).
        rows, documents: the source rows and their texts.
        failures: by row index of this batch.
        tokens: after Tokenize.
        features: after Featurize; for each system those of its taggers.
        candidates: of the taggers after Label, of all detectors after Recognise.
        risks: after Label, where the run asks for it, what each tagger that can tell says of its
            tokens; see `risk.scoring`.
        spans: after Merge.
        in_roster: after Match, for each row whether its patient is in the roster; None where there
            is no roster, or the row has failed.
        scrubbed: after Scrub.
        views: of texts that readers see otherwise than they are written; None if there are none.
        given: hash of the facts that the unit was read with; see `UnitAmendments`.
        linked: where links between notes are on, what is told of other notes of the patients.
        detected, evidence: after CarryOver, all that was detected, and what these notes say of
            their words, for others.
    """

    unit: int
    last: bool
    rows: Rows
    documents: Documents
    failures: dict[int, Failure] = dataclasses.field(default_factory=dict)
    tokens: Tokens | None = None
    features: tuple[tuple[Featurized, ...], ...] = ()
    candidates: Candidates = NO_CANDIDATES
    risks: tuple[TokenRisks, ...] = ()
    spans: Spans | None = None
    in_roster: tuple[bool | None, ...] = ()
    scrubbed: Scrubbed | None = None
    views: Viewed | None = None
    given: str = ""
    linked: Linked | None = None
    detected: Candidates = NO_CANDIDATES
    evidence: Evidence | None = None

    def __reduce__(self) -> NoReturn:
        """Refuses to be pickled, which engines do where they know no coder: texts would travel."""
        raise TypeError("a Batch must not leave its worker")

    def document(self, index: int) -> Document:
        """One document as a row."""
        return Document(self.documents.texts[index], self.documents.fields[index])

    def context(self, index: int) -> Context:
        """What detectors may know of one document."""
        row = int(self.documents.rows[index])
        return Context(self.rows.note_types[row], self.rows.patient_keys[row])

    def active_texts(self) -> list[str | None]:
        """The text of each document, None for one whose row has failed."""
        return [text if self.is_active(i) else None for i, text in enumerate(self.documents.texts)]

    def is_active(self, index: int) -> bool:
        """Whether the document's row has not failed."""
        return int(self.documents.rows[index]) not in self.failures


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Linked:
    """What the first pass over a unit has left for the second; see `jobs.first_pass`.

    Attributes:
        hash: of the facts.
        facts: of the unit: what other notes of its patients say.
        detected: the candidates of all detectors; None if they are lost, and detected again.
        failures: rows that failed in the steps that the second pass leaves out, by index.
        risks: see `Batch.risks`.
    """

    hash: str
    facts: Facts
    detected: Candidates | None
    failures: dict[int, Failure]
    risks: tuple[TokenRisks, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Viewed:
    """The views of a batch; see `views`.

    Attributes:
        batch: a document a view, with the rows and the failures of the batch.
        views: where their characters came from.
        owners: the document of the batch that each is of, in order.
    """

    batch: Batch
    views: tuple[View, ...]
    owners: tuple[int, ...]


def map_documents(
    batch: Batch, stage: str, function: Callable[[int], T]
) -> tuple[list[T | None], dict[int, Failure]]:
    """Calls `function` with the index of each document that is alive, failing closed.

    Args:
        batch: its `failures` are not changed.
        stage: the step's name, for the quarantine.
        function: may raise anything; a raise fails the document's whole row.

    Returns:
        results: one for each document, None where it failed now or before.
        failures: the batch's failures and the new ones.

    Raises:
        Shortage: if the machine lacked something.
    """
    failures = dict(batch.failures)
    results: list[T | None] = []
    for index, row in enumerate(batch.documents.rows.tolist()):
        result = None
        if row not in failures:
            try:
                result = function(index)
            except Exception as error:  # fail closed: whatever it is, the row goes to quarantine
                raise_shortage(error)
                failures[row] = Failure(stage, error_class(error))
        results.append(result)
    return results, failures
