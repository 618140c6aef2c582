"""`scrubline dial`: raises the recall of a bundle, or draws recall against precision."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence

from ...models.bundles.bundle import Bundle, open_bundle, revise_bundle, write_bundle
from ...models.core.errors import UsageError
from ...models.core.labels import LABELS
from ...models.corpora import AnnotatedDocument
from ...models.plots.curves import Mark, lines
from ...models.plots.drawing import standalone
from ...models.storage.storage import Storage
from ...models.training.recall_tuning import (
    CurvePoint,
    TunedBiases,
    recall_curve,
    tune_recall,
)
from ...models.training.reporting import shown
from ...models.training.scoring import Scored
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show
from .named_inputs import read_corpora
from .new_files import require_new, write_new


def tune_or_plot(
    name: str,
    urls: Sequence[str],
    *,
    recalls: Sequence[str] = (),
    recall_by: str = "character",
    output: str | None = None,
    curve: bool = False,
    svg: str | None = None,
    as_json: bool = False,
) -> str:
    """Tunes the recall of a bundle, or draws its curve; returns a report for the user.

    Args:
        name: name or URL of the bundle.
        urls: corpora of held-back documents.
        recalls: see `read_recalls`.
        recall_by: "character" or "token".
        output: where to write the bundle with its new biases; None to only report them.
        curve: whether to report the curve.
        svg: file to draw the curve to.
        as_json: whether to report as JSON.

    Raises:
        UsageError: if the bundle or the documents cannot be used, the output or the SVG file
            exists, or a recall cannot be reached; nothing is written then.
    """
    storage = Storage()
    if not recalls and not curve and not svg:
        raise UsageError("nothing to do: give --recall 0.985, --recall LABEL=0.99 or --curve")
    if output and not recalls:
        raise UsageError("--output writes a bundle with new biases: give --recall too")
    for option, place in (("--output", output), ("--svg", svg)):
        require_new(place, option, storage=storage)
    recall, labels = read_recalls(recalls)
    bundle = open_bundle(name)
    documents = read_corpora(urls, "--on")
    _warn_of_foreign(bundle, documents)
    blocks: list[str] = []
    values: dict[str, object] = {}
    if curve or svg:
        points = recall_curve(bundle, documents)
        blocks.append(curve_table(points))
        values["curve"] = curve_json(points)
        if svg:
            drawn = standalone(curve_plot(points), "recall against precision")
            write_new(svg, drawn.encode(), "--svg")
    if recalls:
        revised, tuned = tune_bundle(bundle, documents, recall, labels, recall_by)
        blocks.append(tuning_table(tuned))
        values["dial"] = tuned.as_json()
        if not tuned.reached:
            raise UsageError("\n".join(["a recall cannot be reached; nothing is written", *blocks]))
        if output:
            write_bundle(revised, output)
            blocks.append(f"bundle {revised.name}: hash {revised.hash[:12]}")
            values["hash"] = revised.hash
    return json.dumps(values, indent=1) if as_json else "\n\n".join(blocks)


def _warn_of_foreign(bundle: Bundle, documents: Sequence[AnnotatedDocument]) -> None:
    """Warns if no label of the documents is one that the bundle gives."""
    labels = {span.label for document in documents for span in document.spans}
    if bundle.recipe.classes == "two" or not labels or labels & {*bundle.labels, *LABELS}:
        return
    say(
        f"none of the {len(labels)} labels of --on is a label of {bundle.name}: recall counts what"
        " was found under any label. The labels of the bundle are on its card",
        "WARNING",
    )


def tune_bundle(
    bundle: Bundle,
    documents: Sequence[AnnotatedDocument],
    recall: float | None,
    labels: Mapping[str, float],
    recall_by: str,
) -> tuple[Bundle, TunedBiases]:
    """The bundle with biases for the wanted recalls, unchanged if one cannot be reached.

    The card keeps scores that were measured with the old biases under another key.
    """
    tuned = tune_recall(bundle, documents, recall=recall, labels=labels, measure=recall_by)
    if not tuned.reached:
        return bundle, tuned
    card: dict[str, object] = {"dial": tuned.as_json()}
    if bundle.card.get("scores"):
        card |= {"scores": {}, "scores before the dial": bundle.card["scores"]}
    return revise_bundle(bundle, biases=tuned.biases, card=card), tuned


def read_recalls(values: Sequence[str]) -> tuple[float | None, dict[str, float]]:
    """The values of --recall: label-blind, or None; and by label.

    Raises:
        UsageError: if one is neither a share nor LABEL=SHARE, or repeats.
    """
    wanted: dict[str, float] = {}
    for value in values:
        label, equals, text = value.rpartition("=")
        try:
            share = float(text)
        except ValueError:
            raise UsageError("--recall takes a share, as 0.985, or LABEL=0.99") from None
        if (equals and not label) or label in wanted or not 0 < share <= 1:
            raise UsageError("--recall takes a share above 0 and at most 1, once for each label")
        wanted[label] = share
    return wanted.pop("", None), wanted


_HEAD = ("precision", "recall", "f1")


def tuning_table(tuned: TunedBiases) -> str:
    """The result of tuning as plain text."""
    lines = [f"recall tuned on {tuned.documents:,} held-back documents"]
    for goal in tuned.goals:
        what = "all PHI, label-blind" if goal.label == "O" else goal.label
        how = "reached" if goal.reached else "NOT REACHED: the most that biases can give"
        lines.append(
            f"  recall of {what}: {shown(goal.recall)} wanted, {shown(goal.before)} before, "
            f"{shown(goal.after)} after: {how}"
        )
    listed = ", ".join(f"{label}={bias:g}" for label, bias in tuned.biases.items())
    lines.append(f"  biases: {listed or 'none'}")
    lines.append(f"  {'':24}{'precision':>11}{'recall':>11}{'F1':>11}")
    for when, scored in (("before", tuned.before), ("after", tuned.after)):
        for what, score in _scores(scored).items():
            cells = [getattr(score, name) for name in _HEAD]
            row = "".join(f"{shown(cell):>11}" for cell in cells)
            lines.append(f"  {f'{what}, {when}':24}{row}")
    return "\n".join(lines)


def curve_table(points: Sequence[CurvePoint]) -> str:
    """The curve as plain text: a line for each bias of "O", the bundle's own with a star."""
    names = [f"{what} {cell}" for what in ("characters", "tokens", "strict") for cell in "PRF"]
    lines = ["bias of O" + "".join(f"{name:>14}" for name in names)]
    for point in points:
        cells = [getattr(s, name) for s in _scores(point.scored).values() for name in _HEAD]
        star = "*" if point.own else ""
        row = "".join(f"{shown(cell):>14}" for cell in cells)
        lines.append(f"{point.bias:>9.6g}{row}{star:>2}".rstrip())
    lines.append("each bias is in place of the bundle's own, which has the star")
    return "\n".join(lines)


