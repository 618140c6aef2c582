"""Reading and shifting in tables: text, language, precision, the text 77 days earlier."""

import datetime
import time

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.dates import read_date

NOTE = datetime.date(2024, 6, 10)

# Text | precision | 77 days (11 weeks) earlier, beside a note of 10 June 2024; "-" is the marker.
ENGLISH = r"""
5/3/24 | day | 2/16/24
05/03/2024 | day | 02/16/2024
5-3-2024 | day | 2-16-2024
5.3.24 | day | 2.16.24
3/03/2022 | day | 12/16/2021
12/13/2024 | day | 09/27/2024
12 / 13 / 2024 | day | 09 / 27 / 2024
13/5/2024 | day | 26/2/2024
2024-05-03 | day | 2024-02-16
2024/5/3 | day | 2024/2/16
2024.05.03 | day | 2024.02.16
98-05-03 | day | 98-02-15
20240503 | day | 20240216
05032024 | day | 02162024
050324 | day | 021624
202405031015 | day | 202402161015
20240503101500.123+0200 | day | 20240216101500.123+0200
2024-05-03T10:15:00Z | day | 2024-02-16T10:15:00Z
2024-05-03 10:15 | day | 2024-02-16 10:15
5/3/24 at 2:30 pm | day | 2/16/24 at 2:30 pm
5/3/24 @ 1430 | day | 2/16/24 @ 1430
5/3/24 1430h | day | 2/16/24 1430h
5/3/24, 10am-11am | day | 2/16/24, 10am-11am
10:15 on 5/3/24 | day | 10:15 on 2/16/24
May 3, 2024 | day | February 16, 2024
May 3 2024 | day | February 16 2024
May 3,2024 | day | February 16,2024
Aug. 3, 2024 | day | May. 18, 2024
Sept 3, 2024 | day | June 18, 2024
MAY 3, 2024 | day | FEBRUARY 16, 2024
may 3rd 2024 | day | february 16th 2024
May 3RD, 2024 | day | February 16TH, 2024
3 May 2024 | day | 16 February 2024
03 May 2024 | day | 16 February 2024
3rd May 2024 | day | 16th February 2024
3rd of May, 2024 | day | 16th of February, 2024
the 3rd of May 2024 | day | the 16th of February 2024
3 May '24 | day | 16 February '24
19SEP2023 | day | 04JUL2023
05-May-24 | day | 18-Feb-24
May-15-20 | day | Feb-28-20
5/May/24 | day | 18/Feb/24
May 15, 20 | day | February 28, 20
19MAY2023 | day | 03MAR2023
23JAN25 | day | 07NOV24
05-MAY-2024 | day | 18-FEB-2024
2024-May-05 | day | 2024-Feb-18
Friday, May 3, 2024 | day | Friday, February 16, 2024
Fri 5/3/24 | day | Fri 2/16/24
Fri. 5/3/24 | day | Fri. 2/16/24
5/3/24 (Fri) | day | 2/16/24 (Fri)
FRI 05/03/24 | day | FRI 02/16/24
May\n3, 2024 | day | February\n16, 2024
May 3 | day_month | February 16
May 3rd | day_month | February 16th
5/3 | day_month | 2/16
3 May | day_month | 16 February
13/5 | day_month | 26/2
5-13 | day_month | 2-26
12DEC | day_month | 26SEP
Mon 3 Jun | day_month | Mon 18 Mar
Mon, Jun 3 | day_month | Mon, Mar 18
the fourth of may | day_month | the seventeenth of february
may the fourth | day_month | february the seventeenth
april twenty second | day_month | february fifth
April Twenty-Second | day_month | February Fifth
may fourth two thousand and nine | day | february sixteenth two thousand and nine
may fourth nineteen ninety-eight | day | february sixteenth nineteen ninety-eight
the 17th | day_of_month | the 1st
friday the 17th | day_of_month | friday the 1st
Wed 12th | day_of_month | Wed 27th
twenty-ninth | day_of_month | thirteenth
May 2024 | month | February 2024
may of 2024 | month | february of 2024
May, 2024 | month | February, 2024
Jul '24 | month | Apr '24
Nov 87 | month | Aug 87
5/2024 | month | 2/2024
05-2024 | month | 02-2024
2024-05 | month | 2024-02
10/82 | month | 07/82
199805 | month | 199802
early May 2024 | month | early February 2024
mid-March | month_name | mid-December
late July | month_name | late April
February | month_name | November
FEB | month_name | NOV
Feb. | month_name | Nov.
2020 | year | 2020
'98 | year | '98
96 | year | 96
year 2004 | year | year 2004
two thousand fourteen | year | two thousand fourteen
twenty seventeen | year | twenty seventeen
1990s | decade | 1990s
90s | decade | 90s
'90s | decade | '90s
early 1990s | decade | early 1990s
Q3 2024 | quarter | Q2 2024
Q1 '24 | quarter | Q4 '23
third | day_of_month | eighteenth
Friday | weekday | Friday
fri | weekday | fri
Tues. | weekday | Tues.
Mondays | weekday | Mondays
MWF | weekday | MWF
M-W-F | weekday | M-W-F
TuThS | weekday | TuThS
TTS | weekday | TTS
W | weekday | W
Mon-Fri | weekday | Mon-Fri
summer | season | -
spring of 2022 | season | -
fall '22 | season | -
winter 2020 | season | -
Thanksgiving | holiday | -
Columbus Day 1993 | holiday | -
Easter '21 | holiday | -
New Year's Eve | holiday | -
the Fourth of July | holiday | -
Bank Holiday Mon 7/8/23 | holiday | -
xmas | holiday | -
3-5 May 2024 | day | 16-18 February 2024
5/3-5/7/24 | day | 2/16-2/20/24
5/3/24-5/7/24 | day | 2/16/24-2/20/24
May 3-5, 2024 | day | February 16-18, 2024
May 3 - June 5, 2024 | day | February 16 - March 20, 2024
May 15-20, 2024 | day | February 28-March 4, 2024
15-20 May 2024 | day | 28 February-4 March 2024
15 (Wed) - 20 May 2024 | day | 28 February (Wed) - 4 March 2024
Wed 15 - Mon 20 May 2024 | day | Wed 28 February - Mon 4 March 2024
3/17-3/20/24 | day | 12/31/23-1/3/24
from 5/3/24 to 5/7/24 | day | from 2/16/24 to 2/20/24
2024-05-03/2024-05-07 | day | 2024-02-16/2024-02-20
May 3-5 | day_month | February 16-18
May 15-20 | day_month | February 28-March 4
3rd-5th of May | day_month | 16th-18th of February
Dec 28 - Jan 2 | day_month | Oct 12 - Oct 17
May-June | month_name | February-March
May and June 2024 | month | February and March 2024
1998-2003 | year | 1998-2003
1998 to 2003 | year | 1998 to 2003
Q1-Q2 2024 | quarter | Q4 2023-Q1 2024
5/3/24 10:00 - 5/7/24 12:30 | day | 2/16/24 10:00 - 2/20/24 12:30
"""

