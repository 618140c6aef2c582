"""The texts of an output, or of a run that waits, their audit, and the originals if at hand."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ...models.core.detectors import DetectorId
from ...models.core.errors import GateFailed, InputChanged, RunFailed, UsageError
from ...models.core.labels import LABELS
from ...models.jobs.output_rows import Tally
from ...models.redaction.actions import ACTIONS
from ...models.review.choosing import QueuedText
from ...models.review.marks import ReadText, hmac_of_original, hmac_of_text
from ...models.risk.rows import MarkedText
from ...models.storage.storage import Storage
from ..outputs.catalogue import Catalogue
from ..outputs.manifest import read_manifest
from ..outputs.measured_run import open_measured
from ..outputs.source_documents import SourceDocuments, open_source_documents, read_job_and_keys
from ..outputs.state import MANIFEST
from ..outputs.unit_parts import DoneUnit, Text
from .refusals import DeskRefusal

_UNITS_HELD = 4
"""Units whose texts are kept at once: readers do not go through an output in its order."""

Value = TypeVar("Value")


@dataclasses.dataclass(frozen=True, slots=True)
class PublishedText:
    """A text that was scrubbed.

    Attributes:
        queued: what decides when it is read.
        run, unit: in which run and unit it was.
        name: of that unit; units of several runs have different ones.
        characters: of the original text.
        patient: key; None if there is none.
    """

    queued: QueuedText
    run: str
    unit: int
    name: str
    characters: int
    patient: str | None


class ReviewedOutput:
    """What an output has published, or what a run of it has written, for holders of its key.

    Attributes:
        job: of the run that published last; or of that run.
        keys: its subkeys.
        texts: all that were scrubbed.
        has_originals: whether originals may be asked for.
    """

    def __init__(
        self,
        storage: Storage,
        output: str,
        key_source: str | None,
        originals: Sequence[str] | None = None,
        run: str | None = None,
    ) -> None:
        """Opens it.

        Args:
            originals: where the inputs of its runs are; None if they are not to be read.
            run: whose texts alone are read, published or waiting; None for all that is published
                or, if nothing is, for the run that waits.

        Raises:
            UsageError: if there is nothing to read, the key is another one, or the originals are
                not those of the run.
            GateFailed: if a part is not what was written.
        """
        self._storage, self._output, self._key_source = storage, output, key_source
        if run is None and storage.exists(f"{output}/{MANIFEST}"):
            manifest = read_manifest(storage, output)
            self.job, self.keys = read_job_and_keys(storage, output, manifest["run"], key_source)
            units = Catalogue.read(storage, output).units
            self._units = {
                name: DoneUnit(output, one.run, one.receipt, manifest["runs"][one.run])
                for name, one in units.items()
            }
        else:
            measured = open_measured(storage, output, key_source, run)
            self.job, self.keys = measured.job, measured.keys
            self._units = {unit.receipt.name: unit for unit in measured.units}
        self.has_originals = originals is not None
        self._reads_originals = threading.RLock()
        self._sources: dict[str, SourceDocuments] = {}
        self._published: OrderedDict[str, dict[Text, str | None]] = OrderedDict()
        self._audits: OrderedDict[str, dict[Text, list[dict[str, Any]]]] = OrderedDict()
        self._originals: OrderedDict[str, dict[Text, str]] = OrderedDict()
        self.texts: Mapping[Text, PublishedText] = self._read_documents()
        if originals:
            plan = self.source(self.job.run).plan
            if not storage.meant(originals, [file.url for file in plan.files]):
                raise UsageError("--originals: these are not the inputs of the run")

    @property
    def labels(self) -> list[str]:
        """All labels, those of most spans first: they are given by fewer keys."""
        counts = Tally.total(unit.receipt.tally for unit in self._units.values()).labels
        known = dict.fromkeys((*LABELS, *sorted(counts)))
        return sorted(known, key=lambda label: -counts.get(label, 0))

    def source(self, run: str) -> SourceDocuments:
        """The inputs of a run, opened.

        Raises:
            UsageError: if plan, key, policy or roster are missing or others.
        """
        if run not in self._sources:
            self._sources[run] = open_source_documents(
                self._storage, self._output, run, self._key_source
            )
        return self._sources[run]

    def published(self, text: Text) -> str:
        """A scrubbed text.

        Raises:
            DeskRefusal: if it is not there, or not as it was written.
        """
        name = self.texts[text].name
        found = _held(self._published, name, lambda: self._read_published(name)).get(text)
        if found is None:
            raise DeskRefusal(503, "NoText", "the text is not in the data that was published")
        return found

    def audit(self, text: Text) -> list[dict[str, Any]]:
        """The rows of the audit of a text, in order.

        Raises:
            DeskRefusal: if they are not as they were written.
        """
        name = self.texts[text].name
        return _held(self._audits, name, lambda: self._read_audit(name)).get(text, [])

    def original(self, text: Text) -> str:
        """The text before it was scrubbed, as the run read it.

        Raises:
            DeskRefusal: if it cannot be read as it was.
        """
        one = self.texts[text]
        try:
            with self._reads_originals:  # also on the thread of `Doubts`
                found = _held(self._originals, one.name, lambda: self._read_originals(one)).get(
                    text
                )
        except InputChanged:
            found = None
        except (RunFailed, UsageError):
            raise DeskRefusal(503, "NoOriginal", "the originals cannot be read") from None
        if found is None:
            raise DeskRefusal(
                503, "NoOriginal", "the original was changed or removed after it was scrubbed"
            )
        return found

    def unit_of(self, text: Text) -> str:
        """The name of the unit that a text is in; "" for one that is not there any more."""
        return self.texts[text].name if text in self.texts else ""

    def text_hmac(self, text: Text) -> str:
        """See `hmac_of_text`."""
        return hmac_of_text(self.keys, self.published(text))

    def original_hmac(self, text: Text) -> str:
        """See `hmac_of_original`.

        Raises:
            DeskRefusal: if the original cannot be read as it was.
        """
        return hmac_of_original(self.keys, self.original(text))

    def read_text(self, text: Text, *, ended: bool) -> ReadText:
        """What marks are of.

        Args:
            ended: whether it was read to the end: its original is then looked at, if it is there.
        """
        original = ""
        if ended and self.has_originals:
            with contextlib.suppress(DeskRefusal):
                original = self.original_hmac(text)
        return ReadText(self.text_hmac(text), self.texts[text].characters, original)

    def may_be_of(self, row: MarkedText) -> bool:
        """Whether marks may be of a text as it is now, told without reading it."""
        one = self.texts.get((row.doc_key, row.field))
        if one is None:
            return False
        if row.characters is None:
            return all(span.end <= one.characters for span in row.spans)
        return row.characters == one.characters

    def is_of(self, row: MarkedText) -> bool:
        """Whether marks are of a text as it is now, by its original where that is at hand."""
        if self.may_be_of(row) and row.original and self.has_originals:
            with contextlib.suppress(DeskRefusal):
                return row.original == self.original_hmac((row.doc_key, row.field))
        return self.may_be_of(row)

    def forget(self) -> None:
        """Drops all texts that are held."""
        # Not cleared: a request that is at work may be reading them.
        self._published, self._originals = OrderedDict(), OrderedDict()

    # -- reading

    def _rows(self, name: str, table: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._units[name].table(self._storage, table).to_pylist()
        return rows

    def _read_documents(self) -> dict[Text, PublishedText]:
        found: dict[Text, PublishedText] = {}
        for name in sorted(self._units):
            scrubbed = [r for r in self._rows(name, "documents") if r["status"] == "scrubbed"]
            lone: Mapping[Text, int] = {}
            if any(row.get("risk") is None for row in scrubbed):
                lone = self._found_by_one_kind(name)
            for row in scrubbed:
                text = row["doc_key"], row["field"]
                queued = QueuedText(
                    *text,
                    note_type=row.get("note_type"),
                    risk=row.get("risk"),
                    disagreement=lone.get(text, 0),
                    spans=sum(dict(row["spans"]).values()),
                    tokens=row["tokens"],
                )
                found[text] = PublishedText(
                    queued, row["run"], row["unit"], name, row["characters"], row["patient_key"]
                )
        return found

    def _found_by_one_kind(self, name: str) -> Counter[Text]:
        """Text -> spans that rules alone or trained taggers alone have found."""
        counts: Counter[Text] = Counter()
        for row in self._rows(name, "audit"):
            kinds = detector_kinds(row["detectors"])
            if not row["fragment"] and ACTIONS[row["action"]].removes and len(kinds) == 1:
                counts[row["doc_key"], row["field"]] += 1
        return counts

    def _read_published(self, name: str) -> dict[Text, str | None]:
        with _as_refusal():
            return self._units[name].texts(self._storage)

    def _read_audit(self, name: str) -> dict[Text, list[dict[str, Any]]]:
        found: defaultdict[Text, list[dict[str, Any]]] = defaultdict(list)
        with _as_refusal():
            rows = self._rows(name, "audit")
        for row in rows:
            found[row["doc_key"], row["field"]].append(row)
        for of_text in found.values():
            of_text.sort(key=lambda row: (row["start"], row["end"]))
        return dict(found)

    def _read_originals(self, one: PublishedText) -> dict[Text, str]:
        found: dict[Text, str] = {}
        for batch in self.source(one.run).of_units([one.unit]):
            for index, text in enumerate(batch.documents.texts):
                doc_key = batch.rows.doc_keys[int(batch.documents.rows[index])]
                if doc_key is not None and text is not None:
                    found[doc_key, batch.documents.fields[index]] = text
        return found


def detector_kinds(detectors: Iterable[str]) -> set[str]:
    """Which of "rules" (all that was not trained) and "crf" (trained taggers) are among some."""
    kinds = {DetectorId.parse(name) for name in detectors}
    return {"crf" if one.is_tagger else "rules" for one in kinds}


@contextlib.contextmanager
def _as_refusal() -> Iterator[None]:
    """Answers that a part is gone, or is not what was written."""
    try:
        yield
    except (GateFailed, FileNotFoundError):
        raise DeskRefusal(
            503,
            "ChangedPart",
            "a part was changed, or published meanwhile: see `scrubline verify`; start again",
        ) from None


def _held(held: OrderedDict[str, Value], name: str, read: Callable[[], Value]) -> Value:
    """What is held of a unit, or is read now."""
    if name not in held:
        while len(held) >= _UNITS_HELD:
            held.popitem(last=False)
        held[name] = read()
    held.move_to_end(name)
    return held[name]
