"""Links of a grammar: recorded for studies, or as tags that a CRF has learnt.

The texts are parsed by Link Grammar (`link_grammar`), sentence by sentence, as our tokenizer cuts
them. `links` keeps the parses themselves. `linkleft` and `linkright` tag each token with the name
of its nearest link to that side, without small letters, as part-of-speech taggers do
(supertagging: Bangalore and Joshi 1999, §3); they need no parser when they are used.
"""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence

from ..core.errors import UsageError
from ..core.version import VERSION
from ..crf.learning import Progress
from ..recipes.recipe import Learner
from ..text.tokenizer import tokenize_documents
from . import pos
from .base import make_recorded_links
from .kinds import OUTSIDE, AuxiliaryTagger, Declaration, RecordedLinks
from .link_grammar import open_parser
from .recorded_links import SentenceLinks, digest_of, nearest_links, only_nearest, sentences_of
from .sources import Origin
from .tagging import by_sequence, train_tagger
from .words import BATCH

DECLARATION: Declaration = pos.DECLARATION
LEARNER = Learner.of("lbfgs", c1=0.4, c2=0.01, feature_minfreq=2, max_iterations=60)
SIDE_OF = {"linkleft": 0, "linkright": 1}

SENSITIVE = (
    "as sensitive as the notes that it was made from: for studies on open corpora only, never in a"
    " bundle"
)
_CAPITALS = re.compile(r"[A-Z]+")
_RARE = 20
"""A link that occurs less often in the training texts is no tag of its own."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ParsedSentence:
    """A sentence that may be parsed.

    Attributes:
        text: see `recorded_links.sentences_of`.
        starts, ends: of its tokens.
        links: its parse; None if there is none.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    links: SentenceLinks | None


