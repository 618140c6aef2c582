"""Files of every format, by other means than the format's own writer wherever there are some."""

import csv
import gzip
import io
import json
import struct
import tarfile
import zipfile
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.corpora import CORPORA, AnnotatedDocument, Annotation
from scrubline.models.formats import FORMATS

TABLES = tuple(name for name, form in FORMATS.items() if not form.traits.record)
"""Formats that hold any texts; those of messages have files of their own: `test_messages.py`."""

GZIPPED = tuple(name for name in TABLES if name.endswith(".gz") and name != "tar.gz")
FILES = tuple(name for name in TABLES if FORMATS[name].traits.file_is_record)
"""Formats in which the id of a document is the path of its file."""


def as_json(rows):
    return "".join(json.dumps({"path": i, "text": t}) + "\n" for i, t in rows).encode()


def as_csv(rows, delimiter=","):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("path", "text"), *rows])
    return stream.getvalue().encode()


def as_parquet(rows, **options):
    sink = io.BytesIO()
    ids, texts = zip(*rows, strict=True)
    pq.write_table(pa.table({"path": ids, "text": texts}), sink, **options)
    return sink.getvalue()


def as_zip(members):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return sink.getvalue()


def as_tar(members):
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        for name, content in members:
            entry = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            entry.size = len(content) if entry.isreg() else 0
            archive.addfile(entry, io.BytesIO(content))
    return sink.getvalue()


def encoded(rows):
    return [(name, text.encode()) for name, text in rows]


