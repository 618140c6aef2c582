"""A `Scrubber` with roles and keys: what a job does with the rows of a unit, without a job.

A row that cannot be scrubbed is in the quarantine and nowhere else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from ..core.batches import Batch
from ..core.errors import UsageError
from ..core.keys import Keys
from ..formats import CellForm, Chunk
from ..formats.column_roles import Columns, Role, role_of
from ..jobs.amendments import NO_AMENDMENTS, UnitAmendments
from ..jobs.audit import AUDIT, QUARANTINE
from ..jobs.output_rows import Result, build_output_rows
from ..jobs.plan import Unit
from ..jobs.read_unit import batches_of_chunks
from ..jobs.roster_steps import PassingColumns
from ..jobs.shifted_columns import DateColumns, require_shiftable
from ..redaction.policy import Policy
from ..redaction.stand_ins import StandIns
from ..roster.people import KnownPeople, detector_hashes_of_people
from ..scrubber import Scrubber
from ..storage.key_files import ENVIRONMENT, load_keys
from ..storage.storage import Storage

ROW = "row"
"""The column with the position of a row in its input."""

ROW_ID = "scrubline:row"
"""Where no column has role `id`: the column that stands for it, and never goes out."""

_ROW_FIELD = pa.field(
    ROW,
    pa.int64(),
    nullable=False,
    metadata={"description": "position of the row in the input, from 0"},
)
_UNIT = Unit(0, "", "", (), ())


def _here(schema: pa.Schema, without: frozenset[str]) -> pa.Schema:
    fields = [field for field in schema if field.name not in without]
    return pa.schema(
        [_ROW_FIELD, *(f.with_nullable(f.nullable or f.name == "doc_key") for f in fields)]
    )


AUDIT_HERE = _here(AUDIT, frozenset({"run"}))
"""The audit of a run without the run, and with the row; doc_key is null where there are no ids."""

QUARANTINE_HERE = _here(QUARANTINE, frozenset({"run", "unit", "ordinal"}))
"""The same of the quarantine; the row stands for unit and ordinal."""


@dataclasses.dataclass(frozen=True, slots=True)
class Roles:
    """The declared role of every column.

    Attributes:
        columns: with `ROW_ID`, if no column has role `id`.
        has_id: whether one has.
    """

    columns: Columns
    has_id: bool

    @classmethod
    def of(cls, declared: Mapping[str, str]) -> Roles:
        """Checks roles by column.

        Raises:
            UsageError: for an unknown role, no text, two ids, patients or types, or a name that the
                output uses.
        """
        texts = {name: str(role) for name, role in declared.items()}
        roles = {name: role_of(name, text.partition(":")[0]) for name, text in texts.items()}
        if Role.TEXT not in roles.values():
            raise UsageError("no column has role text: say which one, as in {'note': 'text'}")
        has_id = Role.ID in roles.values()
        pairs = [*texts.items(), *([] if has_id else [(ROW_ID, Role.ID)])]
        stays = (Role.DROP, Role.PATIENT, Role.KNOWN)
        goes_out = {name for name, role in roles.items() if role not in stays}
        if not has_id and ROW in goes_out:
            raise UsageError(
                f"the output needs the name {ROW} where no column has role id: give one that role, "
                "or rename the column"
            )
        return cls(Columns.parse(pairs), has_id)

    @property
    def need_key(self) -> bool:
        """Whether anything that goes out is made with the master key."""
        keyed = self.columns.named(Role.PATIENT) + self.columns.named(Role.HASH)
        return self.has_id or bool(keyed)

    def keys(self, source: str | None, policy: Policy) -> Keys:
        """The keys.

        Args:
            source: URL of the key file, or "env:NAME"; None for the variable of the command.
            policy: surrogates and shifted dates are made with the key too.

        Raises:
            UsageError: if a role or the policy needs a key and there is none, or the policy needs a
                role that no column has.
        """
        require_shiftable(policy, self.columns)
        if (needed := policy.needs_key) and not self.has_id:
            raise UsageError(
                f"policy {policy.name}: surrogates and shifted dates need a column with role id: "
                "without one, no document is the same in two runs"
            )
        if not self.need_key and not needed:
            return Keys(bytes(32))  # what it makes goes nowhere
        return load_keys(source or f"env:{ENVIRONMENT}", Storage().read_bytes)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class RowScrubber:
    """Scrubs rows by their roles.

    Attributes:
        scrubber: what it finds PHI with; no other thread uses it meanwhile.
        roles: of the columns.
        keys: what stands for ids is made with them.
    """

    scrubber: Scrubber
    roles: Roles
    keys: Keys

    def results(
        self, chunks: Iterable[Chunk], cells: CellForm, amendments: UnitAmendments = NO_AMENDMENTS
    ) -> Iterator[Result]:
        """Yields what comes of each chunk; there is at least one.

        Tables "audit" and "quarantine" are of `AUDIT_HERE` and `QUARANTINE_HERE`, whose rows count
        from the first chunk on; without ids, data begins with the column `ROW`.

        Args:
            chunks: with all columns of the roles, each within the caps of a batch.
            cells: what their cells are.
            amendments: the ordinals of repeated ids.

        Raises:
            Shortage: if the machine lacks something.
        """
        hashes, people = self.scrubber.detector_hashes, None
        if self.roles.columns.known:
            hashes, people = hashes | detector_hashes_of_people(), KnownPeople()
        passing = PassingColumns(cells, self.roles.columns)
        policy = self.scrubber.policy
        stand_ins = StandIns.of(policy, self.keys)
        for batch in batches_of_chunks(
            chunks,
            cells,
            _UNIT,
            self.roles.columns,
            self.keys,
            self.scrubber.budgets,
            dates=dataclasses.replace(DateColumns.of(policy), period=None),
            amendments=amendments,
        ):
            done = self.scrubber.run_steps(
                batch, stand_ins=stand_ins, people=people, passing=lambda unit: passing
            )
            result = build_output_rows(
                done,
                run="",
                form=cells,
                columns=self.roles.columns,
                detector_hashes=hashes,
                hipaa=policy.hipaa_of,
            )
            yield self._with_rows(done, result)

    def _with_rows(self, batch: Batch, result: Result) -> Result:
        keys = pa.array(batch.rows.doc_keys, pa.string())
        ordinals = pa.array(batch.rows.ordinals)
        audit, quarantine = result.tables["audit"], result.tables["quarantine"]
        rows = ordinals.take(pc.index_in(audit["doc_key"], keys))
        tables = {
            "audit": self._placed(audit, rows, AUDIT_HERE),
            "quarantine": self._placed(quarantine, quarantine["ordinal"], QUARANTINE_HERE),
        }
        data = result.data
        if not self.roles.has_id:
            good = [row for row in range(len(batch.rows)) if row not in batch.failures]
            rows = ordinals.take(pa.array(good, pa.int64()))
            data = data.drop_columns("doc_key").add_column(0, _ROW_FIELD, rows)
        return dataclasses.replace(result, data=data, tables=tables)

    def _placed(self, table: pa.Table, rows: pa.Array, schema: pa.Schema) -> pa.Table:
        """A table of the run with the schema that it has here."""
        table = table.add_column(0, _ROW_FIELD, rows)
        if not self.roles.has_id:
            at = table.schema.get_field_index("doc_key")
            table = table.set_column(at, "doc_key", pa.nulls(table.num_rows, pa.string()))
        return table.select(schema.names).cast(schema)
