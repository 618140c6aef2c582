"""`scrubline synth`: generates annotated notes from templates and a seed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from ...models.core.errors import UsageError
from ...models.corpora import AnnotatedDocument, write_annotated
from ...models.synth import generate, load_templates
from ...models.synth.checking import check_templates
from ...models.synth.parsing import ENGLISH
from ...models.synth.raw import mix_in, read_raw
from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .new_files import require_new_corpus
from .synth_records import RECORD_OPTIONS, synthesise_records


def synthesise(args: argparse.Namespace) -> str:
    """Writes the notes; returns a summary for the user.

    Args:
        args: the parsed command line of `scrubline synth`.

    Raises:
        UsageError: if the output is missing or exists, a kind is unknown, a template or a raw note
            cannot be read, or the seed or the number of notes is out of range.
    """
    if args.check or args.show:
        if args.patients is not None:
            raise UsageError("--check and --show look at templates: leave out --patients")
        return _checked(args)
    if not args.output:
        raise UsageError("missing --output FILE: where to write the notes")
    require_new_corpus(args.output, None)
    if args.patients is not None:
        return synthesise_records(args, _counted)
    for option in RECORD_OPTIONS:
        if getattr(args, option.removeprefix("--").replace("-", "_")) is not None:
            raise UsageError(f"{option} is of whole records: say how many with --patients N")
    if args.raw and args.language != ENGLISH:
        raise UsageError("--raw: only notes in English can be mixed in; leave out --language")
    templates = load_templates(args.templates, args.kind or (), args.language)
    notes = sum(one.draws for one in templates) if args.notes is None else args.notes
    raw = [text for folder in args.raw or () for text in read_raw(folder)]
    counts = {"notes": 0, "spans": 0, "characters": 0}

    def all_notes() -> Iterator[AnnotatedDocument]:
        if notes or not raw:
            yield from generate(templates, seed=args.seed, notes=notes)
        yield from mix_in(raw, seed=args.seed)

    write_annotated(_counted(all_notes(), counts), args.output)
    kinds = len({template.kind for template in templates})
    made = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return f"{made} from {len(templates):,} templates of {kinds} kinds and {len(raw):,} raw notes"


def _counted(
    documents: Iterator[AnnotatedDocument], counts: dict[str, int]
) -> Iterator[AnnotatedDocument]:
    """The documents; counts them, and says so on a terminal."""
    for document in documents:
        counts["notes"] += 1
        counts["spans"] += len(document.spans)
        counts["characters"] += len(document.text)
        if sys.stderr.isatty() and counts["notes"] % 100 == 0:
            print(f"\r{counts['notes']:,} notes", end="", file=sys.stderr, flush=True)
        yield document


def _checked(args: argparse.Namespace) -> str:
    checks = list(
        check_templates(
            args.templates,
            kinds=args.kind or (),
            show=args.show or 0,
            language=args.language,
        )
    )
    lines = "\n".join(line for _, line in checks)
    if not all(is_valid for is_valid, _ in checks):
        raise UsageError(lines)
    return lines


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what was asked for cannot be done.
    """
    show(synthesise(parsed))
    return ExitCode.DONE
