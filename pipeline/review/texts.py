"""The texts of a published output, its audit and, where they are at hand, the originals."""

from __future__ import annotations

import dataclasses
import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ...models.core.detectors import DetectorId
from ...models.core.errors import InputChanged, RunFailed, UsageError
from ...models.core.labels import LABELS
from ...models.core.small_parquet import table_in
from ...models.formats.line_notes import join_or_none
from ...models.jobs.receipts import Part
from ...models.redaction.actions import ACTIONS
from ...models.review.choosing import QueuedText
from ...models.storage.storage import Storage
from ..outputs.catalogue import Catalogue
from ..outputs.manifest import read_manifest
from ..outputs.source_documents import SourceDocuments, open_source_documents, read_job_and_keys
from ..outputs.table_faults import notes_of_part
from .refusals import DeskRefusal

Text = tuple[str, str]
"""doc_key, field."""

_UNITS_HELD = 4
"""Units whose texts are kept at once: readers do not go through an output in its order."""

Value = TypeVar("Value")


@dataclasses.dataclass(frozen=True, slots=True)
class PublishedText:
    """A text that was scrubbed.

    Attributes:
        queued: what decides when it is read.
        run, unit: in which run and unit it was.
        name: of that unit.
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
    """A published output, for holders of its key.

    Attributes:
        manifest: of the output.
        job: of the run that published last.
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
    ) -> None:
        """Opens it.

        Args:
            originals: where the inputs of its runs are; None if they are not to be read.

        Raises:
            UsageError: if nothing is published, the key is another one, or the originals are not
                those of the run.
        """
        self._storage, self._output, self._key_source = storage, output, key_source
        self.manifest = read_manifest(storage, output)
        self.job, self.keys = read_job_and_keys(storage, output, self.manifest["run"], key_source)
        self.has_originals = originals is not None
        self._reads_originals = threading.RLock()
        self._sources: dict[str, SourceDocuments] = {}
        self._units = Catalogue.read(storage, output).units
        self._parts = {part["path"]: part for part in self.manifest["parts"]}
        self._published: OrderedDict[str, dict[Text, str | None]] = OrderedDict()
        self._audits: OrderedDict[str, dict[Text, list[dict[str, Any]]]] = OrderedDict()
        self._originals: OrderedDict[str, dict[Text, str]] = OrderedDict()
        self.texts: Mapping[Text, PublishedText] = self._read_documents()
        if originals:
            plan = self.source(self.manifest["run"]).plan
            if not storage.meant(originals, [file.url for file in plan.files]):
                raise UsageError("--originals: these are not the inputs of the run")

    @property
    def labels(self) -> list[str]:
        """All labels, those of most spans first: they are given by fewer keys."""
        counts: Mapping[str, int] = self.manifest["labels"]
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
            DeskRefusal: if it is not there.
        """
        name = self.texts[text].name
        found = _held(self._published, name, lambda: self._read_published(name)).get(text)
        if found is None:
            raise DeskRefusal(503, "NoText", "the text is not in the data that was published")
        return found

    def audit(self, text: Text) -> list[dict[str, Any]]:
        """The rows of the audit of a text, in order."""
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

    def text_hmac(self, text: Text) -> str:
        """Keyed hash of a published text: by it marks are known to be of this text."""
        return self.keys.mark("review text", self.published(text).encode("utf-8", "surrogatepass"))

    def forget(self) -> None:
        """Drops all texts that are held."""
        # Not cleared: a request that is at work may be reading them.
        self._published, self._originals = OrderedDict(), OrderedDict()

    # -- reading

    def _parts_of(self, name: str, table: str) -> Iterable[Part]:
        return (part for part in self._units[name].receipt.parts if part.table == table)

    def _rows(self, name: str, table: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for part in self._parts_of(name, table):
            content = self._storage.read_bytes(f"{self._output}/{part.path}")
            rows += table_in(content).to_pylist()
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
        found: dict[Text, str | None] = {}
        for part in self._parts_of(name, "data"):
            listed = self._parts[part.path]
            _, _, notes = notes_of_part(self._storage, self._output, self.manifest, listed)
            for lines in notes:
                for field in lines[0].texts:
                    if lines[0].doc_key is not None:
                        joined = join_or_none([row.texts[field] for row in lines])
                        found[lines[0].doc_key, field] = joined
        return found

    def _read_audit(self, name: str) -> dict[Text, list[dict[str, Any]]]:
        found: defaultdict[Text, list[dict[str, Any]]] = defaultdict(list)
        for row in self._rows(name, "audit"):
            found[row["doc_key"], row["field"]].append(row)
        for rows in found.values():
            rows.sort(key=lambda row: (row["start"], row["end"]))
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


def _held(held: OrderedDict[str, Value], name: str, read: Callable[[], Value]) -> Value:
    """What is held of a unit, or is read now."""
    if name not in held:
        while len(held) >= _UNITS_HELD:
            held.popitem(last=False)
        held[name] = read()
    held.move_to_end(name)
    return held[name]
