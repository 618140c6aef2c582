"""Corpora on storage."""

import bz2
import gzip
import io
import logging
import lzma
import os
from pathlib import Path

import fsspec
import pytest
from scrubline.models.core.errors import StorageError, UsageError
from scrubline.models.core.label_maps import load_map
from scrubline.models.corpora import (
    CORPORA,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    FolderFormat,
    StreamFormat,
    format_of_target,
    read_annotated,
    remap,
    write_annotated,
)

from .conftest import ids_for, shown

SECRET = "Abernathy"
DEMO = Path(__file__).parents[3] / "demo/gold"
DOCUMENTS = [
    AnnotatedDocument("b", "Dr. Who\r\n", (Annotation(4, 7, "DOCTOR"),)),
    AnnotatedDocument("a/1", "", ()),
    AnnotatedDocument("a/2", "3/4 🙂", (Annotation(0, 3, "DATE"), Annotation(4, 5, "AGE"))),
]
FORMS = pytest.mark.parametrize("form", CORPORA)


def files(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@FORMS
def test_a_corpus_is_written_and_read(tmp_path, form):
    target = tmp_path / "corpus"
    written = ids_for(DOCUMENTS, form)
    assert write_annotated(iter(written), target, form) == 3
    documents = list(read_annotated(str(target), form))
    assert shown(documents) == shown(written)
    if isinstance(CORPORA[form], FolderFormat):
        assert [d.doc_id for d in documents] == ["a/1", "a/2", "b"]
    if not isinstance(CORPORA[form], StreamFormat):
        assert shown(read_annotated(target)) == shown(written)


@FORMS
def test_a_corpus_in_an_object_store(form):
    url = f"memory://corpora-{form}/x"
    documents = ids_for(DOCUMENTS, form)
    write_annotated(documents, url, form)
    assert shown(read_annotated(url, form)) == shown(documents)
    fsspec.filesystem("memory").rm(f"/corpora-{form}", recursive=True)


@pytest.mark.parametrize("packed", ["", ".gz", ".bz2", ".xz", ".GZ"])
@pytest.mark.parametrize("ending", [".jsonl", ".ndjson", ".conll", ".BIO", ".iob"])
def test_endings_say_the_format(tmp_path, ending, packed):
    target = tmp_path / f"corpus{ending}{packed}"
    write_annotated(DOCUMENTS, target)
    assert shown(read_annotated(target)) == shown(DOCUMENTS)
    assert shown(read_annotated(target.as_uri())) == shown(DOCUMENTS)
    raw = target.read_bytes()
    unpack = {"": bytes, ".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
    assert b"DOCTOR" in unpack[packed.lower()](raw)
    write_annotated(DOCUMENTS, target)
    assert target.read_bytes() == raw


def test_the_outermost_element_says_the_format_of_xml(tmp_path):
    write_annotated(DOCUMENTS, tmp_path / "x.xml", "i2b2_2006")
    write_annotated(DOCUMENTS, tmp_path / "y", "i2b2_2014")
    assert shown(read_annotated(tmp_path / "x.xml")) == shown(DOCUMENTS)
    assert shown(read_annotated(tmp_path / "y")) == shown(DOCUMENTS)
    assert [d.doc_id for d in read_annotated(tmp_path / "y/a/2.xml")] == ["2"]
    (tmp_path / "x.xml").write_text(f"<root id='{SECRET}'><TEXT>a</TEXT><TAGS/></root>")
    with pytest.raises(UsageError, match="--from.*i2b2_2006.*i2b2_2014") as caught:
        list(read_annotated(tmp_path / "x.xml"))
    assert SECRET not in str(caught.value)
    assert [d.text for d in read_annotated(tmp_path / "x.xml", "i2b2_2014")] == ["a"]


def test_several_files_folders_and_globs_are_one_corpus(tmp_path):
    for number, name in enumerate(("b.jsonl", "a.conll", "c/d.jsonl.gz")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_annotated([DOCUMENTS[number]], tmp_path / name)
    found = [d.doc_id for d in read_annotated(tmp_path)]
    assert found == ["a/1", "b", "a/2"]
    assert [d.doc_id for d in read_annotated([tmp_path / "c", tmp_path / "b.jsonl"])] == [
        "b",
        "a/2",
    ]
    assert [d.doc_id for d in read_annotated(f"{tmp_path}/*.jsonl")] == ["b"]
    write_annotated([DOCUMENTS[0]], tmp_path / "again.jsonl")
    with pytest.raises(CorpusError, match="corpus document 3: DuplicateDocId"):
        list(read_annotated(tmp_path))


def test_a_fault_names_the_file_by_its_ordinal(tmp_path):
    write_annotated(DOCUMENTS, tmp_path / "a.jsonl")
    (tmp_path / f"{SECRET}.jsonl").write_text(f'{{"doc_id": "7", "text": ""}}\n{SECRET}\n')
    with pytest.raises(CorpusError, match="corpus file 1, line 2: BadJson") as caught:
        list(read_annotated(tmp_path))
    assert SECRET not in str(caught.value)
    assert (caught.value.line, caught.value.fault) == (2, "BadJson")
    with pytest.raises(CorpusError, match="corpus line 2: BadJson"):
        list(read_annotated(tmp_path / f"{SECRET}.jsonl"))


def test_files_of_other_endings_are_left_out_with_a_warning(tmp_path, caplog):
    write_annotated(DOCUMENTS, tmp_path / "a.jsonl")
    for name in (f"{SECRET}.md", "LICENSE", "notes.txt"):
        (tmp_path / name).write_text("no corpus")
    with caplog.at_level(logging.WARNING):
        assert len(list(read_annotated(tmp_path))) == 3
    assert "3 files are left out" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize("name", ["x", "x.txt", "x.json", "x.gz", "x.conllu"])
def test_unknown_endings_need_the_name_of_the_format(tmp_path, name):
    (tmp_path / name).write_text('{"doc_id": "1", "text": ""}')
    with pytest.raises(UsageError, match="no .ann|does not determine its format"):
        list(read_annotated(tmp_path / name, None if name != "x.txt" else "brat"))
    if name != "x.gz":
        assert len(list(read_annotated(tmp_path / name, "standoff"))) == 1


def test_a_pair_of_brat_is_found_by_either_file(tmp_path):
    write_annotated(DOCUMENTS, tmp_path / "x", "brat")
    expected = [("2", *shown(DOCUMENTS)[1][1:])]
    assert shown(read_annotated(tmp_path / "x/a/2.ann")) == expected
    assert shown(read_annotated(tmp_path / "x/a/2.txt", "brat")) == expected
    (tmp_path / "x/annotation.conf").write_text("[entities]\n")
    assert shown(read_annotated(tmp_path / "x")) == shown(DOCUMENTS)


@pytest.mark.parametrize("ending", [".ann", ".txt"])
def test_half_a_pair_is_refused(tmp_path, ending):
    write_annotated(DOCUMENTS, tmp_path, "brat")
    (tmp_path / f"b{ending}").unlink()
    with pytest.raises(UsageError, match=f"has no {ending} file"):
        list(read_annotated(tmp_path))


def test_missing_files_and_strange_ones(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for source in (tmp_path / SECRET, tmp_path, tmp_path / "pipe", "no-such://x", []):
        for form in (None, "standoff"):
            with pytest.raises(UsageError) as caught:
                list(read_annotated(source, form))
            assert SECRET not in str(caught.value)
    with pytest.raises(UsageError, match="unknown corpus format .*; expected one of .*'conll'"):
        list(read_annotated(tmp_path, "conllu"))


@pytest.mark.parametrize("name", ["_x.jsonl", ".x.jsonl"])
def test_a_file_that_is_named_may_be_hidden(tmp_path, name):
    write_annotated(DOCUMENTS, tmp_path / name)
    assert len(list(read_annotated(tmp_path / name))) == 3


@pytest.mark.parametrize(
    ("pack", "name"), [(gzip.compress, "x.gz"), (bz2.compress, "x.bz2"), (lzma.compress, "x.xz")]
)
@pytest.mark.parametrize("form", ["standoff", "i2b2_2006", "conll"])
def test_damaged_archives_are_storage_errors(tmp_path, pack, name, form):
    content = pack(CORPORA[form].render(DOCUMENTS) + os.urandom(10_000))
    for damaged in (content[: len(content) // 2], SECRET.encode() * 10):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises((StorageError, CorpusError)) as caught:
            list(read_annotated(tmp_path / name, form))
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize("form", ["brat", "i2b2_2014", "i2b2_2006", "physionet"])
def test_files_that_unpack_without_end_are_refused(tmp_path, monkeypatch, form):
    from scrubline.models.corpora import files, markup

    monkeypatch.setattr(files, "MOST_BYTES", 3_000)
    monkeypatch.setattr(markup, "MOST_BYTES", 3_000)
    endings = CORPORA[form].endings
    stem = "id" if form == "physionet" else "1"
    rendered = CORPORA[form].render(ids_for([AnnotatedDocument("1", "x" * 4_000)], form))
    for ending in endings:
        content = rendered if isinstance(rendered, bytes) else rendered[f"{stem}{ending}"]
        (tmp_path / f"{stem}{ending}.gz").write_bytes(gzip.compress(content))
    with pytest.raises(CorpusError, match="TooLarge"):
        list(read_annotated(tmp_path, form))


def test_streams_are_left_open():
    for form in ("standoff", "i2b2_2006", "conll", None):
        stream = io.BytesIO()
        assert write_annotated(DOCUMENTS, stream, form) == 3
        stream.seek(0)
        assert shown(read_annotated(stream, form)) == shown(DOCUMENTS)
        assert not stream.closed
    for form in ("brat", "i2b2_2014", "physionet"):
        with pytest.raises(UsageError, match="(one document per|several) files?: .* be a stream"):
            write_annotated([], io.BytesIO(), form)
        with pytest.raises(UsageError, match="(one document per|several) files?: .* be a stream"):
            list(read_annotated(io.BytesIO(), form))


@pytest.mark.parametrize("target", ["out", "out/", "out.xml", "out.txt", "out.ann", "out.json"])
def test_targets_that_say_no_format_are_refused(target):
    with pytest.raises(UsageError, match="--to"):
        format_of_target(target)
    assert format_of_target(target, "brat") is CORPORA["brat"]


@FORMS
@pytest.mark.parametrize("there", [False, True])
def test_nothing_is_left_of_a_corpus_that_cannot_be_written(tmp_path, form, there):
    target = tmp_path / "new/corpus"
    documents = ids_for([*DOCUMENTS, AnnotatedDocument("z", f"{SECRET}\ud800")], form)
    if there and not isinstance(CORPORA[form], StreamFormat):
        target.mkdir(parents=True)
    elif there:
        target.parent.mkdir()
        target.write_text("as before")
    before = files(tmp_path)
    with pytest.raises(CorpusError) as caught:
        write_annotated(documents, target, form)
    assert caught.value.line == 4
    assert files(tmp_path) == before
    assert target.exists() == there
    with pytest.raises(ZeroDivisionError):
        write_annotated((documents[0 // (i - 1)] for i in range(3)), target, form)
    assert files(tmp_path) == before


@pytest.mark.parametrize("form", ["i2b2_2014", "brat", "physionet"])
def test_a_folder_with_files_is_not_written_to(tmp_path, form):
    (tmp_path / "old.txt").write_text("old")
    with pytest.raises(UsageError, match="empty or does not exist"):
        write_annotated(DOCUMENTS, tmp_path, form)
    assert files(tmp_path) == ["old.txt"]


@pytest.mark.parametrize("form", CORPORA)
def test_the_corpora_of_the_demo_there_and_back(tmp_path, form):
    documents = list(read_annotated(DEMO))
    assert len(documents) > 50
    if form == "i2b2_2006":
        mapping = load_map("i2b2_2006", "from_native")
        documents = [remap(document, mapping.apply) for document in documents]
    if form.startswith("i2b2"):
        # Form feeds: XML has no place for them.
        with pytest.raises(CorpusError, match="U\\+000C"):
            write_annotated(documents, tmp_path / "whole", form)
        documents = [document for document in documents if "\f" not in document.text]
        assert len(documents) > 50
    documents = ids_for(documents, form)
    write_annotated(documents, tmp_path / "there", form)
    assert shown(read_annotated(tmp_path / "there", form)) == shown(documents)
    back = tmp_path / "back.jsonl"
    write_annotated(read_annotated(tmp_path / "there", form), back)
    assert shown(read_annotated(back)) == shown(documents)
