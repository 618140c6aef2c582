"""Month and day, month and year in figures, and the scores and doses that look like them."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import date_short


def found(text: str) -> list[str]:
    return [text[c.start : c.end] for c in date_short.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # With a word for it.
        ("Weaned to RA by 8/5. Dr. Amin", ["8/5"]),
        ("follow up on 8/14 at 9 am", ["8/14"]),
        ("RTC 5/1.", ["5/1"]),
        ("RTC 5/9.", ["5/9"]),
        ("f/u 3/4", ["3/4"]),
        ("LMP 2/3", ["2/3"]),
        ("since2/10", ["2/10"]),
        ("until 4/8", ["4/8"]),
        ("dc'd 3/3", ["3/3"]),
        ("d/c'd 3/3", ["3/3"]),
        ("on 23/5", ["23/5"]),
        # No score exceeds its maximum.
        ("Next tx 5/4.", ["5/4"]),
        ("sutures out 11/3", ["11/3"]),
        ("Pathology by 10/1; clinic", ["10/1"]),
        ("MRI 6/5 and 7/3", ["6/5", "7/3"]),
        ("seen 12/9 DAY 5", ["12/9"]),
        # A day above twelve, a leading zero.
        ("(Crab Shanty, 4/15)", ["4/15"]),
        ("3/14", ["3/14"]),
        ("01/05 stable", ["01/05"]),
        ("1/05 stable", ["1/05"]),
        # Beside a time, a range, a list.
        ("3/12 0700-1500   pt alert", ["3/12"]),
        ("5/6 9:30 clinic", ["5/6"]),
        ("5/6 2 pm clinic", ["5/6"]),
        ("stay 8/2-8/16/15.", ["8/2"]),
        ("8/8 - 8/21", ["8/8", "8/21"]),
        ("7/4-7/8", ["7/4", "7/8"]),
        ("on 8/5, 8/6 and 8/9 he", ["8/5", "8/6", "8/9"]),
        ("seen 8/5, 5/5 in arms", ["8/5"]),
        ("on 8/5 and 2/6 SEM", ["8/5"]),
        ("3/4-3/7/12", ["3/4"]),
        ("3/3-4/12", ["3/3", "4/12"]),
        # In a document of the same weeks.
        ("Date: 8/20/2015. Labs 8/8: K 5.4", ["8/8"]),
        ("NOTE 1/9/2019\n1/5  IMN R (spinal).\n1/7  Hgb 7.6", ["1/5", "1/7"]),
        ("August 2, 2015: level 8/9", ["8/9"]),
        ("20150801: labs 8/8", ["8/8"]),
        # Weekdays belong to it.
        ("Thursday 10/2 2:40", ["Thursday 10/2"]),
        ("Sun 5/1)", ["Sun 5/1"]),
        # Month and year.
        ("since 2/2012", ["2/2012"]),
        ("03/2012", ["03/2012"]),
        ("in 12-2019", ["12-2019"]),
        ("last echo 10/82", ["10/82"]),
        ("driving home in 5/92. In 11/92", ["5/92", "11/92"]),
        ("STARTED 11/99", ["11/99"]),
        ("CABG 8/95.", ["8/95"]),
        ("back in 01/09 and", ["01/09"]),
        ("end of 02/07", ["02/07"]),
        ("é🙂 3/14", ["3/14"]),
        # The day alone.
        ("scheduled on the 24th for surgery", ["24th"]),
        ("dose on the 28th .", ["28th"]),
        ("from the 19th through the 23rd, so", ["19th", "23rd"]),
        ("until the 3rd\n", ["3rd"]),
    ],
)
def test_dates_are_found(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        # Blood pressure, scores, strength.
        "BP 120/80, HR 78",
        "pupils 4/3 brisk",
        "Fraction 12/30, 21.6 Gy",
        "bp 132/82",
        "BP 98/52",
        "strength 5/5 throughout",
        "PT 5/5 strength, steady",
        "Strength is 4/5 on the right",
        "MMT ER 4/5, IR 4/5",
        "C5-T1 5/5. ",
        "T4-L1 fusion, C5-T1 5/5",
        "a 2/6 systolic murmur",
        "3/6 SEM at the base",
        "Gr 1/6 Still's murmur",
        "pain 8/10 at rest, 4/10 after",
        "PAIN 4/10 AFTER TORADOL",
        "rates pain as 7/10",
        "Pain at Best: 2/10.",
        "Week: 4/10.",
        "relief 6->2/10",
        "pain 9/10 -> 5/10.",
        "GDS 2/15",
        "EPDS 11/30, item 10",
        "Epworth 16 -> 5/24.",
        "MMSE 17/30, MOCA 26/30",
        "Glasgow 14/15, pages 3/14",
        "Frailty 4/9. Pulses 2/4",
        "Pulses 2/4",
        "Apgars 8/9",
        "Aldrete 9/10",
        "hydronephrosis grade 3/4",
        "Boston 2+3+3 = 8/9.",
        "NOTTINGHAM (3+2+2 = 7/9)",
        "fibrosis stage 1/4",
        # Fractions and doses.
        "settings 12/5, pressure 10/5",
        "100 mg bd 5/7",
        "1/2 tab oxycodone",
        "on 1/2 tablet",
        "Norco 5/325 1/2-1 tab #10",
        "10/325 every day",
        "25/100, 2.5/5 mg",
        "1/2 ppd",
        "lower 2/3 of the",
        "ate 50/75%",
        "cannabis 1/8 oz",
        "NS at 1/4 rate",
        "clamp 1/2 way",
        "by 1/2",
        "BiPAP 10/5, 12/5",
        "vent PS 10/5",
        "lisinopril/HCTZ 20/25",
        "Lotrel 10/5",
        # Counts, eyes, gestation, ratios.
        "blood cultures 1/2 S. pneumoniae",
        "BCx 2/4 GPC clusters",
        "vision 20/20, 20/30 OU",
        "38/40 by dates",
        "ratio 1/3, 50/50 mix",
        "watch 24/7",
        "RPR 1/64",
        "cycle 4/6 today",
        "kefzol #3/3 in",
        # British durations.
        "3/7 hx of dry itchy skin",
        "LMP 2/52 ago",
        "stopped 6/12 ago",
        "Review in 1/52",
        "abx for 3/7",
        # Ordinals of other things.
        "on the 4th finger",
        "on the 4th and 5th fingers",
        "by the 3rd metatarsal",
        "in the 9th grade, since 5th grade",
        "the 2nd time, to the 10th power",
        "on the 41st",
        # Pieces of other numbers.
        "pH 7.35/45/98",
        "3/4/12",
        "1/2/3/4",
        "$3/4",
        "T4/5",
        "3/4x",
        "32/14",
        "00/14",
        "11-12",
        "1-2 weeks, 2-3 days",
        "q4-6h prn",
        "617-5555",
        "",
        "/",
        "3/",
    ],
)
def test_scores_and_doses_are_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("29/08 Admission screen", ["29/08"]),
        ("seen Mon 4/6 then", ["Mon 4/6"]),
        ("The film of the 2nd inst. shows", ["2nd"]),
        ("DOB 30/11/1961. For 21/3 list.", ["21/3"]),
        ("DOB 11/30/1961. For 21/3 list.", []),
        ("DOB 30/11/1961. quit 18/12 ago, 28/7 course", []),
        ("DOB 30/11/1961\n22/12: 1 clear", ["22/12"]),
        ("adm 30/11/2023 | 10/11 | 11/11 |", ["10/11", "11/11"]),
        ("vision 20/12, 20/20", []),
        ("stopped 20 /d, 15/10", []),
    ],
)
def test_days_before_months(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Skin prick, wheal/flare: 4 Kentucky blue 8/30  5 Johnson 5/18", []),
        ("Skin prick test neg. Seen on 8/30.", ["8/30"]),
    ],
)
def test_wheals_are_no_dates(text, expected):
    assert found(text) == expected
