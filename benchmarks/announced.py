"""Names that a field, a title or a sentence announces amid eponyms: how many a scrubber misses.

    python -m benchmarks.announced [--model BUNDLE ...] [--rules-alone] [--list]

A passage dense with signs, syndromes and instruments that bear names has nobody in it, but where
somebody is announced (`Patient: Ivy Baker Allis sign, Murphy syndrome, Kocher's`). 1,320 texts,
22 announcements x 10 passages x 6 origins of names; three in five names are written in full, the
others as `Last, First` or by the surname alone, as the seed says. A name is missed if a letter of
it stays. One JSON line a model: missed in all, wholly missed, by announcement and by origin.
Names and passages are by hand, and in no template of `scrubline synth`.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scrubline.models.scrubber import Scrubber

NAMES = {
    "english": """Harriet Wexcombe|Colin Tanfield|Maud E. Larkspur|Rodney Pennock|Bertram Oakhill
        |Gwen Stallworthy|Arthur J. Plimsoll|Edith Crowhurst|Dennis Fairbrass|Lorna Quested""",
    "like eponyms": """Ivy Baker|Homer Paget|Ruth Addison|Oscar Kocher|Lena Murphy|Walter Bell
        |Clara M. Wilson|Felix Graves|Nora Barlow|Hugo Sims""",
    "like words": """Grace Winter|Rusty Field|Hope Church|Forrest Long|Pearl Summers|Chase Rivers
        |Dawn Early|Sonny Day|Joy Best|Rocky Marsh""",
    "latin": """Xiomara Quintanilla|Eusebio Montalvo|Nereida Olivares|Anselmo R. Zubiri
        |Leocadia Barrientos|Fermin Ochoa|Yesenia Caballero|Teofilo Arriaga|Marisol Peña
        |Adalberto Cifuentes""",
    "asian": """Nguyen Thi Hanh|Jiho Seong|Meenakshi Venkataraman|Wei Ling Toh|Haruka Tsukamoto
        |Gurpreet Dhaliwal|Arundhati Bhosale|Kwok Chi Fung|Phuong Dao|Imelda Macaraeg""",
    "african and slavic": """Ngozi Umeadi|Thandeka Mthembu|Kwabena Asamoah|Bronislava Czernik
        |Oluwaseun Afolayan|Zbigniew Wojtas|Wanjiku Kamotho|Miroslav Hrdlicka|Fatoumata Diarra
        |Svetlana Kuzmenko""",
}
"""Origin -> ten names, first name first but for two of the Chinese and Vietnamese ones."""

PASSAGES = (
    "Allis sign, Murphy syndrome, Kocher's, Paget disease, Baker cyst",
    "Trendelenburg gait, Ober test neg, Thomas splint, Perthes hip, Salter-Harris II, Colles",
    "Whipple triad, Courvoisier law, Virchow node, Grey Turner sign, Cullen sign, Ranson 3",
    "Babinski neg, Hoffmann pos, Romberg, Kernig, Brudzinski, Lhermitte sign, Uhthoff phenomenon",
    "Foley 16 Fr, Jackson-Pratt drain, Penrose, Yankauer, Bovie, Weitlaner retractor, Kelly clamp",
    "Osler nodes, Janeway lesions, Roth spots, Duke criteria 2, Austin Flint murmur, Quincke pulse",
    "Reed-Sternberg cells, Auer rods, Howell-Jolly bodies, Coombs neg, Burkitt vs Hodgkin, Ann"
    " Arbor II",
    "Hashimoto, Graves orbitopathy, Chvostek sign, Trousseau sign, Addison disease, Cushing's,"
    " Conn",
    "Apgar 8, Moro reflex, Ortolani neg, Barlow neg, Epstein pearls, Erb palsy, McRoberts, Bishop"
    " 6, metformin 500 mg",
    "Dupuytren contracture, Heberden nodes, Bouchard, Finkelstein test, Tinel sign, Phalen,"
    " de Quervain, Kienbock, lisinopril 10 mg, Gardner-Wells tongs, Bennett fracture",
)

ANNOUNCEMENTS = (
    "Patient: {name} {passage}",
    "Patient: {name}, {passage}",
    "{passage}. Patient: {name}",
    "Patient name: {name} {passage}",
    "{passage}\nPatient name\n{name}\n{passage}",
    "{passage}\nPatient:\n{name}\n{passage}",
    "Name: {name} {passage}",
    "{passage}\nName: {name}\n{passage}",
    "Pt: {name} {passage}",
    "{passage}. Signed: {name}",
    "{passage}\nSigned by {name}\n{passage}",
    "Attending: Dr. {name} {passage}",
    "{passage}. Provider: {name}, {passage}",
    "Dictated by {name}, {passage}",
    "Mother: {name} {passage}",
    "{passage}, {passage}. His wife's name is {name}. {passage}",
    "{passage}. Her name is {name} {passage}",
    "{passage}. Mr. {surname} said {passage}",
    "{passage}\nDr. {name} {passage}",
    "patient: {name} {passage}",
    "{passage}\nname: {name}\n{passage}",
    "ATTENDING: DR. {name} {passage}",
)
"""Those that begin in small letters, or have none, are so throughout, name and all."""


class Announced(NamedTuple):
    """A text that announces one name.

    Attributes:
        form: the announcement.
        origin: of the name.
        text: all of it.
        start, end: where the name stands, in code points.
    """

    form: str
    origin: str
    text: str
    start: int
    end: int


def texts(seed: int = 1) -> Iterator[Announced]:
    """Yields all texts, an announcement after the other; the seed chooses names and passages."""
    draw = random.Random(seed)
    pools = {origin: [n.strip() for n in names.split("|")] for origin, names in NAMES.items()}
    for form in ANNOUNCEMENTS:
        for passage in PASSAGES:
            for origin, names in pools.items():
                yield _announce(form, origin, draw.choice(names), passage, draw)


def _announce(form: str, origin: str, name: str, passage: str, draw: random.Random) -> Announced:
    """One text: this passage stands first in it, any other in the second place."""
    words = form.replace("{passage}", "").replace("{name}", "").strip()
    first, _, surname = name.rpartition(" ")
    shown = draw.choice((name, name, name, f"{surname}, {first}", surname))
    if "{surname}" in form:
        shown = surname
    front, _, back = form.replace("{surname}", "{name}").partition("{name}")
    passages = [passage, draw.choice(PASSAGES), draw.choice(PASSAGES)]
    parts = []
    for part in (front, back):
        while "{passage}" in part:
            part = part.replace("{passage}", passages.pop(0), 1)
        parts.append(part)
    front, text = parts[0], parts[0] + shown + parts[1]
    if words[:1].islower():
        text = text.lower()
    elif words.isupper():
        text = text.upper()
    return Announced(form, origin, text, len(front), len(front) + len(shown))


def missed(scrubber: Scrubber, all_texts: Sequence[Announced]) -> Iterator[tuple[Announced, bool]]:
    """Yields each text in whose name a letter or digit stays, and whether all of it does."""
    found = scrubber.candidates(*(one.text for one in all_texts))
    for one, candidates in zip(all_texts, found, strict=True):
        removed = {at for c in candidates for at in range(c.start, c.end)}
        signs = {at for at in range(one.start, one.end) if one.text[at].isalnum()}
        if signs - removed:
            yield one, not signs & removed


def measure(scrubber: Scrubber, *, seed: int = 1) -> dict[str, object]:
    """How many of all texts are missed: in all, wholly, by announcement and by origin."""
    all_texts = list(texts(seed))
    lost = list(missed(scrubber, all_texts))
    return {
        "texts": len(all_texts),
        "missed": len(lost),
        "wholly": sum(whole for _, whole in lost),
        "by announcement": dict(collections.Counter(one.form for one, _ in lost)),
        "by origin": dict(collections.Counter(one.origin for one, _ in lost)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", action="append", help="a bundle; default: en-default")
    parser.add_argument("--rules-alone", action="store_true", help="no bundle")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="the texts that are missed, too")
    asked = parser.parse_args()
    models: list[tuple[str, ...]] = [(one,) for one in asked.model or ["en-default"]]
    for names in [()] if asked.rules_alone else models:
        scrubber = Scrubber(models=names)
        row = {"model": "".join(names) or None, "seed": asked.seed}
        print(json.dumps(row | measure(scrubber, seed=asked.seed)), flush=True)
        if asked.list:
            for one, whole in missed(scrubber, list(texts(asked.seed))):
                print(
                    f"{'all ' if whole else 'part'} {one.text[one.start : one.end]} | {one.text!r}"
                )


if __name__ == "__main__":
    main()
