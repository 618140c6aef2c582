"""The values of corpora (documents, annotations, errors) and the interface of corpus formats."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, NoReturn

from ..core.errors import UsageError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

COVER = "cover"
"""Key of `AnnotatedDocument.meta`: all ranges that would be removed, as [[start, end], ...]."""


class CorpusError(UsageError):
    """A corpus cannot be read or written as it is.

    Attributes:
        line: number of the line, or of the document, from 1.
        fault: a fixed name of the kind of error: "BadJson", "LoneSurrogate", "SpanTextsDiffer"...
        what: what was wrong and what was expected.
        what_on_terminal: the same with names from the corpus, for the user's own terminal.
    """

    def __init__(
        self,
        line: int,
        fault: str,
        what: str,
        *,
        place: str = "line",
        file: int | None = None,
        on_terminal: str | None = None,
    ) -> None:
        """Makes the message.

        Args:
            line: see the class.
            fault: see the class.
            what: what was wrong and what was expected; never text, an id or a file name.
            place: what `line` counts: "line" of a file that is read, or "document" written.
            file: ordinal of the file, from 1, if several are read.
            on_terminal: see `what_on_terminal`; None for `what`.
        """
        where = f"{place} {line}" if file is None else f"file {file}, {place} {line}"
        shown = what if on_terminal is None else on_terminal
        super().__init__(
            f"corpus {where}: {fault}: {what}", on_terminal=f"corpus {where}: {fault}: {shown}"
        )
        self.line = line
        self.fault = fault
        self.what = what
        self.what_on_terminal = shown
        self._place = place

    def in_file(self, file: int) -> CorpusError:
        """The same error with the ordinal of its file."""
        return CorpusError(
            self.line,
            self.fault,
            self.what,
            place=self._place,
            file=file,
            on_terminal=self.what_on_terminal,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Annotation:
    """A labelled half-open range [start, end) of one document.

    Attributes:
        start: offset of the first character, in code points of the document's text.
        end: offset one past the last character, always greater than `start`.
        label: in the label set of the corpus or model that it comes from.

    Raises:
        ValueError: if the offsets are negative, or the range or the label is empty.
    """

    start: int
    end: int
    label: str

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"annotation: bad range [{self.start}, {self.end})")
        if not self.label:
            raise ValueError("annotation: the label is empty")


@dataclasses.dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """One text with its annotations, gold or predicted.

    Attributes:
        doc_id: unique in its corpus; may be PHI, as `text` and `meta` are.
        text: the original text.
        spans: in any order; may overlap.
        meta: what else the corpus says about the document: a JSON object.

    Raises:
        ValueError: if a span ends beyond the text.
    """

    doc_id: str = dataclasses.field(repr=False)
    text: str = dataclasses.field(repr=False)
    spans: tuple[Annotation, ...] = ()
    meta: Mapping[str, object] = dataclasses.field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for ordinal, span in enumerate(self.spans):
            if span.end > len(self.text):
                raise ValueError(
                    f"annotated document: span {ordinal} ends at {span.end}, "
                    f"the text at {len(self.text)}"
                )


def remap(document: AnnotatedDocument, label_of: Callable[[str], str | None]) -> AnnotatedDocument:
    """The document in another label set.

    Args:
        document: not changed.
        label_of: old label -> new label, or None to drop its spans.

    Returns:
        The same spans in the same order; of spans that become equal only the first. If one is
        dropped, so is a cover, which does not say which span its ranges belong to.
    """
    spans = [
        Annotation(span.start, span.end, label)
        for span in document.spans
        if (label := label_of(span.label)) is not None
    ]
    meta = document.meta
    if len(spans) < len(document.spans):
        meta = {key: value for key, value in meta.items() if key != COVER}
    return dataclasses.replace(document, spans=tuple(dict.fromkeys(spans)), meta=meta)


# -- formats


@dataclasses.dataclass(frozen=True, slots=True)
class StreamFormat:
    """A corpus format with any number of documents in one file.

    Attributes:
        name: its key in `CORPORA`.
        endings: of its file names, in lower case.
        read: (open binary file, name) -> its documents in order, one at a time. Documents without
            an id are named by the file's name and their ordinal.
        write: documents -> chunks of the file. Equal documents give equal bytes.
        keeps_meta: whether it can store `AnnotatedDocument.meta`.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[[IO[bytes], str], Iterator[AnnotatedDocument]]
    write: Callable[[Iterable[AnnotatedDocument]], Iterator[bytes]]
    keeps_meta: bool = False

    def parse(self, content: bytes, name: str) -> list[AnnotatedDocument]:
        """The documents of a whole file; see `read`."""
        return list(self.read(io.BytesIO(content), name))

    def render(self, documents: Iterable[AnnotatedDocument]) -> bytes:
        """The whole file; see `write`."""
        return b"".join(self.write(documents))


