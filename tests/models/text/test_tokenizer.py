"""Tokens, lines, sentences and sections: tables, laws, and input that means harm."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.dictionaries import load
from scrubline.models.core.arrays import code_points
from scrubline.models.core.errors import OverBudget
from scrubline.models.native import extension
from scrubline.models.text import tokenizer as tokenizing
from scrubline.models.text.characters import (
    LINE_BREAKS,
    UNICODE,
    class_table,
    classes_file,
    made_classes,
)
from scrubline.models.text.sections import SECTIONS, normalise_heading, section_of
from scrubline.models.text.tokenizer import tokenize, tokenize_documents
from scrubline.models.text.tokenizer_reference import read_tokens

from ...examples import examples
from ...growth import assert_linear


@pytest.fixture(autouse=True, scope="module", params=["extension", "reference"])
def path(request):
    """Every test of this file is one of both paths."""
    if request.param == "extension" and extension() is None:
        pytest.skip("the native extension is not built here")
    with pytest.MonkeyPatch.context() as patched:
        if request.param == "reference":
            patched.setattr(tokenizing, "extension", lambda: None)
        yield request.param


def fine(text):
    tokens = tokenize(text)
    return [text[s:e] for s, e in zip(tokens.starts, tokens.ends, strict=True)]


def grouped(text, flag):
    """The covered text from each token with the flag to the token before the next with it."""
    tokens = tokenize(text)
    begins = np.flatnonzero(getattr(tokens, flag)).tolist()
    if not begins:
        return []
    lasts = [b - 1 for b in begins[1:]] + [len(tokens) - 1]
    return [text[tokens.starts[b] : tokens.ends[e]] for b, e in zip(begins, lasts, strict=True)]


def coarse(text):
    return grouped(text, "starts_coarse")


def sentences(text):
    return grouped(text, "starts_sentence")


def lines(text):
    return grouped(text, "starts_line")


def sections(text):
    """The section name, or None, of each line's first token."""
    tokens = tokenize(text)
    found = tokens.sections[tokens.starts_line].tolist()
    return [SECTIONS[s] if s >= 0 else None for s in found]


FINE = {
    # He et al. 2015, Table 1; case changes and runs.
    "PEND01/26/2098": "PEND 01 / 26 / 2098",
    "45-year-old": "45 - year - old",
    "CABG6/95": "CABG 6 / 95",
    "x76221": "x 76221",
    "X1-1335": "X 1 - 1335",
    "47798497-045-1949": "47798 497 - 045 - 1949",
    "ALMarital": "AL Marital",
    "34712RadiologyExam": "34712 Radiology Exam",
    "JaffreyMarital": "Jaffrey Marital",
    "3/4/12.MRN#1234567,t98.6": "3 / 4 / 12 . MRN # 1234567 , t 98 . 6",
    "Since6/03/04": "Since 6 / 03 / 04",
    "MartínezNºCol": "Martínez NºCol",
    "JohnSmithMD": "John Smith MD",
    "JSmith": "J Smith",
    "inMay": "in May",
    "ÁlvarezÑuñez": "Álvarez Ñuñez",
    "ИвановМария": "Иванов Мария",
    "MacArthurMarital": "MacArthur Marital",
    "BigMacArthur": "Big Mac Arthur",
    # Near misses: numbers that only look like one that runs into a telephone number.
    "1234567-045-1949": "1234567 - 045 - 1949",
    "47798497-045-19491": "47798497 - 045 - 19491",
    "47798497-04-1949": "47798497 - 04 - 1949",
    # Names and units that stay whole.
    "McDonald": "McDonald",
    "MacArthur": "MacArthur",
    "DeBakey": "DeBakey",
    "LaTanya": "LaTanya",
    "FitzGerald": "FitzGerald",
    "VanBuren": "VanBuren",
    "OBrien": "OBrien",
    "PharmD": "PharmD",
    "PhD": "PhD",
    "mcg": "mcg",
    "mL": "mL",
    "pH": "pH",
    "mmHg": "mmHg",
    "cmH2O": "cmH 2 O",
    "HbA1c": "HbA 1 c",
    "eGFR": "eGFR",
    "mEq/L": "mEq / L",
    "dsDNA": "dsDNA",
    "MRIs": "MRIs",
    "IDed": "IDed",
    "NSAIDs": "NSAIDs",
    "MCDONALD": "MCDONALD",
    # Signs, scripts and marks.
    "a_b": "a _ b",
    "...": ". . .",
    "½m²": "½m²",
    "हिन्दी": "हिन्दी",
    "مُحَمَّد": "مُحَمَّد",
    "क्\u200dष": "क्\u200dष",
    "Marti\u0301nezMarital": "Marti\u0301nez Marital",
    "A\u0301lvarez": "A\u0301lvarez",
    "Mar\u00adtin": "Mar\u00adtin",
    "1\ufe0f\u20e3": "1\ufe0f\u20e3",
    "👨\u200d👩👍🏽": "👨\u200d 👩 👍🏽",
    "北京市 3号": "北京市 3 号",
    "١٢٣abc": "١٢٣ abc",
    "\ufeffDatos": "\ufeff Datos",
    "a\x00b": "a \x00 b",
    "x\ud800y": "x \ud800 y",
    "a\xa0b\u3000c": "a b c",
}


