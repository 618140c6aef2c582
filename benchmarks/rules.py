"""How often each rule is right, how much of the gold it finds, and what all of them find together.

    python -m benchmarks.rules [CORPUS ...] [--corpora DIR] [--json | --scores | --write-docs]

A CORPUS is a name in `CORPORA`, or GOLD.jsonl, or GOLD.jsonl=MAP with MAP a label map (shipped, or
a .toml file). Without any: those of `DEFAULT` that are there. Corpora other than the demo's are
looked for in DIR, else in the folder that the environment variable SCRUBLINE_CORPORA names. A gold
file has one document a line: {"doc_id", "text", "spans": [{"start", "end", "label"}, ...]}.

    found       candidates that the corpus can judge
    precision   right / found, right = overlaps gold of the same label; under 0.9 it is marked
    phi         found that overlap gold of any label / found
    exact       found with gold's offsets and label
    gold        gold spans of the rule's labels; several rules may share them
    recall      gold spans of which every character is covered / gold
    silent      candidates left out: the corpus does not annotate such things (`Silence`)

Tokens, label-blind, are those of `scrubline evaluate` for the entities that `select` chooses among
the candidates of all rules; what a corpus is silent about is left out there too.

--json prints one line for each rule and corpus; --scores the SCORE of each rule's file, which is
(right + 1) / (found + 2) over `SCORED`; --speed adds characters a second; --write-docs writes
docs/rules.md from the files of the rules and from the figures.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import hashlib
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scrubline.models.core.documents import Context, Document
from scrubline.models.core.label_maps import load_map
from scrubline.models.core.labels import CATEGORIES, LABELS
from scrubline.models.core.spans import Candidate
from scrubline.models.corpora import AnnotatedDocument, Annotation, read_annotated
from scrubline.models.evaluation import compare
from scrubline.models.recognisers import (
    DEFAULT_RECOGNISERS,
    RECOGNISERS,
    Recogniser,
    lists_of,
    modules_shared_by,
    rule_hash,
)
from scrubline.models.redaction.merging import select

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "rules.md"
BAR = 0.9
"""Precision that every rule must reach on all corpora together."""

Mapped = frozenset[str]


@dataclasses.dataclass(frozen=True)
class Silence:
    """What a corpus leaves without annotation by its own guidelines, so that it cannot judge it.

    Attributes:
        label: of the candidates.
        surface: pattern that the whole candidate must match; None for every candidate.
        why: the guideline.
    """

    label: str
    surface: str | None
    why: str


@dataclasses.dataclass(frozen=True)
class Source:
    """A corpus and how its labels are read.

    Attributes:
        path: of the gold file; relative to the folder of corpora, or to the project if `shipped`.
        label_map: shipped label map; None if the labels are the native ones.
        wider: corpus label -> all native labels that it may stand for, where the map's one label
            is narrower than the corpus's; an empty tuple where the corpus tells too little.
        silences: beside the native labels that no label of the corpus stands for.
    """

    path: str
    shipped: bool = False
    label_map: str | None = None
    wider: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    silences: tuple[Silence, ...] = ()


_PLACES = ("HOSPITAL", "ORGANIZATION", "STREET", "CITY", "ZIP", "LOCATION-OTHER")
CORPORA: dict[str, Source] = {
    "english_clinical_sample": Source("english_clinical_sample/gold.jsonl"),
    "demo/train": Source("demo/gold/train.jsonl", shipped=True),
    "demo/dev": Source("demo/gold/dev.jsonl", shipped=True),
    "world": Source("benchmarks/notes/world.jsonl", shipped=True),
    "asq_phi": Source(
        "asq_phi/train.jsonl",
        label_map="asq_phi",
        wider={
            "NAME": ("PATIENT", "DOCTOR"),
            "GEOGRAPHIC_LOCATION": _PLACES,
            "UNIQUE_IDENTIFIER": ("IDNUM", "MEDICALRECORD", "ACCOUNT"),
        },
        silences=(
            Silence("DATE", r"(?:19|20)\d\d|(?:19|20)\d0'?s", "a year alone is no identifier"),
            Silence(
                "DATE",
                r"(?i)(?:spring|summer|fall|autumn|winter)(?: (?:of )?\d{4})?",
                "a season is no identifier",
            ),
        ),
    ),
    "meddocan": Source(
        "meddocan/train.jsonl",
        label_map="meddocan",
        wider={
            "TERRITORIO": ("CITY", "STATE", "ZIP", "LOCATION-OTHER"),
            "INSTITUCION": ("ORGANIZATION", "HOSPITAL"),
            "ID_ASEGURAMIENTO": ("SSN", "HEALTHPLAN"),
            "ID_CONTACTO_ASISTENCIAL": ("IDNUM", "MEDICALRECORD"),
        },
    ),
    "presidio_synth": Source(
        "presidio_synth/train.jsonl",
        wider={
            "DATE_TIME": ("DATE",),
            "AGE": ("AGE",),
            "PERSON": ("PATIENT", "DOCTOR"),
            "GPE": ("CITY", "STATE", "COUNTRY", "LOCATION-OTHER"),
            "ORGANIZATION": ("ORGANIZATION", "HOSPITAL"),
            "STREET_ADDRESS": ("STREET", "CITY", "ZIP", "STATE", "COUNTRY", "LOCATION-OTHER"),
            "ZIP_CODE": ("ZIP",),
            "EMAIL_ADDRESS": ("EMAIL",),
            "DOMAIN_NAME": ("URL",),
            "IP_ADDRESS": ("IPADDR",),
            "US_SSN": ("SSN",),
            "US_DRIVER_LICENSE": ("LICENSE",),
            "IBAN_CODE": ("ACCOUNT",),
            # It does not tell fax numbers from telephone numbers.
            "PHONE_NUMBER": ("PHONE", "FAX"),
        },
    ),
}
DEFAULT = ("english_clinical_sample", "demo/train", "demo/dev", "asq_phi", "world")
SCORED = ("english_clinical_sample", "demo/train", "asq_phi")
"""The corpora that SCORE is measured on; demo/dev stays a check."""


@dataclasses.dataclass(frozen=True, slots=True)
class Gold:
    """A gold span with the native labels that it may have: none if the corpus tells too little."""

    start: int
    end: int
    labels: Mapped


@dataclasses.dataclass(frozen=True)
class Corpus:
    """A corpus, read.

    Attributes:
        documents: each with its gold spans.
        unknown: native labels that nothing in the corpus stands for.
        sha256: of the gold file, the first 16 hex digits.
    """

    name: str
    documents: tuple[tuple[Document, tuple[Gold, ...]], ...]
    unknown: Mapped
    silences: tuple[Silence, ...]
    sha256: str

    def judges(self, candidate: Candidate, text: str, overlapping: bool) -> bool:
        """Whether the corpus's guidelines would have it annotated if it were what its label says.

        A candidate on a gold span is always judged.
        """
        if overlapping:
            return True
        if candidate.label in self.unknown:
            return False
        covered = text[candidate.start : candidate.end]
        return not any(
            silence.label == candidate.label
            and (silence.surface is None or re.fullmatch(silence.surface, covered))
            for silence in self.silences
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """Counts of one rule on one corpus, or of several added up; see the module's docstring."""

    found: int = 0
    right: int = 0
    exact: int = 0
    phi: int = 0
    silent: int = 0
    gold: int = 0
    covered: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            *(
                a + b
                for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)
            )
        )

    @property
    def precision(self) -> float | None:
        """Share of what was found that is right; None if nothing was."""
        return _share(self.right, self.found)

    @property
    def phi_precision(self) -> float | None:
        """Share of what was found that is PHI of any kind; None if nothing was found."""
        return _share(self.phi, self.found)

    @property
    def recall(self) -> float | None:
        """Share of the gold of the rule's labels that is covered; None if there is no gold."""
        return _share(self.covered, self.gold)

    @property
    def score(self) -> float:
        """What stands in the rule's file: 0.5 where nothing was found."""
        return round((self.right + 1) / (self.found + 2), 4)

    @property
    def fails(self) -> bool:
        """Whether the rule found something and is less often right than BAR asks for."""
        return self.precision is not None and self.precision < BAR


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


