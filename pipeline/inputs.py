"""What training, studies and parts are made from, as their command lines name it."""

from __future__ import annotations

from collections.abc import Iterable

from ..dictionaries import without_secrets
from ..models.corpora import AnnotatedDocument, read_annotated
from ..models.errors import UsageError
from ..models.parts import Part, read_part


def read_corpora(urls: Iterable[str] | None) -> list[AnnotatedDocument]:
    """The documents of all corpora, in order."""
    return [document for url in urls or () for document in read_annotated(url)]


def read_parts(urls: Iterable[str] | None) -> dict[str, Part]:
    """Language parts by their names.

    Raises:
        UsageError: if two have one name.
    """
    parts: dict[str, Part] = {}
    for url in urls or ():
        part = read_part(url)
        if part.name in parts:
            raise UsageError(f"--part: the part {part.name!r} is given twice")
        parts[part.name] = part
    return parts


def end_of(url: str) -> str:
    """The last two names of a path or URL, for cards and pages: no password and no query."""
    # In a path "?" is a wildcard and "@" a letter.
    plain = without_secrets(url) if "://" in url else url
    return "/".join(plain.rstrip("/").split("/")[-2:])
