"""Training on what was read in the find queue, and the curve of what that gained."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ...models.bundles.bundle import open_bundle
from ...models.core.display_names import counted
from ...models.core.errors import ScrublineError
from ...models.corpora import AnnotatedDocument, read_annotated
from ...models.evaluation import compare
from ...models.review.accesses import EXPORT, SCORED
from ...models.review.appended import append_line, read_lines
from ...models.review.readers import seconds_a_text
from ...models.risk.rows import MarkedSpan
from ...models.scrubber import Scrubber
from ..process.stdout import show
from .children import ChildWork, run_child
from .desk import ReviewDesk
from .exporting import annotated, gold_of_campaign, kept_out, read_texts, write_corpus
from .refusals import DeskRefusal, unsaved
from .texts import Text

CURVE = "curve.jsonl"

LEAST_MEASURED = 20
"""Texts of campaigns from which on a curve is scored on them."""

HELD_BACK_ONE_IN = 5
_LEAST_HELD_BACK = 10
"""With so many patients or fewer nothing is held back, and nothing is scored."""

_MINUTES_A_THOUSAND, _GIGABYTES, _GIGABYTES_A_THOUSAND = 4.6, 4.0, 0.75
"""What a thousand generated notes take, and what is needed besides: by what docs/training.md has
measured of 8,216 and 16,432 of them with `en-default`, on one core."""

Spans = dict[Text, Sequence[MarkedSpan]]


@dataclasses.dataclass(frozen=True, slots=True)
class PreparedTraining:
    """What one training works with.

    Attributes:
        folder: of its files.
        name: of the bundle.
        notes, minutes: that were read.
        scored_on: "measure", "held back" or None.
    """

    folder: str
    name: str
    notes: int
    minutes: float
    scored_on: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class TrainingCost:
    """What a training is likely to take, told before it is started.

    Attributes:
        generated: notes that are generated anew, to be learned from beside those that were read.
        minutes: of one core.
        gigabytes: of memory.
    """

    generated: int
    minutes: int
    gigabytes: int


def cost_of(card: Mapping[str, Any]) -> TrainingCost:
    """What training from a bundle takes, by the notes that its card says were generated for it."""
    synth = card.get("synth")
    notes = synth.get("notes") if isinstance(synth, dict) else 0
    generated = notes if type(notes) is int else 0
    thousands = generated / 1000
    return TrainingCost(
        generated,
        math.ceil(thousands * _MINUTES_A_THOUSAND),
        math.ceil(_GIGABYTES + thousands * _GIGABYTES_A_THOUSAND) if generated else 0,
    )


class Training(ChildWork):
    """Trains the run's model further on what readers have corrected."""

    def __init__(self, desk: ReviewDesk) -> None:
        super().__init__()
        self._desk = desk

    def prepare(self) -> PreparedTraining:
        """Writes the corpora.

        Raises:
            DeskRefusal: if nothing was read, an original is not there, or something cannot be
                written or recorded.
        """
        desk, folder = self._desk, self._desk.folder
        out = kept_out(folder)
        found = {t: s for t, s in read_texts(folder, desk.output).spans.items() if t[0] not in out}
        if not found:
            raise DeskRefusal(409, "NothingRead", "no note was read to the end yet")
        number = 1 + max((int(n) for n in self._trained() if n.isdecimal()), default=0)
        path = os.path.join(folder.file("bundles"), str(number))
        seconds = _reading_seconds(desk)
        learn, score, scored_on = self._parts(found)
        try:
            os.makedirs(path, 0o700)
            os.chmod(folder.file("bundles"), 0o700)
            write_corpus(f"{path}/add.jsonl", annotated(desk.output, desk.access, learn))
            if score:
                # Notes of a campaign still certify: nothing is trained on them.
                what = SCORED if scored_on == "measure" else EXPORT
                documents = annotated(desk.output, desk.access, score, what=what)
                write_corpus(f"{path}/score.jsonl", documents)
        except (OSError, DeskRefusal) as error:
            _drop_corpora(path)
            raise (unsaved(error) if isinstance(error, OSError) else error) from None
        base = os.path.basename(desk.output.job.models[0].rstrip("/"))
        name = f"{base}-review-{number}"
        return PreparedTraining(path, name, len(found), sum(seconds) / 60, scored_on)

    def work(self, prepared: PreparedTraining) -> dict[str, Any]:
        """Trains, scores, and adds a point to the curve."""
        add, score = f"{prepared.folder}/add.jsonl", f"{prepared.folder}/score.jsonl"
        bundle = f"{prepared.folder}/{prepared.name}"
        try:
            self.tell(f"training on {counted(prepared.notes, 'note')} read to the end")
            words = ["--from-bundle", self._desk.output.job.models[0], "--add", add]
            words += ["--name", prepared.name, "--output", bundle]
            run_child(["scrubline", "train", *words], folder=prepared.folder)
            self.tell("trained")
            scores: dict[str, Any] = dict.fromkeys(("f1", "recall", "low", "high"))
            if prepared.scored_on is not None:
                words = [__spec__.name, bundle, score]
                said = run_child(words, folder=prepared.folder)
                scores = json.loads(said)
                self.tell(
                    f"scored on {counted(scores.pop('documents'), 'note')} ({prepared.scored_on})"
                )
        finally:
            _drop_corpora(prepared.folder)
        point = {
            "notes": prepared.notes,
            "minutes": round(prepared.minutes, 1),
            **scores,
            "model": prepared.name,
            "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "scored_on": prepared.scored_on,
        }
        line = json.dumps(point, sort_keys=True).encode() + b"\n"
        append_line(self._desk.folder.file(CURVE), lambda last: line)
        return {"bundle": bundle}

    def state(self) -> dict[str, Any]:
        """How far it is, and what it takes; without a bundle yet, None."""
        return {"bundle": None, "cost": self._cost(), **super().state()}

    def curve(self) -> dict[str, Any]:
        """What each training reached."""
        lines = read_lines(self._desk.folder.file(CURVE)).split(b"\n")[:-1]
        points = [json.loads(line) for line in lines]
        scored = [point.pop("scored_on") for point in points]
        return {
            "points": points,
            "scored_on": scored[-1] if scored else None,
            "seconds_a_note": seconds_a_text(_reading_seconds(self._desk)),
        }

    @functools.cached_property
    def _card(self) -> Mapping[str, Any]:
        return open_bundle(self._desk.output.job.models[0]).card

    def _cost(self) -> dict[str, Any] | None:
        try:
            return dataclasses.asdict(cost_of(self._card))
        except ScrublineError:
            return None  # training will say what is wrong with the bundle

    def newest(self) -> str | None:
        """The folder of the bundle that was trained last; None if there is none."""
        for number in sorted((int(n) for n in self._trained() if n.isdecimal()), reverse=True):
            folder = os.path.join(self._desk.folder.file("bundles"), str(number))
            for name in os.listdir(folder):
                if os.path.isfile(os.path.join(folder, name, "CHECKSUMS")):
                    return os.path.join(folder, name)
        return None

    def _trained(self) -> list[str]:
        path = self._desk.folder.file("bundles")
        return os.listdir(path) if os.path.isdir(path) else []

    def _parts(self, found: Spans) -> tuple[Spans, Spans, str | None]:
        """What is learned from, what is scored on, and what that is called."""
        measured: Spans = {}
        for campaign in self._desk.folder.campaigns():
            if not campaign.is_ended:
                measured |= gold_of_campaign(self._desk.output, campaign)
        if len(measured) >= LEAST_MEASURED:
            return found, measured, "measure"
        texts = self._desk.output.texts
        patients = {text: texts[text].patient or text[0] for text in found}
        if len(set(patients.values())) <= _LEAST_HELD_BACK:
            return found, {}, None
        # By the hash of the patient: a patient that was held back once always is.
        held = {t for t, p in patients.items() if int(p[:8], 16) % HELD_BACK_ONE_IN == 0}
        score = {text: found[text] for text in held}
        learn = {text: spans for text, spans in found.items() if text not in held}
        return (learn, score, "held back") if score and learn else (found, {}, None)


def _drop_corpora(folder: str) -> None:
    """Removes the original texts from the folder of a training."""
    for name in ("add.jsonl", "score.jsonl"):
        if os.path.exists(path := os.path.join(folder, name)):
            os.unlink(path)


def _reading_seconds(desk: ReviewDesk) -> list[float]:
    return [row.seconds for rows in desk.folder.verdicts().values() for row in rows.values()]


def score_bundle(bundle: str, corpus: str) -> Mapping[str, Any]:
    """How a bundle, with all rules, does on a corpus: strict F1 with its interval, and recall."""
    gold: list[AnnotatedDocument] = list(read_annotated(corpus))
    predicted = Scrubber(bundle).annotate(gold)
    metrics = compare(gold, predicted, metrics=("strict", "character")).metrics
    strict = metrics["strict"]
    found = strict.intervals.f1
    return {
        "documents": len(gold),
        "f1": strict.micro.f1,
        "recall": metrics["character"].micro.recall,
        "low": found and found.low,
        "high": found and found.high,
    }


if __name__ == "__main__":  # a child of `Training`
    show(json.dumps(score_bundle(sys.argv[1], sys.argv[2])), flush=True)
