"""Studies of what Stat De-id learns from: fewer notes, and notes with other PHI.

Sources: Tafvizi et al. 2010, §5.6, and Uzuner et al. 2008, on five corpora.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ..evaluation.stat_deid import NON_PHI, PHI
from ..plots.bars import bars
from ..plots.curves import lines
from ..training.folds import MOST_FOLDS, make_folds
from ..training.reporting import shown
from .base import Bench
from .findings import (
    ClaimCheck,
    Findings,
    PageTable,
    Plot,
    Row,
    Study,
)
from .replaced import AS_IT_IS, CORPORA, SYSTEMS, corpus_named, found_by, vocabulary
from .stat_deid import (
    HEAD,
    PAPER,
    Ratios,
    how,
    matrix_of_metrics,
    ratios_of,
    scored_of,
)
from .stat_deid_claims import claim_of_number, prepared

_ORIGINAL = 'Uzuner et al. 2008, "A de-identifier for medical discharge summaries"'
_SHARES = (0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0)


def _size(bench: Bench) -> Findings:
    documents = bench.some(bench.material.train, bench.size.held)
    folds = make_folds(documents, min(MOST_FOLDS, max(2, len(documents))))
    order = [number for fold in folds for number in fold]
    every = prepared(bench, bench.stat_deid(), [documents[number] for number in order])
    scores: dict[int, Ratios] = {}
    shares = bench.size.some(_SHARES)
    counts = [max(2, round(share * len(documents))) for share in shares]
    numbers = {n: len(every.of_documents(range(n)).features.attributes) for n in counts}
    for count in counts:
        train = [documents[number] for number in order[:count]]
        smaller = dataclasses.replace(
            bench, material=dataclasses.replace(bench.material, train=train)
        )
        (run,) = smaller.held_out([bench.stat_deid()])
        scores[count] = scored_of(bench, run)
    return Findings(
        how(bench) + " The smaller training parts are nested, in one random order.",
        (
            PageTable(
                "",
                ("share", "documents", *HEAD),
                tuple(
                    (f"{share:.3%}", count, *map(shown, scores[count]))
                    for share, count in zip(shares, counts, strict=True)
                ),
            ),
        ),
        tuple(
            Plot(
                name,
                f"{name} against the size of the training part ({figure})",
                lines(
                    {
                        of: [(float(c), s[place + more]) for c, s in scores.items()]
                        for of, more in ((PHI, 0), (NON_PHI, 3))
                    },
                    across="training documents",
                ),
            )
            for name, place, figure in (("precision", 0, "Fig. 6"), ("recall", 1, "Fig. 7"))
        ),
        (*_claims_of_size(scores), claim_of_number(numbers)),
    )


def _claims_of_size(scores: Mapping[int, Ratios]) -> tuple[ClaimCheck, ...]:
    counts = list(scores)
    first, last = scores[counts[0]], scores[counts[-1]]
    gains = [(last[place] or 0.0) - (first[place] or 0.0) for place in (0, 1)]
    steps = list(zip(counts, counts[1:], strict=False))
    rising = [
        sum((scores[b][place] or 0.0) > (scores[a][place] or 0.0) for a, b in steps)
        for place in (0, 1)
    ]
    return (
        ClaimCheck(
            "Both precision and recall improve with the size of the training set.",
            f"Precision rises in {rising[0]} and recall in {rising[1]} of {len(steps)} steps;"
            f" from {counts[0]} to {counts[-1]} documents by {gains[0]:+.4f} and"
            f" {gains[1]:+.4f}.",
            min(gains) > 0,
        ),
        ClaimCheck(
            "The effect is stronger for recall than for precision.",
            f"Recall {shown(first[1])} to {shown(last[1])}, precision {shown(first[0])} to"
            f" {shown(last[0])}.",
            gains[1] > gains[0],
        ),
        ClaimCheck(
            "More notes would improve it further.",
            f"The last doubling adds {_last_step(scores, counts, 0)} to precision and"
            f" {_last_step(scores, counts, 1)} to recall.",
            (last[2] or 0.0) > (scores[counts[-2]][2] or 0.0),
        ),
    )


def _last_step(scores: Mapping[int, Ratios], counts: Sequence[int], place: int) -> str:
    before, after = (scores[count][place] or 0.0 for count in counts[-2:])
    return f"{after - before:+.4f}"


def _corpora(bench: Bench) -> Findings:
    rows: list[Row] = []
    words: list[Row] = []
    f1: dict[str, dict[str, float]] = {}
    for name in CORPORA:
        own = corpus_named(bench, name)
        gold, found = found_by(own)
        f1[name] = {}
        for system in SYSTEMS:
            metrics = own.score_found(gold, found[system], ("phi_confusion",)).metrics
            ratios = ratios_of(matrix_of_metrics(metrics))
            rows.append((name, system, *map(shown, ratios)))
            f1[name][system] = ratios[2] or 0.0
        known = vocabulary(own)
        shares = (known.unseen, known.ambiguous, known.listed)
        words.append((name, known.words, *(f"{share:.1%}" for share in shares)))
    return Findings(
        how(bench) + _how_corpora(bench),
        (
            PageTable("", ("corpus", "system", *HEAD), tuple(rows)),
            PageTable(
                "words",
                ("corpus", "words of PHI", "unseen", "outside of PHI too", "in dictionaries"),
                tuple(words),
            ),
        ),
        (
            Plot(
                "",
                "F of PHI on five corpora",
                bars([(name, [(s, f1[name][s], None) for s in SYSTEMS]) for name in CORPORA]),
            ),
        ),
        _claims_of_corpora(f1),
    )


def _claims_of_corpora(f1: Mapping[str, Mapping[str, float]]) -> tuple[ClaimCheck, ...]:
    svm = {name: own["SVM"] for name, own in f1.items()}
    listed = {name: own["rules and dictionaries"] for name, own in f1.items()}
    drops = {name: svm[AS_IT_IS] - value for name, value in svm.items() if name != AS_IT_IS}
    worst = max(drops, key=lambda name: drops[name])
    best_rules = max(f1, key=lambda name: max(f1[name]["rules"], listed[name]))
    return (
        ClaimCheck(
            "Local context finds PHI that is out of vocabulary, or ambiguous with other words: F is"
            " 97 %.",
            "F of the SVM: "
            + ", ".join(f"{name} {value:.4f}" for name, value in svm.items())
            + f"; the worst is {worst}.",
            max(drops.values()) < 0.03,
        ),
        ClaimCheck(
            "Local context contributes more than rules and dictionaries, with F of 85 %.",
            "F of rules and dictionaries: "
            + ", ".join(f"{name} {value:.4f}" for name, value in listed.items())
            + f"; of rules alone {f1[best_rules]['rules']:.4f} on the corpus {best_rules}.",
            all(svm[name] > max(listed[name], f1[name]["rules"]) for name in f1),
        ),
        ClaimCheck(
            "Systems that model relations in a sentence, or sequences, do worse: SNoW has F 94 %,"
            " IdentiFinder 36 %.",
            "Neither can be had. A CRF on the same features, which sees the class of the token"
            " before, has F "
            + ", ".join(f"{own['CRF']:.4f} ({name})" for name, own in f1.items())
            + ".",
            None,
        ),
    )


def _how_corpora(bench: Bench) -> str:
    foreign = (
        " The rules were written for English notes and are foreign to these."
        if bench.material.language != "en"
        else ""
    )
    return (
        " Training and test part are both changed, and systems are trained on each corpus anew."
        " What stands outside of PHI stays. Equal PHI of a document stays equal. Re-identified:"
        " names of people word by word from other documents of the same part, all else as a span of"
        " the same label and shape. Ambiguous: each word of names of people, institutions and"
        " places becomes a word that stands outside of PHI in two documents or more, in the same"
        " capitals. Out of vocabulary: it becomes a word made up by pairs of letters, in no list"
        " and nowhere in the corpus, and digits are drawn anew: few dates are dates then, which"
        " rules look at. Challenge: half of these words are"
        " ambiguous, half out of vocabulary. Authentic notes cannot be had: the corpus as it is"
        " stands for them. Rules are those that run by default; dictionaries are the recipe's,"
        " where they begin with a capital. The CRF has the features of the SVM, lines as sequences,"
        f" and no labels either.{foreign}"
    )


STUDIES = (
    Study("stat-deid-size", "Size of the training set", f"{PAPER}, Fig. 6 and 7", _size),
    Study(
        "stat-deid-corpora",
        "Ambiguous PHI, and PHI out of vocabulary",
        f"{_ORIGINAL}, abstract; the corpora are ours",
        _corpora,
    ),
)
