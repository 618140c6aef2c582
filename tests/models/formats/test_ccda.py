"""Files of CDA documents: their encodings, what is written, and what is read of that again."""

import dataclasses

import pyarrow as pa
import pytest
from scrubline.models.core.errors import DocumentError, UsageError
from scrubline.models.formats import FORMATS, Limits, format_of
from scrubline.models.formats.ccda import CcdaFiles
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.protocol import Locator
from scrubline.models.storage.input_files import InputFile

FORM = CcdaFiles()
COLUMNS = Columns.of_record("ccda", ())
BODY = (
    '<ClinicalDocument xmlns="urn:hl7-org:v3"><id root="1.2" extension="d1"/>'
    "<title>Bericht {}</title></ClinicalDocument>\r\n"
)


@dataclasses.dataclass
class Files:
    """A storage of one file."""

    content: bytes

    def read_range(self, url, start, end):
        return self.content[start:end]

    def read_blocks(self, url, start, end, block_bytes=1 << 16):
        yield self.content[start:end]

    @property
    def file(self):
        return InputFile("memory://a/x.xml", len(self.content), version="", path="x.xml")


def read(content):
    """The one record of a file, and its error."""
    storage = Files(content)
    locators = FORM.plan(storage, 0, storage.file, 10, Limits())
    assert locators == [Locator(0, 0, len(content), len(content))]
    (chunk,) = FORM.read(storage, storage.file, locators[0], ("ccda",), Limits())
    (record,) = chunk.columns.column("ccda").to_pylist()
    return record, chunk.errors.get(0, "")


class Sink:
    """Files that were written, by name."""

    def __init__(self):
        self.files, self.name = {}, ""

    def __call__(self, name):
        self.name, self.files[name] = name, b""
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def write(self, data):
        self.files[self.name] += data
        return len(data)


def written(*records):
    """The files that are written of some records."""
    sink = Sink()
    writer = FORM.writer(sink, "part")
    keys = [f"key{n}" for n in range(len(records))]
    writer.write(pa.table({"doc_key": keys, "ccda": pa.array(records, pa.string())}))
    writer.close()
    return sink.files


def xml(encoding, text, quote='"'):
    """A document that declares an encoding."""
    return f"<?xml version={quote}1.0{quote} encoding={quote}{encoding}{quote}?>" + BODY.format(
        text
    )


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (BODY.format("für ő"), "utf-8"),
        ("\ufeff" + BODY.format("für ő"), "utf-8"),
        (xml("UTF-8", "für ő"), "utf-8"),
        ("\ufeff" + xml("utf-8", "für ő", "'"), "utf-8"),
        (xml("US-ASCII", "fur"), "ascii"),
        (xml("ISO-8859-1", "für"), "latin-1"),
        (xml("iso-8859-1", "für", "'"), "latin-1"),
        (xml("Windows-1252", "für – €"), "cp1252"),
        (xml("UTF-16LE", "für ő 😀"), "utf-16-le"),
        (xml("UTF-16BE", "für ő 😀"), "utf-16-be"),
        (xml("UTF-16", "für ő"), "utf-16-le"),
        ("\ufeff" + xml("UTF-16", "für ő"), "utf-16-le"),
    ],
)
def test_a_file_is_read_and_written_in_its_encoding_byte_for_byte(text, codec):
    content = text.encode(codec)
    assert read(content) == (text, "")
    assert written(text) == {"part/key0.xml": content}


@pytest.mark.parametrize(
    ("text", "codec", "codec_of_output"),
    [
        ("\ufeff" + BODY.format("für"), "utf-16-le", "utf-8"),
        ("\ufeff" + BODY.format("für"), "utf-16-be", "utf-8"),
        ("\ufeff" + xml("UTF-16", "für"), "utf-16-be", "utf-16-le"),
    ],
)
def test_of_utf16_the_order_of_bytes_is_not_kept_where_only_they_say_it(
    text, codec, codec_of_output
):
    assert read(text.encode(codec)) == (text, "")
    assert written(text) == {"part/key0.xml": text.encode(codec_of_output)}


