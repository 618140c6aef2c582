"""Identifiers in disguise are found, and nothing else changes by it."""

import functools
import json
import re
import string

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline import Scrubber
from scrubline.models.core.batches import Batch
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.documents import Documents, Rows
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.spans import Candidate
from scrubline.models.core.views import View
from scrubline.models.jobs.steps import (
    featurize_batch,
    label_batch,
    merge_batch,
    recognise_batch,
    scrub_batch,
    tokenize_batch,
)
from scrubline.models.recognisers import DEFAULT_RECOGNISERS
from scrubline.models.redaction.merging import ESCAPE
from scrubline.models.views.batches import views_of
from scrubline.models.views.signs import within_signs
from scrubline.models.views.table import decoded

from benchmarks.disguises import FORMS, left, one_pass, written

from ...examples import examples

BODIES = ("HTML body", "RTF body", "XML attribute")
full = functools.cache(lambda: Scrubber("en-default"))  # opened by the first test that asks
rules = functools.cache(Scrubber)


@pytest.mark.parametrize(
    "form", [form for form in FORMS if form.in_scope], ids=lambda form: form.name
)
def test_of_the_forms_in_scope_nothing_is_left(form):
    assert left(full(), form) == []


@pytest.mark.parametrize("form", [f for f in FORMS if not f.in_scope], ids=lambda form: form.name)
def test_of_the_other_forms_no_more_is_left_than_without_views(form):
    with one_pass():
        before = left(full(), form)
    assert set(left(full(), form)) <= set(before)
    assert form.name not in BODIES or not before


SPANISH = "Nombre: {name}. NHC: {number}. Fecha de nacimiento: {born}. Ingresa en el Hospital."
SPANISH_PARTS = {"name": "Ernesto Rivera Bueno", "number": "4521763", "born": "12/03/1961"}


@pytest.fixture(scope="module")
def spanish():
    return Scrubber("meddocan-default", recognisers="recipe")


