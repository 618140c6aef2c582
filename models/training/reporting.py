"""The report of a search or a cross-validation, as JSON and Markdown. No text, no ids."""

from __future__ import annotations

from collections.abc import Sequence

from .crossvalidation import SettingResult, best_of
from .scoring import Scored


def report_json(results: Sequence[SettingResult], *, recipe: str, folds: int) -> dict[str, object]:
    """JSON values: every setting with its scores, and the index of the best."""
    return {
        "recipe": recipe,
        "folds": folds,
        "documents": len(results[0].found),
        "best": best_of(results),
        "settings": [
            {
                "setting": dict(result.setting.values),
                "mean strict f1": result.f1,
                "spread of strict f1": result.spread,
                "bytes": result.bytes,
                "seconds": result.seconds,
                **result.scored.as_json(),
                "folds": [scored.as_json() for scored in result.by_fold],
            }
            for result in results
        ],
    }


def report_markdown(results: Sequence[SettingResult], *, recipe: str, folds: int) -> str:
    """A page for people, the best setting first."""
    best = best_of(results)
    ranked = sorted(results, key=lambda result: (-result.f1, result.bytes))
    lines = [
        f"# Cross-validation of recipe {recipe}",
        "",
        f"{len(results[0].found):,} documents in {folds} folds. Best: "
        f"`{results[best].setting.name}`.",
        "",
        "F1, precision and recall are of strict spans; recall of characters is label-blind. F1 is "
        "the mean of the folds, ± their standard deviation; smaller differences mean little. "
        "Seconds are the processor time of learning one fold, the size is that of its model.",
        "",
        "| setting | F1 | ± | precision | recall | characters' recall | seconds | MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for result in ranked:
        scored = result.scored
        cells = [
            result.setting.name,
            f"{result.f1:.4f}",
            f"{result.spread:.4f}",
            shown(scored.strict.precision),
            shown(scored.strict.recall),
            shown(scored.characters.recall),
            f"{result.seconds:.1f}",
            f"{result.bytes / 1e6:.2f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if len(results) == 1:
        lines += _by_fold(results[0].by_fold)
    return "\n".join([*lines, ""])


def _by_fold(scored: Sequence[Scored]) -> list[str]:
    lines = ["", "| fold | precision | recall | F1 |", "| --- | --- | --- | --- |"]
    for number, fold in enumerate(scored, 1):
        strict = fold.strict
        cells = [shown(value) for value in (strict.precision, strict.recall, strict.f1)]
        lines.append(f"| {number} | {' | '.join(cells)} |")
    return lines


def shown(value: float | None) -> str:
    """A ratio to four digits; "-" if it is undefined."""
    return "-" if value is None else f"{value:.4f}"
