"""Builds the demo corpus from its marked-up notes.

`python demo/build.py` reads `notes/*.txt` and writes beside them `parquet/notes.parquet` (the notes
as a warehouse holds them), `text/*.txt` (one file a note), `gold/train.jsonl` and
`gold/dev.jsonl` (stand-off gold), `roster.csv` (what a hospital knows of some patients),
`hl7/notes.hl7` (the notes of these patients as an interface engine sends them) and the tables of
`README.md`. The same notes give the same bytes; Parquet also names the pyarrow used.

A note is `#key: value` lines, an empty line, then the text, marked as docs/annotation.md says. Line
ends, the byte order mark and the last newline are the header's business (`newline`, `bom`,
`final_newline`).
"""

from __future__ import annotations

import argparse
import collections
import csv
import dataclasses
import datetime
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from scrubline.models.corpora.inline import parse_marked
from scrubline.models.messages.hl7_escapes import Escapes, delimiters_of

HERE = Path(__file__).resolve().parent

ROWS_PER_GROUP = 16
"""Small on purpose: even this corpus is then split into several work units."""

DEV_PATIENTS = frozenset(
    (
        "0010093",
        "0010094",
        "0020041",
        "0025119",
        "0026604",
        "0028873",
        "0030012",
        "0033398",
        "0035571",
        "0036620",
        "0038045",
        "0041733",
        "0045518",
        "0051884",
        "0054902",
        "0058113",
        "0060438",
        "0061122",
        "0063309",
        "0064418",
        "0067245",
        "0068371",
        "0071560",
    )
)
"""Patients whose notes are the development half; a mother and her newborn are on the same side.

Chosen once so that halves, kinds and labels come out even. A new patient is put on a side by hand.
"""

PEOPLE: dict[str, tuple[tuple[str, str, str], ...]] = {
    "0004417": (
        ("self", "name", "Ostrander, Bartholomew J"),
        ("self", "birth", "1925-11-30"),
        ("self", "mrn", "4417-09"),
        ("self", "street", "618 Harbor Bluff Rd"),
        ("relative", "name", "Ostrander-Pike, Lenore"),
        ("relative", "phone", "906-555-0118"),
        ("contact", "name", "Tamminen, Gus"),
    ),
    "0007720": (
        ("self", "name", "Villaseñor, José Ángel"),
        ("self", "alias", "Chuy"),
        ("self", "mrn", "UH3390185"),
        ("relative", "name", "Villaseñor, Graciela"),
    ),
    "0010093": (("self", "name", "Nguyen, Hanh Thi"), ("relative", "name", "Pham, Tuan")),
    "0013902": (
        ("self", "name", "Achebe-Clarke, Desmond"),
        ("relative", "name", "Achebe, Ifeoma"),
        ("relative", "name", "Clarke, Rob"),
    ),
    "0022816": (
        ("self", "name", "Voss, Eleanor Margaret"),
        ("self", "mrn", "338-22-816"),
        ("contact", "name", "Amsel, Josephine"),
    ),
    "0041733": (("self", "name", "Summers, Leroy"), ("relative", "name", "Summers-Gray, Autumn")),
}
"""Patient -> kind, attribute and value: what the hospital's table says. Not of all patients."""

STAFF = ("Priya Raman, MD", "Walter Heikkinen, MD", "Sven Aaltonen, MD")
"""Of the staff, too."""

REQUIRED = (
    "note_id",
    "patient_id",
    "encounter_id",
    "note_type",
    "encounter_date",
    "author",
    "department",
)
SWITCHES: dict[str, tuple[str, str]] = {
    "newline": ("lf", "crlf"),
    "bom": ("no", "yes"),
    "addendum": ("no", "yes"),
    "final_newline": ("yes", "no"),
}
"""Optional header keys -> (default, the other value)."""

SCHEMA = pa.schema(
    [
        ("note_id", pa.int64()),
        ("patient_id", pa.string()),
        ("encounter_id", pa.int64()),
        ("note_type", pa.string()),
        ("note_date", pa.timestamp("us")),
        ("author", pa.string()),
        ("department", pa.string()),
        ("note_text", pa.string()),
        ("word_count", pa.int32()),
        ("is_addendum", pa.bool_()),
    ]
)