SPANISH = r"""
03/05/2024 | day | 16/02/2024
3-5-24 | day | 16-2-24
3.5.2024 | day | 16.2.2024
05/13/2024 | day | 02/26/2024
12/04 /2011 | day | 25/01 /2011
3 de mayo de 2024 | day | 16 de febrero de 2024
3 de Mayo del 2024 | day | 16 de Febrero del 2024
3 DE MAYO DE 2024 | day | 16 DE FEBRERO DE 2024
3 mayo 2024 | day | 16 febrero 2024
23-octubre-1972 | day | 07-agosto-1972
01 / ENE / 2023 | day | 16 / OCT / 2022
05ENE25 | day | 20OCT24
15-Jan-2024 | day | 30-Oct-2023
5-VI-2024 | day | 20-III-2024
12-VI-2023 | day | 27-III-2023
3/X/23 | day | 18/VII/23
23-I | day_month | 7-XI
1º de mayo de 2020 | day | 14 de febrero de 2020
1ro de marzo | day_month | 15 de diciembre
1.º de marzo de 2023 | day | 14 de diciembre de 2022
lunes 17 de julio de 2023 | day | lunes 1 de mayo de 2023
lunes, 27/11/2023 | day | lunes, 11/09/2023
mié, 29 nov 2023 | day | mié, 13 sep 2023
L 6/11/23 | day | L 21/8/23
SÁBADO 4 de mayo de 2024 | day | SÁBADO 17 de febrero de 2024
Junio 2/2022 | day | Marzo 17/2022
veintiséis de diciembre de dos mil veintidós | day | diez de octubre de dos mil veintidós
primero de mayo de dos mil veinte | day | catorce de febrero de dos mil veinte
30 de set. 2024 | day | 15 de jul. 2024
03/05/2024 a las 14:30 h | day | 16/02/2024 a las 14:30 h
25 de agosto | day_month | 9 de junio
18 NOV | day_month | 2 SEP
26/7 | day_month | 10/5
domingo 11 | day_of_month | domingo 26
mayo de 2024 | month | febrero de 2024
Febrero del 1998 | month | Noviembre del 1997
enero del año 2001 | month | octubre del año 2000
diciembre-08 | month | septiembre-08
abril del '21 | month | enero del '21
abril 2006 | month | enero 2006
06/2022 | month | 03/2022
marzo | month_name | diciembre
mes de abril | month_name | mes de enero
principios de mayo | month_name | principios de febrero
febrero y abril de 2002 | month | noviembre de 2001 y enero de 2002
año 2004 | year | año 2004
2012 | year | 2012
los 90 | decade | los 90
los años 90 | decade | los años 90
lunes | weekday | lunes
sábados | weekday | sábados
SABADO | weekday | SABADO
verano | season | -
verano de 2020 | season | -
Navidad | holiday | -
Semana Santa | holiday | -
Carnavales de 2019 | holiday | -
del 3 al 5 de mayo | day_month | del 16 al 18 de febrero
del 3 al 5 de mayo de 2024 | day | del 16 al 18 de febrero de 2024
del 15 al 20 de mayo | day_month | del 28 de febrero al 4 de marzo
entre el 3 y el 5 de mayo de 2024 | day | entre el 16 y el 18 de febrero de 2024
desde 03/05/2024 hasta 05/05/2024 | day | desde 16/02/2024 hasta 18/02/2024
el 15 al 20 de mayo | day_month | el 28 de febrero al 4 de marzo
el 10 al 15 de mayo | day_month | el 23 al 28 de febrero
2 a 5 de mayo de 2024 | day | 15 a 18 de febrero de 2024
"""

