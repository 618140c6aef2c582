"""The manual's table of options, as docs/operations.md holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...models.core.options import Kept, Option, ValueKind
from ...models.jobs.job_options import PLANNING, RUNS
from . import table

BEGIN, END = "<!-- options: begin -->", "<!-- options: end -->"


def table_of_options() -> str:
    """One table in Markdown, with a row for each option."""
    return "\n".join(_rows())


def with_table(page: str) -> str:
    """A page with the table between its two marks made new.

    Raises:
        ValueError: if the marks are not there.
    """
    pattern = re.compile(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", re.DOTALL)
    made, count = pattern.subn(lambda _: f"{BEGIN}\n{table_of_options()}\n{END}", page)
    if count != 1:
        raise ValueError(f"the page must have {BEGIN} and {END} once")
    return made


def _rows() -> Iterator[str]:
    yield "| option | in the config file | default | kept | commands | what it does |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for option in table.run_options():
        default = option.default_for()
        cells = (
            _option(option),
            _in_file(option),
            f"`{default}`" if default else "",
            option.kept.value,
            ", ".join(name for name in option.commands or PLANNING if name in RUNS),
            _help(option),
        )
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _option(option: Option) -> str:
    return f"`{option.flag}`" if option.on_command_line else f"only `{option.key}` in the file"


def _in_file(option: Option) -> str:
    if option.kept is Kept.NEITHER:
        return "-"
    if option.kind is ValueKind.TABLE:
        return f"table `[{option.key}]`"
    return "text or list of texts" if option.kind is ValueKind.TEXTS else option.kind.value


def _help(option: Option) -> str:
    """What it does; for some commands, what it does there."""
    runs = [(name, phrase) for name, phrase in option.help_for.items() if name in RUNS]
    sentences = [option.help, *(f"`{command}`: {phrase}" for command, phrase in runs)]
    return ". ".join(f"{text[0].upper()}{text[1:]}" for text in sentences)
