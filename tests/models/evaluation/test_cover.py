"""What would be removed, where the predicted documents tell it."""

import dataclasses

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.evaluation import COVER, compare

from .makers import counts, document, tokenize

GOLD = document("Dr {DOCTOR Ann Lee} of {CITY Rome}")
PREDICTED = document("Dr {DOCTOR Ann} Lee of {CITY Rome}")


def covering(stretches, of=PREDICTED):
    return dataclasses.replace(of, meta={COVER: stretches})


def report(predicted, **options):
    return compare([GOLD], [predicted], tokenize=tokenize, resamples=5, **options)


def leaked(predicted, **options):
    return report(predicted, **options).metrics["documents"].shares["leaked"].count


def test_leaks_and_label_blind_scores_are_of_the_cover():
    assert leaked(PREDICTED) == 1
    covered = covering([[3, 10], [14, 18]])
    assert leaked(covered) == 0
    assert counts([GOLD], [covered], "character") == (11, 0, 0)
    assert counts([GOLD], [covered], "token_blind") == (3, 0, 0)
    assert counts([GOLD], [covering([[0, 18]])], "character") == (11, 7, 0)
    # What has labels is of the spans all the same.
    assert counts([GOLD], [covered], "strict") == (1, 1, 1)
    assert counts([GOLD], [covered], "meddocan_strict") == (1, 1, 1)


def test_the_report_says_what_counted_as_removed():
    assert report(PREDICTED).removed == "predicted spans"
    found = report(covering([[3, 10]]))
    assert found.removed == "cover"
    assert "removed: cover" in found.as_table()
    assert found.as_json()["removed"] == "cover"


def test_spans_are_removed_even_if_the_cover_forgets_them():
    assert counts([GOLD], [covering([])], "character") == (7, 0, 4)


def test_a_cover_is_used_only_if_every_document_has_one():
    gold = [GOLD, dataclasses.replace(GOLD, doc_id="2")]
    predicted = [covering([[3, 18]]), dataclasses.replace(PREDICTED, doc_id="2")]
    assert compare(gold, predicted, tokenize=tokenize, resamples=0).removed == "predicted spans"


def test_a_cover_is_not_used_if_predicted_spans_are_dropped():
    assert report(covering([[3, 18]]), ignore=["CITY"]).removed == "predicted spans"
    drop = {"DOCTOR": "DOCTOR"}.get
    assert report(covering([[3, 18]]), label_map=drop).removed == "predicted spans"
    assert leaked(covering([[3, 18]]), ignore=["CITY"]) == 1
    assert report(covering([[3, 18]]), ignore=["AGE"]).removed == "cover"
    assert leaked(covering([[3, 18]]), ignore=["AGE"]) == 0


@pytest.mark.parametrize(
    "broken",
    [
        *({}, None, "3", [3, 4], [[3]], [[3, 4, 5]], [["3", 4]], [[3.0, 4]], [[True, 4]]),
        *([[4, 4]], [[5, 4]], [[-1, 4]], [[3, 19]], [None]),
    ],
)
def test_a_broken_cover_is_refused_without_showing_text(broken):
    with pytest.raises(UsageError) as caught:
        report(covering(broken))
    assert "predicted document 0: meta.cover" in str(caught.value)
    assert "Lee" not in str(caught.value)