def annotated(rows):
    """Documents with gold tags: their texts' first words, and what follows."""
    for name, text in rows:
        ends = [len(text) - len(text.lstrip()), len(text) // 2, len(text.rstrip())]
        spans = [
            Annotation(start, end, "DATE")
            for start, end in zip(ends, ends[1:], strict=False)
            if start < end and text[start:end].strip()
        ]
        yield AnnotatedDocument(name, text, tuple(spans))


def corpus_files(name, rows):
    """The files of a corpus with a document a file."""
    stems = [(one.removesuffix(FORMATS[name].suffixes[0]), text) for one, text in rows]
    return CORPORA[name].render(annotated(stems))


MAKERS = {
    "text": lambda stem, rows: dict(encoded(rows)),
    "jsonl": lambda stem, rows: {f"{stem}.jsonl": as_json(rows)},
    "csv": lambda stem, rows: {f"{stem}.csv": as_csv(rows)},
    "tsv": lambda stem, rows: {f"{stem}.tsv": as_csv(rows, "\t")},
    "parquet": lambda stem, rows: {f"{stem}.parquet": as_parquet(rows)},
    "zip": lambda stem, rows: {f"{stem}.zip": as_zip(encoded(rows))},
    "tar": lambda stem, rows: {f"{stem}.tar": as_tar(encoded(rows))},
    "tar.gz": lambda stem, rows: {f"{stem}.tgz": gzip.compress(as_tar(encoded(rows)))},
    "i2b2_2014": lambda stem, rows: corpus_files("i2b2_2014", rows),
    "i2b2_2006": lambda stem, rows: {f"{stem}.xml": CORPORA["i2b2_2006"].render(annotated(rows))},
    "brat": lambda stem, rows: corpus_files("brat", rows),
    "conll": lambda stem, rows: {f"{stem}.conll": CORPORA["conll"].render(annotated(rows))},
}
"""Format -> (stem of names, rows of id and text) -> name -> content. Of `FILES`, ids are names."""


def make(name, stem, rows):
    """The files of a format with some notes; their ids as the format has them, in order."""
    inner = name.removesuffix(".gz") if name in GZIPPED else name
    if inner in FILES:
        suffix = FORMATS[inner].suffixes[0]
        rows = [(i.rpartition(".")[0] + suffix, text) for i, text in rows]
    made = MAKERS[inner](stem, rows)
    if name not in GZIPPED:
        return made, [i for i, _ in rows]
    made = {f"{path}.gz": gzip.compress(data, mtime=0) for path, data in made.items()}
    return made, [f"{i}.gz" if inner in FILES else i for i, _ in rows]


# -- malformed


def broken_zip(text, name):
    link = zipfile.ZipInfo(f"{name}-link")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    data = as_zip(
        [
            (link, f"../{text}"),
            (f"{name}-1", text.encode() + b"\xff"),
            (f"{name}-damaged", f"{text} as it was"),
            (f"{name}-encrypted", text),
        ]
    )
    data = bytearray(data.replace(b"as it was", b"as it is!"))
    last = data.rfind(b"PK\1\2")
    (flags,) = struct.unpack_from("<H", data, last + 8)
    struct.pack_into("<H", data, last + 8, flags | 1)
    return bytes(data)


def broken_tar(text, name):
    link = tarfile.TarInfo(f"{name}-link")
    link.type, link.linkname = tarfile.SYMTYPE, f"../{text}"
    return as_tar([(link, b""), (f"{name}-1", text.encode() + b"\xff")])


def broken_parquet(text, name):
    rows = [(f"{name}-1", f"{text} @@"), (f"{name}-2", "fine")]
    data = as_parquet(rows, compression="none", use_dictionary=False, write_statistics=False)
    return data.replace(b" @@", b" @\xff")


def broken_lines(text, name):
    lines = [
        json.dumps({"path": name, "text": text})[:-4],
        json.dumps([text]),
        f'{{"path": "{name}", "text": "{text}", "text": "{text}"}}',
        json.dumps({"path": name, "text": {text: text}}),
        json.dumps({"path": None, "text": text}),
        json.dumps({"path": name, "text": f"{text} \ud83d"}),
    ]
    return "\n".join(lines).encode() + b'\n"' + text.encode() + b'\xff"'


def broken_csv(text, name, d=","):
    lines = ["path,text".replace(",", d), f"{name}{d}{text}{d}{text}", f'{d}"{text}"']
    return "\n".join(lines).encode() + f'\n{name}{d}{text}@\n{name}{d}"{text}" x'.encode().replace(
        b"@", b"\xff"
    )


def records(*pairs):
    inner = "".join(f'<RECORD ID="{name}"><TEXT>{text}</TEXT></RECORD>' for name, text in pairs)
    return f"<ROOT>{inner}</ROOT>".encode()


CSV_CODES = ("WrongCellCount", "MissingId", "BadEncoding", "BadQuote")

BROKEN = {
    "text": lambda t, n: [(t.encode() + b"\xff", ["BadEncoding"])],
    "jsonl": lambda t, n: [
        (
            broken_lines(t, n),
            [
                *("BadJson", "NotAnObject", "DuplicateKey", "NotText", "MissingId"),
                *("LoneSurrogate", "BadEncoding"),
            ],
        )
    ],
    "csv": lambda t, n: [(broken_csv(t, n), CSV_CODES)],
    "tsv": lambda t, n: [(broken_csv(t, n, "\t"), CSV_CODES)],
    "parquet": lambda t, n: [(broken_parquet(t, n), ["BadEncoding", None])],
    "zip": lambda t, n: [
        (broken_zip(t, n), ["NotAFile", "BadEncoding", "DamagedMember", "Encrypted"])
    ],
    "tar": lambda t, n: [(broken_tar(t, n), ["NotAFile", "BadEncoding"])],
    "tar.gz": lambda t, n: [
        (gzip.compress(broken_tar(t, n), 0), ["NotAFile", "BadEncoding"]),
        (gzip.compress(as_tar([(n, t.encode())]), 0)[:700], ["DamagedArchive"]),
    ],
    "i2b2_2014": lambda t, n: [
        (f"<deIdi2b2><TEXT>{t}</TEXT><{t}/></deIdi2b2>".encode(), ["UnknownTag"]),
        (f"<deIdi2b2><TEXT>{t}".encode(), ["BadXml"]),
        (f"<!DOCTYPE x [<!ENTITY {n} '{t}'>]><deIdi2b2/>".encode(), ["Entity"]),
    ],
    "i2b2_2006": lambda t, n: [
        (records((n, t), (n, f"<{t}/>"), (f"{n}-2", t))[:9], ["BadXml"]),
        (records((n, f"<{t}>{t}</{t}>"), (f"{n}-2", t)), ["UnknownTag"] * 2),
        (records((n, f"{t} &{t};"), (f"{n}-2", t)), ["BadXml"] * 2),
    ],
    "brat": lambda t, n: [(t.encode() + b"\xff", ["BadEncoding"])],
    "conll": lambda t, n: [
        (f"-DOCSTART-\tO\n\n# doc_id = {n}\n\n{t}\t{t}\n".encode(), ["BadTag"]),
        (f"-DOCSTART-\tO\n\n# doc_id = {n}\n\n{t}\n-DOCSTART-\n".encode(), ["BadColumns"] * 2),
    ],
}
"""Format -> (text, name) -> contents that are read in parts or not at all, with the error class of
each of their rows, None for one that is good."""


def break_(name, text, stem):
    """Malformed files of a format and the error classes to be expected, with their numbers."""
    inner = name.removesuffix(".gz") if name in GZIPPED else name
    contents = BROKEN[inner](text, stem)
    if name in GZIPPED:
        head = {"csv": b"path,text\n", "tsv": b"path\ttext\n"}.get(inner, b"")
        contents = [(gzip.compress(data, 0), codes) for data, codes in contents]
        # Of what ends before its end, all that is there is told, and no record is whole.
        contents.append((gzip.compress(head + text.encode(), 0)[:-4], ["DamagedArchive"]))
    suffix = FORMATS[name].suffixes[0]
    files = {f"{stem}-broken{n}{suffix}": data for n, (data, _) in enumerate(contents)}
    return files, Counter(code for _, codes in contents for code in codes)


REFUSED = {
    "csv": lambda t: (".csv", f'"{t},text\n'.encode()),
    "tsv": lambda t: (".tsv", f'"{t}\ttext\n'.encode()),
    "csv.gz": lambda t: (".csv.gz", gzip.compress(f'"{t},text\n'.encode(), 0)),
    "tsv.gz": lambda t: (".tsv.gz", gzip.compress(b"path\ttext\tpath\n", 0)),
    "parquet": lambda t: (".parquet", b"PAR1" + t.encode()),
    "zip": lambda t: (".zip", b"PK\3\4" + t.encode()),
    "tar": lambda t: (".tar", t.encode() * 100),
    "brat": lambda t: (".conf", t.encode()),
}
"""Format -> (text) -> ending and content of a file at which planning ends."""


def slow_but(names, *quick):
    """Parameters of which only some belong to the quick tests."""
    marks = pytest.mark.slow
    return [name if name in quick else pytest.param(name, marks=marks) for name in names]
