"""`scrubline study`: reproduces the papers' tables and figures."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ... import dictionaries
from ...models.core.errors import UsageError
from ...models.core.label_maps import load_map
from ...models.core.suggestions import did_you_mean
from ...models.recipes import LANGUAGES
from ...models.storage.places import local_path
from ...models.storage.private_files import named_private_folder
from ...models.studies import (
    INDEX_TITLE,
    OVERVIEW_TITLE,
    SIZES,
    STUDIES,
    Bench,
    Material,
    Study,
    index_page,
    lists_needed,
    overview_page,
    write_findings,
)
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show
from .named_inputs import end_of, read_auxiliary_models, read_corpora
from .progress_bar import shown_time

QUICK_RUN = "**A quick run, to see that everything works: its figures mean nothing.**"
QUICK_END = "-quick"
"""Behind the name of the corpus: no full page is written over, and no claim judged by it."""


def list_studies() -> Iterator[str]:
    """Yields two lines for each study: its title, and the table or figure that it reproduces."""
    for study in STUDIES.values():
        yield f"{study.name:20} {study.title}"
        yield f"{'':20} {study.source}"


def run_studies(args: argparse.Namespace) -> Iterator[str]:
    """Runs the chosen studies; yields a summary of each for the user.

    Args:
        args: the parsed command line of `scrubline study`.

    Raises:
        UsageError: if a study, a corpus or an auxiliary model cannot be used.
    """
    chosen = _chosen(args.study)
    missing = [name for name in ("train", "test", "corpus", "output") if not getattr(args, name)]
    if missing:
        raise UsageError(f"missing --{missing[0]}; see `scrubline study --help`")
    # Absolute before any check: then `..` means the same before and after the folder is created.
    output = Path(local_path(args.output) or args.output)
    _require_own_folder(output)
    material = _material(args)
    bench = Bench(
        material,
        SIZES["quick" if args.quick else "full"],
        work=named_private_folder(args.work, "--work") if args.work else None,
        jobs=args.jobs,
        report=lambda line: print(line, file=sys.stderr, flush=True),
    )
    began = time.monotonic()
    for number, study in enumerate(chosen, 1):
        of = f"study {number} of {len(chosen)}, " if len(chosen) > 1 else ""
        say(f"{of}{study.name}: {study.title}", "INFO")
        findings = study.run(bench)
        spent = time.monotonic() - began
        rest = ""
        if number < len(chosen):
            left = spent / number * (len(chosen) - number)
            rest = f"; about {shown_time(left)} for the {len(chosen) - number} that are left"
        say(f"{study.name}: done, {shown_time(spent)} since the start{rest}", "INFO")
        if args.quick:
            findings = dataclasses.replace(findings, how=f"{QUICK_RUN} {findings.how}")
        write_findings(output, study, material.name, findings, _command(args, study))
        # After each page, so finished pages stay if the next study fails.
        _write_index(output)
        agreed = [verdict.agrees for verdict in findings.verdicts]
        yield (
            f"{study.name}: {agreed.count(True)} of {len(agreed)} claims agree, "
            f"{agreed.count(False)} do not, {agreed.count(None)} cannot be decided here"
        )


def _require_own_folder(output: Path) -> None:
    """Refuses a folder with a README.md or claims.md that `run_studies` did not write."""
    for name, begin in (("README.md", INDEX_TITLE), ("claims.md", OVERVIEW_TITLE)):
        file = output / name
        if file.is_symlink() or (
            file.exists() and not file.read_bytes().startswith(begin.encode())
        ):
            raise UsageError(
                f"--output: the folder has a {name} that is not an index of studies; choose "
                "another folder, since studies write their indexes there"
            )


def _chosen(names: list[str]) -> list[Study]:
    if unknown := sorted(set(names) - STUDIES.keys() - {"all"}):
        meant = did_you_mean(unknown, STUDIES)
        raise UsageError(
            f"unknown study {', '.join(unknown)}{meant}; known: all, {', '.join(STUDIES)}"
        )
    return [study for name, study in STUDIES.items() if name in names or "all" in names]


def _material(args: argparse.Namespace) -> Material:
    if args.language not in LANGUAGES:
        raise UsageError(f"--language must be one of {', '.join(LANGUAGES)}")
    if not args.corpus.replace("-", "").replace("_", "").isalnum():
        raise UsageError("--corpus must be a name of letters, digits, - and _")
    label_map = dict(load_map(args.label_map).table) if args.label_map else None
    test = read_corpora(args.test, "--test")
    if not any(document.spans for document in test):
        raise UsageError("--test: no document has a span, so nothing can be scored")
    return Material(
        name=f"{args.corpus}{QUICK_END}" if args.quick else args.corpus,
        train=read_corpora(args.train, "--train"),
        test=test,
        language=args.language,
        dictionaries={name: dictionaries.load(name) for name in lists_needed(args.language)},
        label_map=label_map,
        auxiliary=read_auxiliary_models(args.parts),
        nursing=read_corpora(args.nursing, "--nursing"),
    )


def _write_index(folder: Path) -> None:
    """Writes the list of the pages of a folder, and the page of all their claims."""
    existing: dict[str, list[str]] = {}
    for page in sorted(folder.glob("*.md")):
        name, _, corpus = page.stem.partition(".")
        if name in STUDIES and corpus:
            existing.setdefault(name, []).append(corpus)
    studies = list(STUDIES.values())
    (folder / "README.md").write_text(index_page(studies, existing), encoding="utf-8")
    full = {
        name: [corpus for corpus in corpora if not corpus.endswith(QUICK_END)]
        for name, corpora in existing.items()
    }
    overview = overview_page(studies, full, folder)
    (folder / "claims.md").write_text(overview, encoding="utf-8")


def _command(args: argparse.Namespace, study: Study) -> str:
    """The command that makes a page, with only the ends of the inputs' names."""
    words = ["scrubline", "study", study.name]
    for option, urls in (("--train", args.train), ("--test", args.test)):
        for url in urls:
            words += [option, end_of(url)]
    words += ["--corpus", args.corpus, "--language", args.language]
    if args.label_map:
        words += ["--label-map", end_of(args.label_map)]
    for url in args.parts or ():
        words += ["--part", end_of(url)]
    for url in args.nursing or ():
        words += ["--nursing", end_of(url)]
    words += ["--output", "docs/studies", *(["--quick"] if args.quick else [])]
    return shlex.join(words)


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what was asked for cannot be done.
    """
    lines = list_studies() if parsed.study == ["list"] else run_studies(parsed)
    for line in lines:
        show(line, flush=True)
    return ExitCode.DONE
