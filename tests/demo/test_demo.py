"""The demo corpus is what its README promises, and what is committed is what the builder writes."""

import collections
import importlib.util
import ipaddress
import itertools
import json
import re
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.labels import LABELS as NATIVE_LABELS
from scrubline.models.core.labels import UNKNOWN_KIND

LABELS = [label for label in NATIVE_LABELS if label != UNKNOWN_KIND]
"""Notes are annotated with the kind of each PHI."""

DEMO = Path(__file__).resolve().parents[2] / "demo"

# (note, word): a word of a name in that note, which occurs in it as an everyday word too.
EVERYDAY_WORDS = {
    ("5103402", "baby"),
    ("5109004", "may"),
    ("5113002", "trauma"),
    ("5119001", "may"),
    ("5120001", "will"),
    ("5137001", "may"),
    ("5138001", "may"),
    ("5138001", "will"),
}


def load_builder():
    spec = importlib.util.spec_from_file_location("demo_build", DEMO / "build.py")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name.
    sys.modules["demo_build"] = module
    spec.loader.exec_module(module)
    return module


build = load_builder()
NOTES = build.read_notes(DEMO / "notes")


def covered(note, label=None):
    return [
        note.text[start:end] for start, end, found in note.spans if label is None or found == label
    ]


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def source(body, **header):
    keys = {
        "note_id": "1",
        "patient_id": "0000001",
        "encounter_id": "2",
        "note_type": "letter",
        "encounter_date": "2001-02-03 04:05",
        "author": "A B",
        "department": "C",
    } | header
    return "".join(f"#{key}: {value}\n" for key, value in keys.items() if value) + "\n" + body


# What is committed


def test_build_writes_the_same_bytes_twice(tmp_path):
    for name in ("one", "two"):
        build.build(NOTES, tmp_path / name)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


MADE = ("gold/", "hl7/", "parquet/", "text/")


def test_committed_files_are_what_build_writes(tmp_path):
    build.build(NOTES, tmp_path)
    fresh = contents(tmp_path)
    committed = {
        name: data
        for name, data in contents(DEMO).items()
        if name in ("README.md", "roster.csv") or name.startswith(MADE)
    }
    parquet = "parquet/notes.parquet"
    wrote, ours = (pq.ParquetFile(folder / parquet).metadata for folder in (DEMO, tmp_path))
    if wrote.created_by != ours.created_by:
        # Another pyarrow may encode otherwise; then the contents have to be the same.
        assert pq.read_table(DEMO / parquet).equals(pq.read_table(tmp_path / parquet))
        del fresh[parquet], committed[parquet]
    assert sorted(fresh) == sorted(committed)
    assert [name for name in fresh if fresh[name] != committed[name]] == []


def test_old_text_files_are_removed(tmp_path):
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "old.txt").write_text("old")
    build.build(NOTES[:1], tmp_path)
    assert [path.name for path in (tmp_path / "text").iterdir()] == [NOTES[0].file_name]


# What is promised


def test_there_are_enough_notes_patients_and_kinds():
    assert len(NOTES) >= 70
    per_patient = collections.Counter(note.header["patient_id"] for note in NOTES)
    assert len(per_patient) >= 24
    assert sum(count >= 3 for count in per_patient.values()) >= 8
    assert len({note.header["note_type"] for note in NOTES}) >= 22


def test_notes_have_80_to_500_words():
    lengths = {note.header["note_id"]: len(note.text.split()) for note in NOTES}
    assert {number: n for number, n in lengths.items() if not 80 <= n <= 500} == {}


def test_all_labels_occur_in_both_halves():
    counts = collections.Counter((label, note.split) for note in NOTES for *_, label in note.spans)
    assert {label for label, _ in counts} == set(LABELS)
    assert all(counts[label, split] >= 3 for label in LABELS for split in ("train", "dev"))
    assert all(
        counts[label, "train"] + counts[label, "dev"] >= 200
        for label in ("PATIENT", "DOCTOR", "DATE")
    )


def test_ages_over_89_occur():
    ages = [int(age) for note in NOTES for age in covered(note, "AGE") if age.isdigit()]
    assert sum(age > 89 for age in ages) >= 10


def test_halves_are_even_by_patient_and_hold_every_kind():
    by_split = {
        split: [note for note in NOTES if note.split == split] for split in ("train", "dev")
    }
    assert abs(len(by_split["train"]) - len(by_split["dev"])) <= 2
    patients, kinds = (
        {split: {note.header[key] for note in notes} for split, notes in by_split.items()}
        for key in ("patient_id", "note_type")
    )
    assert patients["train"].isdisjoint(patients["dev"])
    assert kinds["train"] == kinds["dev"]
    assert patients["dev"] == build.DEV_PATIENTS
    # Mother and newborn: their notes name each other.
    assert len({"0010093", "0010094"} & build.DEV_PATIENTS) in (0, 2)


def test_unusual_characters_are_there():
    has = {
        "CRLF": sum("\r\n" in note.text for note in NOTES),
        "BOM": sum(note.text.startswith("\ufeff") for note in NOTES),
        "FF": sum("\f" in note.text for note in NOTES),
        "NBSP": sum("\xa0" in note.text for note in NOTES),
        "tab": sum("\t" in note.text for note in NOTES),
        "no last newline": sum(not note.text.endswith("\n") for note in NOTES),
        "line end in an entity": sum("\n" in words for note in NOTES for words in covered(note)),
        "accent in a name": sum(
            not words.isascii() for note in NOTES for words in covered(note, "PATIENT")
        ),
        "entity glued to a word": sum(
            note.text[start - 1 : start].isalpha() for note in NOTES for start, *_ in note.spans
        ),
    }
    assert all(has.values()), has
    for note in NOTES:
        if note.header["newline"] == "crlf":
            assert note.text.count("\n") == note.text.count("\r\n") > 0
        else:
            assert "\r" not in note.text


def test_readme_counts_agree_with_the_gold():
    readme = (DEMO / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+?) \| (\d+ \| \d+) \|$", readme, re.MULTILINE))
    assert set(LABELS) <= rows.keys()
    total = sum(int(n) for label in LABELS for n in rows[label].split(" | "))
    assert (
        total
        == sum(int(n) for n in rows["entities"].split(" | "))
        == sum(len(json.loads(line)["spans"]) for line in read_gold_lines())
    )


# Invented numbers stay invented


def test_phones_are_fictional():
    for note in NOTES:
        for number in covered(note, "PHONE") + covered(note, "FAX"):
            digits = re.sub(r"\D", "", number)
            # Shorter ones are extensions and pagers.
            if len(digits) >= 7:
                assert re.search(r"55501\d\d$|^44207946\d{4}$", digits), note.header["note_id"]


def test_mail_and_web_addresses_are_fictional():
    for note in NOTES:
        for address in covered(note, "EMAIL") + covered(note, "URL"):
            assert re.search(r"\.example(/|$)", address), note.header["note_id"]


def test_ip_addresses_are_for_documentation():
    blocks = [
        ipaddress.ip_network(block)
        for block in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
    ]
    for note in NOTES:
        for text in covered(note, "IPADDR"):
            address = ipaddress.ip_address(text)
            assert any(address in block for block in blocks), note.header["note_id"]


def test_social_security_numbers_are_never_issued():
    for note in NOTES:
        for number in covered(note, "SSN"):
            assert len(number) == 4 or re.fullmatch(r"(000|9\d\d)-\d\d-\d{4}", number), note.header[
                "note_id"
            ]


# The gold


def read_gold_lines():
    parts = (DEMO / "gold" / f"{split}.jsonl" for split in ("train", "dev"))
    lines = [line for part in parts for line in part.read_text(encoding="utf-8").split("\n")[:-1]]
    return sorted(lines, key=lambda line: int(json.loads(line)["doc_id"]))


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.header["note_id"])
def test_spans_are_sound(note):
    assert all(0 <= start < end <= len(note.text) for start, end, _ in note.spans)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(note.spans))
    for words in covered(note):
        assert words == words.strip()
    assert {label for *_, label in note.spans} <= set(LABELS)


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.header["note_id"])
def test_a_name_is_annotated_wherever_it_stands(note):
    inside = {i for start, end, _ in note.spans for i in range(start, end)}
    names = {
        word.casefold()
        for words in covered(note, "PATIENT") + covered(note, "DOCTOR")
        for word in re.findall(r"[^\W\d_]{3,}", words)
    }
    missed = {
        (note.header["note_id"], match[0].casefold())
        for match in re.finditer(r"[^\W\d_]{3,}", note.text)
        if match[0].casefold() in names and match.start() not in inside
    }
    assert missed == {pair for pair in EVERYDAY_WORDS if pair[0] == note.header["note_id"]}


def test_gold_is_the_notes():
    documents = [json.loads(line) for line in read_gold_lines()]
    assert [document["doc_id"] for document in documents] == [n.header["note_id"] for n in NOTES]
    for document, note in zip(documents, NOTES, strict=True):
        assert set(document) == {"doc_id", "text", "spans", "meta"}
        assert document["text"] == note.text
        assert [tuple(span.values()) for span in document["spans"]] == list(note.spans)
        assert document["meta"] == {
            "type": note.header["note_type"],
            "patient_id": note.header["patient_id"],
            "split": note.split,
        }


def test_markup_never_appears_in_output():
    for name, data in contents(DEMO).items():
        if name.startswith(("gold/", "text/")):
            assert not re.search("[⟦⟧]", data.decode("utf-8")), name
    assert not any(re.search("[⟦⟧]", note.text) for note in NOTES)


