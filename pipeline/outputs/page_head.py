"""The first screen of `report.html`: what was published, its risk, its gates, and who signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ...models.pages.design import card, cards, note, safe
from ...models.pages.groups import LEAST, rounded, told
from .removal_counts import RemovalCounts, removes
from .risk_sentence import NOT_MEASURED

UNTOLD = "not told"

_GATES = {
    "quarantined": ("rows in quarantine", "at most"),
    "guard": ("rows with something left that is known of their people", "at most"),
    "roster": ("documents whose patient the roster has", "at least"),
    "gone": ("published documents removed", "at most"),
    "lost": ("spans lost against the last run", "at most"),
}
"""Limits of the gates, as the manifest names them -> in words."""


def head(manifest: Mapping[str, Any], counts: RemovalCounts, risk: str) -> str:
    """What must be seen first, as HTML.

    Args:
        risk: see `risk_sentence`.
    """
    report, policy = manifest["report"], manifest["policy"]
    models = ", ".join(manifest.get("models") or ()) or "none"
    about = (
        f"Run {manifest['run']}, begun {moment(report)}. Policy "
        f"{policy.get('name', UNTOLD)}; models: {models}; version "
        f"{manifest.get('code_version', UNTOLD)}. The page is about all that the output holds, "
        "unless it says otherwise."
    )
    kind = "risk" if risk == NOT_MEASURED else "risk measured"
    said = f'<p class="{kind}">{safe(risk)}</p>'
    shown = cards(*_cards(manifest["counts"], counts))
    return note(about) + said + shown + note(_gates(report)) + _sign(manifest)


def _gates(report: Mapping[str, Any]) -> str:
    """Which gates the last run passed; not by how much, which could tell of one person."""
    limits = report.get("limits")
    if not isinstance(limits, dict):
        return "Gates: passed; an earlier version did not write down their limits."
    said = [
        f"{words} {bound} {limits[name]:.4g}"
        for name, (words, bound) in _GATES.items()
        if isinstance(limits.get(name), (int, float))
    ]
    if report.get("canaries"):
        said.append("planted documents: none left")
    return (
        "Gates: all passed (" + "; ".join(said) + "). No row was lost, every part is as its "
        "receipt says. Limits are shares."
    )


def _sign(manifest: Mapping[str, Any]) -> str:
    """Lines to sign on, in print."""
    about = f"Released: run {manifest['run']}, content digest {manifest['content_digest']}"
    fields = ("name and role", "date", "signature")
    lines = "".join(f"<span>{field}</span>" for field in fields)
    return f'<div class="sign"><p>{safe(about)}</p>{lines}</div>'


def moment(report: Mapping[str, Any]) -> str:
    """When the run began, to the minute."""
    said = str(report.get("started", ""))
    return f"{said[:10]} {said[11:16]} UTC" if said.endswith("+00:00") else said or UNTOLD


def _cards(totals: Mapping[str, int], counts: RemovalCounts) -> Iterator[str]:
    removed = Counter[bool]()
    for (_, _, action), spans in counts.spans.items():
        removed[removes(action)] += spans
    characters = totals.get("characters", 0)
    per = f"{density(removed[True], characters):.1f} in 1,000 characters" if characters else ""
    yield card("spans removed", told(removed[True]), per)
    yield card(
        "spans kept by policy",
        told(removed[False]),
        "found, and left as the policy says",
        kind="plain",
    )
    yield card(
        "rows published",
        told(totals.get("rows_out", 0)),
        f"of {told(totals.get('rows_in', 0))} read; {told(totals.get('documents', 0))} texts",
        kind="plain",
    )
    held, read = totals.get("rows_quarantined", 0), totals.get("rows_in", 0)
    share = f"{rounded(held) / rounded(read):.2%} of the rows read" if read >= LEAST else ""
    yield card("rows in quarantine", told(held), share, kind="bad" if held else "")


def density(spans: int, units: int) -> float:
    """Spans in 1,000 characters or tokens, of spans as they are shown."""
    return 1000 * rounded(spans) / units if units else 0.0
