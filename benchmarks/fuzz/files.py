"""Targets that are formats of files, and formats of corpora."""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import io
import json
import random
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import (
    CORPORA,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    CorpusFormat,
    GroupFormat,
    StreamFormat,
)
from scrubline.models.formats import Format, FormatOptions, Limits, open_format
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.formats.protocol import Locator

from .inputs import Memory, Sinks, demo_lines, file_of, mutated, near_phi
from .laws import require, require_discreet

SECRET = "Quillfeather"
"""Stands in every seed; no message may hold it."""

VARIANTS: tuple[tuple[FormatOptions, int, Limits], ...] = (
    (FormatOptions(), 1 << 20, Limits()),
    (FormatOptions(), 7, Limits(batch_documents=2, line_bytes=60, document_bytes=60)),
    (FormatOptions(encoding="utf-16"), 1, Limits(batch_bytes=50)),
    (FormatOptions(encoding="cp1252", delimiter=";", quote="'", escape="\\"), 3, Limits()),
    (FormatOptions(encoding="utf-16-be", delimiter="|", quote=""), 64, Limits(batch_documents=1)),
    (FormatOptions(encoding="shift_jis", header=False), 5, Limits(line_bytes=200)),
    (FormatOptions(encoding="gb18030", escape="\\"), 1 << 20, Limits(unpacked_ratio=2)),
    (FormatOptions(header=False, quote="", delimiter=" "), 2, Limits()),
)
"""Settings, size of the blocks in which a file is read, limits; the first byte chooses."""

SPLITS = (1, 9, 100)

Record = tuple[str | None, ...] | str
"""Cells, or an error code."""


def check_format(name: str, data: bytes) -> None:
    """Whatever a file holds: read in any split and block, the same records, and never a crash."""
    settings, block, limits = VARIANTS[data[0] % len(VARIANTS) if data else 0]
    content = data[1:]
    form = open_format(name, settings)
    file = file_of(content, f"in/{SECRET}{form.suffixes[0]}")
    storage = Memory(content)
    told: tuple[str, ...] = ()
    refused = False
    try:
        told = form.columns(storage, file)
        token = form.schema_token(storage, file)
        require(token == form.schema_token(storage, file), "the schema's token is the same again")
    except UsageError as error:
        # The names in a header are told: who declares columns has to know them.
        if "names these columns more than once" not in str(error):
            require_discreet(error, content + SECRET.encode())
        refused = True
    columns = tuple(dict.fromkeys((*told[:4], "text")))
    whole = _records(form, storage, content, columns, limits, 1 << 40)
    # A header that cannot be read is refused before anything is planned.
    for split in () if refused else SPLITS:
        if len(content) > 80 * split:
            continue  # as many locators as bytes take their time
        again = _records(form, Memory(content, block), content, columns, limits, split)
        require(again == whole, "any split and any blocks give the same records")
    caps = dataclasses.replace(limits, batch_documents=3, batch_bytes=200)
    recut = _records(form, storage, content, columns, caps, 1 << 40)
    require(recut == whole, "caps decide how records are cut into chunks, never what one is")
    with contextlib.suppress(UsageError):
        roles = Columns((("path", Role.ID), ("text", Role.TEXT), ("ward", Role.PASS)))
        rows = list(form.part_rows(storage, file, roles))
        require(all(set(row.texts) == {"text"} for row in rows), "rows of a part have its texts")
    if whole is not None:
        _written_back(form, whole, columns)


