"""`scrubline dial`: more recall for a bundle that is there, and its curve."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ..models.bundles import Bundle, open_bundle, revise_bundle, write_bundle
from ..models.corpora import AnnotatedDocument
from ..models.errors import UsageError
from ..models.evaluation.plots import lines, standalone
from ..models.storage import Storage
from ..models.training.dial import Row, Turned, sweep, turn
from ..models.training.reporting import shown
from ..models.training.scoring import Scored
from .inputs import read_corpora
from .new_files import require_new, write_new


def dial_bundle(
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
    """Turns the dial of a bundle, or draws its curve; returns what to tell the user.

    Args:
        name: name or URL of the bundle.
        urls: corpora of documents held back.
        recalls: see `read_recalls`.
        recall_by: "character" or "token".
        output: where to write the bundle with its new biases; None to tell them only.
        curve: whether to draw the curve.
        svg: file for the curve's picture.
        as_json: whether to tell it as JSON.

    Raises:
        UsageError: if the bundle or the documents cannot be used, the output or the picture
            exists, or a recall cannot be reached; nothing is written then.
    """
    storage = Storage()
    if not recalls and not curve and not svg:
        raise UsageError("say what to do: --recall 0.985, --recall LABEL=0.99 or --curve")
    if output and not recalls:
        raise UsageError("--output takes a bundle with other biases: say --recall too")
    for option, place in (("--output", output), ("--svg", svg)):
        require_new(place, option, storage=storage)
    recall, labels = read_recalls(recalls)
    bundle = open_bundle(name)
    documents = read_corpora(urls, "--on")
    told: list[str] = []
    values: dict[str, object] = {}
    if curve or svg:
        rows = sweep(bundle, documents)
        told.append(curve_table(rows))
        values["curve"] = curve_json(rows)
        if svg:
            write_new(svg, standalone(curve_plot(rows), "the recall dial").encode(), "--svg")
    if recalls:
        revised, turned = dialled(bundle, documents, recall, labels, recall_by)
        told.append(table(turned))
        values["dial"] = turned.as_json()
        if not turned.reached:
            raise UsageError("\n".join(["a recall cannot be reached; nothing is written", *told]))
        if output:
            write_bundle(revised, output)
            told.append(f"bundle {revised.name}: hash {revised.hash[:12]}")
            values["hash"] = revised.hash
    return json.dumps(values, indent=1) if as_json else "\n\n".join(told)


def dialled(
    bundle: Bundle,
    documents: Sequence[AnnotatedDocument],
    recall: float | None,
    labels: Mapping[str, float],
    recall_by: str,
) -> tuple[Bundle, Turned]:
    """The bundle with biases for the recalls asked for, or as it was if one cannot be reached.

    Scores of the card that were measured with the old biases are kept under a name that says so.
    """
    turned = turn(bundle, documents, recall=recall, labels=labels, measure=recall_by)
    if not turned.reached:
        return bundle, turned
    card: dict[str, object] = {"dial": turned.as_json()}
    if bundle.card.get("scores"):
        card |= {"scores": {}, "scores before the dial": bundle.card["scores"]}
    return revise_bundle(bundle, biases=turned.biases, card=card), turned


def read_recalls(given: Sequence[str]) -> tuple[float | None, dict[str, float]]:
    """What --recall asks for: of everything, if anything, and by label.

    Raises:
        UsageError: if one is neither a share nor LABEL=SHARE, or comes twice.
    """
    wanted: dict[str, float] = {}
    for one in given:
        label, equals, share = one.rpartition("=")
        try:
            value = float(share)
        except ValueError:
            raise UsageError("--recall takes a share, as 0.985, or LABEL=0.99") from None
        if (equals and not label) or label in wanted or not 0 < value <= 1:
            raise UsageError("--recall takes a share above 0, to 1, once for each label")
        wanted[label] = value
    return wanted.pop("", None), wanted


_HEAD = ("precision", "recall", "f1")


def table(turned: Turned) -> str:
    """What turning the dial led to, for people."""
    lines = [f"recall dial on {turned.documents:,} held-back documents"]
    for goal in turned.goals:
        what = "all PHI, label-blind" if goal.label == "O" else goal.label
        how = "reached" if goal.reached else "NOT REACHED: the most that biases give"
        lines.append(
            f"  recall of {what}: {shown(goal.recall)} asked for, {shown(goal.before)} before, "
            f"{shown(goal.after)} after: {how}"
        )
    listed = ", ".join(f"{label}={bias:g}" for label, bias in turned.biases.items())
    lines.append(f"  biases: {listed or 'none'}")
    lines.append(f"  {'':24}{'precision':>11}{'recall':>11}{'F1':>11}")
    for when, scored in (("before", turned.before), ("after", turned.after)):
        for what, score in _scores(scored).items():
            cells = [getattr(score, name) for name in _HEAD]
            row = "".join(f"{shown(cell):>11}" for cell in cells)
            lines.append(f"  {f'{what}, {when}':24}{row}")
    return "\n".join(lines)


def curve_table(rows: Sequence[Row]) -> str:
    """The curve for people: a line for each bias of "O"."""
    names = [f"{what} {cell}" for what in ("characters", "tokens", "strict") for cell in "PRF"]
    lines = ["bias of O" + "".join(f"{name:>14}" for name in names)]
    for row in rows:
        cells = [getattr(s, name) for s in _scores(row.scored).values() for name in _HEAD]
        lines.append(f"{row.bias:>9g}" + "".join(f"{shown(cell):>14}" for cell in cells))
    return "\n".join(lines)


def curve_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The curve as JSON values."""
    return [{"bias": row.bias, **row.scored.as_json()} for row in rows]


def curve_plot(rows: Sequence[Row]) -> str:
    """Recall against precision, as inline SVG."""
    names = {"characters": "characters, blind", "tokens": "tokens, blind", "strict": "strict spans"}
    curves: dict[str, list[tuple[float, float]]] = {name: [] for name in names.values()}
    for row in rows:
        for what, score in _scores(row.scored).items():
            if score.precision is not None and score.recall is not None:
                curves[names[what]].append((score.recall, score.precision))
    return lines(curves, across="recall", up="precision")


def _scores(scored: Scored) -> dict[str, object]:
    return {"characters": scored.characters, "tokens": scored.tokens, "strict": scored.strict}
