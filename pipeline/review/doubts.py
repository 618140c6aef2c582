"""Words that stay and that the run's models take for PHI with some probability, in the background.

Models take seconds to open and originals have to be read: nobody waits for them. A text that is
shown before its words are known is shown without them.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from ...models.core.errors import error_class
from ...models.jobs.job import Job
from ...models.jobs.opening import open_bundles, open_policy
from ...models.risk.scoring import UncertainToken
from ...models.scrubber import Scrubber
from .texts import ReviewedOutput, Text

_log = logging.getLogger(__name__)

WAIT_SECONDS = 0.2
"""A text that is shown waits so long for its words, once the models are open."""

MOST_HELD = 1_000
"""Texts of which the words are kept."""


class TellsUncertain(Protocol):
    """What tells the uncertain words of a text, as `Scrubber` does."""

    def uncertain(
        self, text: str, *, note_type: str | None = None, markup: str | None = None
    ) -> Sequence[UncertainToken]:
        """The words that stay and may be PHI."""


def open_models(job: Job) -> Scrubber:
    """The models, rules and policy of a run.

    Raises:
        UsageError: if one is missing, or another one than the run's.
    """
    return Scrubber(
        models=open_bundles(job),
        policy=open_policy(job),
        recognisers=job.recognisers,
        budgets=job.budgets,
    )


class Doubts:
    """The uncertain words of texts, found on a thread that begins with the first one asked for.

    They are of the original text, which only the program reads here: offsets and probabilities are
    all that leaves.
    """

    def __init__(
        self,
        output: ReviewedOutput,
        opener: Callable[[], TellsUncertain],
        *,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        """Opens nothing yet.

        Args:
            opener: opens the models; called once, on the thread.
            wait_seconds: see `WAIT_SECONDS`.
        """
        self._output, self._opener, self._wait_seconds = output, opener, wait_seconds
        self._asked: queue.SimpleQueue[Text] = queue.SimpleQueue()
        self._found: dict[Text, tuple[UncertainToken, ...]] = {}
        self._waiting: set[Text] = set()
        self._changed = threading.Condition()
        self._is_open = self._is_off = False
        self._thread: threading.Thread | None = None

    def ask(self, *texts: Text) -> None:
        """Has the words of texts found, in this order; returns at once."""
        with self._changed:
            if self._is_off:
                return
            for text in texts:
                if text not in self._found and text not in self._waiting:
                    self._waiting.add(text)
                    self._asked.put(text)
            if self._thread is None and self._waiting:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def of(self, text: Text) -> tuple[UncertainToken, ...] | None:
        """The words of a text; None if they are not known yet, or cannot be."""
        self.ask(text)
        with self._changed:
            if self._is_open:
                self._changed.wait_for(
                    lambda: text not in self._waiting or self._is_off, self._wait_seconds
                )
            return self._found.get(text)

    def wait(self, seconds: float) -> bool:
        """Waits until nothing is asked for any more; whether that came about."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting or self._is_off, seconds)

    def _work(self) -> None:
        try:
            models = self._opener()
        except Exception as error:  # the page does without them
            _log.warning("no uncertain words are shown: %s", error_class(error))
            with self._changed:
                self._is_off = True
                self._changed.notify_all()
            return
        with self._changed:
            self._is_open = True
        while True:
            text = self._asked.get()
            words = self._words(models, text)
            with self._changed:
                if words is not None:
                    while len(self._found) >= MOST_HELD:
                        self._found.pop(next(iter(self._found)))
                    self._found[text] = words
                self._waiting.discard(text)
                self._changed.notify_all()

    def _words(self, models: TellsUncertain, text: Text) -> tuple[UncertainToken, ...] | None:
        try:
            note_type = self._output.texts[text].queued.note_type
            original = self._output.original(text)
            # As the run's reader saw it: markup is behind it already.
            return tuple(models.uncertain(original, note_type=note_type, markup="plain"))
        except Exception as error:  # one text is shown without them
            _log.debug("no uncertain words of a text: %s", error_class(error))
            return None
