"""How files are written is guessed only where the default does not read them."""

import gzip

import pytest
from scrubline.models.formats import FormatOptions
from scrubline.models.guesses.writing import guess_writing
from scrubline.models.storage.storage import Storage

PLAIN = "note_id,note_text,ward\n1,Seen today,A\n2,Cough again,B\n3,Well,A\n"
SEMICOLONS = 'note_id;note_text;ward\n1;"Seen today, well; no pain";A\n2;"Cough, again";B\n'


def guess(tmp_path, content, name="a.csv", said=FormatOptions(), form="csv"):  # noqa: B008
    (tmp_path / name).write_bytes(content)
    storage = Storage()
    files = storage.list_files([str(tmp_path / name)])
    return guess_writing(storage, files, [form], said)


@pytest.mark.parametrize(
    ("content", "changed"),
    [
        (PLAIN.encode(), {}),
        (b"", {}),
        ("é,ß\n".encode() + PLAIN.encode(), {}),
        (SEMICOLONS.encode(), {"delimiter": ";"}),
        (PLAIN.replace(",", "\t").encode(), {"delimiter": "\t"}),
        (PLAIN.replace(",", "|").encode(), {"delimiter": "|"}),
        (PLAIN.replace("Seen", "Müde").encode("cp1252"), {"encoding": "cp1252"}),
        (PLAIN.encode("utf-16"), {"encoding": "utf-16"}),
        (
            SEMICOLONS.replace("pain", "Übelkeit").encode("cp1252"),
            {"encoding": "cp1252", "delimiter": ";"},
        ),
        (b'id,text\n1,"said \\"well\\", went"\n2,"a \\"b\\" c"\n', {"escape": "\\"}),
        (b'id,text\n1,"5 feet tall\n2,"again\n3,well\n', {"quote": ""}),
        (b"1001,Seen by 10/12/2019,2019-10-12\n1002,x,2019-10-13\n", {"header": False}),
        (b"id,id,text\n1,2,three\n", {"header": False}),
    ],
)
def test_dialects(tmp_path, content, changed):
    found = guess(tmp_path, content)
    assert {name: getattr(found.options, name) for name in found.options.changed} == changed
    assert found.why.keys() == changed.keys()


def test_compressed_files_are_guessed_alike(tmp_path):
    found = guess(tmp_path, gzip.compress(SEMICOLONS.encode()), "a.csv.gz", form="csv.gz")
    assert found.options.delimiter == ";"


def test_texts_have_an_encoding_alone(tmp_path):
    found = guess(tmp_path, "Müde; a|b".encode("cp1252"), "a.txt", form="text")
    assert found.options == FormatOptions(encoding="cp1252")


def test_what_was_said_stays(tmp_path):
    said = FormatOptions(encoding="iso8859-1", delimiter="|")
    found = guess(tmp_path, SEMICOLONS.replace("pain", "Übel").encode("cp1252"), said=said)
    assert (found.options.encoding, found.options.delimiter) == ("iso8859-1", "|")
    assert not found.why.keys() & {"encoding", "delimiter"}


def test_files_that_are_utf_8_all_the_same_are_told(tmp_path):
    umlauts = PLAIN.replace("Seen", "Müde")
    contents = [umlauts.encode("cp1252"), PLAIN.encode(), umlauts.encode()]
    for number, content in enumerate(contents):
        (tmp_path / f"{number}.csv").write_bytes(content)
    storage = Storage()
    files = storage.list_files([str(tmp_path)])
    guessed = guess_writing(storage, files, ["csv"] * 3, FormatOptions())
    assert (guessed.options.encoding, guessed.utf_8) == ("cp1252", (2,))
    assert guess_writing(storage, files[1:], ["csv"] * 2, FormatOptions()).utf_8 == ()
