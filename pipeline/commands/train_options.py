"""The options of `scrubline train`: checked before anything is read, and written to the card."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator, Sequence

from ...models.bundles.layout import NAME_FORM, is_bundle_name
from ...models.core.errors import UsageError
from ...models.recipes import DEFAULT_RECIPE
from ...models.storage.storage import Storage
from .dial import read_recalls
from .named_inputs import end_of
from .new_files import require_new

MAX_WEIGHT_OPTION = 1000
"""The largest value of --weight."""


def split_pairs(values: Sequence[str] | None, form: str) -> list[tuple[str, str]]:
    """The values of an option as (name, value) pairs.

    Args:
        values: each NAME=VALUE; None for no value.
        form: the option with its form, for the message.

    Raises:
        UsageError: if a value has no "=".
    """
    pairs = [value.partition("=") for value in values or ()]
    if any(not equals for _, equals, _ in pairs):
        raise UsageError(f"expected {form}")
    return [(name, value) for name, _, value in pairs]


def check_options(args: argparse.Namespace) -> None:
    """Refuses what can be refused before anything is read.

    Raises:
        UsageError: if an option is missing, does not fit the others, or its output exists.
    """
    _check_outputs(args)
    if bool(args.recalls) != bool(args.tune_on):
        raise UsageError(
            "--recall and --tune-on belong together: annotated notes that are neither trained on "
            "nor scored"
        )
    if args.recalls:
        read_recalls(args.recalls)
    if args.fast and args.algorithm:
        raise UsageError("--fast sets the algorithm: leave out --algorithm")
    if not (args.corpus or args.mapped_corpus or args.synth or args.add):
        raise UsageError("nothing to train on: give --corpus, --synth or --add")
    if args.from_bundle and (args.recipe or args.language != "en"):
        raise UsageError("--from-bundle sets the recipe: leave out --recipe and --language")
    if args.add and (args.folds or args.search):
        raise UsageError(
            "--folds and --search count each note once; evaluate --add with --held-out, on notes "
            "of other patients"
        )
    if args.weight is not None and not (args.add and 1 <= args.weight <= MAX_WEIGHT_OPTION):
        raise UsageError(f"--weight belongs to --add, and must be 1 to {MAX_WEIGHT_OPTION}")
    if args.jobs < 1:
        raise UsageError("--jobs must be 1 or more")
    if args.max_size is not None and not 0 < args.max_size < 1e6:
        raise UsageError("--max-size must be a number of megabytes above 0")


def _check_outputs(args: argparse.Namespace) -> None:
    storage = Storage()
    measures = bool(args.folds or args.search)
    if not (args.name and args.output) and not (measures and not args.output):
        raise UsageError(
            "--name and --output are required, unless --folds or --search only measure"
        )
    if args.name and not is_bundle_name(args.name):
        raise UsageError(f"--name must be {NAME_FORM}")
    for option, place in (
        ("--output", args.output),
        ("--predicted", args.predicted),
        ("--search-report", args.search_report),
        ("--curve", args.curve),
    ):
        require_new(place, option, storage=storage)
    for option, value in (
        ("--search-report", args.search_report),
        ("--work", args.work),
        ("--predicted", args.predicted),
        ("--group-by", args.group_by),
    ):
        if value and not measures:
            raise UsageError(f"{option} needs --search or --folds")


def command_line(args: argparse.Namespace) -> str:
    """The command line for the card, with only the ends of the inputs' names."""
    return shlex.join(["scrubline", "train", *_words(args)])


def _words(args: argparse.Namespace) -> Iterator[str]:
    yield from _value("--from-bundle", end_of(args.from_bundle or ""))
    yield from _value("--synth", end_of(args.synth or ""))
    yield from _each("--corpus", map(end_of, args.corpus or ()))
    for url, name in args.mapped_corpus or ():
        yield from ("--mapped-corpus", end_of(url), end_of(name))
    yield from _each("--held-out", map(end_of, args.held_out or ()))
    yield from _each("--tune-on", map(end_of, args.tune_on or ()))
    yield from _each("--add", map(end_of, args.add or ()))
    yield from _value("--weight", args.weight)
    if not args.from_bundle:
        yield from ("--recipe", args.recipe or DEFAULT_RECIPE)
    yield from ("--name", args.name)
    if args.language != "en":
        yield from ("--language", args.language)
    yield from _each("--part", map(end_of, args.parts or ()))
    yield from _each("--set", args.parameters)
    yield from _each("--bias", args.biases)
    yield from _each("--without-part", args.without_parts)
    yield from _each("--dictionary", map(end_of, args.dictionaries or ()))
    yield from _each("--dictionary-from", args.dictionary_from)
    yield from _each("--leave-out", args.leave_out)
    yield from _each("--search", args.search)
    yield from _each("--recall", args.recalls)
    yield from _value("--sequence", args.sequence)
    yield from _value("--algorithm", args.algorithm)
    yield from _value("--sampling", args.sampling)
    yield from _value("--folds", args.folds)
    yield from _value("--group-by", args.group_by)
    yield from _value("--max-size", args.max_size)
    yield from _value("--label-map", end_of(args.label_map or ""))
    if args.fast:
        yield "--fast"
    if args.recalls and args.recall_by != "character":
        yield from ("--recall-by", args.recall_by)


def _value(option: str, value: object) -> Iterator[str]:
    if value:
        yield from (option, str(value))


def _each(option: str, values: Iterable[str] | None) -> Iterator[str]:
    for value in values or ():
        yield from (option, value)
