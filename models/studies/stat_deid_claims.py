"""Claims of Tafvizi et al. 2010 that counts decide: of features, reach of links, and classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..auxiliary import LINKS, RecordedLinks
from ..auxiliary.recorded_links import digest_of, nearest_links, sentences_of
from ..core.arrays import Flags
from ..corpora import AnnotatedDocument
from ..crf.codec import OUTSIDE
from ..recipes import Recipe
from ..recipes.stat_deid import MESH, PART_OF_SPEECH, SECTION
from ..text.tokenizer import tokenize_documents
from ..training.preparing import Prepared, make_dictionaries, prepare
from .base import Bench, RecipeResult
from .findings import ClaimCheck
from .phrases_in_text import covered_by_spans

_PAPER_DOCUMENTS = 669
_MANY = 100_000
_NEAR = 2
"""Words to either side that lexical bigrams have."""

_LEAST = 100
"""Tokens under a heading, for its share to say something."""

Found = tuple[int, int]
"""How many of something, and of how many."""


def prepared(bench: Bench, recipe: Recipe, documents: Sequence[AnnotatedDocument]) -> Prepared:
    """The features and tags of a recipe of one tagger, trained on these documents."""
    material = bench.material
    made = make_dictionaries(recipe, documents, material.dictionaries, material.label_map)
    (own,) = prepare(recipe, documents, made, material.auxiliary)
    return own


def claim_of_number(numbers: Mapping[int, int]) -> ClaimCheck:
    """Whether there are as many features as the paper says.

    Args:
        numbers: training documents -> distinct features in them, in rising order.
    """
    most = max(numbers)
    is_many = numbers[most] > _MANY
    return ClaimCheck(
        "The number of features depends on the training data and is usually above 100,000 (§4)."
        " Here it is with all of it, which can be fewer notes than the paper's 669.",
        "; ".join(f"{number:,} of {documents:,} documents" for documents, number in numbers.items())
        + ".",
        is_many if is_many or most >= _PAPER_DOCUMENTS else None,
    )


def claim_of_reach(bench: Bench, whole: RecipeResult, without: RecipeResult | None) -> ClaimCheck:
    """Whether syntactic bigrams help where a link goes further than lexical bigrams do.

    Args:
        bench: for the links.
        whole: the result with all features.
        without: that without syntactic bigrams; None if there are none here.
    """
    claim = (
        "Syntactic bigrams capture dependencies over a long distance, which lexical ones miss"
        " (§4.3.1): with them more of the PHI is found that is linked to a word further than two"
        " tokens away."
    )
    if without is None:
        return ClaimCheck(claim, "There are no links here (see above).", None)
    links = bench.material.auxiliary.get(LINKS)
    if not isinstance(links, RecordedLinks):
        found = "Learned links do not say how far the other word is; only recorded parses do."
        return ClaimCheck(claim, found, None)
    far, near = found_by_reach(whole, without, links)
    more, fewer = far[:2]
    tells = abs(more - fewer) > 2 * math.sqrt(more + fewer)
    return ClaimCheck(
        claim,
        f"Of {far[2]:,} PHI tokens with such a link {more:,} are found only with syntactic bigrams,"
        f" {fewer:,} only without them; of {near[2]:,} others {near[0]:,} and {near[1]:,}."
        + ("" if tells else " The first two do not differ by more than chance."),
        more > fewer if tells else None,
    )


def found_by_reach(
    whole: RecipeResult, without: RecipeResult, links: RecordedLinks
) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """PHI tokens that the first run alone finds, the second alone, and all: far links, others."""
    far = reaches(links, whole.gold) > _NEAR
    gold = touched(whole.gold)
    one, other = touched(whole.predicted()), touched(without.predicted())

    def counted(chosen: Flags) -> tuple[int, int, int]:
        alone = (chosen & one & ~other, chosen & other & ~one)
        return int(alone[0].sum()), int(alone[1].sum()), int(chosen.sum())

    return counted(gold & far), counted(gold & ~far)


def reaches(links: RecordedLinks, documents: Sequence[AnnotatedDocument]) -> np.ndarray:
    """How many tokens away the furthest word is that a fine token has a link to; 0 without one.

    The links are those that features see: the two nearest to either side.
    """
    texts = [document.text for document in documents]
    tokens = tokenize_documents(texts)
    away = np.zeros(len(tokens), np.int64)
    for first, behind, sentence, _, _ in sentences_of(texts, tokens):
        size, own = links.sentences.get(digest_of(sentence), (0, ()))
        if size == behind - first:
            for row, sides in enumerate(nearest_links(own, size), first):
                far = [own[place][1] - own[place][0] for side in sides for place in side]
                away[row] = max(far, default=0)
    return away


def touched(documents: Sequence[AnnotatedDocument]) -> Flags:
    """For each fine token of all documents, whether any of its characters is in a span."""
    return np.fromiter(_touched(documents), np.bool_)


def _touched(documents: Sequence[AnnotatedDocument]) -> Iterator[bool]:
    tokens = tokenize_documents([document.text for document in documents], sentences=False)
    for number, document in enumerate(documents):
        covered = covered_by_spans(document)
        rows = tokens.of_document(number)
        starts, ends = tokens.starts[rows].tolist(), tokens.ends[rows].tolist()
        yield from (any(covered[low:high]) for low, high in zip(starts, ends, strict=True))


def claims_of_reasons(bench: Bench) -> tuple[ClaimCheck, ...]:
    """What the paper says of PHI and nouns, MeSH and headings, in the training part."""
    documents = bench.some(bench.material.train, bench.size.held)
    recipe = bench.stat_deid(("part of speech", "section", "mesh"))
    own = prepared(bench, recipe, documents)
    phi = np.array([tag != OUTSIDE for sequence in own.tags for tag in sequence], np.bool_)
    nouns, verbs = (having(own, f"{PART_OF_SPEECH[0].template}={tag}") for tag in ("NN", "VB"))
    medical = having(own, f"{MESH[0].template}=")
    is_tagged = "pos" in recipe.auxiliary
    return (
        claim_of_medical(
            _of(phi, nouns & medical) if is_tagged and "mesh" in recipe.auxiliary else None,
            _of(phi, nouns & ~medical),
        ),
        claim_of_nouns(
            int(phi.sum()), (_of(nouns, phi)[0], _of(verbs, phi)[0]) if is_tagged else None
        ),
        claim_of_headings(_of(phi, np.ones_like(phi)), under_headings(own, phi)),
    )


def claim_of_medical(inside: Found | None, outside: Found) -> ClaimCheck:
    """Whether nouns with a category of MeSH are less often PHI than others.

    Args:
        inside: how many nouns with a category are PHI, and how many there are; None if parts of
            speech or MeSH are missing.
        outside: the same of nouns without one.
    """
    claim = "Nouns with a MeSH category are less likely to be PHI (§4.4.2)."
    if inside is None:
        missing = "There are no parts of speech, or no categories of MeSH, here (see above)."
        return ClaimCheck(claim, missing, None)
    return ClaimCheck(
        claim,
        f"PHI are {_share(inside):.2%} of {inside[1]:,} nouns with one, {_share(outside):.2%} of"
        f" {outside[1]:,} others, in the training part.",
        _share(inside) < _share(outside) if inside[1] and outside[1] else None,
    )


def claim_of_nouns(phi: int, counts: tuple[int, int] | None) -> ClaimCheck:
    """Whether PHI are more often nouns than verbs.

    Args:
        phi: tokens of PHI.
        counts: how many of them are nouns, and how many verbs; None without parts of speech.
    """
    claim = "PHI such as names and places are more likely to be nouns than verbs (§4.3.2)."
    if counts is None:
        return ClaimCheck(claim, "There are no parts of speech here (see above).", None)
    nouns, verbs = counts
    return ClaimCheck(
        claim,
        f"Of {phi:,} PHI tokens of the training part {_share((nouns, phi)):.2%} are nouns,"
        f" {_share((verbs, phi)):.2%} verbs.",
        nouns > verbs if phi else None,
    )


def claim_of_headings(every: Found, under: Sequence[Found]) -> ClaimCheck:
    """Whether PHI stand under some headings more than under others.

    Args:
        every: how many of all tokens are PHI, and how many tokens there are.
        under: the same of the tokens under each heading.
    """
    shares = sorted(_share(one) for one in under if one[1] >= _LEAST)
    return ClaimCheck(
        "Some PHI are more likely under specific headings (§4.4.1): under one of them the share of"
        " PHI is at least twice that of all tokens.",
        f"PHI are {_share(every):.2%} of all tokens of the training part, and"
        f" {shares[0]:.2%} to {shares[-1]:.2%} under {len(shares):,} headings with {_LEAST} tokens"
        " or more."
        if shares
        else f"No heading has {_LEAST} tokens.",
        shares[-1] >= 2 * _share(every) if len(shares) > 1 else None,
    )


def under_headings(own: Prepared, phi: Flags) -> list[Found]:
    """For each heading that opens a line, PHI tokens under it, and all."""
    prefix = f"{SECTION[1].template}="
    items = np.repeat(np.arange(len(phi)), np.diff(own.features.item_offsets))
    size = len(own.features.attributes)
    every = np.bincount(own.features.attribute_ids, minlength=size)
    inside = np.bincount(own.features.attribute_ids[phi[items]], minlength=size)
    return [
        (int(inside[number]), int(every[number]))
        for number, attribute in enumerate(own.features.attributes)
        if attribute.startswith(prefix)
    ]


def having(own: Prepared, prefix: str) -> Flags:
    """For each item, whether one of its features begins so."""
    chosen = np.array([a.startswith(prefix) for a in own.features.attributes], np.bool_)
    before = np.concatenate(([0], np.cumsum(chosen[own.features.attribute_ids])))
    flags: Flags = np.diff(before[own.features.item_offsets]) > 0
    return flags


def _of(counted: Flags, chosen: Flags) -> Found:
    return int((counted & chosen).sum()), int(chosen.sum())


def _share(found: Found) -> float:
    return found[0] / max(1, found[1])
