"""The fuzzers' short part: seeds and some hundred mutations of every target, and of the chain."""

import dataclasses
import json
import logging
import random
import subprocess
import sys
import time
import zlib
from collections import Counter
from pathlib import Path

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.core.spans import Candidate
from scrubline.models.corpora import CORPORA
from scrubline.models.formats import FORMATS
from scrubline.models.recognisers import RECOGNISERS
from scrubline.models.redaction.merging import merge
from scrubline.models.redaction.policy_file import load_policy

from benchmarks.fuzz import chain, laws, parsers
from benchmarks.fuzz.inputs import Draw, mutated, mutated_value
from benchmarks.fuzz.targets import RULES, TARGETS

pytestmark = pytest.mark.slow

MUTATIONS, SECONDS = 200, 0.2
"""At most so many inputs a target beside its seeds, and about so much time."""


@pytest.fixture(autouse=True)
def quiet():
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def test_everything_that_parses_has_a_target():
    assert {name.removeprefix("format.") for name in TARGETS if "format." in name} == {
        name for name, form in FORMATS.items() if not form.traits.record
    }
    assert {name.removeprefix("corpus.") for name in TARGETS if "corpus." in name} == set(CORPORA)
    assert {name.removeprefix("rule.") for name in RULES} == set(RECOGNISERS)


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds(name):
    target, chance = TARGETS[name], random.Random(zlib.crc32(name.encode()))
    begun = time.process_time()
    seeds = target.seeds()
    assert seeds
    for seed in seeds[:: max(1, len(seeds) // 30)]:
        target.check(seed)
    for _ in range(MUTATIONS):
        if time.process_time() - begun > SECONDS:
            break
        target.check(target.changed(chance.choice(seeds), chance))


def test_the_chain_holds():
    counts, violations = chain.run_blocks(range(40, 46), 20_000, 21_500, 0)
    assert violations == []
    assert counts["documents"] == 1_500
    assert counts["spans"] > 500
    assert counts["quarantined read: LoneSurrogate"] > 5
    assert counts["documents by the slow definition"] > 5
    assert counts["documents run twice"] == chain.BLOCK


# -- the fuzzers find what they look for


def broken_by(made, monkeypatch, change):
    monkeypatch.setattr(chain, "scrub_batch", change)
    with pytest.raises(chain.Violation) as caught:
        chain.check_block(1, made, 0, Counter())
    return str(caught.value)


def test_the_chain_finds_what_stays_and_what_changes(monkeypatch):

    made = [chain.document_made(number, 0) for number in range(500, 600)]
    sound = chain.scrub_batch
    chain.check_block(1, made, 0, Counter())

    def changed(turn):
        def scrub_batch(batch):
            batch = sound(batch)
            texts = tuple(None if t is None else turn(t) for t in batch.scrubbed.texts)
            return dataclasses.replace(
                batch, scrubbed=dataclasses.replace(batch.scrubbed, texts=texts)
            )

        return scrub_batch

    for turn in (lambda t: t + " ", str.upper, lambda t: t[1:], lambda t: t.replace("[", "(")):
        assert broken_by(made, monkeypatch, changed(turn))

    def keeping(batch):
        spans = batch.spans.rows()
        cut = [(d, dataclasses.replace(s, end=s.end - 1)) for d, s in spans if s.end - s.start > 1]
        return sound(dataclasses.replace(batch, spans=type(batch.spans).of(cut)))

    assert broken_by(made, monkeypatch, keeping) == (
        "what is accepted for removal goes, and nothing else"
    )


def test_a_document_is_made_of_its_number_alone():
    alone = chain.document_made(77, 3)
    assert alone == [chain.document_made(number, 3) for number in range(70, 80)][7]
    assert alone != chain.document_made(77, 4)
    texts = [chain.document_made(number, 0).texts["text"] or "" for number in range(2_000)]
    assert any("\ud800" in text for text in texts)
    assert any("\r\n" in text for text in texts) and any("\0" in text for text in texts)
    assert max(map(len, texts)) > 1_000


def test_a_violation_names_the_document(monkeypatch):
    monkeypatch.setattr(chain, "build_output_rows", lambda *_, **__: 1 // 0)
    _, (violation,) = chain.run_blocks([0], 3, 6, 0)
    assert violation["document"] == 3
    assert violation["law"].startswith("ZeroDivisionError at test_fuzz.py:")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda spans: spans[:-1],
        lambda spans: spans[::-1],
        lambda spans: [*spans, spans[-1]],
    ],
)
def test_the_laws_of_merging_can_be_broken(wrong):
    policy = load_policy("hipaa")
    found = [Candidate(0, 3, "DATE", "date", 1.0), Candidate(4, 6, "CITY", "crf:a", 0.5)]
    spans = merge("abc defg", found, policy)
    laws.check_removal("abc defg", found, policy, spans)
    with pytest.raises(laws.Broken):
        laws.check_removal("abc defg", found, policy, wrong(list(spans)))


def test_a_message_that_holds_what_was_read_is_found():
    laws.require_discreet(UsageError("expected a column, got 3"), b"Quillfeather")
    laws.require_discreet(UsageError("the column Quillfeather"), b"Quillfeather", ["Quillfeather"])
    with pytest.raises(laws.Broken):
        laws.require_discreet(UsageError("bad: Quillfeather"), b"x,Quillfeather\n")


def test_a_change_is_the_same_for_the_same_chance():
    data, value = bytes(range(100)), {"a": [1, {"b": "text"}], "c": None}
    assert mutated(data, random.Random(1)) == mutated(data, random.Random(1)) != data
    many = [mutated_value(value, random.Random(n)) for n in range(50)]
    assert many == [mutated_value(value, random.Random(n)) for n in range(50)]
    assert value == {"a": [1, {"b": "text"}], "c": None}
    draw = Draw(b"\x01\xff")
    assert [draw.below(10), draw.below(256), draw.below(7), bool(draw)] == [1, 255, 0, False]


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.fuzz", *map(str, words)],
        cwd=Path(chain.__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_input_is_repeated(tmp_path):
    found = tmp_path / "key--0123"
    found.write_bytes(b"Quillfeather")
    ran = command("parser", "--repeat", found)
    assert (ran.returncode, json.loads(ran.stdout)) == (0, {"target": "key", "finding": None})


@pytest.mark.skipif(parsers.engine() is None, reason="needs the extra `fuzz`")
def test_a_target_under_the_coverage_guided_fuzzer(tmp_path):
    ran = command("parser", "--only", "key", "--seconds", 1, "--findings", tmp_path)
    row = json.loads(ran.stdout)
    assert (ran.returncode, row["target"], row["findings"]) == (0, "key", [])
    assert row["executions"] > 100 and row["coverage"] > 0


def test_findings_do_not_go_into_the_project():
    ran = command("parser", "--only", "key", "--findings", Path(chain.__file__).parent / "x")
    assert ran.returncode == 2
    assert "not in the project" in ran.stderr