def _records(
    form: Format,
    storage: Memory,
    content: bytes,
    columns: tuple[str, ...],
    limits: Limits,
    split: int,
) -> list[Record] | None:
    """All records; None if the file is refused as a whole."""
    file = file_of(content, f"in/{SECRET}{form.suffixes[0]}")
    try:
        locators: Sequence[Locator] = form.plan(storage, 7, file, split, limits)
    except UsageError as error:
        require_discreet(error, content + SECRET.encode())
        # A worker may meet a file that was planned otherwise.
        locators = ()
        with contextlib.suppress(UsageError):
            list(form.read(storage, file, Locator(7, 0, 3, 3), columns, limits))
        return None
    at = 0
    for locator in locators:
        require(
            locator.file == 7 and at <= locator.start < max(locator.end, 1), "locators in order"
        )
        at = locator.end
    found: list[Record] = []
    for locator in locators:
        for chunk in form.read(storage, file, locator, columns, limits):
            table = chunk.columns
            require(tuple(table.column_names) == columns, "a chunk has the declared columns")
            require(0 < table.num_rows <= limits.batch_documents, "chunks within the caps")
            cells = [form.cells(column) for column in table.columns]
            values = [form.decode(column) for column in table.columns]
            for column, decoded in zip(table.columns, values, strict=True):
                require(len(decoded) == table.num_rows, "a value a row")
                if form.is_text(column.type):
                    texts = [v if isinstance(v, str) else None for v in decoded]
                    _encoded(form, texts, column.type, decoded)
            for row in range(table.num_rows):
                record = tuple(column[row] for column in cells)
                if row in chunk.errors:
                    require(set(record) <= {None}, "rows with an error are null")
                    found.append(chunk.errors[row])
                else:
                    found.append(record)
            require(set(chunk.errors) <= set(range(table.num_rows)), "errors are rows")
    return found


def _encoded(form: Format, texts: list[str | None], kind: pa.DataType, values: list[Any]) -> None:
    try:
        cells = form.encode_text(texts, kind)
    except UsageError:
        return
    back = form.decode(cells)
    pairs = zip(texts, back, values, strict=True)
    require(
        all(a == b or (a == "" and b is None) for a, b, v in pairs if isinstance(v, str)),
        "texts come back from their cells",
    )


def _written_back(form: Format, records: list[Record], columns: tuple[str, ...]) -> None:
    """Texts that were read can be written, and are read from the part again."""
    place = columns.index("text")
    texts = [r[place] for r in records if not isinstance(r, str)]
    if form.name.startswith("jsonl"):  # whose cells are raw JSON
        texts = [json.loads(raw) for raw in texts if raw and raw.startswith('"')]
    texts = [t for t in texts if t is not None][: 1 if form.traits.file_is_record else None]
    if not texts:
        return
    keys = [f"{number:032x}" for number in range(len(texts))]
    try:
        table = pa.table(
            {
                "doc_key": form.encode_text(keys, pa.string()),
                "text": form.encode_text(texts, pa.string()),
            }
        )
    except UsageError:
        return  # a text from a cell of another type
    parts = Sinks()
    writer = form.writer(parts.open, "unit")
    writer.write(table)
    writer.close()
    roles = Columns((("path", Role.ID), ("text", Role.TEXT)))
    rows = [
        (row.doc_key, row.texts["text"])
        for path, content in sorted(parts.items())
        for row in form.part_rows(Memory(content), file_of(content, path), roles)
    ]
    expected: list[tuple[str | None, str | None]] = list(zip(keys, texts, strict=True))
    if getattr(form, "quote", "x") == "" or getattr(getattr(form, "inner", None), "quote", 1) == "":
        expected = [(key, text or None) for key, text in expected]
    require(rows == expected, "what is written is read")


# -- seeds of formats


def _texts() -> list[str]:
    chance = random.Random(5)
    return [
        f"Dr. {SECRET} seen 3/4/12",
        near_phi(chance),
        demo_lines()[0],
        "",
        'a "quoted" \\ back, with\r\na break; and | more\tthan that',
        "é 🙂 中文 NUL \x00",
        " ",
    ]


def _tables(form: Format) -> list[pa.Table]:
    texts = []
    for text in _texts():
        try:
            form.encode_text([text], pa.string())
            text.encode(getattr(form, "encoding", None) or "utf-8")
        except (UsageError, UnicodeEncodeError):
            text = SECRET
        texts.append(text)
    keys = [f"k{number}" for number in range(len(texts))]
    more = {"doc_key": keys, "path": [f"p/{k}" for k in keys], "text": texts, "ward": ["A"] * 7}
    table = pa.table({name: form.encode_text(v, pa.string()) for name, v in more.items()})
    return [table, table.slice(0, 1)]


