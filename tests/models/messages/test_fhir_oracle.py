"""What comes out is still FHIR, where the models of `fhir.resources` took what went in."""

import importlib
import json

import pytest

from .fhir_examples import EXAMPLES, R4, R5, as_text
from .fhir_scrubbing import layers, scrubbed

__all__ = ["layers"]

DIV = '<div xmlns="http://www.w3.org/1999/xhtml">gone</div>'


CASES = [
    (package, name)
    for package, own in (("fhir.resources.R4B", R4), ("fhir.resources", R5))
    for name in own
]


@pytest.mark.parametrize(("package", "name"), CASES)
def test_what_comes_out_is_a_resource(package, name):
    record = as_text(EXAMPLES[name])
    models = importlib.import_module(package)
    model = models.get_fhir_model_class(json.loads(record)["resourceType"])
    model.model_validate_json(record)
    model.model_validate_json(scrubbed(record, stand_in=DIV))


def test_each_example_is_one_of_a_version():
    assert {name for _, name in CASES} == set(EXAMPLES)