def curve_json(points: Sequence[CurvePoint]) -> list[dict[str, object]]:
    """The curve as JSON values."""
    return [{"bias": point.bias, "own": point.own, **point.scored.as_json()} for point in points]


def curve_plot(points: Sequence[CurvePoint]) -> str:
    """Recall against precision, as inline SVG; the bundle's own bias is ringed, ends are named."""
    names = {"characters": "characters, blind", "tokens": "tokens, blind", "strict": "strict spans"}
    curves: dict[str, list[tuple[float, float]]] = {name: [] for name in names.values()}
    marks: dict[str, list[Mark]] = {name: [] for name in names.values()}
    for at, point in enumerate(points):
        for what, score in _scores(point.scored).items():
            if score.precision is None or score.recall is None:
                continue
            place = score.recall, score.precision
            curves[names[what]].append(place)
            if point.own:
                marks[names[what]].append((*place, f"bias {point.bias:.3g}, in use", True))
            elif at in (0, len(points) - 1):
                marks[names[what]].append((*place, f"bias {point.bias:.3g}", False))
    return lines(curves, across="recall", up="precision", marks=marks)


def _scores(scored: Scored) -> dict[str, object]:
    return {"characters": scored.characters, "tokens": scored.tokens, "strict": scored.strict}


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what was asked for cannot be done.
    """
    show(
        tune_or_plot(
            parsed.bundle,
            parsed.on,
            recalls=parsed.recalls or (),
            recall_by=parsed.recall_by,
            output=parsed.output,
            curve=parsed.curve,
            svg=parsed.svg,
            as_json=parsed.json,
        )
    )
    return ExitCode.DONE
