"""Archives of texts: what is a document, what is an error row, what is refused."""

import gzip
import hashlib
import io
import stat
import struct
import tarfile
import tracemalloc
import zipfile
import zlib

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import (
    FORMATS,
    FormatOptions,
    Limits,
    Locator,
    open_format,
    zip_directory,
)
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.storage.storage import Storage

from ...examples import examples

STORAGE = Storage(sleep=lambda seconds: None)
NAMES = ("zip", "tar", "tar.gz")
TEXTS = {f"ward/{i:03d}.txt": f"note {i} \u00e9 \u2028\r\n\x00" for i in range(60)}


def put(form, data):
    url = f"memory://{hashlib.sha256(data).hexdigest()[:16]}/x{FORMATS[form].suffixes[0]}"
    STORAGE.write_bytes(url, data)
    return STORAGE.list_files([url])[0]


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", compression) as archive:
        for name, content in members:
            entry = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            archive.writestr(entry, content, compression)
    return sink.getvalue()


def tarred(members, form=tarfile.PAX_FORMAT):
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w", format=form) as archive:
        for name, content in members:
            entry = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            entry.size = len(content) if entry.isreg() else 0
            archive.addfile(entry, io.BytesIO(content))
    return sink.getvalue()


def archive(form, members):
    members = [(n, c.encode() if isinstance(c, str) else c) for n, c in members]
    if form == "zip":
        return zipped(members)
    data = tarred(members)
    return data if form == "tar" else gzip.compress(data, mtime=0)


def rows(form, data, *, split_bytes=1 << 30, limits=None, settings_=None):
    """(path, text) of each row, or its error code."""
    kind = open_format(form, settings_ or FormatOptions())
    file, limits = put(form, data), limits or Limits()
    found = []
    for locator in kind.plan(STORAGE, 0, file, split_bytes, limits):
        for chunk in kind.read(STORAGE, file, locator, ("path", "text"), limits):
            table = chunk.columns.to_pylist()
            found += [
                chunk.errors.get(i, (row["path"], row["text"])) for i, row in enumerate(table)
            ]
    return found


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize("split_bytes", [1, 700, 5000, 1 << 30])
def test_members_are_read_once_each_however_it_is_split(form, split_bytes):
    data = archive(form, TEXTS.items())
    assert rows(form, data, split_bytes=split_bytes) == list(TEXTS.items())


@pytest.mark.parametrize("form", NAMES)
def test_splits_are_many_where_the_archive_can_be_entered(form):
    file = put(form, archive(form, TEXTS.items()))
    locators = FORMATS[form].plan(STORAGE, 0, file, 200, Limits())
    assert len(locators) == 1 if form == "tar.gz" else len(locators) > 3


@pytest.mark.parametrize("form", NAMES)
def test_an_archive_without_members_has_no_rows(form):
    assert rows(form, archive(form, [])) == []


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "a/../b.txt",
        "./a.txt",
        "C:\\windows\\x.txt",
        "no ending",
        "report.pdf",
        "=cmd.txt",
        "\u0645\u0631\u064a\u0636.txt",
        "n" * 240 + ".txt",
    ],
)
def test_any_name_is_just_an_id(form, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert rows(form, archive(form, [(name, "text")])) == [(name, "text")]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", NAMES)
def test_hidden_members_are_left_out_with_a_warning(form, caplog):
    members = [(".DS_Store", "x"), ("__MACOSX/._a.txt", "x"), ("_SUCCESS", ""), ("a.txt", "a")]
    assert rows(form, archive(form, members)) == [("a.txt", "a")]
    if form != "tar.gz":
        assert "3 members of an archive are left out" in caplog.text


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_two_rows(form):
    assert rows(form, archive(form, [("a", "1"), ("a", "2")])) == [("a", "1"), ("a", "2")]


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xff\xfe\x00", "BadEncoding"),
        (b"\xed\xa0\x80", "BadEncoding"),
        (b"x" * 2001, "OverBudget:bytes"),
        (zipped([("inner.txt", b"nested")]), "BadEncoding"),
    ],
)
def test_members_that_are_no_text_are_error_rows_among_good_ones(form, content, code):
    data = archive(form, [("a", "1"), ("bad", content), ("c", "3")])
    found = rows(form, data, limits=Limits(document_bytes=2000))
    assert found == [("a", "1"), code, ("c", "3")]