def format_seeds(name: str) -> list[bytes]:
    """For every variant, files that the format's own writer wrote, and some by hand."""
    seeds = []
    for number, (settings, _, _) in enumerate(VARIANTS):
        form = open_format(name, settings)
        for table in _tables(form):
            parts = Sinks()
            try:
                writer = form.writer(parts.open, "unit")
                writer.write(table)
                writer.close()
            except (UsageError, UnicodeEncodeError):
                continue  # another table, or the dialect, cannot hold it
            seeds += [bytes([number]) + content for content in list(parts.values())[:2]]
        seeds += [bytes([number]) + content for content in _BY_HAND.get(name, ())]
    if name in CORPORA:
        # With tags, which the format's own writer has none of.
        seeds += [bytes([n]) + seed for n in (0, 1) for seed in corpus_seeds(name)]
    if name == "parquet":
        chance = random.Random(11)
        seeds = [s for s in seeds if s[0] < 2] + [parquet(chance) for _ in range(25)]
    return [*dict.fromkeys(seeds), b"", b"\x00"]


def _archives() -> list[bytes]:
    chance = random.Random(3)
    return [zipped(chance) for _ in range(12)]


_LINES = b'{"path": "1", "text": "Quillfeather \\ud83d\\ude42 \\ud800", "ward": [1, {"a": 1.10}]}\n'
_BY_HAND: dict[str, tuple[bytes, ...]] = {
    "jsonl": (
        *(
            _LINES,
            b"\xef\xbb\xbf" + _LINES + b"\r\n\n" + _LINES,
            b'{"text": null}\n{"text": 1e400}',
        ),
        *(
            b'{"text": ' + b"[" * 300 + b"]" * 300 + b"}",
            b'{"text": "a", "text": "b"}',
            b"[]\n{}\n",
        ),
        *(b'{"path": 1, "text": "' + b"x" * 90 + b'"}\n' + _LINES, b'{"text": -0.0E-99999999999}'),
    ),
    "csv": (
        *(
            b'path,text\r\n1,"a ""b"" c"\r\n2,\r\n3,""\r\n',
            b"path;text\n1;'a\\' b'\n",
            b"\xef\xbb\xbfa\n",
        ),
        *(
            b'path,text\n1,"a" b\n2,c\n"3,d\n4,"e\nf"\n',
            b"text\n\n\na\r\n\rb\n",
            b"a,a\n1,2\n",
            b"a,\n",
        ),
        "path,text\n1,é🙂\n".encode("utf-16"),
    ),
    "tsv": (b'path\ttext\n1\t"a\tb"\n2\t5\'10" tall\n', b"path\ttext\n1\n2\t3\t4\n"),
    "text": (b"", b"plain\r\n", b"\xff\xfea\x00", "é🙂".encode(), b"\xed\xa0\x80", b"x" * 80),
}