GERMAN = r"""
03.05.2024 | day | 16.02.2024
3.5.24 | day | 16.2.24
3. 5. 2024 | day | 16. 2. 2024
21.10 2033 | day | 05.08 2033
26 09.2033 | day | 11 07.2033
16/12/1929 | day | 30/09/1929
3. Mai 2024 | day | 16. Februar 2024
03. MAI 2024 | day | 16. FEBRUAR 2024
13.Juli 2025 | day | 27.April 2025
1. März 2023 | day | 14. Dezember 2022
1. Maerz 2023 | day | 14. Dezember 2022
5. Jänner 2024 | day | 20. Oktober 2023
Freitag, 3. Mai 2024 | day | Freitag, 16. Februar 2024
Freitag, den 3. Mai 2024 | day | Freitag, den 16. Februar 2024
Fr 03.05.2024 | day | Fr 16.02.2024
Mo., 06.05.24 | day | Mo., 19.02.24
03.05.2024, 14:30 Uhr | day | 16.02.2024, 14:30 Uhr
03.05.2024 um 14.30 Uhr | day | 16.02.2024 um 14.30 Uhr
17.8. | day_month | 1.6.
17.8 | day_month | 1.6
3. Mai | day_month | 16. Februar
03/33 | month | 12/32
8/2023 | month | 5/2023
04.2024 | month | 01.2024
Januar 2033 | month | Oktober 2032
Oktober\n2012 | month | Juli\n2012
Mai 24 | month | Februar 24
Anfang Mai 2024 | month | Anfang Februar 2024
Mitte Mai | month_name | Mitte Februar
Mai | month_name | Februar
1995 | year | 1995
Jahr 1995 | year | Jahr 1995
90er | decade | 90er
90er Jahre | decade | 90er Jahre
die 1990er Jahre | decade | die 1990er Jahre
2. Quartal 2024 | quarter | 1. Quartal 2024
Montag | weekday | Montag
montags | weekday | montags
Sommer 2020 | season | -
Weihnachten | holiday | -
Heiligabend 2019 | holiday | -
03.-05.04.2020 | day | 17.-19.01.2020
03.-25.05.2020 | day | 16.02.-09.03.2020
3. bis 5. April 2020 | day | 17. bis 19. Januar 2020
3. bis 25. Mai 2020 | day | 16. Februar bis 9. März 2020
3.5. bis 8.5.2028 | day | 16.2. bis 21.2.2028
28.12. bis 2.1.2028 | day | 12.10. bis 17.10.2027
vom 03.05.2024 bis 08.05.2024 | day | vom 16.02.2024 bis 21.02.2024
17.3.-20.3.2024 | day | 31.12.2023-3.1.2024
"""


