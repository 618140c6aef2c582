r"""What is left of identifiers that are written in disguise: 76 forms, 17 identifiers.

    python -m benchmarks.disguises [--model en-default] [--before] [--form NAME ...]

An invented note with 17 identifiers is written in each form, scrubbed with the model and all rules,
and read again: an identifier is *left* if a letter or digit of what stands for it is not removed.
Forms in scope (docs/security.md) are those that real systems write. A note that is refused leaves
nothing. `--before` leaves out the second pass over decoded lines. Prints a table, then one JSON
line.
"""

from __future__ import annotations

import argparse
import base64
import codecs
import contextlib
import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Sequence
from unittest import mock
from urllib.parse import quote_plus

from scrubline import Scrubber
from scrubline.models.core.errors import DocumentError

NOTE = """\
Patient Name: {Adaeze Okonjo}
MRN: {7712345}    DOB: {03/04/1931}    SSN: {123-45-6789}
Address: {42 Larkspur Lane}, {Springfield}, IL {62704}
Phone: {(617) 555-0142}    Email: {a.okonjo@postbox.example}

Admission Date: {11/17/2021}
Discharge Date: {November 21, 2021}
Attending: Dr. {Harold Pemberton}
Account Number: {AC4471902}    Medicare ID: {1EG4-TE5-MK73}

HISTORY OF PRESENT ILLNESS:
The patient is a {104}-year-old woman who was brought to {Mercy General Hospital} by her daughter
{Chidinma Okonjo} because of fever. She was treated with ceftriaxone and had no chest pain.
Her blood pressure was 128/74. Her daughter lives at home with her.
"""
"""Identifiers in braces; all of it is invented."""

PIECES: tuple[str, ...] = tuple(re.split(r"[{}]", NOTE))
"""Plain text and identifiers in turn."""