# -- reading


def read_corpus(name: str, source: Source, path: Path) -> Corpus:
    """Reads a gold file, strictly, and maps its labels.

    Raises:
        scrubline.models.core.errors.UsageError: if a line is not what it must be.
    """
    table: dict[str, tuple[str, ...]] = {}
    if source.label_map is not None:
        mapped = load_map(source.label_map, "to_native").table
        table = {label: (target,) if target else () for label, target in mapped.items()}
    table |= source.wider
    if not table:
        table = {label: (label,) for label in LABELS}
    documents = tuple(
        (
            Document(document.text),
            tuple(
                Gold(span.start, span.end, frozenset(table.get(span.label, ())))
                for span in document.spans
            ),
        )
        for document in read_annotated(path)
    )
    known = {label for labels in table.values() for label in labels}
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return Corpus(name, documents, frozenset(LABELS) - known, source.silences, sha256)


def _find(named: str, folder: Path | None) -> tuple[str, Source, Path]:
    """The name, source and path of a CORPUS argument."""
    source = CORPORA.get(named)
    if source is None:
        path, equals, label_map = named.partition("=")
        source = Source(path, label_map=label_map if equals else None)
        return Path(path).stem, source, Path(path)
    if source.shipped:
        return named, source, ROOT / source.path
    return named, source, (folder or Path("corpora")) / source.path


