"""What holds of every entry of the table."""

import io
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models import corpora
from scrubline.models.corpora import (
    CORPORA,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    FolderFormat,
    GroupFormat,
    StreamFormat,
)

from ...examples import examples
from .conftest import corpora_of, documents_of, ids_for, parsed_back, shown

FORMS = pytest.mark.parametrize("form", CORPORA.values(), ids=CORPORA.keys())
XML = ("i2b2_2014", "i2b2_2006")
DISJOINT = ("i2b2_2006", "conll")
SECRET = "Abernathy"


def test_every_format_is_listed_under_its_name():
    helpers = {"__init__", "base", "files", "inline", "markup", "safe_reader"}
    assert set(CORPORA) == {p.stem for p in Path(corpora.__file__).parent.glob("*.py")} - helpers
    assert all(form.name == name for name, form in CORPORA.items())


@FORMS
@given(data=st.data())
def test_what_was_rendered_is_parsed_back(form, data):
    options = {"xml": form.name in XML, "blank": form.name != "conll"}
    documents = ids_for(data.draw(corpora_of(**options)), form.name)
    assert shown(parsed_back(form, documents)) == shown(documents)


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.permutations(CORPORA, 2)), ids=lambda name: name
)
@examples(25)
@given(documents=corpora_of())
def test_there_and_back_through_every_pair(first, second, documents):
    documents = ids_for(documents, first, second)
    there = parsed_back(CORPORA[first], documents)
    back = parsed_back(CORPORA[first], parsed_back(CORPORA[second], there))
    assert shown(back) == shown(documents)


@FORMS
@given(document=documents_of(), random=st.randoms())
def test_equal_documents_give_equal_bytes(form, document, random):
    spans = tuple(random.sample(document.spans, len(document.spans)))
    documents = [AnnotatedDocument("1", document.text, spans) for spans in (document.spans, spans)]
    documents = [ids_for([document], form.name)[0] for document in documents]
    assert form.render(documents[:1]) == form.render(documents[1:])


@FORMS
@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("", ()),
        (" \n", ()),
        ("x", ((0, 1),)),
        ("ab", ((0, 1), (1, 2))),
        ("\n\nDr. Who said", ((6, 9),)),
        ("12/3/2012", ((0, 2), (3, 4), (5, 9))),
        ("Abernathy", ((2, 4),)),
        (" Who \t", ((0, 6),)),
        ("Who. The end", ((0, 8),)),
        ("a\r\nb\rc\n", ((0, 1), (3, 4), (5, 6))),
        ("]]>]]]>>", ((0, 3), (4, 7))),
        ("🙂 🙂", ((2, 3),)),
        ("\ufeffWho", ((0, 4),)),
        ("-DOCSTART-\n# doc_id = 9\n\n", ((0, 10),)),
        ("Who " * 10_000, ((39_996, 39_999),)),
        ("x" * 10_000_000, ((9_999_999, 10_000_000),)),
    ],
    ids=range(16),
)
def test_texts_and_spans_that_trip_up(form, text, spans):
    document = AnnotatedDocument("1", text, tuple(Annotation(*span, "DATE") for span in spans))
    (document,) = ids_for([document], form.name)
    assert shown(parsed_back(form, [document])) == shown([document])


@FORMS
def test_overlapping_spans_are_kept_or_refused(form):
    for pair in (((0, 3), (2, 5)), ((0, 5), (1, 2)), ((0, 5), (0, 5))):
        spans = tuple(Annotation(*span, "DATE") for span in pair)
        document = AnnotatedDocument("1", f"{SECRET}", spans)
        (document,) = ids_for([document], form.name)
        if form.name in DISJOINT:
            with pytest.raises(CorpusError, match="OverlappingSpans") as caught:
                form.render([AnnotatedDocument("0", ""), document])
            assert caught.value.line == 2
        else:
            assert shown(parsed_back(form, [document])) == shown([document])


@FORMS
@pytest.mark.parametrize("character", ["\0", "\x01", "\x0b", "\x0c", "\x1f", "\ufffe", "\uffff"])
def test_control_characters_are_kept_or_refused(form, character):
    document = AnnotatedDocument("1", f"{SECRET} {character}.", (Annotation(0, 9, "DATE"),))
    (document,) = ids_for([document], form.name)
    if form.name in XML:
        with pytest.raises(CorpusError, match=f"U\\+{ord(character):04X}, at 10 of") as caught:
            form.render([AnnotatedDocument("0", ""), document])
        assert (caught.value.line, caught.value.fault) == (2, "NotXml")
        assert SECRET not in str(caught.value)
    else:
        assert shown(parsed_back(form, [document])) == shown([document])


