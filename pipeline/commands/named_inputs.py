"""The inputs that the command lines of training, studies and auxiliary models name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence

from ...dictionaries import without_secrets
from ...models.auxiliary import AuxiliaryModel, read_auxiliary
from ...models.core.errors import UsageError
from ...models.corpora import AnnotatedDocument, read_annotated


@contextlib.contextmanager
def naming(option: str) -> Iterator[None]:
    """In a `with` block: prefixes a `UsageError` with the option that caused it."""
    try:
        yield
        return
    except UsageError as error:
        named = error.within(option)
    raise named


def read_corpora(urls: Sequence[str] | None, option: str) -> list[AnnotatedDocument]:
    """The documents of all corpora, in order.

    Args:
        urls: files, folders or globs; None for no corpus.
        option: that gave them, for messages.

    Raises:
        UsageError: see `read_annotated`; it names the option.
    """
    documents: list[AnnotatedDocument] = []
    for number, url in enumerate(urls or (), start=1):
        several = f" {number} of {len(urls or ())}" if len(urls or ()) > 1 else ""
        with naming(f"{option}{several}"):
            documents += read_annotated(url)
    return documents


def read_auxiliary_models(urls: Iterable[str] | None) -> dict[str, AuxiliaryModel]:
    """Auxiliary models by name.

    Raises:
        UsageError: if two have the same name, or one cannot be opened.
    """
    models: dict[str, AuxiliaryModel] = {}
    for url in urls or ():
        with naming("--part"):
            model = read_auxiliary(url)
        if model.name in models:
            raise UsageError(f"--part: {model.name!r} was given twice")
        models[model.name] = model
    return models


def end_of(url: str) -> str:
    """The last two names of a path or URL, for cards and pages, without password and query."""
    # In a path "?" is a wildcard and "@" an ordinary character.
    plain = without_secrets(url) if "://" in url else url
    return "/".join(plain.rstrip("/").split("/")[-2:])