# -- measuring


def measure(rule: Recogniser, corpus: Corpus) -> Counts:
    """The counts of one rule on one corpus."""
    labels = frozenset(rule.LABELS)
    total = Counts()
    for document, gold in corpus.documents:
        candidates = _recognised(rule.NAME, document)
        total += _judged(corpus, document, gold, candidates) + _covered(
            document, [span for span in gold if span.labels and span.labels <= labels], candidates
        )
    return total


def measure_all(corpus: Corpus, kept: Mapped) -> Counts:
    """The counts of all rules on one corpus for the labels in `kept`, equal stretches once."""
    total = Counts()
    for document, gold in corpus.documents:
        everything = _everything(document)
        candidates = [c for c in everything if c.label in kept]
        counts = _judged(corpus, document, gold, _once(candidates))
        wanted = [span for span in gold if span.labels and span.labels <= kept]
        total += counts + _covered(document, wanted, everything)
    return total


@functools.cache
def _recognised(name: str, document: Document) -> tuple[Candidate, ...]:
    """The candidates of one rule, looked for once however often they are counted."""
    return tuple(RECOGNISERS[name].recognise(document, Context()))


@functools.cache
def _everything(document: Document) -> tuple[Candidate, ...]:
    """What `recognise_all` gives for all rules."""
    return tuple(sorted(c for name in DEFAULT_RECOGNISERS for c in _recognised(name, document)))


def _once(candidates: Iterable[Candidate]) -> list[Candidate]:
    """One candidate for each stretch and label, of whichever rule."""
    return list({(c.start, c.end, c.label): c for c in candidates}.values())


def _judged(
    corpus: Corpus, document: Document, gold: tuple[Gold, ...], candidates: Iterable[Candidate]
) -> Counts:
    found = right = exact = phi = silent = 0
    for c in candidates:
        over = [span for span in gold if span.start < c.end and c.start < span.end]
        if not corpus.judges(c, document.text, bool(over)):
            silent += 1
            continue
        found += 1
        phi += bool(over)
        right += any(c.label in span.labels for span in over)
        exact += any(
            (span.start, span.end) == (c.start, c.end) and c.label in span.labels for span in over
        )
    return Counts(found=found, right=right, exact=exact, phi=phi, silent=silent)


def _covered(document: Document, gold: list[Gold], candidates: Iterable[Candidate]) -> Counts:
    places = {place for c in candidates for place in range(c.start, c.end)}
    covered = sum(
        all(place in places or document.text[place].isspace() for place in range(g.start, g.end))
        for g in gold
    )
    return Counts(gold=len(gold), covered=covered)


def measure_tokens(corpora: Iterable[Corpus]) -> tuple[float | None, float | None]:
    """Label-blind precision and recall over tokens of what `select` chooses of all rules."""
    gold, predicted = [], []
    for corpus in corpora:
        for number, (document, spans) in enumerate(corpus.documents):
            doc_id = f"{corpus.name} {number}"
            chosen = [
                c
                for c in select(_everything(document))
                if corpus.judges(c, document.text, _overlaps(c, spans))
            ]
            gold.append(
                AnnotatedDocument(
                    doc_id,
                    document.text,
                    tuple(Annotation(g.start, g.end, "PHI") for g in spans if g.labels),
                )
            )
            predicted.append(
                AnnotatedDocument(
                    doc_id,
                    document.text,
                    tuple(Annotation(c.start, c.end, "PHI") for c in chosen),
                )
            )
    summary: Any = compare(gold, predicted, metrics=["token_blind"], resamples=0).metrics[
        "token_blind"
    ]
    return summary.micro.precision, summary.micro.recall


