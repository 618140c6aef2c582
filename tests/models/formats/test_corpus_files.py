import contextlib
import hashlib
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import CORPORA, AnnotatedDocument, Annotation
from scrubline.models.formats import (
    EXPLICIT_ONLY,
    FORMATS,
    FormatOptions,
    Limits,
    format_of,
    open_format,
)
from scrubline.models.formats.column_roles import Columns, preset_for
from scrubline.models.formats.corpus import _Content
from scrubline.models.formats.protocol import Unreadable
from scrubline.models.storage.input_files import InputFile
from scrubline.models.storage.storage import Storage

STORAGE = Storage(sleep=lambda seconds: None)
FILES, STREAMS = ("i2b2_2014", "brat"), ("i2b2_2006", "conll")
LABELLED = (Annotation(0, 5, "PATIENT"),)
NASTY = 'Jones\r\nsaw ]]> & <RECORD ID="9"> "é 🙂"\t\u2028\x85 \n-DOCSTART-\tO\t_\n\n'


def put(name, data):
    url = f"memory://corpus-{hashlib.sha256(data).hexdigest()[:16]}/{name}"
    STORAGE.write_bytes(url, data)
    (file,) = STORAGE.list_files([url])
    return file


def read(name, file, limits=None, storage=STORAGE):
    """(id, text) of each record, or its error code."""
    form, limits = FORMATS[name], limits or Limits()
    columns = form.columns(STORAGE, file)
    found = []
    for locator in form.plan(STORAGE, 0, file, 1, limits):
        for chunk in form.read(storage, file, locator, columns, limits):
            rows = list(zip(*(c.to_pylist() for c in chunk.columns.columns), strict=True))
            for row, code in chunk.errors.items():
                assert rows[row] == (None, None)
                rows[row] = code
            found += rows
    return found


def read_bytes(name, data, limits=None):
    form = FORMATS[name]
    return read(name, put(f"ward 3/smith{form.suffixes[0]}", data), limits)


def corpus_file(name, *documents):
    """One file of a corpus: of a form of several files a document, the first."""
    rendered = CORPORA[name].render(documents)
    return rendered if isinstance(rendered, bytes) else next(iter(rendered.values()))


def parts_of(name, rows):
    """What the format's writer makes of (doc_key, text)s, by name."""
    made = {}

    @contextlib.contextmanager
    def open_part(path):
        sink = io.BytesIO()
        yield sink
        made[path] = sink.getvalue()

    writer = FORMATS[name].writer(open_part, "u")
    for key, text in rows:
        writer.write(pa.table({"doc_key": [key], "text": [text]}))
    writer.close()
    return made


# -- reading


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_a_document_and_its_path_the_id(name):
    data = corpus_file(name, AnnotatedDocument("d", NASTY, LABELLED))
    suffix = FORMATS[name].suffixes[0]
    folder = put(f"ward 3/smith{suffix}", data).url.rsplit("/", 2)[0]
    (file,) = STORAGE.list_files([folder])
    assert read(name, file) == [(f"ward 3/smith{suffix}", NASTY)]


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_has_documents_with_ids_of_their_own(name):
    documents = [AnnotatedDocument(f"d {n}", NASTY * n, LABELLED[: min(n, 1)]) for n in range(4)]
    found = read_bytes(name, corpus_file(name, *documents))
    assert found == [(one.doc_id, one.text) for one in documents]


def test_a_document_without_an_id_is_called_by_its_file_and_number():
    data = b"-DOCSTART- O\n\nDr O\nWho B-DOCTOR\n\n-DOCSTART- O\n\nEnd O\n"
    for name, stem in (("a.conll", "a"), ("a.b.BIO", "a.b"), ("notes", "notes")):
        assert read("conll", put(name, data)) == [(f"{stem}-1", "Dr Who"), (f"{stem}-2", "End")]


