"""`scrubline study`: makes the papers' tables and figures again."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from .. import dictionaries
from ..models.errors import UsageError
from ..models.mapping import load_map
from ..models.places import local_path
from ..models.recipes.languages import LANGUAGES
from ..models.studies import (
    SIZES,
    STUDIES,
    Bench,
    Material,
    Study,
    index_page,
    write_findings,
)
from ..models.training.private import private_folder
from .inputs import end_of, read_corpora, read_parts


def list_studies() -> Iterator[str]:
    """What each study is, and which table or figure it makes again."""
    for study in STUDIES.values():
        yield f"{study.name:20} {study.title}"
        yield f"{'':20} {study.source}"


def run_studies(asked: argparse.Namespace) -> Iterator[str]:
    """Runs the studies that were asked for, and yields what to tell the user.

    Args:
        asked: the parsed command line of `scrubline study`.

    Raises:
        UsageError: if a study, a corpus or a part cannot be used.
    """
    chosen = _chosen(asked.study)
    missing = [name for name in ("train", "test", "corpus", "output") if not getattr(asked, name)]
    if missing:
        raise UsageError(f"say --{missing[0]}; see `scrubline study --help`")
    # Made absolute before it is looked at: `..` then leads to one folder, now and once it is made.
    output = Path(local_path(asked.output) or asked.output)
    _require_own_folder(output)
    material = _material(asked)
    bench = Bench(
        material,
        SIZES["quick" if asked.quick else "full"],
        work=private_folder(asked.work, "--work") if asked.work else None,
        jobs=asked.jobs,
        told=lambda line: print(line, file=sys.stderr, flush=True),
    )
    for study in chosen:
        print(f"{study.name}: {study.title}", file=sys.stderr, flush=True)
        findings = study.run(bench)
        write_findings(output, study, material.name, findings, _command(asked, study))
        # Each page by itself: what is done stays if the next one fails.
        (output / "README.md").write_text(_index(output), encoding="utf-8")
        agreed = [verdict.agrees for verdict in findings.verdicts]
        yield (
            f"{study.name}: {agreed.count(True)} of {len(agreed)} claims agree,"
            f" {agreed.count(False)} do not, {agreed.count(None)} cannot be told here"
        )


def _require_own_folder(output: Path) -> None:
    """Refuses a folder whose README.md is not the index that `run_studies` would replace."""
    readme = output / "README.md"
    if readme.is_symlink() or (
        readme.exists() and not readme.read_bytes().startswith(index_page((), {})[:10].encode())
    ):
        raise UsageError(
            "--output: the folder has a README.md that is not an index of studies, and studies "
            "write one there: choose a folder of their own"
        )


def _chosen(names: list[str]) -> list[Study]:
    if unknown := sorted(set(names) - STUDIES.keys() - {"all"}):
        raise UsageError(f"unknown study {', '.join(unknown)}; known: all, {', '.join(STUDIES)}")
    return [study for name, study in STUDIES.items() if name in names or "all" in names]


def _material(asked: argparse.Namespace) -> Material:
    if asked.language not in LANGUAGES:
        raise UsageError(f"--language must be one of {', '.join(LANGUAGES)}")
    if not asked.corpus.replace("-", "").replace("_", "").isalnum():
        raise UsageError("--corpus must be a name of letters, digits, - and _")
    language = LANGUAGES[asked.language]
    names = {
        *language.hide,
        *language.hitsz,
        *(n for row in language.wi_deid.values() for n in row),
    }
    label_map = dict(load_map(asked.label_map).table) if asked.label_map else None
    return Material(
        name=asked.corpus,
        train=read_corpora(asked.train, "--train"),
        test=read_corpora(asked.test, "--test"),
        language=asked.language,
        dictionaries={name: dictionaries.load(name) for name in sorted(names)},
        label_map=label_map,
        parts=read_parts(asked.parts),
    )


def _index(folder: Path) -> str:
    there: dict[str, list[str]] = {}
    for page in sorted(folder.glob("*.md")):
        name, _, corpus = page.stem.partition(".")
        if name in STUDIES and corpus:
            there.setdefault(name, []).append(corpus)
    return index_page(list(STUDIES.values()), there)


def _command(asked: argparse.Namespace, study: Study) -> str:
    """The command that makes a page, inputs by the ends of their names only."""
    words = ["scrubline", "study", study.name]
    for option, urls in (("--train", asked.train), ("--test", asked.test)):
        for url in urls:
            words += [option, end_of(url)]
    words += ["--corpus", asked.corpus, "--language", asked.language]
    if asked.label_map:
        words += ["--label-map", end_of(asked.label_map)]
    for url in asked.parts or ():
        words += ["--part", end_of(url)]
    words += ["--output", "docs/studies", *(["--quick"] if asked.quick else [])]
    return shlex.join(words)
