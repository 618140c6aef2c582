"""Changes of messages at random: at any character, and those that their grammar knows.

A change takes a record, others of its kind and a source of chance, and gives another record; its
name is what results are counted by. The grammar's own changes leave most records readable.
"""

from __future__ import annotations

import base64
import contextlib
import json
import random
import re
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIGNS = "|^~\\&\r\n \"'<>{}[],:/.aZ9éñ\u0085\U0001f600"

Change = Callable[[str, Sequence[str], random.Random], str]

WORDS = (
    *("Zelda", "Quimby", "was", "seen", "Dr. Fotheringay", "3/4/2019", "é", "Muñoz", "a\u0301"),
    *("\U0001f600", "<b>", "&amp;", "]]>", "--", "\\n", "{}", '"', "'", "\u2028", "\u0085", "\xa0"),
    *("12 Elm St", "5 < 6", "x&y", "a|b", "c^d", "e~f", "%", "|", "0", "\t", "  ", "\ufffd"),
)
_SPOKEN = WORDS[:6]


def words(draw: random.Random, most: int = 8, odd: float = 0.3) -> str:
    """A text of invented words, some of them of signs that a grammar takes for its own."""
    return " ".join(
        draw.choice(WORDS if draw.random() < odd else _SPOKEN)
        for _ in range(draw.randrange(1, most))
    )


def page(draw: random.Random) -> str:
    """A page or fragment of HTML."""
    inner = "".join(
        draw.choice(("<p>{}</p>", "<b>{}</b> ", "{}<br>", "<!-- {} -->", "<td title='{}'>x</td>"))
        .format(draw.choice(_SPOKEN))
        for _ in range(draw.randrange(1, 6))
    )  # fmt: skip
    return draw.choice(("<html><body>{}</body></html>", "<div>{}</div>", "<p>{}</p>")).format(inner)


def rich(draw: random.Random) -> str:
    """A document of RTF."""
    inner = " ".join(
        draw.choice(("{}", "{{\\b {}}}", "{}\\par", "\\'e9{}", "\\u233?{}"))
        .format(draw.choice(_SPOKEN[:4]))
        for _ in range(draw.randrange(1, 6))
    )  # fmt: skip
    return "{\\rtf1\\ansi " + inner + "}"


def data_of(draw: random.Random) -> tuple[str, str]:
    """A media type, and a text of it in base64."""
    kind, make = draw.choice(
        (
            ("text/plain", lambda: words(draw, odd=0)),
            ("text/html", lambda: page(draw)),
            ("text/rtf", lambda: rich(draw)),
            ("application/pdf", lambda: "%PDF-1.4 " + words(draw)),
        )
    )
    encoding = draw.choice(("utf-8", "utf-8", "cp1252"))
    return kind, base64.b64encode(make().encode(encoding, "replace")).decode()


def records(name: str) -> list[str]:
    """Records to begin with: those of the demo, and the examples of the tests."""
    folder = ROOT / "tests" / "models" / "messages" / name
    found = [p.read_bytes().decode("utf-8", "replace") for p in sorted(folder.rglob("*.*"))]
    if name == "hl7":
        found = [p.read_bytes().decode() for p in sorted((ROOT / "demo" / "hl7").glob("*.hl7"))]
        found += [p.read_bytes().decode("latin-1") for p in sorted(folder.glob("*.hl7"))]
        found = [f"MSH{one}" for text in found for one in text.split("MSH")[1:]]
        return [_without_envelope(one) for one in found]
    if name == "fhir":
        examples = runpy.run_path(str(folder.parent / "fhir_examples.py"))
        found = [json.dumps(one, ensure_ascii=False) for one in examples["EXAMPLES"].values()]
        # Some say RTF of what is none, as tests of roles need no more.
        return [re.sub(r'"(application|text)/rtf"', '"text/plain"', one) for one in found]
    kept = [one for one in found if one.lstrip("\ufeff \r\n").startswith(("{", "<"))]
    return kept or sys.exit(f"no records of {name} to begin with")


def _without_envelope(message: str) -> str:
    return re.split(r"[\r\n]+(?=[BF][HT]S)|[\x0b\x1c]", message)[0].strip("\r\n")


def any_character(record: str, others: Sequence[str], draw: random.Random) -> str:
    """A change at any place, whatever stands there."""
    at = draw.randrange(len(record) + 1)
    end = min(len(record), at + draw.choice((0, 0, 1, 1, 3, 20)))
    what = draw.randrange(4)
    if what == 0:
        piece = "".join(draw.choice(SIGNS) for _ in range(draw.randrange(1, 6)))
    elif what == 1:
        other = draw.choice(others)
        start = draw.randrange(len(other))
        piece = other[start : start + draw.choice((5, 30, 200))]
    elif what == 2:
        piece = record[at : at + draw.choice((1, 10, 100))] * 2
    else:
        piece = ""
    return record[:at] + piece + record[end:]


RAW = "characters"
"""What changes at any character are counted as."""

RARE = frozenset(
    ("document type", "instructions", "lone surrogates", "duplicated members", "unknown members")
)
"""Changes after which a record is refused; there are fewer of them."""


class BrokenRecord(ValueError):
    """A change before has broken a record in such a way that this one cannot be made."""


def changed(
    record: str, others: Sequence[str], own: Mapping[str, Change], draw: random.Random
) -> tuple[str, list[str]]:
    """A record with a few changes, and their names: one in five has those of characters.

    Args:
        own: the changes of its grammar.
    """
    if draw.random() < 0.2:
        for _ in range(draw.randrange(1, 6)):
            record = any_character(record, others, draw)
        return record, [RAW]
    weights = [0.2 if one in RARE else 1 for one in own]
    names = draw.choices(tuple(own), weights, k=draw.choice((1, 1, 2, 3, 5)))
    for name in names:
        with contextlib.suppress(BrokenRecord):
            record = own[name](record, others, draw)
    return record, sorted(set(names))
