"""What was meant by an unknown name; only known names are ever repeated."""

import pytest
from scrubline.models.core.suggestions import closest, did_you_mean

KNOWN = ("hipaa", "research", "PATIENT", "key_file")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("hippa", "hipaa"),
        ("HIPAA", "hipaa"),
        ("patiant", "PATIENT"),
        ("reserch", "research"),
        ("key_fil", "key_file"),
        ("Jane Roe", None),
        ("", None),
    ],
)
def test_what_was_meant(word, meant):
    assert closest(word, KNOWN) == meant
    assert did_you_mean(word, KNOWN) == (f" (did you mean '{meant}'?)" if meant else "")


def test_of_several_each_is_told_once_and_none_is_repeated():
    said = did_you_mean(["hippa", "hiipaa", "reserch", "1234567"], KNOWN)
    assert said == " (did you mean 'hipaa' and 'research'?)"