def test_xml_says_its_own_encoding_and_line_ends_are_those_of_xml():
    text = "<deIdi2b2><TEXT><![CDATA[é\r\n]]>&#13;</TEXT></deIdi2b2>"
    for encoding in ("utf-16", "iso-8859-1"):
        data = f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)
        assert [t for _, t in read_bytes("i2b2_2014", data)] == ["é\n\r"]


def record(number, text="fine", **more):
    ids = "".join(f' {key}="{value}"' for key, value in ({"ID": number} | more).items())
    return f"<RECORD{ids}><TEXT>{text}</TEXT></RECORD>\n"


def as_2006(*records):
    return ("<ROOT>\n" + "".join(records) + "</ROOT>").encode()


GOOD = [("1", "fine"), ("2", "fine")]
TWO, MORE = record(1) + record(2), record(8) + record(9)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (as_2006(TWO), GOOD),
        (as_2006(), []),
        (as_2006(TWO, record(1), MORE), [*GOOD, *["DuplicateDocId"] * 3]),
        (as_2006(TWO, record(3, "<PHI>x</PHI>"), MORE), [*GOOD, *["EmptyLabel"] * 3]),
        (as_2006(TWO, record(3, "<b>x</b>"), MORE), [*GOOD, *["UnknownTag"] * 3]),
        (as_2006(TWO, "<RECORD><TEXT>x</TEXT></RECORD>"), [*GOOD, "MissingKey"]),
        (as_2006(TWO, "<RECORD ID='3'></RECORD>", MORE), [*GOOD, *["MissingText"] * 3]),
        (as_2006(TWO, "stray", MORE), [*GOOD, *["StrayText"] * 2]),
        (as_2006(TWO, record(3, "a & b"), MORE), [*GOOD, *["BadXml"] * 3]),
        (as_2006(TWO, "</ROOT>", MORE), [*GOOD, *["BadXml"] * 2]),
        (as_2006(TWO)[:-7], [*GOOD, "BadXml"]),
        (as_2006(TWO)[:-30], ["1 fine", "BadXml"]),
        (b"<!DOCTYPE ROOT [<!ENTITY e 'x'>]>" + as_2006(TWO), ["Entity"] * 2),
        (as_2006(record(1, "&e;"), MORE), ["BadXml"] * 3),
        (b"<a>" * 17 + b"</a>" * 17, ["UnknownTag"]),
        (b"", ["BadXml"]),
        (b"Seen by Dr. Who", ["BadXml"]),
        (as_2006(record("", "no id")), [("", "no id")]),
    ],
)
def test_what_is_wrong_in_2006_xml_ends_its_file_and_is_counted(data, expected):
    expected = [GOOD[0] if one == "1 fine" else one for one in expected]
    assert read_bytes("i2b2_2006", data) == expected


