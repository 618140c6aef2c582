"""Files of messages: where records begin and end, in any split; what is written is read."""

import contextlib
import gzip
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import FORMATS, FormatOptions, Limits
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.storage import Storage

HL7 = FORMATS["hl7"]
STORAGE = Storage()
ROLES = Columns.of_record("hl7", [("ZPD", "drop")]).resolved(["hl7"])


def message(number, end="\r", more=""):
    head = f"MSH|^~\\&|A|B|C|D|2024||ORU^R01|M{number}|P|2.5"
    return end.join((head, f"PID|1||{number}", f"OBX|1|TX|||text {number}", *more.split("\n")[:-1]))


def put(data, name="in.hl7"):
    url = f"memory://messages/{name}"
    STORAGE.write_bytes(url, data)
    (file,) = STORAGE.list_files([url])
    return file


def read(data, *, form=HL7, name="in.hl7", split_bytes=1 << 30, limits=None):
    """All records, each as text or error code."""
    file = put(data, name)
    found = []
    for locator in form.plan(STORAGE, 0, file, split_bytes, Limits()):
        for chunk in form.read(STORAGE, file, locator, (form.traits.record,), limits or Limits()):
            rows = chunk.columns.column(0).to_pylist()
            found += [chunk.errors.get(row, record) for row, record in enumerate(rows)]
    return found


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
@pytest.mark.parametrize("gap", ["", "\r", "\n\n", "\r\n\r\n"])
def test_messages_are_parted(end, gap):
    messages = [message(n, end) for n in range(5)]
    data = "".join(f"{one}{end}{gap}" for one in messages).encode()
    assert read(data) == messages
    assert read(data.rstrip()) == messages


@given(
    st.lists(st.sampled_from(["PID|1", "OBX|1|TX|||MSH|x", "NTE|1||é\x1cMS"]), max_size=4),
    st.data(),
)
def test_any_split_gives_the_same_messages(segments, data):
    messages = ["\r".join((message(n), *segments[: n % 5])) for n in range(6)]
    content = "\r".join(messages).encode()
    size = data.draw(st.integers(1, len(content)))
    assert read(content, split_bytes=size) == read(content)
    blocks = data.draw(st.integers(1, 40))

    class Slow(Storage):
        def read_blocks(self, url, start, end, block_bytes=0):
            return super().read_blocks(url, start, end, blocks)

    file = put(content)
    locators = HL7.plan(STORAGE, 0, file, size, Limits())
    found = [r for one in locators for r, _, _ in HL7.records(Slow(), file, one, Limits())]
    assert found == read(content)


def test_the_bytes_of_mllp_and_envelopes_are_left_out():
    inner = [message(n) for n in range(3)]
    framed = b"".join(b"\x0b" + one.encode() + b"\x1c\r" for one in inner)
    assert read(framed) == inner
    framed = b"FHS|^~\\&|A\r" + framed + b"BTS|3\r\x1c\rFTS|1\r"
    assert read(framed) == inner
    batch = "FHS|^~\\&|A\rBHS|^~\\&|A\r" + "\r".join(inner) + "\rBTS|3\rFTS|1\r"
    assert read(batch.encode()) == inner
    assert read((batch + batch).encode()) == inner * 2
    assert read(b"\xef\xbb\xbf" + batch.encode()) == inner


@pytest.mark.parametrize("data", [b"", b"\r\n", b"\x0b\x1c\r", b"FHS|^~\\&|A\rFTS|0"])
def test_where_there_is_no_message_there_is_no_row(data):
    assert read(data) == []


def test_what_is_no_message_is_a_row_that_failed():
    good = message(1)
    assert read(b"hello\r" + good.encode()) == ["BadHl7", good]
    assert read(b"\x00\xff\xfe binary") == ["BadHl7"]
    assert read(good.encode() + b"\r\xff") == ["BadEncoding"]


def test_an_encoding_can_be_given():
    form = HL7.configured(FormatOptions(encoding="latin-1"))
    text = message(1, more="NTE|1||Muñoz\n")
    assert read(text.encode("latin-1"), form=form) == [text]
    assert read(text.encode("latin-1")) == ["BadEncoding"]


def test_a_message_over_the_budget_fails_alone():
    long = message(2, more=f"NTE|1||{'x' * 3_000_000}\n")
    data = "\r".join((message(1), long, message(3))).encode()
    assert read(data, limits=Limits(line_bytes=100_000)) == [
        message(1),
        "OverBudget:line",
        message(3),
    ]


def test_a_compressed_file_is_read_and_a_damaged_one_told():
    data = gzip.compress("\r".join(message(n) for n in range(3)).encode())
    form = FORMATS["hl7.gz"]
    assert read(data, form=form, name="in.hl7.gz") == [message(n) for n in range(3)]
    assert read(data[:-9], form=form, name="in.hl7.gz")[-1] == "DamagedArchive"


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_what_is_written_is_read(end):
    records = [message(n, end, more="ZPD|1\n") for n in range(4)]
    parts = {}

    @contextlib.contextmanager
    def open_part(name):
        sink = io.BytesIO()
        yield sink
        parts[name] = sink.getvalue()

    writer = HL7.writer(open_part, "unit-0")
    keys = pa.array([f"k{n}" for n in range(4)])
    writer.write(pa.table({"doc_key": keys, "hl7": pa.array(records)}))
    writer.close()
    ((name, data),) = parts.items()
    assert name == "unit-0.hl7" and data.decode() == "".join(one + end for one in records)
    assert read(data) == records
    rows = list(HL7.part_rows(STORAGE, put(data), ROLES))
    assert [row.doc_key for row in rows] == [f"M{n}" for n in range(4)]
    assert [row.texts for row in rows] == [{"OBX-5": f"text {n}"} for n in range(4)]
    assert [row.cells for row in rows] == [{"hl7": record} for record in records]


def test_a_message_without_a_text_has_one_document_that_is_null():
    data = b"MSH|^~\\&|A|B|C|D|2024||ADT^A01|M1|P|2.5"
    (row,) = HL7.part_rows(STORAGE, put(data), ROLES)
    assert row.texts == {"hl7": None}


def test_values_without_a_role_are_refused_before_a_run():
    file = put(message(1, more="ZPD|a^b\nZPX|1|2\n").encode())
    with pytest.raises(UsageError, match="--column ZPX-1=ROLE --column ZPX-2=ROLE"):
        HL7.check_types(STORAGE, file, ROLES)
    HL7.check_types(STORAGE, put(message(1).encode()), ROLES)
