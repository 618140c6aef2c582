"""Single texts in markup: opened as those of tables are, and written back as they came."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline import DocumentsFailed, Scrubber, UsageError
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import DocumentError
from scrubline.models.formats.text_markup import is_message, opened_as
from scrubline.models.rendering.kinds import LAYERS

from ..examples import examples

RULES = Scrubber(models=None)
HTML = "<p title='Dr. Jo Quimby'>Seen Dr. Quim<b>by</b> on 3/4&#47;2019.</p><!-- MRN: 1234567 -->"
RTF = r"{\rtf1\ansi{\info{\author Ruth Halvorsen}}\pard Dr. Fothering\b ay\b0  on 3/4/2019.\par}"
XML = "<?xml version='1.0'?><note id='x7'>Seen Dr. Quimby on <b>3/4</b>/2019.</note>"

WRITTEN = {
    "HTML": (
        HTML,
        "<p title='Dr. [DOCTOR]'>Seen Dr. [DOCTOR]<b></b> on [DATE].</p><!---->",
        "html",
    ),
    "RTF": (RTF, r"{\rtf1\ansi{\info}\pard Dr. [DOCTOR]\b \b0  on [DATE].\par}", "rtf"),
    "XML": (
        XML,
        "<?xml version='1.0'?><note id=''>Seen Dr. [DOCTOR] on <b>[DATE]</b>.</note>",
        "xml",
    ),
    "plain": ("Seen <b>Dr. Quimby</b>", "Seen <b>Dr. [DOCTOR]</b>", ""),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_a_text_is_read_as_it_begins(case):
    source, expected, markup = WRITTEN[case]
    result = RULES.explain(source)
    assert (result.text, result.markup) == (expected, markup)
    assert RULES.scrub(source) == RULES.scrub_many([source])[0] == expected
    assert RULES.spans(source) == list(result.spans)
    assert result.as_json().get("markup", "") == markup
    if markup:
        assert RULES.scrub(source, markup=markup) == expected
        with pytest.raises(UsageError, match="written in"):
            result.beside_original(source)


def test_what_is_said_holds_whatever_a_text_begins_with():
    assert RULES.explain(HTML, markup="plain").markup == ""
    assert "MRN: [MEDICALRECORD]" in RULES.scrub(HTML, markup="plain")
    assert RULES.scrub("Seen 3/4&#47;2019 <b>", markup="html") == "Seen [DATE] <b>"
    with pytest.raises(DocumentError, match="UnmappedMarkup"):
        RULES.scrub("<p>Seen", markup="xml")
    with pytest.raises(UsageError, match=r"did you mean 'html'.*html, rtf, xml, plain"):
        RULES.scrub("x", markup="htm")
    with pytest.raises(UsageError, match="unknown kind"):
        RULES.spans("x", markup="")


@pytest.mark.parametrize("text", ["", " \r\n", "Seen 3/4/2019.", "{ a } \\rtf1", "\ufeff"])
def test_what_is_called_rtf_may_be_plain(text):
    assert RULES.scrub(text, markup="rtf") == RULES.scrub(text, markup="plain")
    assert opened_as("rtf", text) is None


def test_what_is_called_rtf_may_be_html_and_is_told():
    assert opened_as("rtf", HTML).recognised == "html"
    assert opened_as("rtf", "\ufeff " + RTF).recognised == ""
    assert RULES.explain(HTML, markup="rtf").markup == "html"


MESSAGES = (
    "MSH|^~\\&|A|B|C",
    "\x0bMSH|^~\\&|A",
    "\ufeff\r\nFHS|^~\\&|A",
    "BHS|^~\\&|A",
    "MSH#$%-+#A",
)


@pytest.mark.parametrize("text", MESSAGES)
def test_messages_are_known_by_their_beginning(text):
    assert is_message(text) and opened_as(None, text) is None


@pytest.mark.parametrize("text", ["MSH normal", "MSH: 4||", "BHS | x", "x MSH|^~\\&|", "MSH|a|b|"])
def test_texts_that_name_a_segment_are_none(text):
    assert not is_message(text)


def test_one_text_that_cannot_be_opened_takes_no_other_along():
    broken = r"{\rtf1 {x"
    with pytest.raises(DocumentsFailed) as failed:
        RULES.scrub_many([RTF, broken, None, "Seen 3/4/2019."])
    assert failed.value.errors[1].code == "UnmappedMarkup"
    assert failed.value.texts == [WRITTEN["RTF"][1], None, None, "Seen [DATE]."]
    with pytest.raises(DocumentError, match="UnmappedMarkup"):
        RULES.spans(broken)


def test_budgets_hold_for_what_is_read():
    small = Scrubber(models=None, budgets=Budgets(line_characters=20))
    assert small.scrub("<p>" + "a" * 9 + "</p>") is not None
    with pytest.raises(DocumentError, match="OverBudget:line"):
        small.scrub("<p>" + "\n".join("a" * 15 for _ in range(3)) + "</p>")


def test_scoring_reads_texts_as_they_are_written():
    ((entity,),) = RULES.entities("<p>Seen 3/4/2019</p>")
    assert (entity.start, entity.end) == (8, 16)


PARTS = (
    *("Seen ", "3/4/2019", " Dr. Quimby", "MRN: 12345", "67", ".", "\n", " ", "é"),
    *("<p>", "</p>", "<b>", "</b>", "<br>", "<!-- Dr. Quimby -->", "&nbsp;", "&#51;", "<i id=x>"),
    *("<b hidden>", "<p title='Dr. Quimby'>", "<", "&", "<pre>", "<xmp>"),
)
RTF_PARTS = (
    *("Seen ", "3/4/2019", " Dr. Quimby", "MRN: 12345", "67", ".", "\n", " "),
    *(r"\par ", r"\b ", r"\b0", r"{\i ", "}", r"\'33", r"\u51?", r"{\v x}", r"\foo ", r"\tab "),
)


def _assert_placed(scrubber, source):
    try:
        result = scrubber.explain(source)
    except DocumentError:
        return
    places = list(zip(result.out_starts, result.out_ends, strict=True))
    assert all(low <= high for low, high in places)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(places))
    read = opened_as(None, source)
    for span, (low, high) in zip(result.spans, places, strict=True):
        if span.replacement is not None:
            found = result.text[low:high]  # `<[DATE]` could be read as a tag
            assert span.replacement == (found.replace("&#91;", "[") if read else found)
        elif read is None:
            assert result.text[low:high] == source[span.start : span.end]
        else:
            kept = (
                LAYERS[result.markup](result.text[low:high]).text if result.markup != "rtf" else ""
            )
            assert not kept or kept == read.text[span.start : span.end].strip()


KEEPING = Scrubber(models=None, policy="research")


@examples(200)
@given(parts=st.lists(st.sampled_from(PARTS), max_size=12))
def test_a_replacement_lies_where_it_is_said_to_in_html(parts):
    _assert_placed(RULES, "<p>" + "".join(parts) + "</p>")
    _assert_placed(KEEPING, "<p>" + "".join(parts) + "</p>")


@examples(200)
@given(parts=st.lists(st.sampled_from(RTF_PARTS), max_size=12))
def test_a_replacement_lies_where_it_is_said_to_in_rtf(parts):
    _assert_placed(RULES, r"{\rtf1\ansi " + "".join(parts) + "}")
    _assert_placed(KEEPING, r"{\rtf1\ansi " + "".join(parts) + "}")
