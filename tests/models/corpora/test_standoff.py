import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import StorageError, UsageError
from scrubline.models.corpora import (
    AnnotatedDocument,
    Annotation,
    CorpusError,
    read_annotated,
    remap,
    write_annotated,
)

SECRET = "Abernathy"
GOOD = b'{"doc_id": "1", "text": "Dr. Who", "spans": [{"start": 4, "end": 7, "label": "DOCTOR"}]}'


def read(*lines: bytes) -> list[AnnotatedDocument]:
    return list(read_annotated(io.BytesIO(b"\n".join(lines))))


def line(**changes: object) -> bytes:
    row = {
        "doc_id": f"id-{SECRET}",
        "text": f"Mr {SECRET}",
        "spans": [{"start": 3, "end": 12, "label": "PATIENT"}],
        "meta": {},
    }
    kept = {key: value for key, value in (row | changes).items() if value is not ...}
    return json.dumps(kept).encode()


def with_span(**changes: object) -> bytes:
    span = {"start": 3, "end": 12, "label": "PATIENT"} | changes
    return line(spans=[{key: value for key, value in span.items() if value is not ...}])


def test_reads_spans_and_meta():
    (document,) = read(GOOD[:-1] + b', "meta": {"lang": "en"}}')
    assert document == AnnotatedDocument(
        "1", "Dr. Who", (Annotation(4, 7, "DOCTOR"),), {"lang": "en"}
    )


def test_documents_without_spans_or_meta_have_none():
    (document,) = read(b'{"doc_id": "", "text": ""}')
    assert document == AnnotatedDocument("", "", (), {})


@pytest.mark.parametrize("ending", [b"", b"\n"], ids=["open", "closed"])
def test_the_last_line_may_end_or_not(ending):
    assert len(read(GOOD + ending)) == 1


def test_an_empty_file_is_an_empty_corpus():
    assert read(b"") == []


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r"])
def test_only_line_feeds_end_lines(separator):
    raw = json.dumps({"doc_id": "1", "text": f"a{separator}b"}, ensure_ascii=separator < " ")
    (document,) = read(raw.encode())
    assert document.text == f"a{separator}b"


def test_carriage_returns_before_line_feeds_are_white_space():
    assert len(read(GOOD + b"\r", GOOD.replace(b'"1"', b'"2"') + b"\r")) == 2


@pytest.mark.parametrize("text", ["\ufeffx", "a\0b", "🙂" * 3, "é", "\r\n", "x" * 10_000_000])
def test_texts_are_untouched(text):
    stream = io.BytesIO()
    document = AnnotatedDocument("1", text, (Annotation(0, len(text), "X"),))
    write_annotated([document], stream)
    stream.seek(0)
    assert list(read_annotated(stream)) == [document]


