"""Whether notes that other programs wrote as HTML and RTF are read as what they say, and how fast.

    python -m benchmarks.rich_text [--notes PATH ...] [--spans] [--keep FOLDER]

The notes of the demo (or of folders of `.txt` and files of JSON Lines), one paragraph a line, are
written by pandoc (from its own JSON, with parts of words in bold and in italics) and by
LibreOffice (from plain text). Each file is opened by its layer, and compared is what it reads with
the plain note: *exact* counts lines too, *words* the words in their order. Then every word with a
capital letter is replaced by `[X]`, the result is opened again and must say just that
(*replaced*), with no replaced word of more than three letters in what is read (*clean*). For notes
that differ it says how many words do, never which.
With `--spans` the default model and all rules look for PHI in the plain note and in what is read:
*same* counts notes with the same labels on the same words, *missed* and *more* the spans of the
plain note that are not found, and those that are found beside.

Needs `pandoc` and `soffice` (apt-get install -y --no-install-recommends pandoc
libreoffice-writer-nogui); what is not installed is left out and named. Times are of the process.
Prints a table, then one JSON line.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from scrubline import ScrubbedText, Scrubber
from scrubline.models.core.views import Edit, applied
from scrubline.models.rendering.kinds import LAYERS, recognised

DEMO = Path(__file__).resolve().parents[1] / "demo" / "text"
_NAME = re.compile(r"\b[A-Z][A-Za-z]+\b")
REPEATS = 5
OFFICE_FILES = 100
"""How many LibreOffice converts in one run: of some hundreds it leaves some out."""
Found = tuple[str, str]
"""A label, and the words that have it."""


@dataclasses.dataclass
class Counts:
    """What came of the files of one program in one format."""

    files: int = 0
    recognised: int = 0
    exact: int = 0
    words: int = 0
    words_apart: int = 0
    replaced: int = 0
    clean: int = 0
    characters: int = 0
    seconds: float = 0.0
    spans: int = 0
    same: int = 0
    missed: int = 0
    more: int = 0

    def add_spans(self, plain: Counter[Found], read: Counter[Found]) -> None:
        """Adds what was found in a note as it is, and as it is read."""
        self.spans += plain.total()
        self.same += plain == read
        self.missed += (plain - read).total()
        self.more += (read - plain).total()


def found_in(scrubber: Scrubber, texts: Sequence[str]) -> list[Counter[Found]]:
    """The spans of each text: their labels and words."""
    found = []
    for text, result in zip(texts, scrubber.explain_many(texts), strict=True):
        spans = result.spans if isinstance(result, ScrubbedText) else ()
        found.append(Counter((s.label, " ".join(text[s.start : s.end].split())) for s in spans))
    return found


def notes_of(path: Path) -> list[str]:
    """The texts of a folder or of a file of JSON Lines."""
    if path.is_dir():
        # Not all programs keep the mark of a byte order.
        return [one.read_text(encoding="utf-8-sig") for one in sorted(path.glob("*.txt"))]
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


def lines_of(note: str) -> list[str]:
    """The lines that hold words, blanks as one."""
    return [" ".join(line.split()) for line in note.splitlines() if line.strip()]


def _inlines(word: str, number: int) -> list[dict[str, object]]:
    """A word for pandoc; of some a part is bold or in italics."""
    if number % 5 or len(word) < 4:
        return [{"t": "Str", "c": word}]
    kind = "Strong" if number % 2 else "Emph"
    middle = len(word) // 2
    return [
        {"t": "Str", "c": word[:middle]},
        {"t": kind, "c": [{"t": "Str", "c": word[middle:]}]},
    ]


def pandoc_json(note: str) -> str:
    """A note as a document of pandoc, one paragraph a line."""
    blocks = []
    for line in lines_of(note):
        inlines: list[dict[str, object]] = []
        for number, word in enumerate(line.split()):
            inlines += [{"t": "Space"}] if number else []
            inlines += _inlines(word, number)
        blocks.append({"t": "Para", "c": inlines})
    return json.dumps({"pandoc-api-version": [1, 22], "meta": {}, "blocks": blocks})


def by_pandoc(notes: Sequence[str], kind: str, folder: Path) -> Iterator[str]:
    """The notes in a format, written by pandoc."""
    for note in notes:
        command = ["pandoc", "-f", "json", "-t", kind, "-s", "--metadata", "title= "]
        done = subprocess.run(
            command, input=pandoc_json(note), capture_output=True, text=True, check=True
        )
        yield done.stdout


def by_office(notes: Sequence[str], kind: str, folder: Path) -> Iterator[str]:
    """The notes in a format, written by LibreOffice, many at once."""
    paths = []
    for number, note in enumerate(notes):
        paths.append(folder / f"{number}.txt")
        paths[-1].write_text("\n".join(lines_of(note)) + "\n", encoding="utf-8")
    profile = (folder / "profile").as_uri()
    command = [
        *(
            "soffice",
            f"-env:UserInstallation={profile}",
            "--headless",
            "--infilter=Text (encoded):",
        ),
        *("--convert-to", kind, "--outdir", str(folder)),
    ]
    command[3] += "UTF8,LF,,,"
    for begin in range(0, len(paths), OFFICE_FILES):
        own = paths[begin : begin + OFFICE_FILES]
        subprocess.run([*command, *map(str, own)], capture_output=True, check=True)
    for path in paths:
        written = path.with_suffix(f".{kind}").read_bytes()
        yield written.decode("utf-8" if kind == "html" else "latin-1")


PROGRAMS: dict[str, tuple[str, Callable[[Sequence[str], str, Path], Iterator[str]]]] = {
    "pandoc": ("pandoc", by_pandoc),
    "LibreOffice": ("soffice", by_office),
}
"""Name -> its command, and how it writes notes."""


def compared(notes: Sequence[str], sources: Sequence[str], kind: str) -> Counts:
    """What the layer of a format reads of files, beside the notes that they were made from."""
    counts, layer = Counts(), LAYERS[kind]
    for note, source in zip(notes, sources, strict=True):
        began = time.process_time()
        for _ in range(REPEATS):
            opened = layer(source)
        counts.seconds += (time.process_time() - began) / REPEATS
        counts.characters += len(source)
        counts.files += 1
        counts.recognised += recognised(source) == kind
        expected, found = lines_of(note), lines_of(opened.text)
        counts.exact += expected == found
        words, read = " ".join(expected).split(), " ".join(found).split()
        counts.words += words == read
        counts.words_apart += _apart(words, read)
        edits: list[Edit] = [(*name.span(), "[X]") for name in _NAME.finditer(opened.text)]
        result = applied(source, opened.edits(edits))
        counts.replaced += layer(result).text == applied(opened.text, edits)
        names = {opened.text[low:high] for low, high, _ in edits if high - low > 3}
        counts.clean += not any(re.search(rf"\b{name}\b", layer(result).text) for name in names)
    return counts


def _apart(expected: Sequence[str], found: Sequence[str]) -> int:
    if expected == found:
        return 0
    matcher = difflib.SequenceMatcher(None, expected, found, autojunk=False)
    return sum(
        max(high - low, stop - start)
        for tag, low, high, start, stop in matcher.get_opcodes()
        if tag != "equal"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--notes", type=Path, nargs="+", default=[DEMO], help="folders of *.txt, or *.jsonl"
    )
    parser.add_argument("--spans", action="store_true", help="compare what is found, too")
    parser.add_argument("--keep", type=Path, help="folder for the files that are made")
    given = parser.parse_args()
    notes = [note for path in given.notes for note in notes_of(path)]
    rows, results = [], {}
    titles = [f.name for f in dataclasses.fields(Counts)]
    titles = [t for t in titles if t not in ("characters", "seconds")][: None if given.spans else 7]
    scrubber = Scrubber() if given.spans else None
    plain = found_in(scrubber, ["\n".join(lines_of(note)) for note in notes]) if scrubber else []
    for name, (command, write) in PROGRAMS.items():
        if shutil.which(command) is None:
            print(f"{command} is not installed: nothing is written by {name}", file=sys.stderr)
            continue
        for kind in ("html", "rtf"):
            with tempfile.TemporaryDirectory() as folder:
                sources = list(write(notes, kind, Path(folder)))
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                for number, source in enumerate(sources):
                    path = given.keep / f"{name}-{number}.{kind}"
                    path.write_text(source, encoding="utf-8", newline="")
            counts = compared(notes, sources, kind)
            if scrubber:
                read = found_in(scrubber, [LAYERS[kind](source).text for source in sources])
                for own, other in zip(plain, read, strict=True):
                    counts.add_spans(own, other)
            results[f"{name} {kind}"] = dataclasses.asdict(counts)
            speed = counts.characters / 1e6 / counts.seconds
            rows.append((name, kind, *(getattr(counts, t) for t in titles), f"{speed:.1f} MB/s"))
    for row in (("program", "format", *titles, "speed"), *rows):
        print("  ".join(f"{value!s:>12}" for value in row))
    print(json.dumps(results))
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
