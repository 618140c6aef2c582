"""One value of each attribute for each patient, of all that the notes of many units say.

The value that most notes have counts, of equally many the first by code point; of years the first
one, as that of the first note. Nothing depends on the order or on the cut of the units.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..core.arrays import Ints
from .hierarchies import UNKNOWN

VIEW = pa.schema(
    [
        ("patient_key", pa.string()),
        ("attribute", pa.string()),
        ("value", pa.string()),
        ("documents", pa.uint32()),
    ]
)
"""In how many notes of a patient an attribute has a value: what a unit tells, sorted."""

_LEAST = frozenset(("year",))
"""Attributes of which the least value counts."""


def merged(tables: Iterable[pa.Table], attributes: Sequence[str]) -> pa.Table:
    """The patients of some tables of `VIEW`, sorted, with a column of text for each attribute.

    Of a patient of whom nothing is known of an attribute it is `UNKNOWN`.
    """
    keys = VIEW.names[:3]
    whole = pa.concat_tables([VIEW.empty_table(), *tables])
    summed = whole.group_by(keys, use_threads=False).aggregate([("documents", "sum")])
    is_least = pc.is_in(summed["attribute"], pa.array(sorted(_LEAST), pa.string()))
    times = pc.if_else(is_least, pa.scalar(0, pa.uint64()), summed["documents_sum"])
    summed = summed.append_column("times", times)
    order = [("patient_key", "ascending"), ("attribute", "ascending")]
    summed = summed.sort_by([*order, ("times", "descending"), ("value", "ascending")])
    patients = pc.unique(summed["patient_key"])
    found: dict[str, pa.Array] = {"patient_key": patients}
    for attribute in attributes:
        own = summed.filter(pc.equal(summed["attribute"], attribute))
        whose, values = own["patient_key"].combine_chunks(), own["value"].combine_chunks()
        # Sorted, so the first row of each patient has the value that counts.
        is_first = np.ones(len(whose), np.bool_)
        if len(whose) > 1:
            is_first[1:] = pc.not_equal(whose[1:], whose[:-1]).to_numpy(zero_copy_only=False)
        places = pc.index_in(patients, whose.filter(pa.array(is_first)))
        found[attribute] = pc.fill_null(values.filter(pa.array(is_first)).take(places), UNKNOWN)
    schema = pa.schema([(name, pa.string()) for name in found])
    return pa.table(list(found.values()), schema=schema)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class ViewTable:
    """All patients, a row each, in order.

    Attributes:
        patients: their keys.
        values: attribute -> its values by code.
        codes: attribute -> code of each patient.
    """

    patients: pa.ChunkedArray
    values: Mapping[str, tuple[str, ...]]
    codes: Mapping[str, Ints]

    @classmethod
    def of(cls, tables: Iterable[pa.Table], attributes: Sequence[str]) -> ViewTable:
        """Of tables that `merged` gave, or of parts of one, in the order of their patients."""
        patients: list[pa.Array] = []
        numbers: dict[str, dict[str, int]] = {name: {} for name in attributes}
        codes: dict[str, list[Ints]] = {name: [] for name in attributes}
        for table in tables:
            patients += table["patient_key"].chunks
            for name in attributes:
                column = table[name].combine_chunks().dictionary_encode()
                own = numbers[name]
                known = [own.setdefault(v, len(own)) for v in column.dictionary.to_pylist()]
                codes[name].append(np.array(known, np.int64)[column.indices.to_numpy()])
        none = np.zeros(0, np.int64)
        return cls(
            pa.chunked_array(patients, pa.string()),
            {name: tuple(own) for name, own in numbers.items()},
            {name: np.concatenate([none, *own]) for name, own in codes.items()},
        )

    def shown(self, name: str, values: Sequence[str], of: npt.NDArray[np.bool_]) -> pa.Array:
        """An attribute of some patients, each code by what `values` has in its place."""
        return pa.array(values, pa.string()).take(pa.array(self.codes[name][of]))

    def without_rare(
        self, name: str, least: int, instead: str, among: npt.NDArray[np.bool_]
    ) -> ViewTable:
        """The same with one value in place of all that fewer than `least` of some patients have."""
        counts = np.bincount(self.codes[name][among], minlength=len(self.values[name]))
        values = tuple(
            value if counts[code] >= least or value == UNKNOWN else instead
            for code, value in enumerate(self.values[name])
        )
        kept = tuple(dict.fromkeys(values))
        numbers = {value: number for number, value in enumerate(kept)}
        places = np.array([numbers[value] for value in values], np.int64)
        codes = places[self.codes[name]] if len(places) else self.codes[name]
        return dataclasses.replace(
            self, values={**self.values, name: kept}, codes={**self.codes, name: codes}
        )