@pytest.mark.parametrize(
    "write",
    [
        lambda t: "".join(f"&#{ord(c)};" for c in t),
        lambda t: "".join(f"\\u{ord(c):04x}" for c in t),
        lambda t: "".join(f"%{ord(c):02X}" for c in t),
        lambda t: "\u200d".join(t),
        lambda t: "\0".join(t),
        lambda t: t[:4] + "-\n" + t[4:],
    ],
    ids=["entities", "JSON", "percent", "joiners", "NUL", "wrap"],
)
def test_what_is_found_in_spanish_is_found_in_disguise(spanish, write):
    text = SPANISH.format(**SPANISH_PARTS)
    disguised = SPANISH.format(**{name: write(value) for name, value in SPANISH_PARTS.items()})
    shown = spanish.scrub(disguised)
    for value in SPANISH_PARTS.values():
        assert value not in spanish.scrub(text)
        assert write(value) not in shown
        assert write(value)[3:-3] not in shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SSN 1\u200d2\u200c3-4\u20605-67\u00ad8\ufe0f9", "SSN [SSN]"),
        ("MRN: 12&#51;4567, calm", "MRN: [MEDICALRECORD], calm"),
        ("seen 03\\/04\\/2012", "seen [DATE]"),
        ("seen 03/-\r\n04/2012 again", "seen [DATE] again"),
        (
            "a 9-\n4-year-old, a 9-4-year-old, a 9\0004-year-old",
            "a [AGE]-year-old, a [AGE]-year-old, a [AGE]-year-old",
        ),
        ("a 5-\n4-year-old", None),
        ("a 54-year-old &amp; well", "a 54-year-old &amp; well"),
        ("Account&nbsp;number:\nA77B19\nwell", "Account&nbsp;number:\n[ACCOUNT]\nwell"),
        ("Acc\u00adount number:\nA77B19", "Acc\u00adount number:\n[ACCOUNT]"),
        ("<b>Acc</b>ount number:\nA77B19", "<b>Acc</b>ount number:\n[ACCOUNT]"),
        ("A&nbsp;dose:\nA77B19", "A&nbsp;dose:\nA77B19"),
        ("DOB: 03/04/19-\n57. He is well", "DOB: [DATE]. He is well"),
        ("MRN 48219-\n17. Stable", "MRN [MEDICALRECORD]. Stable"),
        ("Phone 617-555-01-\n99. ok", "Phone [PHONE]. ok"),
        ("Phone 617-555-01-\r99) ok", "Phone [PHONE]) ok"),
        ("DOB: 03%2F04/2019 seen.", "DOB: [DATE] seen."),
        ("DOB 03/04%2F1957", "DOB [DATE]"),
        ("Tel 617-555%2D0199", "Tel [PHONE]"),
        ("SSN: 123=2D45=2D6789", "SSN: [SSN]"),
        ("SSN: 123=2045=206789", "SSN: [SSN]"),
        ("DOB 03/<em>04</em>/1957", "DOB [DATE]"),
        ("SSN \xb9\xb2\xb3-\u2074\u2075-\u2076\u2077\u2078\u2079", "SSN [SSN]"),
        ("MRN \u2074\u2078\u00b2\u00b9\u2079\u2070", "MRN [MEDICALRECORD]"),
        ("MRN &#000000052;8219", "MRN [MEDICALRECORD]"),
        ("Dr. Oka-\u2028for", "Dr. [DOCTOR]"),
        ("Dr. Oka-\rfor came", "Dr. [DOCTOR] came"),
        ("Dr. Oka-\n\nfor came", "Dr. [DOCTOR] came"),
        ("Dr. Oka\u2013\nfor came", "Dr. [DOCTOR] came"),
        ("Dr. Oka</w:t></w:r><w:r><w:t>for came", "Dr. [DOCTOR] came"),
        ("SSN 219=E2=80=8B-09-=E2=80=8B9999", "SSN [SSN]"),
        ("MRN: 4821=E2=80=AF9037", "MRN: [MEDICALRECORD]"),
        ("MRN: 4821%E2%80%8B9037", "MRN: [MEDICALRECORD]"),
        ("Dr. Oka=E2=80=8Bfor came", "Dr. [DOCTOR] came"),
        (r"Dr. Ren\u233  Lef\uc0\u232 vre came", "Dr. [DOCTOR] came"),
        (r"Dr. Lef\u232\'e8vre came", "Dr. [DOCTOR] came"),
        (r"Dr. Oka\-for came", "Dr. [DOCTOR] came"),
        (r"SSN 219\_09\_9999", "SSN [SSN]"),
        (r"Dr. Lef\xc3\xa8vre came", "Dr. [DOCTOR] came"),
        (r"Dr. Lef\303\250vre came", "Dr. [DOCTOR] came"),
        (r"Dr. Lef\\u00e8vre came", "Dr. [DOCTOR] came"),
        (r"Mail grac-\\ne.o@mail.example now", "Mail [EMAIL] now"),
        ("Dr. Oka&#0;for came", "Dr. [DOCTOR] came"),
        ("a 9<b>3</b>-year-old", "a [AGE]</b>-year-old"),
        ("<b>9</b>3 y/o, <td>93 y/o", "<b>90+</b> y/o, <td>90+ y/o"),
        ("a <b>53</b>-year-old", "a <b>53</b>-year-old"),
        ("MRN: 4821\u2014\n9037", "MRN: [MEDICALRECORD]"),
        ("Dr. O\u2009k\u2009a\u2009f\u2009o\u2009r came", "Dr. [DOCTOR] came"),
    ],
)
def test_rules_see_through(text, expected):
    if expected is None:
        assert "5-\n4" not in rules().scrub(text)
    else:
        assert rules().scrub(text) == expected


HOSTILE = st.text(
    alphabet=st.sampled_from("3/4201Ab.-= %&#51;\n\r\0\b\x1b[m\u200d\u00ad\u0336Dr"), max_size=60
)


@examples(150)
@given(HOSTILE)
def test_what_was_accepted_goes_and_all_else_stays(text):
    spans, out = rules().spans(text), rules().scrub(text)
    at = out_at = 0
    for span in spans:
        same = text[at : span.start]
        assert out[out_at : out_at + len(same)] == same
        replacement = text[span.start : span.end] if span.replacement is None else span.replacement
        out_at += len(same) + len(replacement)
        at = span.end
    assert out[out_at:] == text[at:]
    removed = {
        i for span in spans if span.replacement is not None for i in range(span.start, span.end)
    }
    for candidate in rules().candidates(text)[0]:
        if candidate.label not in ("AGE", "ZIP", "STATE"):
            assert removed >= set(range(candidate.start, candidate.end))


@examples(100)
@given(HOSTILE)
def test_the_second_pass_only_adds_but_in_escapes_of_signs(text):
    with one_pass():
        before = set(rules().candidates(text)[0])
    for candidate in before.difference(rules().candidates(text)[0]):
        assert re.search(r"&[#\w]*;?|%[\dA-F]{2}|=[\dA-F]{2}", text[: candidate.end]) is not None
        assert not decoded_at(text, candidate.start, candidate.end).intersection(string.digits)


