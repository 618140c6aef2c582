"""`Scrubber`: the whole chain over single texts, for notebooks and services.

`Scrubber()` is what the command is: the default model and all rules that run by default.

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
from .bundles import DEFAULT_MODEL, NO_MODEL, Bundle, open_bundle
from .corpora import AnnotatedDocument, Annotation
from .documents import Documents, Rows
from .errors import DocumentError, UsageError
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
from .views.signs import signs_of

_AT_ONCE = 64
"""Documents of a batch of `batched`."""


@dataclasses.dataclass(frozen=True, slots=True)
class ScrubbedText:
    """One text after scrubbing.

    Attributes:
        text: without its PHI.
        spans: what was removed or kept, and why; disjoint and in order.
        out_starts, out_ends: where each span's replacement lies in `text`, in code points.
    """

    text: str = dataclasses.field(repr=False)
    spans: tuple[Span, ...]
    out_starts: tuple[int, ...]
    out_ends: tuple[int, ...]

    def as_json(self) -> dict[str, object]:
        """A JSON object with columns of the audit; it holds nothing of what was removed."""
        return {
            "text": self.text,
            "spans": [
                {
                    "start": span.start,
                    "end": span.end,
                    "out_start": start,
                    "out_end": end,
                    "label": span.label,
                    "action": span.action,
                    "detectors": list(span.detectors),
                    "score": span.score,
                    "reason": span.reason,
                    "fragment": span.fragment,
                }
                for span, start, end in zip(self.spans, self.out_starts, self.out_ends, strict=True)
            ],
        }


class Scrubber:
    """Detects and removes PHI in texts, by the same functions as the pipeline.

    Not to be shared by threads: a tagger holds state.
    """

    def __init__(
        self,
        *named: str | Bundle | None,
        models: str | Bundle | Sequence[str | Bundle] | None = DEFAULT_MODEL,
        policy: str = "hipaa",
        recognisers: Sequence[str] | str | None = None,
        native_labels: bool = True,
        budgets: Budgets = Budgets(),  # noqa: B008 - frozen
    ) -> None:
        """Opens the models.

        Args:
            named: names or URLs of bundles, or opened ones, in the place of `models`.
            models: the same as one value. None, "none" or () is for rules alone: they miss much
                that a model finds.
            policy: name or URL.
            recognisers: names of rules, "recipe" among them for those of the models' recipes; None
                for all that run by default, () for none.
            native_labels: whether a bundle's own labels are mapped to the native set. If not, what
                rules find gets own labels too, see `systems.own_names`.
            budgets: see `Budgets`.

        Raises:
            UsageError: if a bundle, policy or rule is unknown or cannot be opened, or models are
                named both ways.
        """
        self.policy = load_policy(policy)
        bundles = _opened(named, models)
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
        return self.explain(text, note_type=note_type).text

    def explain(self, text: str, *, note_type: str | None = None) -> ScrubbedText:
        """The text without its PHI, with what was found in it; arguments and errors of `scrub`."""
        batch = scrub_batch(self._spans(text, note_type))
        _raise_failure(batch)
        assert batch.spans is not None and batch.scrubbed is not None
        assert batch.scrubbed.texts[0] is not None
        return ScrubbedText(
            batch.scrubbed.texts[0],
            tuple(span for _, span in batch.spans.rows()),
            tuple(batch.scrubbed.out_starts),
            tuple(batch.scrubbed.out_ends),
        )

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
        """All that any detector proposes, for each text, whatever a policy does.

        Left out is what no policy lets be removed: what lies within escapes of signs.
        """
        batch = self._candidates(texts)
        _raise_failure(batch)
        found = batch.candidates.by_document(len(texts))
        signs = [signs_of(batch, index) for index in range(len(texts))]
        return [
            own if within is None else [c for c in own if not within(c.start, c.end)]
            for own, within in zip(found, signs, strict=True)
        ]

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


def _opened(
    named: Sequence[str | Bundle | None], models: str | Bundle | Sequence[str | Bundle] | None
) -> list[Bundle]:
    if named and models is not DEFAULT_MODEL:
        raise UsageError("Scrubber: name the models in order or as `models`, not both")
    if named:
        wanted = list(named)
    else:
        wanted = [models] if models is None or isinstance(models, str | Bundle) else [*models]
    if wanted in ([None], [NO_MODEL]):
        return []
    if None in wanted or NO_MODEL in wanted:
        raise UsageError("Scrubber: None and 'none' stand alone, for rules without a model")
    return [open_bundle(one) if isinstance(one, str) else one for one in wanted if one is not None]


def batched(documents: Iterable[AnnotatedDocument]) -> Iterator[list[AnnotatedDocument]]:
    """Yields the documents in batches: attributes are made once for each distinct word of one."""
    waiting = iter(documents)
    while some := list(itertools.islice(waiting, _AT_ONCE)):
        yield some


def _raise_failure(batch: Batch) -> None:
    for failure in batch.failures.values():
        raise DocumentError(failure.error)
