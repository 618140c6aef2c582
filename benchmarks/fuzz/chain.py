"""Documents by the million through the whole chain, every promise checked on each.

A document is made from its number and the seed alone, so that a violation is told by its number and
repeated by `--first NUMBER --documents 1`. Documents travel in blocks of `BLOCK`; what a block is
run with (policy, splits, the CRF) is decided by its number.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import platform
import random
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.bundles.detector import BundleDetector, detectors_of
from scrubline.models.core.batches import Batch
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.documents import Document
from scrubline.models.core.keys import Keys
from scrubline.models.core.spans import Candidate, Candidates
from scrubline.models.formats import FORMATS, Limits
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.jobs.output_rows import Result, Tally, build_output_rows
from scrubline.models.jobs.plan import Unit
from scrubline.models.jobs.read_unit import read_unit
from scrubline.models.jobs.shifted_columns import DateColumns
from scrubline.models.jobs.steps import (
    featurize_batch,
    label_batch,
    merge_batch,
    note_type_policies,
    recognise_batch,
    scrub_batch,
    tokenize_batch,
)
from scrubline.models.recognisers import RECOGNISERS, rule_hash
from scrubline.models.redaction.actions import ACTIONS
from scrubline.models.redaction.policy import Policy
from scrubline.models.views.scanning import scan

from .inputs import PIECES, Memory, demo_lines, file_of, near_phi
from .laws import Broken, check_merge, check_removal, check_scrub, check_tokens, check_walk, require
from .texts import policies

BLOCK = 500
MODEL = "en-default"
LABELLED = 100
"""Of so many blocks one goes through the CRF."""

AGAIN = 40
"""Of so many blocks one is run again, in other batches and splits."""

SLOWLY = 50
"""Of so many documents one is merged by the slow definition too."""

BUDGETS = Budgets(line_bytes=60_000, line_characters=9_000, tokens=4_000, candidates=3_000)
COLUMNS = Columns(
    (
        *(("id", Role.ID), ("text", Role.TEXT), ("kind", Role.TYPE), ("patient", Role.PATIENT)),
        *(("more", Role.TEXT), ("ward", Role.PASS), ("seen", Role.DATE), ("bed", Role.HASH)),
    )
)
KEYS = Keys(bytes(range(32)))
NOTE_TYPES = (None, "Radiology CT", "discharge")
INJECTED = ("crf:fuzz", "charcrf:fuzz", "date", "listed_name")

WELL = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """A document as it was made.

    Attributes:
        number: with the seed, all that decides it.
        line: of the JSON Lines file, without its line feed.
        texts: by text column; None where there is none.
        expected: error class under which reading must quarantine it; WELL if it may not.
    """

    number: int
    line: bytes
    texts: Mapping[str, str | None]
    expected: str


def text_made(chance: random.Random) -> str:
    """A text: fragments of notes, near-PHI, separators, and what hurts."""
    text = _text_made(chance)
    # JSON joins two halves of a surrogate pair that meet: so that what comes out is what went in.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _text_made(chance: random.Random) -> str:
    kind = chance.randrange(100)
    if kind < 25:
        line = chance.choice(demo_lines())
        at = chance.randrange(len(line))
        return line[at : at + chance.randrange(120)]
    if kind < 50:
        return near_phi(chance)
    if kind < 85:
        return "".join(chance.choices(PIECES, k=chance.randrange(14)))
    if kind < 93:
        parts = (chance.choice(demo_lines())[:60], near_phi(chance), chance.choice(PIECES))
        return chance.choice(("\n", "\r\n", " ", "", "\t", "\u2028")).join(chance.sample(parts, 3))
    if kind < 97:
        points = (
            chance.choice((0x80, 0x300, 0x3000, 0x11_0000)) for _ in range(chance.randrange(30))
        )
        return "".join(chr(chance.randrange(most)) for most in points)
    if kind < 98:
        return chance.choice(PIECES) * chance.randrange(1, 200)
    if chance.random() < 0.9:
        return "\n".join(chance.choices(demo_lines(), k=chance.randrange(1, 12)))
    return (near_phi(chance) + " ") * chance.randrange(1, 300)


def document_made(number: int, seed: int) -> Made:
    """The document of a number."""
    chance = random.Random(seed * 2**40 + number)
    text = text_made(chance)
    texts: dict[str, str | None] = {"text": text, "more": None}
    record: dict[str, Any] = {
        "id": number,
        "text": text,
        "kind": chance.choice(NOTE_TYPES),
        "patient": f"p{number % 97}",
        "ward": number % 7,
    }
    if chance.random() < 0.05:
        texts["more"] = record["more"] = text_made(chance)
    if chance.random() < 0.05:
        record["seen"], record["bed"] = "2014-01-02", f"bed {number % 5}"
    expected = _code_of(texts.values())
    odd = chance.randrange(400)
    line = ""
    if odd == 0:
        line, expected = json.dumps(record)[: -chance.randrange(1, 9)], "BadJson"
    elif odd == 1:
        del record["id"]
        expected = "MissingId"
    elif odd == 2:
        record["text"] = texts["text"] = None
        expected = _code_of(texts.values())
    elif odd == 3:
        record["text"], expected = chance.choice((7, [text], {"a": text}, True)), "NotText"
    elif odd == 4:
        record["other"], expected = 1, "UndeclaredColumn"
    elif odd == 5:
        line, expected = json.dumps(["no object"]), "NotAnObject"
    elif odd == 6:
        line, expected = '{"id": 1, "id": 2}', "DuplicateKey"
    line = line or json.dumps(record, ensure_ascii=chance.random() < 0.5 or expected != WELL)
    encoded = line.encode("utf-8", "surrogatepass")
    if odd == 7:
        encoded, expected = encoded[:9] + b"\xff" + encoded[9:], "BadEncoding"
    if len(encoded) > BUDGETS.line_bytes:
        expected = "OverBudget:line"
    return Made(number, encoded, texts, expected)


def _code_of(texts: Any) -> str:
    """The error class of the first text that cannot be scrubbed and written back."""
    for text in texts:
        if text is None:
            continue
        if any("\ud800" <= character <= "\udfff" for character in text):
            return "LoneSurrogate"
        if max(map(len, text.replace("\r", "\n").split("\n"))) > BUDGETS.line_characters:
            return "OverBudget:line"
    return WELL


def injected(number: int, seed: int, text: str, labels: Sequence[str]) -> list[Candidate]:
    """Candidates that no detector gave: overlapping, of any label and kind."""
    chance = random.Random(seed * 2**41 + number * 2 + 1)
    if not text or chance.random() < 0.4:
        return []
    found = []
    for _ in range(chance.randrange(1, 7)):
        start = chance.randrange(len(text))
        end = min(len(text), start + chance.choice((1, 2, 5, 12, 40)))
        score = chance.choice((0.25, 0.9, 1.0))
        found.append(Candidate(start, end, chance.choice(labels), chance.choice(INJECTED), score))
    return found


# -- the chain


@functools.cache
def _systems() -> tuple[BundleDetector, ...]:
    return (BundleDetector(open_bundle(MODEL)),)


@functools.cache
def _hashes(policy: int) -> Mapping[str, str]:
    names = {name: rule_hash(name) for name in RECOGNISERS}
    names |= dict.fromkeys(INJECTED, "0" * 64) | policies()[policy].detector_hashes
    return names | dict.fromkeys(detectors_of(open_bundle(MODEL)), "1" * 64)


def batches_of(
    content: bytes, *, limits: Limits, split_bytes: int, keep_dates: bool
) -> Iterator[Batch]:
    """Reads a file in memory as one unit of all its stretches."""
    form, storage, file = FORMATS["jsonl"], Memory(content, 4096), file_of(content, "in/x.jsonl")
    locators = tuple(form.plan(storage, 0, file, split_bytes, limits))
    yield from read_unit(
        storage,  # type: ignore[arg-type]
        form,
        Unit(0, "000000-abc", "jsonl", (), locators),
        (file,),
        COLUMNS,
        KEYS,
        limits,
        BUDGETS,
        dates=DateColumns(keep_dates),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """A batch at its end, and what the policy of each document was."""

    batch: Batch
    result: Result
    policies: list[Policy]


def chain_of(
    made: Sequence[Made], seed: int, policy: int, *, crf: bool, limits: Limits, split_bytes: int
) -> Iterator[Outcome]:
    """The documents through every step."""
    believed = policies()[policy]
    content = b"".join(document.line + b"\n" for document in made)
    first = 0
    for batch in batches_of(
        content, limits=limits, split_bytes=split_bytes, keep_dates=believed.keep_dates
    ):
        numbers = [made[first + row].number for row in range(len(batch.rows))]
        first += len(batch.rows)
        batch = tokenize_batch(batch, BUDGETS)
        if crf:
            batch = label_batch(featurize_batch(batch, _systems()), _systems())
        batch = recognise_batch(batch, tuple(RECOGNISERS))
        extra = [
            (index, candidate)
            for index, text in enumerate(batch.documents.texts)
            if batch.is_active(index)
            for candidate in injected(
                *(numbers[int(batch.documents.rows[index])], seed, text, believed.known_labels)
            )
        ]
        candidates = Candidates.of(batch.candidates.rows() + extra)
        batch = merge_batch(dataclasses.replace(batch, candidates=candidates), believed, BUDGETS)
        batch = scrub_batch(batch)
        result = build_output_rows(
            batch,
            run="run",
            form=FORMATS["jsonl"],
            columns=COLUMNS,
            detector_hashes=_hashes(policy),
            hipaa=believed.hipaa_of,
        )
        yield Outcome(batch, result, note_type_policies(batch, believed))


class Violation(Exception):  # noqa: N818 - it is what was looked for
    """A law that does not hold for a document."""

    def __init__(self, number: int, law: str) -> None:
        super().__init__(law)
        self.number, self.law = number, law


def check_block(block: int, made: Sequence[Made], seed: int, counts: Counter[str]) -> None:
    """Runs a block and checks every law on every document of it.

    Raises:
        Violation: at the first that does not hold.
    """
    policy = block % len(policies())
    chance = random.Random(seed * 2**20 + block)
    content_bytes = sum(len(document.line) + 1 for document in made)
    crf = block % LABELLED == 0
    total = Tally()
    first = 0
    for outcome in chain_of(
        *(made, seed, policy),
        crf=crf,
        limits=Limits(batch_documents=250, line_bytes=BUDGETS.line_bytes),
        split_bytes=chance.choice((1 << 40, max(1, content_bytes // 3))),
    ):
        rows = len(outcome.batch.rows)
        _check_batch(made[first : first + rows], outcome, seed, counts)
        first += rows
        total += outcome.result.tally
    if first != len(made):
        raise Violation(made[0].number, "a row a line")
    if total.counts["rows_in"] != total.counts["rows_out"] + total.counts["rows_quarantined"]:
        raise Violation(made[0].number, "in = out + quarantined")
    counts.update({f"quarantined {code}": n for code, n in total.errors.items()})
    counts["spans"] += total.counts["spans"]
    counts["characters"] += total.counts["characters"]
    counts["tokens"] += total.counts["tokens"]
    counts["documents through the CRF"] += len(made) * crf
    if block % AGAIN == 0:
        again = Tally()
        for outcome in chain_of(
            *(made, seed, policy),
            crf=crf,
            limits=Limits(batch_documents=17, batch_bytes=5_000, line_bytes=BUDGETS.line_bytes),
            split_bytes=max(1, content_bytes // 7),
        ):
            again += outcome.result.tally
        if again.to_json() != total.to_json():
            raise Violation(made[0].number, "other batches and splits give the same content")
        counts["documents run twice"] += len(made)


def _check_batch(made: Sequence[Made], outcome: Outcome, seed: int, counts: Counter[str]) -> None:
    batch, result = outcome.batch, outcome.result
    form = FORMATS["jsonl"]
    assert batch.tokens is not None and batch.spans is not None and batch.scrubbed is not None
    for row, document in enumerate(made):
        failure = batch.failures.get(row)
        code = "" if failure is None else failure.error
        if code != document.expected and not _may_fail(code, document):
            raise Violation(document.number, f"quarantined as {code or 'nothing'}, expected "
                            f"{document.expected or 'nothing'}")  # fmt: skip
    good = [row for row in range(len(made)) if row not in batch.failures]
    if result.data.num_rows != len(good):
        raise Violation(made[0].number, "rows out are those that did not fail")
    if result.tables["quarantine"].num_rows != len(batch.failures):
        raise Violation(made[0].number, "a quarantine row a row that failed")
    keyed = len(made) - batch.rows.doc_keys.count(None)
    if result.tables["documents"].num_rows != keyed * len(COLUMNS.named(Role.TEXT)):
        raise Violation(made[0].number, "a row of the documents table for every field")
    written = {name: form.decode(result.data.column(name)) for name in ("text", "more", "doc_key")}
    place_of = {row: place for place, row in enumerate(good)}
    audit: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for audited in result.tables["audit"].to_pylist():
        audit.setdefault((audited["doc_key"], audited["field"]), []).append(audited)
    candidates = batch.candidates.by_document(len(batch.documents))
    spans = batch.spans.by_document(len(batch.documents))
    offsets = batch.tokens.document_offsets.tolist()
    starts, ends = batch.tokens.starts.tolist(), batch.tokens.ends.tolist()
    seen = 0
    for index, text in enumerate(batch.documents.texts):
        row, field = int(batch.documents.rows[index]), batch.documents.fields[index]
        document = made[row]
        if row in batch.failures:
            continue
        out = batch.scrubbed.texts[index]
        policy = outcome.policies[index]
        try:
            require(text == document.texts[field], "a text is what was put in")
            require(isinstance(out, str), "a text came out")
            assert out is not None
            reach, covered = 0, []
            for s, e in zip(
                starts[offsets[index] : offsets[index + 1]],
                ends[offsets[index] : offsets[index + 1]],
                strict=True,
            ):
                require(reach <= s < e <= len(text), "tokens are ordered and disjoint")
                covered.append(text[s:e])
                reach = e
            require("".join(covered) == "".join(text.split()), "tokens hold all but white space")
            for candidate in candidates[index]:
                require(candidate.end <= len(text), "candidates lie in the text")
            check_removal(text, candidates[index], policy, spans[index])
            key = batch.rows.doc_keys[row]
            assert key is not None
            rows = audit.pop((key, field), [])
            told = [(r["start"], r["end"], r["label"], r["action"]) for r in rows]
            decided = [(s.start, s.end, s.label, s.action) for s in spans[index]]
            require(told == decided, "an audit row a span")
            check_walk(text, out, rows, [_shown(policy, r, text) for r in rows])
            place = place_of[row]
            require(written[field][place] == out, "what was scrubbed is written")
            require(written["doc_key"][place] == key, "under its key")
            if document.number % SLOWLY == 0 and len(text) < 600 and len(candidates[index]) < 60:
                check_merge(text, candidates[index], policy)
                check_scrub(text, spans[index])
                _check_alone(text, batch, index)
                counts["documents by the slow definition"] += 1
        except Broken as error:
            raise Violation(document.number, str(error)) from error
        seen += 1
        counts["candidates"] += len(candidates[index])
    if audit:
        raise Violation(made[0].number, "no audit row without a document")
    counts["documents"] += len(made)
    counts["texts checked"] += seen


def _check_alone(text: str, batch: Batch, index: int) -> None:
    """A document alone gives the rules' candidates that it gave in its batch."""
    from scrubline.models.text.tokenizer import tokenize

    check_tokens(text, tokenize(text))
    for name in ("date", "phone", "listed_name", "titled_name"):
        alone = list(RECOGNISERS[name].recognise(Document(text), batch.context(index)))
        there = set(batch.candidates.by_document(len(batch.documents))[index])
        require(set(alone) <= there, "a document alone gives what it gives in its batch")


