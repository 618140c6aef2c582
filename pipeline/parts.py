"""`scrubline part`: makes the language parts that recipes need, shows and scores them."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..models.corpora import CorpusError, read_annotated
from ..models.errors import UsageError
from ..models.parts import (
    PARTS,
    READS,
    ClusterPart,
    Maker,
    Part,
    TagPart,
    origin_of,
    read_part,
    revise_part,
    write_part,
)
from ..models.parts.conllu import parse_conllu
from ..models.parts.ner import score_ner
from ..models.parts.pos import score_pos, words_of
from ..models.parts.words import score_clusters
from ..models.storage import Storage
from .inputs import end_of
from .logs import is_terminal
from .new_files import require_new


def list_parts() -> Iterator[str]:
    """What each part gives and the command that makes it."""
    for maker in PARTS.values():
        yield f"{maker.name:10} {maker.kind:8} {maker.title}"
        yield f"{'':10} {maker.command}"


def train_part(asked: argparse.Namespace) -> str:
    """Makes and writes a part; returns what to tell the user.

    Args:
        asked: the parsed command line of `scrubline part train`.

    Raises:
        UsageError: if the name, an input or a setting cannot be used, or the output exists.
    """
    if asked.part not in PARTS:
        raise UsageError(f"unknown part; expected one of {', '.join(PARTS)}")
    maker = PARTS[asked.part]
    if not asked.inputs:
        raise UsageError(
            f"say what to learn from with --input URL ({READS[maker.reads]}); "
            f"for example: {maker.command}"
        )
    if not asked.output:
        raise UsageError("say where to write the part with --output FOLDER")
    require_new(asked.output, "--output")
    options = _options(maker, asked)
    data, said = _read(maker.reads, asked.inputs)
    if not data:
        raise UsageError("the input holds nothing to learn from")
    part = maker.train(
        data,
        origin=origin_of(said, licence=asked.licence or "", credit=asked.credit or ""),
        command=_command(asked),
        progress=_progress(maker),
        **options,
    )
    if asked.held_out:
        known = words_of(data) if maker.reads == "conllu" else ()
        scores = {end_of(url): _score(part, url, known) for url in asked.held_out}
        part = revise_part(part, {"scores": scores})
    write_part(part, asked.output)
    return (
        f"part {part.name}: {_size(part):,} bytes, hash {part.hash[:12]}, "
        f"licence of its data: {part.licence}; LICENCE.md says what that asks. "
        "It holds words of its texts: keep it as you keep them."
    )


def show_part(url: str) -> str:
    """The card of a part, with its size and hash."""
    part = read_part(_folder(url))
    what = (
        f"{len(part.tags)} tags: {' '.join(part.tags)}"
        if isinstance(part, TagPart)
        else f"{len(part.clusters):,} words, {len(set(part.clusters.values())):,} codes"
        if isinstance(part, ClusterPart)
        else ""
    )
    return f"{part.files['card.md'].decode()}\n{what}\n{_size(part):,} bytes, hash {part.hash}"


def score_part(url: str, inputs: Sequence[str]) -> str:
    """Scores of a part, as JSON, by input."""
    if not inputs:
        raise UsageError("say what to score on with --input URL: data that it was not trained on")
    part = read_part(_folder(url))
    return json.dumps({end_of(one): _score(part, one, ()) for one in inputs}, indent=1)


def _folder(url: str) -> str:
    if not url:
        raise UsageError("say which part: the path or URL of its folder")
    return url


def _size(part: Part) -> int:
    return sum(map(len, part.files.values()))


def _score(part: Part, url: str, known: Any) -> dict[str, object]:
    data, _ = _read(PARTS[part.name].reads, [url])
    if isinstance(part, ClusterPart):
        return score_clusters(part.clusters, data)
    assert isinstance(part, TagPart)
    if part.name == "ner":
        return score_ner(part, data)
    return score_pos(part, data, known)


# -- options


def _options(maker: Maker, asked: argparse.Namespace) -> dict[str, object]:
    """Keywords of `Maker.train` that --set and --algorithm ask for."""
    given = dict(map(_pair, asked.parameters or ()))
    if maker.learner is None:
        if asked.algorithm:
            raise UsageError(f"part {maker.name} has no --algorithm")
        if unknown := sorted(given.keys() - set(maker.settings)):
            raise UsageError(
                f"part {maker.name}: unknown settings {unknown}; known: {list(maker.settings)}"
            )
        if fractions := sorted(n for n, v in given.items() if v != int(v)):
            raise UsageError(f"part {maker.name}: {fractions} must be whole numbers")
        return {n: bool(v) if n == "fold" else int(v) for n, v in given.items()}
    return {"learner": maker.learner.changed(asked.algorithm, given)}


def _pair(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not equals or not np.isfinite(number):
        raise UsageError("--set takes NAME=VALUE, the value a number")
    return name, number


def _command(asked: argparse.Namespace) -> str:
    """The command line for the card, inputs by the ends of their names only."""
    words = ["scrubline", "part", "train", asked.part]
    for option, urls in (("--input", asked.inputs), ("--held-out", asked.held_out)):
        for url in urls or ():
            words += [option, end_of(url)]
    for value in asked.parameters or ():
        words += ["--set", value]
    if asked.algorithm:
        words += ["--algorithm", asked.algorithm]
    return shlex.join(words)


# -- inputs


def _read(reads: str, urls: Sequence[str]) -> tuple[list[Any], list[str]]:
    """The data of all inputs in order, and what each file or document says of its source."""
    data: list[Any] = []
    said: list[str] = []
    if reads == "annotated":
        for url in urls:
            documents = list(read_annotated(url))
            data += documents
            said += [_source(document.meta) for document in documents]
        return data, said
    storage = Storage()
    for url in urls:
        for ordinal, file in enumerate(storage.list_files([url]), 1):
            content = storage.read_bytes(file.url)
            name = file.url.rpartition("/")[2]
            try:
                if reads == "conllu":
                    data += parse_conllu(content)
                    said.append("en_ewt-ud" if name.startswith("en_ewt-ud") else "")
                else:
                    for text, source in _texts(name, content):
                        data.append(text)
                        said.append(source)
            except CorpusError as error:
                raise error.in_file(ordinal) from None
    return data, said


def _texts(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """Texts of a file, and what each says of its source."""
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise CorpusError(line, "BadUtf8", "expected texts in UTF-8") from None
    if not name.endswith((".jsonl", ".ndjson", ".txt")):
        raise UsageError(
            "a file of raw texts must be .txt, or .jsonl or .ndjson with an object a line"
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


def _progress(maker: Maker) -> Callable[[int, Any], None] | None:
    if not is_terminal(sys.stderr):
        return None

    def tell(step: int, other: Any) -> None:
        shown = (
            f"iteration {step}, loss {other:,.1f}"
            if maker.learner
            else f"{maker.name}: {step:,} of {other:,}"
        )
        print(f"\r{shown} ", end="", file=sys.stderr, flush=True)

    return tell