def _overlaps(candidate: Candidate, gold: tuple[Gold, ...]) -> bool:
    return any(span.start < candidate.end and candidate.start < span.end for span in gold)


def measure_speed(
    rule: Recogniser, corpora: Iterable[Corpus], repeats: int
) -> dict[str, float | int]:
    """Characters a second of processor time over all corpora, the median of the repeats."""
    documents = [document for corpus in corpora for document, _ in corpus.documents]
    seconds = []
    for _ in range(repeats):
        begun = time.process_time()
        for document in documents:
            for _candidate in rule.recognise(document, Context()):
                pass
        seconds.append(time.process_time() - begun)
    characters = sum(len(document.text) for document in documents)
    return {
        "characters": characters,
        "characters_per_second": round(characters / max(statistics.median(seconds), 1e-9)),
        "seconds_median": round(statistics.median(seconds), 4),
        "seconds_least": round(min(seconds), 4),
        "seconds_most": round(max(seconds), 4),
    }


@dataclasses.dataclass(frozen=True)
class Figures:
    """Everything that one run measured.

    Attributes:
        rules: rule -> corpus -> counts.
        labels: label -> corpus -> counts of all rules together, for labels that some rule gives.
        everything: corpus -> counts of all rules and labels together.
        tokens: corpus -> label-blind (precision, recall); "together" for all.
    """

    corpora: tuple[Corpus, ...]
    rules: dict[str, dict[str, Counts]]
    labels: dict[str, dict[str, Counts]]
    everything: dict[str, Counts]
    tokens: dict[str, tuple[float | None, float | None]]

    def together(self, counts: Mapping[str, Counts]) -> Counts:
        """The counts of all corpora of this run added up."""
        return sum((counts[corpus.name] for corpus in self.corpora), Counts())

    @property
    def failing(self) -> list[str]:
        """Names of the rules under BAR on all corpora together."""
        return [name for name, counts in self.rules.items() if self.together(counts).fails]


def measure_everything(corpora: tuple[Corpus, ...]) -> Figures:
    """Measures every rule of DEFAULT_RECOGNISERS, and all of them together, on every corpus."""
    given = {label for rule in DEFAULT_RECOGNISERS.values() for label in rule.LABELS}
    tokens = {corpus.name: measure_tokens((corpus,)) for corpus in corpora}
    return Figures(
        corpora=corpora,
        rules={
            name: {corpus.name: measure(rule, corpus) for corpus in corpora}
            for name, rule in DEFAULT_RECOGNISERS.items()
        },
        labels={
            label: {corpus.name: measure_all(corpus, frozenset((label,))) for corpus in corpora}
            for label in LABELS
            if label in given
        },
        everything={corpus.name: measure_all(corpus, frozenset(LABELS)) for corpus in corpora},
        tokens=tokens | {"together": measure_tokens(corpora)},
    )


# -- printing

_HEAD = ("found", "prec", "phi", "exact", "gold", "recall", "silent")


def _cells(counts: Counts) -> tuple[str, ...]:
    return (
        str(counts.found),
        _shown(counts.precision),
        _shown(counts.phi_precision),
        str(counts.exact),
        str(counts.gold),
        _shown(counts.recall),
        str(counts.silent or ""),
    )


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def as_table(figures: Figures) -> str:
    """The report for a terminal: rules, then labels, then all together."""
    rows: list[tuple[str, ...]] = []
    groups = (*figures.rules.items(), *(("= " + k, v) for k, v in figures.labels.items()))
    for name, counts in (*groups, ("= all rules", figures.everything)):
        total = figures.together(counts)
        rows.append((name, "together", *_cells(total), f"< {BAR}" if total.fails else ""))
        rows += [("", corpus, *_cells(c), "") for corpus, c in counts.items() if c != Counts()]
    head = ("rule", "corpus", *_HEAD, "")
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (head, *rows)
    ]
    lines += ["", "tokens, label-blind, all rules"]
    lines += [
        f"  {name}: precision {_shown(precision)}, recall {_shown(recall)}"
        for name, (precision, recall) in figures.tokens.items()
    ]
    lines += ["", f"rules under {BAR} together: {', '.join(figures.failing) or 'none'}"]
    return "\n".join(lines)