@pytest.mark.parametrize(("text", "expected"), FINE.items(), ids=map(ascii, FINE))
def test_fine_tokens(text, expected):
    assert fine(text) == expected.split(" ")
    # What surrounds a word changes nothing, at the ends of the text included.
    assert fine(f"({text} {text})") == ["(", *expected.split(" "), *expected.split(" "), ")"]


def test_marks_after_white_space_are_tokens_of_their_own():
    assert fine("\u0301") == ["\u0301"]
    assert fine("a \u0301\u0301b .\u0301") == ["a", "\u0301\u0301b", ".\u0301"]


COARSE = {
    "3/4/12.MRN#1234567,t98.6": "3/4/12 . MRN # 1234567 , t98.6",
    "Since6/03/04": "Since 6/03/04",
    "age45": "age 45",
    "PEND01/26/2098": "PEND 01/26/2098",
    "45-year-old": "45-year-old",
    "CABG6/95": "CABG 6/95",
    "x76221": "x 76221",
    "X1-1335": "X 1-1335",
    "47798497-045-1949": "47798 497-045-1949",
    "ALMarital": "AL Marital",
    "34712RadiologyExam": "34712 Radiology Exam",
    "JaffreyMarital": "Jaffrey Marital",
    "2106-02-12": "2106-02-12",
    "03.04.2012": "03.04.2012",
    "12Mar2003": "12Mar2003",
    "12-Mar-2003": "12-Mar-2003",
    "10:30pm": "10:30 pm",
    "98.6F": "98.6F",
    "12.5mg": "12.5 mg",
    "1,234,567": "1,234,567",
    "120,80": "120 , 80",
    "3rd": "3rd",
    "5mg": "5 mg",
    "T2DM": "T2DM",
    "HbA1c": "HbA1c",
    "SpO2": "SpO2",
    "COVID-19": "COVID-19",
    "COVID19": "COVID19",
    "B12": "B12",
    "AB123456C": "AB123456C",
    "MRN1234567": "MRN 1234567",
    "MRN:1234567": "MRN : 1234567",
    "MBI-0011568": "MBI-0011568",
    "617-555-0100": "617-555-0100",
    "617.555.0100": "617.555.0100",
    "(617)555-0100": "(617)555-0100",
    "(617) 555-0100": "( 617 ) 555-0100",
    "+1-617-555-0100": "+1-617-555-0100",
    "(12)": "( 12 )",
    "(123)": "( 123 )",
    "O'Brien": "O'Brien",
    "O\u2019Brien": "O\u2019Brien",
    "d/c'd": "d/c'd",
    "mg/dL": "mg/dL",
    "Boston/Cambridge": "Boston / Cambridge",
    "Gomez-Farr": "Gomez-Farr",
    "J.R.Smith": "J.R. Smith",
    "U.S.A.": "U.S.A.",
    "b.i.d.": "b.i.d.",
    "J. Smith.": "J . Smith .",
    "12.Next": "12 . Next",
    "word.Next": "word . Next",
    "ends-": "ends -",
    "-5": "- 5",
    "john_smith@example.org": "john_smith @ example . org",
    "(.5)": "( . 5 )",
}


@pytest.mark.parametrize(("text", "expected"), COARSE.items(), ids=map(ascii, COARSE))
def test_coarse_tokens(text, expected):
    assert coarse(text) == expected.split(" ")
    assert coarse(f'"{text}" {text}') == ['"', *expected.split(" "), '"', *expected.split(" ")]


WRAPPED = (
    "The patient is a 54-year-old man with a history of hypertension and\n"
    "Graves disease who was admitted to the hospital with chest pain on\n"
    "March 3 and was transferred to the floor for further care by Dr.\n"
    "Smith. He improved."
)

