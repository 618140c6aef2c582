from __future__ import annotations

import pytest
from scrubline.models.documents import Context, Document
from scrubline.models.recognisers import date


def found(text: str) -> list[str]:
    return [text[c.start : c.end] for c in date.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Figures with a year.
        ("DOB: 03/11/1961", ["03/11/1961"]),
        ("DOB3/4/12", ["3/4/12"]),
        ("3/4/12.MRN#1234567,t98.6", ["3/4/12"]),
        ("seen 9-23-08 and 6.4.2012", ["9-23-08", "6.4.2012"]),
        ("2083-02-19T10:00", ["2083-02-19"]),
        ("2014/5/7", ["2014/5/7"]),
        ("31/12/2016", ["31/12/2016"]),
        ("|201604110815|", ["20160411"]),
        ("|20160411|", ["20160411"]),
        ("3/4/12-3/6/12", ["3/4/12", "3/6/12"]),
        ("stay 8/2-8/16/15.", ["8/2", "8/16/15"]),
        ("D: 8/6/15  T: 8/7/15  job", ["8/6/15", "8/7/15"]),
        ("échographie 3/4/12 🙂 5/6/13", ["3/4/12", "5/6/13"]),
        ("３/４/２０１２", ["３/４/２０１２"]),
        ("12–05–2014", ["12–05–2014"]),
        # Month and day, month and year.
        ("Weaned to RA by 8/5. Dr. Amin", ["8/5"]),
        ("follow up on 8/14 at 9 am", ["8/14"]),
        ("RTC 5/1.", ["5/1"]),
        ("(Crab Shanty, 4/15)", ["4/15"]),
        ("3/12 0700-1500   pt alert", ["3/12"]),
        ("since 2/2012", ["2/2012"]),
        ("on 8/5, 8/6 and 8/9 he", ["8/5", "8/6", "8/9"]),
        # Names of months.
        ("Date: May 7, 2014 13:10", ["May 7, 2014"]),
        ("October 21, 1999", ["October 21, 1999"]),
        ("Sept. 3rd we met", ["Sept. 3rd"]),
        ("DOS: 19 Apr 2018", ["19 Apr 2018"]),
        ("07MAY2014 and 07-MAY-14", ["07MAY2014", "07-MAY-14"]),
        ("the 3rd of May", ["3rd of May"]),
        ("in July 2022 and (January 2024)", ["July 2022", "January 2024"]),
        ("in March of 2012", ["March of 2012"]),
        ("Oct '99", ["Oct '99"]),
        ("May 3-5, 2014", ["May 3-5, 2014"]),
        ("19 de abril de 2018", ["19 de abril de 2018"]),
        ("en enero del año 2001", ["enero del año 2001"]),
        ("Dry at night since March. ", ["March"]),
        ("pre-K in August.", ["August"]),
        ("retired in June.", ["June"]),
        # Days, holidays, seasons.
        ("Tuesday, November 2", ["Tuesday, November 2"]),
        ("found on Sunday morning", ["Sunday"]),
        ("EtOH 2-3 on Sat.", ["Sat"]),
        ("fell at home mon. bed avail thurs.", ["mon", "thurs"]),
        ("home by Father's Day; Christmas Eve", ["Father's Day", "Christmas Eve"]),
        ("since Valentine’s Day", ["Valentine’s Day"]),
        ("last summer", ["summer"]),
        ("fall of 2012", ["fall of 2012"]),
        # Years.
        ("1/2 ppd until 2060.", ["2060"]),
        ("husband d. 2008.", ["2008"]),
        ("Drives a '99 Buick", ["'99"]),
        ("from 2008-2012", ["2008", "2012"]),
        ("appendectomy (1998)", ["1998"]),
        ("in the 1990s", ["1990s"]),
    ],
)
def test_dates_are_found(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "BP 120/80, HR 78",
        "bp 132/70 p 78 t 97.9",
        "strength 5/5 throughout",
        "PT 5/5 strength, steady",
        "a 2/6 systolic murmur",
        "Gr 1/6 Still's murmur",
        "T4-L1 fusion, C5-T1 5/5",
        "1/2 tab oxycodone",
        "Norco 5/325 1/2-1 tab #10",
        "10/325 every day",
        "0.5 mg, 98.6, 2.5/5 mg",
        "pH 7.35/45/98",
        "ABG 7.10/12/98/24",
        "vision 20/20, 20/30 OU",
        "ratio 1:2, 3:1",
        "1-2 weeks, 2-3 days",
        "GCS 3-4-5",
        "G2P1, G4P4",
        "at 9:30 and 14:05:33",
        "q4-6h prn",
        "version 1.2.10",
        "ICD E11.9, CPT 99213",
        "blood cultures 1/2 S. pneumoniae",
        "pain 8/10 at rest, 4/10 after",
        "relief 6->2/10",
        "ate 50/75%",
        "GDS 2/15",
        "Glasgow 14/15, pages 3/14",
        "Frailty 4/9. Pulses 2/4",
        "watch 24/7, 50/50 mix",
        "on 1/2 tablet",
        "she may need surgery; may 10 mg be given",
        "he will march on; the march of dimes",
        "she sat up, O2 sat 97, sats 95%",
        "Sat 97% on RA",
        "out in the sun, sun exposure",
        "after a fall; last fall was bad",
        "Mayo Clinic, at Mayo",
        "NPO after midnight",
        "NPO until 2000",
        "for 6 mon and then",
        "wed in church",
        "2000 ml of fluid, in 2000 ml",
        "Christmas disease",
        "reps 8-10-12 reps",
        "MRN: 10-12-88",
        "wife June saw April Weathers",
        "5'10\" tall",
        "day 3, in 6 weeks",
        "Code 13/45/2012, 00/00/0000",
        "February 31 tablets",
        "Silver Spring, Dr. Winters",
        "OCT 3.5 mm",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []
