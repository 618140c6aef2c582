import pytest
from scrubline.models.dates import order_of


@pytest.mark.parametrize(
    ("spans", "language", "setting", "order", "ambiguous"),
    [
        ([], "en", None, "mdy", False),
        ([], "es", None, "dmy", False),
        ([], "de", None, "dmy", False),
        ([], "en", "dmy", "dmy", False),
        (["5/3/24", "4/4/2024"], "en", None, "mdy", False),
        (["13/3/24", "4/4/2024"], "en", None, "dmy", False),
        (["3/13/24", "4/4/2024"], "es", None, "mdy", False),
        (["3/13/24"], "en", "dmy", "mdy", False),
        (["13.3.24"], "en", None, "dmy", False),
        (["13 / 03 / 2024"], "en", None, "dmy", False),
        (["13 03 2024"], "en", None, "dmy", False),
        (["Mon 13/3/24 10:15"], "en", None, "dmy", False),
        (["13/3/24", "3/13/24"], "en", None, "mdy", True),
        (["13/3/24", "3/13/24"], "en", "dmy", "dmy", True),
        (["13/3"], "en", None, "dmy", False),
        (["3/13"], "en", "dmy", "mdy", False),
        (["3/13"], "es", None, "mdy", False),
        # Month and year, where the note says that days come first, and always in German.
        (["3/13", "14/3/24"], "en", None, "dmy", False),
        (["03/13"], "de", None, "dmy", False),
        (["10/82"], "es", None, "dmy", False),
        # No evidence: years first, times, digits that go on, long texts.
        (["2024-03-13"], "es", None, "dmy", False),
        (["13:03/24"], "en", None, "mdy", False),
        (["113/3/24"], "en", None, "mdy", False),
        (["13/3/24567"], "en", None, "mdy", False),
        (["14/14/2014"], "en", None, "mdy", False),
        (["13/3/24" + " " * 96], "en", None, "mdy", False),
        (["13/3/24"], "en", "ymd", "ymd", False),
    ],
)
def test_a_part_over_12_decides_then_the_setting_then_the_language(
    spans, language, setting, order, ambiguous
):
    assert order_of(spans, language, setting) == (order, ambiguous)
    assert order_of(reversed(spans), language, setting) == (order, ambiguous)
