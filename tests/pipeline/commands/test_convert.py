"""`scrubline convert`, and the other commands on corpora in other forms."""

import itertools
import json
from pathlib import Path

import pytest
from scrubline.models.core.errors import GateFailed, StorageError, UsageError
from scrubline.models.corpora import (
    CORPORA,
    AnnotatedDocument,
    Annotation,
    StreamFormat,
    read_annotated,
    write_annotated,
)
from scrubline.models.storage.writers import LocalWriter
from scrubline.pipeline.commands import convert
from scrubline.pipeline.commands.convert import convert_corpus

SECRET = "Abernathy"
DEMO = Path(__file__).parents[3] / "demo/gold"
DOCUMENTS = [
    AnnotatedDocument(f"{SECRET}-1", "Dr. Who\r\n]]>", (Annotation(4, 7, "DOCTOR"),)),
    AnnotatedDocument(f"{SECRET}-2", "", ()),
    AnnotatedDocument(
        f"{SECRET}-3", "3/4 🙂 <7>", (Annotation(0, 3, "DATE"), Annotation(4, 5, "AGE"))
    ),
]


NUMBERED = [
    AnnotatedDocument(f"{number}-1", document.text, document.spans, document.meta)
    for number, document in enumerate(DOCUMENTS, start=1)
]
"""With ids that every form can hold."""


def shown(documents):
    return sorted(
        (d.doc_id, d.text, sorted((s.start, s.end, s.label) for s in d.spans)) for d in documents
    )