def decoded_at(text, start, end):
    """The characters of the text as it is read that stand for some of [start, end)."""
    view = decoded(View.of(text, 0, len(text)))
    places = zip(view.text, view.starts.tolist(), view.ends.tolist(), strict=True)
    return {one for one, low, high in places if low < end and start < high}


SIGNS = (
    "Give 10&#8211;20 mg morphine",
    "Platelets &le;50 or ANC &ge;500",
    "Give 2&ndash;4 mg",
    "Take 5&frac12; tabs",
    "Lag &plusmn;2",
    "SpO&#8322; 97%",
    "&#9679; Lisinopril 10 mg daily",
    r"10\u201320 mg",
    r"\u2022 Lisinopril 10 mg daily",
    "Temp 37&nbsp;&deg;C, n&ordm; 3",
    "&gamma;-GT 40, &beta;-hCG neg, TNF-&alpha; 5",
    "10&amp;#8211;20 mg, 10&amp;ndash;20 mg",
    "Give 10=E2=80=9320 mg=20morphine",
    r"{\rtf1 \'b7 Give 10\'9620 mg \u8211\'96 \u9679 ?x\par}",
    "10&#8203;mg a&#8203;day &#8203;Lisinopril",
    "&bull; Lisinopril &rarr; &hellip; 2 &times; 3",
)


@pytest.mark.parametrize("text", SIGNS)
def test_what_lies_within_escapes_of_signs_stays(text):
    assert full().scrub(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. &#79;kafor &#8211; seen", "Dr. [DOCTOR] &#8211; seen"),
        ("MRN&#58;4821903&#44; well", "MRN&#[MEDICALRECORD]&#44; well"),
        ("Dr. O&#8217;Brien came", "Dr. [DOCTOR] came"),
        ("Dr. &Alpha;&nu;&nu;&alpha; came", "Dr. [DOCTOR] came"),
        ("SSN &sup1;&sup2;&sup3;-&#8308;&#8309;-&#8310;&#8311;&#8312;&#8313;", "SSN [SSN]"),
        ("SSN 123&#45;45&#8209;6789", "SSN [SSN]"),
        ("DOB 03&#8725;04&#47;1957", "DOB [DATE]"),
        ("Dr. =4F=20=42rien came", "Dr. [DOCTOR] came"),
        ("MRN: &#52;&#56;&#50;&#49;&#57;&#48;&#51;", "MRN: [MEDICALRECORD]"),
    ],
)
def test_what_reaches_beyond_escapes_of_signs_goes(text, expected):
    assert full().scrub(text) == expected


def test_what_lies_within_escapes_of_signs_has_its_reason_in_the_audit():
    text = "MRN: &#8211; today, seen 3/4/2012 by Dr. &#79;kafor"
    spans = full().spans(text)
    told = [text[s.start : s.end] for s in spans if s.reason == ESCAPE]
    assert told == ["&#8211"]
    assert "&#8211" not in {text[c.start : c.end] for c in full().candidates(text)[0]}
    assert all(s.action == "keep" and s.replacement is None for s in spans if s.reason == ESCAPE)
    assert [s.label for s in spans if s.reason is None] == ["DATE", "DOCTOR"]


def test_what_is_denied_goes_also_within_escapes_of_signs(tmp_path):
    policy = tmp_path / "site.toml"
    policy.write_text(
        'name = "site"\nextends = "hipaa"\n[deny]\nORGANIZATION = ["zyxwort", "8211"]\n',
        encoding="utf-8",
    )
    by_rules = Scrubber(models=[], policy=str(policy))
    assert by_rules.scrub("10&#8211;20") == "10&#[ORGANIZATION];20"


def test_within_signs_is_nothing_that_touches_a_letter_or_digit_of_the_text():
    text = "10&#8211;20 &mu;&nu; &#79;k &le;"
    within = within_signs(text, views_of(text, [0]))
    stretches = [
        (text.index(part), text.index(part) + len(part)) for part in ("8211", "&le;", "le")
    ]
    assert all(within(low, high) for low, high in stretches)
    for part in ("8211;20", "10&#8211", "mu", "&mu;&nu;", "79", "k &le;", " "):
        low = text.index(part)
        assert not within(low, low + len(part)), part
    assert within_signs("Oka-\nfor", views_of("Oka-\nfor", [3])) is None