@pytest.mark.parametrize(
    "content",
    [
        xml("UTF-8", "für").encode("latin-1"),
        BODY.format("für").encode("latin-1"),
        xml("US-ASCII", "für").encode("utf-8"),
        xml("Shift_JIS", "fur").encode(),
        xml("rot13", "fur").encode(),
        xml("utf-16", "fur").encode(),
        xml("utf-8", "fur").encode("utf-16-le"),
        xml("utf-16le", "fur").encode("utf-16-be"),
        b"\xef\xbb\xbf" + xml("ISO-8859-1", "fur").encode(),
        xml("windows-1252", "fur").encode() + b"\x81",
        b"\xff\xfe<",
        BODY.format("\ud83d").encode("utf-8", "surrogatepass"),
    ],
    ids=range(12),
)
def test_what_is_in_no_encoding_that_it_declares_is_held_back(content):
    assert read(content) == (None, "BadEncoding")


def test_a_long_file_is_held_back():
    storage = Files(BODY.encode())
    limits = dataclasses.replace(Limits(), document_bytes=10)
    (chunk,) = FORM.read(storage, storage.file, Locator(0, 0, 1, 1), ("ccda",), limits)
    assert chunk.errors == {0: "OverBudget:bytes"}


def test_an_empty_file_is_a_broken_document():
    assert read(b"") == ("", "")
    opened = FORM.nesting.open(pa.array([""]), "ccda", COLUMNS.nested["ccda"])
    assert opened.errors == {0: "BadCcda"}


def test_each_document_is_a_file_by_its_key():
    files = written(BODY.format("a"), BODY.format("b"))
    assert sorted(files) == ["part/key0.xml", "part/key1.xml"]
    storage = Files(files["part/key1.xml"])
    file = dataclasses.replace(storage.file, path="key1.xml")
    (row,) = FORM.part_rows(storage, file, COLUMNS)
    assert row.doc_key == "key1"
    assert row.texts == {"ClinicalDocument.title": "Bericht b"}
    assert row.cells == {"ccda": BODY.format("b")}


def test_a_document_without_texts_has_none():
    storage = Files(b'<ClinicalDocument xmlns="urn:hl7-org:v3"/>')
    (row,) = FORM.part_rows(storage, storage.file, COLUMNS)
    assert row.texts == {"ccda": None}


def test_a_published_file_that_is_broken_is_told():
    storage = Files(b"\xff")
    (row,) = FORM.part_rows(storage, storage.file, COLUMNS)
    assert row.doc_key is None
    storage = Files(b"<a/>")
    with pytest.raises(DocumentError):
        list(FORM.part_rows(storage, storage.file, COLUMNS))


def test_a_replacement_that_the_encoding_lacks_is_told():
    with pytest.raises(UsageError, match="iso8859-1"):
        written(xml("ISO-8859-1", "ő"))


@pytest.mark.parametrize("key", [None, "../x", "a/b", ""])
def test_a_key_that_is_no_name_of_a_file_is_refused(key):
    writer = FORM.writer(Sink(), "part")
    with pytest.raises(ValueError, match="doc_key"):
        writer.write(pa.table({"doc_key": pa.array([key], pa.string()), "ccda": ["x"]}))


def test_the_ending_does_not_say_that_a_file_is_one():
    assert isinstance(FORMATS["ccda"], CcdaFiles)
    with pytest.raises(UsageError, match="ccda"):
        format_of("a.xml")


def test_values_without_a_role_are_named_with_the_option_to_give():
    storage = Files(BODY.format("a").replace("<title>", "<foo/><foo bar='x'/><title>").encode())
    with pytest.raises(UsageError) as refused:
        FORM.check_types(storage, storage.file, COLUMNS)
    assert "--column ClinicalDocument.foo@bar=ROLE" in refused.value.on_terminal
    assert "[value 1]" in str(refused.value) and "foo" not in str(refused.value)
