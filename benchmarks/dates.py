"""How many of the dates of a corpus the grammar reads, and whether it moves them right.

    python -m benchmarks.dates CORPUS [CORPUS ...] --language en [--map MAP] [--order mdy]

Dates are the spans with label DATE, behind a label map if one is named (`meddocan`, `grascco_phi`).
Each note's order of day and month is found as in a run (`order_of`). For each precision it says how
many spans there are, how many a shift by 77 days keeps (without a reference, so days of no month do
not count), and how many are *wrong*: printed without a shift they differ from the text, or the
shifted text is read as other days than those 77 days earlier, or it does not come back. What is not
read is told by its shape (`models/dates/shapes.py`), never by its text. Times are of the process.
Prints a table, then one JSON line.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import json
import time
from collections.abc import Iterable, Sequence

from scrubline.models.core.label_maps import load_map
from scrubline.models.corpora import AnnotatedDocument, read_annotated, remap
from scrubline.models.dates import NoteOrder, Order, WrittenDate, order_of, read_date
from scrubline.models.dates.lexicon import LANGUAGES, lexicon
from scrubline.models.dates.orders import ORDERS
from scrubline.models.dates.shapes import tokens_of

DAYS = -77


def dates_of(document: AnnotatedDocument) -> list[str]:
    """The texts of a note's dates, in its order."""
    spans = sorted(document.spans, key=lambda span: (span.start, span.end))
    return [document.text[span.start : span.end] for span in spans if span.label == "DATE"]


def is_wrong(written: WrittenDate, text: str, language: str, order: Order) -> bool:
    """Whether a date does not print as it was read, or not move as days do."""
    if str(written) != text:
        return True
    shifted = written.shifted(DAYS)
    if shifted is None:
        return False
    again = read_date(shifted, language, order)
    if again is None:
        return True
    moved = tuple(date + datetime.timedelta(days=DAYS) for date in written.dates())
    if written.precision == "day":
        back = again.shifted(-DAYS)
        last = None if back is None else read_date(back, language, order)
        return again.dates() != moved or last is None or last.dates() != written.dates()
    return again.precision != written.precision


def score(
    notes: Iterable[Sequence[str]], language: str, setting: Order | None
) -> dict[str, object]:
    """What comes of all dates of some notes, each a list of texts."""
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    unread: collections.Counter[str] = collections.Counter()
    total, ambiguous, spent = 0, 0, 0.0
    for texts in notes:
        order: NoteOrder = order_of(texts, language, setting)
        ambiguous += order.ambiguous
        begun = time.process_time()
        read = [read_date(text, language, order.order) for text in texts]
        spent += time.process_time() - begun
        total += len(texts)
        for text, written in zip(texts, read, strict=True):
            if written is None:
                unread[tokens_of(text[:96], lexicon(language))[1]] += 1
                continue
            seen = counts[written.precision]
            seen["read"] += 1
            seen["shifted"] += written.shifted(DAYS) is not None
            seen["wrong"] += is_wrong(written, text, language, order.order)
    read_in_all = sum(seen["read"] for seen in counts.values())
    return {
        "language": language,
        "dates": total,
        "read": read_in_all,
        "share_read": round(read_in_all / total, 4) if total else None,
        "shifted": sum(seen["shifted"] for seen in counts.values()),
        "wrong": sum(seen["wrong"] for seen in counts.values()),
        "ambiguous_notes": ambiguous,
        "us_a_date": round(spent / total * 1e6, 1) if total else None,
        "by_precision": {name: dict(counts[name]) for name in sorted(counts)},
        "unread_shapes": dict(sorted(unread.items(), key=lambda item: (-item[1], item[0]))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", nargs="+")
    parser.add_argument("--map", help="a label map: its spans become DATE")
    parser.add_argument("--language", choices=LANGUAGES, required=True)
    parser.add_argument("--order", choices=ORDERS, help="where a note does not tell")
    asked = parser.parse_args()
    label_of = load_map(asked.map, "to_native").apply if asked.map else str
    documents = (remap(d, label_of) for corpus in asked.corpus for d in read_annotated(corpus))
    scores = score(map(dates_of, documents), asked.language, asked.order)
    print("| precision | read | moved | wrong |\n| --- | --- | --- | --- |")
    for name, seen in scores["by_precision"].items():  # type: ignore[attr-defined]
        print(f"| {name} | {seen['read']} | {seen['shifted']} | {seen['wrong']} |")
    print(json.dumps(scores))


if __name__ == "__main__":
    main()
