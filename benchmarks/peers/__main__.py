"""Other programs that find PHI beside Scrubline, on the same notes: what they take, and find.

    python -m benchmarks.peers
    SCRUBLINE_CORPORA=corpora python -m benchmarks.peers --peers scrubline presidio --repeats 5

Each program runs in an environment of its own, which is made in --folder from the versions that
`benchmarks/peers/requirements` freezes: the first time takes minutes and a package registry.
Nothing of theirs is part of Scrubline. Every repeat is a process of its own that goes over all
notes once, so that notes are new to it, between two turns of the yardstick (`benchmarks.speed`);
programs take turns. Figures are user time of all threads, libraries held to one; the start
(interpreter, imports, models, a first note) is left out and told apart, as processor time. Tokens
are the words, digits and signs of the yardstick.

Notes are those of `practice` and `review`, and of ACI-Bench if SCRUBLINE_CORPORA names a folder
that has it; of each set --most notes, drawn by seed. What is found is counted on `review`: names
and all marked stretches of which any character would go, and the share of what goes that is not
marked. No model of Scrubline is trained on it, but its rules are mended by it. Frozen notes are not
read.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..speed.table import markdown
from ..speed.yardstick import load, read_texts, warn_of_load
from .environments import ROOT, NotThere, prepare, python_of, variables_of

NOTES = ROOT / "benchmarks/notes"
GOLD = NOTES / "review.jsonl"
SEED = 1
HEAD = (
    *("program", "times the yardstick: median (best)", "notes/s", "tokens/s"),
    *("beside Scrubline", "start"),
)
FOUND = ("program", "names touched", "marked touched", "removed without mark")
ABOUT = ("program", "version", "licence", "what it is asked to find")


@dataclasses.dataclass(frozen=True)
class Peer:
    """A program that is measured.

    Attributes:
        name: of its module, and of its frozen requirements.
        title: in tables.
        licence: of the program.
        asked: what it is asked to find.
    """

    name: str
    title: str
    licence: str
    asked: str

    @property
    def is_ours(self) -> bool:
        """Whether it runs in the environment of this process."""
        return self.name.startswith("scrubline")


PEERS = (
    Peer(
        *("scrubline_many", "Scrubline, all notes at once", "Apache-2.0"),
        "all labels, `en-default` and all rules: `Scrubber().scrub_many(notes)`",
    ),
    Peer(
        *("scrubline", "Scrubline, note by note", "Apache-2.0"),
        "the same: `Scrubber().scrub(note)`",
    ),
    Peer(
        *("scrubline_rules", "Scrubline, rules alone", "Apache-2.0"),
        "all labels by rules: `Scrubber(models=None).scrub_many(notes)`",
    ),
    Peer(
        *("presidio", "Presidio", "MIT"),
        "all recognisers for English, spaCy's `en_core_web_sm` in place of `en_core_web_lg`",
    ),
    Peer(
        *("phileas", "Phileas for Python", "Apache-2.0"),
        "all 19 filters of patterns; names need a service of its makers, which is not run",
    ),
    Peer(
        *("philter", "Philter (`philter-lite`)", "BSD-3-Clause"),
        "its filters `philter_delta`: what is not known to be safe; NLTK's tagger, trained here",
    ),
    Peer(
        *("scrubadub", "scrubadub", "MIT"),
        "its default detectors: contacts, credentials, cards, SSN; neither names nor dates",
    ),
)


def notes_of(corpora: Path | None, most: int) -> dict[str, list[str]]:
    """Set -> its notes, the same each time."""
    files = {"notes dense in PHI": [NOTES / "practice.jsonl", GOLD]}
    raw = corpora / "aci_bench/raw.jsonl" if corpora else None
    if raw is not None and raw.is_file():
        files["ACI-Bench"] = [raw]
    found = {}
    for name, paths in files.items():
        texts = read_texts(paths)
        found[name] = random.Random(SEED).sample(texts, min(most, len(texts)))
    return found


def rows_of(runs: dict[Peer, list[dict[str, Any]]]) -> list[tuple[str, ...]]:
    """Speed of each peer; of those that are not ours, how many times longer ours takes."""
    multiples = {
        peer: [run["spent"] / statistics.fmean(run["yardstick"]) for run in found]
        for peer, found in runs.items()
    }
    ours = [statistics.median(values) for peer, values in multiples.items() if peer.is_ours]
    rows = []
    for peer, found in runs.items():
        seconds = statistics.median(run["spent"] for run in found)
        median = statistics.median(multiples[peer])
        rows.append(
            (
                peer.title,
                f"{median:,.1f} ({min(multiples[peer]):,.1f})",
                f"{found[0]['notes'] / seconds:,.1f}",
                f"{found[0]['words'] / seconds:,.0f}",
                f"{ours[0] / median:.3g} times as fast" if ours else "",
                f"{statistics.median(run['opening'] for run in found):.1f} s",
            )
        )
    return rows


def found_of(runs: dict[Peer, list[dict[str, Any]]]) -> list[tuple[str, ...]]:
    """What each peer finds of the gold notes."""
    rows = []
    for peer, found in runs.items():
        for counts in (run["counts"] for run in found if run["counts"]):
            shares = [
                counts["names_touched"] / counts["names"],
                counts["touched"] / counts["marked"],
                counts["needless"] / max(1, counts["removed"]),
            ]
            rows.append((peer.title, *(f"{share:.1%}" for share in shares)))
            break
    return rows


def process(peer: Peer, python: Path, notes: Path, folder: Path, gold: bool) -> dict[str, Any]:
    """What one process says; what it writes to standard error lies in the folder."""
    words = [str(python), "-m", "benchmarks.peers.measured", peer.name, "--notes", str(notes)]
    variables = dict(os.environ) if peer.is_ours else variables_of(peer.name, folder)
    with (folder / f"{peer.name}.log").open("w", encoding="utf-8") as complaints:
        ran = subprocess.run(
            [*words, *(("--gold", str(GOLD)) if gold else ())],
            **{"cwd": ROOT, "env": variables, "stdout": subprocess.PIPE, "stderr": complaints},
            check=False,
        )
    if ran.returncode:
        raise NotThere(f"it ended with {ran.returncode}; see {folder / f'{peer.name}.log'}")
    # The last line: a peer may print what it likes before.
    return json.loads(ran.stdout.splitlines()[-1])


def pythons_of(peers: Sequence[Peer], folder: Path, corpora: Path | None) -> dict[Peer, Path]:
    """The peers that can be run here; of the others it is said why not."""
    found = {}
    folder.mkdir(parents=True, exist_ok=True)
    for peer in peers:
        try:
            python = Path(sys.executable) if peer.is_ours else python_of(peer.name, folder)
            prepare(peer.name, python, folder, corpora)
            found[peer] = python
        except NotThere as reason:
            print(f"left out: {peer.name}: {reason}", file=sys.stderr)
    return found


def measure(
    pythons: dict[Peer, Path], texts: Sequence[str], options: argparse.Namespace, gold: bool
) -> dict[Peer, list[dict[str, Any]]]:
    """The runs of each peer over one set of notes; the gold is read once."""
    runs: dict[Peer, list[dict[str, Any]]] = {peer: [] for peer in pythons}
    with tempfile.TemporaryDirectory() as temporary:
        notes = Path(temporary) / "notes.jsonl"
        lines = [json.dumps({"text": text}) + "\n" for text in texts]
        notes.write_text("".join(lines), encoding="utf-8")
        for repeat in range(options.repeats):
            for peer in [*runs]:
                once = gold and repeat == 0
                try:
                    runs[peer].append(process(peer, pythons[peer], notes, options.folder, once))
                except NotThere as reason:
                    del runs[peer]
                    print(f"left out: {peer.name}: {reason}", file=sys.stderr)
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [peer.name for peer in PEERS]
    parser.add_argument("--peers", nargs="+", choices=names, default=names)
    parser.add_argument("--folder", type=Path, default=ROOT / "build/peers")
    parser.add_argument("--corpora", type=Path, metavar="FOLDER")
    parser.add_argument("--most", type=int, default=100, help="notes of a set")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    named = os.environ.get("SCRUBLINE_CORPORA")
    corpora = options.corpora or (Path(named) if named else None)
    loads = [load()]
    options.folder = options.folder.resolve()
    asked = [peer for peer in PEERS if peer.name in options.peers]
    pythons = pythons_of(asked, options.folder, corpora)
    for number, (name, texts) in enumerate(notes_of(corpora, options.most).items()):
        runs = measure(pythons, texts, options, gold=number == 0)
        loads += [one for found in runs.values() for run in found for one in run["load"]]
        some = next(iter(runs.values()))[0]
        print(f"{name}: {some['notes']} notes, {some['words']:,} tokens\n")
        print(f"{markdown(rows_of(runs), HEAD)}\n", flush=True)
        if number == 0:
            print(f"Found on `review`:\n\n{markdown(found_of(runs), FOUND)}\n")
            versions = {peer: found[0]["version"] for peer, found in runs.items()}
    rows = [(peer.title, versions[peer], peer.licence, peer.asked) for peer in versions]
    print(f"{markdown(rows, ABOUT)}\n\n{options.repeats} processes each; load", end=" ")
    print(f"{min(loads):.1f} to {max(loads):.1f}")
    warn_of_load(loads)


if __name__ == "__main__":
    main()
