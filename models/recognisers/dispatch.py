"""Rules on the texts of a batch: each is called on those that hold what it asks first.

What a rule asks first is found out by running it on a probe (`probe`): patterns, each of which is
run once over all texts (`matching`), and properties of words, which are looked up for all texts at
once (`casing`). In most texts most rules find none of it, and calling them there would yield
nothing. A rule that looks at the text otherwise is called on every text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from ..core.documents import Context, Document
from .casing import WordBatch, words
from .known_needs import learn_needs
from .matching import ViewBatch
from .patterns import narrow, view
from .probe import Probe, Triggers


class RuleBatch:
    """Some rules on some texts.

    Args:
        texts: they; None for one that is passed over.
        rules: modules of rules by name, see `Recogniser`.
    """

    def __init__(self, texts: Sequence[str | None], rules: Mapping[str, Any]) -> None:
        """Finds out which rules to call on which texts."""
        self._texts = [text or "" for text in texts]
        self._views = ViewBatch(list(map(narrow, self._texts)))
        self._words = WordBatch(self._texts)
        self._called: list[list[str]] = [[] for _ in texts]
        # All before the first text is searched: asking a rule may open patterns of its lists.
        asked = {name: triggers_of(rule) for name, rule in rules.items()}
        learn_needs()
        for name, triggers in asked.items():
            for index in range(len(texts)) if triggers is None else self._holding(triggers):
                self._called[index].append(name)

    def _holding(self, triggers: Triggers) -> set[int]:
        found: set[int] = set()
        for asked in triggers.patterns:
            found.update(self._views.matches(asked))
        for question in triggers.words:
            found.update(self._words.where(question))
        for holds in triggers.texts:
            found.update(index for index, text in enumerate(self._texts) if holds(text))
        return found

    def called_on(self, index: int) -> Sequence[str]:
        """Names of the rules that may find something in a text, which is the next one they see."""
        text, called = self._texts[index], self._called[index]
        if called:
            view.expect(text, lambda: self._views.view(index))
            words.expect(text, lambda: self._words.of(index))
        return called


def triggers_of(rule: Any) -> Triggers | None:
    """What a rule asks of a text first; None if it looks at the text otherwise."""
    return _triggers(rule.recognise)


@functools.cache
def _triggers(recognise: Callable[[Document, Context], Iterable[object]]) -> Triggers | None:
    probe = Probe()
    text, context = cast(str, probe), cast(Context, probe)
    try:
        found = any(recognise(Document(text, text), context))
    except (AttributeError, TypeError, KeyError, IndexError, ValueError):
        return None
    return None if found else probe.triggers
