"""Raw clinical notes as training data: what identifies in them is replaced, frames are put round.

Raw notes have real wording and no annotation. Placeholders (`Dr. XYZ`) and what the rules find is
replaced by invented identities, whose labels are then known. What may still be a name and was not
found would teach a model to leave names alone: a line with a capital that nothing explains in the
midst of a sentence is left out. Capitals that open a line or a sentence are not looked at: a name
there that the rules miss stays, unlabelled.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import re
from collections.abc import Iterator, Sequence

from ...dictionaries import load
from ..core.errors import DocumentError, UsageError
from ..corpora import AnnotatedDocument
from ..scrubber import Scrubber
from ..storage.storage import Storage
from .drawing import Draw
from .filling import Maker, Note, NotePiece, Pieces, fill, open_note
from .generating import to_document
from .lists import words
from .parsing import Slot, Template, parse_templates
from .printing import print_note
from .slots import SLOTS

_PLACEHOLDER = re.compile(
    r"\b(?P<title>(?:Dr|Mr|Mrs|Ms|Miss|Doctor)\.?) (?P<name>[A-Z]{3,4}|[A-Z])\b(?!\.[A-Za-z])"
    r"(?!-|\.? [A-Z])"
)
"""A letter or letters in place of a name; before a name it is an initial or a first name."""
_DIALOGUE = re.compile(r"^\[(?:doctor|patient)[^\]\n]*\]", re.MULTILINE)
_CAPITAL = re.compile(r"(?<=[a-z,;)] )[A-Z][a-z]+(?:[-'][A-Za-z]+)*")
"""A capital in the midst of a sentence."""

BODY = "body"
"""The slot of a frame where the raw note goes."""

_SLOT_OF = {
    "PATIENT": "p",
    "DOCTOR": "d",
    "HOSPITAL": "hospital",
    "ORGANIZATION": "employer",
    "CITY": "city",
    "STATE": "state",
    "COUNTRY": "country",
    "DATE": "when",
    "PROFESSION": "profession",
    "STREET": "street",
    "ZIP": "zip",
    "LOCATION-OTHER": "place",
    "PHONE": "phone",
    "FAX": "fax",
    "EMAIL": "email",
    "URL": "url",
    "IPADDR": "ip",
    "SSN": "ssn",
    "MEDICALRECORD": "mrn",
    "HEALTHPLAN": "plan",
    "ACCOUNT": "account",
    "IDNUM": "idnum",
    "LICENSE": "license",
    "DEVICE": "serial",
    "VEHICLE": "plate",
    "BIOID": "bioid",
    "USERNAME": "user",
}
"""Labels that are drawn anew; an age keeps its number and its label."""


def read_raw(folder: str) -> list[str]:
    """The texts of a folder or file: `.jsonl` with a key "text" a line, or `.txt`.

    Transcripts of dialogues are not notes, and are left out.

    Raises:
        UsageError: without a text, or if a line is not as expected; names the file by its ordinal.
    """
    storage = Storage()
    texts: list[str] = []
    for ordinal, file in enumerate(storage.list_files([folder]), 1):
        where = f"raw file {ordinal}"
        if not file.path.endswith((".jsonl", ".txt")):
            continue
        try:
            content = storage.read_bytes(file.url).decode("utf-8-sig")
            if file.path.endswith(".txt"):
                texts.append(content)
                continue
            rows = [json.loads(line) for line in content.split("\n") if line.strip()]
            found = [row["text"] for row in rows]
            if not all(isinstance(text, str) for text in found):
                raise TypeError
            texts += found
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(
                f"{where}: expected UTF-8 and in .jsonl an object with a text a line; "
                f"{type(error).__name__}"
            ) from None
    texts = [text for text in texts if text.strip() and not _DIALOGUE.search(text)]
    if not texts:
        raise UsageError("no raw notes: expected .jsonl or .txt files")
    return texts


def mix_in(texts: Sequence[str], *, seed: int) -> Iterator[AnnotatedDocument]:
    """Yields an annotated note for each raw text, unless nothing of it is left.

    Raises:
        UsageError: if a text is too long or not sound; names it by its ordinal, from 1.
    """
    if not texts:
        return
    scrubber = Scrubber(models=None)
    for number, text in enumerate(texts):
        draw = Draw("raw", seed, number)
        frame = draw.pick(_frames())
        note = open_note(frame, draw.child("slots"))
        try:
            body = _anonymous(note, text, scrubber)
        except DocumentError as error:
            raise UsageError(f"raw note {number + 1}: {error}") from None
        if len("".join(piece.text for piece in body)) < 40:
            continue
        table: dict[str, Maker] = {**SLOTS, BODY: lambda _, __, body=body: body}  # type: ignore[misc]
        pieces = print_note(draw.child("print"), fill(note, frame.nodes, table))
        yield to_document(f"raw-{number}", pieces, {"type": "raw", "template": frame.name})


@functools.cache
def _frames() -> tuple[Template, ...]:
    """Headers and signatures that are put round raw notes."""
    source = importlib.resources.files(__package__).joinpath("frames.txt").read_text("utf-8")
    return tuple(parse_templates(source, "frames"))


def _anonymous(note: Note, text: str, scrubber: Scrubber) -> Pieces:
    """A raw text with invented identities, without the lines that nothing explains."""
    slots: dict[str, Slot] = {}
    pieces: Pieces = []
    for line in text.replace("\r\n", "\n").split("\n"):
        made = _line(note, line, scrubber, slots)
        if made is not None:
            pieces += [*made, NotePiece("\n")]
    return pieces


def _slot_of(label: str, words_there: str, form: str, slots: dict[str, Slot]) -> Slot:
    """The slot for words that the rules found; the same words are the same person everywhere."""
    name = _SLOT_OF[label]
    if label == "PATIENT":
        form = form or ("first" if " " not in words_there else "fl")
        return slots.setdefault(words_there, Slot(name, "", form, "", "", 0))
    if label == "DOCTOR":
        form = form or ("last" if " " not in words_there else "fl")
        index = str(len(slots) % 9 + 1)
        return slots.setdefault(words_there, Slot(name, index, form, "", "", 0))
    return Slot(name, "", "", "", "", 0)


def _line(note: Note, line: str, scrubber: Scrubber, slots: dict[str, Slot]) -> Pieces | None:
    """The pieces of one line; None if it is left out. `slots` remembers persons."""
    marks: list[tuple[int, int, str, str]] = []
    for match in _PLACEHOLDER.finditer(line):
        doctor = match["title"].startswith("D")
        label = "DOCTOR" if doctor else "PATIENT"
        marks.append((match.start("name"), match.end("name"), label, "last"))
    for entity in scrubber.entities(line)[0]:
        if all(entity.end <= start or entity.start >= end for start, end, _, _ in marks):
            marks.append((entity.start, entity.end, entity.label, ""))
    pieces: Pieces = []
    at = 0
    for start, end, label, form in sorted(marks):
        before = line[at:start]
        if _unexplained(before):
            return None
        inside = line[start:end]
        pieces.append(NotePiece(before))
        if label in _SLOT_OF:
            slot = _slot_of(label, inside, form, slots)
            pieces += SLOTS[slot.name](note, slot)
        else:
            pieces.append(NotePiece(inside, label))
        at = end
    if _unexplained(line[at:]):
        return None
    pieces.append(NotePiece(line[at:]))
    return [piece for piece in pieces if piece.text]


@functools.cache
def _known() -> frozenset[str]:
    lists = (
        "common_words_en",
        "drug_names_en",
        "eponyms_en",
        "medical_products_en",
        "medical_tests_en",
        "medical_words_en",
        "organisms_en",
        "languages_en",
        "nationalities_en",
        "titles_en",
    )
    phrases = [phrase for name in lists for phrase in load(name).phrases]
    phrases += [line.split("\t")[0] for line in words("drugs")]
    phrases += words("eponyms")
    return frozenset(word.lower().rstrip(".") for phrase in phrases for word in phrase.split())


def _unexplained(text: str) -> bool:
    """Whether a capital inside of a sentence is of no word that is known."""
    return any(
        part.lower() not in _known()
        for match in _CAPITAL.finditer(text)
        for part in re.split("[-']", match[0])
        if len(part) > 1
    )
