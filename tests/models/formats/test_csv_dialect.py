"""What a header that is a single column may have meant."""

import pytest
from scrubline.models.formats.csv_dialect import likely_delimiter


@pytest.mark.parametrize(
    ("header", "option"),
    [
        ("id;note", "give --delimiter ';'"),
        ("id\tnote\tday", "give --delimiter $'\\t'"),
        ("id|note", "give --delimiter '|'"),
        ("id,note", "give --delimiter ','"),
        ("a;b|c|d", None),
        ("a,b;c", None),
        ("note", None),
        ("Seen on the ward; no complaints", None),
        ("12;34", None),
        ("a;", None),
        ("", None),
    ],
)
def test_likely_delimiter(header, option):
    assert likely_delimiter(header) == option
