"""What the matcher finds, as covered text, near misses included."""

import dataclasses
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrubline.models.core.errors import OverBudget
from scrubline.models.core.known_values import KnownValue
from scrubline.models.roster.guard import Guard
from scrubline.models.roster.matcher import Matcher

from ...examples import examples


def known(*rows):
    return [KnownValue.of(*row) for row in rows]


ZELDA = known(
    ("self", "name", "Zelda Q. O'Brien-Quimby"),
    ("self", "birth", "1950-03-04"),
    ("self", "mrn", "00123456"),
    ("self", "phone", "(555) 123-4567"),
    ("self", "street", "12 N Maplewood Dr Apt 4"),
    ("self", "city", "Springfield"),
    ("self", "zip", "02139"),
    ("self", "email", "zq@example.org"),
    ("relative", "given", "May"),
    ("relative", "family", "Long"),
)


def found(text, rows=ZELDA, **options):
    return [(text[c.start : c.end], c.label) for c in Matcher(rows, **options).candidates(text)]


NAMES = [
    ("Zelda O'Brien-Quimby", ["Zelda O'Brien-Quimby"]),
    ("ZELDA QUIMBY was seen", ["ZELDA QUIMBY"]),
    ("z. quimby was seen", ["z. quimby"]),
    ("Quimby, Z. and zelda", ["Quimby, Z.", "zelda"]),
    ("Quimby, Zelda Q.", ["Quimby, Zelda Q."]),
    ("seen by Obrien", ["Obrien"]),
    ("Qu1mby", ["Qu1mby"]),
    ("Quimbby and Qiumby", ["Quimbby", "Qiumby"]),
    ("Quim-\n  by fell", ["Quim-\n  by"]),
    ("Zelda\nQuimby", ["Zelda\nQuimby"]),
    ("ZeldaQuimby", ["ZeldaQuimby"]),
    ("patientZelda", ["Zelda"]),
    ("QUIMBYwas, QuimbyMD, quimby42", ["QUIMBY", "Quimby", "quimby"]),
    ("Zélda Q\u0301uimby\u2019s", ["Zélda Q\u0301uimby"]),
    ("Qu\u00adimby", ["Qu\u00adimby"]),
    ("\u202eQuimby", ["Quimby"]),
    ("(ZQ) and pt Z.Q. here", ["ZQ", "Z.Q."]),
    ("(CC) and CHF", []),
    ("Quaint, Selma", []),
    ("Mr. Long", ["Long"]),
    ("Zelda Quimby, Jr. and QUIMBY III", ["Zelda Quimby, Jr.", "QUIMBY III"]),
    ("PID|QUIMBY^ZELDA^Q", ["QUIMBY^ZELDA"]),
    ("may long", ["may long"]),
    ("how long may it take", []),
    ("a long walk in May", ["May"]),
    ("Long acting insulin. Seen long ago.", []),
    ("Long walks", ["Long"]),
    ("Long walks, long talks", []),
]


@pytest.mark.parametrize(("text", "expected"), NAMES)
def test_names(text, expected):
    assert found(text) == [(name, "PATIENT") for name in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DOB 3/4/1950, 4 Mar 50", ["3/4/1950", "4 Mar 50"]),
        ("March 4th, 1950; 19500304; 04.03.1950", ["March 4th, 1950", "19500304", "04.03.1950"]),
        ("04|03|1950 or 04·03·1950", ["04|03|1950", "04·03·1950"]),
        ("born on 4 de marzo de 1950", ["4 de marzo de 1950"]),
        ("3/5/1950 and 3/4/1951", []),
        ("MRN 00-123-456 or MRN123456", ["00-123-456", "123456"]),
        ("9123456 and 1234568", []),
        ("call 555.123.4567 or 123-4567", ["555.123.4567", "123-4567"]),
        ("+1 (555) 123-4567", ["+1 (555) 123-4567"]),
        ("212-123-4567", ["212-123-4567"]),
        ("tel 2129-1234567", ["1234567"]),
        ("91234567", []),
        ("12 North Maplewood Drive Apt 4, here", ["12 North Maplewood Drive Apt 4"]),
        ("12 Maplewood", ["12 Maplewood"]),
        ("13 Maplewood Dr", []),
        ("01 555 1234567 and 05551234567", ["01 555 1234567", "05551234567"]),
        ("Springfield 02139-1234", ["Springfield", "02139-1234"]),
        ("ZQ@Example.org", ["ZQ@Example.org"]),
        ("BP 02139.5", []),
    ],
)
def test_numbers_dates_and_addresses(text, expected):
    assert [name for name, label in found(text) if label != "PATIENT"] == expected


