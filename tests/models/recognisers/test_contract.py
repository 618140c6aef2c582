"""What every entry of RECOGNISERS promises, on any text."""

from __future__ import annotations

import functools
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.documents import Context, Document
from scrubline.models.core.errors import UsageError
from scrubline.models.core.labels import LABELS
from scrubline.models.core.spans import Candidate
from scrubline.models.recognisers import RECOGNISERS, recognise_all, rule_hash
from scrubline.models.recognisers import patterns as matching
from scrubline.models.recognisers.matching import _PATTERNS

from ...examples import examples, rest
from ...growth import assert_linear

EACH = pytest.mark.parametrize("name", RECOGNISERS)
# Fragments that begin, join or end what rules look for, and what breaks careless ones.
PIECES = (
    *("3/4/12", "8/15", "2014", "May ", "7, ", "sat", "617-555-0100", "x4419", "fax ", "tel "),
    *("fall ", "MWF", "54 M ", "son ", "of ", "CABG ", "Mon", "3rd ", "20120304", "in "),
    *("MRN", "#", "id ", "123-45-6789", "ssn ", "a@b.com", "@", "http://", "www.", ".com"),
    *("NPI ", "1234567893", "BK7719203", "1HGCM82633A004352", "1EG4-TE5-MK73", "S12-34567"),
    *("lot ", "S/N ", "acct ", "Roe, Jo  ", "MD  ", "plate ", "user: ", "jdoe1", "x21", " dot org"),
    *("Mercy Hospital ", "seen at ", "St. ", "of ", "& ", "Boston", ", MA", " 02139", "in "),
    *("lives in ", "12 Elm ", "St", "Apt 4", "PO Box 7", "I-95", "Polk County", "Lake ", "Inc"),
    *("Cook ", "works at ", "is a ", "retired ", "cook", "(farmer", " by trade", "Ins: ", "FROM "),
    *("\nPID|1||", "|", "^", "~", "00:1b:44:11:3a:b7", "fe80::1%eth0", "1-800-FLOWERS"),
    *("Dr. ", "Smith", "JANE ", "Mary D.", "wife ", "Patient: ", "J", " RN", "van der ", "O'Hara"),
    *("JS/mk\n", "\n/s/ ", "Dear ", "Jr.", "\nDOE, ", "DOE^JANE", "M.D.", "nurse ", " and ", "'s "),
    *("10.0.0.1", "::1", "92 yo", "aged 9", " ", "\n", "\r\n", "\t", "-", "/", ".", ",", "(", ")"),
    *("'", "’", "–", "\u00a0", "\u2028", "\x00", "\ufeff", "é", "ñ", "ß", "İ", "ﬁ", "🙂"),
    *("👨\u200d👩", "e\u0301", "٣", "３", "²", "\ud800", "\udfff", "ł", "a", "9", "0"),
)
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