def as_json(figures: Figures, repeats: int | None) -> Iterator[dict[str, object]]:
    """One object for each rule and corpus and for each label and corpus, then the tokens."""
    about = _about(figures)
    for kind, group in (("rule", figures.rules), ("label", figures.labels)):
        for name, by_corpus in group.items():
            known = {"rule_sha256": rule_hash(name)} if kind == "rule" else {}
            for corpus, counts in (*by_corpus.items(), ("together", figures.together(by_corpus))):
                yield {kind: name, "corpus": corpus, **_as_dict(counts), **known, **about}
            if kind == "rule" and repeats:
                speed = measure_speed(DEFAULT_RECOGNISERS[name], figures.corpora, repeats)
                yield {kind: name, "corpus": "together", **speed, **known, **about}
    whole = (*figures.everything.items(), ("together", figures.together(figures.everything)))
    for corpus, counts in whole:
        precision, recall = figures.tokens[corpus]
        yield {
            "rule": "*",
            "corpus": corpus,
            **_as_dict(counts),
            "token_blind_precision": precision and round(precision, 6),
            "token_blind_recall": recall and round(recall, 6),
            "under_bar": figures.failing,
            **about,
        }


def _as_dict(counts: Counts) -> dict[str, object]:
    return {
        **dataclasses.asdict(counts),
        "precision": counts.precision and round(counts.precision, 6),
        "phi_precision": counts.phi_precision and round(counts.phi_precision, 6),
        "recall": counts.recall and round(counts.recall, 6),
        "score": counts.score,
    }