def test_eponyms_and_clinical_phrases_are_left_to_weak_names():
    rows = known(("self", "given", "Rose"), ("self", "family", "White"))
    assert found("the White blood cells", rows) == []
    assert found("saw White today", rows) == [("White", "PATIENT")]


def test_an_initial_beside_a_weak_surname():
    rows = known(("self", "given", "Olga"), ("self", "family", "Brown"))
    assert found('brown bag "Brown, O - L ax"', rows) == [("Brown, O", "PATIENT")]
    assert found("brown bag. O. Brown", rows) == [("O. Brown", "PATIENT")]
    assert found("brown bag. Brown bag, X", rows) == []


def test_places_and_streets_of_several_words():
    rows = known(("self", "city", "Soddy-Daisy"), ("self", "street", "7 Upper Boon Lane"))
    text = "7 upper Boon Ln, Soddy Daisy; soddy-daisy"
    assert [name for name, _ in found(text, rows)] == [
        *("7 upper Boon Ln", "Soddy Daisy", "soddy-daisy"),
    ]


def test_particles_accents_and_umlauts():
    rows = known(("self", "name", "Jürgen van der Möllenkamp"))
    assert found("juergen Van Der Moellenkamp", rows)[0][0] == "juergen Van Der Moellenkamp"
    assert found("JURGEN VANDERMOLLENKAMP", rows)[0][0] == "JURGEN VANDERMOLLENKAMP"
    assert found("seen van der", rows) == []


def test_nicknames_in_both_directions():
    assert found("bill him", known(("self", "given", "William"))) == []
    assert found("then Bill came", known(("self", "given", "William"))) == [("Bill", "PATIENT")]
    assert found("Peggy fell", known(("self", "given", "Margaret"))) == [("Peggy", "PATIENT")]
    assert found("Margaret", known(("self", "given", "Peggy"))) == [("Margaret", "PATIENT")]


def test_beginnings_of_given_names_that_are_no_word():
    rows = known(("self", "name", "Gracielle Tomlinquist"), ("relative", "given", "Marchetta"))
    assert found("then Grac, and GRACI", rows) == [("Grac", "PATIENT"), ("GRACI", "PATIENT")]
    assert found("told grac of it", rows) == [("grac", "PATIENT")]
    assert found("grace, march, gra", rows) == []  # all are words somewhere
    assert found("Tomlin was here", rows) == []
    assert found("Gracz", rows) == []  # no edits are allowed in what is so short


def test_short_beginnings_are_words_of_other_languages():
    rows = known(("self", "given", "Derya"), ("relative", "given", "Sieglinde"))
    assert found("Der Befund, den der Arzt sah. Sie sagt, dass sie kommt.", rows) == []
    assert found("Called Sieg yesterday.", rows) == [("Sieg", "PATIENT")]


def test_weak_names_in_small_letters_behind_a_title_or_in_a_field():
    rows = known(("self", "name", "Zelda Lavender"), ("relative", "name", "Will Stable"))
    for text in ("mrs lavender is 79", "pt lavender walks", "pt: lavender", "name: lavender"):
        assert found(text, rows) == [("lavender", "PATIENT")]
    assert found("0840 call fr lavender re lab", rows) == [("lavender", "PATIENT")]
    assert found("Mr. Roe likes lavender and Tea", rows) == []  # small letters tell something here
    for text in (
        "0840 call fr will re lab",
        "pt will walk",
        "pt: stable",
        "nurse will call",
        "Apt: lavender",
    ):
        assert found(text, rows) == []


def test_scripts_without_blanks():
    rows = known(("self", "family", "王"), ("self", "given", "小明"))
    assert found("患者王小明入院", rows) == [("王小明", "PATIENT")]
    assert found("王先生", rows) == []
    assert found("Иванов пришёл", known(("self", "family", "Иванов"))) == [("Иванов", "PATIENT")]


