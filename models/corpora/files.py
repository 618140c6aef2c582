"""Corpora on storage: which files a place stands for, in which format, read and written.

A place is a file, a folder or a glob. What a format makes of bytes is in its own module.
"""

from __future__ import annotations

import bz2
import contextlib
import dataclasses
import gzip
import io
import itertools
import logging
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, cast

from ..errors import StorageError, UsageError, error_class
from ..faults import MissingFileError, StorageAccessError
from ..shortage import raise_shortage
from ..storage import InputFile, Storage
from . import brat, conll, i2b2_2006, i2b2_2014, standoff
from .base import (
    AnnotatedDocument,
    CorpusError,
    CorpusFormat,
    FolderFormat,
    StreamFormat,
    unique,
)
from .markup import MOST_BYTES, root_of

_log = logging.getLogger(__name__)

CORPORA: Mapping[str, CorpusFormat] = {
    form.name: form
    for form in (
        standoff.FORMAT,
        i2b2_2014.FORMAT,
        i2b2_2006.FORMAT,
        brat.FORMAT,
        conll.FORMAT,
    )
}
"""Name -> corpus format."""

_ROOTS: Mapping[str, CorpusFormat] = {
    i2b2_2014.ROOT: i2b2_2014.FORMAT,
    i2b2_2006.ROOT: i2b2_2006.FORMAT,
}

_PACKED: Mapping[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}

Place = str | os.PathLike[str]


def corpus_format(name: str) -> CorpusFormat:
    """The format of a name.

    Raises:
        UsageError: if there is none, with the names.
    """
    try:
        return CORPORA[name]
    except KeyError:
        raise UsageError(f"unknown corpus format; expected one of {list(CORPORA)}") from None


def format_of_target(target: Place, form: str | None = None) -> CorpusFormat:
    """The format in which a corpus is to be written: `form`, or by the ending of the target.

    Raises:
        UsageError: if neither says which.
    """
    if form is not None:
        return corpus_format(form)
    _, ending, _ = _split_name(os.fspath(target))
    found = [f for f in CORPORA.values() if isinstance(f, StreamFormat) and ending in f.endings]
    if len(found) == 1 and ending != ".xml":
        return found[0]
    raise UsageError(
        "the ending of the corpus to be written does not say which format is meant; "
        f"expected one of {_endings()}, or the name of a format (--to): {list(CORPORA)}"
    )


# -- reading


def read_annotated(
    source: Place | IO[bytes] | Sequence[Place], form: str | None = None
) -> Iterator[AnnotatedDocument]:
    """Yields the documents of a corpus, one at a time, files sorted by path.

    Without `form` each file's format is that of its ending (".gz", ".bz2" and ".xz" before it are
    unpacked), and that of its outermost element for ".xml". In a folder, files of other endings are
    left out with a warning.

    Args:
        source: URLs or paths of files, folders or globs; or an open binary stream of one file,
            which is left open, and is stand-off JSON Lines unless `form` says otherwise.
        form: a key of `CORPORA`.

    Yields:
        Documents; for formats of one document a file, `doc_id` is the file's path below the folder,
        without its ending.

    Raises:
        CorpusError: at the first line that is not what it must be, or the second document of an id.
        UsageError: if there is no file, or its format is not clear.
        StorageError: if a file cannot be read to its end.
    """
    if not isinstance(source, (str, os.PathLike, Sequence)):
        asked = corpus_format(form or "standoff")
        if isinstance(asked, FolderFormat):
            raise UsageError(f"{asked.name} has one document a file: it cannot come by a stream")
        yield from asked.read(_Guarded.of(source), "")
        return
    sources = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    storage = Storage()
    named = None if form is None else corpus_format(form)
    inputs = _inputs(storage, [os.fspath(one) for one in sources], named)
    several = len(inputs) > 1
    found = itertools.chain.from_iterable(
        _read_input(storage, one, number if several else None)
        for number, one in enumerate(inputs, start=1)
    )
    if not several:
        yield from found
        return
    for _, document in unique(found, "document"):
        yield document


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _Input:
    """The files of one input: one, or those of one document.

    Attributes:
        urls: in the order of the format's endings.
        form: None if the content decides.
        name: path without ending.
    """

    urls: tuple[str, ...]
    form: CorpusFormat | None
    name: str


