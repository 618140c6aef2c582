"""How often each rule is right, and how much of the gold it finds.

    python -m benchmarks.rules GOLD.jsonl [--labels NAME or MAP.json] [--repeats N]

GOLD.jsonl has one document a line: {"text": ..., "spans": [{"start", "end", "label"}, ...]},
offsets in code points. `--labels` names an entry of `LABEL_MAPS`, or a JSON file of the same form:
it maps labels of the corpus to ours; a corpus label may map to a list, any of which is right, and
to [] where the corpus says less than our labels do (such gold is counted neither way). Prints one
JSON line a rule:

    precision   (right + 1) / (found + 2), right = overlaps gold of the same label: this goes into
                the rule's SCORE
    exact       candidates with gold's offsets and label
    phi         candidates that overlap gold of any label
    covered     gold spans of the rule's labels of which every character is found
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import statistics
import subprocess
import time
from importlib.metadata import version
from pathlib import Path

from scrubline.models.documents import Context, Document
from scrubline.models.labels import LABELS
from scrubline.models.recognisers import RECOGNISERS, rule_hash

LABEL_MAPS: dict[str, dict[str, str | list[str]]] = {
    "asq_phi": {
        "MEDICAL_RECORD_NUMBER": "MEDICALRECORD",
        "HEALTH_PLAN_BENEFICIARY_NUMBER": "HEALTHPLAN",
        "PHONE_NUMBER": "PHONE",
        "FAX_NUMBER": "FAX",
        "EMAIL_ADDRESS": "EMAIL",
        "SOCIAL_SECURITY_NUMBER": "SSN",
        "ACCOUNT_NUMBER": "ACCOUNT",
        "CERTIFICATE_LICENSE_NUMBER": "LICENSE",
        "IP_ADDRESS": "IPADDR",
        "UNIQUE_IDENTIFIER": ["IDNUM", "MEDICALRECORD", "ACCOUNT"],
    },
    "meddocan": {
        "FECHAS": "DATE",
        "EDAD_SUJETO_ASISTENCIA": "AGE",
        "ID_SUJETO_ASISTENCIA": "MEDICALRECORD",
        "ID_ASEGURAMIENTO": "HEALTHPLAN",
        "ID_TITULACION_PERSONAL_SANITARIO": "LICENSE",
        "ID_CONTACTO_ASISTENCIAL": ["IDNUM", "MEDICALRECORD"],
        "CORREO_ELECTRONICO": "EMAIL",
        "NUMERO_TELEFONO": "PHONE",
        "NUMERO_FAX": "FAX",
    },
    "presidio_synth": {
        "DATE_TIME": "DATE",
        "EMAIL_ADDRESS": "EMAIL",
        "DOMAIN_NAME": "URL",
        "IP_ADDRESS": "IPADDR",
        "US_SSN": "SSN",
        "IBAN_CODE": "ACCOUNT",
        # It does not tell fax numbers from telephone numbers.
        "PHONE_NUMBER": ["PHONE", "FAX"],
    },
}

Gold = list[tuple[int, int, frozenset[str]]]


def read_gold(path: Path, mapping: dict[str, str | list[str]]) -> list[tuple[Document, Gold]]:
    """The documents of a stand-off file, with the labels of ours that each gold span may have."""

    def ours(label: str) -> frozenset[str]:
        mapped = mapping.get(label, [label] if label in LABELS else [])
        return frozenset([mapped] if isinstance(mapped, str) else mapped)

    corpus = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            gold = [(span["start"], span["end"], ours(span["label"])) for span in record["spans"]]
            corpus.append((Document(record["text"]), gold))
    return corpus


def measure(name: str, corpus: list[tuple[Document, Gold]], repeats: int) -> dict[str, object]:
    rule = RECOGNISERS[name]
    found = right = exact = phi = gold_spans = covered = 0
    for document, gold in corpus:
        candidates = list(rule.recognise(document, Context()))
        found += len(candidates)
        for c in candidates:
            over = [(s, e, labels) for s, e, labels in gold if s < c.end and c.start < e]
            phi += bool(over)
            right += any(c.label in labels for _, _, labels in over)
            exact += any((s, e) == (c.start, c.end) and c.label in labels for s, e, labels in over)
        places = {place for c in candidates for place in range(c.start, c.end)}
        for start, end, labels in gold:
            if len(labels) == 1 and labels <= set(rule.LABELS):
                gold_spans += 1
                covered += all(
                    place in places or document.text[place].isspace() for place in range(start, end)
                )
    characters = sum(len(document.text) for document, _ in corpus)
    seconds = []
    for _ in range(repeats):
        begun = time.process_time()
        for document, _ in corpus:
            for _candidate in rule.recognise(document, Context()):
                pass
        seconds.append(time.process_time() - begun)
    return {
        "rule": name,
        "rule_sha256": rule_hash(name),
        "found": found,
        "right": right,
        "exact": exact,
        "phi": phi,
        "precision": round((right + 1) / (found + 2), 4),
        "gold": gold_spans,
        "covered": covered,
        "recall": round(covered / gold_spans, 4) if gold_spans else None,
        "characters": characters,
        "characters_per_second": round(characters / max(statistics.median(seconds), 1e-9)),
        "seconds": {
            "median": round(statistics.median(seconds), 4),
            "least": round(min(seconds), 4),
            "most": round(max(seconds), 4),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", type=Path)
    parser.add_argument("--labels", default="")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    mapping = LABEL_MAPS.get(options.labels, {})
    if options.labels and not mapping:
        mapping = json.loads(Path(options.labels).read_text(encoding="utf-8"))
    corpus = read_gold(options.gold, mapping)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    about = {
        "corpus": options.gold.parent.name + "/" + options.gold.stem,
        "corpus_sha256": hashlib.sha256(options.gold.read_bytes()).hexdigest()[:16],
        "documents": len(corpus),
        "commit": commit.stdout.strip() if commit.returncode == 0 else None,
        "re2": version("google-re2"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "seed": None,
    }
    for name in RECOGNISERS:
        print(json.dumps(measure(name, corpus, options.repeats) | about))


if __name__ == "__main__":
    main()
