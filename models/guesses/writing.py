"""How the files of an input may be written: encoding, and the dialect of CSV.

Suggestions alone. `csv.Sniffer` proposes a delimiter and a quote; encodings are tried one after
another. The default stays unless files cannot be read with it and can be read otherwise.
"""

from __future__ import annotations

import csv
import dataclasses
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence

from ..core.display_names import ColumnNames
from ..core.errors import UsageError
from ..formats import Chunk, Format, FormatOptions, open_format
from ..storage.input_files import InputFile
from ..storage.storage import Storage
from .sampling import sampled

_SNIFFED_CHARACTERS = 8192
"""The patterns of `csv.Sniffer` take time in the square of this."""

_DELIMITERS = ",;\t|"
_ENCODINGS = ("utf-16", "cp1252", "iso8859-1")
_NO_SIGN = "\x1f"
"""A delimiter that no file has: each line of a file is then one cell."""

_UNREADABLE = 2.0


@dataclasses.dataclass(frozen=True, slots=True)
class WritingGuess:
    """How files may be written.

    Attributes:
        options: what was said, and what was guessed of the rest.
        why: name of a guessed option -> the reason, in words that hold no value.
        utf_8: indexes of the files that are UTF-8 all the same, where another encoding was guessed:
            it reads them without an error, and wrongly.
    """

    options: FormatOptions
    why: Mapping[str, str] = dataclasses.field(default_factory=dict)
    utf_8: tuple[int, ...] = ()


def guess_writing(
    storage: Storage,
    files: Sequence[InputFile],
    formats: Sequence[str],
    said: FormatOptions,
) -> WritingGuess:
    """Guesses the options that were not said.

    Args:
        files: a few files of the input.
        formats: key of `FORMATS` for each.
        said: options other than the default are taken as they are.

    Raises:
        StorageError: if storage fails.
    """
    fixed, why = set(said.changed), dict[str, str]()
    trial = _ReadingTrial(storage, list(zip(files, formats, strict=True)))
    options = said
    utf_8: tuple[int, ...] = ()
    if "encoding" not in fixed and trial.bad(options, "encoding") > 0:
        for name in _ENCODINGS:
            other = dataclasses.replace(options, encoding=name)
            if trial.bad(other, "encoding") == 0:
                options, why["encoding"] = other, "no UTF-8"
                utf_8 = tuple(trial.written_in_utf_8(said))
                break
    dialect = _guess_dialect(trial, options, fixed)
    if dialect is not None:
        why |= dict.fromkeys(set(dialect.changed) - set(options.changed), "reads the most records")
        options = dialect
    if "header" not in fixed and trial.begins_with_data(options):
        options = dataclasses.replace(options, header=False)
        why["header"] = "the first line looks like a record, not like names"
    return WritingGuess(options, why, utf_8)


