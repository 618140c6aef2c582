"""The report of a search or a cross-validation: JSON, Markdown for people. No text, no ids."""

from __future__ import annotations

from collections.abc import Sequence

from .crossvalidation import Outcome, best_of
from .scoring import Scored


def report_json(outcomes: Sequence[Outcome], *, recipe: str, folds: int) -> dict[str, object]:
    """JSON values: every setting with its scores, and the place of the best."""
    return {
        "recipe": recipe,
        "folds": folds,
        "documents": len(outcomes[0].found),
        "best": best_of(outcomes),
        "settings": [
            {
                "setting": dict(outcome.setting.values),
                "mean strict f1": outcome.f1,
                "spread of strict f1": outcome.spread,
                "bytes": outcome.bytes,
                "seconds": outcome.seconds,
                **outcome.scored.as_json(),
                "folds": [scored.as_json() for scored in outcome.by_fold],
            }
            for outcome in outcomes
        ],
    }


def report_markdown(outcomes: Sequence[Outcome], *, recipe: str, folds: int) -> str:
    """A page for people, the best setting first."""
    best = best_of(outcomes)
    ranked = sorted(outcomes, key=lambda outcome: (-outcome.f1, outcome.bytes))
    lines = [
        f"# Cross-validation of recipe {recipe}",
        "",
        f"{len(outcomes[0].found):,} documents in {folds} folds. Best: "
        f"`{outcomes[best].setting.name}`.",
        "",
        "F1, precision and recall are of strict spans; recall of characters is label-blind. F1 is "
        "the mean of the folds, ± their standard deviation: differences within it say little. "
        "Seconds are processor time of learning one fold, the size that of its model.",
        "",
        "| setting | F1 | ± | precision | recall | characters' recall | seconds | MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for outcome in ranked:
        scored = outcome.scored
        cells = [
            outcome.setting.name,
            f"{outcome.f1:.4f}",
            f"{outcome.spread:.4f}",
            shown(scored.strict.precision),
            shown(scored.strict.recall),
            shown(scored.characters.recall),
            f"{outcome.seconds:.1f}",
            f"{outcome.bytes / 1e6:.2f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if len(outcomes) == 1:
        lines += _by_fold(outcomes[0].by_fold)
    return "\n".join([*lines, ""])


def _by_fold(scored: Sequence[Scored]) -> list[str]:
    lines = ["", "| fold | precision | recall | F1 |", "| --- | --- | --- | --- |"]
    for number, one in enumerate(scored, 1):
        strict = one.strict
        cells = [shown(value) for value in (strict.precision, strict.recall, strict.f1)]
        lines.append(f"| {number} | {' | '.join(cells)} |")
    return lines


def shown(value: float | None) -> str:
    """A ratio to four digits; "-" if it is undefined."""
    return "-" if value is None else f"{value:.4f}"
