"""Annotated corpora: documents with labelled spans, read and written in several formats.

A new format is a file here, with pure functions on bytes, and a line in `CORPORA`.

Reading is strict: a shifted offset or a misspelt key that passed silently would train a model on
wrong labels or change a published score.
"""

from __future__ import annotations

from .base import (
    COVER,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    CorpusFormat,
    FolderFormat,
    GroupFormat,
    StreamFormat,
    remap,
)
from .files import CORPORA, corpus_format, format_of_target, read_annotated, write_annotated

__all__ = [
    "CORPORA",
    "COVER",
    "AnnotatedDocument",
    "Annotation",
    "CorpusError",
    "CorpusFormat",
    "FolderFormat",
    "GroupFormat",
    "StreamFormat",
    "corpus_format",
    "format_of_target",
    "read_annotated",
    "remap",
    "write_annotated",
]