_ESCAPES = Escapes(delimiters_of("MSH|^~\\&|"))
_HEADER_LINE = re.compile(r"#([a-z_]+): (\S.*)")
_TABLES = re.compile(r"(?<=<!-- counts -->\n).*?(?=<!-- /counts -->)", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Note:
    """One note as it ships.

    Attributes:
        header: the keys of REQUIRED and SWITCHES, defaults filled in.
        text: code points as a reader sees them, byte order mark and carriage returns included.
        spans: (start, end, label), disjoint and in order; offsets are code points of `text`.
    """

    header: dict[str, str]
    text: str = dataclasses.field(repr=False)
    spans: tuple[tuple[int, int, str], ...]

    @property
    def split(self) -> str:
        """The half this note's patient is in: train or dev."""
        return "dev" if self.header["patient_id"] in DEV_PATIENTS else "train"

    @property
    def file_name(self) -> str:
        """Patient and note number, as exports are often named."""
        return f"{self.header['patient_id']}_{self.header['note_id']}.txt"


def parse_note(source: str) -> Note:
    """Gives the note of one source file.

    Raises:
        ValueError: a header key is missing, unknown or has an invalid value; a mark is not
            closed, is nested or names an unknown escape; an entity begins or ends in white space.
    """
    head, _, body = source.partition("\n\n")
    header = _parse_header(head.split("\n"))
    if header["newline"] == "crlf":
        body = body.replace("\n", "\r\n")
    if header["final_newline"] == "no":
        body = body.rstrip("\r\n")
    if header["bom"] == "yes":
        body = "\N{ZERO WIDTH NO-BREAK SPACE}" + body
    text, marks = parse_marked(body)
    return Note(header, text, tuple((one.start, one.end, one.label) for one in marks))


def _parse_header(lines: Sequence[str]) -> dict[str, str]:
    header = {key: default for key, (default, _) in SWITCHES.items()}
    for line in lines:
        match = _HEADER_LINE.fullmatch(line)
        if match is None or match[1] not in {*REQUIRED, *SWITCHES}:
            raise ValueError(f"header line {line!r}: expected '#key: value' with a known key")
        header[match[1]] = match[2]
    if missing := [key for key in REQUIRED if key not in header]:
        raise ValueError(f"header lacks {missing}")
    for key, values in SWITCHES.items():
        if header[key] not in values:
            raise ValueError(f"header key {key}: {header[key]!r} is none of {values}")
    return header


def read_notes(folder: Path) -> list[Note]:
    """Gives the notes of a folder by ascending note number.

    Raises:
        ValueError: as `parse_note`, naming the file; or a file's name is not its note number.
    """
    notes = []
    for path in folder.glob("*.txt"):
        try:
            # Not read_text: it would turn a stray carriage return into a newline unseen.
            note = parse_note(path.read_bytes().decode("utf-8"))
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from error
        if note.header["note_id"] != path.stem:
            raise ValueError(f"{path.name}: its header says note {note.header['note_id']}")
        notes.append(note)
    return sorted(notes, key=lambda note: int(note.header["note_id"]))


def to_table(notes: Sequence[Note]) -> pa.Table:
    """Gives the warehouse table, a row a note, in the order given."""
    return pa.Table.from_pylist(
        [
            {
                "note_id": int(note.header["note_id"]),
                "patient_id": note.header["patient_id"],
                "encounter_id": int(note.header["encounter_id"]),
                "note_type": note.header["note_type"],
                "note_date": datetime.datetime.strptime(
                    note.header["encounter_date"], "%Y-%m-%d %H:%M"
                ),
                "author": note.header["author"],
                "department": note.header["department"],
                "note_text": note.text,
                "word_count": len(note.text.split()),
                "is_addendum": note.header["addendum"] == "yes",
            }
            for note in notes
        ],
        schema=SCHEMA,
    )


def to_gold(note: Note) -> str:
    """Gives the note's line of `gold/<split>.jsonl`, without the newline."""
    return json.dumps(
        {
            "doc_id": note.header["note_id"],
            "text": note.text,
            "spans": [
                {"start": start, "end": end, "label": label} for start, end, label in note.spans
            ],
            "meta": {
                "type": note.header["note_type"],
                "patient_id": note.header["patient_id"],
                "split": note.split,
            },
        },
        ensure_ascii=False,
    )


def to_counts(notes: Sequence[Note]) -> str:
    """Gives the Markdown tables of the README: totals, entities by label, notes by kind."""

    def rows(items: Callable[[Note], Iterable[str]]) -> list[str]:
        counts = collections.Counter((item, note.split) for note in notes for item in items(note))
        return [
            f"| {item} | {counts[item, 'train']} | {counts[item, 'dev']} |"
            for item in sorted({item for item, _ in counts})
        ]

    def total(name: str, count: Callable[[list[Note]], int]) -> str:
        halves = [[note for note in notes if note.split == split] for split in ("train", "dev")]
        return f"| {name} | {count(halves[0])} | {count(halves[1])} |"

    return "\n".join(
        [
            "",
            "| | train | dev |",
            "| --- | ---: | ---: |",
            total("notes", len),
            total("patients", lambda half: len({note.header["patient_id"] for note in half})),
            total("words", lambda half: sum(len(note.text.split()) for note in half)),
            total("entities", lambda half: sum(len(note.spans) for note in half)),
            "",
            "| label | train | dev |",
            "| --- | ---: | ---: |",
            *rows(lambda note: [label for _, _, label in note.spans]),
            "",
            "| kind of note | train | dev |",
            "| --- | ---: | ---: |",
            *rows(lambda note: [note.header["note_type"]]),
            "",
            "",
        ]
    )


def roster_rows() -> Iterator[tuple[str, str, str, str]]:
    """Yields the rows of `roster.csv`, head first."""
    yield "patient", "kind", "attribute", "value"
    for patient, known in PEOPLE.items():
        yield from ((patient, *one) for one in known)
    yield from (("", "staff", "name", name) for name in STAFF)


def to_message(note: Note) -> str:
    """Gives the note as a message ORU^R01 of HL7 v2.5.1, its header filled from `PEOPLE`."""
    patient = note.header["patient_id"]
    sent = datetime.datetime.strptime(note.header["encounter_date"], "%Y-%m-%d %H:%M")
    time = f"{sent:%Y%m%d%H%M}"
    known = {(kind, what): value for kind, what, value in PEOPLE[patient]}
    name, birth = _name_parts(known["self", "name"]), known.get(("self", "birth"), "")
    street = known.get(("self", "street"), "")
    family, given = note.header["author"].split(" ", 1)[::-1]
    kind = note.header["note_type"]
    segments = [
        f"MSH|^~\\&|EDM|LAKEHEAD|DWH|LAKEHEAD|{time}||ORU^R01|{note.header['note_id']}|P|2.5.1",
        f"PID|1||{patient}^^^LAKEHEAD^MR||{name}||{birth.replace('-', '')}||||{street}",
        *(
            f"NK1|{number}|{_name_parts(value)}|FAM"
            for number, value in enumerate(
                (v for k, what, v in PEOPLE[patient] if (k, what) == ("relative", "name")), 1
            )
        ),
        f"PV1|1|I|{note.header['department']}||||^{family}^{given}",
        f"OBR|1|{note.header['encounter_id']}||{kind}^{kind}^L|||{time}",
        *(
            f"OBX|{number}|TX|{kind}^{kind}^L||{_ESCAPES.written(line)}||||||F"
            for number, line in enumerate(note.text.splitlines(), 1)
        ),
    ]
    return "\r".join(segments) + "\r"


def _name_parts(name: str) -> str:
    """`Surname, Given M` as the components of a name."""
    family, _, given = name.partition(", ")
    return "^".join((family, *given.split(" ", 1)))


def build(notes: Sequence[Note], out: Path) -> None:
    """Writes all that is made from the notes into `out`; old text files there are removed."""
    for name in ("hl7", "parquet", "text"):
        (out / name).mkdir(parents=True, exist_ok=True)
    for old in (out / "text").glob("*.txt"):
        old.unlink()
    for note in notes:
        (out / "text" / note.file_name).write_bytes(note.text.encode("utf-8"))
    messages = [to_message(note) for note in notes if note.header["patient_id"] in PEOPLE]
    (out / "hl7" / "notes.hl7").write_bytes("".join(messages).encode("utf-8"))
    (out / "gold").mkdir(exist_ok=True)
    for split in ("train", "dev"):
        lines = "".join(to_gold(note) + "\n" for note in notes if note.split == split)
        (out / "gold" / f"{split}.jsonl").write_bytes(lines.encode("utf-8"))
    pq.write_table(
        to_table(notes), out / "parquet" / "notes.parquet", row_group_size=ROWS_PER_GROUP
    )
    with (out / "roster.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(roster_rows())
    template = (HERE / "README.md").read_text(encoding="utf-8")
    readme = _TABLES.sub(lambda _: to_counts(notes), template)
    (out / "README.md").write_bytes(readme.encode("utf-8"))


def main() -> None:
    """Builds in place, or elsewhere with --out."""
    parser = argparse.ArgumentParser(description="Build the demo corpus from demo/notes.")
    parser.add_argument(
        "--out", type=Path, default=HERE, help="folder to write to (default: demo/)"
    )
    out: Path = parser.parse_args().out
    notes = read_notes(HERE / "notes")
    build(notes, out)
    print(f"{len(notes)} notes, {sum(len(note.spans) for note in notes)} entities -> {out}")


if __name__ == "__main__":
    main()