def as_conll(*documents):
    return "".join(f"-DOCSTART-\tO\n\n{one}\n\n" for one in documents).encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (as_conll("a\tO", "b\tB-DATE"), ["a", "b"]),
        (b"", []),
        (b"\n\n", []),
        (b"a\tO\n\n-DOCSTART-\tO\n\nb\tO\n", ["a", "b"]),
        (as_conll("a\tO", "b\tDATE", "c\tO"), ["a", *["BadTag"] * 2]),
        (as_conll("a\tO", "b\tO\nc", "d\tO"), ["a", *["BadColumns"] * 2]),
        (as_conll("a\tO") + b"b\xff\tO\n", ["BadUtf8"]),
        (as_conll("a\tO", "b\tO") + b"b\xff\tO\n", ["a", "BadUtf8"]),
        (b"\xef\xbb\xbf" + as_conll("a\tO"), ["ByteOrderMark"]),
        (b"one word", ["BadTag"]),
        (b"word", ["BadColumns"]),
        (as_conll(*["# doc_id = x\na\tO"] * 2, "c\tO"), ["a", *["DuplicateDocId"] * 2]),
    ],
)  # fmt: skip
def test_what_is_wrong_in_conll_ends_its_file_and_is_counted(data, expected):
    found = [one if isinstance(one, str) else one[1] for one in read_bytes("conll", data)]
    assert found == expected


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "BadXml"),
        (b"<deIdi2b2/>", "MissingText"),
        (b"<deIdi2b2><TEXT>x</TEXT><TEXT>y</TEXT></deIdi2b2>", "UnknownTag"),
        (b"<deIdi2b2><TEXT>x</TEXT>y</deIdi2b2>", "StrayText"),
        (b"<!DOCTYPE d [<!ENTITY e 'x'>]><deIdi2b2><TEXT>&e;</TEXT></deIdi2b2>", "Entity"),
        (as_2006(TWO), "UnknownTag"),
        (
            b'<deIdi2b2><TEXT>Jones</TEXT><TAGS><NAME start="0" end="9" TYPE="PATIENT" text="J"/>'
            b"</TAGS></deIdi2b2>",
            "OffsetOutsideText",
        ),
        (
            b'<deIdi2b2><TEXT>Jones</TEXT><TAGS><NAME start="0" end="5" TYPE="PATIENT" text="J"/>'
            b"</TAGS></deIdi2b2>",
            "SpanTextsDiffer",
        ),
    ],
)
def test_a_2014_file_that_is_malformed_is_one_error_row(data, code):
    assert read_bytes("i2b2_2014", data) == [code]


# -- limits and blocks


class Cut:
    """Storage that gives files in small blocks."""

    def __init__(self, size):
        self.size = size

    def read_blocks(self, url, start, end, block_bytes=0):
        data = STORAGE.read_range(url, start, end)
        return (data[at : at + self.size] for at in range(0, len(data), self.size))


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("i2b2_2006", as_2006(TWO, record(3, NASTY.split("<")[0].replace("&", "&amp;")), MORE)),
        ("i2b2_2006", as_2006(TWO, record(1), MORE)),
        ("conll", as_conll("a\tO", "b\tO", "c\tO")),
        ("conll", as_conll("a\tO", "b\tDATE", "c\tO")),
        ("conll", corpus_file("conll", AnnotatedDocument("d", NASTY))[:-1]),
    ],
)
def test_how_storage_cuts_its_blocks_does_not_show(name, data, size):
    file = put(f"a{FORMATS[name].suffixes[0]}", data)
    assert read(name, file, storage=Cut(size)) == read(name, file) != []


@pytest.mark.parametrize("name", FILES)
def test_a_file_over_the_budget_is_not_read(name):
    data = corpus_file(name, AnnotatedDocument("d", "x" * 2000))
    assert read_bytes(name, data, Limits(document_bytes=1000)) == ["OverBudget:bytes"]


@pytest.mark.parametrize("name", STREAMS)
def test_a_document_over_the_budget_is_held_back_alone(name):
    texts = ["a", "é" * 501, "b"]
    data = corpus_file(name, *(AnnotatedDocument(f"d{n}", t) for n, t in enumerate(texts)))
    found = read_bytes(name, data, Limits(document_bytes=1000))
    assert found == [("d0", "a"), "OverBudget:bytes", ("d2", "b")]


@pytest.mark.parametrize("name", STREAMS)
def test_a_document_that_does_not_end_is_not_held(name):
    texts = ["a", "word " * (600_000 if name == "conll" else 2_000_000), "b"]
    data = corpus_file(name, *(AnnotatedDocument(f"d{n}", t) for n, t in enumerate(texts)))
    found = read_bytes(name, data, Limits(document_bytes=1000))
    if name == "conll":  # its lines are read one by one, the blocks of XML ahead
        assert found[0] == ("d0", "a")
    assert len(found) == 3 and set(found) <= {("d0", "a"), "OverBudget:bytes"}
    one_line = b"a\tO\n\n" + b"x" * 10_000_000
    assert read_bytes("conll", one_line, Limits(document_bytes=1000)) == ["OverBudget:bytes"]


