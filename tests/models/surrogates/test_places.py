"""Places, addresses, ages and professions."""

import re

import pytest
from scrubline.dictionaries import phrase_set
from scrubline.models.surrogates import Surrogates, SurrogateSettings
from scrubline.models.surrogates.drawer import NOBODY, Drawer
from scrubline.models.surrogates.drawing import Draws
from scrubline.models.surrogates.lexicon import lexicon
from scrubline.models.surrogates.places import city_in

KEY = bytes(range(32))
ENGLISH = Surrogates(KEY)
SPANISH = Surrogates(KEY, SurrogateSettings(languages=("es",)))
GERMAN = Surrogates(KEY, SurrogateSettings(languages=("de",)))


def of(label, text, by=ENGLISH, patient="patient", **more):
    found = by.of(patient, label, text, **more)
    return None if found is None else found.text


@pytest.mark.parametrize(
    ("by", "label", "text", "expected"),
    [
        (ENGLISH, "HOSPITAL", "St. Mary's Hospital", r"St\. \w+'s Hospital"),
        (ENGLISH, "HOSPITAL", "Massachusetts General Hospital", r"\w+ General Hospital"),
        (ENGLISH, "HOSPITAL", "BOSTON MEDICAL CENTER", r"[A-Z]+ MEDICAL CENTER"),
        (ENGLISH, "HOSPITAL", "General Hospital", r"\w+ General Hospital"),
        (ENGLISH, "HOSPITAL", "Temple University Hospital", r"(?!Temple)\w+ University Hospital"),
        (ENGLISH, "HOSPITAL", "MGH", r"[A-Z]{3}"),
        (ENGLISH, "HOSPITAL", "WEXBOROUGH HOSP", r"[A-Z]+ HOSP"),
        (ENGLISH, "STREET", "US 60", r"US [1-9]\d"),
        (ENGLISH, "STREET", "41 Wexborough Street, Level 2", r"\d\d \w+ Street, Level \d"),
        (ENGLISH, "ORGANIZATION", "University of Quarrington", r"University of \w+"),
        (ENGLISH, "ORGANIZATION", "Walmart", r"\w+"),
        (SPANISH, "HOSPITAL", "Hospital Clínico Gregorio Marañón", r"Hospital Clínico \S+ \S+"),
        (GERMAN, "HOSPITAL", "Klinikum Musterhausen", r"Klinikum \w+"),
        (ENGLISH, "STREET", "123 Oxbow St Apt 4B", r"[1-9]\d\d \w+ St Apt \d[A-Z]"),
        (ENGLISH, "STREET", "W 42nd Street", r"W \d+(st|nd|rd|th) Street"),
        (ENGLISH, "STREET", "PO BOX 1234", r"PO BOX [1-9]\d{3}"),
        (ENGLISH, "STREET", "5 Union Street", r"\d (?!Union)\w+ Street"),
        (ENGLISH, "STREET", "12 Park Ave Apt 3", r"\d\d (?!Park)\w+ Ave Apt \d"),
        (ENGLISH, "STREET", "North St", r"(?!North)\w+ St"),
        (ENGLISH, "STREET", "Broadway", r"(?!Broadway)\w+"),
        (ENGLISH, "STREET", "Highway 61", r"Highway \d\d"),
        (SPANISH, "STREET", "Bº La Unión, 51", r"Bº La (?!Unión)\w+, \d\d"),
        (SPANISH, "STREET", "Calle Torre 5", r"Calle (?!Torre)\w+ \d"),
        (SPANISH, "STREET", "Calle Torre 5, 3º izq.", r"Calle (?!Torre)\w+ \d, \dº izq\."),
        (SPANISH, "STREET", "Carrera 7 # 31-20", r"Carrera \d # \d\d-\d\d"),
        (SPANISH, "STREET", "Gran Vía 5", r"\w+ Vía \d"),
        (SPANISH, "STREET", "Plaza Ronda 5", r"Plaza (?!Ronda)\w+ \d"),
        (SPANISH, "STREET", "Calle Alcalá 12, 3º B", r"Calle \w+ \d\d, \dº [A-Z]"),
        (GERMAN, "STREET", "Goethestraße 12a", r"\w+straße \d\d[a-z]"),
        (GERMAN, "STREET", "Am Alten Markt 3", r"Am \w+ \w+ \d"),
        (ENGLISH, "ZIP", "02139", r"\d{5}"),
        (ENGLISH, "ZIP", "02139-1234", r"\d{5}-\d{4}"),
        (ENGLISH, "ZIP", "SW1A 1AA", r"[A-Z]{2}\d[A-Z] \d[A-Z]{2}"),
        (SPANISH, "ZIP", "28013", r"([0-4]\d|5[0-2])\d{3}"),
        (ENGLISH, "CITY", "Boston", r"\w[\w -]+"),
        (ENGLISH, "CITY", "FORT WORTH", r"[A-Z][A-Z -]+"),
        (GERMAN, "CITY", "Köln", r"\w[\w -]+"),
    ],
)  # fmt: skip
def test_what_stays_of_a_place(by, label, text, expected):
    for patient in "abcd":
        made = of(label, text, by, patient)
        assert re.fullmatch(expected, made), made
        assert made != text