class _ReadingTrial:
    """Some files, read with options to see how that goes."""

    def __init__(self, storage: Storage, files: Sequence[tuple[InputFile, str]]) -> None:
        self._storage, self._files = storage, files

    def bad(self, options: FormatOptions, option: str) -> float:
        """Mean share of records that cannot be read; `_UNREADABLE` for a file as a whole.

        Args:
            option: only files of formats that have it count; and of "encoding", only errors of
                that.
        """
        only = ("BadEncoding",) if option == "encoding" else ()
        shares = [self._bad(file, form, options, only) for file, form in self._having(option)]
        return sum(shares) / max(1, len(shares))

    def written_in_utf_8(self, options: FormatOptions) -> Iterator[int]:
        """Yields the indexes of the files that hold other characters than ASCII, all as UTF-8."""
        having = [*self._having("encoding")]
        for index, (file, name) in enumerate(self._files):
            if (file, name) in having and not self._bad(file, name, options, ("BadEncoding",)):
                form = open_format(name, dataclasses.replace(options, header=False))
                chunks = sampled(self._storage, form, file, form.columns(self._storage, file))
                values = (value for one in chunks for value in _strings(form, one))
                if not all(map(str.isascii, values)):
                    yield index

    def columns(self, options: FormatOptions) -> int:
        """The fewest columns that a delimited file has; 0 if one cannot be read."""
        try:
            return min(
                len(open_format(form, options).columns(self._storage, file))
                for file, form in self._having("delimiter")
            )
        except (UsageError, ValueError):
            return 0

    def lines(self, options: FormatOptions) -> Iterator[str]:
        """Yields the lines of the first delimited file, as far as the sample goes."""
        options = dataclasses.replace(
            options, delimiter=_NO_SIGN, quote="", escape=None, header=False
        )
        for file, form in itertools.islice(self._having("delimiter"), 1):
            for chunk in sampled(self._storage, open_format(form, options), file, ("c1",)):
                yield from (line or "" for line in chunk.columns.column("c1").to_pylist())

    def begins_with_data(self, options: FormatOptions) -> bool:
        """Whether the header of a delimited file is no list of names."""
        for file, form in self._having("header"):
            try:
                names = open_format(form, options).columns(self._storage, file)
            except UsageError:  # an empty name, or a repeated one
                bare = dataclasses.replace(options, header=False)
                return self._bad(file, form, bare, ()) == 0
            if names and ColumnNames(names).look_like_a_record:
                return True
        return False

    def _having(self, option: str) -> Iterator[tuple[InputFile, str]]:
        for file, form in self._files:
            if option in open_format(form, FormatOptions()).traits.options:
                yield file, form

    def _bad(
        self, file: InputFile, name: str, options: FormatOptions, only: Collection[str]
    ) -> float:
        try:
            # With a wrong delimiter a header may be refused before its encoding is seen.
            tried = dataclasses.replace(options, header=False) if only else options
            form = open_format(name, tried)
            columns = form.columns(self._storage, file)
            rows = bad = 0
            for chunk in sampled(self._storage, form, file, columns):
                rows += chunk.columns.num_rows
                bad += sum(not only or code in only for code in chunk.errors.values())
        except UsageError:
            return _UNREADABLE
        return bad / max(1, rows)


def _strings(form: Format, chunk: Chunk) -> Iterator[str]:
    for column in chunk.columns.columns:
        yield from (value for value in form.decode(column) if isinstance(value, str))


def _guess_dialect(
    trial: _ReadingTrial, options: FormatOptions, fixed: Collection[str]
) -> FormatOptions | None:
    """Another dialect, if files are read better with it; None if not."""
    text = "\n".join(trial.lines(options))[:_SNIFFED_CHARACTERS]
    if not text:
        return None
    found = [_score(trial, options)]
    others = [*_dialects(text, options, fixed)]
    found += [_score(trial, other) for other in others]
    best = min(range(len(found)), key=lambda index: found[index])
    return others[best - 1] if best and found[best] < found[0] else None


def _score(trial: _ReadingTrial, options: FormatOptions) -> tuple[bool, float]:
    """Less is better: files of one column are read with a wrong delimiter, most likely."""
    return trial.columns(options) < 2, round(trial.bad(options, "delimiter"), 3)


def _dialects(text: str, options: FormatOptions, fixed: Collection[str]) -> Iterator[FormatOptions]:
    """Yields dialects to try, none of which changes what is fixed."""
    delimiters, quotes = [options.delimiter], [options.quote]
    try:
        sniffed = csv.Sniffer().sniff(text.rpartition("\n")[0] or text, _DELIMITERS)
        delimiters.append(sniffed.delimiter)
        quotes.append(sniffed.quotechar or '"')
    except csv.Error:
        pass
    quotes.append("")
    delimiters = delimiters[:1] if "delimiter" in fixed else [*dict.fromkeys(delimiters)]
    quotes = quotes[:1] if "quote" in fixed else [*dict.fromkeys(quotes)]
    for delimiter, quote in itertools.product(delimiters, quotes):
        escapes = [options.escape] if "escape" in fixed or not quote else [options.escape, "\\"]
        for escape in escapes:
            one = dataclasses.replace(options, delimiter=delimiter, quote=quote, escape=escape)
            if one != options:
                yield one