def test_offsets_count_code_points():
    (document,) = read(with_span(start=0, end=2).replace(b"Mr", "🙂é".encode()))
    (span,) = document.spans
    assert document.text[span.start : span.end] == "🙂é"


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (b'{"doc_id": "1", "text": "Abernathy", "text": "b"}', "DuplicateKey"),
        (GOOD.replace(b'"end": 7', b'"end": 7, "end": 6'), "DuplicateKey"),
        (GOOD[:-1] + b', "meta": {"a": {"b": 1, "b": 1}}}', "DuplicateKey"),
        (b"", "BadJson"),
        (b"{", "BadJson"),
        (SECRET.encode(), "BadJson"),
        (line() + b" " + line(), "BadJson"),
        (line(meta={"x": float("nan")}), "BadJson"),
        (b"[" * 200_000, "BadJson"),
        (b'{"doc_id": "1", "text": ' + b"9" * 10_000 + b"}", "BadJson"),
        (b"\0\x01\x02", "BadJson"),
        (line().replace(b"Mr", b"M\xff"), "BadUtf8"),
        (b"\xed\xa0\x80", "BadUtf8"),
        (b"[]", "NotAnObject"),
        (b"null", "NotAnObject"),
        (line(doc_id=...), "MissingKey"),
        (line(text=...), "MissingKey"),
        (with_span(start=...), "MissingKey"),
        (with_span(end=...), "MissingKey"),
        (with_span(label=...), "MissingKey"),
        (line(span=[]), "UnknownKey"),
        (line(doc_id=7), "WrongType"),
        (line(text=None), "WrongType"),
        (line(spans=None), "WrongType"),
        (line(spans={}), "WrongType"),
        (line(meta=[]), "WrongType"),
        (line(spans=[[3, 12, "PATIENT"]]), "WrongType"),
        (with_span(start=3.0), "WrongType"),
        (with_span(start=True), "WrongType"),
        (with_span(end="12"), "WrongType"),
        (with_span(label=1), "WrongType"),
        (with_span(label=""), "EmptyLabel"),
        (with_span(end=3), "EmptySpan"),
        (with_span(end=2), "EmptySpan"),
        (with_span(start=12, end=12), "EmptySpan"),
        (with_span(start=-1), "OffsetOutsideText"),
        (with_span(end=13), "OffsetOutsideText"),
        (with_span(start=10**30, end=10**31), "OffsetOutsideText"),
        (line(meta={"span_texts": ["Abernath"]}), "SpanTextsDiffer"),
        (line(meta={"span_texts": []}), "SpanTextsDiffer"),
        (line(meta={"span_texts": None}), "SpanTextsDiffer"),
        (line(text="\ud800" * 12), "LoneSurrogate"),
        (line(doc_id="\udc00"), "LoneSurrogate"),
        (with_span(label="\ud800"), "LoneSurrogate"),
        (GOOD, "DuplicateDocId"),
    ],
)
def test_faults_name_line_and_kind_and_nothing_else(bad, fault):
    with pytest.raises(CorpusError) as caught:
        read(GOOD, bad, GOOD)
    assert (caught.value.line, caught.value.fault) == (2, fault)
    assert str(caught.value).startswith(f"corpus line 2: {fault}: ")
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_near_misses_of_faults_are_read():
    edge = with_span(start=0, end=12, text=SECRET)
    (document,) = read(edge)
    assert document.spans == (Annotation(0, 12, "PATIENT"),)


def test_a_byte_order_mark_is_a_fault_of_the_first_line():
    with pytest.raises(CorpusError) as caught:
        read(b"\xef\xbb\xbf" + GOOD)
    assert (caught.value.line, caught.value.fault) == (1, "ByteOrderMark")


def test_span_texts_are_checked_and_left_out():
    (document,) = read(line(meta={"span_texts": [SECRET], "lang": "en"}))
    assert document.meta == {"lang": "en"}


def test_documents_before_a_fault_are_given():
    documents = read_annotated(io.BytesIO(GOOD + b"\n{"))
    assert next(documents).doc_id == "1"
    with pytest.raises(CorpusError):
        next(documents)


def test_reprs_hold_no_text():
    (document,) = read(line(meta={"name": SECRET}))
    assert SECRET not in repr(document)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Annotation(-1, 1, "X"),
        lambda: Annotation(1, 1, "X"),
        lambda: Annotation(0, 1, ""),
        lambda: AnnotatedDocument("1", "ab", (Annotation(0, 3, "X"),)),
    ],
)
def test_impossible_annotations_cannot_be_made(make):
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
def test_files_are_packed_as_their_names_say(tmp_path, name):
    documents = read(GOOD)
    assert write_annotated(documents, tmp_path / name) == 1
    assert list(read_annotated(str(tmp_path / name))) == documents
    assert list(read_annotated((tmp_path / name).as_uri())) == documents


def test_a_missing_file_is_not_named(tmp_path):
    with pytest.raises(UsageError, match="does not exist") as caught:
        list(read_annotated(tmp_path / SECRET))
    assert SECRET not in str(caught.value)
    with pytest.raises(UsageError):
        list(read_annotated(f"nosuchprotocol://{SECRET}"))


