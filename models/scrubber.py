"""`Scrubber`: the whole chain over single texts, for notebooks and services.

`Scrubber()` is what the command is: the default model and all rules that run by default.

>>> from scrubline import Scrubber
>>> Scrubber().scrub("Seen 3/4/2012. MRN: 1234567.")
'Seen [DATE]. MRN: [MEDICALRECORD].'
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast, overload

from .bundles.bundle import DEFAULT_MODEL, NO_MODEL, Bundle, bundled_names, open_bundle
from .bundles.detector import LANGUAGE, BundleDetector, own_names, rules_named
from .core.batches import Batch
from .core.budgets import Budgets
from .core.errors import DocumentError, DocumentsFailed, UsageError
from .core.missing_values import is_missing
from .core.spans import Candidate, Span
from .core.version import VERSION
from .core.written_texts import WrittenText
from .corpora import AnnotatedDocument, Annotation
from .formats.role_texts import PLAIN
from .jobs.opening import detector_hashes
from .jobs.steps import StepResources, run_steps
from .recognisers import DEFAULT_RECOGNISERS, rule_hash
from .redaction.merging import select
from .redaction.policy import Policy
from .redaction.policy_file import load_policy, policy_names
from .redaction.stand_ins import require_no_key_needed
from .risk.scoring import UncertainToken, uncertain_tokens
from .roster.people import KnownPeople
from .scrubbed_text import ScrubbedText
from .single_texts import (
    BATCH_TEXTS,
    batch_of,
    check_markup,
    listed,
    open_text,
    packed,
    results_of,
)
from .views.signs import signs_of


@dataclasses.dataclass(frozen=True, slots=True)
class ScrubberNames:
    """A `Scrubber` as it travels: names and hashes alone, no weights, phrases or lists.

    The hash of a rule covers the lists that it reads, that of a bundle its dictionaries, that of a
    policy its phrases.

    Attributes:
        models: name or URL, and hash, of each bundle.
        policy: name or URL, and fingerprint.
        recognisers: name and hash of each rule.
        native_labels, budgets: as given.
        version: of the program.
    """

    models: tuple[tuple[str, str], ...]
    policy: tuple[str, str]
    recognisers: tuple[tuple[str, str], ...]
    native_labels: bool
    budgets: Budgets
    version: str = VERSION

    def opened(self) -> Scrubber:
        """Opens here what it names, and compares it.

        Raises:
            UsageError: if something is missing here, or is another one than where it was named.
        """
        if self.version != VERSION:
            raise _another("version of Scrubline", self.version, VERSION)
        bundles = [open_bundle(name) for name, _ in self.models]
        for bundle, (_, planned) in zip(bundles, self.models, strict=True):
            if bundle.hash != planned:
                raise _another(f"bundle {bundle.name}", planned, bundle.hash)
        policy = load_policy(self.policy[0])
        if policy.fingerprint != self.policy[1]:
            raise _another(f"policy {policy.name}", self.policy[1], policy.fingerprint)
        for name, planned in self.recognisers:
            if (found := rule_hash(name)) != planned:
                raise _another(f"rule {name}", planned, found)
        return Scrubber(
            models=[name for name, _ in self.models],
            policy=self.policy[0],
            recognisers=[name for name, _ in self.recognisers],
            native_labels=self.native_labels,
            budgets=self.budgets,
        )


def _another(what: str, there: str, here: str) -> UsageError:
    return UsageError(
        f"the {what} is another one here ({here[:12]}) than where the Scrubber comes from "
        f"({there[:12]}): have the same one in both places"
    )


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
            policy: name or URL, or an opened one. With one that has surrogates or shifted dates,
                texts alone cannot be scrubbed: these need the key, the patient and the document.
            recognisers: names of rules, "recipe" among them for those of the models' recipes; None
                for all that run by default and those for the language of the models, () for none.
            native_labels: whether a bundle's own labels are mapped to the native set. If not, what
                rules find gets own labels too, see `own_names`.
            budgets: see `Budgets`.

        Raises:
            UsageError: if a bundle, policy or rule is unknown or cannot be opened, or models are
                named both ways.
        """
        models_named, bundles = _opened(named, models)
        if recognisers is None:
            recognisers = (*DEFAULT_RECOGNISERS, LANGUAGE)
        elif isinstance(recognisers, str):
            recognisers = (recognisers,)
        labels_as = "native" if native_labels else "own"
        opened = policy if isinstance(policy, Policy) else load_policy(policy)
        self._named = _Named(models_named, policy if isinstance(policy, str) else None)
        self._bundles, self._native_labels = tuple(bundles), native_labels
        self._resources = StepResources(
            opened,
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

    @property
    def budgets(self) -> Budgets:
        """The limits of a text."""
        return self._resources.budgets

    @property
    def detector_hashes(self) -> dict[str, str]:
        """Name -> hash of all that looks: rules, taggers, deny-lists."""
        return detector_hashes(self._bundles, self.recognisers, self.policy)

    @property
    def names(self) -> ScrubberNames:
        """What it is, by names and hashes: this is what is pickled.

        Raises:
            UsageError: if it was given an opened bundle or policy that is none of those that ship:
                no name says where it is.
        """
        models = [
            (name or _shipped_name(bundle), bundle.hash)
            for name, bundle in zip(self._named.models, self._bundles, strict=True)
        ]
        policy = self._named.policy or _shipped_policy(self.policy)
        return ScrubberNames(
            tuple(models),
            (policy, self.policy.fingerprint),
            tuple((name, rule_hash(name)) for name in self.recognisers),
            self._native_labels,
            self.budgets,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return ScrubberNames.opened, (self.names,)

    def __repr__(self) -> str:
        models = [bundle.name for bundle in self._bundles]
        own = "" if self._native_labels else ", native_labels=False"
        return (
            f"<Scrubber models={models} policy={self.policy.name!r} "
            f"recognisers={len(self.recognisers)}{own}>"
        )

    @overload
    def scrub(
        self, text: str, *, note_type: str | None = None, markup: str | None = None
    ) -> str: ...
    @overload
    def scrub(
        self, text: None, *, note_type: str | None = None, markup: str | None = None
    ) -> None: ...
    @overload
    def scrub(
        self, text: float, *, note_type: str | None = None, markup: str | None = None
    ) -> float: ...
    def scrub(
        self,
        text: str | float | None,
        *,
        note_type: str | None = None,
        markup: str | None = None,
    ) -> str | float | None:
        """The text without its PHI.

        Args:
            text: one document. None and NaN, with which tables say that there is no text, come back
                as they are.
            note_type: what the column of role `type` would say, for policies with note types.
            markup: how the text is written, as role text says of a column: "html", "rtf" (also of
                plain texts), "xml" or "plain"; None if its beginning tells.

        Raises:
            UsageError: if there is no such markup.
            DocumentError: where the pipeline would put the document into quarantine.
        """
        if is_missing(text):
            return text
        return self.explain(cast(str, text), note_type=note_type, markup=markup).text

    def explain(
        self, text: str, *, note_type: str | None = None, markup: str | None = None
    ) -> ScrubbedText:
        """The text without its PHI, with what was found in it; arguments and errors of `scrub`.

        There is nothing to explain of None and NaN: they are refused.
        """
        (result,) = self.explain_many((text,), note_types=note_type, markup=markup)
        if isinstance(result, DocumentError):
            raise result
        if not isinstance(result, ScrubbedText):
            raise DocumentError("NotText")
        return result

    def scrub_many(
        self,
        texts: Iterable[str | float | None],
        *,
        note_types: str | Sequence[str | None] | None = None,
        markup: str | None = None,
    ) -> list[str | float | None]:
        """The texts without their PHI, in order, as `scrub` gives them; faster than one by one.

        Args:
            texts: documents; None and NaN come back as they are.
            note_types: of each text, or one for all.
            markup: see `scrub`; one for all, or None if the beginning of each tells.

        Raises:
            DocumentsFailed: after all texts are done, if some could not be; it has the others.
            UsageError: for a text in place of texts, a mapping or a table.
        """
        found = self.explain_many(texts, note_types=note_types, markup=markup)
        errors = {at: one for at, one in enumerate(found) if isinstance(one, DocumentError)}
        done = [one.text if isinstance(one, ScrubbedText) else one for one in found]
        if errors:
            raise DocumentsFailed(
                [None if at in errors else t for at, t in enumerate(done)], errors
            )
        return cast("list[str | float | None]", done)

    def explain_many(
        self,
        texts: Iterable[str | float | None],
        *,
        note_types: str | Sequence[str | None] | None = None,
        markup: str | None = None,
    ) -> list[ScrubbedText | DocumentError | float | None]:
        """What `explain` gives for each text, in order; arguments of `scrub_many`.

        A text that cannot be scrubbed has its error in its place, not raised; None and NaN come
        back as they are.

        Raises:
            UsageError: if there are not as many note types as texts, or `texts` is one text, a
                mapping or a table.
            Shortage: if the machine lacks something: no text is at fault.
        """
        check_markup(markup)
        wanted = listed(texts)
        types: list[str | None]
        if note_types is None or isinstance(note_types, str):
            types = [note_types] * len(wanted)
        else:
            types = [*note_types]
        if len(types) != len(wanted):
            raise UsageError(f"{len(wanted)} texts, but {len(types)} note types")
        results: list[ScrubbedText | DocumentError | float | None] = [None] * len(wanted)
        opened: dict[int, WrittenText | None] = {}
        for at, text in enumerate(wanted):
            if is_missing(text):
                results[at] = text
                continue
            try:
                opened[at] = open_text(text, markup, self.budgets)
            except DocumentError as error:
                results[at] = error
        for some in packed(opened, wanted):
            batch = self._batch(
                [wanted[at] for at in some],
                [types[at] for at in some],
                "Scrub",
                {n: one for n, at in enumerate(some) if (one := opened[at]) is not None},
            )
            for at, result in zip(some, results_of(batch, as_written=True), strict=True):
                results[at] = result
        return results

    def spans(
        self, text: str, *, note_type: str | None = None, markup: str | None = None
    ) -> list[Span]:
        """What would be removed or kept, in order; of markup, within its text. See `scrub`."""
        check_markup(markup)
        batch = self._run((text,), (note_type,), last="Merge", markup=markup)
        assert batch.spans is not None
        return [span for _, span in batch.spans.rows()]

    def uncertain(
        self, text: str, *, note_type: str | None = None, markup: str | None = None
    ) -> list[UncertainToken]:
        """The tokens that stay and may be PHI, in order: `risk.scoring`. Arguments of `scrub`."""
        check_markup(markup)
        batch = self._run((text,), (note_type,), last="Merge", markup=markup, at_risk=True)
        assert batch.spans is not None
        return uncertain_tokens(batch.risks, batch.spans)

    def entities(self, *texts: str) -> list[list[Candidate]]:
        """One typed entity per place, for each text, whatever a policy does: for scoring.

        Texts are read as they are written, whatever they begin with.
        """
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

        Candidates within escapes of signs are left out: no policy removes them. Texts are read as
        for `entities`.
        """
        return self.candidates_knowing(*texts)

    def candidates_knowing(self, *texts: str, **known: Any) -> list[list[Candidate]]:
        """Those of `candidates`, and what is known of the people of each text.

        Args:
            texts: documents.
            known: `people`, a roster of which is found what the policy does not keep, and
                `patient_keys`: whose note each text is, None for nobody's.
        """
        batch = self._run(texts, (None,) * len(texts), last="MatchRoster", **known)
        found = batch.candidates.by_document(len(texts))
        signs = [signs_of(batch, index) for index in range(len(texts))]
        return [
            own if within is None else [c for c in own if not within(c.start, c.end)]
            for own, within in zip(found, signs, strict=True)
        ]

    def run_steps(self, batch: Batch, **opened: Any) -> Batch:
        """A batch, as it was read, after all steps; rows that cannot be scrubbed have failed.

        Args:
            batch: with the keys of its rows.
            opened: of `StepResources`: stand_ins, people, passing.
        """
        return run_steps(batch, dataclasses.replace(self._resources, **opened))

    def explain_batch(self, batch: Batch, **opened: Any) -> list[ScrubbedText | DocumentError]:
        """What `explain` gives for each document of a batch; arguments of `run_steps`."""
        return list(results_of(self.run_steps(batch, **opened)))

    def _run(
        self,
        texts: Sequence[str],
        note_types: Sequence[str | None],
        *,
        last: str,
        markup: str | None = PLAIN,
        **known: Any,
    ) -> Batch:
        """The texts as a batch after the step `last`; raises if one cannot be processed."""
        opened = [open_text(text, markup, self.budgets) for text in texts]
        written = {at: one for at, one in enumerate(opened) if one is not None}
        batch = self._batch(texts, note_types, last, written, **known)
        for failure in batch.failures.values():
            raise DocumentError(failure.error)
        return batch

    def _batch(
        self,
        texts: Sequence[Any],
        note_types: Sequence[str | None],
        last: str,
        written: Mapping[int, WrittenText],
        people: KnownPeople | None = None,
        patient_keys: Sequence[str | None] | None = None,
        at_risk: bool = False,
    ) -> Batch:
        """Texts that `open_text` took as a batch after the step `last`, some of them failed."""
        if last == "Scrub":
            require_no_key_needed(self.policy, "a text alone")
        batch = batch_of(texts, note_types, written, patient_keys)
        opened = self._resources
        if people is not None or at_risk:
            opened = dataclasses.replace(opened, people=people, at_risk=at_risk)
        return run_steps(batch, opened, last=last)


@dataclasses.dataclass(frozen=True, slots=True)
class _Named:
    """How bundles and policy were named; None where one was given opened."""

    models: tuple[str | None, ...]
    policy: str | None


def _shipped_name(bundle: Bundle) -> str:
    if bundle.name in bundled_names() and open_bundle(bundle.name).hash == bundle.hash:
        return bundle.name
    raise _no_pickle(f"bundle {bundle.name}")


def _shipped_policy(policy: Policy) -> str:
    if policy.name in policy_names() and load_policy(policy.name).fingerprint == policy.fingerprint:
        return policy.name
    raise _no_pickle(f"policy {policy.name}")


def _no_pickle(opened: str) -> UsageError:
    return UsageError(
        f"a Scrubber that was given the opened {opened} cannot be pickled: give its path or URL "
        "instead"
    )


def _opened(
    named: Sequence[str | Bundle | None], models: str | Bundle | Sequence[str | Bundle] | None
) -> tuple[tuple[str | None, ...], list[Bundle]]:
    """How the models are named, None for an opened one; and the opened bundles."""
    if named and models is not DEFAULT_MODEL:
        raise UsageError("Scrubber: name the models one by one or as `models`, not both")
    if named:
        wanted = list(named)
    else:
        wanted = [models] if models is None or isinstance(models, str | Bundle) else [*models]
    if wanted in ([None], [NO_MODEL]):
        return (), []
    if None in wanted or NO_MODEL in wanted:
        raise UsageError("Scrubber: None and 'none' mean no model, so no model can go with them")
    given = [model for model in wanted if model is not None]
    names = tuple(model if isinstance(model, str) else None for model in given)
    return names, [open_bundle(model) if isinstance(model, str) else model for model in given]


def batched(documents: Iterable[AnnotatedDocument]) -> Iterator[list[AnnotatedDocument]]:
    """Yields the documents in batches: attributes are made once for each distinct word of one."""
    waiting = iter(documents)
    while batch := list(itertools.islice(waiting, BATCH_TEXTS)):
        yield batch
