"""What a reader does: takes a text, marks it, goes on to the next one.

One reader a desk; several desks of one machine share the folder. Calls are made one at a time.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from ...models.core.errors import UsageError
from ...models.review.accesses import ORIGINAL, PLANTED, PUBLISHED
from ...models.review.choosing import bars_of, is_read_twice, worst_first
from ...models.review.marks import ReaderMarks, StaleMarks
from ...models.review.places import same_places
from ...models.review.segments import ShownSegment, UnequalTexts, segments_of, visible_text
from ...models.risk.rows import (
    DONE,
    UNFINISHED,
    VERDICTS,
    DrawnList,
    DrawnText,
    MarkedSpan,
    Stretch,
)
from ...models.risk.scoring import UncertainToken
from ..certifying.review_folder import FIND, LEASES, ReviewFolder
from .access import AccessRecord
from .comments import ReaderComments
from .documents import boxes_of, document_json
from .doubts import Doubts
from .exporting import kept_out
from .leases import Leases
from .refusals import DeskRefusal, unsaved
from .texts import ReviewedOutput, Text

REASONS = ("too long", "not a note", "other language", "known to me", "other")
"""Why a text may be skipped."""

MOST_SPANS = 20_000
MOST_COMMENT = 4_000

_OPEN, _DONE, _SKIPPED, _TAKEN = "open", "done", "skipped", "taken"


@dataclasses.dataclass(frozen=True, slots=True)
class DeskSettings:
    """What a review was started with.

    Attributes:
        reviewer: who reads.
        is_adjudicator: whether to decide on the differences of others.
        count: so many texts of the find queue, at most; None for all.
    """

    reviewer: str
    is_adjudicator: bool = False
    count: int | None = None


class ReviewDesk:
    """One reader's queue, and what the reader says.

    Attributes:
        output: what is read.
        folder: where the marks are.
        settings: see there.
        drawn: of a campaign; None for the find queue.
        order: the texts of the queue, in order.
        marks: the reader's.
        adjudicated: what was decided on texts of several readers.
        access: the record of accesses.
    """

    def __init__(
        self,
        output: ReviewedOutput,
        folder: ReviewFolder,
        settings: DeskSettings,
        drawn: DrawnList | None = None,
        doubts: Doubts | None = None,
    ) -> None:
        """Opens the files of a reading.

        Args:
            doubts: what tells uncertain words of the find queue; None if nothing does.

        Raises:
            UsageError: if a file is open to others or damaged, or the draw is of another run.
        """
        self.output, self.folder, self.settings, self.drawn = output, folder, settings, drawn
        self.marks = self._marks_of(settings.reviewer)
        self.adjudicated = folder.adjudicated(output.may_be_of)
        self.access = AccessRecord(folder, settings.reviewer)
        self._comments = ReaderComments(folder.file(f"comments-{settings.reviewer}.jsonl"))
        self._leases = Leases(folder.file(LEASES), settings.reviewer)
        self._doubts = doubts
        self._others: dict[str, ReaderMarks] = {}
        self._originals_shown: set[Text] = set()
        self._draws: dict[Text, DrawnText] = {}
        if drawn is None:
            out = kept_out(folder)
            texts = [t.queued for t in output.texts.values() if t.queued.doc_key not in out]
            self.order = [(one.doc_key, one.field) for one in worst_first(texts)][: settings.count]
        else:
            self._draws = {(one.doc_key, one.field): one for one in drawn.texts}
            self.order = list(self._draws)
            if not self._draws.keys() <= output.texts.keys():
                raise UsageError("the draw has texts that this output does not have")
        self.ranks = {text: rank for rank, text in enumerate(self.order, 1)}
        self._campaigns: list[str] | None = None
        self._drawn_since: frozenset[str] = frozenset()

    @property
    def is_blind(self) -> bool:
        """Whether leaks are counted: no score, no rank, no original is shown."""
        return self.drawn is not None

    @property
    def queue_name(self) -> str:
        """As the page calls it."""
        return "measure" if self.is_blind else FIND

    def refresh(self) -> None:
        """Takes out of the find queue what campaigns have drawn since it was opened.

        Raises:
            UsageError: if a draw is damaged.
        """
        if self.is_blind:
            return
        campaigns = [one.name for one in self.folder.campaigns() if not one.is_ended]
        if campaigns != self._campaigns:
            self._drawn_since = kept_out(self.folder)
            self.order = [text for text in self.ranks if text[0] not in self._drawn_since]
            self._campaigns = campaigns

    def text(self, doc: str, field: str | None) -> Text:
        """The text of the queue that is meant.

        Raises:
            DeskRefusal: if it is not there.
        """
        if field is None:
            fields = [one for key, one in self.ranks if key == doc]
            field = fields[0] if len(fields) == 1 else ""
        if (doc, field) not in self.ranks:
            raise DeskRefusal(404, "NoSuchText", "the queue has no such document and field")
        return doc, field

    # -- who reads what

    def readers(self) -> dict[str, ReaderMarks]:
        """All readers' marks, those of others as they are on disk now."""
        for reader in self.folder.readers():
            if reader == self.settings.reviewer:
                continue
            if reader in self._others:
                self._others[reader].refresh()
            else:
                self._others[reader] = self._marks_of(reader)
        own = {self.settings.reviewer: self.marks} if self.marks.rows else {}
        return {**self._others, **own}

    def _marks_of(self, reader: str) -> ReaderMarks:
        return ReaderMarks(self.folder.marks_path(reader), reader, is_of=self.output.may_be_of)

    def is_twice(self, text: Text) -> bool:
        """Whether two people are to read it."""
        if self.is_blind:
            return self._draws[text].twice
        return is_read_twice(self.output.keys.draws, text)

    def state(self, text: Text, readers: Mapping[str, ReaderMarks], leases: frozenset[str]) -> str:
        """What is left to do of a text, for this reader; `leases` as `Leases.names` gives them."""
        own = self.marks.held.get(text)
        if own is not None and own.verdict != UNFINISHED:
            return _DONE if own.verdict == DONE else _SKIPPED
        said = [
            row.verdict
            for reader, marks in readers.items()
            if reader != self.settings.reviewer
            and (row := marks.held.get(text)) is not None
            and row.verdict != UNFINISHED
        ]
        if len(said) >= (2 if self.is_twice(text) else 1):
            return _DONE if DONE in said else _SKIPPED
        lease = self._leases.of(text, leases)
        if lease is not None and lease.reviewer != self.settings.reviewer:
            return _TAKEN
        return _OPEN

    def queue(self, after: int, limit: int) -> dict[str, Any]:
        """The queue, from a rank on."""
        readers, leases = self.readers(), self._leases.names()
        states = {text: self.state(text, readers, leases) for text in self.order}
        items = []
        for text in [one for one in self.order if self.ranks[one] > after][:limit]:
            item = {"doc": text[0], "field": text[1], "n": self.ranks[text], "state": states[text]}
            if not self.is_blind:
                queued = self.output.texts[text].queued
                item |= {
                    "bars": bars_of(self.ranks[text], len(self.ranks)),
                    "type": queued.note_type or "",
                    "spans": queued.spans,
                }
            items.append(item)
        counts = list(states.values())
        return {
            "total": len(self.order),
            "done": counts.count(_DONE),
            "skipped": counts.count(_SKIPPED),
            "others": self.others(),
            "items": items,
        }

    def others(self) -> int:
        """How many other people read something now."""
        return len(self._leases.others())

    def claim(self, text: Text) -> dict[str, Any]:
        """Takes the lease of a text.

        Raises:
            DeskRefusal: if somebody else has it, or it cannot be written.
        """
        try:
            lease = self._leases.take(text, is_shared=self.is_twice(text))
        except OSError as error:
            raise unsaved(error) from None
        if lease.reviewer != self.settings.reviewer:
            raise DeskRefusal(423, "Taken", "somebody else reads this text")
        until = datetime.datetime.fromtimestamp(lease.until, datetime.UTC)
        return {"until": until.isoformat(timespec="seconds")}

    def next_open(self) -> Text | None:
        """Claims the next text that is open; None if there is none."""
        readers, leases = self.readers(), self._leases.names()
        for text in self.order:
            if self.state(text, readers, leases) == _OPEN:
                try:
                    self.claim(text)
                except DeskRefusal as refusal:
                    if refusal.status != 423:
                        raise
                    continue
                return text
        return None

    # -- what is shown and said

    def segments(self, text: Text, *, with_original: bool = False) -> tuple[ShownSegment, ...]:
        """What a page shows of a text; nothing is recorded here.

        Raises:
            DeskRefusal: if published text, audit and original are not there, or do not agree.
        """
        drawn = self._draws.get(text)
        planted = drawn.planted if drawn is not None else ()
        original = self.output.original(text) if planted or with_original else None
        try:
            return segments_of(
                self.output.published(text),
                boxes_of(self.output.audit(text)),
                self.output.texts[text].characters,
                original=original,
                planted=planted,
                shows_original=with_original,
            )
        except UnequalTexts as error:
            raise DeskRefusal(503, "UnequalTexts", f"{error}: see `scrubline verify`") from None

    def doubts(self, text: Text) -> tuple[UncertainToken, ...] | None:
        """The uncertain words of a text; None if they are not known (yet), or it is read blind."""
        if self._doubts is None or self.is_blind:
            return None
        found = self._doubts.of(text)
        rank = self.ranks[text]
        self._doubts.ask(*self.order[rank : rank + 1])  # likely the next one
        return found

    def document(self, text: Text, side: str) -> dict[str, Any]:
        """A text for its reader, after the record of accesses says so.

        Raises:
            DeskRefusal: if somebody else reads it, or it may or can not be shown or recorded.
        """
        is_original = side == ORIGINAL
        if text[0] in self._drawn_since:  # one that is open is saved, and left out of exports
            raise DeskRefusal(409, "Drawn", "a campaign has drawn this note: it is read blind")
        if side not in (PUBLISHED, ORIGINAL):
            raise DeskRefusal(400, "BadSide", "a side is published or original")
        if is_original and (self.is_blind or not self.output.has_originals):
            why = "a campaign is read blind" if self.is_blind else "start with --originals URL"
            raise DeskRefusal(403, "NoOriginal", why)
        lease = self._leases.of(text)
        taken = lease is not None and lease.reviewer != self.settings.reviewer
        if taken and not self.settings.is_adjudicator and not self.is_twice(text):
            raise DeskRefusal(423, "Taken", "somebody else reads this text")
        is_planted = text in self._draws and bool(self._draws[text].planted)
        what = ORIGINAL if is_original else PLANTED if is_planted else PUBLISHED
        self.access.record(text, what)
        if is_original:
            self._originals_shown.add(text)
        segments = self.segments(text, with_original=is_original)
        held = self.marks.held.get(text)
        if held is not None and not self.output.is_of(held):
            held = None  # it was scrubbed anew, and is another text
        revision = self.marks.revision(text)
        shown = document_json(
            segments,
            self.output.audit(text),
            is_blind=self.is_blind,
            held=held,
            doubts=self.doubts(text) or (),
        )
        comment = self._comments.of(text, held.rev if held else 0)
        return {
            "doc": text[0],
            "field": text[1],
            "n": self.ranks[text],
            "side": side,
            "queue": self.queue_name,
            "revision": revision,
            "verdict": held.verdict if held else UNFINISHED,
            "comment": comment,
            "text_length": self.output.texts[text].characters,
            **shown,
        }

    def same(self, text: Text, start: int, end: int) -> dict[str, Any]:
        """All places of a text with the words of one of its stretches.

        Of what the reader has not been shown nothing is looked at.
        """
        if not 0 <= start < end <= self.output.texts[text].characters:
            raise DeskRefusal(400, "BadSpan", "the stretch is not within the text")
        segments = self.segments(text, with_original=text in self._originals_shown)
        places = same_places(visible_text(segments), start, end)
        return {"places": [{"start": one, "end": other} for one, other in places]}

    def save(self, text: Text, revision: int, said: Mapping[str, Any]) -> dict[str, Any]:
        """Saves all that the reader says of a text.

        Args:
            revision: that the reader had; 0 for none.
            said: see the agreement on `PUT /api/marks`.

        Raises:
            DeskRefusal: if it is not as agreed; if another revision holds; if it cannot be written.
        """
        if self.settings.is_adjudicator:  # who has seen what others marked
            raise DeskRefusal(403, "Adjudicator", "who decides for others marks nothing")
        spans = self._spans(text, said.get("spans"))
        verdict, seconds = said.get("verdict"), said.get("seconds", 0)
        reason, comment = said.get("reason") or "", said.get("comment") or ""
        if verdict not in VERDICTS:
            raise DeskRefusal(400, "BadVerdict", f"a verdict is one of {', '.join(VERDICTS)}")
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not is_number or not 0 <= seconds < 1e7:
            raise DeskRefusal(400, "BadSeconds", "seconds are a number from 0 on")
        if not isinstance(comment, str) or len(comment) > MOST_COMMENT:
            raise DeskRefusal(400, "BadComment", f"a comment has {MOST_COMMENT} characters at most")
        if reason and reason not in REASONS:
            raise DeskRefusal(400, "BadReason", f"a reason is one of {', '.join(REASONS)}")
        self._require_open(text)
        self.claim(text)

        def first() -> None:
            self._require_open(text)  # another process of the reader may have ended it
            # Before the marks: it does not count until those of its revision are there.
            self._comments.add(text, revision + 1, reason, comment)

        try:
            row = self.marks.add(
                text,
                self.output.read_text(text, ended=verdict != UNFINISHED and not self.is_blind),
                revision,
                spans,
                verdict,
                float(seconds),
                first=first,
            )
        except StaleMarks as stale:
            now = stale.held
            raise DeskRefusal(
                409,
                "Conflict",
                "this text was saved elsewhere since it was opened",
                revision=now.rev if now else 0,
                spans=spans_json(now.spans if now else ()),
            ) from None
        except (OSError, UsageError) as error:
            raise unsaved(error) from None
        return {"revision": row.rev}

    def _require_open(self, text: Text) -> None:
        """Refuses to change a verdict of a campaign.

        Raises:
            DeskRefusal: if there is one.
        """
        held = self.marks.held.get(text)
        if self.is_blind and held is not None and held.verdict != UNFINISHED:
            raise DeskRefusal(
                409,
                "Final",
                "what was planted has been told: in a campaign a verdict stands",
                revision=held.rev,
                spans=spans_json(held.spans),
            )

    def finish(self, text: Text) -> dict[str, Any]:
        """Ends the reading of a text, and takes the next one.

        Raises:
            DeskRefusal: if no verdict was saved.
        """
        held = self.marks.held.get(text)
        if held is None or held.verdict == UNFINISHED:
            raise DeskRefusal(409, "NoVerdict", "save a verdict first")
        try:
            self._leases.drop(text)
        except OSError as error:
            raise unsaved(error) from None
        measured = None
        if self.is_blind:
            planted = self._draws[text].planted
            found = sum(
                any(mark.start < one.end and one.start < mark.end for mark in held.spans)
                for one in planted
            )
            measured = {"marked": len(held.spans), "planted": len(planted), "found": found}
        following = self.next_open()
        return {
            "next": None if following is None else {"doc": following[0], "field": following[1]},
            "measured": measured,
        }

    def _spans(self, text: Text, said: object) -> tuple[MarkedSpan, ...]:
        """The spans of a request.

        Raises:
            DeskRefusal: if one is not as agreed, or in a campaign covers what was removed.
        """
        bad = DeskRefusal(400, "BadSpans", "spans: a list of {start, end, label, was} in the text")
        if not isinstance(said, list) or len(said) > MOST_SPANS:
            raise bad
        length, labels = self.output.texts[text].characters, set(self.output.labels)
        spans = set()
        for one in said:
            try:
                was = one.get("was")
                places = [one["start"], one["end"], *((was["start"], was["end"]) if was else ())]
                if not all(type(at) is int and 0 <= at <= length for at in places):
                    raise bad
                stretch = Stretch(was["start"], was["end"]) if was else None
                span = MarkedSpan(one["start"], one["end"], one["label"], stretch)
            except (AttributeError, KeyError, TypeError, ValueError):
                raise bad from None
            if not isinstance(span.label, str):
                raise bad
            if span.label not in labels:
                raise DeskRefusal(400, "BadLabel", "a span has a label that the run does not know")
            spans.add(span)
        if self.is_blind and spans:
            boxes = [one for one in self.segments(text) if one.is_removed]
            if any(a.start < box.end and box.start < a.end for a in spans for box in boxes):
                raise DeskRefusal(
                    400, "CoversRemoved", "mark what is left in the clear, not what was removed"
                )
            if any(one.was is not None for one in spans):  # it would not count as a leak
                raise bad
        return tuple(sorted(spans, key=lambda s: (s.start, s.end, s.label)))


def spans_json(spans: Sequence[MarkedSpan]) -> list[dict[str, Any]]:
    """Marks as the page has them."""
    return [dataclasses.asdict(span) for span in spans]
