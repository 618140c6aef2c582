"""De-identification of clinical text, with an audit of every decision.

>>> import scrubline
>>> scrubber = scrubline.Scrubber()
>>> scrubber.scrub("Seen 3/4/2012. MRN: 1234567.")
'Seen [DATE]. MRN: [MEDICALRECORD].'
>>> [(span.label, span.start, span.end) for span in scrubber.spans("Seen 3/4/2012.")]
[('DATE', 5, 13)]

These names are the public API; everything else in the package may move in any version.

    Scrubber        finds and removes PHI in texts
    ScrubbedText    what `Scrubber.explain` returns: the scrubbed text and its spans
    Span            a decision about one range of a text: label, action, detectors
    Candidate       a range of a text that one detector calls PHI
    Policy          what is done with each label, and which phrases stay or go
    scrub_table     scrubs a table of Arrow: gives table, audit and quarantine
    ScrubbedTable   what `scrub_table` returns
    load_policy     opens a policy by name ("hipaa", "research"), path or URL
    Bundle          a trained model with all that it needs
    open_bundle     opens a bundle by name ("en-default"), path or URL
    Budgets         the limits of one document
    ScrublineError  base of all errors that Scrubline raises on purpose
    UsageError      an option, policy, model or rule is unknown or cannot be used
    BundleError     a bundle is damaged, incomplete, or needs what is not installed
    DocumentError   this text cannot be scrubbed; its `code` says why and holds no PHI
    DocumentsFailed some of several texts cannot be scrubbed; it has the others
    OverBudget      the DocumentError of a text that exceeds one of the `Budgets`
    Shortage        the machine lacks memory, threads, open files or disk space
    __version__     the version, for example "1.2.3"

Names are loaded when first used, so `import scrubline` is fast. Files and tables are scrubbed by
the command: `scrubline --help`, or `python -m scrubline --help`.
"""

from __future__ import annotations

from .models.core.version import VERSION as _VERSION

__version__ = _VERSION

TYPE_CHECKING = False
"""True for type checkers, as in `typing`, whose import would take longer than all of this."""

if TYPE_CHECKING:
    from .models.bundles.bundle import Bundle, open_bundle
    from .models.core.budgets import Budgets
    from .models.core.errors import (
        BundleError,
        DocumentError,
        DocumentsFailed,
        OverBudget,
        ScrublineError,
        Shortage,
        UsageError,
    )
    from .models.core.spans import Candidate, Span
    from .models.embedding.tables import ScrubbedTable, scrub_table
    from .models.redaction.policy import Policy
    from .models.redaction.policy_file import load_policy
    from .models.scrubbed_text import ScrubbedText
    from .models.scrubber import Scrubber

__all__ = [
    "Budgets",
    "Bundle",
    "BundleError",
    "Candidate",
    "DocumentError",
    "DocumentsFailed",
    "OverBudget",
    "Policy",
    "ScrubbedTable",
    "ScrubbedText",
    "Scrubber",
    "ScrublineError",
    "Shortage",
    "Span",
    "UsageError",
    "load_policy",
    "open_bundle",
    "scrub_table",
]

_HOMES = {
    "models.bundles.bundle": ("Bundle", "open_bundle"),
    "models.core.budgets": ("Budgets",),
    "models.core.errors": (
        "BundleError",
        "DocumentError",
        "DocumentsFailed",
        "OverBudget",
        "ScrublineError",
        "Shortage",
        "UsageError",
    ),
    "models.core.spans": ("Candidate", "Span"),
    "models.embedding.tables": ("ScrubbedTable", "scrub_table"),
    "models.redaction.policy": ("Policy",),
    "models.redaction.policy_file": ("load_policy",),
    "models.scrubbed_text": ("ScrubbedText",),
    "models.scrubber": ("Scrubber",),
}
"""Module -> the public names that it defines."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # they would take any name for one of ours

    def __getattr__(name: str) -> object:
        """Loads a public name when it is first used."""
        if name not in _HOME_OF:
            message = f"module {__name__!r} has no attribute {name!r}{_hint(name)}"
            raise AttributeError(message, name=name)
        import importlib

        value = getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)
        globals()[name] = value
        return value


def _hint(name: str) -> str:
    """The public name that was meant, for a message; Python itself suggests none in notebooks."""
    if name.startswith("_"):  # asked for by tools, often, and not by people
        return ""
    import difflib

    close = difflib.get_close_matches(name, __all__, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def __dir__() -> list[str]:
    """The public names, which completion in notebooks shows."""
    return sorted([*__all__, "__version__"])
