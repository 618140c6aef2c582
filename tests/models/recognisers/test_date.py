"""Dates with a year or with a month by name."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
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
        ("2012-03-04T10:11:12Z", ["2012-03-04"]),
        ("2014/5/7", ["2014/5/7"]),
        ("2014.05.07", ["2014.05.07"]),
        ("31/12/2016", ["31/12/2016"]),
        ("3/4/12-3/6/12", ["3/4/12", "3/6/12"]),
        ("stay 8/2-8/16/15.", ["8/16/15"]),
        ("D: 8/6/15  T: 8/7/15  job", ["8/6/15", "8/7/15"]),
        ("échographie 3/4/12 🙂 5/6/13", ["3/4/12", "5/6/13"]),
        ("３/４/２０１２", ["３/４/２０１２"]),
        ("12–05–2014", ["12–05–2014"]),
        ("EXAM 11/22/20221410", ["11/22/2022"]),
        ("on 3/4/'12", ["3/4/'12"]),
        ("29/02/2012", ["29/02/2012"]),
        ("seen 1 / 2 / 2014 by", ["1 / 2 / 2014"]),
        # Names of months.
        ("Date: May 7, 2014 13:10", ["May 7, 2014"]),
        ("October 21, 1999", ["October 21, 1999"]),
        ("OCTOBER 21 1999", ["OCTOBER 21 1999"]),
        ("february 15th , 1979 .", ["february 15th , 1979"]),
        ("Sept. 3rd we met", ["Sept. 3rd"]),
        ("on Jan 5 he fell", ["Jan 5"]),
        ("DOS: 19 Apr 2018", ["19 Apr 2018"]),
        ("07MAY2014 and 07-MAY-14", ["07MAY2014", "07-MAY-14"]),
        ("May-07-2014", ["May-07-2014"]),
        ("the 3rd of May", ["3rd of May"]),
        ("4th day of March", ["4th day of March"]),
        ("the third of March", ["third of March"]),
        ("March 3rd", ["March 3rd"]),
        ("on March the 3rd", ["March the 3rd"]),
        ("November third, nineteen ninety-nine", ["November third, nineteen ninety-nine"]),
        ("september twenty-first two thousand and five",
         ["september twenty-first two thousand and five"]),
        ("June fifth, twenty fourteen", ["June fifth, twenty fourteen"]),
        ("in July 2022 and (January 2024)", ["July 2022", "January 2024"]),
        ("in March of 2012", ["March of 2012"]),
        ("in March, 2012", ["March, 2012"]),
        ("in May of\n1997", ["May of\n1997"]),
        ("Oct '99", ["Oct '99"]),
        ("May 3-5, 2014", ["May 3", "5, 2014"]),
        ("March 3-7", ["March 3", "7"]),
        ("July 9 to 14", ["July 9", "14"]),
        ("Dec 24th and 25th", ["Dec 24th", "25th"]),
        ("August 8, 12 2014", ["August 8", "12 2014"]),
        ("12 October 2017", ["12 October 2017"]),
        ("19 de abril de 2018", ["19 de abril de 2018"]),
        ("en enero del año 2001", ["enero del año 2001"]),
        ("3 de marzo", ["3 de marzo"]),
        # A weekday belongs to the date behind it.
        ("Tuesday, November 2", ["Tuesday, November 2"]),
        ("Mon 05/02/2016", ["Mon 05/02/2016"]),
        ("Friday the 3rd of May", ["Friday the 3rd of May"]),
        ("on Friday,\nJune 15, 0700", ["Friday,\nJune 15"]),
        ("Wednesday 3rd June 2009", ["Wednesday 3rd June 2009"]),
        ("lunes, 3 de marzo de 2014", ["lunes, 3 de marzo de 2014"]),
    ],
)  # fmt: skip
def test_dates_are_found(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "BP 120/80, HR 78",
        "bp 132/70 p 78 t 97.9",
        "strength 5/5/5",
        "pH 7.35/45/98",
        "ABG 7.10/12/98/24",
        "GCS 3-4-5",
        "probing 3-2-3-2-5",
        "version 1.2.10",
        "10.1.2.10",
        "ICD E11.9, CPT 99213",
        "reps 8-10-12 reps",
        "8/10/12 lbs",
        "MRN: 10-12-88",
        "Code 13/45/2012, 00/00/0000",
        "30/02/2012",
        "2014-13-01",
        "617-555-0100",
        "617-55-2012",
        "1/2/34567",
        "T4/5/12",
        "3.14.15.92",
        "12/05/1492",
        "February 31 tablets",
        "she may 3 times",
        "may 10 mg be given",
        "he will march 10 steps",
        "mar 3",
        "dec 5 mg daily",
        "Dec 12.5",
        "OCT 3.5 mm",
        "Jan 5 mg",
        "June 10:30",
        "at 9:30 and 14:05:33",
        "in 6 weeks, day 3",
        "28/32 and 20/40",
        "38/40 weeks, 32+4",
        "1:2:3",
        "May first try",
        "second march",
        "the second of many",
        "5. May drive",
        "in October\n2. Tylenol",
        "5 mar",
        "Jan Smith, April Weathers",
        "since March",
        "12 de 2014 pacientes",
        "janitor 5, mayor 3, decade 5",
        "Augustine 3",
        "",
        "/",
        "//2012",
        "--2012-",
        "3/4/",
        "Apr",
        "'99",
        "2014",
        "12/2014",
        "3/14",
        "٣/٤",
        "\ud800/\udfff/\ud800",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("14 JUL 83   USS", ["14 JUL 83"]),
        ("DOB 2 MAR 63\n", ["2 MAR 63"]),
        ("On 14 Jan 25, at 08:17", ["14 Jan 25"]),
        ("14 Jan 25 mg given", ["14 Jan"]),
        ("14 Jan 12 lead ECG", ["14 Jan"]),
        ("14th Feb '23", ["14th Feb '23"]),
        ("3rd of March", ["3rd of March"]),
        ("Sat, 29 Mar 25  2325H", ["Sat, 29 Mar 25"]),
        ("Fri 14.2.25  PA", ["Fri 14.2.25"]),
        ("dated 9.3.24.  FIR", ["9.3.24"]),
        ("COLIN | 17.7.62 |", ["17.7.62"]),
        ("see 1.2.10; 4.12.10", []),
    ],
)
def test_years_of_two_figures_abroad(text, expected):
    assert found(text) == expected
