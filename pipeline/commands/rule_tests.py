"""The tests that stand beside rules of a site's own: what does not come out as they say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...models.core.errors import UsageError
from ...models.corpora.inline import parse_marked
from ...models.redaction.own_rules import OwnRule, recognise_own

MOST_SHOWN = 20


def require_passing(rules: Sequence[OwnRule]) -> None:
    """Refuses rules whose tests do not come out.

    Raises:
        UsageError: with a line for each test that does not, up to `MOST_SHOWN`: rule, key, place
            in the list, labels and offsets. No text is in it.
    """
    faults = list(faults_of_tests(rules))
    if faults:
        more = len(faults) - MOST_SHOWN
        lines = [*faults[:MOST_SHOWN], *([f"and {more:,} more"] if more > 0 else [])]
        raise UsageError("policy: rules: tests that fail:\n" + "\n".join(f"  {x}" for x in lines))


def faults_of_tests(rules: Iterable[OwnRule]) -> Iterator[str]:
    """Yields what does not come out as the tests say; each rule is tested alone."""
    for rule in rules:
        for number, source in enumerate(rule.finds, 1):
            where = f"[rules.{rule.name}] finds {number}"
            try:
                text, marked = parse_marked(source, own_labels=True)
            except ValueError as error:
                yield f"{where}: {error}"
                continue
            if not marked:
                yield f"{where}: nothing is marked; texts without PHI stand under leaves"
                continue
            expected = {(mark.start, mark.end, mark.label) for mark in marked}
            found = _found(rule, text)
            if missing := expected - found:
                yield f"{where}: not found: {_shown(missing)}"
            if more := found - expected:
                yield f"{where}: found, but not marked: {_shown(more)}"
        for number, text in enumerate(rule.leaves, 1):
            if found := _found(rule, text):
                yield f"[rules.{rule.name}] leaves {number}: found: {_shown(found)}"


def _found(rule: OwnRule, text: str) -> set[tuple[int, int, str]]:
    return {(c.start, c.end, c.label) for c in recognise_own(text, (rule,))}


def _shown(stretches: Iterable[tuple[int, int, str]]) -> str:
    ordered = sorted(stretches)
    shown = ", ".join(f"{label} at {start} to {end}" for start, end, label in ordered[:5])
    return shown + (f" and {len(ordered) - 5} more" if len(ordered) > 5 else "")