def test_names_of_one_letter_and_of_forty_words():
    rows = known(("self", "given", "X"), ("self", "name", " ".join(["Abc"] * 40)))
    assert found("X Y", rows) == []
    assert found("abc", rows) != []


def test_kinds_and_labels_that_are_kept():
    rows = known(("self", "family", "Quimby"), ("relative", "family", "Quimby"))
    (only,) = Matcher(rows).candidates("quimby")
    assert str(only.kind) == "self"
    assert only.candidate().detector == "roster:self"
    assert Matcher(ZELDA, kept=("PATIENT", "DATE")).candidates("Zelda 3/4/1950") == []


def test_edits():
    rows = known(("self", "family", "Quimbyson"))
    assert found("Quimbyso", rows, fuzzy=0) == []
    assert found("Quimbxxon", rows) == []
    assert found("Quimbxxon", rows, fuzzy=2) != []
    with pytest.raises(ValueError, match="fuzzy"):
        Matcher(rows, fuzzy=3)


def test_over_budget():
    rows = [KnownValue.of("relative", "given", f"Name{n}x") for n in range(201)]
    with pytest.raises(OverBudget):
        Matcher(rows)


def redacted(text, candidates):
    for c in sorted(candidates, key=lambda c: -c.end):
        text = text[: c.start] + f"[{c.label}]" + text[c.end :]
    return text


def merged(candidates):
    kept = []
    for c in candidates:
        if kept and c.start < kept[-1].end:
            if c.end > kept[-1].end:
                kept[-1] = dataclasses.replace(kept[-1], end=c.end)
        else:
            kept.append(c)
    return kept


WORDS = st.sampled_from(
    [
        "Zelda",
        "QUIMBY",
        "quimby",
        "O'Brien",
        "o\u2019brien",
        "Z.",
        "Q",
        "May",
        "may",
        "LONG",
        "long",
    ]
    + [
        "Mr.",
        "the",
        "was",
        ",",
        ".",
        ":",
        "\n",
        "-\n",
        "-",
        "3/4/1950",
        "03-04-50",
        "March 4, 1950",
    ]
    + [
        "123456",
        "00-123-456",
        "MRN",
        "555",
        "123-4567",
        "(555)",
        "12",
        "N",
        "Maplewood",
        "Dr",
        "Apt",
    ]
    + ["zq@example.org", "[DATE]", "Springfield", "é", "\u0301", "\u200b", "disease", "blood", "4"]
)


@examples(400)
@given(st.lists(WORDS, max_size=14), st.sampled_from([" ", " ", "", "  "]))
def test_the_guard_is_silent_behind_the_matcher_and_fires_without_it(pieces, blank):
    # Numbers that touch are another number, until one of them is taken out.
    text = re.sub(r"(?<=\d)\x00(?=\d)", " ", "\x00".join(pieces)).replace("\x00", blank)
    guard, candidates = Guard(ZELDA), Matcher(ZELDA).candidates(text)
    for c in candidates:
        assert 0 <= c.start < c.end <= len(text)
    clean = redacted(text, merged(candidates))
    assert guard.violations(clean) == (), clean
    if not candidates:
        assert guard.violations(text) == ()


@examples(100)
@given(st.text(max_size=60), st.text(max_size=30))
@example("", "@.0000")  # no address, for either
@example("", "0000001")  # no phone number, for either
def test_any_text_and_any_name(text, name):
    rows = [
        KnownValue.of("self", attribute, name)
        for attribute in ("name", "street", "mrn", "birth", "phone", "email", "city", "zip")
    ]
    candidates = Matcher(rows).candidates(text + name)
    clean = redacted(text + name, merged(candidates))
    assert Guard(rows).violations(clean) == ()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Quimby, Z.     MRN", "     MRN"),
        ("Quimby, Z. b. 1950", " b. 1950"),
        ("Quimby, Z.M. here", " here"),
        ("call (555-123-4567) now", "call () now"),
        ("call (555) 123-4567 now", "call  now"),
    ],
)
def test_what_stands_around_a_name_or_number_stays(text, left):
    known = [("self", "name", "Zelda Quimby"), ("self", "phone", "(555) 123-4567")]
    for found in reversed(Matcher([KnownValue.of(*one) for one in known]).candidates(text)):
        text = text[: found.start] + text[found.end :]
    assert text == left


