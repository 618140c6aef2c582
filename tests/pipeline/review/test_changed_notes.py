"""Notes that are scrubbed anew with other words: what was marked on the old ones is not of them."""

import json

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import read_annotated
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.certifying.review_folder import ReviewFolder
from scrubline.pipeline.options import Options
from scrubline.pipeline.review.exporting import export_corrections, read_texts
from scrubline.pipeline.run import scrub

from .conftest import Reader

BEFORE = {1: "Seen with Zorkle on 3/4/2021.", 2: "Zorkle called twice."}
LONGER = "Nurse notes. " + BEFORE[1]
AS_LONG = "On 3/4/2021 seen with Zorkle."


@pytest.fixture
def night(tmp_path):
    """Writes the notes, and scrubs what changed; gives the output and the key."""
    key = tmp_path / "key.txt"
    key.write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    key.chmod(0o600)

    def run(notes, **more):
        folder = tmp_path / "in"
        folder.mkdir(exist_ok=True)
        for number, text in notes.items():
            path, row = folder / f"{number}.jsonl", {"id": number, "text": text}
            if not path.exists() or json.loads(path.read_text()) != row:
                path.write_text(json.dumps(row))
        scrub(
            Storage(),
            Options(
                inputs=(str(folder),),
                output=str(tmp_path / "out"),
                models=(),
                columns=Columns.parse([("id", "id"), ("text", "text")]),
                key_source=str(key),
                incremental=True,
                progress=False,
                **more,
            ),
        )
        return str(tmp_path / "out"), str(key)

    return run


def reader(output, key, name="ana", **more):
    made = Reader(output, key, name, folder=ReviewFolder.of(output, "find"), **more)
    made.begin()
    return made


def mark_name(ana):
    """Marks the name in each open note, which no rule finds; gives addresses by length."""
    texts = {}
    for address in ana.open_texts():
        shown = ana.call("GET", f"/api/document/{address}")
        original = "".join(one["text"] or "#" * 9 for one in shown["segments"])
        start = original.index("Zorkle")
        mark = {"start": start, "end": start + 6, "label": "PATIENT", "was": None}
        ana.save(address, [*shown["spans"], mark], revision=shown["revision"])
        texts[shown["text_length"]] = address
    return texts


@pytest.mark.parametrize("after", [LONGER, AS_LONG])
def test_marks_of_other_words_are_neither_shown_nor_exported(night, after):
    ana = reader(*night(BEFORE))
    address = mark_name(ana)[len(BEFORE[1])]
    again = reader(*night({1: after}))
    shown = again.call("GET", f"/api/document/{address}")
    assert (shown["verdict"], shown["revision"]) == ("open", 1)
    assert "PATIENT" not in {one["label"] for one in shown["spans"]}
    if after == LONGER:
        assert again.open_texts() == [address]
    assert read_texts(again.folder, again.output).changed == 1
    found = export_corrections(again.output, again.folder, "ana", with_measure=False)
    assert (found.documents, found.changed) == (1, 1)
    assert [one.text for one in read_annotated(found.path)] == [BEFORE[2]]


def test_a_changed_note_is_read_again(night):
    address = mark_name(reader(*night(BEFORE)))[len(BEFORE[1])]
    ana = reader(*night({1: LONGER}))
    mark_name(ana)
    found = export_corrections(ana.output, ana.folder, "ana", with_measure=False)
    assert (found.documents, found.changed) == (2, 0)
    spans = {
        one.text: {one.text[s.start : s.end] for s in one.spans}
        for one in read_annotated(found.path)
    }
    assert "Zorkle" in spans[LONGER] and "Zorkle" in spans[BEFORE[2]]
    assert ana.call("GET", f"/api/document/{address}")["revision"] == 2


def test_a_note_that_left_the_output_is_left_out(night, tmp_path):
    mark_name(reader(*night(BEFORE)))
    (tmp_path / "in" / "1.jsonl").unlink()
    ana = reader(*night({}, drop_gone=True))
    found = export_corrections(ana.output, ana.folder, "ana", with_measure=False)
    assert (found.documents, found.changed) == (1, 1)


def test_a_note_without_its_original_can_still_be_read(night, tmp_path):
    address = mark_name(reader(*night(BEFORE)))[len(BEFORE[1])]
    (tmp_path / "in" / "1.jsonl").unlink()
    ana = reader(*night({}))
    assert ana.call("GET", f"/api/document/{address}")["verdict"] == "done"


def test_the_same_words_scrubbed_anew_keep_their_marks(night, tmp_path):
    address = mark_name(reader(*night(BEFORE)))[len(BEFORE[1])]
    path = tmp_path / "in" / "1.jsonl"
    path.write_text(path.read_text() + "\n")  # another file with the same note
    ana = reader(*night({}))
    assert ana.open_texts() == []
    assert ana.call("GET", f"/api/document/{address}")["verdict"] == "done"


def test_nothing_left_to_export_is_said(night):
    ana = reader(*night({1: BEFORE[1]}))
    mark_name_alone(ana)
    again = reader(*night({1: LONGER}))
    with pytest.raises(UsageError, match="nothing was read"):
        export_corrections(again.output, again.folder, "ana", with_measure=False)


def mark_name_alone(ana):
    (address,) = ana.open_texts()
    ana.save(address, [], revision=0)
