"""The errors that Scrubline raises on purpose, by what whoever meets them can do.

A message says what was wrong, what was expected and where (unit and ordinal, column, option,
label): never the text of a document, an id, or the name of an input file. An exception that a
detector or library raises may hold PHI in its message; quarantine and logs therefore keep only
`error_class(exception)`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType


class ScrublineError(Exception):
    """Base of all errors below."""


class UsageError(ScrublineError):
    """Something was asked that cannot or must not be done (exit code 2).

    Mostly before anything is written; in a run under way if policy, bundle, rule or key are not the
    planned ones: then nothing is published.

    Attributes:
        on_terminal: the message with names that come from a file (columns, labels), for the user's
            own terminal. `str()` gives the one for logs, reports, JSON and everything else.
    """

    def __init__(self, message: str = "", *, on_terminal: str | None = None) -> None:
        super().__init__(message)
        self.on_terminal = message if on_terminal is None else on_terminal

    def within(self, where: str) -> UsageError:
        """The same error with the place before both messages."""
        return UsageError(f"{where}: {self}", on_terminal=f"{where}: {self.on_terminal}")


class OutputBusy(UsageError):
    """Another process works on the output: the same may be asked again later (exit code 5)."""


class BundleError(UsageError):
    """A model bundle is damaged, truncated, foreign, or needs something that is not installed."""


class RunFailed(ScrublineError):
    """The run stopped before its end; `resume` goes on from what is finished (exit code 1)."""


class Shortage(RunFailed):
    """The machine lacks memory, threads, open files or disk; no document is at fault (code 1)."""


class GateHeld(ScrublineError):
    """All units are done but a gate forbids publication: counts, quarantine share (exit code 3)."""


class RunHeld(ScrublineError):
    """All is done and every gate passed; publication waits, as was asked (exit code 4)."""


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


# -- why rows are quarantined


@dataclasses.dataclass(frozen=True, slots=True)
class Explained:
    """What an error class means.

    Attributes:
        cause: what is wrong with the row, in some words that fit behind the class in a line.
        remedy: what whoever gives the input, or runs the job, can do.
    """

    cause: str
    remedy: str


_AGAIN = "export or copy the file again"
_AS_TOLD = "repair the file; `scrubline convert` says which line is wrong"
_TO_WRITE = "take another form for these documents, or leave this one out"

ERROR_CLASSES: Mapping[str, Explained] = MappingProxyType(
    {
        # Records of any format.
        "BadEncoding": Explained(
            "bytes that are not valid in the file's encoding",
            "give the right --encoding, or convert the file to UTF-8",
        ),
        "LoneSurrogate": Explained(
            "the text holds half of a surrogate pair, which UTF-8 cannot",
            "repair the export: it cut an emoji or another rare character in two",
        ),
        "NotText": Explained(
            "the column with role text holds a number, a list or the like",
            "declare the right column as text, or export it as texts",
        ),
        "MissingId": Explained(
            "the row has no id",
            "fill the id column: without an id, text and audit could not be joined",
        ),
        "BadId": Explained(
            "an id is a fraction, true or false, bytes or a nested value",
            "export ids as whole numbers or texts; check which column has role id, patient or hash",
        ),
        "UndeclaredColumn": Explained(
            "the record has a column that nobody declared",
            "declare it with --column NAME=ROLE, drop if it must not go out",
        ),
        "InputChanged": Explained(
            "the file changed while it was read",
            "let nothing write to the input during a run; give the run up and scrub again",
        ),
        # JSON Lines.
        "BadJson": Explained(
            "the line is not valid JSON",
            "repair the line: often it was cut off, or holds NaN or a raw control character",
        ),
        "NotAnObject": Explained(
            "the line is JSON but no object", "write each record as {...} in a line of its own"
        ),
        "DuplicateKey": Explained(
            "the object has one key twice",
            "repair the export: nobody can tell which value is meant",
        ),
        # CSV and TSV.
        "BadHeader": Explained(
            "the file's header cannot be read or is refused",
            "repair the header; are --delimiter, --quote and --encoding right?",
        ),
        "BadQuote": Explained(
            "a quote is not closed, or text follows a closing quote",
            "repair the file from the named row on; are --quote and --escape right?",
        ),
        "WrongCellCount": Explained(
            "the record has more or fewer cells than the header",
            "repair the record: often a delimiter or line break is not in quotes",
        ),
        # Parquet.
        "CorruptRowGroup": Explained("a row group is damaged: all its rows are held back", _AGAIN),
        # Archives and compressed files.
        "DamagedArchive": Explained(
            "the file is cut off or damaged: one row stands for all its rest", _AGAIN
        ),
        "DamagedMember": Explained("a member of the archive is damaged", "pack the archive again"),
        "Encrypted": Explained(
            "the member is encrypted", "pack the archive again without a password"
        ),
        "NotAFile": Explained(
            "the member is a link, pipe, device or sparse file",
            "pack the file that is meant itself",
        ),
        "UnknownCompression": Explained(
            "the member is compressed with another method than deflate",
            "pack the archive again with deflate, which every program can",
        ),
        # Notes of several rows (--group-lines).
        "BadLineNumber": Explained(
            "a line number of the note is no whole number",
            "check which column --group-lines names, and its values",
        ),
        "NoteTypesDiffer": Explained(
            "the rows of one note say different note types, so that no one policy holds for it",
            "make the type one of the note, or give the column another role",
        ),
        "LinesOutOfOrder": Explained(
            "the line numbers of the note do not grow",
            "sort the export by note and line; a line that comes twice must go",
        ),
        # Budgets.
        "OverBudget:bytes": Explained(
            "the document is longer than the budget document_bytes",
            "look whether it is one note; split it, or raise the budget",
        ),
        "OverBudget:line": Explained(
            "a line or record is longer than line_bytes or line_characters",
            "look whether line breaks were lost; else raise the budget",
        ),
        "OverBudget:tokens": Explained(
            "the document has more tokens than the budget tokens",
            "look whether it is one note; split it, or raise the budget",
        ),
        "OverBudget:candidates": Explained(
            "more places look like PHI than the budget candidates allows",
            "look whether it is a note and not a list or table; split it, or raise the budget",
        ),
        "OverBudget:depth": Explained(
            "JSON is nested deeper than 200", "flatten the value, or leave its key out"
        ),
        "OverBudget:unpacked": Explained(
            "the file or row group unpacks to more than unpacked_ratio times its size",
            "look whether it is a decompression bomb; if not, unpack it, or raise the budget",
        ),
        "OverBudget:encoded": Explained(
            "more of the text is base64 or hexadecimal digits than max_encoded_share allows",
            "decode the column when it is exported, or leave it out; else raise the budget",
        ),
        # Work.
        "KillsWorker": Explained(
            "a worker process died at this row again and again",
            "look at the row with care, and report it with an invented row that does the same",
        ),
        "Skipped": Explained(
            "left out by an operator (resume --skip)",
            "scrub its input again where it can be worked on (--retry-quarantined)",
        ),
        "CandidateOutsideText": Explained(
            "a detector named a place outside of the text",
            "report it: a rule or model is wrong, no document is",
        ),
        # Corpora: i2b2, brat, CoNLL, standoff.
        "BadUtf8": Explained("a byte cannot be decoded as UTF-8", "convert the file to UTF-8"),
        "ByteOrderMark": Explained(
            "the file begins with a byte-order mark", "save it as UTF-8 without a mark"
        ),
        "BadXml": Explained("the file is no well-formed XML 1.0", _AS_TOLD),
        "Entity": Explained(
            "the file has a DTD or entities of its own, which can be a bomb",
            "write out the entities and remove the DTD",
        ),
        "TooDeep": Explained("elements are nested deeper than in any corpus", _AS_TOLD),
        "TooLarge": Explained("the file is too large for a corpus file", "split it"),
        "MissingText": Explained("a document has no element TEXT", _AS_TOLD),
        "StrayText": Explained("there is text outside of the element TEXT", _AS_TOLD),
        "UnknownTag": Explained("an element is none of the form", _AS_TOLD),
        "NestedTag": Explained("an element stands inside of PHI", _AS_TOLD),
        "WrongCategory": Explained("a tag's TYPE is of another category", _AS_TOLD),
        "BadColumns": Explained("a line has another number of columns", _AS_TOLD),
        "BadLine": Explained("a line is none of the form", _AS_TOLD),
        "BadTag": Explained("a token's tag is none of BIO", _AS_TOLD),
        "BadEscape": Explained("an escape, or what it stands for, is none of the form", _AS_TOLD),
        "DuplicateId": Explained("an annotation's number comes twice", _AS_TOLD),
        "DuplicateDocId": Explained(
            "two documents of the corpus have one id", "give each document an id of its own"
        ),
        "MissingKey": Explained("an attribute or key is missing", _AS_TOLD),
        "UnknownKey": Explained("a key is none of the form", _AS_TOLD),
        "WrongType": Explained("a value is of another type", _AS_TOLD),
        "EmptyLabel": Explained("a span has no label", "give it one, or remove the span"),
        "EmptySpan": Explained("a span covers no character", "repair or remove the span"),
        "OffsetOutsideText": Explained(
            "a span leaves the text", "repair the span: were offsets counted in bytes or CRLF?"
        ),
        "SpanTextsDiffer": Explained(
            "a span's text is not what it covers",
            "repair the span: text and annotations may be of different versions",
        ),
        "BadDocId": Explained("a document's id cannot be a file's path", "give it another id"),
        "BadLabel": Explained("a label holds white space, which the form cannot", _TO_WRITE),
        "BlankSpan": Explained("a span covers white space only, where no token is", _TO_WRITE),
        "NotXml": Explained("the text holds a character that XML cannot", _TO_WRITE),
        "OverlappingSpans": Explained(
            "two spans share a character, which the form cannot", _TO_WRITE
        ),
        "UnknownLabel": Explained(
            "a label is none of the form's", "give a label map (--label-map)"
        ),
    }
)
"""Every class of ours under which a row is quarantined or a corpus refused."""

REST_UNREAD = frozenset({"DamagedArchive", "OverBudget:unpacked", "BadHeader"})
"""Classes under which one row stands for all that follows in its file, however much it is."""

_FOREIGN = Explained(
    "an exception that came up unforeseen while the row was worked on",
    "report the class and the stage, with an invented row that shows it",
)


def explain(error: str) -> Explained:
    """What an error class means; one that is not ours is the class of an exception."""
    return ERROR_CLASSES.get(error, _FOREIGN)