@pytest.mark.parametrize(
    ("attribute", "value", "text", "covered"),
    [
        ("name", "Letova, Do-yun", "son do-yun told", "do-yun"),
        ("mrn", "019 13 85", "WT 60 019 13 85 s/p", "019 13 85"),
        ("id", "000-68-6600", "ID 20-000686600 / E", "000686600"),
        ("id", "000 07 3775", "ID 20-000-07-3775 / E", "000-07-3775"),
        ("id", "191385", "200191385", ""),
    ],
)
def test_what_stands_before_a_number_or_a_given_name_hides_none(attribute, value, text, covered):
    known = [KnownValue.of("self", attribute, value)]
    found = Matcher(known).candidates(text)
    assert [text[one.start : one.end] for one in found] == ([covered] if covered else [])
    assert bool(Guard(known).violations(text)) == bool(covered)


@pytest.mark.parametrize(
    ("known_as", "written"),
    [
        ("+34 612 345 678", "612345678"),
        ("+34 612 345 678", "+34612345678"),
        ("+34 612 345 678", "0034 612 345 678"),
        ("612 345 678", "0034612345678"),
        ("+33 6 12 34 56 78", "0612345678"),
        ("06 12 34 56 78", "+33612345678"),
        ("+41 79 123 45 67", "079 123 45 67"),
        ("+44 (0)20 7946 0018", "020 7946 0018"),
        ("+1 555 123 4567", "15551234567"),
        ("(555) 123-4567", "+1 (555) 123-4567"),
    ],
)
def test_phones_are_found_with_and_without_the_code_of_their_country(known_as, written):
    rows = known(("self", "phone", known_as))
    assert [text.strip() for text, _ in found(f"call {written} now", rows)] == [written]


def test_short_numbers_stand_together():
    rows = known(("self", "mrn", "12080"), ("self", "id", "99999"))
    assert found("BP 120/80, metoprolol 120 80, 120.80, pulse 99999", rows) == []
    assert found("MRN 12080, 0012080, 120-80", rows) == [
        *(("12080", "MEDICALRECORD"), ("0012080", "MEDICALRECORD"), ("120-80", "MEDICALRECORD")),
    ]


def test_no_beginning_of_a_drug_is_the_beginning_of_a_name():
    rows = known(("self", "given", "Dexter"), ("relative", "given", "Coumba"))
    assert found("started on Dex 4 mg IV, dex again, Coum 5", rows) == []


def test_han_names_with_blanks_and_without_the_surname():
    rows = known(("self", "name", "王小明"))
    assert [text for text, _ in found("Patient 王 小明 was seen, 小明 well", rows)] == [
        "王 小明",
        "小明",
    ]


@pytest.mark.parametrize("written", ["March 4, 1950", "4 March 1950", "04-MAR-1950", "1950-3-4"])
def test_birth_dates_of_tables_are_read_as_people_write_them(written):
    rows = known(("self", "birth", written))
    assert found("born 03/04/1950", rows) == [("03/04/1950", "DATE")]


def test_many_unknown_words_take_no_more_memory_than_few():
    rows = known(*(("self", "family", f"Quimb{a}{b}") for a in "aeiou" for b in "aeiou"))
    text = " ".join(
        f"zq{n:x}".translate(str.maketrans("0123456789", "ghijklmnop")) for n in range(5000)
    )
    assert found(text + " Quimbxae", rows) != []


@pytest.mark.parametrize(
    "written",
    [
        *("11 February 1931", "11-FEB-1931", "Feb 11 1931", "Feb. 11, 1931", "11FEB1931"),
        *("February 11th, 1931", "February 11,\n1931", "2/11/1931", "11.2.31"),
    ],
)
def test_guard_and_matcher_know_a_birth_date_in_words(written):
    rows = known(("self", "birth", "1931-02-11"))
    assert found(f"born {written}.", rows) != []
    assert Guard(rows).violations(f"born {written}.") != ()
    assert Guard(rows).violations(f"born {written.replace('11', '12')}.") == ()
