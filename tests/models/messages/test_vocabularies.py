"""Which systems of codes are public, and what looks like a display, a unit or a version."""

import pytest
from scrubline.models.messages.vocabularies import is_display, is_public, is_unit, is_version

from ...growth import assert_linear


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("http://loinc.org", True),
        ("http://snomed.info/sct", True),
        ("http://snomed.info/sct/731000124108", True),
        ("http://www.nlm.nih.gov/research/umls/rxnorm", True),
        ("http://hl7.org/fhir/sid/icd-10-cm", True),
        ("http://hl7.org/fhir/sid/cvx", True),
        ("http://terminology.hl7.org/CodeSystem/v3-ActCode", True),
        ("http://unitsofmeasure.org", True),
        ("http://www.ama-assn.org/go/cpt", True),
        ("http://www.cms.gov/Medicare/Coding/ICD10", True),
        ("https://www.cms.gov/Medicare/Coding/HCPCSReleaseCodeSets", True),
        ("urn:ietf:bcp:47", True),
        ("urn:oid:2.16.840.1.113883.6.238", True),
        ("2.16.840.1.113883.6.1", True),
        (" 2.16.840.1.113883.3.26.1.1 ", True),
        ("2.16.840.1.113883.3.99", False),
        ("1.2.3", False),
        ("", False),
        ("http://loinc.org.evil.org/x", False),
        ("http://splungeworth.org/loinc.org", False),
        ("http://hl7.org/fhirx", False),
        ("loinc", False),
    ],
)
def test_public_systems(system, expected):
    assert is_public(system) is expected


UNITS = """mg mL mm[Hg] mmHg % /min 10*3/uL 10*-3 x10(3)/mcL {score} [degF] °F K/cumm g/dL 1 mg/dL
U/L ng/mL/h mL/min/{1.73_m2} Tablet TABLET [iU]/L m2 ug/kg/min k/µL""".split()  # noqa: SIM905
WORDS = [
    "mm Hg",
    "breaths per minute",
    "Beats per minute",
    "degrees C",
    "Degrees Fahrenheit",
    "mL/min/1.73 m2",
    "cells / uL",
    "Milligram per liter (mg/L)",
    "MG/24 HR",
    "fl oz",
]


@pytest.mark.parametrize("unit", [*UNITS, *WORDS])
def test_units(unit):
    assert is_unit(unit)


@pytest.mark.parametrize(
    "text",
    [
        "per Dr Splungeworth",
        "mg per dr splungeworth",
        "mg Zelda Quimby",
        "Zelda Quimby",
        "mg per patient quimby",
        "617-555-0142",
        "48151623",
        "zelda@quimby.org",
        "x" * 41,
        "a " * 7,
        "",
    ],
)
def test_what_is_no_unit(text):
    assert not is_unit(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Body height", True),
        ("MR Brain W contrast", True),
        ("MS Contin 15 MG Extended Release Oral Tablet", True),
        ("Parkinson's disease", True),
        ("note by Dr Splungeworth", False),
        ("Mrs. Quimby", False),
        ("a" * 501, False),
    ],
)
def test_displays(text, expected):
    assert is_display(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.74", True),
        ("v2.9", True),
        ("2023-09-01", True),
        ("January 2012 Release", True),
        ("http://snomed.info/sct/731000124108/version/20230901", True),
        ("Splungeworth", False),
        ("Dr Splungeworth 48151623", False),
        ("http://splungeworth.org/1", False),
    ],
)
def test_versions(text, expected):
    assert is_version(text) is expected


@pytest.mark.parametrize("form", [is_public, is_unit, is_display, is_version])
@pytest.mark.parametrize("unit", ["1.", "a ", "Dr ", "http://loinc.org/", "0-", "/"])
def test_any_text_is_told_in_time_that_grows_with_it(form, unit):
    assert_linear(lambda size: unit * size, form, 20_000)