def _inputs(storage: Storage, sources: Sequence[str], asked: CorpusFormat | None) -> list[_Input]:
    alone = len(sources) == 1 and _single(storage, sources[0])
    files = [alone] if alone else storage.list_files(sources)
    endings = {_split_name(file.path)[1] for file in files}
    pairs = asked is brat.FORMAT or (asked is None and ".ann" in endings)
    found: list[_Input] = []
    parts: dict[str, dict[str, str]] = {}
    left_out = 0
    for file in files:
        name, ending, _ = _split_name(file.path)
        if pairs and ending in brat.FORMAT.endings:
            if ending in parts.setdefault(name, {}):
                raise UsageError("two files of the corpus differ only in their endings' writing")
            parts[name][ending] = file.url
        elif asked is not None:
            # What is asked for by name may have any ending, but not in a folder of other things.
            if alone or ending in asked.endings or isinstance(asked, StreamFormat):
                found.append(_Input((file.url,), asked, name))
            else:
                left_out += 1
        elif (form := _by_ending(ending)) is not None or ending == ".xml":
            found.append(_Input((file.url,), form, name))
        else:
            left_out += 1
    for name, urls in parts.items():
        if alone:
            urls |= _partner(storage, alone)
        missing = [ending for ending in brat.FORMAT.endings if ending not in urls]
        if missing:
            raise UsageError(
                f"a document of the brat corpus has no {missing[0]} file; each has a .txt and a "
                ".ann (empty if there is nothing)"
            )
        found.append(
            _Input(tuple(urls[ending] for ending in brat.FORMAT.endings), brat.FORMAT, name)
        )
    if not found:
        raise UsageError(
            f"the ending of the corpus says no format; expected one of {_endings()}, or the name "
            f"of a format: {list(CORPORA)}"
        )
    if left_out:
        _log.warning("%d files are left out, as their endings are of no corpus format", left_out)
    return sorted(found, key=lambda one: (one.name, one.urls))


def _single(storage: Storage, source: str) -> InputFile | None:
    """A file that is named itself, whatever its name begins with; None for folders and globs."""
    if os.path.exists(source) and not (os.path.isfile(source) or os.path.isdir(source)):
        raise UsageError("a corpus must be a file or a folder, not a pipe or a device")
    try:
        with contextlib.closing(storage.open_read(source)) as stream:
            size = stream.seek(0, io.SEEK_END)
    except MissingFileError:
        return None
    except StorageAccessError:
        return None  # a folder; listing says it if there is something else in the way
    return InputFile(source, size, "", source.rstrip("/").rpartition("/")[2])


def _partner(storage: Storage, file: InputFile) -> dict[str, str]:
    """The other file of a pair of which one was named."""
    name, ending, packed = _split_name(file.url)
    (other,) = set(brat.FORMAT.endings) - {ending}
    url = f"{name}{other}{packed}"
    return {other: url} if storage.exists(url) else {}


def _by_ending(ending: str) -> CorpusFormat | None:
    if ending == ".xml":
        return None
    streams = (form for form in CORPORA.values() if isinstance(form, StreamFormat))
    return next((form for form in streams if ending in form.endings), None)


def _endings() -> str:
    return ", ".join(f"{' '.join(form.endings)} ({name})" for name, form in CORPORA.items())


def _split_name(path: str) -> tuple[str, str, str]:
    """The path without its endings, its ending in lower case, and that of its packing as it is."""
    stem, packed = os.path.splitext(path)
    if packed.lower() not in _PACKED:
        stem, packed = path, ""
    stem, ending = os.path.splitext(stem)
    return stem, ending.lower(), packed


def _read_input(storage: Storage, one: _Input, number: int | None) -> Iterator[AnnotatedDocument]:
    try:
        form = one.form or _by_root(storage, one.urls[0])
        if isinstance(form, FolderFormat):
            contents = []
            for url in one.urls:
                with _opened(storage, url) as stream:
                    contents.append(stream.read(MOST_BYTES + 1))
                if len(contents[-1]) > MOST_BYTES:
                    raise CorpusError(1, "TooLarge", f"the file is over {MOST_BYTES:,} bytes")
            yield form.read(contents, one.name)
            return
        with _opened(storage, one.urls[0]) as stream:
            yield from form.read(stream, one.name)
    except CorpusError as error:
        if number is None:
            raise
        fault = error
    else:
        return
    raise fault.in_file(number)