@dataclasses.dataclass(frozen=True, slots=True)
class FolderFormat:
    """A corpus format with one document per file, or per group of files with the same name.

    `doc_id` is the path of the file below the corpus folder, without its ending.

    Attributes:
        name: its key in `CORPORA`.
        endings: of the files of a document, in lower case.
        read: (contents of the files in the order of `endings`, name) -> the document.
        write: (document, its ordinal from 1) -> contents of the files in that order.
        keeps_meta: see `StreamFormat`.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[[Sequence[bytes], str], AnnotatedDocument]
    write: Callable[[AnnotatedDocument, int], tuple[bytes, ...]]
    keeps_meta: bool = False

    def parse(self, contents: Sequence[bytes], name: str) -> list[AnnotatedDocument]:
        """The document of some files; its id is `name`."""
        return [self.read(contents, name)]

    def files(self, document: AnnotatedDocument, number: int) -> dict[str, bytes]:
        """Path -> content of one document.

        Raises:
            CorpusError: if the format cannot hold the document, or its id is not a valid path.
        """
        require_path(document.doc_id, number)
        contents = self.write(document, number)
        return {
            document.doc_id + ending: content
            for ending, content in zip(self.endings, contents, strict=True)
        }

    def render(self, documents: Iterable[AnnotatedDocument]) -> dict[str, bytes]:
        """Path -> content of all files."""
        found: dict[str, bytes] = {}
        for number, document in unique(documents, "document"):
            found.update(self.files(document, number))
        return found


@dataclasses.dataclass(frozen=True, slots=True)
class GroupFormat:
    """A corpus format with any number of documents in a few files of the same name.

    Attributes:
        name: its key in `CORPORA`.
        stem: the name that the files get, without their endings.
        endings: of the files that are written, in lower case; the first is that of the texts.
        read: (contents in the order of `endings`, None for a file that is not there; name) -> the
            documents, in order.
        write: documents -> for each a piece of each file. Equal documents give equal bytes.
        keeps_meta: see `StreamFormat`.
    """

    name: str
    stem: str
    endings: tuple[str, ...]
    read: Callable[[Sequence[bytes | None], str], list[AnnotatedDocument]]
    write: Callable[[Iterable[AnnotatedDocument]], Iterator[tuple[bytes, ...]]]
    keeps_meta: bool = False

    def parse(self, contents: Sequence[bytes | None], name: str) -> list[AnnotatedDocument]:
        """The documents of the files; see `read`."""
        return self.read(contents, name)

    def render(self, documents: Iterable[AnnotatedDocument]) -> dict[str, bytes]:
        """File name -> content of all files."""
        pieces = list(self.write(documents))
        return {
            self.stem + ending: b"".join(piece[place] for piece in pieces)
            for place, ending in enumerate(self.endings)
        }


CorpusFormat = StreamFormat | FolderFormat | GroupFormat


# -- shared by several formats

_LABEL = re.compile(r"[\w-]{1,64}")


def refuse(number: int, fault: str, what: str, on_terminal: str | None = None) -> NoReturn:
    """Raises the error for a document that cannot be written.

    Raises:
        CorpusError: always.
    """
    raise CorpusError(number, fault, what, place="document", on_terminal=on_terminal) from None


def refuse_label(number: int, label: str, what: str) -> NoReturn:
    """Raises the error for a document that cannot be written because of a label.

    Args:
        number: of the document.
        label: from the corpus, so it may be misplaced text; only a terminal shows it.
        what: what is wrong with the label, and what to do.

    Raises:
        CorpusError: always, "UnknownLabel".
    """
    shown = repr(label) if _LABEL.fullmatch(label) else "a label with characters beyond letters"
    refuse(number, "UnknownLabel", f"a label {what}", f"{shown} {what}")


def unique(
    documents: Iterable[AnnotatedDocument], place: str
) -> Iterator[tuple[int, AnnotatedDocument]]:
    """Yields the documents with their ordinals from 1.

    Raises:
        CorpusError: "DuplicateDocId" at the second document with the same id.
    """
    seen: set[str] = set()
    for number, document in enumerate(documents, start=1):
        if document.doc_id in seen:
            what = f"an earlier {place} has the same doc_id"
            raise CorpusError(number, "DuplicateDocId", what, place=place)
        seen.add(document.doc_id)
        yield number, document


def in_order(spans: Iterable[Annotation]) -> list[Annotation]:
    """The spans by start, longer first, then by label."""
    return sorted(spans, key=lambda span: (span.start, -span.end, span.label))


def disjoint(document: AnnotatedDocument, number: int) -> list[Annotation]:
    """The spans in order.

    Raises:
        CorpusError: "OverlappingSpans" if two share a character.
    """
    spans = in_order(document.spans)
    for first, second in zip(spans, spans[1:], strict=False):
        if second.start < first.end:
            refuse(number, "OverlappingSpans", "two spans overlap, which the format cannot hold")
    return spans


def encodable(text: str) -> bool:
    """Whether UTF-8 can hold the text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def encoded(text: str, number: int) -> bytes:
    """The text in UTF-8.

    Raises:
        CorpusError: "LoneSurrogate" if it contains half of a surrogate pair.
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        what = "the document contains half of a surrogate pair, which UTF-8 cannot hold"
        refuse(number, "LoneSurrogate", what)


def decoded(content: bytes) -> str:
    """The text of a whole file in UTF-8; a byte-order mark stays as a character.

    Raises:
        CorpusError: "BadUtf8" with its line.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    raise CorpusError(line, "BadUtf8", "a byte of the line cannot be decoded")