def files(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.fixture
def corpus(tmp_path):
    """A corpus in stand-off JSON Lines, with meta."""
    path = tmp_path / "corpus.jsonl"
    documents = [
        AnnotatedDocument(d.doc_id, d.text, d.spans, {"lang": "en"} if d.spans else {})
        for d in DOCUMENTS
    ]
    write_annotated(documents, path)
    return path


@pytest.fixture
def numbered(tmp_path):
    """A corpus that every form can hold."""
    write_annotated(NUMBERED, tmp_path / "corpus.jsonl")
    return tmp_path / "corpus.jsonl"


@pytest.mark.parametrize("check", [False, True], ids=["plain", "checked"])
@pytest.mark.parametrize(("first", "second"), list(itertools.product(CORPORA, repeat=2)))
def test_between_any_two(tmp_path, numbered, first, second, check):
    one, two, back = (str(tmp_path / name) for name in ("one", "two", "back.jsonl"))
    convert_corpus(str(numbered), one, target_form=first, check=check)
    done = convert_corpus(one, two, source_form=first, target_form=second, check=check)
    assert (done.form, done.documents, done.spans, done.checked) == (second, 3, 3, check)
    convert_corpus(two, back, source_form=second, check=check)
    assert shown(read_annotated(back)) == shown(NUMBERED)


def test_what_is_told(scrubline, corpus, tmp_path):
    code, out, err = scrubline("convert", corpus, tmp_path / "x.conll", "--check")
    assert (code, err) == (0, "")
    assert out == (
        "3 documents with 3 spans written as conll\n"
        "left out: meta of 2 documents, which the format cannot hold\n"
        "checked: the output was read back and is equal\n"
    )
    code, out, _ = scrubline("convert", tmp_path / "x.conll", tmp_path / "b", "--to", "brat")
    assert (code, out) == (0, "3 documents with 3 spans written as brat\n")
    code, out, _ = scrubline("convert", tmp_path / "b", tmp_path / "y.ndjson.gz")
    assert (code, out) == (0, "3 documents with 3 spans written as standoff\n")
    assert shown(read_annotated(tmp_path / "y.ndjson.gz")) == shown(DOCUMENTS)


def test_help_names_every_form(scrubline):
    code, out, _ = scrubline("convert", "--help")
    assert code == 0
    for name, form in CORPORA.items():
        assert f"\n  {name} " in out
        assert all(ending in out for ending in form.endings if ending != ".xml")


def test_labels_are_mapped_to_the_native_ones_and_from_them(tmp_path):
    spans = tuple(Annotation(i, i + 1, name) for i, name in enumerate(("CALLE", "FECHAS")))
    spanish, native, xml, again = (
        str(tmp_path / name) for name in ("s.jsonl", "n.jsonl", "x.xml", "again.jsonl")
    )
    write_annotated([AnnotatedDocument("1", "ab", spans)], spanish)
    convert_corpus(spanish, native, label_map="meddocan")
    assert [s.label for d in read_annotated(native) for s in d.spans] == ["STREET", "DATE"]
    convert_corpus(native, xml, target_form="i2b2_2006", label_map="i2b2_2006", check=True)
    assert [s.label for d in read_annotated(xml) for s in d.spans] == ["LOCATION", "DATE"]
    convert_corpus(xml, again, label_map="i2b2_2006")
    assert [s.label for d in read_annotated(again) for s in d.spans] == ["LOCATION-OTHER", "DATE"]


def test_spans_without_counterpart_are_counted(scrubline, tmp_path):
    spans = (Annotation(0, 1, "PROFESSION"), Annotation(0, 2, "DATE"))
    write_annotated([AnnotatedDocument("1", "ab", spans)], tmp_path / "n.jsonl")
    words = ("--to", "i2b2_2006", "--label-map", "i2b2_2006", "--check")
    code, out, _ = scrubline("convert", tmp_path / "n.jsonl", tmp_path / "x.xml", *words)
    assert code == 0
    assert "1 document with 1 span" in out
    assert "left out: 1 spans whose label the map does not map\n" in out


BROKEN = [
    AnnotatedDocument("ok", "fine", (Annotation(0, 4, "DATE"),)),
    AnnotatedDocument("o", SECRET, (Annotation(0, 4, "DATE"), Annotation(2, 9, "AGE"))),
    AnnotatedDocument("c", f"{SECRET}\x0c", ()),
    AnnotatedDocument("p", f"{SECRET}\x0c", (Annotation(0, 4, "DATE"), Annotation(0, 2, "AGE"))),
    AnnotatedDocument("l", SECRET, (Annotation(0, 4, "STREET"),)),
]


@pytest.mark.parametrize(
    ("form", "first", "all_"),
    [
        (
            "i2b2_2006",
            "corpus document 2: OverlappingSpans: ",
            "NotXml in 2 (first document 3: XML cannot hold the character U+000C, at 9 of the "
            "text); OverlappingSpans in 1 (first document 2: two spans overlap, which the "
            "format cannot hold); UnknownLabel in 1 (first document 5: a label is not",
        ),
        ("i2b2_2014", "corpus document 3: NotXml: ", "5 documents: NotXml in 2 (first document 3"),
        ("conll", "corpus document 2: Overl", "OverlappingSpans in 2 (first document 2: two spans"),
        ("physionet", "corpus document 1: BadDocId", "BadDocId in 5 (first document 1: the doc_id"),
    ],
)
def test_what_a_form_cannot_hold(scrubline, tmp_path, form, first, all_):
    write_annotated(BROKEN, tmp_path / "in.jsonl")
    for words, message in (((), first), (("--check",), all_)):
        code, out, err = scrubline(
            "convert", tmp_path / "in.jsonl", tmp_path / "new/x", "--to", form, *words
        )
        assert (code, out) == (2, "")
        assert message in err
        assert SECRET not in err
        assert files(tmp_path) == ["in.jsonl"]


def test_ids_that_are_no_paths(scrubline, tmp_path):
    write_annotated([AnnotatedDocument(f"../{SECRET}", "")], tmp_path / "in.jsonl")
    for words in ((), ("--check",)):
        code, _, err = scrubline(
            "convert", tmp_path / "in.jsonl", tmp_path / "new/x", "--to", "brat", *words
        )
        assert code == 2
        assert "BadDocId" in err
        assert SECRET not in err
        assert files(tmp_path) == ["in.jsonl"]


@pytest.mark.parametrize("form", CORPORA)
@pytest.mark.parametrize("harm", ["changed", "lost"])
def test_a_result_that_does_not_read_back_is_removed(tmp_path, numbered, monkeypatch, form, harm):
    target = tmp_path / "out/x"
    true_read = convert.read_annotated

    def read_badly(source, form=None):
        for ordinal, one in enumerate(true_read(source, form)):
            if Path(source) == target and ordinal == 0:
                if harm == "lost":
                    continue
                one = AnnotatedDocument(one.doc_id, one.text + "x", one.spans)
            yield one

    monkeypatch.setattr(convert, "read_annotated", read_badly)
    with pytest.raises(GateFailed, match=f"{int(harm == 'changed')} documents differ"):
        convert_corpus(str(numbered), str(target), target_form=form, check=True)
    assert files(tmp_path) == ["corpus.jsonl"]


@pytest.mark.parametrize("form", CORPORA)
def test_nothing_is_left_when_storage_fails(tmp_path, numbered, monkeypatch, form):
    commits = []
    true_commit = LocalWriter._commit

    def commit(writer):
        commits.append(writer)
        if len(commits) == (1 if isinstance(CORPORA[form], StreamFormat) else 2):
            raise StorageError("the disk is full")
        true_commit(writer)

    monkeypatch.setattr(LocalWriter, "_commit", commit)
    with pytest.raises(StorageError, match="full"):
        convert_corpus(str(numbered), str(tmp_path / "x"), target_form=form)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.jsonl"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("x",), "--to"),
        (("x.xml",), "--to"),
        (("x.jsonl", "--to", "conllu"), "unknown form"),
        (("x.jsonl", "--from", "xml"), "unknown form"),
        (("x.jsonl", "--label-map", "no-such"), "unknown label map"),
        (("x.jsonl", "--label-map", "meddocan"), "unknown label"),
    ],
)
def test_bad_usage(scrubline, corpus, tmp_path, words, message):
    code, out, err = scrubline("convert", corpus, tmp_path / words[0], *words[1:])
    assert (code, out) == (2, "")
    assert message in err
    assert files(tmp_path) == ["corpus.jsonl"]


