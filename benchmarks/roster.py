"""What a roster costs and finds: sizes, speed, needless removals, recall by the way of writing.

    python -m benchmarks.roster [--people N] [--notes N] [sizes] [speed] [needless] [forms]

People are drawn by the shipped counts of names from one seed. Notes are those of `benchmarks/notes`
(`practice`, `review`, `traps`) and, if SCRUBLINE_CORPORA names a folder that has it, ACI-Bench; a
stretch that lies on gold PHI is not needless. Times are of this processor alone.
"""

import argparse
import bisect
import csv
import itertools
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scrubline import Scrubber
from scrubline.dictionaries import load_weighted
from scrubline.models.core.keys import Keys
from scrubline.models.core.known_values import KnownValue
from scrubline.models.roster.building import build_roster
from scrubline.models.roster.bundle import RosterBundle
from scrubline.models.roster.guard import Guard
from scrubline.models.roster.matcher import Matcher, RosterClass
from scrubline.models.roster.names import NameClass, class_of
from scrubline.models.roster.staff import StaffHash, StaffIndex, staff_hashes
from scrubline.models.roster.tables import PeopleTables
from scrubline.models.roster.word_lists import clinical_pairs, known_words, nicknames, words
from scrubline.models.storage.storage import Storage
from scrubline.models.text.tokenizer import tokenize_documents

ROOT = Path(__file__).resolve().parent.parent
KEYS = Keys(bytes(range(32)))
STREETS = ("Maplewood", "Oak", "Harbor View", "Cedar Hill", "Lincoln", "Old Mill", "Quarry")
CITIES = ("Springfield", "Riverton", "Astoria", "Fairview", "Georgetown")


