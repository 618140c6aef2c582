"""The errors that Scrubline raises on purpose, by what their reader can do about them.

A message says what was wrong, what was expected and where (unit and ordinal, column, option,
label): never the text of a document, an id, or the name of an input file. An exception that a
detector or library raises may hold PHI in its message; quarantine and logs therefore keep only
`error_class(exception)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeVar

E = TypeVar("E", bound="ScrublineError")


class ScrublineError(Exception):
    """Base of all errors below.

    Attributes:
        on_terminal: the message with names that the user typed, or that come from a file (columns,
            labels), for the user's own terminal. `str()` gives the one for logs, reports, JSON and
            everything else.
    """

    def __init__(self, message: str = "", *, on_terminal: str | None = None) -> None:
        super().__init__(message)
        self.on_terminal = message if on_terminal is None else on_terminal

    def _placed(self, kind: type[E], where: str, named: str) -> E:
        """An error of a kind that says the same, with the place before both messages."""
        shown = f"{where}, {named}" if named else where
        return kind(f"{where}: {self}", on_terminal=f"{shown}: {self.on_terminal}")


class UsageError(ScrublineError):
    """A command asked for something that cannot or must not be done (exit code 2).

    Mostly raised before anything is written; during a run if policy, bundle, rule or key differ
    from the planned ones: then nothing is published.
    """

    def within(self, where: str, named: str = "") -> UsageError:
        """The same error with the place before both messages; on a terminal with its name too."""
        return self._placed(UsageError, where, named)


class OutputBusy(UsageError):
    """Another process works on the output: the same command may be given later (exit code 5)."""


class BundleError(UsageError):
    """A model bundle is damaged, truncated, foreign, or needs something that is not installed."""


class RunFailed(ScrublineError):
    """The run stopped before its end; `resume` continues from what is finished (exit code 1)."""


class Shortage(RunFailed):
    """The machine lacks memory, threads, open files or disk; no document is at fault (code 1)."""


class GateFailed(ScrublineError):
    """A gate forbids publication: counts, quarantine share, a seal, a journal (exit code 3)."""


class RunOnHold(ScrublineError):
    """All is done and every gate passed; publication waits, as requested (exit code 4)."""


class StorageError(RunFailed):
    """Storage refused or failed after all retries."""

    def within(self, where: str, named: str = "") -> Self:
        """The same error with the place before both messages; see `UsageError.within`."""
        return self._placed(type(self), where, named)


class InputChanged(RunFailed):
    """An input changed after it was planned: the run cannot be resumed, only discarded."""


class DocumentError(ScrublineError):
    """One document cannot be processed; it goes to quarantine under `code`.

    Attributes:
        code: a fixed word that names the class of error, for example "LoneSurrogate"; never text of
            the document.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class DocumentsFailed(ScrublineError):
    """Some of several texts cannot be scrubbed; the others were, and are here.

    Attributes:
        texts: what became of all texts, in order; None in the place of those that failed.
        errors: position of each text that failed -> its error.
    """

    def __init__(self, texts: Sequence[Any], errors: Mapping[int, DocumentError]) -> None:
        classes = Counter(error.code for error in errors.values())
        listed = ", ".join(f"{code} ({count})" for code, count in sorted(classes.items()))
        super().__init__(
            f"{len(errors)} of {len(texts)} texts cannot be scrubbed: {listed}. `errors` of this "
            "error tells which, `texts` has the others"
        )
        self.texts, self.errors = list(texts), dict(errors)

    def __reduce__(self) -> tuple[type[DocumentsFailed], tuple[Any, ...]]:
        return type(self), (self.texts, self.errors)  # else pickle would give it the message


class OverBudget(DocumentError):
    """A deterministic budget was exceeded; `code` is "OverBudget:" and the budget's name."""

    def __init__(self, budget: str) -> None:
        super().__init__(f"OverBudget:{budget}")
        self._budget = budget

    def __reduce__(self) -> tuple[type[OverBudget], tuple[str]]:
        return type(self), (self._budget,)  # without it, pickle would give the code to __init__


def error_class(error: BaseException) -> str:
    """The PHI-free name under which an exception is quarantined, counted and logged."""
    return error.code if isinstance(error, DocumentError) else type(error).__qualname__


REST_UNREAD = frozenset({"DamagedArchive", "OverBudget:unpacked", "BadHeader"})
"""Classes under which one row stands for all that follows in its file, however much it is."""
