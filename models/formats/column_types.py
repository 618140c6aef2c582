"""Which types of columns a role can be given to, where a format has types."""

from __future__ import annotations

import pyarrow as pa

from ..core.errors import UsageError
from .column_roles import Columns, Role

_IDS = frozenset({Role.ID, Role.PATIENT, Role.HASH, Role.KNOWN})
"""Roles whose values are brought to the canonical form of an id; see `keys.canonical_id`."""


def unsuitable(role: Role, kind: pa.DataType, *, is_text: bool) -> bool:
    """Whether no value of a type fits a role, so that every row would be quarantined.

    A kind of note or a date is one value: a nested one would go out as it is, with all in it.

    Args:
        is_text: whether the format takes cells of the type for free text.
    """
    if role is Role.TEXT:
        return not is_text
    if role in (Role.PASS, Role.DROP):
        return False
    kind = _plain(kind)
    odd = (
        pa.types.is_nested(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_fixed_size_binary(kind)
        or pa.types.is_binary_view(kind)
        or pa.types.is_interval(kind)
    )
    return bool(odd or (role in _IDS and pa.types.is_boolean(kind)))


def typed(columns: Columns) -> list[tuple[str, Role]]:
    """The columns whose types matter, by name."""
    return [(name, role) for name, role in columns.roles if role not in (Role.PASS, Role.DROP)]


def unsuitable_error(name: str, role: Role, kind: pa.DataType) -> UsageError:
    """Refuses a role for a declared column of a type that does not fit it."""
    return _unsuitable(name, role, shown_type(kind), is_list=_is_list(_plain(kind)))


def nested_json_error(name: str, role: Role, *, is_list: bool) -> UsageError:
    """As `unsuitable_error`, for a column of JSON objects or lists."""
    return _unsuitable(name, role, "list" if is_list else "struct", is_list=is_list)


def _unsuitable(name: str, role: Role, shown: str, *, is_list: bool) -> UsageError:
    ways = "give it another role, or export it as text"
    if shown == "struct":
        ways = (
            f"give its fields roles, each by its path (--column {name}.text=text, if one is named "
            "text), or export it as text"
        )
    elif is_list:
        ways = f"give its items a role (--column {name}[]={role}), or export it as text"
    return UsageError(
        f"column {name!r} has role {role}, which does not accept its type {shown}: {ways}"
    )


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def shown_type(kind: pa.DataType) -> str:
    """A type for a message, without the names of its inner fields, which are undeclared."""
    kind = _plain(kind)
    if pa.types.is_struct(kind):
        return "struct"
    if pa.types.is_nested(kind):
        return str(kind).partition("<")[0]
    return str(kind)


def _plain(kind: pa.DataType) -> pa.DataType:
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind.value_type if pa.types.is_dictionary(kind) else kind