def test_text_files_are_the_notes():
    for note in NOTES:
        data = (DEMO / "text" / note.file_name).read_bytes()
        assert data.decode("utf-8") == note.text
        assert data.startswith(b"\xef\xbb\xbf") == (note.header["bom"] == "yes")


def test_table_has_the_promised_columns():
    file = pq.ParquetFile(DEMO / "parquet" / "notes.parquet")
    table = file.read()
    assert table.schema.remove_metadata().equals(build.SCHEMA)
    assert file.metadata.num_row_groups >= 5
    assert table["note_text"].to_pylist() == [note.text for note in NOTES]
    assert table["note_id"].to_pylist() == sorted({int(note.header["note_id"]) for note in NOTES})
    assert all(re.fullmatch(r"0\d{6}", patient) for patient in table["patient_id"].to_pylist())
    assert table["is_addendum"].to_pylist().count(True) >= 3
    assert min(table["word_count"].to_pylist()) >= 80


# The builder


@pytest.mark.parametrize(
    ("body", "header", "text", "expected"),
    [
        ("seen ⟦DATE:3/4⟧ by x", {}, "seen 3/4 by x", [("3/4", "DATE")]),
        ("⟦PATIENT:Ng⟧⟦AGE:90⟧", {}, "Ng90", [("Ng", "PATIENT"), ("90", "AGE")]),
        ("⟦LOCATION-OTHER:a: b⟧", {}, "a: b", [("a: b", "LOCATION-OTHER")]),
        ("a⟦FF⟧⟦CITY:B⟧⟦NBSP⟧", {}, "a\fB\xa0", [("B", "CITY")]),
        ("⟦CITY:A\nB⟧\n", {"newline": "crlf"}, "A\r\nB\r\n", [("A\r\nB", "CITY")]),
        ("⟦CITY:A⟧\n", {"bom": "yes"}, "\ufeffA\n", [("A", "CITY")]),
        ("⟦CITY:A⟧\n", {"final_newline": "no"}, "A", [("A", "CITY")]),
        ("\n\n #x: y", {}, "\n\n #x: y", []),
        ("", {}, "", []),
    ],
)
def test_parse_note(body, header, text, expected):
    note = build.parse_note(source(body, **header))
    assert note.text == text
    assert [(text[start:end], label) for start, end, label in note.spans] == expected


@pytest.mark.parametrize(
    ("body", "header", "message"),
    [
        ("⟦DATE:3/4", {}, "not closed"),
        ("3/4⟧", {}, "not closed"),
        ("⟦DATE:⟧", {}, "not closed"),
        ("⟦date:3/4⟧", {}, "not closed"),
        ("⟦DATE:on ⟦AGE:3⟧⟧", {}, "nested"),
        ("⟦DATE: 3/4⟧", {}, "white space"),
        ("⟦DATE:3/4\n⟧", {}, "white space"),
        ("⟦LF⟧", {}, "unknown escape"),
        ("", {"author": ""}, "lacks"),
        ("", {"newline": "cr"}, "none of"),
        ("", {"colour": "red"}, "known key"),
    ],
)
def test_parse_note_refuses(body, header, message):
    with pytest.raises(ValueError, match=message):
        build.parse_note(source(body, **header))


def test_a_misnamed_file_is_refused(tmp_path):
    (tmp_path / "2.txt").write_text(source("text"), encoding="utf-8")
    with pytest.raises(ValueError, match="2.txt: its header says note 1"):
        build.read_notes(tmp_path)


plain = st.text(st.characters(exclude_characters="⟦⟧", exclude_categories=["Cs"]))


@given(
    st.lists(
        st.tuples(plain, plain.filter(lambda s: s and s == s.strip()), st.sampled_from(LABELS))
    )
)
def test_marks_and_offsets_agree(pieces):
    marked = "".join(f"{before}⟦{label}:{words}⟧" for before, words, label in pieces)
    note = build.parse_note(source(marked))
    assert note.text == "".join(before + words for before, words, _ in pieces)
    assert [(note.text[start:end], label) for start, end, label in note.spans] == [
        (words, label) for _, words, label in pieces
    ]


def test_the_roster_is_of_patients_and_names_in_the_notes():
    texts: dict[str, str] = {}
    for note in NOTES:
        patient = note.header["patient_id"]
        texts[patient] = texts.get(patient, "") + note.text.casefold()
    rows = list(build.roster_rows())[1:]
    assert len(set(rows)) == len(rows)
    for patient, kind, attribute, value in rows:
        words = re.findall(r"\w{4,}", value.casefold()) if attribute == "name" else []
        where = texts[patient] if kind != "staff" else "".join(texts.values())
        assert all(word in where for word in words), (patient, attribute)
