"""Annotated corpora: documents with labelled spans, read and written in several formats.

A new format is a file here, with pure functions on bytes, and a line in `CORPORA`.

A corpus is read strictly: a shifted offset or a misspelt key that passed in silence would train a
model on wrong labels, or would move a published score.
"""

from __future__ import annotations

from .base import (
    COVER,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    CorpusFormat,
    FolderFormat,
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
    "StreamFormat",
    "corpus_format",
    "format_of_target",
    "read_annotated",
    "remap",
    "write_annotated",
]
