r"""How FHIR names resources: `Patient/1`, absolute URLs, `urn:uuid:...`, `#contained`.

Source: FHIR R5, References (2.3.0.1 to 2.3.0.3) and Bundle (3.5.4); ids by Datatypes, `id`. A name
is read as it is written, for its id is replaced there; of its escapes, `\/` alone is known.
"""

from __future__ import annotations

import dataclasses
import re

from .fhir_elements import resource_types
from .json_text import read

_LONGEST = 2000
_ID = r"[A-Za-z0-9._~-]{1,128}"
_RESOURCE = re.compile(
    r"(?P<base>https?:(?:\\?/){2}[^\s\"]*?\\?/)?(?P<type>[A-Z][A-Za-z]{1,60})\\?/"
    rf"(?P<id>{_ID})(?:\\?/_history\\?/{_ID})?"
)
_URN = re.compile(r"urn:(?P<kind>uuid|oid):(?P<id>[A-Za-z0-9._-]{1,200})")
_LOCAL = re.compile(rf"#(?P<id>{_ID})")

ANYWHERE = "http://example.org/fhir/"
"""Stands for the address of a server where FHIR wants an absolute one."""


@dataclasses.dataclass(frozen=True, slots=True)
class ResourceName:
    """What names a resource.

    Attributes:
        type: of the resource, if the name says it; else empty.
        id: of the resource; of a URN, all of it in lower case.
        low, high: what is replaced: the id with the version behind it, and the address of a server.
        is_local: whether it is one of those that a resource contains.
        is_absolute: whether the address of a server goes too.
    """

    type: str
    id: str
    low: int
    high: int
    is_local: bool = False
    is_absolute: bool = False


def read_name(source: str) -> ResourceName | None:
    """The name that a string holds, as it is written; None for what names no resource."""
    if len(source) > _LONGEST:
        return None
    if match := _RESOURCE.fullmatch(source):
        if match["type"] not in resource_types():
            return None
        low = 0 if match["base"] else match.start("id")
        return ResourceName(
            match["type"], match["id"], low, len(source), is_absolute=bool(match["base"])
        )
    if match := _URN.fullmatch(source):
        whole = source.lower()
        return ResourceName("", whole, match.start("id"), len(source))
    if match := _LOCAL.fullmatch(source):
        return ResourceName("", match["id"], match.start("id"), len(source), is_local=True)
    return None


def written_name(source: str, key: str, *, needs_address: bool) -> str:
    """A key in the place of what `read_name` says is replaced.

    Args:
        source: what is replaced.
        key: of the resource.
        needs_address: whether the name has to stay an absolute one.
    """
    named = read_name(source) if ":" in source else None
    if named is None or not named.is_absolute:
        return key
    return f"{ANYWHERE if needs_address else ''}{named.type}/{key}"


def as_uuid(key: str) -> str:
    """A key as a URN of the kind `uuid` spells it."""
    if not re.fullmatch(r"[0-9a-f]{32}", key):
        return key
    return "-".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:]))


def is_plain_type(source: str) -> bool:
    """Whether a string is the name of a type of resources, and nothing else."""
    return read(source) in resource_types()