def rows(table, language):
    for line in table.strip().split("\n"):
        text, precision, shifted = (
            part.strip(" ").replace("\\n", "\n") for part in line.split(" | ")
        )
        yield pytest.param(language, text, precision, shifted, id=f"{language} {text}")


@pytest.mark.parametrize(
    ("language", "text", "precision", "shifted"),
    [*rows(ENGLISH, "en"), *rows(SPANISH, "es"), *rows(GERMAN, "de")],
)
def test_a_date_is_read_whole_and_moves_in_its_form(language, text, precision, shifted):
    written = read_date(text, language)
    assert written is not None
    assert str(written) == text
    assert written.precision == precision
    assert (written.shifted(-77, NOTE) or "-") == shifted


NO_DATE = {
    "en": """
        5/3/twenty seventeen | 3 15 to 20 May
        2/30/2024 | 13/13/2024 | 0/5/2024 | 5/0/2024 | 29 February 2023 | 2/29/23 | April 31
        31 June | 32 May 2024 | 23/010/1990 | 5/3/024 | 5/3/20244 | 2O/O5/2024 | l2-O6-2016
        febuary 26 | mAY 3 | MaY | 19 | 6 | 09 | 0 | 1234 | 999 | 12345 | 123456789 | 201012
        99999999 | 20241301 | 20240230 | 3th May | 2rd of May | 11st May | 5/3/24/7
        5//3//24 | 5/3-24 | May 2024 visit | on | the | of | May of | - | / | today
        yesterday | two weeks ago | POD 3 | 3 days | 39 years | 10:15 | 2 pm | 25:00 5/3/24
        Nov-20 | 5/3/24 at 25:10 | 5/3/24 10:75 | Q5 2024 | Q3 | 1995s | 3 - 5
        5-3 May 2024 | 2024-2019 | 5/7/24-5/3/24 | 13/5/24-5/14/24 | 3-5-7-9
        May 3-4-5, 2024 | Smith | Monday May | spring break | 19/05/2O24 | 12/xx/2024
        ??/05/2024 | 5/3/2024x | MS | AB | May May 2024 | 2024 2025 | 'five | 1 2 3 4 | 3 of
        31/31 | 45/45 | 13/32 | Thanksgiving dinner | 300 BC | 5 thousand | 2019-20
    """,
    "es": """
        30 de febrero de 2024 | 14/14/2014 | 26708/2017 | 20/11//2014 | Junio 04 | marzo 23
        mar | 39 años | Hospital Universitario 12 de Octubre | 963 862 700 | tío paterno
        hoy | ayer | mar 5 | 5 de mayos de 2024 | treinta y dos de mayo | veintidós | 3º de
        hace dos días | 10/22 | Colombia
    """,
    "de": """
        30.02.2024 | 31.04.24 | 10 | 21. | gestern | vor 3 Tagen | 3. Maimonat 2024 | 13/33
        Mai 5 | 5. bis 3. Mai 2020 | 3.-5. | 12.13.14.15 | Herr Mai 3a
    """,
}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (language, text.strip())
        for language, table in NO_DATE.items()
        for line in table.strip().split("\n")
        for text in line.split(" | ")
    ],
)
def test_what_is_no_date_or_may_be_two_is_not_read(language, text):
    assert read_date(text, language) is None


@pytest.mark.parametrize(
    ("text", "order", "date"),
    [
        ("5/3/2024", None, (2024, 5, 3)),
        ("5/3/2024", "mdy", (2024, 5, 3)),
        ("5/3/2024", "dmy", (2024, 3, 5)),
        ("25/3/2024", "mdy", (2024, 3, 25)),
        ("3/25/2024", "dmy", (2024, 3, 25)),
        ("24/05/03", "ymd", (2024, 5, 3)),
        ("05/03/24", "ymd", (2005, 3, 24)),
        ("240503", "ymd", (2024, 5, 3)),
        ("030524", "dmy", (2024, 5, 3)),
        ("030524", "mdy", (2024, 3, 5)),
    ],
)
def test_the_order_decides_where_both_are_possible(text, order, date):
    written = read_date(text, "en", order)
    assert written.dates() == (datetime.date(*date),)


