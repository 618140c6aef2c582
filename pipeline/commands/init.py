"""`scrubline init`: writes a config file for an input that nobody has described yet.

Names of columns may be values of the input, so they go into the file, which only its owner can
read. What is printed holds none, and no value is printed or written.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import posixpath
import shlex
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...models.core.display_names import counted
from ...models.core.error_classes import explain
from ...models.core.errors import DocumentError, StorageError, UsageError
from ...models.core.keys import new_key
from ...models.formats import Format, open_format
from ...models.formats.column_roles import MEANING, Columns, Role, is_single, preset_for
from ...models.formats.column_types import shown_type
from ...models.formats.gzipped import Gzipped
from ...models.formats.message_columns import MessageNesting
from ...models.formats.message_files import MessageFiles
from ...models.guesses.column_facts import ColumnFacts, FactsCounter, Form
from ...models.guesses.nested import NotExpanded, Sample, facts_within
from ...models.guesses.roles import RoleGuess, guess_roles
from ...models.guesses.sampling import chosen_files, sampled
from ...models.guesses.writing import WritingGuess, guess_writing
from ...models.rendering.kinds import recognised
from ...models.storage.input_files import InputFile
from ...models.storage.key_files import load_keys
from ...models.storage.places import is_inside, local_path
from ...models.storage.storage import Storage
from ..options import Options, load_config, options_from
from ..options.new_config import ConfigLine, config_text
from ..outputs.planning import InputSurvey, format_of_file, inspect_inputs
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show
from ..run import prepare
from .key import make_key
from .new_files import require_new, write_new
from .run_options import read_options

_UNSPLIT = 1 << 40
"""A split size with which no file is read through to be cut."""

_INTRO = """\
Written by `scrubline init` from a sample: {rows:,} rows in {looked:,} of {files:,} files. Roles are
guesses, by name and by what values look like. Read each line, and change what is wrong. What is
doubtful is left out (drop). The roles:
{roles}"""


_OF_RECORDS = """

Values that the standard names have roles without being written here: {page} says which. A line in
a table [column] changes one."""


_NESTED = "within nested columns, each value by its path (docs/formats.md, Nested columns)"


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class InputFindings:
    """What was seen of an input and guessed from it.

    Attributes:
        seen: all inputs and their columns.
        writing: how the files are written.
        facts: by column.
        guesses: by column; of nested columns, by path.
        whole: nested columns that get one role, and why.
        markup: columns all of whose texts begin as one kind of markup, and that kind.
        looked: files that were looked into.
        rows: that were read of them.
        errors: of rows that could not be read: class -> how many are in each file, by its index.
        misread: number and URL of each file that the guessed encoding reads wrongly.
    """

    seen: InputSurvey
    writing: WritingGuess
    facts: Mapping[str, ColumnFacts]
    guesses: Mapping[str, RoleGuess]
    whole: Mapping[str, str]
    markup: Mapping[str, str]
    looked: int
    rows: int
    errors: Mapping[str, Counter[int]]
    misread: Sequence[tuple[int, str]]


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if there is nothing to read, a file is there already, or what was written needs
            a change before it can be used.
    """
    options, storage = read_options(parsed), Storage()
    place, key_place = parsed.new_config, parsed.make_key
    _check_places(options, place, key_place, parsed.key_source)
    key_source = key_place or parsed.key_source
    has_key = bool(key_place) or _has_key(storage, options, is_said=bool(parsed.key_source))
    found = survey(storage, options)
    text = _text(found, options, key_source, has_key=has_key)
    if key_place:
        make_key(key_place, "--make-key")
    write_new(place, text.encode(), "--output")
    say(f"config file written: {_summary(found)}", "INFO")
    _warn_of_errors(found)
    _warn_of_encodings(found)
    _check(storage, place, has_key=has_key)
    show(*_next_commands(options, place, key_source, has_key=has_key))
    return ExitCode.DONE


