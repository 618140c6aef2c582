"""`report.html`: what an output holds and what was removed, on one page for people.

The page is a function of the manifest and of counts over audit and documents: no clock, so that the
same output has the same page. It holds no text, no id and no name of an input; groups of fewer than
five are merged, counts of rows, texts and spans are rounded to fives, and days are those of runs,
never of notes.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from ...models.core.display_names import counted
from ...models.core.error_classes import explain
from ...models.core.errors import ScrublineError, UsageError, error_class
from ...models.core.version import VERSION
from ...models.pages.design import Bar, PagePart, note, render, table
from ...models.pages.groups import LEAST, merge_small, told
from ...models.storage.storage import Storage
from .page_drift import by_drift
from .page_head import UNTOLD, density, head
from .page_nights import (
    NO_NIGHTS,
    Nights,
    by_detectors,
    by_night,
    by_type,
    cost_by_night,
    read_nights,
)
from .removal_counts import (
    CHARACTERS,
    OTHER_TYPES,
    TEXTS,
    RemovalCounts,
    count_removals,
    removes,
)
from .risk_sentence import NOT_MEASURED, risk_sentence, told_risk
from .state import PAGE

_log = logging.getLogger(__name__)

GENERATOR = f"scrubline {VERSION}"
"""What made the page, as the page says it."""

MOST_DAYS = 60
"""Days that have a line of their own; earlier ones share one."""

# -- written


def write_page_or_warn(
    storage: Storage,
    output: str,
    manifest: Mapping[str, Any],
    require_lock: Callable[[], None] = lambda: None,
) -> None:
    """Writes the page of what was just published.

    The publication is done: nothing that goes wrong here takes it back or ends the run, and it must
    not go unsaid.
    """
    try:
        content = make_page(storage, output, manifest)
        require_lock()
        storage.write_bytes(f"{output}/{PAGE}", content)
    except Exception as error:
        # Of a foreign error the message may hold anything.
        said = str(error) if isinstance(error, ScrublineError) else error_class(error)
        _log.warning(
            "the run is published, but its page %s could not be written (%s): make it with "
            "`scrubline report`",
            PAGE,
            said,
        )


def remove_page(storage: Storage, output: str) -> None:
    """Removes the page of the last publication, before its output changes; or says why not."""
    try:
        storage.delete(f"{output}/{PAGE}")
    except ScrublineError as error:
        _log.warning("%s of the last run could not be removed: %s", PAGE, error)


def make_page(storage: Storage, output: str, manifest: Mapping[str, Any]) -> bytes:
    """The page of what a manifest lists.

    Raises:
        StorageError: if a table cannot be read.
        UsageError: if the manifest is damaged.
    """
    # As it is in the file, whoever made it: the same page at publication and later.
    as_read = json.loads(json.dumps(manifest))
    try:
        nights = read_nights(storage, output, as_read)
        return page(as_read, count_removals(storage, output, as_read), nights)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        kind = type(error).__name__
    raise UsageError(
        f"the manifest.json of this output is damaged, or of another version ({kind}): "
        "`scrubline verify` tells more"
    )


# -- rendered


def page(
    manifest: Mapping[str, Any],
    counts: RemovalCounts,
    nights: Nights = NO_NIGHTS,
) -> bytes:
    """The page, UTF-8.

    Args:
        manifest: of any version that has one; what it does not tell is said to be missing.
        counts: of the tables that it lists.
        nights: what the history tells.
    """
    sections = [
        PagePart("By label", _by_label(counts), "labels"),
        PagePart("By type of note", _by_type(counts, manifest) + by_type(nights), "types"),
        PagePart("Night by night", by_night(nights), "nights"),
        PagePart("Drift", by_drift(nights), "drift"),
        PagePart("By day of the run", _by_day(counts, manifest), "days"),
        PagePart("Quarantine", _quarantine(manifest), "quarantine"),
        PagePart("What the last run cost", _cost(manifest) + cost_by_night(nights), "cost"),
        PagePart("Found by rules, by models, by both", by_detectors(nights), "detectors"),
        PagePart("Policy, models and versions", _made_with(manifest), "made-with"),
        PagePart("Files", _files(manifest), "files"),
        PagePart("What this page leaves out", _left_out(), "left-out"),
    ]
    risk = told_risk(manifest)
    said = NOT_MEASURED if risk is None else risk_sentence(risk.statement, risk.carried_from)
    first = head(manifest, counts, said)
    return render("Run report", first, sections, version=GENERATOR)


def _by_label(counts: RemovalCounts) -> str:
    """A line for each label and action, with the frequent labels first."""
    spans: Counter[tuple[str, str]] = Counter()
    for (_, label, action), count in counts.spans.items():
        spans[label, action] += count
    by_label: Counter[str] = Counter()
    for (label, _), count in spans.items():
        by_label[label] += count
    order = sorted(spans, key=lambda key: (-by_label[key[0]], key[0], -spans[key], key[1]))
    groups = merge_small({key: (spans[key], counts.texts_with[key[0]]) for key in order})
    most = max((found[0] for found in groups.shown.values()), default=1)
    rows = [
        (label, action, f"{found[0]:,}", Bar(found[0] / most, plain=not removes(action)))
        for (label, action), found in groups.shown.items()
    ]
    if groups.merged:
        rows.append((counted(groups.merged, "small group"), "", told(groups.rest[0]), Bar(0.0)))
    if not rows:
        return note("No span was found.")
    return table(("label", "action", "spans", ""), rows, kind="full two")


def _by_type(counts: RemovalCounts, manifest: Mapping[str, Any]) -> str:
    if not any(name is not None for name in counts.types):
        policy = manifest["policy"].get("documents") or {}
        if policy.get("note_type"):
            return note("The notes have no types.")
        return note(
            "The policy does not tell types of notes. With `note_type = true` under `[documents]` "
            "it does: see the manual of policies."
        )
    order = sorted(
        counts.types, key=lambda name: (-counts.types[name][TEXTS], name is None, name or "")
    )
    groups = merge_small(
        {name: (texts, spans) for name in order for texts, _, spans in [counts.types[name]]}
    )
    dense = {
        name: density(found[1], counts.types[name][CHARACTERS])
        for name, found in groups.shown.items()
    }
    most = max(dense.values(), default=0.0) or 1.0
    rows = [
        (
            _type_name(name),
            *(f"{count:,}" for count in found),
            f"{dense[name]:.1f}",
            Bar(dense[name] / most),
        )
        for name, found in groups.shown.items()
    ]
    if groups.merged:
        rows.append((counted(groups.merged, "other type"), *map(told, groups.rest), "", Bar(0)))
    return table(("type", "texts", "spans", "in 1,000 characters", ""), rows, kind="full")


def _type_name(name: str | None) -> str:
    return {None: UNTOLD, OTHER_TYPES: "all further types"}.get(name, str(name))


def _by_day(counts: RemovalCounts, manifest: Mapping[str, Any]) -> str:
    """A line for each day on which runs began, the last one first."""
    days = manifest["report"].get("days")
    days = dict(days) if isinstance(days, dict) else {}
    removed: Counter[str] = Counter()
    for (run, _, action), spans in counts.spans.items():
        if removes(action):
            removed[run] += spans
    runs: Counter[str] = Counter()
    found: dict[str, tuple[int, ...]] = {}
    for run in sorted(counts.texts.keys() | removed.keys()):
        day = str(days.get(run, UNTOLD))
        texts, spans = found.get(day, (0, 0))
        found[day] = (texts + counts.texts[run], spans + removed[run])
        runs[day] += 1
    order = sorted(found, key=lambda day: (day != UNTOLD, day), reverse=True)
    groups = merge_small({day: found[day] for day in order})
    shown = list(groups.shown)
    most = max((spans for _, spans in groups.shown.values()), default=0) or 1
    rows = [
        (day, runs[day], f"{texts:,}", f"{spans:,}", Bar(spans / most))
        for day, (texts, spans) in list(groups.shown.items())[:MOST_DAYS]
    ]
    if earlier := shown[MOST_DAYS:]:
        texts, spans = (sum(found[day][at] for day in earlier) for at in range(2))
        of_days = sum(runs[day] for day in earlier)
        rows.append(
            (counted(len(earlier), "earlier day"), of_days, told(texts), told(spans), Bar(0))
        )
    if groups.merged:
        rows.append((counted(groups.merged, "other day"), "", *map(told, groups.rest), Bar(0)))
    if not rows:
        return note("No run has published a text.")
    said = "" if UNTOLD not in shown else note("Earlier versions did not write down the day.")
    return table(("day, UTC", "runs", "texts", "spans removed", ""), rows, kind="full") + said


def _quarantine(manifest: Mapping[str, Any]) -> str:
    errors = {name: (count,) for name, count in manifest["errors"].items()}
    if not errors:
        return note("No row was held back.")
    order = sorted(errors, key=lambda name: (-errors[name][0], name))
    groups = merge_small({name: errors[name] for name in order})
    rows = []
    for name, (count,) in groups.shown.items():
        stage, _, error = name.partition(": ")
        known = explain(error)
        rows.append((stage, error, f"{count:,}", known.cause, known.remedy))
    if groups.merged:
        rows.append(("", "all other classes", told(groups.rest[0]), "", ""))
    head = ("step", "error class", "rows", "cause", "what to do")
    return table(head, rows, kind="words full") + note(
        "Key holders see the rows with `scrubline inspect --quarantined`."
    )


def _cost(manifest: Mapping[str, Any]) -> str:
    report = manifest["report"]
    metrics = report.get("metrics")
    steps = {
        step: values
        for step, values in (metrics.items() if isinstance(metrics, dict) else ())
        if "batch_ms_sum" in values
    }
    total = sum(values["batch_ms_sum"] for values in steps.values())
    rows = [
        (
            step,
            f"{values['batch_ms_sum'] / 1000:,.1f}",
            f"{values['batch_ms_sum'] / total:.0%}" if total else "-",
            told(values.get("documents", 0)),
            Bar(values["batch_ms_sum"] / total if total else 0.0),
        )
        for step, values in steps.items()
    ]
    lines = [
        f"{report['seconds']:,.1f} seconds from the first unit to the gates"
        if "seconds" in report
        else "",
        f"{told(report['rows_worked_on'])} rows worked on" if "rows_worked_on" in report else "",
        f"{report['workers'] or 'no'} worker processes" if "workers" in report else "",
        f"runner {report['runner']}" if "runner" in report else "",
    ]
    said = note("; ".join(filter(None, lines)) + ".") if any(lines) else ""
    if not rows:
        return said + note("The last run had no work left to do, or did not tell its cost.")
    head = ("step", "seconds, of all workers", "share", "rows or texts", "")
    return said + table(head, rows, kind="full")


def _made_with(manifest: Mapping[str, Any]) -> str:
    policy, models = manifest["policy"], manifest.get("models") or {}
    rows = [
        ("policy", policy.get("name", UNTOLD)),
        ("hash of the policy", policy.get("hash", UNTOLD)),
        ("kept whatever the text", ", ".join(policy.get("kept") or ()) or "nothing"),
        *(
            (f"kept in notes of type {name}", ", ".join(inner["kept"]) or "nothing")
            for name, inner in (policy.get("note_types") or {}).items()
            if "kept" in inner
        ),
        *((name, ", ".join(said)) for name, said in stand_ins_said(policy).items()),
        *((f"model {name}", found) for name, found in models.items()),
        ("rules", f"{len(manifest.get('recognisers') or ()):,}"),
        ("version of the code", manifest.get("code_version", UNTOLD)),
        ("fingerprint", manifest.get("fingerprint", UNTOLD)),
        ("check value of the key", manifest.get("key_check", UNTOLD)),
        ("content digest", manifest["content_digest"]),
    ]
    return table((), rows, kind="words")


def stand_ins_said(policy: Mapping[str, Any]) -> dict[str, list[str]]:
    """What a manifest's policy says of surrogates, shifted dates and the method; by what it is."""
    said: dict[str, list[str]] = {}
    if found := policy.get("surrogates"):
        said["surrogates"] = [f"scope {found['scope']}", f"of {' '.join(found['languages'])}"]
    if found := policy.get("dates"):
        said["shifted dates"] = [
            counted(found["offsets"], "offset"),
            f"to {counted(found['days'], 'day')}",
        ]
        said["shifted dates"].append(str(found["direction"]))
    if found := policy.get("method"):
        said["method"] = [found]
    return said