def test_a_date_in_the_other_order_is_moved_while_it_tells_its_order():
    other = read_date("25/3/2024", "en", "mdy")
    assert other.against_order
    assert other.shifted(-7) == "18/3/2024"
    assert other.shifted(-14) is None  # "11/3/2024" is 3 November to a reader of this note
    assert read_date("25/3/2024", "en", "dmy").shifted(-14) == "11/3/2024"
    assert read_date("20051998", "en", "mdy").shifted(-14) is None
    assert not read_date("2024-03-25", "en", "mdy").against_order
    assert not read_date("25 March 2024", "en", "mdy").against_order


@pytest.mark.parametrize("text", ["5/3/24", "5/3/2024", "13/5/2024", "05032024"])
def test_a_year_at_the_end_tells_no_order_where_years_come_first(text):
    assert read_date(text, "en", "ymd") is None


def test_weekdays_follow_an_offset_of_no_whole_weeks():
    assert read_date("Fri 5/3/24").shifted(-1) == "Thu 5/2/24"
    assert read_date("Friday, May 3, 2024").shifted(10) == "Monday, May 13, 2024"
    assert read_date("Friday").shifted(3) == "Monday"
    assert read_date("Mondays").shifted(-1) == "Sundays"
    assert read_date("miércoles 1 de mayo de 2024", "es").shifted(1) == "jueves 2 de mayo de 2024"
    assert read_date("MWF").shifted(1) is None
    assert read_date("MWF").shifted(14) == "MWF"


def test_seasons_stay_only_where_they_are_meant_to():
    assert read_date("summer of 2020").shifted(-364) is None
    assert read_date("summer of 2020").shifted(-364, seasons=True) == "summer of 2019"
    assert read_date("summer").shifted(-364, seasons=True) == "summer"
    assert read_date("Christmas").shifted(-364, seasons=True) is None


def test_a_day_of_no_month_needs_the_date_of_the_note():
    assert read_date("the 17th").shifted(-7) is None
    assert read_date("the 17th").shifted(-7, NOTE) == "the 10th"
    moment = datetime.datetime(2024, 6, 10, 23, 59, tzinfo=datetime.UTC)
    assert read_date("the 17th").shifted(-7, moment) == "the 10th"
    assert read_date("3/15/30").dates(moment) == (datetime.date(1930, 3, 15),)


def test_29_february_without_a_year_is_of_a_leap_year():
    assert read_date("2/29").shifted(1) == "3/1"
    assert read_date("2/29").shifted(1, datetime.date(2023, 3, 1)) == "3/1"
    assert read_date("Feb 29, 2024").shifted(366) == "Mar 1, 2025"


@pytest.mark.parametrize(
    ("text", "days", "shifted"),
    [
        ("1/7/1800", -7, None),
        ("1/8/1800", -7, "1/1/1800"),
        ("12/25/2199", 7, None),
        ("12/24/2199", 7, "12/31/2199"),
        ("12/25/1799", 7, "01/01/1800"),
        ("5/3/2567", -7, None),
        ("12/31/9999", 7, None),
        ("1/1/1000", -400_000, None),
        ("5/3/2024", 10**12, None),
        ("5/3/2024", -(10**12), None),
    ],
)
def test_dates_stay_between_1800_and_2199(text, days, shifted):
    assert read_date(text).shifted(days) == shifted


def test_two_digits_are_the_newest_year_that_is_not_after_the_reference():
    written = read_date("3/15/30")
    assert written.dates() == (datetime.date(2030, 3, 15),)
    assert written.dates(NOTE) == (datetime.date(1930, 3, 15),)
    assert read_date("2/29/96").dates(NOTE) == (datetime.date(1996, 2, 29),)
    assert read_date("May 2024").dates(NOTE) == ()


def test_errors_name_what_there_is():
    with pytest.raises(UsageError, match="there are: en, es, de"):
        read_date("5/3/24", "fr")
    with pytest.raises(UsageError, match="did you mean 'mdy'.*mdy, dmy, ymd"):
        read_date("5/3/24", "en", "mdyy")


def test_nothing_of_a_text_is_in_a_repr():
    shown = repr(read_date("May 3, 2024"))
    assert "May" not in shown
    assert "2024" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "5/3/24 " * 1_500_000,
        "-" * 10_000_000,
        "9" * 10_000_000,
        "May" * 32,
        "3-" * 48,
        "1 to " * 19,
        "3/" * 40,
        "the " * 24,
        "twenty " * 13,
        " " * 96,
        "10:15 - " * 12,
        "Monday, " * 12,
    ],
    ids=range(12),
)
def test_hostile_texts_are_refused_at_once(text):
    begun = time.process_time()
    assert read_date(text) is None
    assert time.process_time() - begun < 0.5