def packed(data: bytes, chance: random.Random) -> bytes:
    """A variant byte and a gzip file whose content is mutated, at times in two members."""
    with contextlib.suppress(OSError, EOFError, zlib.error, struct.error):
        inner = mutated(gzip.decompress(data[1:]), chance)
        cut = chance.choice((0, 0, 0, len(inner) // 2))
        parts = [part for part in (inner[:cut], inner[cut:]) if part or not cut]
        tail = chance.choice((b"", b"", b"\0" * 20, b"tail"))
        return data[:1] + b"".join(gzip.compress(p, 1, mtime=0) for p in parts) + tail
    return mutated(data, chance)


def with_sums(data: bytes, chance: random.Random) -> bytes:
    """A variant byte and a mutated tar archive, the sums of its headers put right again."""
    made = bytearray(mutated(data, chance))
    for at in range(1, len(made) - 511, 512):
        if made[at + 257 : at + 262] == b"ustar":
            made[at + 148 : at + 156] = b" " * 8
            made[at + 148 : at + 156] = b"%06o\0 " % sum(made[at : at + 512])
    return bytes(made)


def tar_through_gzip(data: bytes, chance: random.Random) -> bytes:
    """As `with_sums`, inside gzip."""
    with contextlib.suppress(OSError, EOFError, zlib.error, struct.error):
        inner = with_sums(data[:1] + gzip.decompress(data[1:]), chance)[1:]
        return data[:1] + gzip.compress(inner, 1, mtime=0)
    return mutated(data, chance)


_NAMES = (
    "a.txt",
    "d/",
    "../x",
    "/abs",
    ".hid",
    "__MACOSX/a",
    "é🙂",
    "a" * 300,
    "a.txt",
    "C:\\x",
    "",
)


def zipped(chance: random.Random) -> bytes:
    """A variant byte and a zip archive with some of everything that members may be."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for _ in range(chance.randrange(5)):
            entry = zipfile.ZipInfo(chance.choice(_NAMES))
            entry.create_system = chance.choice((0, 3, 3))
            entry.external_attr = chance.choice((0o100600, 0o120777, 0o040700, 0o20600, 0)) << 16
            entry.comment = chance.choice((b"", b"", b"note"))
            text = chance.choice(_texts()).encode("utf-8") * chance.choice((1, 1, 1, 500))
            method = chance.choice(
                (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of names that are there twice
                archive.writestr(entry, text, method)
        archive.comment = chance.choice((b"", b"", b"PK\5\6" + b"\0" * 18, b"comment"))
    content = sink.getvalue()
    if chance.random() < 0.1:
        content = b"junk" * 9 + content
    return bytes([chance.randrange(len(VARIANTS))]) + content


def rezipped(data: bytes, chance: random.Random) -> bytes:
    """A new archive, or a mutation of the one given."""
    return zipped(chance) if chance.random() < 0.2 else mutated(data, chance, _ZIP_WORDS)


_ZIP_WORDS = (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6", b"PK\6\7", b"PK\7\x08", b"\1\0\x10\0")

_TYPES: tuple[tuple[pa.DataType, tuple[Any, ...]], ...] = (
    (pa.string(), ("a", SECRET, "", None)),
    (pa.large_string(), ("é🙂", None)),
    (pa.int64(), (1, -(2**62), None)),
    (pa.float64(), (1.5, float("nan"), float("inf"), None)),
    (pa.bool_(), (True, None)),
    (pa.binary(), (b"\xff", None)),
    (pa.timestamp("ns"), (0, 2**62, -(2**62), None)),
    (pa.timestamp("s", "Europe/Paris"), (0, 2**40, None)),
    (pa.date32(), (0, 2**30, -(2**30), None)),
    (pa.time64("us"), (0, None)),
    (pa.decimal128(12, 3), (None,)),
    (pa.list_(pa.string()), (["a", None], [], None)),
    (pa.struct([("a", pa.int32()), ("b", pa.timestamp("us"))]), ({"a": 1, "b": 0}, None)),
    (pa.map_(pa.string(), pa.int64()), ([("k", 1)], [], None)),
    (pa.dictionary(pa.int32(), pa.string()), ("x", "y", None)),
    (pa.null(), (None,)),
    (pa.duration("ms"), (5, None)),
)


def parquet(chance: random.Random) -> bytes:
    """A variant byte and a small table of any types."""
    rows = chance.choice((0, 1, 3, 20))
    columns, fields = [], []
    for name in ["text", "path", "c", "d", "e"][: chance.randrange(1, 6)]:
        kind, values = chance.choice(
            _TYPES if name != "text" or chance.random() < 0.3 else _TYPES[:2]
        )
        columns.append(pa.array([chance.choice(values) for _ in range(rows)], kind))
        fields.append(pa.field(name, kind))
    sink = io.BytesIO()
    pq.write_table(
        pa.Table.from_arrays(columns, schema=pa.schema(fields)),
        sink,
        compression=chance.choice(("none", "snappy", "zstd", "gzip")),
        use_dictionary=chance.random() < 0.5,
        row_group_size=chance.choice((1, 2, 100)),
        data_page_version=chance.choice(("1.0", "2.0")),
        store_schema=chance.random() < 0.7,
    )
    return bytes([chance.randrange(2)]) + sink.getvalue()


def reparqueted(data: bytes, chance: random.Random) -> bytes:
    """A new table, or a mutation of the one given."""
    return parquet(chance) if chance.random() < 0.3 else mutated(data, chance)


def mutator_of(name: str) -> Any:
    """The mutator that knows a format's structure; None if bytes will do."""
    if name == "tar.gz":
        return tar_through_gzip
    if name.endswith(".gz"):
        return packed
    return {"tar": with_sums, "zip": rezipped, "parquet": reparqueted}.get(name)


_BY_HAND["zip"] = tuple(seed[1:] for seed in _archives())


def _tarred() -> tuple[bytes, ...]:
    found = []
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT):
        sink = io.BytesIO()
        with tarfile.open(fileobj=sink, mode="w", format=form) as archive:
            for name in ("a.txt", "d/é", "x" * 90, ".hid", "../up"):
                entry = tarfile.TarInfo(name * (3 if form != tarfile.USTAR_FORMAT else 1))
                entry.size = len(SECRET)
                archive.addfile(entry, io.BytesIO(SECRET.encode()))
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE):
                entry = tarfile.TarInfo(f"k{kind!r}")
                entry.type, entry.linkname = kind, "a.txt"
                archive.addfile(entry)
        found.append(sink.getvalue())
    return (*found, found[0][:700], found[0] + found[1])