def survey(storage: Storage, options: Options) -> InputFindings:
    """Looks at an input: all its files' columns, and a sample of the values of a few files.

    Raises:
        UsageError: if an input cannot be read as its format.
    """
    files = storage.list_files(options.inputs)
    formats = [format_of_file(n, file, options.format) for n, file in enumerate(files)]
    few = chosen_files(formats)
    for number in few:
        _require_readable(storage, number, files[number])
    writing = guess_writing(
        storage, [files[n] for n in few], [formats[n] for n in few], options.settings
    )
    misread = [(few[at] + 1, files[few[at]].url) for at in writing.utf_8]
    seen = inspect_inputs(storage, options.inputs, options.format, writing.options)
    if not seen.columns:
        raise UsageError("no input file shows a column: they are empty, or damaged")
    counters: dict[str, FactsCounter] = {}
    samples: dict[str, list[Sample]] = {}
    kinds: dict[str, set[str | None]] = {}
    rows, errors = 0, defaultdict[str, Counter[int]](Counter)
    few = chosen_files([*zip(seen.formats, seen.schemas, strict=True)])
    for index in few:
        file, form = seen.files[index], open_format(seen.formats[index], seen.settings)
        is_typed = hasattr(form, "column_types")
        names = form.columns(storage, file)
        for chunk in sampled(storage, form, file, names):
            # Where a file shows no column, its chunks have none either, and no rows.
            rows += max(chunk.columns.num_rows, len(chunk.errors))
            broken = dict(chunk.errors)
            if form.traits.record:
                records = chunk.columns.column(0).to_pylist()
                broken |= _add_undeclared(form, records, counters)
            for error in broken.values():
                errors[error][index] += 1
            if form.traits.record:
                continue
            good = [row for row in range(chunk.columns.num_rows) if row not in chunk.errors]
            for field, column in zip(chunk.columns.schema, chunk.columns.columns, strict=True):
                kind = shown_type(field.type) if is_typed else ""
                counter = counters.setdefault(field.name, FactsCounter(kind))
                readable = column.take(good)
                values = form.decode(readable)
                counter.add(values)
                kinds.setdefault(field.name, set()).update(_kinds_of(values))
                samples.setdefault(field.name, []).append((form, readable))
        for name, value in file.partition:
            counters.setdefault(name, FactsCounter("folder")).add([value])
    if any(seen.records):
        facts = {name: counter.facts() for name, counter in sorted(counters.items())}
        forms = [open_format(name, seen.settings) for name in dict.fromkeys(seen.formats)]
        why = _messages_of(forms[0]).why_undeclared
        guesses = {name: RoleGuess(Role.DROP, why(name)) for name in facts}
        return InputFindings(seen, writing, facts, guesses, {}, {}, len(few), rows, errors, misread)
    flat = {name: counters.get(name, FactsCounter()).facts() for name in seen.columns}
    facts, whole = _expanded(flat, samples)
    guesses = _guesses(seen, facts)
    markup = {name: kind for kind in _PROPOSED for name in kinds if kinds[name] == {kind}}
    return InputFindings(
        seen, writing, facts, guesses, whole, markup, len(few), rows, errors, misread
    )


_PROPOSED = ("html", "rtf")
"""Kinds of markup that a column is declared as, if its texts begin so; XML takes nothing else."""


def _require_readable(storage: Storage, number: int, file: InputFile) -> None:
    """Opens a file, so that one that storage refuses is told with its number."""
    try:
        for _ in storage.read_blocks(file.url, 0, min(file.size, 1)):
            pass
    except StorageError as error:
        raise error.within(f"input file {number + 1}") from None


def _kinds_of(values: Iterable[object]) -> Iterator[str | None]:
    """Yields the kind of markup that each text begins as; of blank ones nothing."""
    for value in values:
        if isinstance(value, str) and value.strip():
            yield recognised(value)


def _messages_of(form: Format) -> MessageFiles:
    """The format of messages that one is, compressed or not."""
    inner = form.inner if isinstance(form, Gzipped) else form
    assert isinstance(inner, MessageFiles), "it has records"
    return inner


def _add_undeclared(
    form: Format, records: Sequence[str | None], counters: dict[str, FactsCounter]
) -> dict[int, str]:
    """Counts the values of messages for which their format has no role.

    Returns:
        Class of error of each record that is broken, by its index.
    """
    broken: dict[int, str] = {}
    record = form.traits.record
    node = Columns.of_record(record, ()).nested[record]
    assert isinstance(form.nesting, MessageNesting), "it has records"
    for index, one in enumerate(records):
        try:
            undeclared = () if one is None else form.nesting.undeclared(one, node)
        except DocumentError as error:
            broken[index], undeclared = error.code, ()
        for name, value in undeclared:
            counters.setdefault(name, FactsCounter()).add([value])
    return broken