def _about(figures: Figures) -> dict[str, object]:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    return {
        "corpora": {corpus.name: corpus.sha256 for corpus in figures.corpora},
        "documents": sum(len(corpus.documents) for corpus in figures.corpora),
        "commit": commit.stdout.strip() if commit.returncode == 0 else None,
        "re2": version("google-re2"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "seed": None,
    }


def as_scores(figures: Figures) -> Iterator[str]:
    """For each rule the lines that its file must hold, and whether it does."""
    for name, by_corpus in figures.rules.items():
        scored = {corpus: by_corpus[corpus] for corpus in SCORED if corpus in by_corpus}
        total = sum(scored.values(), Counts())
        places = ", ".join(
            f"{corpus} {c.right}/{c.found}" for corpus, c in scored.items() if c.found
        )
        stands = DEFAULT_RECOGNISERS[name].SCORE
        yield f"{name}: {'as it stands' if stands == total.score else f'it says {stands}'}"
        yield f"    # {total.right} of {total.found} right: {places or 'none found'}."
        yield f"    SCORE = {total.score}"


# -- docs/rules.md

_INTRO = f"""# The rules

Rules are detectors that are code: each is a file of `models/recognisers/`, named here, with what it
looks for, the labels that it gives and how it did. `python -m benchmarks.rules --write-docs` writes
this page from those files and from the figures of that run. Do not edit it: a test,
`tests/models/recognisers/test_rules_doc.py`, fails when it no longer agrees with the rules.

The rules were written with a view of these very corpora, so the figures say how well they know
what they have seen, and are better than what unseen notes will give.

- **found**: candidates that the corpus can judge. **precision**: share of them that overlap gold of
  the same label, **any PHI**: gold of any label. The bar for every rule is {BAR} on all corpora
  together.
- **gold**: gold spans of the rule's labels, which several rules may share; **recall**: share of
  them of which the rule alone covers every character.
- **silent**: candidates left out because the corpus does not annotate such things: asq_phi, for
  one, has no ages under 90, no years alone, no seasons, no States and no professions.
- **score**: what stands in the audit, (right + 1) / (found + 2) on
  {", ".join(SCORED)}.
"""


def as_docs(figures: Figures) -> str:
    """The text of docs/rules.md."""
    parts = [_INTRO, "## Figures\n", *_corpora_table(figures), *_rules_table(figures)]
    parts += _labels_table(figures)
    for name, rule in DEFAULT_RECOGNISERS.items():
        parts += _rule_section(name, rule, figures)
    return "\n".join(parts)


def _corpora_table(figures: Figures) -> Iterator[str]:
    names = " ".join(corpus.name for corpus in figures.corpora)
    yield f"`python -m benchmarks.rules {names}`, all rules together, label-blind over tokens:\n"
    yield "| corpus | documents | gold file (SHA-256) | precision | recall |"
    yield "| --- | --- | --- | --- | --- |"
    for corpus in figures.corpora:
        precision, recall = figures.tokens[corpus.name]
        yield (
            f"| {corpus.name} | {len(corpus.documents)} | `{corpus.sha256}` "
            f"| {_shown(precision)} | {_shown(recall)} |"
        )
    precision, recall = figures.tokens["together"]
    documents = sum(len(corpus.documents) for corpus in figures.corpora)
    yield f"| together | {documents} | | {_shown(precision)} | {_shown(recall)} |\n"


_COLUMNS = "| found | precision | any PHI | exact | gold | recall | silent |"
_RULE = "| --- " * 7 + "|"


def _rules_table(figures: Figures) -> Iterator[str]:
    yield "Each rule on all corpora together:\n"
    yield f"| rule | labels {_COLUMNS}"
    yield f"| --- | --- {_RULE}"
    for name, rule in DEFAULT_RECOGNISERS.items():
        total = figures.together(figures.rules[name])
        mark = " (under the bar)" if total.fails else ""
        labels = ", ".join(rule.LABELS)
        yield f"| [{name}](#{name}){mark} | {labels} | {' | '.join(_cells(total))} |"
    total = figures.together(figures.everything)
    yield f"| all rules | | {' | '.join(_cells(total))} |\n"


def _labels_table(figures: Figures) -> Iterator[str]:
    yield "Each label on all corpora together; its recall counts what any rule covers:\n"
    yield f"| label {_COLUMNS}"
    yield f"| --- {_RULE}"
    for label, counts in figures.labels.items():
        yield f"| {label} | {' | '.join(_cells(figures.together(counts)))} |"
    missing = [label for labels in CATEGORIES.values() for label in labels]
    missing = [label for label in missing if label not in figures.labels]
    yield f"\nNo rule gives {', '.join(missing)}.\n" if missing else ""


def _rule_section(name: str, rule: Recogniser, figures: Figures) -> Iterator[str]:
    yield f"## {name}\n"
    yield (rule.__doc__ or "").strip() + "\n"
    yield f"- labels: {', '.join(rule.LABELS)}"
    yield f"- score: {rule.SCORE}"
    if lists := lists_of(name):
        yield f"- dictionaries: {', '.join(lists)}"
    if shared := modules_shared_by(name):
        yield f"- shares: {', '.join(f'`{module}.py`' for module in shared)}"
    yield f"\n| corpus {_COLUMNS}"
    yield f"| --- {_RULE}"
    for corpus, counts in figures.rules[name].items():
        if counts != Counts():
            yield f"| {corpus} | {' | '.join(_cells(counts))} |"
    yield f"| together | {' | '.join(_cells(figures.together(figures.rules[name])))} |\n"


# -- command line


def main(arguments: list[str] | None = None) -> int:
    """Runs the command.

    Returns:
        0; 2 if a corpus that was named is not there, or none is.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", nargs="*")
    parser.add_argument("--corpora", type=Path, metavar="DIR")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true")
    how.add_argument("--scores", action="store_true")
    how.add_argument("--write-docs", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(arguments)
    named = os.environ.get("SCRUBLINE_CORPORA")
    folder = options.corpora or (Path(named) if named else None)
    chosen = [_find(name, folder) for name in options.corpus or DEFAULT]
    absent = [name for name, _, path in chosen if not path.is_file()]
    if absent:
        print(f"not there: {', '.join(absent)} (--corpora DIR)", file=sys.stderr)
    if (options.corpus and absent) or len(absent) == len(chosen):
        return 2
    if options.write_docs and absent:
        print("docs/rules.md is written from all corpora or not at all", file=sys.stderr)
        return 2
    figures = measure_everything(
        tuple(read_corpus(name, source, path) for name, source, path in chosen if path.is_file())
    )
    if options.json:
        for line in as_json(figures, options.repeats if options.speed else None):
            print(json.dumps(line))
    elif options.scores:
        print("\n".join(as_scores(figures)))
    elif options.write_docs:
        DOCS.write_text(as_docs(figures), encoding="utf-8")
        print(f"written: docs/rules.md, {len(DEFAULT_RECOGNISERS)} rules")
    else:
        print(as_table(figures))
        if options.speed:
            print("\ncharacters a second, processor time")
            for name, rule in DEFAULT_RECOGNISERS.items():
                speed = measure_speed(rule, figures.corpora, options.repeats)
                print(f"  {name}: {speed['characters_per_second']:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
