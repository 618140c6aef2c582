"""`Scrubber`: the whole chain over single texts, for notebooks and services.

`Scrubber()` is what the command is: the default model and all rules that run by default.

>>> from scrubline import Scrubber
>>> Scrubber().scrub("Seen 3/4/2012. MRN: 1234567.")
'Seen [DATE]. MRN: [MEDICALRECORD].'
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from .bundles.bundle import DEFAULT_MODEL, NO_MODEL, Bundle, open_bundle
from .bundles.detector import LANGUAGE, BundleDetector, own_names, rules_named
from .core.batches import Batch
from .core.budgets import Budgets, check_text
from .core.documents import Documents, Rows
from .core.errors import DocumentError, UsageError
from .core.spans import Candidate, Span
from .corpora import AnnotatedDocument, Annotation
from .jobs.steps import StepResources, run_steps
from .recognisers import DEFAULT_RECOGNISERS
from .redaction.merging import select
from .redaction.policy import Policy
from .redaction.policy_file import load_policy
from .views.signs import signs_of

_BATCH_DOCUMENTS = 64
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
    """Detects and removes PHI in texts, by the same functions as the pipeline."""

    def __init__(
        self,
        *named: str | Bundle | None,
        models: str | Bundle | Sequence[str | Bundle] | None = DEFAULT_MODEL,
        policy: str | Policy = "hipaa",
        recognisers: Sequence[str] | str | None = None,
        native_labels: bool = True,
        budgets: Budgets = Budgets(),  # noqa: B008 - frozen
    ) -> None:
        """Opens the models.

        Args:
            named: names or URLs of bundles, or opened ones, instead of `models`.
            models: the same as one value. None, "none" or () uses rules alone, which miss much that
                a model finds.
            policy: name or URL, or an opened one.
            recognisers: names of rules, "recipe" among them for those of the models' recipes; None
                for all that run by default and those for the language of the models, () for none.
            native_labels: whether a bundle's own labels are mapped to the native set. If not, what
                rules find gets own labels too, see `own_names`.
            budgets: see `Budgets`.

        Raises:
            UsageError: if a bundle, policy or rule is unknown or cannot be opened, or models are
                named both ways.
        """
        bundles = _opened(named, models)
        if recognisers is None:
            recognisers = (*DEFAULT_RECOGNISERS, LANGUAGE)
        elif isinstance(recognisers, str):
            recognisers = (recognisers,)
        labels_as = "native" if native_labels else "own"
        self._resources = StepResources(
            policy if isinstance(policy, Policy) else load_policy(policy),
            detectors=tuple(BundleDetector(bundle, labels_as=labels_as) for bundle in bundles),
            recognisers=rules_named(recognisers, bundles),
            budgets=budgets,
            rule_labels=None if native_labels else own_names(bundles),
        )

    @property
    def policy(self) -> Policy:
        """What decides which candidates are removed, and how."""
        return self._resources.policy

    @property
    def detectors(self) -> tuple[BundleDetector, ...]:
        """The opened bundles, in order."""
        return self._resources.detectors

    @property
    def recognisers(self) -> tuple[str, ...]:
        """The names of the rules."""
        return self._resources.recognisers

    @property
    def order(self) -> tuple[str, ...]:
        """In which detectors are believed; see `merging.select`."""
        return self._resources.order

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
        batch = self._run((text,), note_type, last="Scrub")
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
        batch = self._run((text,), note_type, last="Merge")
        assert batch.spans is not None
        return [span for _, span in batch.spans.rows()]

    def entities(self, *texts: str) -> list[list[Candidate]]:
        """One typed entity per place, for each text, whatever a policy does: for scoring."""
        order = self.order
        return [list(select(found, order)) for found in self.candidates(*texts)]

    def annotate(self, documents: Iterable[AnnotatedDocument]) -> Iterator[AnnotatedDocument]:
        """Yields the documents with what is found in place of their spans, without their meta."""
        for batch in batched(documents):
            found = self.entities(*(document.text for document in batch))
            for document, entities in zip(batch, found, strict=True):
                spans = tuple(
                    Annotation(entity.start, entity.end, entity.label) for entity in entities
                )
                yield dataclasses.replace(document, spans=spans, meta={})

    def candidates(self, *texts: str) -> list[list[Candidate]]:
        """All that any detector proposes, for each text, whatever a policy does.

        Candidates within escapes of signs are left out: no policy removes them.
        """
        batch = self._run(texts, None, last="Recognise")
        found = batch.candidates.by_document(len(texts))
        signs = [signs_of(batch, index) for index in range(len(texts))]
        return [
            own if within is None else [c for c in own if not within(c.start, c.end)]
            for own, within in zip(found, signs, strict=True)
        ]

    def _run(self, texts: Sequence[str], note_type: str | None, *, last: str) -> Batch:
        """The texts as a batch after the step `last`.

        Raises:
            DocumentError: if one of them cannot be processed.
        """
        count = len(texts)
        for text in texts:
            check_text(text, self._resources.budgets)
        rows = Rows(
            np.arange(count, dtype=np.int64),
            (None,) * count,
            (None,) * count,
            (note_type,) * count,
            pa.table({}),
            np.arange(count, dtype=np.int64),
        )
        batch = run_steps(Batch(0, True, rows, Documents.of(*texts)), self._resources, last=last)
        for failure in batch.failures.values():
            raise DocumentError(failure.error)
        return batch


def _opened(
    named: Sequence[str | Bundle | None], models: str | Bundle | Sequence[str | Bundle] | None
) -> list[Bundle]:
    if named and models is not DEFAULT_MODEL:
        raise UsageError("Scrubber: name the models one by one or as `models`, not both")
    if named:
        wanted = list(named)
    else:
        wanted = [models] if models is None or isinstance(models, str | Bundle) else [*models]
    if wanted in ([None], [NO_MODEL]):
        return []
    if None in wanted or NO_MODEL in wanted:
        raise UsageError("Scrubber: None and 'none' mean no model, so no model can go with them")
    given = [model for model in wanted if model is not None]
    return [open_bundle(model) if isinstance(model, str) else model for model in given]


def batched(documents: Iterable[AnnotatedDocument]) -> Iterator[list[AnnotatedDocument]]:
    """Yields the documents in batches: attributes are made once for each distinct word of one."""
    waiting = iter(documents)
    while batch := list(itertools.islice(waiting, _BATCH_DOCUMENTS)):
        yield batch