def _warn_of_errors(found: InputFindings) -> None:
    """Says which files hold rows that cannot be read, and what is wrong with those."""
    for error, files in sorted(found.errors.items()):
        meaning, (first, *more) = explain(error), sorted(files)
        rows = f"{files.total():,} of {counted(found.rows, 'row')} of the sample cannot be read"
        number, url = found.seen.number(first) + 1, found.seen.files[first].url
        after = f": {meaning.cause}; {meaning.remedy}"
        _warn(f"{rows}: {error}, in ", number, url, len(more), after)


def _warn_of_encodings(found: InputFindings) -> None:
    """Says which files the guessed encoding reads without an error, and wrongly."""
    if found.misread:
        (number, url), *more = found.misread
        guess = found.writing.options.encoding
        after = (
            f" hold UTF-8, others do not; a run reads all as {guess}, by which names in those "
            "are misread and missed: convert them to one encoding, or give each kind its own run"
        )
        _warn("files of two encodings: ", number, url, len(more), after)


def _warn(before: str, number: int, url: str, more: int, after: str) -> None:
    """A warning that names a file by its number, and to a terminal by its name.

    Args:
        more: how many others it is of.
    """
    file = f"input file {number}"
    after = f" and {counted(more, 'other')}{after}" if more else after
    name = posixpath.basename(url)
    say(f"{before}{file}{after}", "WARNING", on_terminal=f"{before}{file} {name!r}{after}")


def _expanded(
    flat: Mapping[str, ColumnFacts], samples: Mapping[str, Sequence[Sample]]
) -> tuple[dict[str, ColumnFacts], dict[str, str]]:
    """The facts with those within nested columns in their place; and why some stay whole."""
    facts: dict[str, ColumnFacts] = {}
    whole: dict[str, str] = {}
    for name, of_column in flat.items():
        inner: Mapping[str, ColumnFacts] = {}
        if of_column.forms[Form.NESTED]:
            try:
                inner = facts_within(name, samples[name])
            except NotExpanded as reason:
                whole[name] = str(reason)
            if not inner.keys().isdisjoint(flat):
                inner, whole[name] = {}, "a column has the name of a path in it"
        facts |= inner or {name: of_column}
    return facts, whole


def _guesses(seen: InputSurvey, facts: Mapping[str, ColumnFacts]) -> dict[str, RoleGuess]:
    """Roles; those that go without saying, where the formats name the columns."""
    if (preset := preset_for(seen.columns)) is not None:
        return {name: RoleGuess(role, MEANING[role]) for name, role in preset.roles}
    folders = {key for file in seen.files for key, _ in file.partition}
    columns = {name: one for name, one in facts.items() if name not in folders}
    many = [name for name in columns if name not in seen.columns and not is_single(name)]
    guesses = guess_roles(columns, many)
    alone = {name: guess_roles({name: facts[name]})[name] for name in folders}
    for name, guess in alone.items():
        # A folder has one value for many rows: it identifies none, and is no free text.
        if guess.role not in (Role.DATE, Role.HASH):
            alone[name] = RoleGuess(Role.DROP, "a key of folders")
    return {name: alone.get(name) or guesses[name] for name in facts}


def _check_places(
    options: Options, place: str, key_place: str | None, key_source: str | None
) -> None:
    if local_path(place) is None:
        raise UsageError("--output: the config file must be a local file")
    if key_place and key_source:
        raise UsageError("--make-key makes a key and --key-file names one: give one of the two")
    for option, new in (("--output", place), ("--make-key", key_place)):
        require_new(new, option)
        if new and any(is_inside(new, url) for url in options.inputs):
            raise UsageError(f"{option}: the file would lie in the input: choose another place")


def _has_key(storage: Storage, options: Options, *, is_said: bool) -> bool:
    try:
        load_keys(options.key_source, storage.read_bytes)
    except UsageError:
        if is_said:
            raise
        return False
    return True


def _summary(found: InputFindings) -> str:
    """A line on the roles that were written."""
    roles = Counter(guess.role for guess in found.guesses.values())
    counts = ", ".join(f"{count:,} {role}" for role, count in roles.items())
    if record := next(filter(None, found.seen.records), ""):
        rest = f"; {counted(len(found.guesses), 'other')} written ({counts})" if counts else ""
        return f"every value that the standard names has a role: {_page(record)}{rest}"
    return f"{counted(len(found.guesses), 'column')} ({counts})"


