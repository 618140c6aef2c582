"""The examples of docs/surrogates.md are what comes out."""

import re
from pathlib import Path

import pytest
from scrubline.models.surrogates import MAKERS, Surrogates, SurrogateSettings
from scrubline.models.surrogates.settings import CHOICES

PAGE = Path(__file__).parents[3] / "docs/surrogates.md"
NOTES = (
    "Patient: <PATIENT:SMITH, JOHN P.>   MRN: <MEDICALRECORD:004-71-12>\n"
    "<PATIENT:Mr. Smith> is a <AGE:67>-year-old <PROFESSION:teacher> from <CITY:Salem>, seen at "
    "<HOSPITAL:St. Anne's Hospital>\n"
    "with his wife <PATIENT:Mary Smith> (cell <PHONE:617-234-9912>). <PATIENT:John> was referred "
    "by <DOCTOR:Dr. García-López>.\n"
    "Results to <EMAIL:jsmith@mail.com>. Signed: <DOCTOR:A. García-López, MD>\n",
    "<PATIENT:Smith> called from <PHONE:(617) 234-9912>; <DOCTOR:Dr. García-López> informed. MRN "
    "<MEDICALRECORD:0047112>.\n",
)
SPAN = re.compile(r"<([A-Z]+):([^>]*)>")
KEY = b"docs" * 8


def filled(document, note, replace):
    return SPAN.sub(lambda span: replace(document, span), note)


def notes(replace):
    return "--\n".join(filled(str(at), note, replace) for at, note in enumerate(NOTES))


def written(scope):
    by = Surrogates(KEY, SurrogateSettings(scope=scope))
    known = by.known(people=[("John", "Paul", "Smith"), ("Mary", "Smith")])
    return notes(
        lambda document, span: (
            by.of(
                *("patient", span[1], span[2]),
                document=document,
                mention=span.start(),
                known=known,
            ).text
        )
    )


@pytest.mark.parametrize("scope", ["before", *CHOICES["scope"]])
def test_the_examples_of_the_page(scope, request):
    expected = notes(lambda _, span: span[2]) if scope == "before" else written(scope)
    page = PAGE.read_text("utf-8")
    block = re.compile(rf"(```text {scope}\n)(.*?)(```\n)", re.DOTALL)
    if request.config.getoption("--update-golden"):
        page = block.sub(lambda found: found[1] + expected + found[3], page)
        PAGE.write_text(page, "utf-8")
    assert block.search(page)[2] == expected


def test_the_page_names_all_settings():
    page = PAGE.read_text("utf-8")
    for name, values in CHOICES.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert all(f"`{value}`" in row for value in values)
    assert not {"DATE", "STATE", "COUNTRY", "LOCATION-OTHER", "PHI"} & MAKERS.keys()