class Names:
    """Draws names by how many people have them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._lists = {}
        for name in ("first_name_counts_en", "surname_counts_en"):
            counts = load_weighted(name)
            self._lists[name] = (list(counts), list(itertools.accumulate(counts.values())))

    def _draw(self, name: str) -> str:
        phrases, sums = self._lists[name]
        return phrases[bisect.bisect(sums, self.random.random() * sums[-1])]

    def given(self) -> str:
        """A given name of any sex."""
        return self._draw("first_name_counts_en")

    def surname(self) -> str:
        """A surname."""
        return self._draw("surname_counts_en")

    def patient(self) -> list[KnownValue]:
        """Some twenty values, as a hospital has them."""
        pick, number = self.random.choice, self.random.randint
        surname = self.surname()
        rows = [
            ("self", "given", self.given()),
            ("self", "middle", self.given()),
            ("self", "family", surname),
            ("self", "birth", f"{number(1925, 2015)}-{number(1, 12):02d}-{number(1, 28):02d}"),
            ("self", "sex", pick("FM")),
            ("self", "street", f"{number(1, 9999)} {pick(STREETS)} {pick(('St', 'Ave', 'Rd'))}"),
            ("self", "city", pick(CITIES)),
            ("self", "zip", f"{number(501, 99950):05d}"),
            ("self", "phone", f"({number(201, 989)}) {number(200, 999)}-{number(0, 9999):04d}"),
            ("self", "mrn", f"{number(10**7, 10**8 - 1)}"),
            ("relative", "name", f"{self.given()} {surname}"),
            ("contact", "name", f"{self.given()} {self.surname()}"),
            ("contact", "phone", f"{number(201, 989)}-{number(200, 999)}-{number(0, 9999):04d}"),
        ]
        return [KnownValue.of(*row) for row in rows]


class Note:
    """A note, with what in it is PHI if that is known."""

    def __init__(self, text: str, gold: Sequence[tuple[int, int]]) -> None:
        self.text, self.gold = text, gold

    def is_phi(self, start: int, end: int) -> bool:
        """Whether a stretch lies on gold PHI."""
        return any(start < e and s < end for s, e in self.gold)


def read_notes(most: int) -> list[Note]:
    places = [ROOT / f"benchmarks/notes/{name}.jsonl" for name in ("practice", "review", "traps")]
    if folder := os.environ.get("SCRUBLINE_CORPORA"):
        places.append(Path(folder) / "aci_bench/raw.jsonl")
    found = []
    for place in places:
        if place.exists():
            for line in place.read_text("utf-8").splitlines():
                row = json.loads(line)
                spans = [(s["start"], s["end"]) for s in row.get("spans", ())]
                found.append(Note(row["text"], spans))
    random.Random(1).shuffle(found)
    return found[:most]


def sizes(people: int) -> None:
    """Bytes a patient, and how long building and opening take."""
    names = Names(7)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "people.csv"
        with table.open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("patient", "kind", "attribute", "value"))
            for number in range(people):
                for value in names.patient():
                    writer.writerow((f"p{number}", value.kind, value.attribute, value.value))
        storage = Storage(private=True)
        began = time.process_time()
        tables = PeopleTables.open(storage, [str(table)], {})
        place = f"{folder}/roster"
        manifest, _ = build_roster(tables, KEYS, place, storage=storage)
        built = time.process_time() - began
        size = sum(f.bytes for name, f in manifest.files.items() if name.startswith("patients"))
        values = sum(manifest.values.values()) / people
        keys = [KEYS.patient_key(f"p{number}") for number in range(people)]
        with RosterBundle(place, KEYS) as bundle:
            bundle.row(keys[0])
            for name in bundle.shard_names:
                bundle.shard(name)
            began = time.process_time()
            for key in keys:
                bundle.row(key)
            opened = time.process_time() - began
            shards = [(bundle.shard_of(bytes.fromhex(k)), bytes.fromhex(k)) for k in keys]
            began = time.process_time()
            for shard, patient in shards:
                assert shard is not None
                shard.find(patient)
            looked = time.process_time() - began
    print(f"{people:,} patients of {values:.1f} values")
    print(f"  bytes a patient        {size / people:8.0f}")
    print(f"  us a patient: build    {built / people * 1e6:8.1f}")
    print(f"                find     {looked / people * 1e6:8.1f}")
    print(f"                find and open {opened / people * 1e6:6.1f}")


def timed(work: Iterator[object], count: int) -> float:
    """Microseconds of processor time for each of some pieces of work."""
    began = time.process_time()
    for _ in work:
        pass
    return (time.process_time() - began) / count * 1e6


def speed(people: int, notes: list[Note]) -> None:
    """Microseconds a note for Match and Guard, and their share of a job."""
    names = Names(8)
    texts = [note.text for note in notes]
    tokens = len(tokenize_documents(texts)) / len(texts)
    rosters = [names.patient() for _ in range(people)]
    known_words(), clinical_pairs(), nicknames()
    matchers = [Matcher(rows) for rows in rosters]
    guards = [Guard(rows) for rows in rosters]
    build = timed((Matcher(rows) for rows in rosters), people)
    build_guard = timed((Guard(rows) for rows in rosters), people)
    pairs = [(text, at % people) for at, text in enumerate(texts)]
    match = timed((matchers[at].candidates(text) for text, at in pairs), len(texts))
    guard = timed((guards[at].violations(text) for text, at in pairs), len(texts))
    hashes = StaffHash(KEYS)
    staff: set[int] = set()
    for _ in range(20_000):
        person = [KnownValue.of("staff", "name", f"{names.given()} {names.surname()}")]
        staff |= staff_hashes(person, hashes)
    index = StaffIndex(b"".join(h.to_bytes(8, "little") for h in sorted(staff)), StaffHash(KEYS))
    timed((index.candidates(text) for text in texts), 1)  # words are remembered from text to text
    by_staff = timed((index.candidates(text) for text in texts), len(texts))
    total = match + guard + by_staff
    scrubber = Scrubber()
    scrubber.scrub_many(texts[:20])
    whole = timed((scrubber.scrub_many(texts[at : at + 50]) for at in range(0, len(texts), 50)), 1)
    whole /= len(texts)
    words_of = np.mean([len(text.split()) for text in texts])
    print(f"{len(texts)} notes of {tokens:.0f} tokens ({words_of:.0f} words)")
    print(f"  us to build: matcher {build:.0f}, guard {build_guard:.0f} (once a patient and batch)")
    print(f"  us a note: match {match:.0f}, staff {by_staff:.0f}, guard {guard:.0f}")
    print(f"  en-default and all rules: {whole:.0f} us a note, {whole / tokens:.1f} a token")
    print(f"  share: match {match / whole:.1%}, staff {by_staff / whole:.1%}, ", end="")
    print(f"guard {guard / whole:.1%}, together {total / whole:.1%}")


def needless(people: int, notes: list[Note]) -> None:
    """Words that a roster takes out of notes of somebody else.

    ACI-Bench has no gold: a word that is a common name there is told apart, as somebody's name.
    """
    names = Names(9)
    common = {
        name.lower()
        for kind, least in (("first_name_counts_en", 20), ("surname_counts_en", 100))
        for name, count in load_weighted(kind).items()
        if count >= least
    }
    found: Counter[tuple[str, NameClass, str]] = Counter()
    drawn: Counter[tuple[str, NameClass]] = Counter()
    clinical = 0
    for _ in range(people):
        for attribute, value in (("given", names.given()), ("family", names.surname())):
            strength = class_of(value.lower())
            drawn[attribute, strength] += 1
            matcher = Matcher([KnownValue.of("self", attribute, value)])
            for note in notes:
                for one in matcher.candidates(note.text):
                    if note.is_phi(one.start, one.end):
                        continue
                    written = note.text[one.start : one.end].lower()
                    if not note.gold and set(written.split()) <= common - words():
                        found[attribute, strength, "names"] += 1
                        continue
                    near = one.found is RosterClass.NEAR
                    found[attribute, strength, "near" if near else "exact"] += 1
                    clinical += strength is NameClass.STRONG and written in words()
    print(f"needless removals by name and 1,000 notes ({people} people, {len(notes)} notes)")
    print("  name           class    drawn   exact    near    names of other people")
    for (attribute, strength), count in sorted(drawn.items()):
        each = count * len(notes) / 1000
        shares = [found[attribute, strength, way] / each for way in ("exact", "near", "names")]
        row = "".join(f"{share:8.2f}" for share in shares)
        print(f"  {attribute:<14} {strength.name.lower():<8}{count:6}{row}")
    print(f"  words of lists among those of strong names: {clinical}")


def typo(rng: random.Random, word: str) -> str:
    at = rng.randrange(1, len(word)) if len(word) > 1 else 0
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    ways = [
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[: at - 1] + word[at : at + 1] + word[at - 1 : at] + word[at + 1 :],
    ]
    return rng.choice([way for way in ways if way != word] or [word + letter])


def misread(rng: random.Random, word: str) -> str:
    ways = [("o", "0"), ("i", "1"), ("l", "1"), ("s", "5"), ("rn", "m"), ("w", "vv"), ("d", "cl")]
    possible = [(a, b) for a, b in ways if a in word[1:]]
    if not possible:
        return word
    one, other = rng.choice(possible)
    return word[0] + word[1:].replace(one, other, 1)


def forms(people: int) -> None:
    """Share of surnames that are found, by how they are written."""
    names, rng = Names(11), random.Random(12)
    ways = {
        "Surname": lambda g, s: s,
        "SURNAME": lambda g, s: s.upper(),
        "surname": lambda g, s: s.lower(),
        "Given Surname": lambda g, s: f"{g} {s}",
        "given surname": lambda g, s: f"{g} {s}".lower(),
        "Surname, Given": lambda g, s: f"{s}, {g}",
        "G. Surname": lambda g, s: f"{g[0]}. {s}",
        "Surname, G.": lambda g, s: f"{s}, {g[0]}.",
        "Mr. Surname": lambda g, s: f"Mr. {s}",
        "possessive": lambda g, s: f"{s}'s",
        "accent": lambda g, s: "".join(c + "\u0301" if c in "aeiou" else c for c in s),
        "Surname-Other": lambda g, s: f"{s}-Zzyzx",
        "wrapped line": lambda g, s: f"{g}\n{s}",
        "broken word": lambda g, s: f"{s[:2]}-\n{s[2:]}" if len(s) > 3 else s,
        "one typing error": lambda g, s: typo(rng, s.lower()).capitalize(),
        "misread": lambda g, s: misread(rng, s.lower()).capitalize(),
        "two typing errors": lambda g, s: typo(rng, typo(rng, s.lower())).capitalize(),
        "glued by case": lambda g, s: f"Seen{s}",
        "glued": lambda g, s: f"{s}and".lower(),
    }
    drawn = [(names.given(), names.surname()) for _ in range(people)]
    print(f"surnames found ({people} people)    strong    weak")
    for name, write in ways.items():
        found: Counter[bool] = Counter()
        count: Counter[bool] = Counter()
        for given, surname in drawn:
            rows = [KnownValue.of("self", "given", given), KnownValue.of("self", "family", surname)]
            written = write(given, surname)
            text = f"In the clinic today we saw {written} and reviewed the plan."
            start = 27 + max(0, written.lower().find(surname.lower()[:3]))
            strong = class_of(surname.lower()) is NameClass.STRONG
            count[strong] += 1
            hits = Matcher(rows).candidates(text)
            found[strong] += any(c.start <= start + 1 and start < c.end for c in hits)
        shares = [found[strong] / max(count[strong], 1) for strong in (True, False)]
        print(f"  {name:<26}{shares[0]:12.3f}{shares[1]:8.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.roster")
    parser.add_argument("what", nargs="*", help="sizes, speed, needless, forms (default: all)")
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--notes", type=int, default=500)
    chosen = parser.parse_args()
    what = chosen.what or ["sizes", "speed", "needless", "forms"]
    if "sizes" in what:
        sizes(max(chosen.people, 2000))
    if "speed" in what:
        speed(min(chosen.people, 300), read_notes(chosen.notes))
    if "needless" in what:
        needless(chosen.people, read_notes(chosen.notes))
    if "forms" in what:
        forms(chosen.people)


if __name__ == "__main__":
    main()
