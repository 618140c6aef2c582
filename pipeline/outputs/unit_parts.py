"""The parts of units that are done: nothing is read of one that is not what was written."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from ...models.core.errors import GateFailed
from ...models.core.small_parquet import table_in
from ...models.formats.line_notes import join_or_none
from ...models.jobs.receipts import Receipt
from ...models.storage.storage import Storage
from .table_faults import notes_of_part

Text = tuple[str, str]
"""doc_key, field."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class DoneUnit:
    """A unit, published or waiting.

    Attributes:
        root: the folder below which its parts lie.
        run: that wrote it.
        receipt: what it wrote.
        how: how its data is written, see `manifest.how_written`.
    """

    root: str
    run: str
    receipt: Receipt
    how: Mapping[str, Any]

    def table(self, storage: Storage, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Some columns of a table that each unit has, or all.

        Raises:
            GateFailed: if a part is not what was written.
        """
        parts = [table_in(content, columns) for _, content in self._parts(storage, name)]
        return pa.concat_tables(parts)

    def texts(self, storage: Storage) -> dict[Text, str | None]:
        """The scrubbed texts; None for those that are null.

        Raises:
            GateFailed: as `table`.
        """
        found: dict[Text, str | None] = {}
        for part, _ in self._parts(storage, "data"):
            manifest = {"runs": {self.run: self.how}}
            _, _, notes = notes_of_part(storage, self.root, manifest, {**part, "run": self.run})
            for lines in notes:
                if (doc_key := lines[0].doc_key) is not None:
                    for field in lines[0].texts:
                        found[doc_key, field] = join_or_none([row.texts[field] for row in lines])
        return found

    def _parts(self, storage: Storage, name: str) -> Iterator[tuple[dict[str, Any], bytes]]:
        for part in self.receipt.parts:
            if part.table == name:
                content = storage.read_bytes(f"{self.root}/{part.path}")
                if hashlib.sha256(content).hexdigest() != part.sha256:
                    raise GateFailed(
                        f"unit {self.receipt.unit}: a part of {name} is not what was written: "
                        "`scrubline verify --output ...` says more of what is published"
                    )
                yield dataclasses.asdict(part), content