@FORMS
@pytest.mark.parametrize(
    ("document", "faults"),
    [
        (AnnotatedDocument("1", f"{SECRET}\ud800"), {"LoneSurrogate", "NotXml"}),
        (AnnotatedDocument("0", SECRET), {"DuplicateDocId"}),
    ],
    ids=["surrogate", "duplicate"],
)
def test_what_no_form_can_hold_is_refused(form, document, faults):
    documents = [AnnotatedDocument("0", ""), document]
    if document.doc_id == "0":
        documents = [*ids_for(documents[:1], form.name), *ids_for(documents[1:], form.name)]
    else:
        documents = ids_for(documents, form.name)
    with pytest.raises(CorpusError) as caught:
        form.render(documents)
    assert caught.value.line == 2
    assert caught.value.fault in faults
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


# -- hostile input


def sample(form):
    """A corpus with something of everything, as contents to parse."""
    text = f"Dr. {SECRET}\r\nseen 3/4/12 ]]> & é🙂\n"
    spans = (Annotation(4, 13, "DOCTOR"), Annotation(20, 26, "DATE"))
    documents = [AnnotatedDocument("1", text, spans), AnnotatedDocument("2", "", ())]
    documents = ids_for(documents, form.name)
    rendered = form.render(documents[:1] if isinstance(form, FolderFormat) else documents)
    if isinstance(form, StreamFormat):
        return [rendered]
    stem = form.stem if isinstance(form, GroupFormat) else "1"
    return [rendered[stem + ending] for ending in form.endings]


def parse(form, contents):
    return form.parse(contents[0] if isinstance(form, StreamFormat) else contents, SECRET)


def parse_or_refuse(form, contents):
    """Nothing but a CorpusError comes up, and it tells nothing."""
    try:
        return parse(form, contents)
    except CorpusError as error:
        assert error.line >= 1
        assert SECRET not in str(error)
        assert error.__suppress_context__ or error.__context__ is None
        return None


@FORMS
def test_a_file_cut_at_any_byte(form):
    contents = sample(form)
    whole = {(text, *spans) for _, text, spans in shown(parse(form, contents))}
    assert whole
    for index, content in enumerate(contents):
        for end in range(len(content)):
            cut = [*contents[:index], content[:end], *contents[index + 1 :]]
            documents = parse_or_refuse(form, cut)
            if form.name in XML and content[end:].strip():
                assert documents is None
            if form.name == "standoff" and documents is not None:
                assert {(text, *spans) for _, text, spans in shown(documents)} <= whole


@FORMS
@given(data=st.data())
def test_a_file_with_a_changed_byte(form, data):
    contents = sample(form)
    index = data.draw(st.integers(0, len(contents) - 1))
    place = data.draw(st.integers(0, len(contents[index]) - 1))
    changed = bytearray(contents[index])
    changed[place] = data.draw(st.integers(0, 255))
    contents[index] = bytes(changed)
    for document in parse_or_refuse(form, contents) or ():
        document.text.encode()  # no half of a surrogate pair came up


@FORMS
@given(content=st.binary(max_size=300))
def test_any_bytes(form, content):
    for contents in itertools.product([content, b""], repeat=len(sample(form))):
        parse_or_refuse(form, list(contents))


@FORMS
@pytest.mark.parametrize("content", [b"\xed\xa0\x80", b"\xff\xfe\0", b"\xc3", b"a\nb\n\xff"])
def test_bytes_that_are_no_text(form, content):
    assert parse_or_refuse(form, [content] * len(sample(form))) is None


@FORMS
@pytest.mark.parametrize("content", [b"a" * 10_000_000, b"<" * 1_000_000, b"<a " * 1_000_000])
def test_long_lines_are_refused_soon(form, content):
    if isinstance(form, StreamFormat):
        assert parse_or_refuse(form, [content]) is None
        return
    # The content of any text is a text.
    for place in range(int(form.name == "brat"), len(form.endings)):
        contents = [b""] * len(form.endings)
        contents[place] = content
        assert parse_or_refuse(form, contents) is None


@pytest.mark.parametrize(
    "form",
    [form for form in CORPORA.values() if isinstance(form, StreamFormat)],
    ids=lambda form: form.name,
)
def test_documents_come_one_at_a_time(form):
    documents = (AnnotatedDocument(str(i), "x" * 100_000) for i in range(40))
    content = io.BytesIO(form.render(documents))
    assert next(form.read(content, "")).doc_id == "0"
    assert content.tell() < 2_000_000
