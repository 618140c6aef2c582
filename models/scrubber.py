"""`Scrubber`: the whole chain over single texts, for notebooks and services.

>>> from scrubline.models import Scrubber
>>> Scrubber().scrub("Seen 3/4/2012. MRN: 1234567.")
'Seen [DATE]. MRN: [MEDICALRECORD].'
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from .batches import Batch
from .budgets import Budgets, check_text
from .bundles import Bundle, open_bundle
from .corpora import AnnotatedDocument, Annotation
from .documents import Documents, Rows
from .errors import DocumentError
from .merging import select
from .policy import load_policy
from .recognisers import DEFAULT_RECOGNISERS
from .spans import Candidate, Span
from .steps import (
    featurize_batch,
    label_batch,
    merge_batch,
    recognise_batch,
    scrub_batch,
    tokenize_batch,
)
from .systems import System, own_names, rules_named

_AT_ONCE = 64
"""Documents of a batch of `batched`."""


class Scrubber:
    """Detects and removes PHI in texts, by the same functions as the pipeline.

    Not to be shared by threads: a tagger holds state.
    """

    def __init__(
        self,
        *models: str | Bundle,
        policy: str = "hipaa",
        recognisers: Sequence[str] | str | None = None,
        native_labels: bool = True,
        budgets: Budgets = Budgets(),  # noqa: B008 - frozen
    ) -> None:
        """Opens the models.

        Args:
            models: names or URLs of bundles, or opened ones; none for rules alone.
            policy: name or URL.
            recognisers: names of rules, "recipe" among them for those of the models' recipes; None
                for all that run by default, () for none.
            native_labels: whether a bundle's own labels are mapped to the native set. If not, what
                rules find gets own labels too, see `systems.own_names`.
            budgets: see `Budgets`.
        """
        self.policy = load_policy(policy)
        bundles = [open_bundle(model) if isinstance(model, str) else model for model in models]
        self.systems = [
            System(bundle, labels_as="native" if native_labels else "own") for bundle in bundles
        ]
        if recognisers is None:
            recognisers = tuple(DEFAULT_RECOGNISERS)
        elif isinstance(recognisers, str):
            recognisers = (recognisers,)
        self.recognisers = rules_named(recognisers, bundles)
        self._rule_labels = None if native_labels else own_names(bundles)
        self.budgets = budgets

    def scrub(self, text: str, *, note_type: str | None = None) -> str:
        """The text without its PHI.

        Args:
            text: one document.
            note_type: what the column of role `type` would say, for policies with note types.

        Raises:
            DocumentError: where the pipeline would put the document into quarantine.
        """
        batch = scrub_batch(self._spans(text, note_type))
        _raise_failure(batch)
        assert batch.scrubbed is not None and batch.scrubbed.texts[0] is not None
        return batch.scrubbed.texts[0]

    def spans(self, text: str, *, note_type: str | None = None) -> list[Span]:
        """What would be removed or kept, and why; disjoint and in order."""
        batch = self._spans(text, note_type)
        _raise_failure(batch)
        assert batch.spans is not None
        return [span for _, span in batch.spans.rows()]

    def entities(self, *texts: str) -> list[list[Candidate]]:
        """One typed entity per place, for each text, whatever a policy does: for scoring."""
        return [list(select(found)) for found in self.candidates(*texts)]

    def annotate(self, documents: Iterable[AnnotatedDocument]) -> Iterator[AnnotatedDocument]:
        """Yields the documents with what is found in place of their spans, without their meta."""
        for some in batched(documents):
            found = self.entities(*(document.text for document in some))
            for document, entities in zip(some, found, strict=True):
                spans = tuple(Annotation(one.start, one.end, one.label) for one in entities)
                yield dataclasses.replace(document, spans=spans, meta={})

    def candidates(self, *texts: str) -> list[list[Candidate]]:
        """All that any detector proposes, for each text, whatever a policy does."""
        batch = self._candidates(texts)
        _raise_failure(batch)
        return [list(found) for found in batch.candidates.by_document(len(texts))]

    def _candidates(self, texts: Sequence[str], note_type: str | None = None) -> Batch:
        count = len(texts)
        for text in texts:
            check_text(text, self.budgets)
        rows = Rows(
            np.arange(count, dtype=np.int64),
            (None,) * count,
            (None,) * count,
            (note_type,) * count,
            pa.table({}),
            np.arange(count, dtype=np.int64),
        )
        batch = Batch(0, True, rows, Documents.of(*texts))
        sentences = any(system.reads_sentences for system in self.systems)
        batch = tokenize_batch(batch, self.budgets, sentences=sentences)
        batch = label_batch(featurize_batch(batch, self.systems), self.systems)
        return recognise_batch(batch, self.recognisers, self._rule_labels)

    def _spans(self, text: str, note_type: str | None) -> Batch:
        return merge_batch(self._candidates((text,), note_type), self.policy, self.budgets)


def batched(documents: Iterable[AnnotatedDocument]) -> Iterator[list[AnnotatedDocument]]:
    """Yields the documents in batches: attributes are made once for each distinct word of one."""
    waiting = iter(documents)
    while some := list(itertools.islice(waiting, _AT_ONCE)):
        yield some


def _raise_failure(batch: Batch) -> None:
    for failure in batch.failures.values():
        raise DocumentError(failure.error)
