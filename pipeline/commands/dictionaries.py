"""`scrubline dictionaries`: shows the shipped lists; fetches and builds the large official ones.

The only part of the package that ever opens a network connection of its own, and only `fetch`.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import http.client
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from ...dictionaries import DICTIONARIES, DictionaryError, load, without_secrets
from ...dictionaries.official import SOURCES, TABLES, Parser, clean
from ...dictionaries.unpacking import MOST_BYTES
from ...models.core.errors import StorageError, UsageError, error_class
from ...models.core.shortage import raise_shortage
from ...models.storage.storage import Storage
from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .new_files import require_new

SECONDS = 60
"""How long a server may be silent."""

_BLOCK = 1 << 20


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if an option cannot be used, or a file is not what it should be.
        StorageError: if a file cannot be fetched.
    """
    if parsed.what != "list" and not parsed.output:
        raise UsageError("say where to write with --output FOLDER")
    if parsed.what == "build" and not parsed.source:
        raise UsageError("say where the official files are with --from FOLDER")
    try:
        for line in _lines(parsed):
            show(line)
    except DictionaryError as error:
        raise UsageError(str(error)) from None
    return ExitCode.DONE


def _lines(parsed: argparse.Namespace) -> Iterator[str]:
    only = tuple(parsed.only or ())
    if parsed.what == "list":
        return iter(list_lists())
    if parsed.what == "fetch":
        return fetch(parsed.output, only=only, urls=tuple(parsed.urls or ()))
    return build(
        parsed.source,
        parsed.output,
        only=only,
        least_count=parsed.least_count,
        subtract=tuple(parsed.subtract or ()),
    )


def list_lists() -> list[str]:
    """A row a list: the shipped ones with kind and size, then the official ones with their URL."""
    lines = ["shipped; origin and licence are in SOURCES.md of each folder:"]
    width = max(map(len, DICTIONARIES))
    for name, path in sorted(DICTIONARIES.items()):
        dictionary = load(name)
        kind = "plain" if dictionary.weights is None else "weighted"
        lines.append(f"  {name:{width}} {path.partition('/')[0]:13} {kind:9} {len(dictionary):7,}")
    lines.append("official; `fetch` gets them, `build` makes lists of them:")
    for name, source in SOURCES.items():
        kind = "weighted" if source.weighted else "plain"
        lines += [
            f"  {name:24} {kind}; {source.title}",
            f"    {source.url}",
            f"    {source.licence}",
        ]
    lines.append("built from a tab-separated table in the folder alone:")
    lines += [f"  {name:24} {table.title}" for name, table in TABLES.items()]
    return lines


def fetch(output: str, *, only: Sequence[str] = (), urls: Sequence[str] = ()) -> Iterator[str]:
    """Fetches the publishers' files into a folder; gives a line as each is there.

    Args:
        output: folder; files of other names that are in it stay, and a file that is there already
            is not fetched again.
        only: names of `SOURCES`; all if empty.
        urls: "NAME=URL", instead of the official ones; http, https or any of fsspec.

    Raises:
        UsageError: if a name is unknown.
        DictionaryError: if a file is too large.
        StorageError: if one cannot be fetched.
    """
    others = dict(_overridden(pair) for pair in urls)
    storage = Storage()
    for name in _chosen(only, SOURCES) if only else sorted(SOURCES):
        target = f"{output.rstrip('/')}/{SOURCES[name].file}"
        if storage.exists(target):
            yield f"{name}: {SOURCES[name].file} is there already"
            continue
        url = others.get(name, SOURCES[name].url)
        digest, size = hashlib.sha256(), 0
        with storage.create(target) as writer:
            for block in _blocks(storage, name, url):
                size += len(block)
                if size > MOST_BYTES:
                    raise DictionaryError(f"{name}: more than {MOST_BYTES} bytes")
                digest.update(block)
                writer.write(block)
            if not size:
                raise DictionaryError(f"{name}: the file is empty")
        yield f"{name}: {size:,} bytes, SHA-256 {digest.hexdigest()}"


def build(
    source: str,
    output: str,
    *,
    only: Sequence[str] = (),
    least_count: int = 1,
    subtract: Sequence[str] = (),
) -> Iterator[str]:
    """Makes lists of the official files and tables in a folder; gives a line as each is written.

    The same files and options give the same bytes.

    Args:
        source: folder with files named as `Source.file` or `Source.tables` say.
        output: folder to write to; must not exist.
        only: lists to make; all that the folder has files for if empty.
        least_count: phrases of weighted lists with a smaller weight are left out.
        subtract: lists whose phrases are left out, whatever their case; by name, path or URL.

    Raises:
        UsageError: if an option cannot be used, or there is nothing to make a list of.
        DictionaryError: if a file is not what its name says, or a list would be empty.
    """
    if least_count < 1:
        raise UsageError("--least-count must be at least 1")
    storage = Storage()
    require_new(output, "--output", storage=storage)
    unwanted = {phrase.casefold() for name in subtract for phrase in load(name).phrases}
    known = {*SOURCES, *TABLES}
    files = _files(storage, source)
    wanted = _chosen(only, known) if only else sorted(known & files.keys())
    if missing := sorted(set(wanted) - files.keys()):
        raise UsageError(f"the folder has no file for {', '.join(missing)}")
    if not wanted:
        raise UsageError(
            "the folder has none of the files: expected "
            + ", ".join(source.file for source in SOURCES.values())
            + ", or tables; `scrubline dictionaries fetch` gets them"
        )
    rows = []
    for name in wanted:
        made = _make(storage, name, files[name], least_count, unwanted)
        storage.write_bytes(f"{output.rstrip('/')}/{made.file}", made.content)
        rows.append(made.row)
        yield f"{made.file}: {made.size:,} phrases"
    note = _sources(rows, least_count, [without_secrets(name) for name in subtract])
    storage.write_bytes(f"{output.rstrip('/')}/SOURCES.md", note)