def place(start: int, end: int, label: str, length: int, line: int) -> Annotation:
    """One span of a text of `length` characters.

    Raises:
        CorpusError: if it is empty or extends outside the text.
    """
    if not (0 <= start <= length and 0 <= end <= length):
        what = f"the span extends outside the text of {length} characters"
        raise CorpusError(line, "OffsetOutsideText", what)
    if start >= end:
        raise CorpusError(line, "EmptySpan", "the span is empty")
    return Annotation(start, end, label)


def blanked(text: str) -> str:
    """The text with all white space as spaces, as span files write covered texts."""
    return re.sub(r"\s", " ", text)


_MOST_PATH_BYTES = 240
"""Per name in the path: most file systems allow 255, and an ending follows."""


def require_path(doc_id: str, number: int) -> None:
    """Checks that a document's id is a relative path that a listing finds again.

    Raises:
        CorpusError: "BadDocId".
    """
    good = encodable(doc_id) and all(
        name
        and name[0] not in "._"
        and "\0" not in name
        and "\\" not in name
        and len(name.encode()) <= _MOST_PATH_BYTES
        for name in doc_id.split("/")
    )
    # A name that starts with a protocol would leave the folder.
    if not good or "::" in doc_id or ":/" in doc_id:
        refuse(
            number,
            "BadDocId",
            "each document becomes a file named by its doc_id, which must be a relative path; its "
            "names must not be empty or start with '.' or '_'",
        )