def _may_fail(code: str, document: Made) -> bool:
    """Budgets that count what steps find: no look at the text alone tells them."""
    if code == "OverBudget:encoded":
        return any(scan([text])[1] for text in document.texts.values())
    return code in ("OverBudget:tokens", "OverBudget:candidates") and any(
        text is not None and len(text) > 1_000 for text in document.texts.values()
    )


def _shown(policy: Policy, row: Mapping[str, Any], text: str) -> str:
    covered = text[row["start"] : row["end"]]
    shown = policy.shown(row["action"], row["label"], covered, fragment=row["fragment"])
    require((shown == covered) or ACTIONS[row["action"]].removes, "what is kept stays as it is")
    return shown


# -- many


def run_blocks(
    blocks: Sequence[int], first: int, last: int, seed: int
) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Runs some blocks, of each the documents in [first, last)."""
    counts: Counter[str] = Counter()
    violations: list[dict[str, Any]] = []
    for block in blocks:
        low, high = max(first, block * BLOCK), min(last, (block + 1) * BLOCK)
        made = [document_made(number, seed) for number in range(low, high)]
        try:
            check_block(block, made, seed, counts)
        except Violation as error:
            violations.append({"document": error.number, "seed": seed, "law": error.law})
        except Exception as error:  # a crash: find the document that crashes alone, if one does
            place = traceback.extract_tb(error.__traceback__)[-1]
            law = f"{type(error).__name__} at {place.filename.rsplit('/', 1)[-1]}:{place.lineno}"
            number = made[0].number
            for document in made:
                try:
                    check_block(block, [document], seed, Counter())
                except Exception:
                    number = document.number
                    break
            violations.append({"document": number, "seed": seed, "law": law})
    return counts, violations


def run(documents: int, *, first: int = 0, seed: int = 0, jobs: int = 2) -> dict[str, Any]:
    """All documents of [first, first + documents); what was counted, and what does not hold."""
    begun = time.monotonic()
    last = first + documents
    blocks = range(first // BLOCK, -(-last // BLOCK))
    shares = [blocks[at : at + 20] for at in range(0, len(blocks), 20)]
    counts: Counter[str] = Counter()
    violations: list[dict[str, Any]] = []
    arguments = ([first] * len(shares), [last] * len(shares), [seed] * len(shares))
    if jobs <= 1:
        done: Iterator[Any] = map(run_blocks, shares, *arguments)
        for some, wrong in done:
            counts.update(some)
            violations += wrong
    else:
        with ProcessPoolExecutor(jobs) as pool:
            for some, wrong in pool.map(run_blocks, shares, *arguments):
                counts.update(some)
                violations += wrong
    seconds = time.monotonic() - begun
    return {
        "documents": counts["documents"],
        "seed": seed,
        "first": first,
        "seconds": round(seconds, 1),
        "documents_per_second": round(documents / max(seconds, 1e-9)),
        "jobs": jobs,
        "policies": len(policies()),
        "rules": len(RECOGNISERS),
        "counts": dict(sorted(counts.items())),
        "violations": violations[:50],
        "violations_found": len(violations),
        "python": platform.python_version(),
    }
