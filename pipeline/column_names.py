"""`scrubline inspect --columns`: number, name and type of each column of an input.

Names of columns may be values of the input, so they go to a terminal, or to a file that the user
alone can read, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..models.errors import UsageError
from ..models.formats import open_format
from ..models.storage import Storage
from .config import Options
from .plan import Input, look_at

_UNTYPED = "-"
"""The type of columns of a format whose files do not say one."""


def list_columns(storage: Storage, options: Options) -> Iterator[str]:
    """Yields a line for each column: number, name, type; tab-separated, the first names them.

    Numbers are those of messages. A key of hive folders is a column of the type `folder`; where
    files do not say types, it is `-`.

    Raises:
        UsageError: if no input is given, or a file cannot be read as its format.
    """
    if not options.inputs:
        raise UsageError("say what to read with --input URL (a file, a folder or a glob)")
    seen = look_at(storage, options.inputs, options.format, options.settings)
    types = _types(storage, seen)
    yield "column\tname\ttype"
    for number, name in enumerate(seen.columns, 1):
        yield f"{number}\t{_printable(name)}\t{_printable(types[name])}"


def _types(storage: Storage, seen: Input) -> dict[str, str]:
    """Column -> type in the first file that has it."""
    found: dict[str, str] = {}
    for file, form in zip(seen.files, seen.formats, strict=True):
        if len(found) == len(seen.columns):
            break
        # Of typed formats alone.
        types_of = getattr(open_format(form, seen.settings), "column_types", None)
        if types_of is not None:
            found = types_of(storage, file) | found
        found = {key: "folder" for key, _ in file.partition} | found
    return {name: found.get(name, _UNTYPED) for name in seen.columns}


def _printable(text: str) -> str:
    """A text that is safe in a line on a terminal."""
    return text if text.isprintable() else repr(text)
