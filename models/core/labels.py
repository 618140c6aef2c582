"""The native label set: i2b2/UTHealth 2014's 28 labels in 7 categories, and what HIPAA calls each.

Source: Stubbs and Uzuner 2015, "Annotating longitudinal clinical narratives for de-identification";
45 CFR 164.514(b)(2)(i), items A to R.
"""

from __future__ import annotations

CATEGORIES: dict[str, tuple[str, ...]] = {
    "NAME": ("PATIENT", "DOCTOR", "USERNAME"),
    "PROFESSION": ("PROFESSION",),
    "LOCATION": (
        "HOSPITAL",
        "ORGANIZATION",
        "STREET",
        "CITY",
        "STATE",
        "COUNTRY",
        "ZIP",
        "LOCATION-OTHER",
    ),
    "AGE": ("AGE",),
    "DATE": ("DATE",),
    "CONTACT": ("PHONE", "FAX", "EMAIL", "URL", "IPADDR"),
    "ID": (
        "SSN",
        "MEDICALRECORD",
        "HEALTHPLAN",
        "ACCOUNT",
        "LICENSE",
        "VEHICLE",
        "DEVICE",
        "BIOID",
        "IDNUM",
    ),
}
"""Category -> labels. Three categories have no sub-categories: one label of their own name."""

LABELS: tuple[str, ...] = tuple(label for labels in CATEGORIES.values() for label in labels)

CATEGORY_OF: dict[str, str] = {
    label: category for category, labels in CATEGORIES.items() for label in labels
}

HIPAA_OF: dict[str, str] = {
    "PATIENT": "A",
    "HOSPITAL": "B",
    "STREET": "B",
    "CITY": "B",
    "ZIP": "B",
    "LOCATION-OTHER": "B",
    "ORGANIZATION": "B",
    "AGE": "C",
    "DATE": "C",
    "PHONE": "D",
    "FAX": "E",
    "EMAIL": "F",
    "SSN": "G",
    "MEDICALRECORD": "H",
    "HEALTHPLAN": "I",
    "ACCOUNT": "J",
    "LICENSE": "K",
    "VEHICLE": "L",
    "DEVICE": "M",
    "URL": "N",
    "IPADDR": "O",
    "BIOID": "P",
    "USERNAME": "R",
    "IDNUM": "R",
}
"""Label -> the letter of its item in 45 CFR 164.514(b)(2)(i).

Item B is "geographic subdivisions smaller than a State"; a named hospital or employer is one in
effect. DOCTOR, PROFESSION, STATE and COUNTRY are not identifiers of the patient under Safe Harbor
and have no letter.
"""

UNKNOWN_KIND = "PHI"