def test_a_hospital_has_one_name_in_a_record():
    name = of("HOSPITAL", "Wexborough General Hospital").split()[0]
    assert of("HOSPITAL", "WEXBOROUGH") == name.upper()
    assert of("HOSPITAL", "Wexborough's clinic") == name + "'s clinic"
    assert of("CITY", "Ft. Worth") == of("CITY", "Fort Worth") == of("CITY", "fort worth").title()


def test_a_city_is_of_its_state():
    for patient in "abcdefgh":
        city, _, state = of("CITY", "Boston, MA", patient=patient).rpartition(", ")
        assert state == "MA" and f"{city}, MA" in phrase_set("us_place_states")
    settings = SurrogateSettings()
    drawer = Drawer(
        *(Draws(KEY, "x"), ("x",), settings, lexicon(("en",)), NOBODY, frozenset()),
        draw=lambda *fields: None,
    )
    assert f"{city_in(drawer, 'Boston', 'MA')}, MA" in phrase_set("us_place_states")
    assert city_in(drawer, "Boston", "XX") is not None


@pytest.mark.parametrize(
    ("label", "text", "expected"),
    [
        ("USERNAME", "jsmith", "{j}{smith}"),
        ("USERNAME", "smithj", "{smith}{j}"),
        ("USERNAME", "JSMITH", "{J}{SMITH}"),
        ("USERNAME", "john.smith", "{john}.{smith}"),
        ("USERNAME", "johnsmith", "{john}{smith}"),
        ("EMAIL", "john_smith@mgh.harvard.edu", "{john}_{smith}@example.org"),
        ("EMAIL", "jsmith@x.com", "{j}{smith}@example.org"),
        ("EMAIL", "mailto:jsmith@x.com", "mailto:{j}{smith}@example.org"),
        ("URL", "https://www.x.org/~john-smith", "https://www.example.org/~{john}-{smith}"),
        ("URL", "x.org", "example.org"),
    ],
)
def test_addresses_are_built_from_the_surrogate(label, text, expected):
    known = ENGLISH.known(people=[("John", "Smith")])
    john, smith = (of("PATIENT", word).casefold() for word in ("John", "Smith"))
    words = {"j": john[0], "J": john[0].upper(), "john": john, "smith": smith}
    words["SMITH"] = smith.upper()
    assert of(label, text, known=known) == expected.format(**words)


@pytest.mark.parametrize("text", ["no address", "@", "a@", "", "a b@c.de"])
def test_what_is_no_address_gets_a_marker(text):
    assert of("EMAIL", text) is None
    assert of("URL", "not a url") is None


def test_other_logins_are_replaced_letter_by_letter():
    assert re.fullmatch(r"[a-z]{2}\d\d", of("USERNAME", "qx12"))
    assert of("USERNAME", "--") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("45", "45"),
        ("89 years", "89 years"),
        ("six months", "six months"),
        ("93", "90+"),
        ("93 y/o", "90+ y/o"),
        ("93-year-old", "90+-year-old"),
        ("93yo", "90+yo"),
        ("ninety-three", "90+"),
        ("nonagenarian", "90+"),
        ("old", None),
        ("193", None),
        ("", None),
    ],
)
def test_ages_to_89_stay(text, expected):
    assert of("AGE", text) == expected


@pytest.mark.parametrize(("text", "pattern"), [
    ("teacher", r"[a-z].*[^s]"), ("Teacher", r"[A-Z].*"), ("TEACHER", r"[A-Z' -]+"),
    ("teachers", r".*s"),
])  # fmt: skip
def test_professions(text, pattern):
    made = of("PROFESSION", text)
    assert re.fullmatch(pattern, made) and "teacher" not in made.casefold()
    assert of("PROFESSION", "Lehrer", GERMAN) is None


@pytest.mark.parametrize("label", ["DATE", "STATE", "COUNTRY", "LOCATION-OTHER", "PHI", "OWN"])
def test_other_labels_get_a_marker(label):
    assert of(label, "Texas") is None
