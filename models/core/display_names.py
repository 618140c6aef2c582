"""How messages name columns: declared ones by name, all others by number.

The names of a CSV file without a header are its first record; keys of JSON and of hive folders are
what someone put there. So the name of a column that no one declared is a value of the input. An
error carries two messages: one for logs, reports and streams, in which such a column is a number,
and one for the user's own terminal.
"""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from .errors import UsageError
from .suggestions import did_you_mean

MOST_NAMED = 20
"""Columns in one list of a message; of the others, it says how many they are."""

SHOW_NAMES = (
    "undeclared names are shown only on a terminal: scrubline inspect --columns --input URL; a CSV "
    "file without a header needs --no-header"
)
ODD_NAMES = (
    "not shown because they do not look like names; a CSV file without a header needs --no-header; "
    "to see all names: scrubline inspect --columns --input URL"
)

_NAME = re.compile(r"(?!.*\d{4})(?=.{1,64}\Z)[^\W\d][\w.\[\]{}-]*(?: [\w.\[\]{}-]+){0,3}")


@dataclasses.dataclass(frozen=True, slots=True)
class NameStyle:
    """How messages speak of names of one sort.

    Attributes:
        noun: what a name is the name of.
        form: of a name that looks like one.
        unseen: where to see names that are shown on a terminal only.
        odd: where to see those that do not look like names.
    """

    noun: str
    form: re.Pattern[str]
    unseen: str
    odd: str


OF_COLUMNS = NameStyle("column", _NAME, SHOW_NAMES, ODD_NAMES)


class ColumnNames:
    """The columns of an input, as messages name them. Linear in their number.

    Even on a terminal, a name is shown only if it looks like one: some short words without long
    numbers. If half of the names do not, and none of them is declared, all are taken for a record
    of data, which may contain words too.
    """

    def __init__(
        self,
        present: Iterable[str],
        declared: Iterable[str] = (),
        style: NameStyle = OF_COLUMNS,
    ) -> None:
        """Numbers the columns.

        Args:
            present: all columns of the input in order, each once or more often.
            declared: names that the user gave; messages may show them.
            style: of what they are the names, if not of columns.
        """
        self._style = style
        self._numbers: dict[str, int] = {}
        for number, name in enumerate(present, 1):
            self._numbers.setdefault(name, number)
        self._declared = frozenset(declared)
        strange = sum(style.form.fullmatch(name) is None for name in self._numbers)
        self._is_record = 2 * strange >= len(self._numbers) and self._declared.isdisjoint(
            self._numbers
        )

    @property
    def look_like_a_record(self) -> bool:
        """Whether the names are rather values: half of them look like no name."""
        return self._is_record

    def error(
        self, message: str, columns: Sequence[str], *, unseen: Sequence[str] = ()
    ) -> UsageError:
        """An error about some of the columns, with a message for the terminal of its own.

        Args:
            message: in it, `{columns}` becomes their list and what to do if some are numbers;
                `{options}` the options that would declare them, for a shell.
            columns: in the order of the list.
            unseen: declared names that the input does not have, if any; the message ends with them.
        """
        texts = []
        for on_terminal in (False, True):
            end = ""
            if unseen:
                named = [self._named(name, on_terminal) for name in columns[:MOST_NAMED]]
                meant = did_you_mean(unseen[:MOST_NAMED], filter(None, named))
                end = (
                    f". Declared but not in the input: {declared_list(unseen)}; misspelled?{meant}"
                )
            listed = self.listed(columns, on_terminal) + self._hint(columns, on_terminal)
            options = self._options(columns, on_terminal)
            texts.append(message.format(columns=listed, options=options) + end)
        return UsageError(texts[0], on_terminal=texts[1])

    def listed(self, columns: Sequence[str], on_terminal: bool) -> str:
        """Columns for a message: "['text', column 2]"; at most `MOST_NAMED` of them."""
        shown = []
        for name in columns[:MOST_NAMED]:
            said = self._named(name, on_terminal)
            shown.append(self._number(name) if said is None else repr(said))
        return f"[{', '.join(shown)}]" + _more(columns)

    def _options(self, columns: Sequence[str], on_terminal: bool) -> str:
        said = [self._named(name, on_terminal) for name in columns[:MOST_NAMED]]
        options = [f"--column {shlex.quote(f'{name}=ROLE')}" for name in said if name is not None]
        if len(options) < len(columns):
            options.append("--column NAME=ROLE for each")
        return " ".join(options)

    def _hint(self, columns: Sequence[str], on_terminal: bool) -> str:
        """What to do about columns that are numbers; empty if all have names."""
        if None not in (self._named(name, on_terminal) for name in columns[:MOST_NAMED]):
            return ""
        return f" ({self._style.odd if on_terminal else self._style.unseen})"

    def _named(self, name: str, on_terminal: bool) -> str | None:
        """The name if a message may hold it; else None."""
        if name in self._declared:
            return name
        looks_like_one = not self._is_record and self._style.form.fullmatch(name) is not None
        return name if on_terminal and looks_like_one else None

    def _number(self, name: str) -> str:
        number = self._numbers.get(name)
        noun = self._style.noun
        return f"a {noun}" if number is None else f"{noun} {number}"


def declared_list(names: Iterable[str]) -> str:
    """Declared names for a message; at most `MOST_NAMED` of them."""
    listed = list(names)
    return f"{listed[:MOST_NAMED]}" + _more(listed)


def role_list(roles: Mapping[str, str]) -> str:
    """Declared columns with their roles, for people: "id=id, text=text"."""
    shown = [f"{name}={role}" for name, role in list(roles.items())[:MOST_NAMED]]
    return ", ".join(shown) + _more(roles)


def _more(names: Sequence[str] | Mapping[str, str]) -> str:
    return f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""


def counted(count: int, noun: str) -> str:
    """A number of things, for people: "1 file", "2,000 files"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def of_them(count: int, verb: str, verbs: str) -> str:
    """How many of what was just counted do something: "1 of them leaks", "2 of them leak"."""
    return f"{count:,} of them {verb if count == 1 else verbs}"