@dataclasses.dataclass(frozen=True, slots=True)
class _Made:
    file: str
    content: bytes = dataclasses.field(repr=False)
    size: int
    row: str


def _make(
    storage: Storage,
    name: str,
    files: Sequence[tuple[str, str, Parser]],
    least_count: int,
    unwanted: set[str],
) -> _Made:
    """One list of one or more files, each (name, URL, reader)."""
    found: dict[str, int] = {}
    dropped = 0
    origins = []
    for file, url, parse in files:
        with storage.open_read(url) as stream:
            digest = _digest(stream, file)
            stream.seek(0)
            phrases, bad = clean(parse(stream, file))
        origins.append(f"`{file}` (SHA-256 {digest})")
        dropped += bad
        for phrase, weight in phrases.items():
            found[phrase] = found.get(phrase, 0) + weight
    # A list is weighted if its source counts something; zeros alone are no weights.
    weighted = any(found.values())
    kept = {
        phrase: weight
        for phrase, weight in found.items()
        if phrase.casefold() not in unwanted and (not weighted or weight >= least_count)
    }
    if not kept:
        raise DictionaryError(f"{name}: no phrases are left; the list would be empty")
    ordered = sorted(kept)
    lines = [f"{phrase}\t{kept[phrase]}\n" if weighted else f"{phrase}\n" for phrase in ordered]
    file = f"{name}.tsv" if weighted else f"{name}.txt"
    if name in SOURCES:
        origin = f"{SOURCES[name].title}, published at {SOURCES[name].url}"
        licence = SOURCES[name].licence
    else:
        origin, licence = TABLES[name].title, TABLES[name].licence
    row = (
        f"| `{file}` | {origin}; read from {', '.join(origins)} | {licence} | {len(kept):,} kept,"
        f" {len(found) - len(kept):,} subtracted or too rare, {dropped:,} not fit for a list |"
    )
    return _Made(file, "".join(lines).encode(), len(kept), row)


def _files(storage: Storage, folder: str) -> dict[str, list[tuple[str, str, Parser]]]:
    """List -> its files in a folder: name, URL, reader. The publisher's file goes before tables."""
    try:
        names = storage.list_names(folder)
    except (StorageError, OSError) as error:
        raise_shortage(error)
        raise UsageError(f"--from: the folder cannot be read ({error_class(error)})") from None
    found: dict[str, list[tuple[str, str, Parser]]] = {}

    def add(name: str, file: str, parse: Parser) -> None:
        found.setdefault(name, []).append((file, f"{folder.rstrip('/')}/{file}", parse))

    for name, source in SOURCES.items():
        if source.file in names:
            add(name, source.file, source.parse)
            continue
        for pattern, parse in source.tables:
            for file in sorted(names):
                if re.fullmatch(pattern, file):
                    add(name, file, parse)
    for name, table in TABLES.items():
        for file in sorted(names):
            if re.fullmatch(table.pattern, file):
                add(name, file, table.parse)
    return found


def _digest(stream: IO[bytes], file: str) -> str:
    digest, size = hashlib.sha256(), 0
    while block := stream.read(_BLOCK):
        size += len(block)
        if size > MOST_BYTES:
            raise DictionaryError(f"{file}: more than {MOST_BYTES} bytes")
        digest.update(block)
    return digest.hexdigest()


def _sources(rows: Sequence[str], least_count: int, subtracted: Sequence[str]) -> bytes:
    lines = (
        "# Lists made by `scrubline dictionaries build`",
        "",
        "| list | origin | licence | how it was cleaned |",
        "| --- | --- | --- | --- |",
        *rows,
        "",
        "Changed: names in capitals are capitalised, words are in small letters; NFC, sorted,",
        f"unique, repeats added up. Weights below {least_count} are left out.",
        f"Subtracted: {', '.join(subtracted) or 'nothing'}.",
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _blocks(storage: Storage, name: str, url: str) -> Iterator[bytes]:
    """The bytes at a URL. Messages name the source alone: a URL may hold a key."""
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        with storage.open_read(url) as stream:
            while block := stream.read(_BLOCK):
                yield block
        return
    # Some publishers turn away the library's own name.
    request = urllib.request.Request(url, headers={"User-Agent": "Mozilla/5.0 (scrubline)"})
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            expected = answer.headers.get("Content-Length")
            size = 0
            while block := answer.read(_BLOCK):
                size += len(block)
                yield block
            if expected is not None and expected.isdigit() and int(expected) != size:
                raise StorageError(f"{name}: {size:,} bytes came, expected {int(expected):,}")
    except urllib.error.HTTPError as error:
        raise StorageError(f"{name}: cannot be fetched: the server said {error.code}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise StorageError(f"{name}: cannot be fetched ({error_class(error)})") from None


def _overridden(pair: str) -> tuple[str, str]:
    name, equals, url = pair.partition("=")
    if not equals or not url:
        raise UsageError("--url takes NAME=URL")
    return _chosen([name], SOURCES)[0], url


def _chosen(names: Sequence[str], known: Mapping[str, object] | set[str]) -> list[str]:
    if unknown := sorted(set(names) - set(known)):
        raise UsageError(f"unknown lists {unknown}; known: {', '.join(sorted(known))}")
    return sorted(set(names))