def _files(manifest: Mapping[str, Any]) -> str:
    files, sizes = Counter[str](), Counter[str]()
    for part in manifest["parts"]:
        files[part["table"]] += 1
        sizes[part["table"]] += part["bytes"]
    rows = [(name, f"{files[name]:,}", f"{sizes[name]:,}") for name in sorted(files)]
    totals = manifest["counts"]
    shown = (("rows_in", "rows read"), ("tokens", "tokens"), ("characters", "characters"))
    lines = [f"{told(totals[name])} {words}" for name, words in shown if name in totals]
    report = manifest["report"]
    lines += [f"input files of the last run: {report['inputs']:,}"] if "inputs" in report else []
    return table(("table", "files", "bytes"), rows) + note("; ".join(lines) + ".")


def _left_out() -> str:
    return note(
        "No text, no id, no key of a document and no name of an input is on this page. A group "
        f"with 1 to {LEAST - 1} spans, texts or rows is merged with others; a label counts by the "
        f"texts it is in. Counts of rows, texts and spans are rounded to {LEAST}, each by itself, "
        "so that no total less its parts tells a small one; manifest.json has the exact numbers. "
        "Fragments are not counted, nor clinical terms that were kept: a run looks for PHI alone, "
        "and `scrubline evaluate` counts them in marked notes. Days are days of runs, never of "
        "notes. The page is not sealed; `scrubline verify` makes it again and compares."
    )