Write = Callable[[str], str | tuple[str, str, str]]
"""What a piece becomes: a text, or what stands before it, for it, and after it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """A disguise.

    Attributes:
        name: for people.
        in_scope: whether all identifiers must be found.
        identifier: of an identifier.
        plain: of the text between.
        around: what stands before and behind the note.
    """

    name: str
    in_scope: bool
    identifier: Write
    plain: Write = str
    around: tuple[str, str] = ("", "")


def each(write: Callable[[str], str], which: Callable[[str], bool] = lambda c: True) -> Write:
    """Writes each character that is wanted."""
    return lambda text: "".join(write(c) if which(c) else c for c in text)


def first(write: Callable[[str], str]) -> Write:
    """Writes the first character."""
    return lambda text: write(text[0]) + text[1:]


def behind(mark: str) -> Write:
    """A mark behind each character."""
    return each(lambda c: c + mark, lambda c: not c.isspace())


def inside(between: str) -> Write:
    """Something in the middle of the longest word or number."""

    def write(text: str) -> str:
        low, high = max(
            (match.span() for match in re.finditer(r"\w+", text)), key=lambda at: at[1] - at[0]
        )
        middle = (low + high) // 2
        return text[:middle] + between + text[middle:]

    return write


def between(separator: str) -> Write:
    return separator.join


def around(before: str, after: str) -> Write:
    return lambda text: (before, text, after)


def grouped(before: str, after: str) -> Write:
    """A part of the longest word between two marks."""

    def write(text: str) -> str:
        low, high = max(
            (match.span() for match in re.finditer(r"\w+", text)), key=lambda at: at[1] - at[0]
        )
        third = max(1, (high - low) // 3)
        a, b = low + third, high - third
        return text[:a] + before + text[a:b] + after + text[b:]

    return write


def replaced(table: dict[str, str]) -> Write:
    return lambda text: text.translate(str.maketrans(table))


def mathematical(character: str) -> str:
    if character.isdigit():
        return chr(0x1D7CE + int(character))
    return chr(
        (0x1D400 if character.isupper() else 0x1D41A - 0x20)
        + ord(character.upper())
        - 65
        + (0 if character.isupper() else 0x20)
    )


def is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def octets(mark: str) -> Callable[[str], str]:
    return lambda c: "".join(f"{mark}{octet:02X}" for octet in c.encode())


def as_json(text: str) -> str:
    return json.dumps(text)[1:-1].replace("/", "\\/")


def as_rtf(text: str) -> str:
    return text.replace("\n", "\\par\n")


WIDE_DIGITS = {str(n): chr(0xFF10 + n) for n in range(10)}
WIDE = {chr(n): chr(n + 0xFEE0) for n in range(0x21, 0x7F)}
ARABIC = {str(n): chr(0x660 + n) for n in range(10)}
HOMOGLYPHS = dict(zip("aeopcxyAEOPCX", "аеорсхуАЕОРСХ", strict=True))
LEET = dict(zip("aeiost", "431057", strict=True))
BOX = "&#x{0:x};"

FORMS: tuple[Form, ...] = (
    Form("as it is", True, str),
    # Entities
    Form("decimal entities", True, each(lambda c: f"&#{ord(c)};")),
    Form("hexadecimal entities", True, each(lambda c: BOX.format(ord(c)))),
    Form("decimal entities of letters and digits", True, each(lambda c: f"&#{ord(c)};", is_word)),
    Form("zero-padded entities", True, each(lambda c: f"&#{ord(c):04d};")),
    Form("first character an entity", True, first(lambda c: f"&#{ord(c)};")),
    Form("entities escaped twice", True, each(lambda c: f"&amp;#{ord(c)};")),
    Form("entities escaped three times", True, each(lambda c: f"&amp;amp;#{ord(c)};")),
    Form(
        "named entities of signs",
        True,
        replaced(
            {
                "/": "&sol;",
                ".": "&period;",
                "@": "&commat;",
                "(": "&lpar;",
                ")": "&rpar;",
                ",": "&comma;",
                " ": "&nbsp;",
            }
        ),
    ),
    Form("&nbsp; for blanks", True, replaced({" ": "&nbsp;"})),
    # Octets
    Form("%-escapes", True, each(octets("%"))),
    Form("first character a %-escape", True, first(octets("%"))),
    Form("URL form, + for blanks", True, quote_plus, quote_plus),
    Form("quoted-printable", True, each(octets("="))),
    Form("first character quoted-printable", True, first(octets("="))),
    Form("soft line break inside", True, inside("=\n")),
    Form("soft line break inside, CRLF", True, inside("=\r\n")),
    # Backslashes
    Form("JSON escapes", True, each(lambda c: f"\\u{ord(c):04x}")),
    Form("first character a JSON escape", True, first(lambda c: f"\\u{ord(c):04X}")),
    Form("JSON string", True, as_json, as_json),
    Form("C escapes", True, each(lambda c: f"\\x{ord(c):02x}")),
    Form("octal escapes", True, each(lambda c: f"\\{ord(c):03o}")),
    Form("long escapes of Python", True, each(lambda c: f"\\U{ord(c):08x}")),
    Form("RTF hexadecimal", True, each(lambda c: f"\\'{ord(c):02x}")),
    Form("RTF Unicode", True, each(lambda c: f"\\u{ord(c)}?")),
    Form("RTF Unicode, then a blank", True, each(lambda c: f"\\u{ord(c)} ")),
    Form("RTF blanks and hyphens", True, replaced({" ": "\\~", "-": "\\_"})),
    Form("JSON in JSON", True, each(lambda c: f"\\\\u{ord(c):04x}")),
    # Not seen
    Form("zero-width space", True, behind("\u200b")),
    Form("zero-width space, quoted-printable", True, between("=E2=80=8B")),
    Form("zero-width space, %-escapes", True, between("%E2%80%8B")),
    Form("zero-width space, UTF-8 octets", True, between("\\xe2\\x80\\x8b")),
    Form("zero-width non-joiner", True, behind("\u200c")),
    Form("zero-width joiner", True, behind("\u200d")),
    Form("word joiner", True, behind("\u2060")),
    Form("byte-order mark", True, behind("\ufeff")),
    Form("soft hyphen", True, behind("\u00ad")),
    Form("variation selector", True, behind("\ufe0f")),
    Form("right-to-left mark", True, behind("\u200f")),
    Form("bidi override around", True, around("\u202d", "\u202c")),
    Form("bidi isolate around", True, around("\u2066", "\u2069")),
    Form("NUL between", True, between("\0")),
    Form("NUL inside", True, inside("\0")),
    Form("backspace between", True, between("\b")),
    Form("overstrike, bold", True, each(lambda c: f"{c}\b{c}", is_word)),
    Form("overstrike, underlined", True, each(lambda c: f"_\b{c}", is_word)),
    Form("ANSI codes around", True, around("\x1b[1;31m", "\x1b[0m")),
    Form("ANSI codes inside", True, grouped("\x1b[31m", "\x1b[0m")),
    Form("struck through (U+0336)", True, behind("\u0336")),
    Form("acute accent on each", True, each(lambda c: c + "\u0301", is_word)),
    # Layout
    Form("hyphen and line break", True, inside("-\n")),
    Form("soft hyphen and line break", True, inside("\u00ad\n")),
    Form("tags inside", True, grouped("<b>", "</b>")),
    Form("RTF group inside", True, grouped("{\\b ", "}")),
    Form("blanks between", True, between(" ")),
    Form("dots between", True, between(".")),
    Form("dashes between", True, between("-")),
    Form("full width", True, replaced(WIDE)),
    Form("full-width digits", True, replaced(WIDE_DIGITS)),
    Form("emoji around", False, around("\U0001f642", "\U0001f642")),
    # Other clothes
    Form("upper case", False, str.upper, str.upper),
    Form("lower case", False, str.lower, str.lower),
    Form(
        "HTML body",
        False,
        str,
        lambda t: t.replace("\n", "<br>\n"),
        ("<html><body><p>", "</p></body></html>"),
    ),
    Form("RTF body", False, str, as_rtf, ("{\\rtf1\\ansi\\deff0 ", "}")),
    Form("XML attribute", False, str, lambda t: t.replace("\n", "&#10;"), ('<note text="', '"/>')),
    Form("tabs for blanks", False, replaced({" ": "\t"}), replaced({" ": "\t"})),
    Form("markdown", False, around("**", "**")),
    Form("Arabic digits", False, replaced(ARABIC)),
    Form("mathematical letters", False, each(mathematical, is_word)),
    # Out of scope
    Form("reversed", False, lambda t: t[::-1]),
    Form("rot13", False, lambda t: codecs.encode(t, "rot13")),
    Form("homoglyphs", False, replaced(HOMOGLYPHS)),
    Form("leetspeak", False, replaced(LEET)),
    Form("letters glued on", False, lambda t: f"x{t}x"),
    Form("two disguises at once", True, each(lambda c: f"&#{ord(c)};\u200d")),
    Form("base64 of the note", True, lambda t: base64.b64encode(t.encode()).decode()),
)
"""All of them."""

WHOLE = "base64 of the note"
"""Written as a whole: it must be refused."""


def written(form: Form) -> tuple[str, list[tuple[int, int]]]:
    """The note in a form, and where what stands for each identifier is."""
    text, places = form.around[0], []
    for number, piece in enumerate(PIECES):
        became = (form.identifier if number % 2 else form.plain)(piece)
        before, body, after = became if isinstance(became, tuple) else ("", became, "")
        if number % 2:
            places.append((len(text) + len(before), len(text) + len(before) + len(body)))
        text += before + body + after
    text += form.around[1]
    if form.name == WHOLE:
        text = base64.encodebytes(NOTE.encode()).decode()
        places = [(0, len(text))] * len(places)
    return text, places


def left(scrubber: Scrubber, form: Form) -> list[str]:
    """The identifiers of which something is left."""
    text, places = written(form)
    if form.around[0]:  # spans of markup have places in what is read of it
        scrubbed = scrubber.scrub(text)
        return [identifier for identifier in PIECES[1::2] if identifier in scrubbed]
    try:
        spans = [one for one in scrubber.spans(text) if one.replacement is not None]
    except DocumentError:
        return []
    removed = bytearray(len(text))
    for span in spans:
        removed[span.start : span.end] = b"\1" * (span.end - span.start)
    return [
        identifier
        for identifier, (low, high) in zip(PIECES[1::2], places, strict=True)
        if any(text[at].isalnum() and not removed[at] for at in range(low, high))
    ]


@contextlib.contextmanager
def one_pass() -> Iterator[None]:
    """Detection without the second pass."""
    with mock.patch("scrubline.models.views.batches.look_through", lambda batch, budgets: batch):
        yield


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", default="en-default")
    parser.add_argument("--form", action="append", help="only this one, with what is left of it")
    options = parser.parse_args(arguments)
    scrubber = Scrubber(*[options.model] if options.model else [])
    rows = []
    for form in FORMS:
        if options.form and form.name not in options.form:
            continue
        with one_pass():
            before = left(scrubber, form)
        after = left(scrubber, form)
        rows.append((form.name, form.in_scope, len(before), len(after)))
        if options.form:
            print(repr(scrubber.scrub(written(form)[0])), after)
    print("| form | in scope | left of 17 before | left of 17 |\n| --- | --- | --- | --- |")
    for name, in_scope, count_before, count in rows:
        print(f"| {name} | {'yes' if in_scope else 'no'} | {count_before} | {count} |")
    print(
        json.dumps(
            {
                "forms": len(rows),
                "identifiers": len(PIECES) // 2,
                "in scope": sum(row[1] for row in rows),
                "in scope with something left, before": sum(row[1] and row[2] > 0 for row in rows),
                "in scope with something left": sum(row[1] and row[3] > 0 for row in rows),
            }
        )
    )


if __name__ == "__main__":
    main()