SENTENCES = [
    ("He came. She left! Why? Because.", ["He came.", "She left!", "Why?", "Because."]),
    ("Seen by Dr. Smith. He left.", ["Seen by Dr. Smith.", "He left."]),
    ("SEEN BY DR. SMITH. PT LEFT.", ["SEEN BY DR. SMITH.", "PT LEFT."]),
    ("T 98.6. BP 120/80. 2 days later", ["T 98.6.", "BP 120/80.", "2 days later"]),
    ("John A. Smith vs. J.R. Doe", ["John A. Smith vs. J.R. Doe"]),
    ("Mary Roe, M.D. The next", ["Mary Roe, M.D.", "The next"]),
    ("fever, e.g. Tuesday. Then", ["fever, e.g. Tuesday.", "Then"]),
    ("Room No. 5. No. He", ["Room No. 5.", "No.", "He"]),
    ("on Jan. 5 and 27. Oct. 2020", ["on Jan. 5 and 27. Oct. 2020"]),
    ("Mr . Smith , Dr . Roe", ["Mr . Smith , Dr . Roe"]),
    (
        'He said "no." She left. (See below.) Yes',
        ['He said "no."', "She left.", "(See below.)", "Yes"],
    ),
    ("alert. asked again. ok", ["alert. asked again. ok"]),
    ("Well ... He left", ["Well ...", "He left"]),
    ("Ready?! Yes", ["Ready?!", "Yes"]),
    ("他来了。她走了。", ["他来了。", "她走了。"]),
    ("वह आया। वह गया।", ["वह आया।", "वह गया।"]),
    (". Then 1", [".", "Then 1"]),
    ("One\n\ntwo\n \nthree", ["One", "two", "three"]),
    ("One\r\ntwo\r\n\r\nthree", ["One\r\ntwo", "three"]),
    ("One\rtwo\r\rthree", ["One\rtwo", "three"]),
    ("One\u2028two\x85\x85three", ["One\u2028two", "three"]),
    ("PLAN:\n1. Aspirin\n2. Lasix\n3) Rest", ["PLAN:", "1. Aspirin", "2. Lasix", "3) Rest"]),
    ("Meds\n- aspirin\n- lasix\n* rest", ["Meds", "- aspirin", "- lasix", "* rest"]),
    ("John Roe\n12 Elm St\nBoston, MA", ["John Roe", "12 Elm St", "Boston, MA"]),
    ("He was seen on\n3/4/12 by us", ["He was seen on\n3/4/12 by us"]),
    ("fever, chills,\nNausea", ["fever, chills,\nNausea"]),
    ("Admitted.\nDischarged", ["Admitted.", "Discharged"]),
    ("seen by Dr.\nSmith today", ["seen by Dr.\nSmith today"]),
    ("at Elm Ave.\nJane Roe", ["at Elm Ave.", "Jane Roe"]),
    ("Patient: Roe\nMRN: 123", ["Patient: Roe", "MRN: 123"]),
    ("at\n10:30 he left", ["at\n10:30 he left"]),
    (WRAPPED, [WRAPPED[: -len(" He improved.")], "He improved."]),
    ("ALLERGIES\nnone known", ["ALLERGIES", "none known"]),
    ("\ufeffOne. Two", ["\ufeffOne.", "Two"]),
    ("", []),
    (" \n\t\r\n", []),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentences(text, expected):
    assert sentences(text) == expected


def test_a_wrapped_text_in_capitals_is_read_like_any_other():
    assert sentences(WRAPPED.upper()) == [WRAPPED[: -len(" He improved.")].upper(), "HE IMPROVED."]


@pytest.mark.parametrize("separator", ["\r\n", *LINE_BREAKS], ids=ascii)
def test_lines_are_by_line_breaks_only(separator):
    assert lines(f"a b{separator}c{separator}{separator}d") == ["a b", "c", "d"]


@pytest.mark.parametrize("separator", ["\x1c", "\x1f", "\xa0", "\t", "\u3000"], ids=ascii)
def test_other_white_space_breaks_no_line(separator):
    assert lines(f"a{separator}b") == [f"a{separator}b"]


def test_sections_reach_from_heading_to_heading():
    text = (
        "ST ELSEWHERE\nPMH: HTN\ncont'd\n\nUNKNOWN HEADING:\nx\n"
        "Family History\nnone\n2. MEDICATIONS ON ADMISSION:\naspirin"
    )
    assert sections(text) == [
        None,
        *["past_medical_history"] * 4,
        *["family_history"] * 2,
        *["medications"] * 2,
    ]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("HPI:", "history_of_present_illness"),
        ("hpi: cough", "history_of_present_illness"),
        ("HISTORY OF PRESENT ILLNESS", "history_of_present_illness"),
        ("A/P: rest", "assessment_and_plan"),
        ("Assessment & Plan:", "assessment_and_plan"),
        ("**Allergies:** none", "allergies"),
        ("IV. SOCIAL HISTORY", None),
        ("3) Social Hx: smoker", "social_history"),
        ("MEDS", "medications"),
        ("meds", None),
        ("Plan", "plan"),
        ("plan", None),
        ("Plan was to rest", None),
        ("Past medical history is long.", None),
        ("see HPI: above", None),
        ("x" * 60 + ": PLAN", None),
        ("\u2022 PE: normal", "physical_examination"),
    ],
)
def test_headings(line, name):
    assert sections(line) == [name]


def test_spellings_are_distinct_and_no_longer_than_a_heading():
    from scrubline.models.text import sections as module

    seen = [
        normalise_heading(spelling)
        for section in SECTIONS
        for spelling in load(f"headings_{section}").phrases
    ]
    assert len(set(seen)) == len(seen)
    assert all(0 < len(spelling) <= module.LONGEST_HEADING for spelling in seen)
    assert 25 <= len(SECTIONS) <= 45
    assert all(section_of(spelling, colon=True) >= 0 for spelling in seen)


def covered_slowly(text):
    """The law of coverage, by hand: how many tokens hold each character."""
    tokens = tokenize(text)
    held = [0] * len(text)
    for start, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True):
        for offset in range(start, end):
            held[offset] += 1
    return held


def assert_laws(text):
    tokens = tokenize(text)
    held = covered_slowly(text)
    assert held == [0 if character.isspace() else 1 for character in text]
    assert (tokens.starts < tokens.ends).all()
    assert (tokens.starts[1:] >= tokens.ends[:-1]).all()
    assert tokens.starts.dtype == tokens.ends.dtype == tokens.sections.dtype == np.int64
    # A coarse token never spans white space, a line never begins inside one.
    apart = np.ones(len(tokens), np.bool_)
    apart[1:] = tokens.starts[1:] != tokens.ends[:-1]
    assert (tokens.starts_coarse | ~apart).all()
    assert (tokens.starts_coarse | ~tokens.starts_line).all()
    expected = [
        i == 0 or any(c in LINE_BREAKS for c in text[tokens.ends[i - 1] : tokens.starts[i]])
        for i in range(len(tokens))
    ]
    assert tokens.starts_line.tolist() == expected
    if len(tokens):
        assert tokens.starts_sentence[0]
    assert ((tokens.sections >= -1) & (tokens.sections < len(SECTIONS))).all()
    # The section changes at the beginning of a line only.
    changes = np.flatnonzero(np.diff(tokens.sections)) + 1
    assert tokens.starts_line[changes].all()


CLINICAL = st.text(
    st.sampled_from(
        "aAbBcdeMN0123456789 .:,-/#()'\"_?!\n\r\t\f\v\u2028\xa0é\u0301\u200dºÑ🙂क\ufeff。\ud800\x00"
    )
)
PIECES = st.lists(
    st.sampled_from(
        [*FINE, *COARSE, *(text for text, _ in SENTENCES), "PMH:", "\n", "\n\n", " ", ". ", "\r\n"]
    ),
    max_size=8,
).map("".join)


@examples(300)
@given(st.one_of(st.text(), CLINICAL, PIECES))
def test_every_character_but_white_space_is_in_exactly_one_token(text):
    assert_laws(text)


@examples(150)
@given(st.one_of(CLINICAL, PIECES))
def test_words_are_decided_by_what_touches_them(text):
    whole = tokenize(text)
    found = [
        (s, e, c) for s, e, c in zip(whole.starts, whole.ends, whole.starts_coarse, strict=True)
    ]
    rebuilt = []
    offset = 0
    while offset < len(text):
        end = offset
        while end < len(text) and text[end].isspace() == text[offset].isspace():
            end += 1
        word = tokenize(text[offset:end])
        rebuilt += [
            (s + offset, e + offset, c)
            for s, e, c in zip(word.starts, word.ends, word.starts_coarse, strict=True)
        ]
        offset = end
    assert found == rebuilt


@examples(100)
@given(st.lists(st.one_of(st.none(), CLINICAL, PIECES), max_size=5))
def test_documents_do_not_see_each_other(texts):
    tokens = tokenize_documents(texts)
    assert len(tokens.document_offsets) == len(texts) + 1
    assert tokens.section_names == SECTIONS
    for document, text in enumerate(texts):
        rows = tokens.of_document(document)
        if text is None:
            assert rows.start == rows.stop
            continue
        alone = tokenize(text)
        for column in (
            "starts",
            "ends",
            "starts_coarse",
            "starts_line",
            "starts_sentence",
            "sections",
        ):
            assert (getattr(tokens, column)[rows] == getattr(alone, column)).all()
        assert tokens.texts(document, text) == fine(text)


DENSE = st.lists(
    st.sampled_from(
        [*"aabBcCeEdDoOxX1123-.,/:+()'_ \n\r", "Mac", "ed", "st", "12345678", "045-1949"]
        + ["\u0301", "\u200d", "\u2011", "\u2019", "é", "ǅ", "ª", "٣", "\ud800", "🙂", "\x1c"]
    ),
    max_size=40,
).map("".join)


@examples(2_000)
@given(st.one_of(st.text(), CLINICAL, PIECES, DENSE))
def test_both_paths_read_the_same(text):
    found, wanted = tokenize(text), read_tokens(text)
    for column in ("starts", "ends", "starts_coarse", "starts_line"):
        assert getattr(found, column).tolist() == getattr(wanted, column).tolist()


def test_no_documents_and_documents_without_tokens():
    assert len(tokenize_documents([])) == 0
    assert tokenize_documents([]).document_offsets.tolist() == [0]
    joined = tokenize_documents([None, "a b", None, " ", "c"])
    assert joined.document_offsets.tolist() == [0, 0, 2, 2, 2, 3]


def test_sentences_are_made_only_if_they_are_wanted():
    tokens = tokenize_documents(["PLAN: rest. Back soon."], sentences=False)
    assert tokens.texts(0, "PLAN: rest. Back soon.")[:2] == ["PLAN", ":"]
    for name in ("starts_sentence", "sections", "section_names"):
        with pytest.raises(ValueError, match="sentences were not requested"):
            getattr(tokens, name)


def test_the_budget_of_tokens_is_exact():
    assert len(tokenize_documents(["a b c", "d e f"], max_tokens=3)) == 6
    with pytest.raises(OverBudget, match="OverBudget:tokens"):
        tokenize_documents(["a b c d"], max_tokens=3)
    with pytest.raises(OverBudget):
        tokenize_documents(["a", "a b"], max_tokens=1)
    assert len(tokenize_documents([""], max_tokens=0)) == 0


def test_repr_holds_no_text_and_no_offsets():
    assert "starts=" not in repr(tokenize("Jane Roe"))


def test_classes_are_those_of_their_unicode():
    assert not class_table().flags.writeable
    if unicodedata.unidata_version != UNICODE:
        pytest.skip(f"the interpreter has Unicode {unicodedata.unidata_version}, not {UNICODE}")
    assert classes_file().read_text("ascii") == made_classes()


def test_classes_agree_with_python_whatever_its_unicode():
    """White space, decimal digits and letters that were there long ago never change."""
    table = class_table()
    for code in range(0x600):
        character = chr(code)
        assert (table[code] >> 2 == 0) == character.isspace()
        if unicodedata.category(character) == "Nd":
            assert table[code] >> 2 == 2
        if character.isalpha():
            assert table[code] >> 2 == 1
    assert code_points("a\ud800\U0001f600").tolist() == [0x61, 0xD800, 0x1F600]


HOSTILE = {
    "a word": "a",
    "line breaks": "\n",
    "pairs of them": "\r\n",
    "points": ".",
    "points and capitals": ". A",
    "hyphens": "-",
    "digits": "1",
    "dates": "1/",
    "telephone numbers": "12345678-123-1234",
    "case changes": "aaB",
    "prefixes": "Mac",
    "capitals": "AAaa",
    "initials": "A.",
    "marks": "\u0301",
    "marked letters": "e\u0301",
    "joined emoji": "🙂\u200d",
    "colons": ":",
    "headings": "PLAN:\n",
    "lines": "ab\n",
    "list markers": "1. ",
    "quotes": '."',
    "surrogates": "\udfff",
    "NUL": "\x00",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_grows_with_length_only(unit):
    assert_linear(lambda size: unit * (size // len(unit)), tokenize, 20_000)


@pytest.mark.parametrize("unit", ["a", "\n", ".", "A. "], ids=ascii)
@pytest.mark.slow
def test_a_million_characters(unit):
    text = unit * (1_000_000 // len(unit))
    assert len(tokenize(text)) == {"a": 1, "\n": 0, ".": 1_000_000, "A. ": 666_666}[unit]
