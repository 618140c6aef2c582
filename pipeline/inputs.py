"""What training, studies and parts are made from, as their command lines name it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence

from ..dictionaries import without_secrets
from ..models.corpora import AnnotatedDocument, read_annotated
from ..models.errors import UsageError
from ..models.parts import Part, read_part


@contextlib.contextmanager
def asked_by(option: str) -> Iterator[None]:
    """For a `with` block: what is refused in it is told with the option that asked for it."""
    try:
        yield
        return
    except UsageError as error:
        told = error.within(option)
    raise told


def read_corpora(urls: Sequence[str] | None, option: str) -> list[AnnotatedDocument]:
    """The documents of all corpora, in order.

    Args:
        option: that named them, for messages.

    Raises:
        UsageError: see `read_annotated`; with the option.
    """
    documents: list[AnnotatedDocument] = []
    for number, url in enumerate(urls or (), start=1):
        several = f" {number} of {len(urls or ())}" if len(urls or ()) > 1 else ""
        with asked_by(f"{option}{several}"):
            documents += read_annotated(url)
    return documents


def read_parts(urls: Iterable[str] | None) -> dict[str, Part]:
    """Language parts by their names.

    Raises:
        UsageError: if two have one name.
    """
    parts: dict[str, Part] = {}
    for url in urls or ():
        with asked_by("--part"):
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
