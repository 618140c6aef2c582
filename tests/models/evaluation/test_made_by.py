"""Who made predictions: told by names and hashes, and never by anything else that a file holds."""

import dataclasses

import pytest
from scrubline.models.evaluation.made_by import MADE_BY, digest, made_by, told

from .makers import document

ENTRY = made_by([("en-default", "0123456789abcdef"), ("mine", "f" * 64)], 61, "hipaa")
ONE = document("on {DATE 3 May}", "MRN-1")


def of(entry):
    return dataclasses.replace(ONE, meta={MADE_BY: entry})


def test_entry_is_told_on_a_line_with_a_digest():
    said = told([of(ENTRY), of(ENTRY)])
    assert said == (
        "models en-default@0123456789ab, mine@ffffffffffff; 61 rules; policy hipaa; "
        f"digest {digest([ONE, ONE])}"
    )


@pytest.mark.parametrize(
    "entry",
    [
        None,
        "Mr Abernathy",
        {},
        {**ENTRY, "note": "Abernathy"},
        {**ENTRY, "policy": "of Mr Abernathy"},
        {**ENTRY, "policy": 3},
        {**ENTRY, "rules": "Abernathy"},
        {**ENTRY, "rules": True},
        {**ENTRY, "models": "Abernathy"},
        {**ENTRY, "models": ["Abernathy"]},
        {**ENTRY, "models": ["<b>@0123456789ab"]},
        {**ENTRY, "models": [{"Abernathy": 1}]},
    ],
)
def test_foreign_entries_are_not_believed(entry):
    said = told([of(entry)])
    assert said == f"models and policy unknown; digest {digest([ONE])}"


def test_documents_that_disagree_tell_nothing():
    assert told([of(ENTRY), of({**ENTRY, "rules": 3})]).startswith("models and policy unknown")
    assert told([]).startswith("models and policy unknown")


def test_digest_is_of_spans_in_any_order_and_of_no_text():
    two = document("on {CITY Rome}", "b")
    assert digest([ONE, two]) == digest([two, ONE]) != digest([ONE])
    assert digest([document("by {DATE 9 Jun}", "MRN-1")]) == digest([ONE])