def _by_root(storage: Storage, url: str) -> CorpusFormat:
    with _opened(storage, url) as stream:
        root = root_of(stream)
    if root not in _ROOTS:
        raise UsageError(
            f"the outermost element of an .xml file is none of {sorted(_ROOTS)}; expected the name "
            f"of its format (--from): {sorted(form.name for form in _ROOTS.values())}"
        )
    return _ROOTS[root]


@contextlib.contextmanager
def _opened(storage: Storage, url: str) -> Iterator[IO[bytes]]:
    packed = _split_name(url)[2].lower()
    with contextlib.ExitStack() as stack:
        stream: Any = stack.enter_context(contextlib.closing(storage.open_read(url)))
        if packed:
            stream = stack.enter_context(_PACKED[packed](stream, "rb"))
        yield _Guarded.of(stream)


class _Guarded(io.BufferedReader):
    """A stream whose errors are `StorageError`s without names."""

    @classmethod
    def of(cls, stream: IO[bytes]) -> IO[bytes]:
        """The guarded stream, which leaves the other one open."""
        return cast("IO[bytes]", cls(_Raw(stream), 1 << 20))


class _Raw(io.RawIOBase):
    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            block = self._stream.read(len(buffer))
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise_shortage(error)
            what = error_class(error)  # the message itself may hold the file's name
        else:
            buffer[: len(block)] = block
            return len(block)
        raise StorageError(f"the corpus file could not be read: {what}")


# -- writing


def write_annotated(
    documents: Iterable[AnnotatedDocument], target: Place | IO[bytes], form: str | None = None
) -> int:
    """Writes a corpus that `read_annotated` takes; equal documents give equal bytes.

    Spans are sorted by start, longer first, then by label. A file appears whole or not at all; of a
    folder nothing is left behind if a document cannot be written.

    Args:
        documents: in the order of the file; they are taken one at a time.
        target: URL or path; or an open binary stream, which is left open, and in which what was
            written before an error stays. Formats of one document a file need a folder that is
            empty or not there.
        form: a key of `CORPORA`; None for that of the target's ending, for a stream stand-off JSON
            Lines.

    Returns:
        The number of documents written.

    Raises:
        CorpusError: if the format cannot hold a document, or a `doc_id` comes twice, with the
            document's ordinal.
        UsageError: if the format is not clear.
        StorageError: if the target cannot be written.
    """
    counted = _Counted(documents)
    if not isinstance(target, (str, os.PathLike)):
        asked = corpus_format(form or "standoff")
        if isinstance(asked, FolderFormat):
            raise UsageError(f"{asked.name} has one document a file: it cannot go into a stream")
        for piece in asked.write(counted):
            target.write(piece)
        return counted.count
    asked = format_of_target(target, form)
    url = os.fspath(target)
    # Without a root, so that no message names a file: it may be an id. The texts are in it.
    storage = Storage(private=True)
    if isinstance(asked, FolderFormat):
        _write_folder(storage, url.rstrip("/"), asked, counted)
        return counted.count
    packed = _split_name(url)[2].lower()
    with storage.create(url) as sink, contextlib.ExitStack() as stack:
        stream: Any = sink
        if packed == ".gz":
            # Neither name nor time in the header: equal documents give equal bytes.
            stream = gzip.GzipFile("", "wb", 9, cast("IO[bytes]", sink), 0)
            stack.enter_context(stream)
        elif packed:
            stream = stack.enter_context(_PACKED[packed](sink, "wb"))
        for piece in asked.write(counted):
            stream.write(piece)
    return counted.count


class _Counted:
    """Passes documents on and counts them."""

    def __init__(self, documents: Iterable[AnnotatedDocument]) -> None:
        self._documents = documents
        self.count = 0

    def __iter__(self) -> Iterator[AnnotatedDocument]:
        for document in self._documents:
            self.count += 1
            yield document


def _write_folder(
    storage: Storage, folder: str, form: FolderFormat, documents: Iterable[AnnotatedDocument]
) -> None:
    if storage.list_names(folder):
        raise UsageError(
            f"{form.name} is written to a folder of its own: expected one that is empty or not "
            "there, as old files would become part of the corpus"
        )
    was_there = storage.exists(folder)
    written: list[str] = []
    try:
        for number, document in unique(documents, "document"):
            for name, content in form.files(document, number).items():
                written.append(f"{folder}/{name}")
                storage.write_bytes(written[-1], content)
    except BaseException:
        if was_there:
            for url in written:
                storage.delete(url)
        else:
            storage.delete_folder(folder)
        raise
