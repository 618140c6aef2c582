"""The errors that Scrubline raises on purpose, by what whoever meets them can do.

A message says what was wrong, what was expected and where (unit and ordinal, column, option,
label): never the text of a document, an id, or the name of an input file. An exception that a
detector or library raises may hold PHI in its message; quarantine and logs therefore keep only
`error_class(exception)`.
"""

from __future__ import annotations


class ScrublineError(Exception):
    """Base of all errors below."""


class UsageError(ScrublineError):
    """Something was asked that cannot or must not be done (exit code 2).

    Mostly before anything is written; in a run under way if policy, bundle, rule or key are not the
    planned ones: then nothing is published.
    """


class BundleError(UsageError):
    """A model bundle is damaged, truncated, foreign, or needs something that is not installed."""


class RunFailed(ScrublineError):
    """The run stopped before its end; `resume` goes on from what is finished (exit code 1)."""


class GateHeld(ScrublineError):
    """All units are done but a gate forbids publication: counts, quarantine share (exit code 3)."""


class StorageError(RunFailed):
    """Storage refused or failed after all retries."""


class InputChanged(RunFailed):
    """An input is no longer what was planned: the run cannot be resumed, only given up."""


class DocumentError(ScrublineError):
    """One document cannot be processed; it goes to quarantine under `code`.

    Attributes:
        code: a fixed word that names the class of error, for example "LoneSurrogate"; never text of
            the document.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class OverBudget(DocumentError):
    """A deterministic budget was exceeded; `code` is "OverBudget:" and the budget's name."""

    def __init__(self, budget: str) -> None:
        super().__init__(f"OverBudget:{budget}")


def error_class(error: BaseException) -> str:
    """The PHI-free name under which an exception is quarantined, counted and logged."""
    return error.code if isinstance(error, DocumentError) else type(error).__qualname__