@pytest.mark.parametrize("form", NAMES)
def test_encodings(form):
    text = "Jos\u00e9 \u20ac"
    data = archive(form, [("a", text.encode("cp1252"))])
    assert rows(form, data) == ["BadEncoding"]
    assert rows(form, data, settings_=FormatOptions(encoding="cp1252")) == [("a", text)]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_and_pipes_of_a_tar_are_error_rows(kind):
    link = tarfile.TarInfo("link.txt")
    link.type, link.linkname = kind, "a"
    assert rows("tar", tarred([("a", b"1"), (link, b"")])) == [("a", "1"), "NotAFile"]


def test_links_of_a_zip_are_error_rows():
    link = zipfile.ZipInfo("link.txt")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    assert rows("zip", zipped([("a", b"1"), (link, b"/etc/passwd")])) == [("a", "1"), "NotAFile"]


@pytest.mark.parametrize("byte", [b".", b"/", b"_"])
def test_a_damaged_name_hides_no_document(byte):
    data = bytearray(zipped([("a", b"1"), ("b", b"2")]))
    data[data.index(b"PK\x01\x02") + 46] = byte[0]
    assert rows("zip", bytes(data)) == ["DamagedMember", ("b", "2")]


def test_folders_are_no_documents():
    folder = tarfile.TarInfo("ward")
    folder.type = tarfile.DIRTYPE
    assert rows("tar", tarred([(folder, b""), ("ward/a", b"1")])) == [("ward/a", "1")]
    assert rows("zip", zipped([("ward/", b""), ("ward/a", b"1")])) == [("ward/a", "1")]


def test_encrypted_and_unknown_compression_are_error_rows():
    data = bytearray(zipped([("a", b"secret"), ("b", b"2")]))
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + at] |= 1
    assert rows("zip", bytes(data)) == ["Encrypted", ("b", "2")]
    data = bytearray(zipped([("a", b"secret"), ("b", b"2")]))
    for signature, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(signature) + at] = 97
    assert rows("zip", bytes(data)) == ["UnknownCompression", ("b", "2")]


def test_a_damaged_member_is_one_error_row():
    data = bytearray(zipped([("a", b"1" * 50), ("b", b"2")], zipfile.ZIP_STORED))
    data[data.index(b"1111")] ^= 1
    assert rows("zip", bytes(data)) == ["DamagedMember", ("b", "2")]


def test_a_size_that_lies_is_found():
    data = bytearray(zipped([("a", b"1" * 50), ("b", b"2")]))
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<I", 10)
    assert rows("zip", bytes(data)) == ["DamagedMember", ("b", "2")]


def test_the_sign_of_an_end_inside_the_end_is_not_taken_for_it():
    data = zipped([("a", b"1")])
    end = bytearray(data[-22:])
    end[16:20] = b"PK\5\6"  # where the directory begins: an offset beyond the file
    assert rows("zip", data[:-22] + bytes(end)) == ["DamagedMember"]


@pytest.mark.parametrize("at_once", [1, 3, 10_000])
@pytest.mark.parametrize("block_bytes", [46, 60, 1 << 20])
@pytest.mark.parametrize("before", [b"", b"#!/bin/sh: what unpacks itself\n" * 9])
def test_any_run_of_entries_is_that_of_the_whole_directory(
    monkeypatch, at_once, block_bytes, before
):
    monkeypatch.setattr(zip_directory, "_ENTRIES_AT_ONCE", at_once)
    monkeypatch.setattr(zip_directory, "_ENTRY_BLOCK_BYTES", block_bytes)
    members = [(f"{'ward/' * (n % 7)}{n}é.txt", f"text {n}" * n) for n in range(20)]
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.comment = b"PK\1\2 is no entry"
        for name, text in members:
            archive.writestr(name, text)
    data = before + sink.getvalue()
    file, form = put("zip", data), open_format("zip", FormatOptions())
    assert rows("zip", data, split_bytes=100) == members
    for start, end in [(0, 20), (0, 1), (19, 20), (3, 11), (5, 5), (18, 99)]:
        found = [name for name, _ in form.members(STORAGE, file, start, end, Limits())]
        assert found == [name for name, _ in members[start:end]]
        if wanted := members[start:end]:
            size = sum(len(text) for _, text in wanted)
            found = form.sample(STORAGE, file, Locator(0, start, end, size), 0, size or 1).locator
            assert (found.end, found.bytes) == (start + len(wanted), size)