_BY_HAND["tar"] = _tarred()
for _name in ("jsonl", "csv", "tsv", "text", "tar"):
    _BY_HAND[f"{_name}.gz"] = tuple(gzip.compress(c, 1, mtime=0) for c in _BY_HAND[_name])

WORDS: dict[str, tuple[bytes, ...]] = {
    "jsonl": (
        *(b'{"text": "', b'"path": ', b'"}\n', b"\\u0000", b"\\ud800", b"\\udc00", b"1e999", b"-0"),
        *(b"NaN", b"null", b"true", b"[[[[", b"]]]]", b'{"a":', b"\\", b"\xef\xbb\xbf"),
    ),
    "csv": (b"path,text\n", b'"', b'""', b'",', b'"\n', b"\r\n", b"\r", b"\\", b";", b"|", b"''"),
    "tsv": (b"path\ttext\n", b'"', b'""', b'"\t', b'"\n', b"\r\n", b"\r", b"\\", b"\t"),
    "zip": _ZIP_WORDS,
    "tar": (
        b"ustar\x0000",
        b"ustar  \0",
        b"27 path=abc",
        b"x",
        b"g",
        b"\0" * 512,
        b"5",
        b"L",
        b"K",
    ),
    "parquet": (b"PAR1", b"\x15\x00", b"\x15\x02", b"\xff\xff\xff\x7f", b"\x80\x80\x80\x80\x01"),
}


# -- corpora

SEPARATOR = b"\n%%%%\n"
"""Between the files of one document."""


def check_corpus(name: str, data: bytes) -> None:
    """Read, or refused without a word of its content; what was read comes back."""
    form = CORPORA[name]
    try:
        documents = _parsed(form, data, "note-7")
    except CorpusError as error:
        require_discreet(error, data)
        return
    for document in documents:
        require(
            all(0 <= s.start < s.end <= len(document.text) for s in document.spans),
            "spans lie in the text",
        )
    for other in CORPORA.values():
        try:
            rendered = other.render(documents)
        except CorpusError as error:
            labels = [span.label for document in documents for span in document.spans]
            require_discreet(error, data, labels)
            # Of what it read itself, a format may refuse ids that are no paths, labels of another
            # set, and spans on what a foreign file took for a token and Unicode for white space.
            is_told = error.fault in ("BadDocId", "UnknownLabel", "BlankSpan")
            require(other is not form or is_told, "what was read can be written")
            continue
        again: list[AnnotatedDocument] = []
        if isinstance(rendered, bytes):
            again = other.parse(rendered, "note-7")  # type: ignore[arg-type]
        elif isinstance(other, GroupFormat):
            again = other.parse(list(rendered.values()), "note-7")
        else:
            for document in documents:
                contents = [rendered[document.doc_id + ending] for ending in other.endings]
                again += other.parse(contents, document.doc_id)  # type: ignore[arg-type]
        require(_shown(again) == _shown(documents), "what was written is read back")
        if other is form and form.keeps_meta:
            metas = [[dict(d.meta) for d in sorted(some, key=_id)] for some in (again, documents)]
            require(repr(metas[0]) == repr(metas[1]) or metas[0] == metas[1], "meta comes back")


def _parsed(form: CorpusFormat, data: bytes, name: str) -> list[AnnotatedDocument]:
    if isinstance(form, StreamFormat):
        return form.parse(data, name)
    contents = data.split(SEPARATOR, len(form.endings) - 1)
    return form.parse([*contents, *[b""] * (len(form.endings) - len(contents))], name)


def _id(document: AnnotatedDocument) -> str:
    return document.doc_id