def test_an_empty_corpus(tmp_path):
    (tmp_path / "in.jsonl").touch()
    for form in CORPORA:
        done = convert_corpus(
            str(tmp_path / "in.jsonl"), str(tmp_path / form), target_form=form, check=True
        )
        assert (done.documents, done.checked) == (0, True)


def test_the_demo_there_and_back(scrubline, tmp_path):
    words = ("convert", DEMO, tmp_path / "a.conll", "--check")
    assert scrubline(*words)[0] == 0
    assert scrubline("convert", tmp_path / "a.conll", tmp_path / "b", "--to", "brat")[0] == 0
    assert scrubline("convert", tmp_path / "b", tmp_path / "c.jsonl", "--check")[0] == 0
    assert shown(read_annotated(tmp_path / "c.jsonl")) == shown(read_annotated(DEMO))


# -- the other commands


@pytest.mark.parametrize("form", CORPORA)
def test_other_commands_take_every_form(scrubline, tmp_path, form):
    documents = []
    for number in range(12):
        text = f"Seen on {number % 12 + 1}/{number % 28 + 1}/2019 by Dr. Lopez.\n"
        start = text.index("/2019") + 5
        documents.append(AnnotatedDocument(f"{number}-1", text, (Annotation(8, start, "DATE"),)))
    gold, found = tmp_path / "gold", tmp_path / "found"
    write_annotated(documents, gold, "i2b2_2014" if form == "standoff" else form)
    if not gold.is_dir():
        gold = gold.rename(tmp_path / f"gold{CORPORA[form].endings[0]}")
    code, out, _ = scrubline(
        *("annotate", "--input", gold, "--model", "none", "--recogniser", "date"),
        *("--output", found, "--to", form),
    )
    assert (code, out) == (0, "12 documents annotated\n")
    assert shown(read_annotated(found, form)) == shown(documents)
    if not found.is_dir():
        found = found.rename(tmp_path / f"found{CORPORA[form].endings[0]}")
    code, out, _ = scrubline("evaluate", gold, found, "--json")
    assert code == 0
    assert json.loads(out)["documents"] == 12
    code, out, _ = scrubline(
        *("train", "--corpus", gold, "--name", "mine", "--output", tmp_path / "bundle"),
        *("--dictionary", "none", "--set", "max_iterations=2"),
    )
    assert code == 0
    assert "trained on 12 documents" in out


def test_annotating_to_an_unknown_form_is_refused_before_reading(scrubline, corpus, tmp_path):
    words = ("annotate", "--input", corpus, "--model", "none", "--recogniser", "date", "--output")
    code, _, err = scrubline(*words, tmp_path / "found")
    assert code == 2
    assert "--to" in err
    with pytest.raises(UsageError, match="unknown corpus format"):
        convert_corpus(str(corpus), str(tmp_path / "x"), target_form="uima")


@pytest.mark.parametrize(("kind", "told"), [(SECRET, "this kind"), ("s4", "this kind")])
def test_a_kind_of_storage_that_is_none_is_not_repeated(scrubline, tmp_path, kind, told):
    code, out, err = scrubline("convert", f"{kind}://x", tmp_path / "out.jsonl")
    assert code == 2 and f"storage of {told} is unknown" in err
    assert kind not in out + err
