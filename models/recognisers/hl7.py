"""Identifiers in the fields of HL7 version 2 messages that stand in the text of a note.

A field says what it holds by its place, not by a word: PID-3 is the patient's record number, PV1-7
the attending's NPI. Names in such fields are found by `labelled_name`, facilities by `hospital`.

Source: HL7 Version 2.5.1, chapters 2 (MSH), 3 (PID, PV1), 4 (ORC, OBR) and 6 (IN1).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import count_digits
from .patterns import pattern, view

NAME = "hl7"
LABELS = ("ACCOUNT", "HEALTHPLAN", "IDNUM", "LICENSE", "MEDICALRECORD", "SSN", "USERNAME")
# 10 of 10 right: english_clinical_sample 3/3, demo/train 7/7.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9167

_SEGMENT = pattern(r"(?:^|\n|\r)(MSH|PID|PV1|ORC|OBR|IN1)\|")
_LONGEST_SEGMENT = 2_000
_FIELDS: dict[bytes, dict[int, str]] = {
    # The separator itself is MSH-1, so its fields are counted from 2.
    b"MSH": {10: "IDNUM"},
    b"PID": {
        2: "MEDICALRECORD",
        3: "MEDICALRECORD",
        4: "MEDICALRECORD",
        18: "ACCOUNT",
        19: "SSN",
        20: "LICENSE",
    },
    b"PV1": {7: "LICENSE", 8: "LICENSE", 9: "LICENSE", 17: "LICENSE", 19: "IDNUM", 50: "IDNUM"},
    b"ORC": {2: "IDNUM", 3: "IDNUM", 4: "IDNUM", 12: "LICENSE"},
    b"OBR": {2: "IDNUM", 3: "IDNUM", 10: "USERNAME", 16: "LICENSE"},
    b"IN1": {3: "HEALTHPLAN", 8: "HEALTHPLAN", 36: "HEALTHPLAN", 49: "HEALTHPLAN"},
}
_NUMBER = pattern(r"(?:[a-z]{1,4} )?[a-z]{0,8}[-.]?\d[a-z0-9]{0,24}(?:[-. ][a-z0-9]{1,12}){0,4}")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate per identifier in a field, left to right and without overlap."""
    seen = view(document.text)
    found: list[Candidate] = []
    for match in _SEGMENT.finditer(seen):
        kind = seen[match.start(1) : match.end(1)].upper()
        found += _in_fields(seen, match.end(), kind)
    yield from sorted(found)


def _in_fields(seen: bytes, start: int, kind: bytes) -> Iterator[Candidate]:
    end = min(len(seen), start + _LONGEST_SEGMENT)
    for line_end in (b"\n", b"\r"):
        place = seen.find(line_end, start, end)
        end = place if place >= 0 else end
    number = 2 if kind == b"MSH" else 1
    labels = _FIELDS[kind]
    for field in seen[start:end].split(b"|"):
        label = labels.get(number)
        if label:
            place = start
            for repeat in field.split(b"~"):
                value, *rest = repeat.split(b"^")
                if _NUMBER.fullmatch(value) and count_digits(value) > 1:
                    # PID-3 repeats: record number, then the social security number, each with its
                    # authority and type (table 0203).
                    social = label == "MEDICALRECORD" and b"SS" in rest
                    own = "SSN" if social else label
                    yield Candidate(place, place + len(value), own, NAME, SCORE)
                place += len(repeat) + 1
        start += len(field) + 1
        number += 1