def test_a_truncated_archive_is_a_storage_error(tmp_path):
    packed = gzip.compress(b"".join(line(doc_id=str(i)) + b"\n" for i in range(5000)))
    (tmp_path / "corpus.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(StorageError):
        list(read_annotated(tmp_path / "corpus.jsonl.gz"))


def test_writing_sorts_and_keeps_letters():
    spans = (Annotation(2, 3, "B"), Annotation(0, 1, "B"), Annotation(0, 3, "C"))
    spans += (Annotation(0, 1, "A"),)
    stream = io.BytesIO()
    write_annotated([AnnotatedDocument("é", "aéb", spans, {"z": 1, "a": {"y": 2, "b": 3}})], stream)
    assert stream.getvalue().decode() == (
        '{"doc_id": "é", "text": "aéb", "spans": ['
        '{"start": 0, "end": 3, "label": "C"}, {"start": 0, "end": 1, "label": "A"}, '
        '{"start": 0, "end": 1, "label": "B"}, {"start": 2, "end": 3, "label": "B"}], '
        '"meta": {"a": {"b": 3, "y": 2}, "z": 1}}\n'
    )


def test_stale_span_texts_are_not_written():
    stream = io.BytesIO()
    write_annotated([AnnotatedDocument("1", "ab", (), {"span_texts": ["a"]})], stream)
    stream.seek(0)
    assert [document.meta for document in read_annotated(stream)] == [{}]


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (AnnotatedDocument("2", SECRET + "\ud800"), "LoneSurrogate"),
        (AnnotatedDocument("2", "", meta={SECRET: "\ud800"}), "LoneSurrogate"),
        (AnnotatedDocument("2", "", meta={SECRET: float("inf")}), "WrongType"),
        (AnnotatedDocument("2", "", meta={SECRET: object()}), "WrongType"),
        (AnnotatedDocument("1", SECRET), "DuplicateDocId"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(document, fault):
    stream = io.BytesIO()
    with pytest.raises(CorpusError) as caught:
        write_annotated([AnnotatedDocument("1", "first"), document], stream)
    assert (caught.value.line, caught.value.fault) == (2, fault)
    assert SECRET not in str(caught.value)
    stream.seek(0)
    assert len(list(read_annotated(stream))) == 1


def test_remap_renames_drops_and_merges():
    spans = (Annotation(0, 2, "FIRST"), Annotation(0, 2, "LAST"), Annotation(1, 2, "AGE"))
    document = AnnotatedDocument("1", "ab", spans, {"lang": "en"})
    table = {"FIRST": "NAME", "LAST": "NAME", "AGE": None}
    assert remap(document, table.__getitem__) == AnnotatedDocument(
        "1", "ab", (Annotation(0, 2, "NAME"),), {"lang": "en"}
    )
    assert document.spans == spans


def test_remap_drops_a_cover_with_a_span():
    spans = (Annotation(0, 1, "NAME"), Annotation(1, 2, "AGE"))
    document = AnnotatedDocument("1", "ab", spans, {"lang": "en", "cover": [[0, 2]]})
    renamed = remap(document, {"NAME": "N", "AGE": "A"}.__getitem__)
    assert renamed.meta == document.meta
    assert remap(document, {"NAME": "N", "AGE": None}.__getitem__).meta == {"lang": "en"}


SCALARS = st.characters(exclude_categories=["Cs"])


@st.composite
def documents_of(draw: st.DrawFn) -> AnnotatedDocument:
    text = draw(st.text(SCALARS, max_size=30))
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    stretches = [(s, e) for s, e in draw(st.lists(places, max_size=5)) if s < e]
    labels = st.text(SCALARS, min_size=1, max_size=3)
    spans = tuple(Annotation(s, e, draw(labels)) for s, e in stretches)
    meta = st.dictionaries(st.text(SCALARS, max_size=3), st.none() | st.integers() | st.booleans())
    return AnnotatedDocument(draw(st.text(SCALARS, max_size=8)), text, spans, draw(meta))


@given(st.lists(documents_of(), max_size=4, unique_by=lambda d: d.doc_id), st.randoms())
def test_written_documents_read_back_equal(documents, random):
    def written(some: list[AnnotatedDocument]) -> bytes:
        stream = io.BytesIO()
        assert write_annotated(some, stream) == len(some)
        return stream.getvalue()

    def sorted_spans(document: AnnotatedDocument) -> list[Annotation]:
        return sorted(document.spans, key=lambda s: (s.start, -s.end, s.label))

    raw = written(documents)
    again = list(read_annotated(io.BytesIO(raw)))
    assert [(d.doc_id, d.text, d.meta) for d in again] == [
        (d.doc_id, d.text, d.meta) for d in documents
    ]
    assert [list(d.spans) for d in again] == [sorted_spans(d) for d in documents]
    shuffled = [
        AnnotatedDocument(
            d.doc_id, d.text, tuple(random.sample(d.spans, len(d.spans))), dict(d.meta)
        )
        for d in documents
    ]
    assert written(shuffled) == written(again) == raw


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(raw):
    try:
        documents = list(read_annotated(io.BytesIO(raw)))
    except CorpusError as error:
        assert 1 <= error.line <= raw.count(b"\n") + 1
    else:
        assert documents == []  # no corpus line comes about by chance
