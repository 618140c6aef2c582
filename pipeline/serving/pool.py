"""Scrubbers for the threads of a server: as many as work at once, each used by one at a time."""

from __future__ import annotations

import asyncio
import copy
import queue
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ...models.core.errors import error_class
from ...models.core.shortage import raise_shortage
from ...models.scrubber import Scrubber


class Busy(Exception):  # noqa: N818 - an answer, no error of the program
    """As many requests wait as may."""


class ScrubberPool:
    """Scrubs texts in threads; a request that is given up keeps its place until its thread is done.

    So that no more is ever at work or waiting than was said, whatever clients do.
    """

    def __init__(self, scrubber: Scrubber, workers: int, most_waiting: int) -> None:
        self._free: queue.SimpleQueue[Scrubber] = queue.SimpleQueue()
        for number in range(workers):
            self._free.put(copy.copy(scrubber) if number else scrubber)
        self._threads = ThreadPoolExecutor(workers, "scrub")
        self._most, self._held = workers + most_waiting, 0

    async def scrub(
        self, texts: Sequence[Any], note_types: Sequence[str | None], markup: str | None = None
    ) -> list[Any]:
        """What `Scrubber.explain_many` gives, or a class of error of all of them as text.

        Raises:
            Busy: if too many wait.
            Shortage: if the machine lacks something.
        """
        if self._held >= self._most:
            raise Busy
        self._held += 1
        work = asyncio.get_running_loop().run_in_executor(
            self._threads, self._explained, texts, note_types, markup
        )
        work.add_done_callback(self._left)
        return await asyncio.shield(work)

    def _explained(
        self, texts: Sequence[Any], note_types: Sequence[str | None], markup: str | None
    ) -> list[Any]:
        scrubber = self._free.get()
        try:
            return list(scrubber.explain_many(texts, note_types=note_types, markup=markup))
        except Exception as error:
            raise_shortage(error)
            # A foreign message may quote a text, and so may the traceback of whoever logs it.
            raise RuntimeError(error_class(error)) from None
        finally:
            self._free.put(scrubber)

    def _left(self, work: asyncio.Future[Any]) -> None:
        self._held -= 1
        if not work.cancelled():
            work.exception()  # looked at, though no one may wait for it any more

    def close(self) -> None:
        """Takes nothing more, and does not wait for what is at work."""
        self._threads.shutdown(wait=False, cancel_futures=True)