@given(
    st.lists(st.sampled_from([b"\n", b"ab", b"\nM", b"M", b"\n\nMM", b"x" * 9])),
    st.integers(1, 5),
    st.lists(st.integers(0, 12), max_size=6),
)
def test_a_content_gives_what_a_file_gives_and_counts_marks(pieces, size, asked):
    data = b"".join(pieces)

    def content(most=1000):
        blocks = (data[at : at + size] for at in range(0, len(data), size))
        return _Content(blocks, most, b"\nM")

    by_line, by_size = content(), content()
    assert list(iter(by_line.readline, b"")) == io.BytesIO(data).readlines()
    file = io.BytesIO(data)
    assert [by_size.read(n) for n in asked] == [file.read(n) for n in asked]
    marks = (b"\n" + data).count(b"\nM")
    assert by_line.count_marks() == by_size.count_marks() == content().count_marks() == marks
    if len(data) > 4:
        for give in (lambda c: c.read(len(data)), lambda c: list(iter(c.readline, b""))):
            with pytest.raises(Unreadable):
                give(content(4))


@given(st.data())
@pytest.mark.parametrize("name", [*STREAMS, "i2b2_2014"])
def test_no_damage_makes_reading_raise_or_lose_a_document(name, data):
    documents = [AnnotatedDocument(f"d{n}", f"Jones {n} é", LABELLED) for n in range(4)]
    good = corpus_file(name, *documents[: 1 if name == "i2b2_2014" else 4])
    at = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(at, min(len(good), at + 9)))
    bad = good[:at] + data.draw(st.binary(max_size=6)) + good[end:]
    form = FORMATS[name]
    file = InputFile("memory://x", len(bad), "v", f"x{form.suffixes[0]}")

    class Held:
        def read_range(self, url, start, end):
            return bad[start:end]

        def read_blocks(self, url, start, end, block_bytes=0):
            yield bad[start:end]

    rows = read(name, file, storage=Held())
    marks = (b"\n" + bad).count(form.mark) if name in STREAMS else 1
    assert len(rows) >= marks or all(isinstance(row, tuple) for row in rows)


# -- brat


@pytest.mark.parametrize("ann", [b"", b"T1\tPATIENT 0 5\tJones\n", b"\xff\0 damaged"])
def test_annotations_of_brat_are_not_even_read(ann):
    for name in ("a.ann", "b.ANN"):
        file = put(name, ann)
        assert read("brat", file) == []
        assert list(FORMATS["brat"].part_rows(STORAGE, file, COLUMNS)) == []
    assert read("brat", put("a.TXT", b"\xef\xbb\xbfa\r\n\0")) == [("a.TXT", "\ufeffa\r\n\0")]
    assert read("brat", put("a.txt", b"\xff")) == ["BadEncoding"]


@pytest.mark.parametrize("name", ["annotation.conf", "smith", "smith.txt.bak"])
def test_what_is_neither_text_nor_annotation_is_refused(name):
    with pytest.raises(UsageError, match=r"\.txt") as caught:
        read("brat", put(name, b"x"))
    assert "smith" not in str(caught.value)


# -- writing