def _page(record: str) -> str:
    """The page that says what is done with the values of a grammar."""
    return f"docs/{record}-fields.md"


# -- the file


def _text(found: InputFindings, options: Options, key_source: str | None, *, has_key: bool) -> str:
    roles = "\n".join(f"  {role:<8} {meaning}" for role, meaning in MEANING.items())
    intro = _INTRO.format(
        rows=found.rows, looked=found.looked, files=len(found.seen.files), roles=roles
    )
    if record := next(filter(None, found.seen.records), ""):
        intro += _OF_RECORDS.format(page=_page(record))
    columns: dict[str, list[ConfigLine]] = {"": [], _NESTED: []}
    is_record = any(found.seen.records)
    for name, guess in found.guesses.items():
        why = found.whole.get(name, guess.why)
        role = str(guess.role)
        if guess.role == Role.TEXT and name in found.markup:
            role = f"{role}:{found.markup[name]}"
        line = ConfigLine(name, role, f"{_facts_shown(found.facts[name])}: {why}")
        columns["" if name in found.seen.columns or is_record else _NESTED].append(line)
    settings = [*_settings(options, key_source, has_key=has_key), *_written(found.writing, options)]
    return config_text(intro, settings, columns)


def _settings(options: Options, key_source: str | None, *, has_key: bool) -> Iterator[ConfigLine]:
    yield ConfigLine("input", options.inputs)
    yield ConfigLine("model", ["en-default"], 'for Spanish, ["es-default"]')
    yield ConfigLine("policy", "hipaa", "or research, or a file of yours (docs/policies.md)")
    if key_source:
        yield ConfigLine("key_file", key_source, "keep it: without it, nothing can be joined again")
    else:
        where = "SCRUBLINE_KEY is set" if has_key else "make one: scrubline key new --output ..."
        yield ConfigLine("key_file", "key.txt", where, is_off=True)
    if options.format:
        yield ConfigLine("format", options.format)


def _written(writing: WritingGuess, options: Options) -> Iterator[ConfigLine]:
    """How files are written, where it is not the default."""
    for name in writing.options.changed:
        comment = f"a guess: {writing.why[name]}" if name in writing.why else ""
        yield ConfigLine(name, getattr(writing.options, name), comment)


def _facts_shown(facts: ColumnFacts) -> str:
    shown = [facts.kind]
    if facts.values or facts.nulls:
        shown.append(f"{100 * facts.null_share:.0f} % null")
    if facts.mean_length is not None and facts.share(Form.DATE) < 1:
        shown.append(f"mean length {facts.mean_length:,.0f}")
    return ", ".join(shown)


# -- what was written


def _check(storage: Storage, place: str, *, has_key: bool) -> None:
    """Loads the file and plans a run with it, into an output that is not there.

    Raises:
        UsageError: if that is refused.
    """
    with tempfile.TemporaryDirectory(prefix="scrubline-init-") as folder:
        said: dict[str, object] = {
            "output": os.path.join(folder, "out"),
            "split_bytes": _UNSPLIT,
            "incremental": False,
        }
        if not has_key:
            key = os.path.join(folder, "key")
            write_new(key, f"{new_key()}\n".encode(), "--make-key")
            said["key_source"] = key
        try:
            prepare(storage, options_from(load_config(place), said))
        except UsageError as error:
            # The names that the file declares are those of the input: for a terminal alone.
            message = "the config file is written, and needs a change before it can be used"
            raise UsageError(
                f"{message}: `scrubline scrub --config FILE --dry-run` says which",
                on_terminal=f"{message}: {error.on_terminal}",
            ) from None


def _next_commands(
    options: Options, place: str, key_source: str | None, *, has_key: bool
) -> Iterator[str]:
    """Yields the command that comes next; before it, that which makes a key if there is none."""
    places = ("scrubbed/", "../scrubbed/")
    output = next(
        (p for p in places if not any(_overlap(p, url) for url in options.inputs)), "OUTPUT/"
    )
    words = ["scrubline", "scrub", "--config", place, "--output", output]
    if not has_key:
        yield "scrubline key new --output key.txt"
        words += ["--key-file", "key.txt"]
    yield shlex.join([*words, "--dry-run"])


def _overlap(left: str, right: str) -> bool:
    return is_inside(left, right) or is_inside(right, left)
