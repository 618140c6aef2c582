"""Changes that the grammar of HL7 v2 knows: delimiters, repetitions, escapes, whole segments."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Callable, Mapping, Sequence

from . import message_changes as base
from .message_changes import Change

_ENDS = ("\r", "\n", "\r\n")
_ESCAPED = (
    *("\\T\\", "\\.br\\", "\\X0D\\", "\\XC3A9\\", "\\XE9\\", "\\H\\x\\N\\", "\\E\\"),
    *("\\F\\", "\\S\\", "\\R\\", "\\Zfoo\\", "\\", "\\X4\\", "\\C2842\\", "\\.sp+2\\"),
    *("\\.in4\\", "\\X414243\\", "\\\\"),
)
_TYPES = ("TX", "FT", "ST", "NM", "CE", "CWE", "DT", "TS", "XPN", "ED", "")


def _parted(record: str) -> tuple[list[str], list[str]]:
    """Segments, and the end of each; the last one may have none."""
    pieces = re.split(r"(\r\n|\r|\n)", record)
    return pieces[::2], pieces[1::2]


def _joined(segments: Sequence[str], ends: Sequence[str]) -> str:
    filled = [*ends, *[ends[0] if ends else "\r"] * (len(segments) - 1 - len(ends))]
    return "".join(a + b for a, b in zip(segments, [*filled[: len(segments) - 1], ""], strict=True))


def _in_segments(change: Callable[[list[str], Sequence[str], random.Random], None]) -> Change:
    def made(record: str, others: Sequence[str], draw: random.Random) -> str:
        segments, ends = _parted(record)
        change(segments, others, draw)
        return _joined(segments, ends)

    return made


def _in_field(change: Callable[[str, random.Random, str], str], texts: bool = False) -> Change:
    """Of a field that holds something, another content; the signs of the message are given."""

    def made(segments: list[str], others: Sequence[str], draw: random.Random) -> None:
        signs = _signs(segments)
        at = draw.randrange(len(segments))
        if texts:
            found = [n for n, one in enumerate(segments) if one[:3] in ("OBX", "NTE", "TXA")]
            at = draw.choice(found) if found else at
        fields = segments[at].split(signs[0])
        held = [n for n, one in enumerate(fields) if one and n > (fields[0] == "MSH")]
        if fields[0] == "OBX" and texts and len(fields) > 5:
            held = [5]
        if held[1:] or fields[0] == "OBX":
            number = draw.choice([n for n in held if n] or [1])
            fields[number : number + 1] = [change(fields[number], draw, signs)]
            segments[at] = signs[0].join(fields)

    return _in_segments(made)


def _signs(segments: Sequence[str]) -> str:
    """The signs that a message names, and the usual ones for those that it does not."""
    field = segments[0][3:4] or "|"
    named = segments[0][4:].split(field)[0][:4]
    return field + named + "^~\\&"[len(named) :]


def _cut_in(sign: int) -> Callable[[str, random.Random, str], str]:
    def change(content: str, draw: random.Random, signs: str) -> str:
        at = draw.randrange(len(content) + 1)
        more = draw.choice(("", content[:10], base.words(draw, 3, 0)))
        return content[:at] + signs[sign] * draw.choice((1, 1, 2)) + more + content[at:]

    return change


def _repeated(content: str, draw: random.Random, signs: str) -> str:
    return signs[2].join([content, *[draw.choice((content, ""))] * draw.randrange(1, 4)])


def _escape(content: str, draw: random.Random, signs: str) -> str:
    at = draw.randrange(len(content) + 1)
    return content[:at] + draw.choice(_ESCAPED).replace("\\", signs[3]) + content[at:]


def _word(content: str, draw: random.Random, signs: str) -> str:
    at = draw.randrange(len(content) + 1)
    new = base.words(draw).translate({ord(one): None for one in signs + "\r\n"})
    return content[:at] + new + content[at:]


def _emptied(content: str, draw: random.Random, signs: str) -> str:
    return draw.choice(("", '""', " "))


def other_signs(record: str, others: Sequence[str], draw: random.Random) -> str:
    """Other delimiters in MSH, and in the message."""
    segments, _ = _parted(record)
    signs = _signs(segments)
    free = [one for one in "#!$%*+?@=;_`" if one not in record]
    if len(free) < 5:
        return record
    new = [draw.choice((sign, free[at])) for at, sign in enumerate(signs)]
    return record.translate({ord(a): b for a, b in zip(signs, new, strict=True)})


def fewer_signs(record: str, others: Sequence[str], draw: random.Random) -> str:
    """A head that names fewer signs, or one more."""
    head = re.match(r"MSH(.)([^|]{0,5})", record)
    if head is None:
        return record
    signs = draw.choice((head[2][:3], head[2][:3], head[2] + "#"))
    return f"MSH{head[1]}{signs}{record[head.end() :]}"


def line_ends(record: str, others: Sequence[str], draw: random.Random) -> str:
    """Other ends of segments, of all or of some; empty lines."""
    segments, ends = _parted(record)
    if draw.random() < 0.6:
        ends = [draw.choice(_ENDS)] * len(ends)
    else:
        ends = [draw.choice((one, "\r", "\n", "\r\n", one + one)) for one in ends]
    return _joined(segments, ends)


def _own_segment(segments: list[str], others: Sequence[str], draw: random.Random) -> None:
    sign = _signs(segments)[0]
    inner = sign.join(draw.choice(("", "1", "a^b", "x~y")) for _ in range(draw.randrange(5)))
    segments.insert(draw.randrange(1, len(segments) + 1), f"ZPD{sign}{inner}")


def _moved(segments: list[str], others: Sequence[str], draw: random.Random) -> None:
    if len(segments) > 2:
        one = segments.pop(draw.randrange(1, len(segments)))
        if draw.random() < 0.7:
            segments.insert(draw.randrange(1, len(segments) + 1), one)


def _copied(segments: list[str], others: Sequence[str], draw: random.Random) -> None:
    """A segment of this message or of another one, which has its own signs."""
    other, _ = _parted(draw.choice(others))
    if draw.random() < 0.5 or _signs(other) != _signs(segments):
        other = segments
    if other[1:]:
        segments.insert(draw.randrange(1, len(segments) + 1), draw.choice(other[1:]))


def _trailing(segments: list[str], others: Sequence[str], draw: random.Random) -> None:
    at, sign = draw.randrange(1, len(segments) + 1) - 1, _signs(segments)[0]
    stripped = segments[at].rstrip(sign)
    segments[at] = draw.choice((stripped, segments[at] + sign * draw.randrange(1, 4)))


def _observed(segments: list[str], others: Sequence[str], draw: random.Random) -> None:
    """An observation of another type, or with encapsulated data."""
    signs = _signs(segments)
    kind = draw.choice(_TYPES)
    value = base.words(draw, odd=0)
    if kind == "ED":
        subtype, text = draw.choice(
            (("HTML", base.page(draw)), ("RTF", base.rich(draw)), ("PLAIN", value), ("PDF", "x"))
        )
        how, data = draw.choice(
            (
                ("Base64", base64.b64encode(text.encode()).decode()),
                ("Hex", text.encode().hex()),
                ("A", _plain(text, signs)),
            )
        )
        value = signs[1].join(("SITE", "TEXT", subtype, how, data))
    value = _plain(value, signs) if kind != "ED" else value
    line = signs[0].join(("OBX", "1", kind, f"1{signs[1]}x", "", value, "", "", "", "", "", "F"))
    segments.insert(draw.randrange(1, len(segments) + 1), line)


def _plain(text: str, signs: str) -> str:
    table = {
        ord(sign): f"{signs[3]}{one}{signs[3]}" for sign, one in zip(signs, "FSRET", strict=True)
    }
    return text.translate(table | {13: "", 10: ""})


CHANGES: Mapping[str, Change] = {
    "components": _in_field(_cut_in(1)),
    "repetitions": _in_field(_repeated),
    "subcomponents": _in_field(_cut_in(4)),
    "escapes": _in_field(_escape, texts=True),
    "texts": _in_field(_word, texts=True),
    "emptied fields": _in_field(_emptied),
    "other delimiters": other_signs,
    "fewer delimiters": fewer_signs,
    "line ends": line_ends,
    "own segments": _in_segments(_own_segment),
    "moved segments": _in_segments(_moved),
    "copied segments": _in_segments(_copied),
    "trailing delimiters": _in_segments(_trailing),
    "observations": _in_segments(_observed),
}
"""Name -> the change."""