def batch_of(*texts):
    numbers = np.arange(len(texts))
    nothing = (None,) * len(texts)
    rows = Rows(numbers, nothing, nothing, nothing, pa.table({}), numbers)
    return Batch(0, True, rows, Documents.of(*texts))


def spans_of(*texts):
    batch = tokenize_batch(batch_of(*texts), Budgets())
    batch = label_batch(featurize_batch(batch, full().detectors), full().detectors)
    batch = recognise_batch(batch, tuple(DEFAULT_RECOGNISERS))
    batch = scrub_batch(merge_batch(batch, full().policy, Budgets()))
    return batch.spans.by_document(len(texts)), batch


def test_a_document_comes_out_alike_whatever_stands_in_its_batch():
    texts = [written(form)[0] for form in FORMS[:-1:6]] + [
        "O",
        " k a f",
        "",
        "plain",
        "&#79;-",
        "\n",
    ]
    together, _ = spans_of(*texts)
    for text, spans in zip(texts, together, strict=True):
        assert spans_of(text)[0] == [spans]


def test_a_view_that_fails_fails_its_row_alone(monkeypatch):
    from scrubline.models.recognisers import RECOGNISERS

    def recognise(document, context):
        if "decoded" in document.text:
            raise ZeroDivisionError
        return iter([Candidate(0, 1, "DATE", "date", 0.5)] if document.text else [])

    monkeypatch.setattr(RECOGNISERS["date"], "recognise", recognise)
    _, batch = spans_of("fine &#97;", "deco&#100;ed", "fine")
    assert {row: (f.stage, f.error) for row, f in batch.failures.items()} == {
        1: ("recognise", "ZeroDivisionError")
    }
    assert batch.scrubbed.texts[1] is None


def test_deny_lists_see_through(tmp_path):
    policy = tmp_path / "site.toml"
    policy.write_text(
        'name = "site"\nextends = "hipaa"\n[deny]\nORGANIZATION = ["zyxwort"]\n', encoding="utf-8"
    )
    scrubber = Scrubber(policy=str(policy))
    assert scrubber.scrub("of zyxwort and zyx-\nwort") == "of [ORGANIZATION] and [ORGANIZATION]"


def parted(text, between, size=30):
    return between.join(text[at : at + size] for at in range(0, len(text), size))


BASE64 = written(FORMS[-1])[0]
PLAIN = "She was treated with ceftriaxone and had no chest pain.\n"


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (BASE64, True),
        (PLAIN * 3 + BASE64, True),
        (PLAIN * 100 + BASE64, False),
        (BASE64.encode().hex(), True),
        (BASE64[:150], False),
        (PLAIN.replace(" ", "") * 30, False),
        ("_" * 5000 + "=" * 5000 + "A" * 5000, False),
        ("0x" + BASE64.encode().hex(), True),
        ("note=0X" + BASE64.encode().hex().upper(), True),
        ("\\x" + BASE64.encode().hex(), True),
        ("x'" + BASE64.encode().hex() + "'", True),
        (parted(BASE64.replace("\n", ""), "\u200b"), True),
        (parted(BASE64.encode().hex(), "&#8203;"), True),
        (parted(BASE64.replace("\n", ""), "=\r\n"), True),
        (PLAIN * 100 + parted(BASE64.replace("\n", ""), "\u200b"), False),
    ],
)
def test_a_text_that_is_mostly_encoded_is_refused(text, refused):
    if not refused:
        rules().scrub(text)
        return
    with pytest.raises(DocumentError, match="OverBudget:encoded"):
        rules().scrub(text)
    Scrubber(budgets=Budgets(max_encoded_share=1.0)).scrub(text)


@pytest.mark.parametrize(
    ("before", "encoded", "after"),
    [
        ('<p>x</p><img src="', "data:image/png;base64," + BASE64.replace("\n", ""), '">'),
        ("{\\rtf1 {\\pict", " " + BASE64.encode().hex(), "} She is well.}"),
        ("{\\rtf1 {\\object{\\*\\objdata", " " + BASE64.encode().hex(), "}}}"),
    ],
)
def test_what_markup_embeds_goes(before, encoded, after):
    assert rules().scrub(before + encoded + after) == before + after


def test_notes_are_not_taken_for_encoded():
    notes = [
        json.dumps({"n": 1}),
        "3/4/2012 " * 300,
        "WBC 5.1 HGB 13.2 " * 100,
        "MRN:1234567;" * 100,
    ]
    for note in notes:
        rules().scrub(note)
