"""`scrubline part`: trains, shows and scores the auxiliary models that recipes need."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...models.auxiliary import (
    ANNOTATED,
    AUXILIARY_MODELS,
    CONLLU,
    HEADINGS,
    READS,
    AuxiliaryModel,
    AuxiliaryTagger,
    ClusterTable,
    RecordedLinks,
    Trainer,
    TreeTable,
    origin_of,
    read_auxiliary,
    revise_auxiliary,
    write_auxiliary,
)
from ...models.auxiliary.conllu import parse_conllu
from ...models.auxiliary.links import SENSITIVE, SIDE_OF, score_learned, score_links
from ...models.auxiliary.mesh import parse_rows, score_trees
from ...models.auxiliary.ner import score_ner
from ...models.auxiliary.pos import score_pos, words_of
from ...models.auxiliary.words import score_clusters
from ...models.core.errors import UsageError
from ...models.core.suggestions import did_you_mean
from ...models.corpora import CorpusError, read_annotated
from ...models.storage.storage import Storage
from ..process.exit_codes import ExitCode
from ..process.logs import is_terminal, say
from ..process.stdout import show
from .named_inputs import end_of
from .new_files import require_new
from .progress_bar import shown_time


def list_models() -> Iterator[str]:
    """Two lines for each auxiliary model: what it is, and the command that makes it."""
    for trainer in AUXILIARY_MODELS.values():
        yield f"{trainer.name:10} {trainer.kind:8} {trainer.title}"
        yield f"{'':10} {trainer.command}"


def train_model(args: argparse.Namespace) -> str:
    """Trains and writes a model; returns a summary for the user.

    Args:
        args: the parsed command line of `scrubline part train`.

    Raises:
        UsageError: if the name, an input or a setting cannot be used, or the output exists.
    """
    if args.part not in AUXILIARY_MODELS:
        meant = did_you_mean(args.part or "", AUXILIARY_MODELS)
        raise UsageError(f"unknown auxiliary model{meant}; known: {', '.join(AUXILIARY_MODELS)}")
    trainer = AUXILIARY_MODELS[args.part]
    if not args.inputs:
        raise UsageError(
            f"missing --input URL: the training data ({READS[trainer.reads]}); "
            f"for example: {trainer.command}"
        )
    if not args.output:
        raise UsageError("missing --output FOLDER: where to write the model")
    require_new(args.output, "--output")
    options = _options(trainer, args)
    data, sources = _read(trainer.reads, args.inputs)
    if not data:
        raise UsageError("--input: there is nothing to learn from")
    model = trainer.train(
        data,
        origin=origin_of(sources, licence=args.licence or "", credit=args.credit or ""),
        command=_command(args),
        progress=_progress(trainer),
        **options,
    )
    if args.held_out:
        known = words_of(data) if trainer.reads == CONLLU else ()
        scores = {end_of(url): _score(model, url, known) for url in args.held_out}
        model = revise_auxiliary(model, {"scores": scores})
    write_auxiliary(model, args.output)
    return (
        f"auxiliary model {model.name}: {_size(model):,} bytes, hash {model.hash[:12]}, "
        f"licence of its data: {model.licence} (see LICENCE.md). {_sensitivity(model)}"
    )


def _sensitivity(model: AuxiliaryModel) -> str:
    if isinstance(model, RecordedLinks):
        return f"It is {SENSITIVE}."
    if isinstance(model, TreeTable):
        return "It holds phrases of the tables alone."
    return "It holds words of its training texts: protect it as you protect them."


def show_model(url: str) -> str:
    """The card of a model, with its size and hash."""
    model = read_auxiliary(_folder(url))
    content = (
        f"{len(model.tags)} tags: {' '.join(model.tags)}"
        if isinstance(model, AuxiliaryTagger)
        else f"{len(model.clusters):,} words, {len(set(model.clusters.values())):,} codes"
        if isinstance(model, ClusterTable)
        else f"{len(model.table.numbers):,} phrases"
        if isinstance(model, TreeTable)
        else f"{len(model.sentences):,} sentences"
        if isinstance(model, RecordedLinks)
        else ""
    )
    card = model.files["card.md"].decode()
    return f"{card}\n{content}\n{_size(model):,} bytes, hash {model.hash}"


def score_model(url: str, inputs: Sequence[str]) -> str:
    """Scores of a model on each input, as JSON."""
    if not inputs:
        raise UsageError("missing --input URL: data to score on that it was not trained on")
    model = read_auxiliary(_folder(url))
    return json.dumps({end_of(scored): _score(model, scored, ()) for scored in inputs}, indent=1)


def _folder(url: str) -> str:
    if not url:
        raise UsageError("missing the path or URL of the model's folder")
    return url


def _size(model: AuxiliaryModel) -> int:
    return sum(map(len, model.files.values()))


def _score(model: AuxiliaryModel, url: str, known: Collection[str]) -> dict[str, object]:
    data, _ = _read(AUXILIARY_MODELS[model.name].scored_on, [url])
    if isinstance(model, ClusterTable):
        return score_clusters(model.clusters, data)
    if isinstance(model, TreeTable):
        return score_trees(model, data)
    if isinstance(model, RecordedLinks):
        return score_links(model, data)
    assert isinstance(model, AuxiliaryTagger)
    if model.name == "ner":
        return score_ner(model, data)
    if model.name in SIDE_OF:
        return score_learned(model, data)
    return score_pos(model, data, known)


# -- options


def _options(trainer: Trainer, args: argparse.Namespace) -> dict[str, object]:
    """The keywords for `Trainer.train` from --set and --algorithm."""
    values = dict(map(_pair, args.parameters or ()))
    if trainer.learner is None:
        if args.algorithm:
            raise UsageError(f"--algorithm does not apply to {trainer.name}")
        if unknown := sorted(values.keys() - set(trainer.settings)):
            known = list(trainer.settings) or "none"
            raise UsageError(f"--set: {trainer.name} has no settings {unknown}; it has {known}")
        if fractions := sorted(n for n, v in values.items() if v != int(v)):
            raise UsageError(f"--set: {fractions} must be whole numbers")
        return {n: bool(v) if n == "fold" else int(v) for n, v in values.items()}
    return {"learner": trainer.learner.changed(args.algorithm, values)}


def _pair(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not equals or not np.isfinite(number):
        raise UsageError("--set takes NAME=VALUE, with a number as the value")
    return name, number


def _command(args: argparse.Namespace) -> str:
    """The command line for the card, with only the ends of the inputs' names."""
    words = ["scrubline", "part", "train", args.part]
    for option, urls in (("--input", args.inputs), ("--held-out", args.held_out)):
        for url in urls or ():
            words += [option, end_of(url)]
    for value in args.parameters or ():
        words += ["--set", value]
    if args.algorithm:
        words += ["--algorithm", args.algorithm]
    return shlex.join(words)