@pytest.mark.slow
def test_an_archive_of_very_many_members_is_planned_and_read_in_little_memory():
    count = 70_000  # more than the old end record can count
    data = zipped([(f"a-rather-long-name-of-a-folder/{n}.txt", b"") for n in range(count)])
    file, form = put("zip", data), open_format("zip", FormatOptions())
    tracemalloc.start()
    try:
        (locator,) = form.plan(STORAGE, 0, file, 1 << 30, Limits())
        last = list(form.members(STORAGE, file, count - 2, count, Limits()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (locator.start, locator.end) == (0, count)
    assert [name for name, _ in last] == [
        f"a-rather-long-name-of-a-folder/{n}.txt" for n in (count - 2, count - 1)
    ]
    assert peak < 20_000_000  # ZipFile alone took 40 MB


def test_overlapping_members_are_refused():
    data = bytearray(zipped([("a", b"1" * 50), ("b", b"2" * 50)]))
    first = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", first + 4)
    data[second + 42 : second + 46] = data[first + 42 : first + 46]
    with pytest.raises(UsageError, match="overlap"):
        rows("zip", bytes(data))


def test_a_bomb_is_refused_or_an_error_row():
    members = [(f"{i}.txt", b"\0" * 15_000_000) for i in range(6)]
    with pytest.raises(UsageError, match="250 times its size"):
        rows("zip", zipped(members))
    bomb = gzip.compress(tarred(members), mtime=0)
    assert rows("tar.gz", bomb)[-1] == "OverBudget:unpacked"


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("form", NAMES)
def test_an_archive_that_was_cut_off_is_refused_or_told(form, cut):
    data = archive(form, TEXTS.items())
    data = data[: int(len(data) * cut)]
    if form != "tar.gz":
        with pytest.raises(UsageError, match="damaged or truncated"):
            rows(form, data)
        return
    found = rows(form, data)
    assert found[-1] == "DamagedArchive"
    assert found[:-1] == list(TEXTS.items())[: len(found) - 1]


def test_a_tar_without_its_end_or_with_a_tail_is_refused():
    whole = tarred([("a", b"1")])
    with pytest.raises(UsageError, match="damaged"):
        rows("tar", whole[:1024])
    with pytest.raises(UsageError, match="damaged"):
        rows("tar", whole + whole)
    assert rows("tar.gz", gzip.compress(whole + whole)) == [("a", "1"), "DamagedArchive"]
    assert rows("tar", whole + b"\0" * 10240) == [("a", "1")]


def test_a_damaged_header_is_not_taken_for_the_end():
    data = bytearray(tarred([("a", b"1"), ("b", b"2"), ("c", b"3")]))
    data[1024 + 148] ^= 1  # in the checksum of the second member
    with pytest.raises(UsageError, match="damaged"):
        rows("tar", bytes(data))
    assert rows("tar.gz", gzip.compress(data)) == [("a", "1"), "DamagedArchive"]


@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tars_of_every_kind_with_long_names(kind):
    # ustar holds 100 characters, and a prefix of 155.
    names = [f"{'folder' * 12}/{'n' * 80}{i}.txt" for i in range(20)]
    data = tarred([(name, b"text") for name in names], kind)
    for split_bytes in (1, 3000):
        assert rows("tar", data, split_bytes=split_bytes) == [(name, "text") for name in names]


@pytest.mark.parametrize("form", NAMES)
def test_parts_hold_no_clock_and_no_owner(form):
    made = []
    for cut in (1, 5):
        sink = io.BytesIO()

        class Part(io.BytesIO):
            def __exit__(self, *_, sink=sink):
                sink.write(self.getvalue())

        writer = FORMATS[form].writer(lambda name: Part(), "u")
        table = pa.table({"doc_key": [f"k{i}" for i in range(10)], "text": list("0123456789")})
        for first in range(0, 10, cut):
            writer.write(table.slice(first, cut))
        writer.close()
        made.append(sink.getvalue())
    assert made[0] == made[1]
    assert rows(form, made[0]) == [(f"k{i}.txt", str(i)) for i in range(10)]


@given(data=st.data(), form=st.sampled_from(NAMES))
@examples(300)
def test_any_damage_is_told_or_harmless(data, form):
    whole = archive(form, list(TEXTS.items())[:3])
    place = data.draw(st.integers(0, len(whole) - 1))
    hurt = bytearray(whole)
    hurt[place] = data.draw(st.integers(0, 255))
    try:
        found = rows(form, bytes(hurt))
    except UsageError:
        return
    # Names, and what a tar's checksum does not cover, may change; documents may not be lost.
    assert len(found) == 3 or any(isinstance(row, str) for row in found)


@given(st.binary(max_size=2000), st.sampled_from(NAMES))
@examples(200)
def test_any_bytes_are_refused_or_read(content, form):
    try:
        rows(form, content)
    except UsageError as error:
        assert "x." not in str(error)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
@pytest.mark.parametrize("place", range(30, 130, 3))
def test_a_member_that_does_not_unpack_is_one_error_row(method, place):
    data = bytearray(zipped([("a", bytes(range(256)) * 3), ("b", b"plain")], method))
    data[place] ^= 0x55
    found = rows("zip", bytes(data))
    assert len(found) == 2
    assert found[1] == ("b", "plain")


@pytest.mark.parametrize("form", ["tar", "tar.gz"])
def test_a_member_that_is_cut_off_is_damage_also_where_nobody_planned(form):
    # Planning refuses such a tar; `verify` reads a part that nobody planned.
    data = tarred([("a", b"x" * 10), ("b", b"x" * 2000)])[:3000]
    data = gzip.compress(data) if form == "tar.gz" else data
    file = put(form, data)
    whole = Locator(0, 0, file.size, file.size)
    (chunk,) = FORMATS[form].read(STORAGE, file, whole, ("path", "text"), Limits())
    assert dict(chunk.errors) == {1: "DamagedArchive"}
    roles = Columns((("path", Role.ID), ("text", Role.TEXT)))
    found = list(FORMATS[form].part_rows(STORAGE, file, roles))
    assert [row.doc_key for row in found] == ["a", None]


def claimed(data, *, size, checksum=None, packed=0):
    """A zip whose directory says another size (and checksum) of its first member."""
    data = bytearray(data)
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", size)
    if checksum is not None:
        data[at + 16 : at + 20] = struct.pack("<I", checksum)
    (length,) = struct.unpack_from("<I", data, at + 20)
    data[at + 20 : at + 24] = struct.pack("<I", length + packed)
    return bytes(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_than_deflate_are_error_rows(method):
    assert rows("zip", zipped([("a", b"1"), ("b", b"2")], method)) == ["UnknownCompression"] * 2


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_takes_no_more_memory_than_its_directory_says(method):
    bomb = claimed(zipped([("a", bytes(30_000_000))], method), size=10)
    tracemalloc.start()
    try:
        found = rows("zip", bomb)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    known = method == zipfile.ZIP_DEFLATED
    assert found == ["DamagedMember" if known else "UnknownCompression"]
    assert peak_bytes < 5_000_000


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("size", [0, 1, 49, 51, 5000])
def test_a_size_that_lies_is_damage_even_with_the_checksum_of_so_many_bytes(method, size):
    text = b"1" * 50
    data = zipped([("a", text), ("b", b"2")], method)
    lie = claimed(data, size=size, checksum=zlib.crc32(text[:size]))
    assert rows("zip", lie) == ["DamagedMember", ("b", "2")]
    assert rows("zip", claimed(data, size=50)) == [("a", text.decode()), ("b", "2")]


@pytest.mark.parametrize("more", [-1, 1])
def test_a_deflated_member_ends_where_its_bytes_end(more):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"1" * 50)
        archive.fp.write(b"?" * 10)  # between the member and the directory
        archive.start_dir = archive.fp.tell()
    data = sink.getvalue()
    assert rows("zip", data) == [("a", "1" * 50)]
    assert rows("zip", claimed(data, size=50, packed=more)) == ["DamagedMember"]


@given(st.binary(max_size=200_000).map(lambda b: b.hex()), st.integers(0, 9))
@examples(25)
def test_deflate_of_any_level_is_unpacked(text, level):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("a", text, zipfile.ZIP_DEFLATED, level)
        archive.writestr("b", text * 9, zipfile.ZIP_DEFLATED, level)
    assert rows("zip", sink.getvalue()) == [("a", text), ("b", text * 9)]


def pax(kind, *records):
    """A pax header block of a kind (b"g", b"x") with records (key, value)."""
    content = b""
    for key, value in records:
        rest = f" {key}={value}\n".encode()
        length = len(rest) + len(str(len(rest)))
        content += f"{length + (len(str(length)) != len(str(len(rest))))}".encode() + rest
    head = tarfile.TarInfo("head")
    head.type, head.size = kind, len(content)
    return head.tobuf(tarfile.USTAR_FORMAT) + content + bytes(-len(content) % 512)


def blocks(*members):
    """The blocks of members of one byte each, without the archive's end."""
    return b"".join(tarred([(name, b"1")])[:1024] for name in members)


END = bytes(1024)


@pytest.mark.parametrize(
    "record",
    [
        ("path", "one"),
        ("path", ".hidden"),
        ("linkpath", "a"),
        ("size", "0"),
        ("hdrcharset", "BINARY"),
        ("GNU.sparse.name", "x"),
        ("GNU.sparse.realsize", "1000"),
        ("GNU.sparse.map", "0,1"),
    ],
)
@pytest.mark.parametrize("place", [0, 2])
def test_global_headers_that_change_members_are_refused(record, place):
    names = ["a", "b", "c", "d"]
    data = blocks(*names[:place]) + pax(b"g", ("comment", "x"), record) + blocks(*names[place:])
    for split_bytes in (1, 3000, 1 << 30):
        with pytest.raises(UsageError, match="global header"):
            rows("tar", data + END, split_bytes=split_bytes)
    before = [(name, "1") for name in names[:place]]
    assert rows("tar.gz", gzip.compress(data + END)) == [*before, "DamagedArchive"]


@pytest.mark.parametrize("split_bytes", [1, 1500, 3000, 1 << 30])
@pytest.mark.parametrize("form", ["tar", "tar.gz"])
def test_harmless_global_headers_count_nowhere(form, split_bytes):
    harmless = pax(b"g", ("comment", "path=x size=0"), ("mtime", "x"), ("uname", "u"), ("a.b", ""))
    named = pax(b"x", ("path", "n" * 300))
    data = harmless + blocks("a", "b") + harmless + named + blocks("c", "d") + harmless * 2
    data += blocks("e") + END
    data = gzip.compress(data) if form == "tar.gz" else data
    expected = [(name, "1") for name in ("a", "b", "n" * 300, "d", "e")]
    assert rows(form, data, split_bytes=split_bytes) == expected


SPARSE = [
    [("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.realsize", "9000000000")],
    [("GNU.sparse.map", "0,1"), ("GNU.sparse.size", "9000000000")],
    [("GNU.sparse.size", "1"), ("GNU.sparse.offset", "0"), ("GNU.sparse.numbytes", "1")],
    [("GNU.sparse.realsize", "2000")],
]


@pytest.mark.parametrize("records", SPARSE)
@pytest.mark.parametrize("split_bytes", [1, 1 << 30])
def test_sparse_members_of_pax_are_error_rows(records, split_bytes):
    content = b"1"
    if records[0][0] == "GNU.sparse.major":  # the map stands before the content
        content = b"1\n0\n1\n".ljust(512, b"\0") + content
    sparse = tarred([("s", content)])[: 512 + len(content) + -len(content) % 512]
    data = blocks("a") + pax(b"x", *records) + sparse + blocks("b") + END
    expected = [("a", "1"), "NotAFile", ("b", "1")]
    assert rows("tar", data, split_bytes=split_bytes) == expected
    assert rows("tar.gz", gzip.compress(data)) == expected


def old_sparse(extended):
    """A sparse member of GNU tar before pax: one byte that stands for eight thousand million."""
    head = bytearray(tarred([("s", b"1")], tarfile.GNU_FORMAT)[:512])
    head[156:157] = tarfile.GNUTYPE_SPARSE
    head[386:410] = b"00000000000\x0000000000001\x00"
    head[482] = extended
    head[483:495] = b"77777777777\x00"
    head[148:156] = b" " * 8
    head[148:156] = f"{sum(head):06o}\0 ".encode()
    return bytes(head) + bytes(512) * extended + b"1".ljust(512, b"\0")


@pytest.mark.parametrize("extended", [0, 1])
def test_old_sparse_members_are_error_rows(extended):
    data = blocks("a") + old_sparse(extended) + blocks("b") + END
    expected = [("a", "1"), "NotAFile", ("b", "1")]
    for split_bytes in (1, 1 << 30):
        assert rows("tar", data, split_bytes=split_bytes) == expected
    assert rows("tar.gz", gzip.compress(data)) == expected


def bad_header(kind, size):
    """A header of a kind whose size is a binary number, which may be negative."""
    head = bytearray(tarfile.TarInfo("x").tobuf(tarfile.USTAR_FORMAT))
    head[156:157] = kind
    head[124:136] = (b"\xff" if size < 0 else b"\x80") + (size % (1 << 88)).to_bytes(11, "big")
    head[148:156] = b" " * 8
    head[148:156] = f"{sum(head):06o}\0 ".encode()
    return bytes(head)


@pytest.mark.parametrize(
    "bad",
    [
        # What a size of less than nothing does to CPython 3.11: it goes back, and never ends.
        pax(b"x", ("size", "-2048")) + blocks("b"),
        bad_header(b"0", -1024),
        bad_header(b"x", -1024),
        # More bytes than there are before the next header: the inner of two headers is forgotten.
        pax(b"x", ("comment", "c")) + pax(b"x", ("GNU.sparse.realsize", "2000")) + blocks("b"),
        old_sparse(1)[:512],
        bad_header(b"x", 2 << 20) + bytes(2 << 20),
        bad_header(b"L", 2 << 20) + b"n" * (2 << 20),
        pax(b"x", ("comment", "c")) * 2000,
    ],
    ids=["size", "header", "pax", "overlap", "cut map", "long pax", "long name", "many pax"],
)
def test_sizes_that_cannot_be_are_damage(bad):
    data = blocks("a") + bad
    data += b"" if bad == old_sparse(1)[:512] else blocks("c") + END
    with pytest.raises(UsageError, match="damaged"):
        rows("tar", data)
    assert rows("tar.gz", gzip.compress(data)) == [("a", "1"), "DamagedArchive"]


def big_map(kind):
    """A sparse member whose map has a hundred thousand and more entries."""
    if kind == "old":
        entries = b"00000000001\x0000000000001\x00" * 21 + b"\x01" + bytes(7)
        last = old_sparse(1)
        return last[:512] + entries * 10_000 + last[512:]
    content = b"100000\n" + b"7\n" * 200_000
    records = SPARSE[0]
    blocks_ = tarred([("s", content)])[: 512 + len(content) + -len(content) % 512]
    return pax(b"x", *records) + blocks_


@pytest.mark.parametrize("kind", ["old", "pax"])
def test_the_maps_of_sparse_members_are_not_kept(kind):
    data = gzip.compress(blocks("a") + big_map(kind) + blocks("b") + END)
    tracemalloc.start()
    try:
        found = rows("tar.gz", data)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == [("a", "1"), "NotAFile", ("b", "1")]
    assert peak_bytes < 5_000_000
