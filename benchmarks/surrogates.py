"""What surrogates cost and give: speed, collisions, co-reference, frequencies.

    python -m benchmarks.surrogates [--patients 2000] [--key-byte 7]

Prints one JSON line for each question:

- `speed`: processor time in microseconds a call, for a text of one word that was not seen before,
  for one that was, for a new word without the reading of a text, and for a number. Medians of
  five rounds.
- `truth`: of records with six surnames drawn by Census weight, with `avoid` (their own words) and
  without: surrogates equal to the word itself, equal to another of the record, alike in the record,
  markers.
- `coreference`: mentions of one person in a record written in ten ways, whose surname is the one
  surname of the record's mentions.
- `frequency`: chi-squared over the pool, for one surname drawn for each patient, with its degrees
  of freedom and the standard score; and the share of the commonest surrogate of the commonest name.

Names are of the census of 1990, not of any note.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import math
import statistics
import time
from collections.abc import Callable, Iterator

from scrubline.dictionaries import load
from scrubline.models.surrogates import NOBODY, Surrogates, SurrogateSettings
from scrubline.models.surrogates.pools import pool
from scrubline.models.surrogates.words import folded
from scrubline.models.synth.drawing import Draw

ROUNDS, SURNAMES = 5, 6
WAYS = (
    "{given} {surname}",
    "{SURNAME}, {G}.",
    "Dr. {surname}",
    "{small}",
    "{surname}'s",
    "{surname}, {given}",
    "{G}. {surname}",
    "Mr. {given} {G}. {surname}",
    "{SURNAME}",
    "{given} {surname}, MD",
)


def microseconds(run: Callable[[int], object], count: int) -> float:
    rounds = []
    for number in range(ROUNDS):
        began = time.process_time()
        run(number)
        rounds.append((time.process_time() - began) / count * 1e6)
    return round(statistics.median(rounds), 2)


def speed(by: Surrogates) -> dict[str, float]:
    names = load("surname_counts_en").phrases[:5_000]
    few = names[:100]

    def new(number: int) -> None:
        for name in names:
            by.of(f"new {number}", "PATIENT", name)

    def seen(number: int) -> None:
        for _ in range(50):
            for name in few:
                by.of("seen", "PATIENT", name)

    def words(number: int) -> None:
        # A word alone, with capitals and collisions, has no public way in.
        drawer = by._drawer(("record", f"words {number}"), NOBODY, frozenset(("x",)))
        for name in names:
            drawer.name(name, frozenset())

    def numbers(number: int) -> None:
        for name in range(5_000):
            by.of(f"numbers {number}", "IDNUM", f"{name:07d}")

    seen(0)
    return {
        "new_text_us": microseconds(new, len(names)),
        "seen_text_us": microseconds(seen, 5_000),
        "new_word_us": microseconds(words, len(names)),
        "number_us": microseconds(numbers, 5_000),
    }


def surnames(draw: Draw) -> Iterator[str]:
    listed = load("surname_counts_en")
    upto = tuple(itertools.accumulate(listed.weights or ()))
    while True:
        yield draw.weighted(listed.phrases, upto)


def truth(by: Surrogates, patients: int) -> dict[str, object]:
    drawn = surnames(Draw("surrogates", "truth"))
    found: dict[str, collections.Counter[str]] = {
        way: collections.Counter() for way in ("alone", "avoid", "attempts")
    }
    for number in range(patients):
        record = sorted(set(itertools.islice(drawn, SURNAMES)))
        avoid = by.normal(record)
        known = by.known(attempts=by.attempts(str(number), record, avoid=avoid))
        for way, counts in found.items():
            more = {} if way == "alone" else {"avoid": avoid}
            if way == "attempts":
                more["known"] = known
            made = {name: by.of(str(number), "PATIENT", name, **more) for name in record}
            texts = [one.text for one in made.values() if one]
            counts["words"] += len(record)
            counts["markers"] += len(record) - len(texts)
            counts["the word itself"] += sum(
                one is not None and folded(one.text) == folded(name) for name, one in made.items()
            )
            true = set(map(folded, record))
            counts["records with a true word"] += any(folded(text) in true for text in texts)
            counts["records with two alike"] += len(set(texts)) < len(texts)
            counts["later draws"] += sum(one.attempt > 0 for one in made.values() if one)
    keys = ("words", "the word itself", "records with a true word", "records with two alike",
            "later draws", "markers")  # fmt: skip
    return {way: {key: counts[key] for key in keys} for way, counts in found.items()}


def words_of(text: str) -> set[str]:
    return {folded(word) for word in text.replace(",", "").replace("'s", "").split()}


def coreference(by: Surrogates, patients: int) -> dict[str, object]:
    drawn = surnames(Draw("surrogates", "coreference"))
    given = load("first_name_counts_en").phrases
    draw = Draw("surrogates", "given")
    agree = mentions = people = 0
    for number in range(patients):
        surname, first = next(drawn), draw.pick(given)
        words = {"given": first, "surname": surname, "SURNAME": surname.upper(), "G": first[0],
                 "small": surname.lower()}  # fmt: skip
        texts = [way.format(**words) for way in WAYS]
        made = [by.of(str(number), "PATIENT", text) for text in texts]
        expected = by.of(str(number), "PATIENT", surname)
        assert expected is not None
        same = [one is not None and folded(expected.text) in words_of(one.text) for one in made]
        agree, mentions = agree + sum(same), mentions + len(same)
        people += all(same)
    return {"mentions": mentions, "agree": agree, "people": patients, "people who agree": people}


def frequency(by: Surrogates, patients: int) -> dict[str, float]:
    found = pool("surname", "en")
    assert found is not None
    count = len(found.words) * 20
    drawn = collections.Counter(by.of(f"f{n}", "PATIENT", "Smith").text for n in range(count))  # type: ignore[union-attr]
    squared = sum((drawn[word] - 20) ** 2 / 20 for word in found.words)
    freedom = len(found.words) - 1
    score = (squared - freedom) / math.sqrt(2 * freedom)
    return {
        "patients": count,
        "chi_squared": round(squared, 1),
        "degrees": freedom,
        "standard_score": round(score, 2),
        "commonest": drawn.most_common(1)[0][1] / count,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--patients", type=int, default=2_000)
    parser.add_argument("--key-byte", type=int, default=7)
    arguments = parser.parse_args()
    by = Surrogates(bytes([arguments.key_byte]) * 32, SurrogateSettings())
    for name, ask in (
        ("speed", lambda: speed(by)),
        ("truth", lambda: truth(by, arguments.patients)),
        ("coreference", lambda: coreference(by, arguments.patients)),
        ("frequency", lambda: frequency(by, arguments.patients)),
    ):
        print(json.dumps({"question": name, "pools": by.pools[:12], **ask()}), flush=True)


if __name__ == "__main__":
    main()