# -- inputs


def _read(reads: str, urls: Sequence[str]) -> tuple[list[Any], list[str]]:
    """The data of all inputs in order, and what each file or document says of its source."""
    data: list[Any] = []
    sources: list[str] = []
    if reads == ANNOTATED:
        for url in urls:
            documents = list(read_annotated(url))
            data += documents
            sources += [_source(document.meta) for document in documents]
        return data, sources
    storage = Storage()
    for url in urls:
        for ordinal, file in enumerate(storage.list_files([url]), 1):
            content = storage.read_bytes(file.url)
            name = file.url.rpartition("/")[2]
            try:
                if reads == CONLLU:
                    data += parse_conllu(content)
                    sources.append("en_ewt-ud" if name.startswith("en_ewt-ud") else "")
                elif reads == HEADINGS:
                    data += parse_rows(content)
                else:
                    for text, source in _texts(name, content):
                        data.append(text)
                        sources.append(source)
            except CorpusError as error:
                raise error.in_file(ordinal) from None
    return data, sources


def _texts(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """Yields the texts of a file, each with what it says of its source."""
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise CorpusError(line, "BadUtf8", "texts must be UTF-8") from None
    if not name.endswith((".jsonl", ".ndjson", ".txt")):
        raise UsageError(
            "raw texts must be .txt files, or .jsonl or .ndjson with one object per line"
        )
    if name.endswith(".txt"):
        yield text, ""
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise CorpusError(number, "BadJson", "expected a JSON object") from None
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise CorpusError(number, "WrongType", 'expected an object with a string "text"')
        yield row["text"], _source(row.get("meta"))


def _source(meta: object) -> str:
    source = meta.get("source") if isinstance(meta, Mapping) else None
    return source if isinstance(source, str) else ""


# -- progress


def _progress(trainer: Trainer) -> Callable[[int, Any], None] | None:
    """Shows each iteration of a learner, or a line with the time that is left; on a terminal."""
    if not is_terminal(sys.stderr):
        return None
    began = time.monotonic()

    def report(step: int, loss_or_total: Any) -> None:
        spent = time.monotonic() - began
        if trainer.learner:
            each = shown_time(spent / max(step, 1))
            say(f"iteration {step}, loss {loss_or_total:,.1f}, {each} each", "INFO")
            return
        left = shown_time(spent / max(step, 1) * (loss_or_total - step))
        line = f"{trainer.name}: {step:,} of {loss_or_total:,}, about {left} left"
        print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)

    return report


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what was asked for cannot be done.
    """
    if (parsed.part is None) != (parsed.what == "list"):
        raise UsageError("`part list` takes no name; `part train` needs one, the others a folder")
    if parsed.what == "list":
        show(*list_models())
    elif parsed.what == "train":
        show(train_model(parsed))
    elif parsed.what == "show":
        show(show_model(parsed.part))
    else:
        show(score_model(parsed.part, parsed.inputs or ()))
    return ExitCode.DONE