def train_links(
    texts: Sequence[str],
    *,
    origin: Origin,
    command: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> RecordedLinks:
    """Makes the auxiliary model `links`; the same texts and parser give the same bytes.

    Args:
        texts: raw.
        origin: of the texts.
        command: for the card.
        progress: called now and then with the number of texts done and of all.

    Raises:
        UsageError: if the parser is not installed, or no sentence has a parse.
    """
    counts: collections.Counter[str] = collections.Counter()
    kept: dict[str, tuple[int, SentenceLinks]] = {}
    for sentence in parsed(texts, progress):
        size = len(sentence.starts)
        _count(counts, sentence)
        if sentence.links:
            kept[digest_of(sentence.text)] = size, only_nearest(sentence.links, size)
    if not kept:
        raise UsageError("links: no sentence of the texts has a parse")
    card = {
        "trained_on": origin.title,
        "licence": origin.licence,
        "command": command,
        "scrubline": VERSION,
        "parser": open_parser().version,
        "corpus": {"texts": len(texts), **counts, "distinct sentences kept": len(kept)},
        "holds": SENSITIVE,
        "scores": {},
    }
    return make_recorded_links("links", kept, card=card, licence_text=origin.text())


def train_learned(
    texts: Sequence[str],
    *,
    origin: Origin,
    name: str,
    declaration: Declaration = DECLARATION,
    learner: Learner | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> AuxiliaryTagger:
    """Trains `linkleft` or `linkright` on the sentences that have a parse.

    Args:
        texts: raw.
        origin: of the texts.
        name: key of `SIDE_OF`.
        declaration: the features of the tagger.
        learner: algorithm and parameters; if None, `LEARNER`.
        command: for the card.
        progress: see `models.crf.learning.Progress`.

    Raises:
        UsageError: if the parser is not installed, or no sentence has a parse.
    """
    counts: collections.Counter[str] = collections.Counter()
    sentences = []
    for sentence in parsed(texts):
        _count(counts, sentence)
        if sentence.links is not None:
            sentences.append(sentence)
    named = [_names(sentence, SIDE_OF[name]) for sentence in sentences]
    frequent = collections.Counter(tag for tags in named for tag in tags)
    least = min(_RARE, max(frequent.values(), default=0))
    alone = [sentence.text for sentence in sentences]
    tokens = tokenize_documents(alone)
    features = declaration.featurize(alone, tokens)
    starts = tokens.starts.tolist()
    bounds = tokens.document_offsets.tolist()
    tags = []
    for place, (sentence, names) in enumerate(zip(sentences, named, strict=True)):
        # A sentence by itself may be cut elsewhere than in its text.
        tag_at = dict(zip(sentence.starts, names, strict=True))
        own = [tag_at.get(start, OUTSIDE) for start in starts[bounds[place] : bounds[place + 1]]]
        tags += [tag if frequent[tag] >= least else OUTSIDE for tag in own]
    return train_tagger(
        name,
        declaration,
        features,
        by_sequence(tags, features),
        learner or LEARNER,
        corpus={"texts": len(texts), **counts},
        origin=origin,
        command=command,
        progress=progress,
    )


def parsed(
    texts: Sequence[str], progress: Callable[[int, int], None] | None = None
) -> Iterator[ParsedSentence]:
    """Yields the sentences of texts that may be parsed, in order; equal ones are parsed once.

    Raises:
        UsageError: if the parser is not installed.
    """
    parser = open_parser()
    known: dict[str, SentenceLinks | None] = {}
    for first in range(0, len(texts), BATCH):
        batch = texts[first : first + BATCH]
        for _, _, text, starts, ends in sentences_of(batch, tokenize_documents(batch)):
            if text not in known:
                known[text] = parser.parse(text, starts, ends)
            yield ParsedSentence(text, starts, ends, known[text])
        if progress is not None:
            progress(first + len(batch), len(texts))


def score_links(model: RecordedLinks, texts: Sequence[str]) -> dict[str, object]:
    """How many tokens of texts have recorded links."""
    column = model.columns(texts, tokenize_documents(texts))
    share = round(sum(map(bool, column)) / len(column), 4) if column else None
    return {"tokens": len(column), "have links": share}


def score_learned(tagger: AuxiliaryTagger, texts: Sequence[str]) -> dict[str, object]:
    """Accuracy over the tokens of sentences that have a parse; rare links count as none.

    Raises:
        UsageError: if the parser is not installed.
    """
    sentences = [sentence for sentence in parsed(texts) if sentence.links is not None]
    alone = [sentence.text for sentence in sentences]
    tokens = tokenize_documents(alone)
    column = tagger.columns(alone, tokens)
    starts, bounds = tokens.starts.tolist(), tokens.document_offsets.tolist()
    right = total = linked = found = 0
    for place, sentence in enumerate(sentences):
        names = _names(sentence, SIDE_OF[tagger.name])
        tag_at = dict(zip(sentence.starts, names, strict=True))
        for row in range(bounds[place], bounds[place + 1]):
            gold = tag_at.get(starts[row], OUTSIDE)
            gold = gold if gold in tagger.tags else OUTSIDE
            total += 1
            linked += gold != OUTSIDE
            right += (column[row] or OUTSIDE) == gold
            found += gold != OUTSIDE and column[row] == gold
    return {
        "sentences with a parse": len(sentences),
        "tokens": total,
        "accuracy": round(right / total, 4) if total else None,
        "accuracy on tokens with a link": round(found / linked, 4) if linked else None,
    }


def _names(sentence: ParsedSentence, side: int) -> list[str]:
    """The name, without small letters, of each token's nearest link to a side; or `OUTSIDE`."""
    links = sentence.links or ()
    names = []
    for sides in nearest_links(links, len(sentence.starts)):
        match = _CAPITALS.search(links[sides[side][0]][2]) if sides[side] else None
        # The names of idioms are numbered by letters behind ID.
        names.append(("ID" if match[0].startswith("ID") else match[0]) if match else OUTSIDE)
    return names


def _count(counts: collections.Counter[str], sentence: ParsedSentence) -> None:
    counts["sentences"] += 1
    counts["sentences with a parse"] += sentence.links is not None
    counts["words"] += len(sentence.starts)
