"""`scrubline synth`: the same bytes for the same seed, from what ships or from own templates."""

import json

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.synth import load_templates


def run(scrubline, tmp_path, name, *options):
    path = tmp_path / name
    code, out, err = scrubline("synth", "--output", path, *options)
    assert code == 0, err
    return path.read_bytes(), out


@pytest.mark.slow
def test_same_seed_same_bytes_other_seed_other_identities(scrubline, tmp_path):
    one, told = run(scrubline, tmp_path, "1.jsonl", "--seed", "7", "--notes", "60")
    again, _ = run(scrubline, tmp_path, "2.jsonl", "--seed", "7", "--notes", "60")
    other, _ = run(scrubline, tmp_path, "3.jsonl", "--seed", "8", "--notes", "60")
    assert one == again != other
    assert told.startswith("60 notes, ")
    rows = [json.loads(line) for line in one.splitlines()]
    assert len(rows) == 60
    assert all(row["text"] and row["meta"]["type"] for row in rows)


def test_own_templates_and_raw_notes(scrubline, tmp_path):
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "letter.txt").write_text("Dear {d1.last}, {p} was here.\n%%\n")
    (tmp_path / "raw.txt").write_text(
        "The patient has a cough and some fever.\nNo rash was seen today."
    )
    content, told = run(
        scrubline,
        tmp_path,
        "n.jsonl",
        *("--templates", tmp_path / "ours", "--notes", "2", "--raw", tmp_path / "raw.txt"),
    )
    rows = [json.loads(line) for line in content.splitlines()]
    assert [row["meta"]["type"] for row in rows] == ["letter", "letter", "raw"]
    assert "1 templates of 1 kinds and 1 raw notes" in told


def kinds_in(content):
    return {json.loads(line)["meta"]["type"] for line in content.splitlines()}


def test_kinds_that_are_named(scrubline, tmp_path):
    words = ("--kind", "nursing-shorthand", "--notes", "20")
    content, told = run(scrubline, tmp_path, "1.jsonl", *words)
    assert kinds_in(content) == {"nursing-shorthand"}
    assert "20 notes" in told and "templates of 1 kinds" in told
    content, _ = run(scrubline, tmp_path, "2.jsonl", *words, "--kind", "terse-ic?")
    assert kinds_in(content) == {"nursing-shorthand", "terse-icu"}
    code, out, _ = scrubline("synth", "--check", "--kind", "terse-icu")
    assert code == 0
    assert out.startswith("terse-icu: ") and out.count("\n") == 1


def test_a_kind_alone_has_the_notes_that_it_has_among_all(scrubline, tmp_path):
    (tmp_path / "ours").mkdir()
    for name in ("a", "b"):
        (tmp_path / "ours" / f"{name}.txt").write_text("Dear {d1.last}, {p} was here.\n%%\n")
    words = ("--templates", tmp_path / "ours", "--notes")
    everything, _ = run(scrubline, tmp_path, "all.jsonl", *words, "4")
    alone, _ = run(scrubline, tmp_path, "b.jsonl", *words, "2", "--kind", "b")
    assert alone.splitlines() == everything.splitlines()[1::2]


def test_an_unknown_kind_is_refused(scrubline, tmp_path):
    for words in (("--output", tmp_path / "n.jsonl"), ("--check",)):
        for kind in ("nursing-shorthnd", "no-*"):
            code, out, err = scrubline("synth", *words, "--kind", kind)
            assert (code, out) == (2, "")
            assert "unknown kind of note" in err
    assert not (tmp_path / "n.jsonl").exists()
    with pytest.raises(UsageError) as caught:
        load_templates(kinds=["terse-icu", "nursing-shorthnd"])
    assert "did you mean 'nursing-shorthand'?" in caught.value.on_terminal
    assert "shorthnd" not in str(caught.value)


def test_nothing_is_overwritten_and_errors_name_the_place(scrubline, tmp_path):
    (tmp_path / "n.jsonl").write_text("kept")
    code, _, err = scrubline("synth", "--output", tmp_path / "n.jsonl")
    assert code == 2
    assert "already exists" in err
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "letter.txt").write_text("Dear {nobody}\n%%\n")
    code, _, err = scrubline(
        "synth", "--output", tmp_path / "m.jsonl", "--templates", tmp_path / "ours"
    )
    assert code == 2
    assert "letter 1, line 1: slot nobody: no such slot" in err


def test_templates_are_checked_all_at_once(scrubline, tmp_path):
    ways = "|".join(["x"] * 60)
    rare = f"[[{ways}|{{p.nosuch}}]]"
    (tmp_path / "a.txt").write_text(f"Dear {{nobody}}\n{{age:x}} {rare}\n%%\nfine {{p}}\n%%\n")
    (tmp_path / "b.txt").write_text("{p\n%%\n")
    code, _, err = scrubline("synth", "--templates", tmp_path, "--check")
    assert code == 2
    assert "a 1, line 1: slot nobody" in err
    assert "a 1, line 2: slot age" in err
    assert "a 1, line 2: slot p: no form .nosuch" in err
    assert "b 1, line 1: a slot is malformed" in err
    (tmp_path / "a.txt").write_text("fine {p.hl7}\n%%\n")
    (tmp_path / "b.txt").unlink()
    code, out, _ = scrubline("synth", "--templates", tmp_path, "--show", "1")
    assert code == 0
    assert out.startswith("a: 1 templates; PATIENT 1\n---- a-001\nfine ⟦PATIENT:")
    code, _, err = scrubline("synth", "--templates", tmp_path)
    assert code == 2
    assert "--output" in err
