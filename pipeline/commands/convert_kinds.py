"""What `scrubline convert` is asked for: from which kind of thing to which, and in what formats."""

from __future__ import annotations

import contextlib
import enum
import zlib
from collections.abc import Iterable
from typing import NamedTuple

from ...models.core.errors import StorageError, UsageError
from ...models.core.suggestions import did_you_mean
from ...models.corpora import CORPORA, StreamFormat
from ...models.formats import FORMATS
from ...models.jobs.note_tables import TABLES
from ...models.messages.plain import PLAIN_MESSAGES
from ...models.storage.input_files import InputFile
from ...models.storage.storage import Storage

MESSAGES = tuple(name for name, form in FORMATS.items() if form.traits.record)
"""Keys of `FORMATS` of messages."""

_WRITTEN = tuple(name for name in MESSAGES if FORMATS[name].traits.record in PLAIN_MESSAGES)
"""Those in which rows of tables are written."""

_SURE = tuple(name for name in MESSAGES if not FORMATS[name].traits.explicit_only)
"""Those that the ending of a file tells alone."""

_READ = tuple(name for name in FORMATS if name not in (*MESSAGES, *CORPORA))
"""Keys of what can become messages: tables, files of text, archives of these."""

_OF_CORPORA = frozenset(
    ending for form in CORPORA.values() if isinstance(form, StreamFormat) for ending in form.endings
)
"""Endings of outputs that are an annotated corpus, unless the input is messages."""

_LOOK_BYTES = 64 * 1024
_GZIPPED, _ZLIB_OF_GZIP = b"\x1f\x8b", 16 + zlib.MAX_WBITS

_KINDS = (
    "convert goes from messages (HL7 v2, FHIR, C-CDA) to a table, from a table to messages, and "
    "from one form of an annotated corpus to another"
)


class Way(enum.Enum):
    """From what to what."""

    CORPORA = "from corpus to corpus"
    TO_TABLE = "from messages to a table"
    TO_MESSAGES = "from a table to messages"


class ConversionAsked(NamedTuple):
    """What is asked for.

    Attributes:
        way: from what to what.
        source: key of `FORMATS` that all input files are of; None to go by their endings.
        target: key of `FORMATS` of the output; empty for corpora.
    """

    way: Way
    source: str | None = None
    target: str = ""


def asked(
    storage: Storage, source: str, target: str, source_form: str | None, target_form: str | None
) -> ConversionAsked:
    """What a command line asks for: the output decides, and where it may be either, the input.

    Args:
        source, target: as the command has them.
        source_form, target_form: what `--from` and `--to` say.

    Raises:
        UsageError: for unknown forms, and for what is none of the three ways.
    """
    for option, name in (("--from", source_form), ("--to", target_form)):
        if name is not None and name not in (*CORPORA, *FORMATS):
            known = [*CORPORA, *MESSAGES, *(_READ if option == "--from" else TABLES)]
            raise UsageError(
                f"{option}: unknown form{did_you_mean(name, known)}; expected one of {known}"
            )
    form = target_form or _by_ending(target, (*TABLES, *_SURE))
    if form in TABLES and target_form is None and _is_ending_of_corpora(target):
        is_message = source_form in MESSAGES if source_form else _message_form(storage, source)
        form = form if is_message else None
    if form in TABLES:
        return _to_table(storage, source, source_form, form)
    if form in _WRITTEN:
        return _to_messages(storage, source, source_form, form)
    if form is not None and form not in CORPORA:
        raise UsageError(
            f"--to: {form} is not written; expected one of {[*CORPORA, *_WRITTEN, *TABLES]}"
        )
    wrong = source_form and source_form not in CORPORA
    if wrong or (source_form is None and _by_ending(source, _SURE)):
        raise UsageError(
            f"{_KINDS}: the input is no annotated corpus, and the output would be one. Messages "
            f"become a table with --to {', '.join(TABLES)}, and a table becomes messages with "
            f"--to {', '.join(_WRITTEN)}"
        )
    return ConversionAsked(Way.CORPORA)


def _by_ending(place: str, names: Iterable[str]) -> str | None:
    """Which of some formats the ending of a name tells; None for none of them."""
    lowered = place.lower()
    endings = ((suffix, name) for name in names for suffix in FORMATS[name].suffixes)
    found = [(len(end), name) for end, name in endings if lowered.endswith(end)]
    return max(found)[1] if found else None


def _is_ending_of_corpora(target: str) -> bool:
    return target.lower().removesuffix(".gz").endswith(tuple(_OF_CORPORA))


def _to_messages(storage: Storage, source: str, form: str | None, target: str) -> ConversionAsked:
    if form in MESSAGES or (form is None and _message_form(storage, source)):
        raise UsageError(
            f"{_KINDS}: input and output are both messages. Make a table of the input first"
        )
    if form in CORPORA:
        raise UsageError(
            f"{_KINDS}: --from {form} is an annotated corpus. What is JSON Lines is a table too: "
            "--from jsonl"
        )
    return ConversionAsked(Way.TO_MESSAGES, form, target)


def _to_table(storage: Storage, source: str, form: str | None, target: str) -> ConversionAsked:
    if form is not None and form not in MESSAGES:
        raise UsageError(f"{_KINDS}: the output is a table, and --from {form} is no message format")
    found = form or _message_form(storage, source)
    if found is None:
        raise UsageError(
            f"{_KINDS}: the output is a table, and the input does not look like messages, by its "
            f"endings and how it begins. If it is, say which: --from {', '.join(MESSAGES)}"
        )
    # Where endings tell, they may be of several formats of one grammar.
    return ConversionAsked(Way.TO_TABLE, None if form is None and found in _SURE else found, target)


def _message_form(storage: Storage, source: str) -> str | None:
    """The format of an input that is messages, by endings and by how a file begins; else None."""
    files: list[InputFile] = []
    with contextlib.suppress(UsageError, StorageError):  # told by the code that reads the input
        files = storage.list_files([source])
    for file in files:
        if (name := _by_ending(file.path, MESSAGES)) is None:
            continue
        sign = FORMATS[name].traits.sign
        is_it = name in _SURE or (sign is not None and sign.search(_beginning(storage, file)))
        return name if is_it else None
    return None


def _beginning(storage: Storage, file: InputFile) -> bytes:
    content = storage.read_range(file.url, 0, min(file.size, _LOOK_BYTES))
    if content.startswith(_GZIPPED):
        with contextlib.suppress(zlib.error):
            content = zlib.decompressobj(_ZLIB_OF_GZIP).decompress(content, _LOOK_BYTES)
    return content.replace(b"\0", b"")  # of UTF-16, what is ASCII stays
