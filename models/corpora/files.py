"""Corpora on storage: finds the files of a corpus, chooses their format, reads and writes them.

A corpus is a file, a folder or a glob. Each format converts bytes in its own module.
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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, cast

from ..core.errors import UsageError
from ..core.suggestions import did_you_mean
from ..storage.input_files import InputFile
from ..storage.retries import MissingFileError, StorageAccessError
from ..storage.storage import Storage
from . import brat, conll, i2b2_2006, i2b2_2014, physionet, standoff
from .base import (
    AnnotatedDocument,
    CorpusError,
    CorpusFormat,
    FolderFormat,
    GroupFormat,
    StreamFormat,
    unique,
)
from .markup import MOST_BYTES, root_of
from .safe_reader import SafeReader

_log = logging.getLogger(__name__)

CORPORA: Mapping[str, CorpusFormat] = {
    form.name: form
    for form in (
        standoff.FORMAT,
        i2b2_2014.FORMAT,
        i2b2_2006.FORMAT,
        brat.FORMAT,
        conll.FORMAT,
        physionet.FORMAT,
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
    """The format with a name.

    Raises:
        UsageError: if it is unknown; it lists the known names.
    """
    try:
        return CORPORA[name]
    except KeyError:
        meant = did_you_mean(name, CORPORA)
        raise UsageError(f"unknown corpus format{meant}; expected one of {list(CORPORA)}") from None


def format_of_target(target: Place, form: str | None = None) -> CorpusFormat:
    """The format of a corpus to be written: `form`, or by the ending of the target.

    Raises:
        UsageError: if neither determines it.
    """
    if form is not None:
        return corpus_format(form)
    _, ending, _ = _split_name(os.fspath(target))
    found = [f for f in CORPORA.values() if isinstance(f, StreamFormat) and ending in f.endings]
    if len(found) == 1 and ending != ".xml":
        return found[0]
    raise UsageError(
        "the ending of the output does not determine its format; expected one of "
        f"{_endings()}, or --to with the name of a format: {list(CORPORA)}"
    )


# -- reading


def read_annotated(
    source: Place | IO[bytes] | Sequence[Place], form: str | None = None
) -> Iterator[AnnotatedDocument]:
    """Yields the documents of a corpus, one at a time, files sorted by path.

    Without `form` the ending of each file determines its format (".gz", ".bz2" and ".xz" after it
    are unpacked); for ".xml" its outermost element does. In a folder, files with other endings are
    left out with a warning.

    Args:
        source: URLs or paths of files, folders or globs; or an open binary stream of one file,
            which stays open, and is stand-off JSON Lines by default.
        form: a key of `CORPORA`.

    Yields:
        Documents; for formats with one document per file, `doc_id` is the path of the file below
        the folder, without its ending.

    Raises:
        CorpusError: at the first invalid line, or the second document with the same id.
        UsageError: if there is no file, or its format is not clear.
        StorageError: if a file cannot be read to its end.
    """
    if not isinstance(source, (str, os.PathLike, Sequence)):
        streamed = corpus_format(form or "standoff")
        if not isinstance(streamed, StreamFormat):
            raise _no_stream(streamed)
        yield from streamed.read(SafeReader.of(source), "")
        return
    sources = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    storage = Storage()
    named = None if form is None else corpus_format(form)
    inputs = _inputs(storage, [os.fspath(place) for place in sources], named)
    several = len(inputs) > 1
    documents = itertools.chain.from_iterable(
        _read_input(storage, read, number if several else None)
        for number, read in enumerate(inputs, start=1)
    )
    if not several:
        yield from documents
        return
    for _, document in unique(documents, "document"):
        yield document


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _CorpusInput:
    """The file, or the group of files of one document or corpus, that is read at once.

    Attributes:
        urls: in the order of the format's endings; "" for a file of a `GroupFormat` that is not
            there.
        form: None if the content determines it.
        name: path without ending.
    """

    urls: tuple[str, ...]
    form: CorpusFormat | None
    name: str


def _no_stream(form: FolderFormat | GroupFormat) -> UsageError:
    what = "one document per file" if isinstance(form, FolderFormat) else "several files"
    return UsageError(f"{form.name} has {what}: it cannot be a stream")


def _inputs(
    storage: Storage, sources: Sequence[str], named: CorpusFormat | None
) -> list[_CorpusInput]:
    alone = len(sources) == 1 and _single(storage, sources[0])
    files = [alone] if alone else storage.list_files(sources)
    endings = {_split_name(file.path)[1] for file in files}
    pairs = named is brat.FORMAT or (named is None and ".ann" in endings)
    inputs: list[_CorpusInput] = []
    brat_files: dict[str, dict[str, str]] = {}
    groups: dict[str, dict[str, str]] = {}
    left_out = 0
    for file in files:
        name, ending, _ = _split_name(file.path)
        if named in (None, physionet.FORMAT) and (part := _part_of_group(file.path, bool(alone))):
            if part[1] in groups.setdefault(part[0], {}):
                raise UsageError("two files of the corpus differ only in their endings")
            groups[part[0]][part[1]] = file.url
        elif pairs and ending in brat.FORMAT.endings:
            if ending in brat_files.setdefault(name, {}):
                raise UsageError("two files of the corpus differ only in the case of their endings")
            brat_files[name][ending] = file.url
        elif named is physionet.FORMAT:
            left_out += 1
        elif named is not None:
            # With a named format the ending does not matter, except in a folder with other files.
            if alone or ending in named.endings or isinstance(named, StreamFormat):
                inputs.append(_CorpusInput((file.url,), named, name))
            else:
                left_out += 1
        elif (form := _by_ending(ending)) is not None or ending == ".xml":
            inputs.append(_CorpusInput((file.url,), form, name))
        else:
            left_out += 1
    for name, urls in brat_files.items():
        if alone:
            urls |= _partner(storage, alone)
        missing = [ending for ending in brat.FORMAT.endings if ending not in urls]
        if missing:
            raise UsageError(
                f"a document of the brat corpus has no {missing[0]} file; each needs a .txt and an "
                ".ann file (empty without annotations)"
            )
        inputs.append(
            _CorpusInput(tuple(urls[ending] for ending in brat.FORMAT.endings), brat.FORMAT, name)
        )
    for name, urls in groups.items():
        if alone:
            urls |= _group_partners(storage, alone)
        if group := _group_input(name, urls):
            inputs.append(group)
        elif named is None:
            left_out += len(urls)  # .text is not only the ending of corpora
        else:
            raise _incomplete_group()
    if not inputs and groups:
        raise _incomplete_group()
    if not inputs:
        raise UsageError(
            "the ending of the corpus does not determine its format; expected one of "
            f"{_endings()}, or the name of a format: {list(CORPORA)}"
        )
    if left_out:
        _log.warning("%d files are left out: their endings are not of a corpus format", left_out)
    return sorted(inputs, key=lambda read: (read.name, read.urls))


def _single(storage: Storage, source: str) -> InputFile | None:
    """The file, if the source names one, whatever its name; None for folders and globs."""
    if os.path.exists(source) and not (os.path.isfile(source) or os.path.isdir(source)):
        raise UsageError("a corpus must be a file or a folder, not a pipe or a device")
    try:
        with contextlib.closing(storage.open_read(source)) as stream:
            size = stream.seek(0, io.SEEK_END)
    except MissingFileError:
        return None
    except StorageAccessError:
        return None  # a folder; for anything else the listing fails
    return InputFile(source, size, "", source.rstrip("/").rpartition("/")[2])


def _partner(storage: Storage, file: InputFile) -> dict[str, str]:
    """The other file of a pair, if it exists."""
    name, ending, packed = _split_name(file.url)
    (other,) = set(brat.FORMAT.endings) - {ending}
    url = f"{name}{other}{packed}"
    return {other: url} if storage.exists(url) else {}


def _part_of_group(path: str, is_alone: bool) -> tuple[str, str] | None:
    """The name of a group in `physionet` that a file belongs to, and its ending there.

    What the software found is read only if the user names that file: in a folder it would be taken
    for gold.
    """
    _, _, packed = _split_name(path)
    bare = path.removesuffix(packed)
    endings = (*physionet.FORMAT.endings, physionet.FOUND) if is_alone else physionet.FORMAT.endings
    for ending in endings:
        if bare.lower().endswith(ending):
            return bare[: -len(ending)], ending
    return None


def _group_partners(storage: Storage, file: InputFile) -> dict[str, str]:
    """The other files that a file of `physionet` needs, if they exist.

    The file of texts needs all that locate PHI; one of these the texts alone.
    """
    part = _part_of_group(file.url, True)
    assert part is not None
    name, ending = part
    packed = _split_name(file.url)[2]
    texts, *located = physionet.FORMAT.endings
    urls = {other: f"{name}{other}{packed}" for other in (located if ending == texts else [texts])}
    return {other: url for other, url in urls.items() if storage.exists(url)}


def _group_input(name: str, urls: Mapping[str, str]) -> _CorpusInput | None:
    """What is read at once; None if the texts, or all files that locate PHI, are missing."""
    texts, *located = physionet.FORMAT.endings
    found = dict(urls)
    if physionet.FOUND in found:
        found[physionet.LOCATIONS] = found.pop(physionet.FOUND)
    if texts not in found or not any(ending in found for ending in located):
        return None
    ordered = tuple(found.get(ending, "") for ending in physionet.FORMAT.endings)
    return _CorpusInput(ordered, physionet.FORMAT, name)


def _incomplete_group() -> UsageError:
    return UsageError(
        f"a corpus of the form {physionet.FORMAT.name} has a file {physionet.TEXTS} and at least "
        f"one of {physionet.PHRASES} and {physionet.LOCATIONS}, with the same name before these "
        "endings; one is missing"
    )


def _by_ending(ending: str) -> CorpusFormat | None:
    if ending == ".xml":
        return None
    streams = (form for form in CORPORA.values() if isinstance(form, StreamFormat))
    return next((form for form in streams if ending in form.endings), None)


def _endings() -> str:
    return ", ".join(f"{' '.join(form.endings)} ({name})" for name, form in CORPORA.items())


def _split_name(path: str) -> tuple[str, str, str]:
    """The path without endings, its ending in lower case, and the ending of its compression."""
    stem, packed = os.path.splitext(path)
    if packed.lower() not in _PACKED:
        stem, packed = path, ""
    stem, ending = os.path.splitext(stem)
    return stem, ending.lower(), packed


def _read_input(
    storage: Storage, read: _CorpusInput, number: int | None
) -> Iterator[AnnotatedDocument]:
    try:
        form = read.form or _by_root(storage, read.urls[0])
        if isinstance(form, FolderFormat):
            yield form.read([_content(storage, url) for url in read.urls], read.name)
            return
        if isinstance(form, GroupFormat):
            contents = [_content(storage, url) if url else None for url in read.urls]
            yield from form.read(contents, read.name)
            return
        with _opened(storage, read.urls[0]) as stream:
            yield from form.read(stream, read.name)
    except CorpusError as error:
        if number is None:
            raise
        fault = error
    else:
        return
    raise fault.in_file(number)


def _content(storage: Storage, url: str) -> bytes:
    with _opened(storage, url) as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise CorpusError(1, "TooLarge", f"the file is over {MOST_BYTES:,} bytes")
    return content


def _by_root(storage: Storage, url: str) -> CorpusFormat:
    with _opened(storage, url) as stream:
        root = root_of(stream)
    if root not in _ROOTS:
        raise UsageError(
            f"the outermost element of an .xml file is not one of {sorted(_ROOTS)}; name its "
            f"format with --from: {sorted(form.name for form in _ROOTS.values())}"
        )
    return _ROOTS[root]


@contextlib.contextmanager
def _opened(storage: Storage, url: str) -> Iterator[IO[bytes]]:
    packed = _split_name(url)[2].lower()
    with contextlib.ExitStack() as stack:
        stream: Any = stack.enter_context(contextlib.closing(storage.open_read(url)))
        if packed:
            stream = stack.enter_context(_PACKED[packed](stream, "rb"))
        yield SafeReader.of(stream)


# -- writing


def write_annotated(
    documents: Iterable[AnnotatedDocument], target: Place | IO[bytes], form: str | None = None
) -> int:
    """Writes a corpus that `read_annotated` reads; equal documents give equal bytes.

    Spans are sorted by start, longer first, then by label. A file appears whole or not at all; a
    folder is removed again if a document cannot be written.

    Args:
        documents: in the order of the file; they are read one at a time.
        target: URL or path; or an open binary stream, which stays open, and keeps what was written
            before an error. Formats of several files need a folder that is empty or does not
            exist.
        form: a key of `CORPORA`; None for the format of the target's ending, or for a stream
            stand-off JSON Lines.

    Returns:
        The number of documents written.

    Raises:
        CorpusError: if the format cannot hold a document, or two have the same `doc_id`; it gives
            the document's ordinal.
        UsageError: if the format is not clear.
        StorageError: if the target cannot be written.
    """
    counted = _CountedDocuments(documents)
    if not isinstance(target, (str, os.PathLike)):
        chosen = corpus_format(form or "standoff")
        if not isinstance(chosen, StreamFormat):
            raise _no_stream(chosen)
        for chunk in chosen.write(counted):
            target.write(chunk)
        return counted.count
    chosen = format_of_target(target, form)
    url = os.fspath(target)
    # Without a root, so no message names a file, whose name may be an id. It holds texts.
    storage = Storage(private=True)
    if isinstance(chosen, FolderFormat):
        _write_folder(storage, url.rstrip("/"), chosen, counted)
        return counted.count
    if isinstance(chosen, GroupFormat):
        _write_group(storage, url.rstrip("/"), chosen, counted)
        return counted.count
    packed = _split_name(url)[2].lower()
    with storage.create(url) as sink, contextlib.ExitStack() as stack:
        stream: Any = sink
        if packed == ".gz":
            # No name or time in the header, so equal documents give equal bytes.
            stream = gzip.GzipFile("", "wb", 9, cast("IO[bytes]", sink), 0)
            stack.enter_context(stream)
        elif packed:
            stream = stack.enter_context(_PACKED[packed](sink, "wb"))
        for chunk in chosen.write(counted):
            stream.write(chunk)
    return counted.count


class _CountedDocuments:
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
    with _new_folder(storage, folder, form) as written:
        for number, document in unique(documents, "document"):
            for name, content in form.files(document, number).items():
                written.append(f"{folder}/{name}")
                storage.write_bytes(written[-1], content)


def _write_group(
    storage: Storage, folder: str, form: GroupFormat, documents: Iterable[AnnotatedDocument]
) -> None:
    with _new_folder(storage, folder, form) as written, contextlib.ExitStack() as stack:
        written += [f"{folder}/{form.stem}{ending}" for ending in form.endings]
        sinks = [stack.enter_context(storage.create(url)) for url in written]
        for pieces in form.write(documents):
            for sink, piece in zip(sinks, pieces, strict=True):
                sink.write(piece)


@contextlib.contextmanager
def _new_folder(
    storage: Storage, folder: str, form: FolderFormat | GroupFormat
) -> Iterator[list[str]]:
    """Gives a list for the URLs of new files; after an error these are removed again."""
    if storage.list_names(folder):
        raise UsageError(
            f"{form.name} needs a folder that is empty or does not exist: old files would become "
            "part of the corpus"
        )
    was_there = storage.exists(folder)
    written: list[str] = []
    try:
        yield written
    except BaseException:
        if was_there:
            for url in written:
                storage.delete(url)
        else:
            storage.delete_folder(folder)
        raise
