"""Arrow types: what of a file's schema may be published, and types changed at every depth."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Callable

import pyarrow as pa

from ..core.errors import UsageError

_FIELD_ID = b"PARQUET:field_id"
_NUMBER = re.compile(rb"-?[0-9]{1,10}")
_OFFSET = re.compile(r"[+-][0-9]{2}:[0-9]{2}")
_LIST_NAMES, _MAP_NAMES = ("element", "item"), ("key", "value")


def passing_schema(schema: pa.Schema) -> pa.Schema:
    """The schema with nothing in it but names, types and numbers of fields.

    All metadata is undeclared free text: comments with sample values, the dtypes of pandas, what an
    extension type serialises. Of a field, only its number (`PARQUET:field_id`)
    stays. Extension types without parameters stay (UUID, JSON, bool8); all others become their
    storage. An unknown time zone becomes UTC: the instants are the same.

    Raises:
        UsageError: for a column of a nested type that is not known here.
    """
    fields = []
    for number, field in enumerate(schema, 1):
        try:
            fields.append(_passing_field(field))
        except TypeError:
            raise UsageError(
                f"column {number} has a nested type that is not supported: leave the column out of "
                "the export, or write it as text"
            ) from None
    return pa.schema(fields)


def _passing_field(field: pa.Field, names: tuple[str, ...] = ()) -> pa.Field:
    """The field; where names are given it gets the first of them, unless it has one of them."""
    number = (field.metadata or {}).get(_FIELD_ID, b"")
    metadata = {_FIELD_ID: number} if _NUMBER.fullmatch(number) else None
    name = field.name if field.name in names or not names else names[0]
    return pa.field(name, _passing_type(field.type), field.nullable, metadata)


def _passing_type(kind: pa.DataType) -> pa.DataType:
    if isinstance(kind, pa.BaseExtensionType):
        return _passing_extension(kind)
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _passing_type(kind.value_type), kind.ordered)
    if pa.types.is_timestamp(kind):
        return pa.timestamp(kind.unit, kind.tz and _passing_zone(kind.tz))
    return with_inner(kind, _passing_field)


def _passing_extension(kind: pa.BaseExtensionType) -> pa.DataType:
    # Rebuilt: what a foreign type serialises is undeclared text.
    if isinstance(kind, pa.UuidType):
        return pa.uuid()
    if isinstance(kind, pa.JsonType):
        return pa.json_(_passing_type(kind.storage_type))
    if isinstance(kind, pa.Bool8Type):
        return pa.bool8()
    return _passing_type(kind.storage_type)


def _passing_zone(zone: str) -> str:
    if zone == "UTC" or _OFFSET.fullmatch(zone):
        return zone
    try:
        zoneinfo.ZoneInfo(zone)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return "UTC"
    return zone


def map_type(kind: pa.DataType, leaf: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """Applies `leaf` to a type and, from outside in, to the types nested in it."""

    def inner(field: pa.Field, names: tuple[str, ...] = ()) -> pa.Field:
        return field.with_type(map_type(field.type, leaf))

    return with_inner(leaf(kind), inner)


def with_inner(kind: pa.DataType, change: Callable[..., pa.Field]) -> pa.DataType:
    """A type with its nested fields changed; one that has none as it is.

    Args:
        change: given the field, and for those whose names say nothing the names it may have.

    Raises:
        TypeError: for a nested type of another kind.
    """
    if isinstance(kind, pa.BaseExtensionType) or pa.types.is_dictionary(kind):
        return kind
    if pa.types.is_map(kind):
        key, value = ((name,) for name in _MAP_NAMES)
        return pa.map_(
            change(kind.key_field, key), change(kind.item_field, value), kind.keys_sorted
        )
    if pa.types.is_struct(kind):
        return pa.struct([change(field) for field in kind])
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(change(kind.value_field, _LIST_NAMES), kind.list_size)
    for is_kind, make in (
        (pa.types.is_list, pa.list_),
        (pa.types.is_large_list, pa.large_list),
        (pa.types.is_list_view, pa.list_view),
        (pa.types.is_large_list_view, pa.large_list_view),
    ):
        if is_kind(kind):
            return make(change(kind.value_field, _LIST_NAMES))
    if kind.num_fields:
        raise TypeError("a nested type of another kind")
    return kind


def without_time(kind: pa.DataType) -> pa.DataType:
    """The integer type that a date, time or duration is stored as; other types as they are."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return pa.int32()
    if (
        pa.types.is_timestamp(kind)
        or pa.types.is_date64(kind)
        or pa.types.is_time64(kind)
        or pa.types.is_duration(kind)
    ):
        return pa.int64()
    return kind


def without_view(kind: pa.DataType) -> pa.DataType:
    """The large form of a view type, for which Arrow has kernels."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    return pa.large_binary() if pa.types.is_binary_view(kind) else kind


def without_dictionary(kind: pa.DataType) -> pa.DataType:
    """The type of the values of a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind
