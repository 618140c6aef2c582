"""What stands in place of spans: by hand, then the laws over generated notes."""

import dataclasses
import datetime
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.core.keys import Keys, hkdf
from scrubline.models.dates import PURPOSE, DateSettings, offset
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.redaction.stand_ins import (
    MARKED,
    LateSpan,
    NoteFacts,
    StandIns,
    is_late,
    require_no_key_needed,
)
from scrubline.models.surrogates import MAKERS, SurrogateSettings

from ...growth import assert_linear

MASTER = bytes(range(32))
KEYS = Keys(MASTER)
EXPERT = load_policy("expert")
NOTE = NoteFacts("pat", "doc", "text", datetime.date(2024, 5, 20))
SPAN = re.compile(r"<([A-Z-]+):([^>]*)>")


def marked(text, *, plain=True):
    """A text without its marks, and the late spans that they were."""
    out, spans, at = "", [], 0
    for found in SPAN.finditer(text):
        out += text[at : found.start()]
        action = EXPERT.action(found[1])
        spans.append(LateSpan(len(out), len(out) + len(found[2]), found[1], action, plain))
        out += found[2]
        at = found.end()
    return out + text[at:], spans


def filled(text, note=NOTE, policy=EXPERT, keys=KEYS, **how):
    """The text with what stands in place of its marks; `[]` for a marker."""
    plain, spans = marked(text, **how)
    made, _ = StandIns(policy, keys).of_note(plain, spans, note)
    out, at = "", 0
    for span, one in zip(spans, made, strict=True):
        out += plain[at : span.start] + ("[]" if one.text is None else one.text)
        at = span.end
    return out + plain[at:]


DAYS = offset(hkdf(MASTER, PURPOSE), "pat", DateSettings())


def day(year, month, number):
    return datetime.date(year, month, number) + datetime.timedelta(days=DAYS)


def test_the_offset_is_the_one_of_the_library():
    moved = day(2024, 5, 3)
    assert filled("<DATE:2024-05-03>") == moved.isoformat() != "2024-05-03"
    assert filled("seen <DATE:5/3/24>") == f"seen {moved.month}/{moved.day}/{moved:%y}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Weekdays stay with offsets of whole weeks; holidays and what is not read get markers.
        ("<DATE:Friday> <DATE:Christmas 2019> <DATE:two weeks>", "Friday [] []"),
        ("<DATE:2/30/2024>", "[]"),
        # 29 February, and dates that leave the grammar's years.
        ("<DATE:2/29/2023>", "[]"),
        ("<DATE:12/31/9999> <DATE:1/1/1800>", "[] []"),
        # Over 89: what lies 90 years before the note may be a birth, in two digits too.
        ("<DATE:May 19, 1934> <DATE:5/19/34> <DATE:1934> <DATE:1930s>", "[] [] [] []"),
    ],
)
def test_dates_that_get_markers(text, expected):
    assert filled(text) == expected


def test_dates_of_89_years_move():
    moved = day(1935, 5, 21)
    assert filled("<DATE:1935-05-21>") == moved.isoformat()
    assert filled("<DATE:1935-05-20>") == day(1935, 5, 20).isoformat()
    assert filled("<DATE:1934-05-20>") == "[]"


def test_a_date_of_29_february_moves():
    assert filled("<DATE:2024-02-29>") == day(2024, 2, 29).isoformat()


def test_two_digits_of_a_year_keep_their_form():
    moved = day(1999, 12, 31)
    assert filled("<DATE:12/31/99>") == f"{moved:%m/%d/%y}"


def test_the_note_tells_day_from_month():
    moved = day(2024, 3, 4)
    assert filled("<DATE:25/12/2023> <DATE:04/03/2024>").endswith(f"{moved:%d/%m/%Y}")
    plain, spans = marked("<DATE:25/12/2023> <DATE:12/25/2023>")
    assert StandIns(EXPERT, KEYS).of_note(plain, spans, NOTE)[1] is True


def test_a_date_without_a_year_is_near_the_note():
    moved = day(2024, 5, 3)
    assert filled("<DATE:5/3>") == f"{moved.month}/{moved.day}"


def test_the_birth_of_a_patient_over_89_goes_and_other_dates_move():
    note = dataclasses.replace(NOTE, birth=datetime.date(1930, 6, 1))
    moved = day(2024, 1, 2)
    assert filled("<DATE:6/1> <DATE:1930> <DATE:2024-01-02>", note) == f"[] [] {moved.isoformat()}"


def test_without_a_patient_dates_go_and_surrogates_are_of_the_document():
    note = dataclasses.replace(NOTE, patient=None)
    text = "<PATIENT:John Smith> <DATE:5/3/24>"
    assert filled(text, note).endswith(" []")
    assert filled(text, note) == filled(text, note)
    assert filled(text, note) != filled(text, dataclasses.replace(note, document="other"))


def test_all_ways_to_write_a_name_agree():
    out = filled(
        "<PATIENT:SMITH, JOHN> <PATIENT:John Smith> <PATIENT:Mr. Smith>'s <PATIENT:J. Smith>"
    )
    found = re.fullmatch(r"([A-Z]+), ([A-Z]+) (\w+) (\w+) Mr\. (\w+)'s (\w)\. (\w+)", out)
    last, first, *rest = (word.lower() for word in found.groups())
    assert rest == [first, last, last, first[0], last] and "smith" not in out.lower()


def test_pieces_of_one_name_agree_however_it_is_cut():
    whole = filled("<PATIENT:John Smith>")
    assert filled("<PATIENT:John> <PATIENT:Smith>") == whole
    assert filled("<PATIENT:John> <DOCTOR:Smith>") == whole


def test_entity_ids_are_of_people_not_of_ways_to_write():
    def entities(text, patient="pat", policy=EXPERT):
        plain, spans = marked(text)
        note = dataclasses.replace(NOTE, patient=patient)
        return [one.entity for one in StandIns(policy, KEYS).of_note(plain, spans, note)[0]]

    one, *others = entities(
        "<PATIENT:John Smith> <PATIENT:SMITH, J.> <DOCTOR:Dr. Smith's> <PATIENT:Smith>"
    )
    assert set(others) == {one} and re.fullmatch("[0-9a-f]{16}", one)
    assert entities("<PATIENT:Smith>") == [one] != entities("<PATIENT:Smith>", "another")
    mrn, other = entities("<MEDICALRECORD:004-71-12> <IDNUM:0047112>")
    assert mrn == other != one
    assert entities("<DATE:5/3/24>") == [None]
    spanish = dataclasses.replace(EXPERT, surrogates=SurrogateSettings(languages=("es",)))
    first, second = entities("<PATIENT:Ana García López> <PATIENT:Sra. García>", policy=spanish)
    assert first == second
    mention = dataclasses.replace(EXPERT, surrogates=SurrogateSettings(scope="mention"))
    assert entities("<PATIENT:Smith> <PHONE:617-234-9912>", policy=mention) == [None, None]


def test_scopes():
    text = "<PATIENT:Smith> <PATIENT:Smith>"

    def of(scope, document="doc", field="text"):
        policy = dataclasses.replace(EXPERT, surrogates=SurrogateSettings(scope=scope))
        note = dataclasses.replace(NOTE, document=document, field=field)
        return filled(text, note, policy)

    assert of("record") == of("record", "other")
    assert of("document") != of("document", "other")
    assert of("document") == of("document", field="other")
    first, second = of("mention").split()
    assert first != second and of("mention") != of("mention", field="other")


def test_what_is_seen_in_disguise_keeps_its_marker():
    assert filled("<PATIENT:Smith> <DATE:5/3/24>", plain=False) == "[] []"


def test_what_merging_took_back_keeps_its_marker_and_tells_of_the_note():
    plain, spans = marked("<DATE:25/12/2023> <DATE:04/03/2024>")
    spans[0] = dataclasses.replace(spans[0], action="redact")
    first, second = StandIns(EXPERT, KEYS).of_note(plain, spans, NOTE)[0]
    assert first == MARKED and second.text == f"{day(2024, 3, 4):%d/%m/%Y}"


@pytest.mark.parametrize(
    ("label", "action", "fragment", "expected"),
    [
        ("DATE", "shift", False, True),
        ("DATE", "redact", False, True),
        ("DATE", "redact", True, False),
        ("DATE", "keep", False, False),
        ("AGE", "surrogate", False, False),
        ("PATIENT", "surrogate", False, True),
        ("STATE", "redact", False, False),
    ],
)
def test_which_spans_are_filled_in_late(label, action, fragment, expected):
    assert is_late(EXPERT, label, action, fragment=fragment) is expected


def test_policies_without_either_need_none():
    assert StandIns.of(load_policy("hipaa"), KEYS) is None
    require_no_key_needed(load_policy("hipaa"), "a text alone")
    with pytest.raises(ValueError):
        StandIns(load_policy("hipaa"), KEYS)
    with pytest.raises(UsageError, match="surrogates and shifted dates are made with the"):
        require_no_key_needed(EXPERT, "a text alone")
    assert repr(StandIns(EXPERT, KEYS)) == "StandIns()"


# -- laws

HOSTILE = st.text(
    alphabet=st.sampled_from("JohnSmith 05/3-.,'’é\u0301🙂\n\r\x00\ud800ⒿİßДあ\u00ad\u202e"),
    max_size=40,
)
WRITTEN = st.one_of(
    HOSTILE,
    st.sampled_from(
        ["John Smith", "SMITH, J.", "Dr. García-López", "May", "617-234-9912", "Salem, MA"]
    ),
    st.dates(datetime.date(1800, 1, 1), datetime.date(2199, 12, 31)).map(str),
)
SPANS = st.lists(st.tuples(st.sampled_from([*MAKERS, "DATE"]), WRITTEN), max_size=6)


def note_of(pairs):
    text, spans = "", []
    for label, covered in pairs:
        if covered:
            text += " x "
            spans.append(LateSpan(len(text), len(text) + len(covered), label, EXPERT.action(label)))
            text += covered
    late = [span for span in spans if is_late(EXPERT, span.label, span.action, fragment=False)]
    return text, late


@given(SPANS, st.sampled_from(["record", "document", "mention"]), st.booleans())
def test_never_the_truth_and_always_the_same(pairs, scope, padded):
    settings = SurrogateSettings(
        scope=scope, layout="pad" if padded else "free", languages=("en", "es", "de")
    )
    policy = dataclasses.replace(EXPERT, surrogates=settings)
    text, spans = note_of(pairs)
    made = StandIns(policy, KEYS).of_note(text, spans, NOTE)
    for span, one in zip(spans, made[0], strict=True):
        covered = text[span.start : span.end]
        assert one.action == ("redact" if one.text is None else span.action)
        if one.action == "surrogate":
            assert one.text.casefold() != covered.casefold()
            assert 0 <= one.attempt <= 2 and one.precision is None
            assert (one.entity is None) or scope != "mention"
        elif one.action == "shift":
            assert one.precision and one.attempt is None and one.entity is None
            if one.precision == "day":
                assert one.text != covered
    # No memory of other notes bears on it.
    worn = StandIns(policy, KEYS)
    worn.of_note("John Smith 5/3/24", [LateSpan(0, 10, "PATIENT", "surrogate")], NOTE)
    assert worn.of_note(text, spans, NOTE) == made


def test_another_key_gives_others():
    other = Keys(bytes(32))
    text = "<PATIENT:John Smith> <MEDICALRECORD:0047112> <PHONE:617-234-9912>"
    assert filled(text) != filled(text, keys=other)


def test_a_policy_with_one_of_both_leaves_the_other():
    dates = Policy("a", {"DATE": "shift"})
    (one,), _ = StandIns(dates, KEYS).of_note("5/3/24", [LateSpan(0, 6, "DATE", "shift")], NOTE)
    assert one.text
    names = Policy("a", {"PATIENT": "surrogate"})
    spans = [LateSpan(0, 5, "PATIENT", "surrogate")]
    assert StandIns(names, KEYS).of_note("Smith", spans, NOTE)[0][0].text


def many_names(count):
    letters = ["".join(chr(97 + n // by % 26) for by in (676, 26, 1)) for n in range(count)]
    names = [f"<PATIENT:Ab{some} Smith> <PATIENT:A. Smith> <DATE:5/3/24>" for some in letters]
    return marked(" ".join(names))


@pytest.mark.slow
def test_a_note_of_many_people_and_dates_takes_linear_time():
    assert_linear(
        many_names, lambda given: StandIns(EXPERT, KEYS).of_note(*given, NOTE), 300, "more names"
    )


def test_of_a_note_of_many_people_no_initials_are_told():
    text, spans = many_names(201)
    made, _ = StandIns(EXPERT, KEYS).of_note(text, spans, NOTE)
    assert all(one.text for one in made)
    assert len({one.entity for one in made[::3]}) == 1
