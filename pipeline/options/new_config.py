"""A config file as `scrubline init` writes it: settings, roles of columns, and a word on each."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence

MOST_ALIGNED = 44
"""Comments stand in one row behind lines that are no longer than this."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ConfigLine:
    """A key, its value and a comment.

    Attributes:
        key: a column's name, or an option as the manual spells it in the config file.
        value: a text, a list of texts, or true or false.
        comment: a few words; "" for none.
        is_off: whether the line is a comment as a whole.
    """

    key: str
    value: str | bool | Sequence[str]
    comment: str = ""
    is_off: bool = False


def config_text(
    intro: str, settings: Sequence[ConfigLine], columns: Mapping[str, Sequence[ConfigLine]]
) -> str:
    """The whole file.

    Args:
        intro: lines of a comment, without its signs.
        settings: the options.
        columns: heading (a comment) -> roles of columns, in order.
    """
    lines = [f"# {line}".rstrip() for line in intro.split("\n")]
    lines += ["", *_lines(settings), ""]
    if any(columns.values()):
        lines.append("[column]")
    for heading, roles in columns.items():
        lines += ["", f"# {heading}"] if heading and roles else []
        lines += _lines(roles)
    return "\n".join(lines) + "\n"


def _lines(entries: Sequence[ConfigLine]) -> Iterator[str]:
    shown = [
        f"{'# ' if one.is_off else ''}{_key(one.key)} = {_value(one.value)}" for one in entries
    ]
    width = max((len(line) for line in shown if len(line) <= MOST_ALIGNED), default=0)
    for line, one in zip(shown, entries, strict=True):
        yield f"{line:<{width}}  # {_one_line(one.comment)}" if one.comment else line


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("-", "_").isidentifier()
    return name if bare else _text(name)


def _value(value: str | bool | Sequence[str]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _text(value) if isinstance(value, str) else f"[{', '.join(map(_text, value))}]"


def _text(text: str) -> str:
    """A basic string of TOML: JSON's escapes, and one more control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _one_line(comment: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in comment)
