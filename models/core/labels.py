"""The native label set: i2b2/UTHealth 2014's 28 labels in 7 categories, and what HIPAA calls each.

A label is a row of `NATIVE_LABELS`. All else that is known of it follows from the row: its
category, its HIPAA item, and what foreign label sets call it (`models.core.label_maps`).

Source: Stubbs and Uzuner 2015, "Annotating longitudinal clinical narratives for de-identification";
45 CFR 164.514(b)(2)(i), items A to R.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class NativeLabel:
    """A native label.

    Attributes:
        name: in capitals.
        category: the XML element of i2b2 2014 that holds it; a category without sub-categories has
            one label, of its own name.
        hipaa: letter of its item in 45 CFR 164.514(b)(2)(i), or None. Item B is "geographic
            subdivisions smaller than a State"; a named hospital or employer is one in effect.
        scored_as_hipaa: whether the evaluation script of i2b2 2014 counts it as HIPAA's.
    """

    name: str
    category: str
    hipaa: str | None = None
    scored_as_hipaa: bool = False


NATIVE_LABELS: tuple[NativeLabel, ...] = (
    NativeLabel("PATIENT", "NAME", "A", scored_as_hipaa=True),
    # No identifiers of the patient under Safe Harbor: doctors, professions, states, countries.
    NativeLabel("DOCTOR", "NAME"),
    NativeLabel("USERNAME", "NAME", "R"),
    NativeLabel("PROFESSION", "PROFESSION"),
    NativeLabel("HOSPITAL", "LOCATION", "B"),
    NativeLabel("ORGANIZATION", "LOCATION", "B", scored_as_hipaa=True),
    NativeLabel("STREET", "LOCATION", "B", scored_as_hipaa=True),
    NativeLabel("CITY", "LOCATION", "B", scored_as_hipaa=True),
    NativeLabel("STATE", "LOCATION"),
    NativeLabel("COUNTRY", "LOCATION"),
    NativeLabel("ZIP", "LOCATION", "B", scored_as_hipaa=True),
    NativeLabel("LOCATION-OTHER", "LOCATION", "B"),
    NativeLabel("AGE", "AGE", "C", scored_as_hipaa=True),
    NativeLabel("DATE", "DATE", "C", scored_as_hipaa=True),
    NativeLabel("PHONE", "CONTACT", "D", scored_as_hipaa=True),
    NativeLabel("FAX", "CONTACT", "E", scored_as_hipaa=True),
    NativeLabel("EMAIL", "CONTACT", "F", scored_as_hipaa=True),
    NativeLabel("URL", "CONTACT", "N"),
    NativeLabel("IPADDR", "CONTACT", "O"),
    NativeLabel("SSN", "ID", "G", scored_as_hipaa=True),
    NativeLabel("MEDICALRECORD", "ID", "H", scored_as_hipaa=True),
    NativeLabel("HEALTHPLAN", "ID", "I", scored_as_hipaa=True),
    NativeLabel("ACCOUNT", "ID", "J", scored_as_hipaa=True),
    NativeLabel("LICENSE", "ID", "K", scored_as_hipaa=True),
    NativeLabel("VEHICLE", "ID", "L", scored_as_hipaa=True),
    NativeLabel("DEVICE", "ID", "M", scored_as_hipaa=True),
    NativeLabel("BIOID", "ID", "P", scored_as_hipaa=True),
    # The script's list names it, but with a trailing space that no tag has, so it never matches.
    NativeLabel("IDNUM", "ID", "R"),
    # Not of i2b2 2014: what a detector calls PHI and cannot say of which kind.
    NativeLabel("PHI", "PHI", "R"),
)
"""All native labels, those of a category together."""

UNKNOWN_KIND = "PHI"
"""The label of PHI of which the kind is not known; it is removed like any identifier."""

LABELS: tuple[str, ...] = tuple(label.name for label in NATIVE_LABELS)

CATEGORY_OF: dict[str, str] = {label.name: label.category for label in NATIVE_LABELS}

CATEGORIES: dict[str, tuple[str, ...]] = {
    category: tuple(name for name, own in CATEGORY_OF.items() if own == category)
    for category in dict.fromkeys(CATEGORY_OF.values())
}
"""Category -> labels."""

HIPAA_ITEMS = "ABCDEFGHIJKLMNOPQR"
"""The letters of the items of 45 CFR 164.514(b)(2)(i)."""

HIPAA_OF: dict[str, str] = {
    label.name: label.hipaa for label in NATIVE_LABELS if label.hipaa is not None
}
"""Label -> the letter of its item; labels that are no identifiers of the patient are not there."""

SCORED_AS_HIPAA: frozenset[str] = frozenset(
    label.name for label in NATIVE_LABELS if label.scored_as_hipaa
)
"""The labels that the evaluation script of i2b2 2014 counts as HIPAA's."""