def repeated(piece: str, length: int) -> str:
    return (piece * (length // len(piece) + 1))[:length]


def run(name: str, text: str) -> list[Candidate]:
    return list(RECOGNISERS[name].recognise(Document(text), Context()))


def test_the_table_agrees_with_the_modules() -> None:
    for name, rule in RECOGNISERS.items():
        assert name == rule.NAME
        assert set(rule.LABELS) <= set(LABELS)
        assert 0 < rule.SCORE <= 1
    assert list(RECOGNISERS) == sorted(RECOGNISERS)


def test_every_pattern_compiles() -> None:
    assert len(_PATTERNS) > 300
    for one in _PATTERNS:
        assert one.groups >= 0, one.source


@EACH
@given(text=TEXTS)
@examples(120)
def test_candidates_are_ordered_disjoint_inside_and_the_same_again(name: str, text: str) -> None:
    rule = RECOGNISERS[name]
    found = run(name, text)
    assert found == run(name, text)
    reach = 0
    for candidate in found:
        assert reach <= candidate.start < candidate.end <= len(text)
        assert candidate.label in rule.LABELS
        assert (candidate.detector, candidate.score) == (name, rule.SCORE)
        assert not text[candidate.start].isspace() and not text[candidate.end - 1].isspace()
        reach = candidate.end


@EACH
@given(text=TEXTS)
@examples(60)
def test_text_far_away_changes_nothing(name: str, text: str) -> None:
    # What precedes shifts offsets by its code points, whatever it costs in bytes.
    prefix = "🙂é\ud800" * 40 + "\n\n" + " " * matching.WINDOW
    alone = run(name, "\n\n" + " " * matching.WINDOW + text)
    shifted = run(name, prefix + text)
    by = len("🙂é\ud800") * 40
    assert [(c.start + by, c.end + by, c.label) for c in alone] == [
        (c.start, c.end, c.label) for c in shifted
    ]


@given(text=TEXTS)
@examples(300)
def test_a_view_has_one_byte_per_code_point(text: str) -> None:
    seen = matching.view(text)
    assert len(seen) == len(text)
    assert all(seen[i] == ord(c) for i, c in enumerate(text) if ord(c) < 0x80)


HOSTILE = {
    "digits": "1",
    "dates": "3/4/12 ",
    "half dates": "1/1/",
    "dashes": "1-",
    "dots": "1.",
    "colons": "a:",
    "letters": "a",
    "domains": "a.",
    "at signs": "a@a.",
    "addresses": "a@b.com ",
    "months": "may ",
    "cues": "MRN id # no ",
    "phones": "617-555-0100 ",
    "fax": "fax ",
    "urls": "http://a",
    "ages": "aged ",
    "emoji": "🙂3/4/12",
    "blank": " ",
    "lines": "\n",
    "surrogates": "\ud800@",
    "hospitals": "Mercy Hospital of ",
    "hospital words": "Clinic ",
    "lone capitals": "A B C D ",
    "joined capitals": "A-",
    "towns": "lives in Boston, MA ",
    "states": ", MA",
    "states in lines": "MA\n",
    "streets": "12 Elm St ",
    "saints": "St. ",
    "boxes": "P.O. Box ",
    "places of treatment": "seen at ",
    "counties": "Polk County ",
    "companies": " Inc",
    "employers": "worked for ",
    "jobs": "is a cook ",
    "brackets": "(farmer ",
    "facilities": "\nMSH|^~\\&|",
    "years": "in 2014-",
    "short dates": "on 3/4, ",
    "month dates": "May 3, ",
    "days": "Sat and ",
    "schedules": "T/Th/",
    "seasons": "last fall ",
    "holidays": "new year",
    "years alone": "1975 MI ",
    "stamps": "20120304",
    "ages of kin": "son Al, 3, ",
    "ages with sex": "39 M  ",
    "names of numbers": "MRN no. : id is ",
    "groups": "ins 12 34 ",
    "plans": "Aetna card ID ",
    "segments": "\nPID|1||12~",
    "fields": "PID|",
    "hexadecimal": "fe80:",
    "pairs": "a0-",
    "logins": "user jdoe1.",
    "spelled addresses": "a dot b at c dot ",
    "banners": "Roe, Jo  12345  ",
    "credentials": "MD  A1234 ",
    "vehicles": "car plate A1 ",
    "prints": "photo A-1 a ",
    "extensions": "ext. x12, ",
    "vanity": "800-AB-CD-",
    "capitals": "Jane Smith Mary ",
    "capitals throughout": "JANE SMITH, ",
    "titles": "Dr. Dr. ",
    "doctors": "Drs. Smith, Jones, ",
    "initials": "J. ",
    "initials joined": "J.R.",
    "particles": "de la ",
    "hyphens": "Smith-",
    "apostrophes": "O'",
    "relatives": "wife Mary, ",
    "children": "Sasha 11, ",
    "labels of names": "Patient: ",
    "signatures": "\n/s/ J. ",
    "typists": "JS/mk\n",
    "surnames first": "\nDOE, JANE",
    "possessives": "Mary's ",
    "combining accents": "e\u0301",
}


THIRDS = 3


@pytest.mark.parametrize(
    ("name", "third"),
    [
        # Each rule and each text are tried, but not each rule on each text.
        (pytest.param if third == number % THIRDS else rest)(name, third)
        for number, name in enumerate(RECOGNISERS)
        for third in range(THIRDS)
    ],
)
@pytest.mark.slow
def test_time_grows_with_the_length(name: str, third: int) -> None:
    def found(text: str) -> list[Candidate]:
        return run(name, text)

    for kind, piece in itertools.islice(HOSTILE.items(), third, None, THIRDS):
        assert_linear(functools.partial(repeated, piece), found, 4_000, kind)


@pytest.mark.parametrize(("piece", "dates"), [rest("x", 0), ("é 3/4/12 🙂 x", 100_000)])
@pytest.mark.slow
def test_lines_of_ten_million_characters(piece: str, dates: int) -> None:
    text = (piece * 100_000).ljust(10_000_000, "x")
    found = recognise_all(Document(text), Context(), RECOGNISERS)
    assert len(found) == dates
    assert {text[c.start : c.end] for c in found} <= {"3/4/12"}


def test_recognise_all_sorts_and_refuses_unknown_names() -> None:
    document = Document("MRN 1234567 on 3/4/12, call 617-555-0100")
    found = recognise_all(document, Context(), ("phone", "date", "medical_record", "date"))
    assert [c.detector for c in found] == ["medical_record", "date", "phone"]
    assert found == sorted(found)
    assert recognise_all(document, Context(), ()) == []
    with pytest.raises(
        UsageError, match=r"unknown recogniser 'dates' \(did you mean 'date'\?\); known: a"
    ):
        recognise_all(document, Context(), ("dates",))


def test_rules_have_hashes_of_their_own() -> None:
    hashes = {rule_hash(name) for name in RECOGNISERS}
    assert len(hashes) == len(RECOGNISERS)
    assert all(len(digest) == 64 for digest in hashes)
    with pytest.raises(UsageError):
        rule_hash("nothing")
