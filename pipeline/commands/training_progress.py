"""What a training shows while it works: time and memory it will take, a bar, its iterations.

All of it goes to standard error. On a terminal there is a bar; elsewhere, where a scheduler keeps
the log, a line now and then, if it takes long. Neither holds anything of the notes but their number
and size.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...dictionaries import Dictionary
from ...models.auxiliary import AuxiliaryModel
from ...models.core.display_names import counted
from ...models.core.errors import ScrublineError
from ...models.corpora import AnnotatedDocument
from ...models.recipes import Recipe
from ...models.training.crossvalidation import Prepare
from ...models.training.preparing import Prepared, fit, prepare
from ..process.logs import say
from .progress_bar import ProgressBar, shown_time

_MEASURED_CHARACTERS = 60_000
"""Of the training texts; a second or two of work."""
_SOON = 10.0
"""Seconds. Where there is no terminal: between two lines; what takes less is not told at all."""
_CAPS = ("max_iterations", "rounds")
"""Parameters of learners that say after how many iterations they end at the latest."""
_BYTES_A_CHARACTER = {"lbfgs": 1300}
"""Peak memory of a training by learner: 16 GB for the 12.2 million characters of `en-default`."""


class TrainingProgress:
    """Shows a training; use it with `with`, as `prepared_by` and as the callback of iterations."""

    def __init__(self, recipe: Recipe, prepared_by: Prepare = prepare) -> None:
        """Shows nothing yet.

        Args:
            recipe: what is trained.
            prepared_by: what makes the features.
        """
        self._recipe = recipe
        self._prepared_by = prepared_by
        self._caps = [cap_of(dict(t.learner.parameters)) for t in recipe.taggers]
        self._tagger = self._iteration = 0
        self._started = self._first_ended = self._told = time.monotonic()
        self._unsaid: list[str] = []
        self._speaks = False
        self._bar = ProgressBar()

    def __enter__(self) -> TrainingProgress:
        self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.__exit__()

    def prepare(
        self,
        recipe: Recipe,
        documents: Sequence[AnnotatedDocument],
        dictionaries: Mapping[str, Dictionary],
        auxiliary: Mapping[str, AuxiliaryModel],
    ) -> Sequence[Prepared]:
        """Makes the features; says before how much time and memory the training will take."""
        size = _characters(documents)
        seconds = estimate(recipe, documents, dictionaries, auxiliary)
        is_long = size > 4 * _MEASURED_CHARACTERS if seconds is None else seconds > _SOON
        needs = [] if seconds is None else [f"about {shown_time(seconds)} at most"]
        if gigabytes := round(memory_need(recipe, size) / 1e9):
            needs.append(f"about {gigabytes} GB of memory")
        self._say(
            f"training on {counted(len(documents), 'document')}, {size:,} characters"
            + (f": {', '.join(needs)}" if needs else "")
        )
        if is_long:
            self._speak()
        self._bar.begin("features", None)
        began = time.monotonic()
        made = self._prepared_by(recipe, documents, dictionaries, auxiliary)
        self._say(f"features made in {shown_time(time.monotonic() - began)}")
        self._begin_tagger(0)
        return made

    def iterated(self, iteration: int, loss: float) -> None:
        """Shows one iteration; a number that goes down belongs to the next tagger, or fold."""
        now = time.monotonic()
        if iteration <= self._iteration:
            self._begin_tagger(self._tagger + 1)
        self._iteration = iteration
        cap = self._caps[min(self._tagger, len(self._caps) - 1)]
        if iteration == 1:
            self._first_ended = now
        # The first iteration builds the model as well, and may take as long as ten others.
        each = (now - self._first_ended) / (iteration - 1) if iteration > 1 else None
        known = f", loss {loss:,.1f}" if math.isfinite(loss) else ""
        line = f"iteration {iteration}{f' of {cap} at most' if cap else ''}{known}"
        left = (
            f"{shown_time(each * (cap - iteration))} left at most"
            if cap and each is not None
            else ""
        )
        if self._bar.is_shown:
            self._bar.say(f"{self._name()}{line}")
            self._bar.move(iteration, left=left)
        elif iteration == 1 or now - self._told >= _SOON:
            self._told = now
            took = "" if each is None else f", {each:.1f} s each"
            self._say(f"{self._name()}{line}{took}{left and f', {left}'}")
        if now - self._started >= _SOON:
            self._speak()

    def _begin_tagger(self, number: int) -> None:
        self._tagger, self._iteration, self._first_ended = number, 0, time.monotonic()
        cap = self._caps[min(number, len(self._caps) - 1)]
        self._bar.begin(f"{self._name()}learning", cap)

    def _name(self) -> str:
        """Which tagger it is, where there are several; folds of a later pass are not told apart."""
        count = len(self._caps)
        return f"tagger {self._tagger + 1} of {count}: " if 1 < count > self._tagger else ""

    def _say(self, message: str) -> None:
        if self._bar.is_shown:
            self._bar.say(message)
        elif self._speaks:
            say(message, "INFO")
        else:
            self._unsaid.append(message)

    def _speak(self) -> None:
        """From now on says what there is to say: it takes long enough for someone to wonder."""
        self._speaks = True
        while self._unsaid:
            self._say(self._unsaid.pop(0))


# -- the time and the memory that it will take


def estimate(
    recipe: Recipe,
    documents: Sequence[AnnotatedDocument],
    dictionaries: Mapping[str, Dictionary],
    auxiliary: Mapping[str, AuxiliaryModel],
) -> float | None:
    """Seconds that a training will take at most, roughly, from a short one on some documents.

    Features and each iteration take time in proportion to the text. None where that cannot be told
    in a moment: the corpus is as small as the sample, the recipe has several passes, or a learner
    has no limit of iterations.
    """
    caps = [cap_of(dict(t.learner.parameters)) for t in recipe.taggers]
    sample = measured_documents(documents)
    scale = _characters(documents) / max(_characters(sample), 1)
    if scale < 4 or len(recipe.keys_of_passes) > 1 or None in caps:
        return None
    try:
        began = time.monotonic()
        prepared = prepare(recipe, sample, dictionaries, auxiliary)
        seconds = (time.monotonic() - began) * scale
        for own, cap in zip(prepared, caps, strict=True):
            assert cap is not None
            seconds += _learning_seconds(own, recipe.seed, cap) * scale
    except ScrublineError:
        return None  # the training itself says what is wrong
    return seconds


def memory_need(recipe: Recipe, characters: int) -> int:
    """Bytes of memory that a training will take, roughly; 0 where no learner was measured.

    Features and the learner's copy of them take memory in proportion to the text.
    """
    learners = {tagger.learner.algorithm for tagger in recipe.taggers}
    return max(_BYTES_A_CHARACTER.get(learner, 0) for learner in learners) * characters


def _learning_seconds(prepared: Prepared, seed: int, cap: int) -> float:
    """Seconds of a whole training on these documents, from its first two iterations."""
    learner = prepared.recipe.learner
    name = next(name for name in _CAPS if name in dict(learner.parameters))
    moments = [time.monotonic()]
    fit(
        prepared,
        seed=seed,
        learner=learner.changed(None, {name: min(cap, 2)}),
        progress=lambda iteration, loss: moments.append(time.monotonic()),
    )
    total = time.monotonic() - moments[0]
    each = moments[2] - moments[1] if len(moments) > 2 else total
    return total + each * max(cap - 2, 0)


def measured_documents(documents: Sequence[AnnotatedDocument]) -> list[AnnotatedDocument]:
    """Some documents of a corpus: first those with labels that others lack, then evenly."""
    chosen: dict[int, AnnotatedDocument] = {}
    seen: set[str] = set()
    for number, document in enumerate(documents):
        if new := {span.label for span in document.spans} - seen:
            seen |= new
            chosen[number] = document
    size, step = _characters(chosen.values()), max(1, len(documents) // 97)
    for number in range(0, len(documents), step):
        if size >= _MEASURED_CHARACTERS:
            break
        if number not in chosen:
            chosen[number] = documents[number]
            size += len(documents[number].text)
    return [chosen[number] for number in sorted(chosen)]


def cap_of(parameters: Mapping[str, Any]) -> int | None:
    """The iterations after which a learner ends at the latest; None if it sets no limit."""
    return next((int(parameters[n]) for n in _CAPS if parameters.get(n)), None)


def _characters(documents: Iterable[AnnotatedDocument]) -> int:
    return sum(len(document.text) for document in documents)