def _shown(documents: Sequence[AnnotatedDocument]) -> list[tuple[str, str, list[Any]]]:
    """Ids, texts and spans."""
    return sorted(
        (d.doc_id, d.text, sorted((s.start, s.end, s.label) for s in d.spans)) for d in documents
    )


def corpus_seeds(name: str) -> list[bytes]:
    """What the format writes."""
    form = CORPORA[name]
    texts = [
        (f"Dr. {SECRET}\nseen 3/4/12 ]]> & é🙂\n", ((4, 16, "DOCTOR"), (22, 28, "DATE"))),
        ("", ()),
        ("A. B\n\nc -DOCSTART- # x\tT1\n", ((0, 1, "PATIENT"), (3, 4, "PATIENT"))),
        ("\\ | \"q\" 'a' <PHI> &amp; 93", ((24, 26, "AGE"),)),
    ]
    seeds = []
    for text, rows in texts:
        spans = tuple(Annotation(*row) for row in rows)
        with contextlib.suppress(CorpusError):
            doc_id = "7-2" if isinstance(form, GroupFormat) else "note-7"
            rendered = form.render([AnnotatedDocument(doc_id, text, spans)])
            seeds.append(
                rendered if isinstance(rendered, bytes) else SEPARATOR.join(rendered.values())
            )
    return [*seeds, b"".join(s for s in seeds if isinstance(form, StreamFormat)), b""]


CORPUS_WORDS: dict[str, tuple[bytes, ...]] = {
    "standoff": (
        *(
            b'{"doc_id": "',
            b'"text": "',
            b'"spans": [',
            b'"meta": {',
            b'"span_texts": ["',
            b"1e400",
        ),
        *(b'{"start": 0, "end": 1, "label": "DATE"}', b"NaN", b"\\ud800", b"null", b"}\n{", b"-1"),
    ),
    "brat": (
        *(SEPARATOR, b"\nT2\tDATE 0 1\tD", b"0 1;2 3", b"\nR1\tx", b"\n#1\t", b"\nA1\t", b"\n*\t"),
        *(b"\r\n", b"\t", b";", b"\xef\xbb\xbf", b"E1\tDATE:T1"),
    ),
    "physionet": (
        *(
            SEPARATOR,
            b"START_OF_RECORD=7||||2||||\n",
            b"\n||||END_OF_RECORD\n",
            b"7 2 0 1 Date D\n",
        ),
        *(b"Patient 7\tNote 2\n", b"0\t0\t1\n", b"\r\n", b"\t", b"||||", b"\xef\xbb\xbf"),
    ),
    "conll": (
        *(
            b"-DOCSTART- -X- -X- O\n",
            b"# global.columns = FORM NER MISC\n",
            b"# doc_id = ",
            b"\n\n",
        ),
        *(
            b"B-DATE",
            b"I-DATE",
            b"E-DATE",
            b"S-DATE",
            b"# spaces_before = ",
            b"\\s",
            b"\\n",
            b"\\p",
        ),
        *(b"# newdoc id = a\n", b"# text = ", b"|", b"\t", b"SpacesAfter=", b"_", b" O\n"),
    ),
    "i2b2_2014": (
        *(
            b"<deIdi2b2>",
            b"<TEXT><![CDATA[",
            b"]]></TEXT>",
            b"<TAGS>",
            b'<NAME id="P0" start="0" end="1"',
        ),
        *(
            b' text="',
            b' TYPE="DOCTOR"',
            b' comment="" />',
            b"&#10;",
            b"&#x1F642;",
            b"&amp;",
            b"<!--",
        ),
        *(b"<!DOCTYPE a [", b'<!ENTITY b "c">', b"&b;", b"<?xml version='1.0' encoding='utf-16'?>"),
    ),
    "i2b2_2006": (
        *(b"<ROOT>", b'<RECORD ID="1">', b"<TEXT>", b'<PHI TYPE="DATE">', b"</PHI>", b"</TEXT>"),
        *(
            b"</RECORD>",
            b"</ROOT>",
            b"&#10;",
            b"&#x1F642;",
            b"&amp;",
            b"<!--",
            b"-->",
            b"<![CDATA[",
        ),
        *(b"<!DOCTYPE a [", b'<!ENTITY b "c">', b"&b;", b"<?xml version='1.0' encoding='latin1'?>"),
    ),
}
