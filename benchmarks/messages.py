"""Whether messages come back byte for byte where nothing is replaced, and what they cost.

    python -m benchmarks.messages fuzz [--format NAME] [--records N] [--seed N] [--validate N]
    python -m benchmarks.messages scale [--messages N ...] [--lines N] [--workers N]

`fuzz` changes records (those of the demo and of the tests) at random: four of five by changes that
their grammar knows (`message_*_changes`), as other programs may write them; one of five at any
character. Each that is still a record is written to a file and read from it, and scrubbed: some
stretches of its texts are replaced as a run does it, and its other values stay, become what their
roles say, or anything. All that lies outside must be as it was, character for character; texts must
read back as the scrubbed ones; and parsers of others must see the same structure (`hl7`, the
standard library's `json`, `lxml`). `--validate` gives so many FHIR records that the models of
`fhir.resources` take to them once more. A line a format says what became of the records, by error
class and by change. The first record that breaks a law ends it (`--keep FILE` writes that record).

`scale` writes HL7 v2 messages, each another patient's, runs whole jobs over them without a model,
and says time and memory of each.

Needs the extra `test`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrubline.models.messages.hl7_escapes import Escapes, delimiters_of
from scrubline.models.messages.table import GRAMMARS

from . import message_hl7_changes, message_json_changes, message_xml_changes
from .message_changes import Change, changed, records
from .message_checks import Declared, check
from .message_files import check_file
from .message_models import Validated

ROOT = Path(__file__).resolve().parent.parent
_ESCAPES = Escapes(delimiters_of("MSH|^~\\&|"))
MASTER_KEY = "scrubline-key-v1:" + "QUJD" * 10 + "QUI="


OWN: dict[str, dict[str, Change]] = {
    "hl7": dict(message_hl7_changes.CHANGES),
    "fhir": dict(message_json_changes.CHANGES),
    "ccda": dict(message_xml_changes.CHANGES),
}
"""Name of a grammar -> its changes."""


OWN_ROLES = {"hl7": [("ZPD", "drop"), ("ZVT", "drop"), ("ZNT", "drop")]}
"""Roles of segments that some of the records have."""


def fuzz(options: argparse.Namespace) -> None:
    """Prints a JSON line a format."""
    for name in [options.format] if options.format else list(GRAMMARS):
        print(json.dumps(fuzzed(name, options)), flush=True)


def fuzzed(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """What came of changed records of a grammar, and what was checked of them."""
    draw, begin = random.Random(options.seed), records(name)
    weights = [(500 + len(one)) ** -1.5 for one in begin]  # long ones cost time
    kinds = [Declared.of(name, OWN_ROLES.get(name, ()), fills) for fills in (False, True)]
    became: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    of_change: dict[str, Counter[str]] = {}
    validated = Validated(options.validate if name == "fhir" else 0)
    for number in range(options.records):
        (record,) = draw.choices(begin, weights)
        record, names = changed(record, begin, OWN[name], draw)
        try:
            found = check(draw.choice(kinds), record, draw, counts)
            if found.became == "read":
                counts[f"files: {check_file(name, record, draw)}"] += 1
        except AssertionError as error:
            if options.keep:
                options.keep.write_text(record, encoding="utf-8", newline="")
            sys.exit(f"{name}, seed {options.seed}, record {number} ({names}): {error}")
        became[found.became] += 1
        if len(names) == 1:
            of_change.setdefault(names[0], Counter())[found.became] += 1
        if found.became == "read" and found.way != "any" and found.plain:
            validated.look(record, found.out, found.way)
    return {
        "format": name,
        "seed": options.seed,
        "records": options.records,
        "read": round(became["read"] / options.records, 3),
        "became": dict(became.most_common()),
        "checked": dict(sorted(counts.items())),
        "by_change": {one: dict(of_change[one].most_common(5)) for one in sorted(of_change)},
        **({"fhir.resources": dict(validated.counts)} if options.validate else {}),
    }


def messages(count: int, most_lines: int = 25) -> Iterator[str]:
    """Messages with a report of up to that many lines, each of another patient."""
    draw = random.Random(1)
    names = ["QUIMBY", "OSTRANDER", "VOSS", "ACHEBE", "LINDQVIST", "MARSH", "TAMMINEN"]
    lines = [line for line in (ROOT / "demo" / "text").glob("*.txt")][:7]
    bodies = [
        path.read_text(encoding="utf-8-sig").splitlines()[:most_lines] for path in sorted(lines)
    ]
    for number in range(count):
        family, given = draw.choice(names), f"Zelda{number % 977}"
        segments = [
            f"MSH|^~\\&|LAB|SITE|EHR|SITE|20240312101500||ORU^R01|M{number}|P|2.5.1",
            f"PID|1||{number:08d}^^^SITE^MR||{family}^{given}||19610203|F|||12 Elm St^^Oakham^IL",
            f"PV1|1|I|4W||||77{number % 991:04d}^Fotheringay^Ignatz",
            f"OBR|1|ORD{number}||71020^CHEST XRAY^L|||20240312093000",
            f"OBX|1|TX|71020^XRAY^L||{given} {family.title()} was seen by Dr. Fotheringay.||||||F",
        ]
        segments += [
            f"OBX|{at}|TX|71020^CHEST XRAY^L||{_ESCAPES.written(line)}||||||F"
            for at, line in enumerate(bodies[number % len(bodies)], 2)
        ]
        yield "\r".join(segments) + "\r"


def scale(options: argparse.Namespace) -> None:
    """Prints a JSON line a size: seconds and processor seconds, memory of the largest process."""
    for count in options.messages:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            (folder / "in").mkdir()
            drawn = messages(count, options.lines)
            for part in range(0, count, 50_000):
                text = "".join(itertools.islice(drawn, 50_000))
                (folder / "in" / f"{part:09d}.hl7").write_bytes(text.encode())
            (folder / "key.txt").write_text(MASTER_KEY + "\n")
            print(json.dumps(_job(folder, count, options.workers)), flush=True)


def _job(folder: Path, count: int, workers: int) -> dict[str, Any]:
    command = [str(Path(sys.executable).with_name("scrubline")), "scrub", "--model", "none"]
    command += ["--input", f"{folder}/in/", "--output", f"{folder}/out", "--workers", str(workers)]
    command += ["--key-file", f"{folder}/key.txt"]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = sum(getattr(after, n) - getattr(before, n) for n in ("ru_utime", "ru_stime"))
    return {
        "messages": count,
        "workers": workers,
        "seconds": round(time.monotonic() - begun, 1),
        "processor_ms_a_message": round(1000 * used / count, 3),
        "largest_process_mb": round(after.ru_maxrss / 1024),
        "bytes_a_message": sum(p.stat().st_size for p in (folder / "in").iterdir()) // count,
    }


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    of_fuzz = kinds.add_parser("fuzz", help="records that are changed at random")
    of_fuzz.add_argument("--format", choices=sorted(GRAMMARS))
    of_fuzz.add_argument("--records", type=int, default=100_000)
    of_fuzz.add_argument("--seed", type=int, default=1)
    of_fuzz.add_argument("--validate", type=int, default=0, help="records for fhir.resources")
    of_fuzz.add_argument("--keep", type=Path, help="file for a record that shows a fault")
    of_scale = kinds.add_parser("scale", help="whole jobs over HL7 v2 messages")
    of_scale.add_argument("--messages", type=int, nargs="+", default=[10_000, 100_000])
    of_scale.add_argument("--lines", type=int, default=25, help="of a report, at most")
    of_scale.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    {"fuzz": fuzz, "scale": scale}[options.kind](options)


if __name__ == "__main__":
    main()
