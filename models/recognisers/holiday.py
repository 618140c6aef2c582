"""Holidays by name: "Thanksgiving", "Christmas Eve", "the 4th of July", "Passover", "Navidad".

Those of the English-speaking world too ("Hogmanay", "Matariki", "Ugadi", "Heritage Day"), and days
of the Islamic calendar ("26 Dhul Hijjah 1445"). A year right behind belongs to the holiday
("Thanksgiving 2019").

Source: 5 U.S.C. 6103 (federal holidays), and the feasts that notes name; the i2b2 2014 guidelines
count them as DATE.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .patterns import after, before, disjoint, is_word, pattern, previous_word, view

NAME = "holiday"
LABELS = ("DATE",)
# 30 of 30 right: english_clinical_sample 6/6, demo/train 21/21, asq_phi 3/3.
# `python -m benchmarks.rules --scores`
SCORE = 0.9688

_HOLIDAY = pattern(
    r"(?:christmas(?:time)?(?: (?:eve|day))?|x-?mas(?: (?:eve|day))?|thanksgiving(?:[ \n]day"
    r"| weekend)?|easter(?: (?:sunday|monday|weekend))?|new year'?s?'? ?(?:eve|day)|new years?'?s?"
    r"|(?:lunar|chinese|persian) new year|(?:labor|labour|memorial|veterans?'?|veteran's"
    r"|presidents?'?|president's|columbus|independence|mother'?s'?|father'?s'?|valentine'?s?"
    r"|(?:st\.?|saint) patrick'?s|mlk|martin luther king(?:,? jr\.?)?|groundhog"
    r"|indigenous peoples'?|boxing|canada|patriots'?|flag|earth|election|bastille|anzac|remembrance"
    r"|armistice|australia|inauguration|all (?:saints|souls)'?|v-?[ej]|leap|may"
    r"|april fool'?s'?)[ \n]day(?: weekend)?|valentine'?s|all saints'?|halloween|(?:4th"
    r"|fourth) of july|july (?:4th|fourth)|cinco de mayo|juneteenth|mardi gras|fat tuesday"
    r"|shrove tuesday|maundy thursday|good friday|ash wednesday|palm sunday|holy (?:week|thursday"
    r"|saturday)|black friday|cyber monday|super ?bowl(?: sunday)?|hanukkah|chanukah|passover"
    r"|pesach|purim|yom kippur|rosh hashanah?|sukkot|shavuot|ramadan|eid(?: (?:al|ul)-\w{3,5})"
    r"|diwali|deepavali|holi|navratri|pongal|onam|nowruz|norooz|vesak|songkran|kwanzaa|lent"
    r"|pentecost|epiphany|midsummer|guy fawkes(?: night)?|bonfire night|bank holiday(?: weekend)?"
    r"|hogmanay|burns night|hallowe'en|whitsun|mothering sunday|pancake day|st\.? (?:george|david"
    r"|andrew)'?s day|v\.e\. day|matariki|waitangi day|melbourne cup(?: day)?"
    r"|(?:king|queen)'?s'? birthday|victoria day|civic holiday|cny"
    r"|hari raya(?: (?:puasa|haji|aidilfitri))?|thaipusam|vaisakhi"
    r"|baisakhi|dussehra|durga puja|ganesh chaturthi|ugadi|raksha bandhan|makar sankranti"
    r"|(?:maattu|mattu|thai) pongal|ratha? yatra|ramzan|muharram|undas|sinulog|simbang gabi"
    r"|day of reconciliation|(?:heritage|freedom|madaraka|mashujaa|jamhuri|kadooment|emancipation"
    r"|democracy|bonifacio|workers'?) day"
    r"|d[ií]a de (?:los )?(?:muertos|reyes)|day of the dead|navidad(?:es)?|nochebuena|nochevieja"
    r"|semana santa|todos los santos|cuaresma)\b"
)
_HIJRI = pattern(
    r"\b[0-3]?\d (?:muharram|safar|rabi[' ](?:al|ul)-\w{5,7}|jumada \w{4,8}(?: \w{5,7})?|rajab"
    r"|sha'?ban|rama[dz]an|shawwal|dhul? ?(?:al-)?'?(?:hijjah?|qa'?dah?))(?:,? 1[34]\d\d)?\b"
)
# "Christmas Eve 2018", "Easter '21"
_YEAR = pattern(r"(?:,? (?:19|20)\d\d| '\d\d)\b")
# Proper names only, and some of them only behind a word for time: a holiday song is none.
_CAPITAL = (
    *(b"lent", b"holi", b"onam", b"may day", b"leap day", b"epiphany", b"new year", b"midsummer"),
    *(b"all saints", b"election day", b"flag day", b"purim", b"easter", b"pentecost"),
    *(b"cny", b"undas", b"freedom day", b"heritage day"),
)
_WITH_CUE = (
    b"lent",
    b"valentines",
    b"valentine's",
    b"all saints",
    b"epiphany",
    b"new year",
    b"new years",
)
_CUES = (
    *("in", "for", "on", "since", "during", "before", "after", "until", "by", "happy", "last"),
    *("at", "around", "said", "over", "through", "next", "this"),
)
_NO_HOLIDAY = (
    *(" disease", " factor", " tree", " island", " egg", " cactus", " seal", " card"),
    *(" hospital", " church", " parish", " school", " lutheran", " episcopal"),
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE per holiday, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        *(
            (m.start(), _with_year(seen, m.end()))
            for m in _HOLIDAY.finditer(seen)
            if _is_holiday(text, seen, *m.span())
        ),
        *(m.span() for m in _HIJRI.finditer(seen)),
    ]
    yield from disjoint(Candidate(*span, "DATE", NAME, SCORE) for span in found)


def _with_year(seen: bytes, end: int) -> int:
    match = _YEAR.match(seen, end, len(seen))
    return match.end() if match else end


def _is_holiday(text: str, seen: bytes, start: int, end: int) -> bool:
    # Typists glue "since" to what follows; any other letter makes it a piece of a word.
    if is_word(text, end) or (is_word(text, start - 1) and before(seen, start, 5) != "since"):
        return False
    if after(seen, end, 16).startswith(_NO_HOLIDAY):
        return False
    name = seen[start:end].lower().rstrip(b"'")
    if name in _CAPITAL and not text[start].isupper():
        return False
    word = previous_word(before(seen, start, 24))
    return name not in _WITH_CUE or word in _CUES or (name == b"all saints" and word == "the")
