"""What formats of messages share: a record is a message, and all its values lie in one column."""

from __future__ import annotations

import abc
import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ..core.display_names import ColumnNames, NameStyle, declared_list
from ..core.errors import DocumentError, UsageError
from ..messages.base import MessageGrammar
from ..storage.input_files import InputFile
from .chunks import ChunkCutter, PlainCells, even_ranges, range_at
from .column_roles import Columns, Role
from .message_columns import MessageNesting
from .nested_texts import open_nested, texts_of_rows
from .options import Limits
from .protocol import Chunk, FormatTraits, Locator, PartRow, Reader, SampleRange

LOOK_BYTES = 4_000_000
"""How much of a file is looked at to see which of its values have no role."""

_NAME = re.compile(r"(?!.*\d{4})(?=.{1,200}\Z)[A-Za-z][\w.:@()-]*", re.ASCII)
_ODD = "not shown because they do not look like names of elements; `scrubline init` writes all"


def _unseen(form: str) -> str:
    return (
        "names that the standard does not have are shown only on a terminal, and written into the "
        f"config file of `scrubline init --input URL --format {form} --output FILE`"
    )


class MessageFiles(PlainCells, abc.ABC):
    """A format of messages.

    Attributes:
        name: of the format.
        grammar: of its records.
        family, options: see `FormatTraits`.
    """

    name: ClassVar[str]
    grammar: ClassVar[MessageGrammar]
    family: ClassVar[str]
    options: ClassVar[frozenset[str]] = frozenset()

    @abc.abstractmethod
    def records(
        self, storage: Reader, file: InputFile, locator: Locator, limits: Limits
    ) -> Iterator[tuple[str | None, int, str]]:
        """Yields the records of a range: text, size in bytes, error code; one of text and code."""

    @property
    def traits(self) -> FormatTraits:
        """What holds for all its files."""
        return FormatTraits(
            locator_unit="bytes",
            family=self.family,
            options=self.options,
            record=self.grammar.name,
        )

    @property
    def nesting(self) -> MessageNesting:
        """The grammar's."""
        return MessageNesting(self.grammar)

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """The one column."""
        return (self.grammar.name,)

    def check_roles(self, columns: Columns) -> None:
        """Refuses roles that are not those of records."""
        if columns.record != self.grammar.name:
            raise UsageError(f"roles were declared that are not those of the format {self.family}")
        own = {name for name, _ in columns.overlaid} & set(columns.paths)
        if missing := sorted(name for name in own if not self.grammar.may_name(name)):
            raise UsageError(
                f"the input lacks declared columns: {declared_list(missing)}; no value of "
                f"{self.family} has such a name"
            )

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """Refuses what the file's beginning shows to have no role."""
        node = columns.nested[columns.record]
        found: dict[str, None] = {}
        begin = Locator(0, 0, min(file.size, LOOK_BYTES), min(file.size, LOOK_BYTES))
        size = 0
        for record, record_bytes, _ in self.records(storage, file, begin, Limits()):
            if record is not None:
                with contextlib.suppress(DocumentError):  # a broken one will be quarantined
                    found |= dict.fromkeys(n for n, _ in self.nesting.undeclared(record, node))
            size += record_bytes
            if size > LOOK_BYTES:
                break
        if found:
            raise self.undeclared_error(list(found))
        return False

    def why_undeclared(self, name: str) -> str:
        """Why a value has no role, in a few words."""
        return "the standard does not name it, so its format has no role for it"

    def undeclared_error(self, names: Sequence[str]) -> UsageError:
        """The error for values that have no role.

        Args:
            names: to declare for them, in the order in which they were seen.
        """
        return self.names_of(names).error(
            "the input holds values without a declared role: {columns}. Undeclared values are "
            f"never passed on. Add: {{options}} (ROLE is one of {', '.join(Role)})",
            names,
        )

    def names_of(self, names: Sequence[str], noun: str = "value") -> ColumnNames:
        """Names as messages show them: those of the standard, others on a terminal alone."""
        shown = [name for name in names if self.is_standard(name)]
        return ColumnNames(names, shown, NameStyle(noun, _NAME, _unseen(self.name), _ODD))

    def is_standard(self, name: str) -> bool:
        """Whether nothing in the name of a value without a role was made up by who wrote it.

        Names of HL7 v2 are segments and numbers of fields.
        """
        return True

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Even byte ranges; a record belongs to the one in which it starts."""
        return even_ranges(index, file, split_bytes)

    def sample(
        self, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
    ) -> SampleRange | None:
        """The bytes from `at` on: a record can begin anywhere."""
        return range_at(locator, at, most_bytes)

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields the records that start in the range."""
        cutter = ChunkCutter(columns, limits)
        for record, size, error in self.records(storage, file, locator, limits):
            if error:
                yield from cutter.add_error(error)
            else:
                yield from cutter.add([record], size)
        yield from cutter.rest()

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields a row a record; its doc_key stands in the place of its id."""
        limits = Limits.of_published(file.size)
        (id_name,) = columns.named(Role.ID)
        whole = Locator(0, 0, file.size, file.size)
        for chunk in self.read(storage, file, whole, (self.grammar.name,), limits):
            (opened,) = open_nested(self, columns, chunk.columns).values()
            leaf = opened.leaves.get(id_name)
            keys = dict(zip(leaf.rows, leaf.cells.to_pylist(), strict=True)) if leaf else {}
            texts = texts_of_rows(self, columns, chunk.columns)
            for row, record in enumerate(chunk.columns.column(0).to_pylist()):
                if row in opened.errors:
                    raise DocumentError(opened.errors[row])
                yield PartRow(keys.get(row), None, texts[row], {self.grammar.name: record})
