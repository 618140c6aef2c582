"""Records that were made to take long: a list where a value belongs, beside something long."""

import json

import pytest
from scrubline.models.core.errors import DocumentError

from ...growth import assert_linear
from .fhir_scrubbing import values_of


def observation(**members):
    return json.dumps({"resourceType": "Observation", **members})


CASES = {
    "words of a concept beside its codings": lambda n: observation(
        code={"coding": [{"display": "x"}] * n, "text": ["y"] * n}
    ),
    "displays beside a long system": lambda n: observation(
        code={"coding": [{"system": "http://loinc.org/" + "h" * 20 * n, "display": ["x"] * n}]}
    ),
    "numbers beside a long unit": lambda n: observation(
        valueQuantity={"unit": "m" * 20 * n, "value": [1] * n}
    ),
    "references beside a long type": lambda n: observation(
        subject={"type": "x" * 20 * n, "reference": ["urn:uuid:a"] * n}
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_time_grows_with_the_record(case):
    assert_linear(CASES[case], values_of, 200)


@pytest.mark.parametrize("key", ["id", "resourceType"])
def test_a_name_that_all_that_is_contained_would_hold_is_refused(key):
    contained = [{"resourceType": "Patient", "id": "p"}]
    record = {"id": "a", "resourceType": "Observation", "contained": contained, key: "x" * 2001}
    with pytest.raises(DocumentError, match="BadFhir"):
        values_of(json.dumps(record))