KEY, OTHER = "0" * 31 + "a", "0" * 31 + "b"
WRITTEN = {
    "i2b2_2014": {
        f"u/{KEY}.xml": '<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n'
        "<TEXT><![CDATA[[PATIENT] ]]]]><![CDATA[>]]></TEXT>\n<TAGS>\n</TAGS>\n</deIdi2b2>\n"
    },
    "brat": {f"u/{KEY}.txt": "[PATIENT] ]]>", f"u/{KEY}.ann": ""},
    "i2b2_2006": {
        "u.xml": '<?xml version="1.0" encoding="UTF-8" ?>\n<ROOT>\n'
        f'<RECORD ID="{KEY}">\n<TEXT>[PATIENT] ]]&gt;</TEXT>\n</RECORD>\n</ROOT>\n'
    },
    "conll": {
        "u.conll": f"# global.columns = FORM NER MISC\n-DOCSTART-\tO\t_\n\n# doc_id = {KEY}\n"
        "[\tO\tSpaceAfter=No\nPATIENT\tO\tSpaceAfter=No\n]\tO\t_\n]\tO\tSpaceAfter=No\n"
        "]\tO\tSpaceAfter=No\n>\tO\tSpaceAfter=No\n\n"
    },
}
COLUMNS = Columns.parse([("path", "drop"), ("doc_id", "id"), ("text", "text")])


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written(name):
    made = parts_of(name, [(KEY, "[PATIENT] ]]>")])
    assert {path: data.decode() for path, data in made.items()} == WRITTEN[name]
    assert parts_of(name, []) == {}


XML = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc"]) | st.sampled_from('\r\n\t&<>]"')
)


@pytest.mark.parametrize("name", WRITTEN)
@given(st.lists(XML, min_size=1, max_size=4))
def test_what_is_written_is_read_and_has_no_tags(name, texts):
    texts = [text.replace("\ufffe", "").replace("\uffff", "") for text in texts]
    # Before repeated ids are numbered, a key may come twice.
    keys = [KEY, *[OTHER] * len(texts[1:])] if name in STREAMS else [f"k{n}" for n in range(9)]
    rows = list(zip(keys, texts, strict=False))
    made = parts_of(name, rows)
    found = []
    for path, data in made.items():
        file = put(path, data)
        found += FORMATS[name].part_rows(STORAGE, file, COLUMNS)
        if len(texts) == 1 and path.endswith((".xml", ".conll")):
            ((document),) = CORPORA[name].parse(data if name in STREAMS else [data], "d")
            assert document.spans == () and document.text == texts[0]
    if name in STREAMS and len(texts) > 2:
        assert [row.doc_key for row in found] == [KEY, OTHER, *[None] * (len(texts) - 2)]
        found, rows = found[:2], rows[:2]
    assert [(row.doc_key, row.texts["text"]) for row in found] == rows
    assert all((row.patient_key, row.cells) == (None, {}) for row in found)


# -- what is asked for


@pytest.mark.parametrize("name", WRITTEN)
def test_columns_and_roles(name):
    form = FORMATS[name]
    columns = form.columns(STORAGE, put(f"a{form.suffixes[0]}", b""))
    assert preset_for(columns) is not None
    assert columns == ("path" if name in FILES else "doc_id", "text")
    form.check_roles(Columns.parse([(columns[0], "id"), ("text", "text"), ("year", "pass")]))
    form.check_roles(Columns.parse([(columns[0], "drop"), ("text", "text"), ("who", "id")]))
    for wrong in (
        [(columns[0], "pass"), ("text", "text"), ("who", "id")],
        [(columns[0], "id"), ("text", "pass"), ("note", "text")],
    ):
        with pytest.raises(UsageError, match="text must have role text"):
            form.check_roles(Columns.parse(wrong))
    assert open_format(name, FormatOptions(encoding="cp1252")) is form and not form.traits.options


@pytest.mark.parametrize(
    ("ending", "told"),
    [(".xml", "ccda or i2b2_2014 or i2b2_2006"), (".XML", "ccda or i2b2_2014"), (".ann", "brat")],
)
def test_an_ending_that_does_not_say_the_format_asks_for_it(ending, told):
    with pytest.raises(UsageError, match=f"--format {told}") as caught:
        format_of(f"in/john.smith{ending}")
    assert "smith" not in str(caught.value)


def test_text_stays_text_and_conll_says_itself():
    assert format_of("a.txt") == "text"
    assert {format_of(f"a{e}") for e in (".conll", ".bio", ".iob", ".bioes")} == {"conll"}
    assert set(FORMATS) > EXPLICIT_ONLY
