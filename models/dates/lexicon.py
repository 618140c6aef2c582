"""The words of dates by language: names of months and weekdays, links, seasons, holidays.

A *form* is one whole way to write all months (12 names) or weekdays (7): a name that was written in
a form is printed in that form when its month changes. Where a name is in several forms ("may" is
full and abbreviated), the first form that has it is taken. Sources: Unicode CLDR 47, main/en, es
and de, calendar "gregorian", for names and abbreviations; the other spellings are those of notes.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from ...dictionaries import load
from ..core.errors import UsageError
from ..core.suggestions import did_you_mean
from .number_words import PHRASES

LANGUAGES: Final = ("en", "es", "de")
"""Languages with a grammar."""

NameForm = tuple[str, ...]


class CalendarName(NamedTuple):
    """A word as a member of a form.

    Attributes:
        form: all names of that way of writing, in lower case.
        value: which one it is, from 1 (January, Monday).
    """

    form: NameForm
    value: int


def _forms(*lines: str) -> tuple[NameForm, ...]:
    return tuple(tuple(line.split()) for line in lines)


_SHORT = 3
"""Letters of the first name of a form of abbreviations."""

MONTHS: Final[Mapping[str, tuple[NameForm, ...]]] = {
    "en": _forms(
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "jan feb mar apr may june july aug sept oct nov dec",
        "jan febr mar apr may jun jul aug sept oct nov dec",
    ),
    "es": _forms(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sep oct nov dic",
        "ene feb mar abr may jun jul agto sept oct nov dic",
        "ene feb mar abr may jun jul agos set oct nov dic",
    ),
    "de": _forms(
        "januar februar märz april mai juni juli august september oktober november dezember",
        "januar februar maerz april mai juni juli august september oktober november dezember",
        "jänner feber märz april mai juni juli august september oktober november dezember",
        "jan feb mrz apr mai jun jul aug sep okt nov dez",
        "jan feb mär apr mai jun jul aug sept okt nov dez",
    ),
}

WEEKDAYS: Final[Mapping[str, tuple[NameForm, ...]]] = {
    "en": _forms(
        "monday tuesday wednesday thursday friday saturday sunday",
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
        "mon tue wed thu fri sat sun",
        "mon tues weds thurs fri sat sun",
        "mo tu we thur fr sa su",
    ),
    "es": _forms(
        "lunes martes miércoles jueves viernes sábado domingo",
        "lunes martes miercoles jueves viernes sabado domingo",
        "lunes martes miércoles jueves viernes sábados domingos",
        "lunes martes miercoles jueves viernes sabados domingos",
        "lun mar mié jue vie sáb dom",
        "lun mar mie jue vie sab dom",
        "lun mar mier jue vier sab dom",
    ),
    "de": _forms(
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "montag dienstag mittwoch donnerstag freitag sonnabend sonntag",
        "montags dienstags mittwochs donnerstags freitags samstags sonntags",
        "mo di mi do fr sa so",
    ),
}

LETTERS: Final[Mapping[str, NameForm]] = {"es": ("l", "m", "x", "j", "v", "s", "d")}
"""Weekdays of one letter, which stand in capitals."""

ROMAN: Final[NameForm] = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
"""Months of Spanish and German letters, in capitals: 5-VI-2024."""

SEASONS: Final[Mapping[str, int]] = {
    # The month in whose middle it is, north of the equator.
    **dict.fromkeys(("spring", "springtime", "primavera", "frühling", "frühjahr", "fruehjahr"), 5),
    **dict.fromkeys(("summer", "summertime", "verano", "sommer"), 8),
    **dict.fromkeys(("fall", "autumn", "otoño", "otono", "herbst"), 11),
    **dict.fromkeys(("winter", "wintertime", "invierno"), 2),
}

# Class of a token -> the words that are in it: the letters of the patterns in `shapes`.
_CLASSES: Mapping[str, Mapping[str, str]] = {
    "*": {
        "f": "of de del des",
        "h": "the el la los las der den die",
        "p": "early mid late end beginning start year month año años ano anos mes principios "
        "mediados finales final fines inicios comienzos jahr jahre jahres anfang mitte ende spät "
        "früh",
        "j": "to until till til thru through and al hasta bis und",
        "g": "from between desde entre von vom zwischen",
        "k": "q quarter trimestre quartal",
        "i": "in on en im am",
        "S": " ".join(SEASONS),
    },
    "en": {"o": "st nd rd th", "d": "s"},
    "es": {"o": "er ro ero º ª", "d": "s", "j": "a al hasta y e"},
    "de": {"d": "er"},
}

MORE_HOLIDAYS: Final = (
    "all saints", "all saints day", "all saints sunday", "all souls day", "allerheiligen",
    "anzac day", "armistice day", "ascension day", "australia day", "año nuevo", "baisakhi",
    "bank holiday", "bhaubeej", "bonfire night", "burns night", "buß und bettag", "carnaval",
    "carnavales", "chinese new year", "christi himmelfahrt", "christmastime", "cny", "cny eve",
    "cuaresma", "dasara", "day of reconciliation", "day of the dead", "deepavali",
    "democracy day", "dia de los muertos", "dia de reyes", "dreikönigstag", "durga puja",
    "dussehra", "día de los enamorados", "día de los muertos", "día de muertos", "earth day",
    "easter weekend", "emancipation day", "family day", "fasching", "freedom day", "fronleichnam",
    "ganesh chaturthi", "ground hog day", "gründonnerstag", "guy fawkes night", "hari raya",
    "heiligabend", "heilige drei könige", "heritage day", "heroes day", "hogmanay", "holi",
    "holy saturday", "holy thursday", "holy week", "jamhuri day", "kadooment day", "karfreitag",
    "karneval", "kings birthday", "labor day weekend", "lent", "lunar new year", "maattu pongal",
    "madaraka day", "makar sankranti", "mashujaa day", "matariki", "mattu pongal",
    "maundy thursday", "melbourne cup", "melbourne cup day", "memorial day weekend", "midsummer",
    "mothering sunday", "muharram", "neujahr", "new year", "new years", "nikolaus", "nowruz",
    "onam", "ostermontag", "ostern", "ostersonntag", "pancake day", "pascuas", "passover",
    "pentecost", "pfingsten", "pfingstmontag", "pfingstsonntag", "pongal", "purim",
    "queens birthday", "raksha bandhan", "ramadan", "ramzan", "ratha yatra", "reformationstag",
    "remembrance day", "rosenmontag", "semana santa", "silvester", "sinulog", "songkran",
    "st patricks day", "sukkot", "tag der arbeit", "tag der deutschen einheit", "thaipusam",
    "thanksgiving day", "thanksgiving weekend", "uae national day", "ugadi", "undas", "vaisakhi",
    "ve day", "vesak", "victoria day", "waitangi day", "weihnachten", "weihnachtstag", "whitsun",
    "workers day", "xmas", "xmas day", "xmas eve",
)  # fmt: skip
"""Holidays that the shipped lists do not have, as `fold_holiday` gives them."""


@dataclasses.dataclass(frozen=True, slots=True)
class DateLexicon:
    """The words of one language, those of the others behind them where they mean one thing.

    Attributes:
        months: name in lower case -> the first form that has it.
        short_months: the same of abbreviations alone: "may" is one too.
        weekdays: name in lower case -> the first form that has it.
        letters: weekdays of one letter in capitals.
        classes: any word in lower case -> its class, a letter of the patterns in `shapes`.
        phrases: numbers in words -> (class, name), where a year's name has its year as value.
        number_starts: the first words of the phrases.
    """

    months: Mapping[str, CalendarName]
    short_months: Mapping[str, CalendarName]
    weekdays: Mapping[str, CalendarName]
    letters: Mapping[str, CalendarName]
    classes: Mapping[str, str]
    phrases: Mapping[str, tuple[str, CalendarName]]
    number_starts: frozenset[str]

    def class_of(self, word: str) -> str:
        """The class of a word, "?" for one that has no place in a date."""
        if len(word) < 5 and word.isupper() and word.lower() in _ROMAN_VALUES:
            return "Q" if word in self.letters else "R"
        if word in self.letters:
            return "K"
        return self.classes.get(word.lower(), "?")


_ROMAN_VALUES: Final = {name: CalendarName(ROMAN, number) for number, name in enumerate(ROMAN, 1)}


def roman(word: str) -> CalendarName | None:
    """The month that a Roman number in capitals names."""
    return _ROMAN_VALUES.get(word.lower())


@functools.cache
def lexicon(language: str) -> DateLexicon:
    """The words of a language.

    Raises:
        UsageError: if the language has no grammar.
    """
    if language not in LANGUAGES:
        raise UsageError(
            f"no grammar of dates for this language{did_you_mean(language, LANGUAGES)}; "
            f"there are: {', '.join(LANGUAGES)}"
        )
    others = [other for other in LANGUAGES if other != language]
    months = _names(MONTHS[language])
    weekdays = _names(WEEKDAYS[language])
    classes = {
        word: letter
        for table in (_CLASSES["*"], _CLASSES[language])
        for letter, words in table.items()
        for word in words.split()
    }
    taken = classes.keys() | months.keys() | weekdays.keys()
    for other in others:  # "15-May-2024" of a device in a note in Spanish
        for mine, theirs in ((months, MONTHS[other]), (weekdays, WEEKDAYS[other])):
            for word, name in _names(theirs).items():
                if len(word) > 2 and word not in taken:
                    mine.setdefault(word, name)
    clash = months.keys() & weekdays.keys()
    classes.update(dict.fromkeys(months, "M") | dict.fromkeys(weekdays, "W"))
    classes.update(dict.fromkeys(clash, "B"))
    letters = LETTERS.get(language, ())
    phrases = PHRASES.get(language, {})
    return DateLexicon(
        months=months,
        short_months=_names(form for form in MONTHS[language] if len(form[0]) == _SHORT),
        weekdays=weekdays,
        letters={
            name.upper(): CalendarName(letters, number) for number, name in enumerate(letters, 1)
        },
        classes=classes,
        phrases={
            phrase: (letter, CalendarName(form, value))
            for phrase, (letter, form, value) in phrases.items()
        },
        number_starts=frozenset(re.split("[ -]", phrase, maxsplit=1)[0] for phrase in phrases),
    )


def _names(forms: Iterable[NameForm]) -> dict[str, CalendarName]:
    """Each name in its first form, and decomposed (NFD) where its marks can be so written."""
    names: dict[str, CalendarName] = {}
    composed = tuple(forms)
    decomposed = tuple(tuple(unicodedata.normalize("NFD", n) for n in form) for form in composed)
    for form in (*composed, *decomposed):
        for number, name in enumerate(form, 1):
            names.setdefault(name, CalendarName(form, number))
    return names


_HOLIDAY_YEAR = re.compile(r"(?:,? (?:of |de |del )?(?:1[89]|2[01])[0-9]{2}| ?['’][0-9]{2})\Z")
_DROPPED = str.maketrans(dict.fromkeys("'’.", None) | {"-": " "})


def fold_holiday(text: str) -> str:
    """A name of a holiday as it is compared: without year, article, case, apostrophes and dots."""
    name = _HOLIDAY_YEAR.sub("", " ".join(text.split()))
    return name.translate(_DROPPED).casefold().removeprefix("the ")


@functools.cache
def holidays() -> frozenset[str]:
    """All holidays, in every language, as `fold_holiday` gives them."""
    listed = (name for which in ("en", "es") for name in load(f"holidays_{which}").phrases)
    return frozenset(fold_holiday(name) for name in (*listed, *MORE_HOLIDAYS))
