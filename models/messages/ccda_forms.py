"""How values of CDA that pass are written, by their data types: what is not so may say anything.

Source: HL7 V3 Data Types R1, schema datatypes-base.xsd (bl, cs, real, set_cs, ts, uid) and voc.xsd
(NullFlavor). Points in time may also be written as XML has them, as some systems do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from . import ccda_roles as roles
from .vocabularies import is_display, is_state, is_unit, is_version


def _like(pattern: str) -> Callable[[str], bool]:
    form = re.compile(pattern, re.ASCII)
    return lambda value: form.fullmatch(value) is not None


_OID = r"[0-2](?:\.[0-9]{1,40}){1,40}"
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_FORMS: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {
        roles.WORD: _like(r"[A-Za-z_][A-Za-z0-9_.-]{0,39}"),
        roles.BOOLEAN: _like("true|false|0|1"),
        roles.NULL_FLAVOR: _like(
            "NI|INV|DER|OTH|NINF|PINF|UNC|MSK|NA|UNK|ASKU|NAV|NASK|NAVU|QS|TRC|NP"
        ),
        roles.WORDS: _like(r"[A-Z]{1,6}(?:\s{1,4}[A-Z]{1,6}){0,9}"),
        roles.CODE: _like(r"\S{1,100}"),
        roles.UID: _like(rf"(?:urn:(?:oid|uuid):)?(?:{_OID}|{_UUID})"),
        roles.VERSION: is_version,
        roles.DISPLAY: is_display,
        roles.MEDIA_TYPE: _like(
            r"[A-Za-z]{1,20}/[A-Za-z0-9.+-]{1,80}(?:; ?[a-z]{1,20}=[A-Za-z0-9\"-]{1,40}){0,3}"
        ),
        roles.LANGUAGE: _like("[A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8}){0,5}"),
        roles.UNIT: is_unit,
        roles.STATE: is_state,
        roles.NUMBER: _like(
            r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][-+]?[0-9]{1,4})?"
        ),
        roles.TIME: _like(
            r"[0-9]{1,14}(?:\.[0-9]{1,9})?(?:[-+][0-9]{1,4})?"
            r"|[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
            r"(?:Z|[-+][0-9]{2}:?[0-9]{2})?)?)?"
        ),
        roles.QUALIFIED: _like(r"(?:[A-Za-z_][\w.-]{0,39}:)?[A-Za-z][A-Za-z0-9_.]{0,39}"),
        roles.EXTENSION: _like(r"[A-Za-z0-9._-]{1,60}"),
        roles.DIGITS: _like(r"[-+0-9.eE\s]*"),
    }
)
"""Form -> whether a value is written so. Of labels, `ccda_parts` tells."""


def misfit(name: str, value: str) -> str:
    """The kind that a value has by not being written as its name says; "" if it is.

    What stands in the place of a quantity is a text (`<5`): scrubbed, it is no number either, so
    that it is found again. All else is malformed and goes: scrubbed, it could look well-formed.
    """
    form = roles.form_names().get(name, roles.LABEL)
    if form not in _FORMS or _FORMS[form](value.strip()):
        return ""
    return roles.WORDED if form == roles.NUMBER and name.endswith("@value") else roles.MALFORMED
