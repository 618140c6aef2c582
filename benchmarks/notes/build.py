"""Builds the gold of the development, practice and review notes from their marked-up sources.

`python -m benchmarks.notes.build` reads `<set>/*.txt` and writes `<set>.jsonl` beside them:
the same bytes every time. `--check FOLDER`
only reads, and says what is wrong.

A source is `#kind: <kind of note>`, an empty line, then the text with marks (docs/annotation.md).
"""

from __future__ import annotations

import argparse
import collections
import json
import re
from collections.abc import Sequence
from pathlib import Path

from scrubline.models.core.labels import LABELS
from scrubline.models.corpora.base import AnnotatedDocument
from scrubline.models.corpora.inline import parse_marked

HERE = Path(__file__).resolve().parent
SETS = (
    *("development", "practice", "review"),
    *("world", "world-unread", "traps", "traps-unread", "spanish", "spanish-unread"),
)

_HEADER = re.compile(r"#kind: ([a-z0-9]+(?:-[a-z0-9]+)*)\n\n")


def read_note(path: Path) -> AnnotatedDocument:
    """Gives the note of one source; its name is its id.

    Raises:
        ValueError: the header, a mark or a label is wrong; names the file and the line.
    """
    source = path.read_bytes().decode("utf-8")
    header = _HEADER.match(source)
    if header is None:
        raise ValueError(f"{path.name}: expected '#kind: some-kind' and an empty line")
    try:
        text, spans = parse_marked(source[header.end() :])
    except ValueError as error:
        raise ValueError(f"{path.name}: {error} (after the header)") from error
    if unknown := sorted({span.label for span in spans} - set(LABELS)):
        raise ValueError(f"{path.name}: unknown labels {unknown}")
    return AnnotatedDocument(path.stem, text, spans, {"type": header[1]})


def read_notes(folder: Path) -> list[AnnotatedDocument]:
    """Gives the notes of a folder by name."""
    return [read_note(path) for path in sorted(folder.glob("*.txt"))]


def to_gold(note: AnnotatedDocument) -> str:
    """Gives the note's line of stand-off gold."""
    spans = [{"start": one.start, "end": one.end, "label": one.label} for one in note.spans]
    return json.dumps(
        {"doc_id": note.doc_id, "text": note.text, "spans": spans, "meta": dict(note.meta)},
        ensure_ascii=False,
    )


def summary(notes: Sequence[AnnotatedDocument]) -> str:
    """Says how many notes, words and entities there are, by label and by kind."""
    labels = collections.Counter(span.label for note in notes for span in note.spans)
    kinds = collections.Counter(str(note.meta["type"]) for note in notes)
    words = sum(len(note.text.split()) for note in notes)
    lines = [f"{len(notes)} notes, {words} words, {sum(labels.values())} entities"]
    lines.append("labels: " + ", ".join(f"{name} {labels[name]}" for name in LABELS))
    lines.append("kinds: " + ", ".join(f"{name} {count}" for name, count in sorted(kinds.items())))
    return "\n".join(lines)


def main() -> None:
    """Builds the sets, or checks a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", type=Path, metavar="FOLDER", help="read only, and say what is there"
    )
    folder: Path | None = parser.parse_args().check
    if folder is not None:
        print(summary(read_notes(folder)))
        return
    for name in SETS:
        notes = read_notes(HERE / name)
        gold = "".join(to_gold(note) + "\n" for note in notes)
        (HERE / f"{name}.jsonl").write_bytes(gold.encode("utf-8"))
        print(f"{name}: {summary(notes)}")


if __name__ == "__main__":
    main()
