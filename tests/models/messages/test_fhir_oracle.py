"""What comes out is still FHIR, where the models of `fhir.resources` took what went in."""

import json

import pytest

from .fhir_examples import EXAMPLES, R4, R5, as_text
from .fhir_scrubbing import layers, scrubbed

__all__ = ["layers"]

DIV = '<div xmlns="http://www.w3.org/1999/xhtml">gone</div>'


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize(
    ("version", "examples"), [("fhir.resources.R4B", R4), ("fhir.resources", R5)]
)
def test_what_comes_out_is_a_resource(version, examples, name):
    models = pytest.importorskip(version)
    if name not in examples:
        return
    record = as_text(EXAMPLES[name])
    model = models.get_fhir_model_class(json.loads(record)["resourceType"])
    model.model_validate_json(record)
    model.model_validate_json(scrubbed(record, stand_in=DIV))
