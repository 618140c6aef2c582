"""`scrubline policy`: explains what a policy does, before it is used.

It says what becomes of what is found. What is found is up to rules and models: "covered" never
means that every identifier of that kind is found.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...models.core.errors import UsageError
from ...models.core.label_maps import load_map
from ...models.core.labels import HIPAA_ITEMS
from ...models.recognisers import DEFAULT_RECOGNISERS
from ...models.redaction.actions import ACTIONS
from ...models.redaction.own_rules import OwnRule
from ...models.redaction.policy import ANY_LABEL, Policy
from ...models.redaction.policy_file import load_policy, policy_names, policy_text
from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .kept_by_policy import warnings_of, what_is_kept
from .rule_tests import require_passing

COVERED, PARTLY, KEPT, NEVER = "covered", "partly", "kept", "never found"

_LIMITS: dict[str, str] = {
    "A": "relatives, employers and household members are meant too; DOCTOR is outside the rule",
    "B": "STATE and COUNTRY are outside the rule",
    "P": "only what is written as a number or code; finger and voice prints are not text",
    "Q": "images are not read",
    "R": "only what has a label; a rare diagnosis, an event or a way of writing needs people",
}
"""What to know about an item, whatever the policy is."""

_NEVER_WHOLE = ("P", "R")
"""Items that text can hold, or labels can name, only in part."""

_LISTS = ("vetoes", "allowed", "denied")
"""Of `Policy.to_dict`: how many phrases a list has."""

_OF_DATE_COLUMNS = {
    "keep": "pass",
    "shift": "move by the patient's days; birth is null for patients over 89",
    "drop": "are left out",
}

_SHORT = 3
_WIDTH = 100


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if the policy is unknown or wrong; the message says what is wrong with it.
    """
    if (parsed.policy is None) != (parsed.what == "list"):
        raise UsageError("`policy list` takes no name; `policy check` and `policy show` need one")
    if parsed.what == "list":
        show(list_policies())
    elif parsed.what == "show":
        show(show_policy(parsed.policy))
    else:
        show(check_policy(parsed.policy, as_json=parsed.json))
    return ExitCode.DONE


def list_policies() -> str:
    """The shipped policies, one a line, with what they keep."""
    lines = []
    for name in policy_names():
        policy = load_policy(name)
        kept = f"keeps {', '.join(policy.kept)}" if policy.kept else "keeps no label"
        kept += ", shifts dates" if policy.shifts_dates else ""
        kept += ", puts surrogates" if policy.puts_surrogates else ""
        rules = "Safe Harbor rules" if policy.hipaa else "no Safe Harbor rules"
        lines.append(f"{name}: {rules}; {kept}")
    return "\n".join(lines)


def show_policy(name: str) -> str:
    """The file of a shipped policy, to copy from.

    Raises:
        UsageError: if no shipped policy is called so.
    """
    return policy_text(name).rstrip("\n")


def check_policy(name_or_url: str, *, as_json: bool) -> str:
    """What the policy of a name or file does, as text or as JSON.

    Raises:
        UsageError: if it cannot be loaded, or a test of its own rules fails; the message says what
            is wrong with it.
    """
    policy = load_policy(name_or_url)
    require_passing(policy.rules)
    explained = explain(policy)
    return json.dumps(explained, indent=1) if as_json else "\n".join(_lines(explained))


def explain(policy: Policy) -> dict[str, Any]:
    """What a policy does, as plain values; counts of phrases, never phrases.

    `labels`: label -> action, what it leads to, HIPAA item, the rules that find it. `note_types`:
    name -> what is not as everywhere else. `hipaa_items`: letter -> what becomes of it.
    `rules`: name -> label and tests of each rule of the site's own. `warnings`: what the person
    who signs should know.
    """
    said = policy.to_dict()
    return {
        "name": policy.name,
        "hipaa": policy.hipaa,
        "fingerprint": policy.fingerprint,
        "default": policy.default,
        "date_columns": policy.date_columns,
        "labels": {label: _label(policy, label) for label in policy.known_labels},
        **{key: said[key] for key in ("kept", *_LISTS)},
        "restricted_zip3": len(policy.restricted_zip3),
        "rules": {rule.name: _own_rule(rule) for rule in policy.rules},
        "documents": dataclasses.asdict(policy.documents),
        "keeps": what_is_kept(policy),
        "note_types": {
            name: _differences(policy, inner) for name, inner in sorted(policy.note_types.items())
        },
        "hipaa_items": _items(policy),
        "warnings": list(_warnings(policy)),
    }


def _label(policy: Policy, label: str) -> dict[str, Any]:
    action = policy.action(label)
    about: dict[str, Any] = {"action": action}
    if ACTIONS[action].marks:
        about["becomes"] = policy.replacement_of(action, label, 1)
    about["hipaa_item"] = policy.hipaa_of.get(label)
    about["rules"] = [
        name for name, rule in sorted(DEFAULT_RECOGNISERS.items()) if label in rule.LABELS
    ]
    about["rules"] += [rule.detector for rule in policy.rules if label in rule.labels]
    if label in policy.labels and policy.labels[label].description:
        about["description"] = policy.labels[label].description
    return about


def _own_rule(rule: OwnRule) -> dict[str, Any]:
    return {
        "labels": list(rule.labels),
        "patterns": len(rule.patterns),
        "finds": len(rule.finds),
        "leaves": len(rule.leaves),
    }


def _differences(policy: Policy, inner: Policy) -> dict[str, Any]:
    differences: dict[str, Any] = {}
    for label in policy.known_labels:
        here = _label(inner, label)
        if here != _label(policy, label):
            shown = {key: here[key] for key in ("action", "becomes") if key in here}
            differences.setdefault("labels", {})[label] = shown
    everywhere, here = policy.to_dict(), inner.to_dict()
    differences |= {key: here[key] for key in _LISTS if here[key] != everywhere[key]}
    if inner.default != policy.default:
        differences["default"] = inner.default
    return differences


# -- the eighteen identifiers


def _items(policy: Policy) -> dict[str, dict[str, Any]]:
    """Letter -> meaning, status, labels, notes, for each item of 45 CFR 164.514(b)(2)(i)."""
    meanings = load_map("hipaa18", "from_native").meanings
    items = {}
    for letter in HIPAA_ITEMS:
        labels = [label for label, item in policy.hipaa_of.items() if item == letter]
        items[letter] = {
            "meaning": meanings[letter],
            "status": _status(policy, letter, labels),
            "labels": labels,
            "notes": list(_notes(policy, letter, labels)),
        }
    return items


def _status(policy: Policy, letter: str, labels: list[str]) -> str:
    if not labels:
        return NEVER
    everywhere = [policy, *policy.note_types.values()]
    stays = [label for label in labels if not ACTIONS[policy.action(label)].removes]
    somewhere = any(
        not ACTIONS[scope.action(label)].removes for scope in everywhere for label in labels
    )
    if len(stays) == len(labels):
        return KEPT
    # Apart from phrases under "*".
    let_through = any(_let_through(scope, labels) for scope in everywhere)
    dates = letter == "C" and (policy.keep_dates or policy.shifts_dates)
    return PARTLY if somewhere or let_through or dates or letter in _NEVER_WHOLE else COVERED


def _let_through(policy: Policy, labels: Iterable[str]) -> int:
    """How many phrases stay under these labels."""
    return sum(len(lists.get(key, ())) for lists in (policy.veto, policy.allow) for key in labels)


def _notes(policy: Policy, letter: str, labels: list[str]) -> Iterator[str]:
    by_action: dict[str, list[str]] = {}
    for label in labels:
        by_action.setdefault(policy.action(label), []).append(label)
    for action, acted_on in by_action.items():
        yield f"{', '.join(acted_on)}: {action}"
    for name, inner in sorted(policy.note_types.items()):
        if more := [
            label
            for label in labels
            if not ACTIONS[inner.action(label)].removes and ACTIONS[policy.action(label)].removes
        ]:
            yield f"{', '.join(more)}: keep in notes of type {name}"
    most = max(_let_through(scope, labels) for scope in (policy, *policy.note_types.values()))
    if labels and most:
        yield f"phrases let through: {most}"
    if letter == "C" and policy.keep_dates:
        yield "date columns pass"
    if letter == "C" and policy.shifts_dates:
        yield "shifted dates keep intervals"
    if letter in _LIMITS:
        yield _LIMITS[letter]


# -- what should be known


def _warnings(policy: Policy) -> Iterator[str]:
    if not policy.hipaa:
        yield "hipaa is off: this policy may keep Safe Harbor identifiers"
    if policy.keep_dates:
        yield "date columns pass as they are"
    yield from warnings_of(policy)
    for where, scope in _places(policy):
        base = policy if scope is not policy else None
        if scope.hipaa and (identifiers := _identifiers_let_through(scope, base)):
            yield (
                f"{where}phrases allowed or vetoed for labels that are Safe Harbor identifiers: "
                f"{identifiers}; they stay, so make sure that none of them identifies anyone"
            )
        if both := _same(scope.deny, scope.allow) - (_same(base.deny, base.allow) if base else 0):
            yield f"{where}phrases both denied and allowed: {both}; they are removed"
        if short := _short(scope.deny) - (_short(base.deny) if base else 0):
            yield (
                f"{where}denied phrases of fewer than {_SHORT} characters: {short}; "
                "they are removed wherever they stand as a word"
            )
        for label, text in scope.texts.items():
            action = ACTIONS[scope.action(label)]
            # What a look at the text does not understand is redacted.
            used = label == ANY_LABEL or action.marks or action.late or not action.blind
            if not used and (base is None or base.texts.get(label) != text):
                yield f"{where}[texts] {label} is never used: its action is {action.name}"
    everywhere = (policy, *policy.note_types.values())
    by_rules = {label for rule in policy.rules for label in rule.labels}
    for label in policy.labels:
        if label not in by_rules and not any(label in scope.deny for scope in everywhere):
            yield (
                f"{label} has no deny-list and no rule: only a model that gives this label can "
                "find it"
            )
    for rule in policy.rules:
        if not rule.finds or not rule.leaves:
            yield f"rule {rule.name}: it has no tests under {'leaves' if rule.finds else 'finds'}"


def _places(policy: Policy) -> Iterator[tuple[str, Policy]]:
    yield "", policy
    for name, inner in sorted(policy.note_types.items()):
        yield f"note type {name}: ", inner


def _identifiers_let_through(policy: Policy, base: Policy | None) -> int:
    keys = (*policy.hipaa_of, ANY_LABEL)
    count = _let_through(policy, keys)
    return count if base is None or count != _let_through(base, keys) else 0


def _same(one: Mapping[str, frozenset[str]], other: Mapping[str, frozenset[str]]) -> int:
    return len(_all(one) & _all(other))


def _short(phrases: Mapping[str, frozenset[str]]) -> int:
    return sum(len(phrase) < _SHORT for phrase in _all(phrases))


def _all(phrases: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*phrases.values())


# -- as text


def _lines(explained: Mapping[str, Any]) -> Iterator[str]:
    rules = "on: keep is refused for identifiers" if explained["hipaa"] else "off"
    yield f"policy {explained['name']}: no errors. Safe Harbor rules {rules}"
    yield ""
    yield "What happens to what is found"
    yield from _labels(explained["labels"])
    yield from _wrapped(
        f"any other label that a model gives: {_becomes(explained['default'], None)}"
    )
    alone = [label for label, about in explained["labels"].items() if not about["rules"]]
    alone = [label for label in alone if label not in explained["denied"]]
    yield from _wrapped(f"no rule finds these, only models: {', '.join(alone) or 'none'}")
    yield from _wrapped(
        f"columns of role date and birth: {_OF_DATE_COLUMNS[explained['date_columns']]}"
    )
    told = explained["documents"]
    tells = [*(["note type"] if told["note_type"] else []), *filter(None, [told["period"]])]
    yield from _wrapped(
        f"the documents table tells of each note: {', '.join(tells) or 'neither type nor date'}"
    )
    for what, kept in explained["keeps"].items():
        yield from _wrapped(f"what is kept of {what}: {kept}")
    yield ""
    yield "Phrases (how many, by label; * is every label)"
    yield from _phrases(explained)
    if explained["rules"]:
        yield ""
        yield "Rules of your own (all tests pass)"
        for name, rule in explained["rules"].items():
            tests = rule["finds"] + rule["leaves"]
            yield from _wrapped(
                f"{name}: {', '.join(rule['labels'])}; patterns: {rule['patterns']}, tests: {tests}"
            )
    for name, differences in explained["note_types"].items():
        yield ""
        yield f"Notes of type {name}: differences"
        yield from _labels(differences.get("labels", {}))
        if "default" in differences:
            yield from _wrapped(f"any other label: {_becomes(differences['default'], None)}")
        yield from _phrases(differences, empty=False)
        if not differences:
            yield "  nothing"
    yield ""
    yield "The identifiers of Safe Harbor, 45 CFR 164.514(b)(2)(i)"
    yield "(covered: what is found of it is removed, except phrases under *; no detector finds all)"
    for letter, item in explained["hipaa_items"].items():
        about = "; ".join([item["meaning"], *item["notes"]])
        yield from _wrapped(f"({letter}) {item['status']:<11}  {about}", indent=19)
    if explained["warnings"]:
        yield ""
        yield "Warnings"
        for warning in explained["warnings"]:
            yield from _wrapped(warning)


def _labels(labels: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Labels of one action together; a marker that names its label is shown once."""
    groups: dict[str, list[str]] = {}
    for label, about in labels.items():
        groups.setdefault(_becomes(about["action"], about.get("becomes"), label), []).append(label)
    for outcome, of_outcome in groups.items():
        yield from _wrapped(f"{outcome}: {', '.join(of_outcome)}")


def _becomes(action: str, marker: str | None, label: str = "") -> str:
    if marker is not None:
        shown = marker.replace(label, "LABEL") if label else marker
        return f"{action}, to {shown}"
    meaning = ACTIONS[action].meaning
    return f"{action} ({meaning})" if meaning else action


def _phrases(about: Mapping[str, Any], *, empty: bool = True) -> Iterator[str]:
    for key, meaning in (
        ("denied", "always removed"),
        ("allowed", "kept, with all that lies within them"),
        ("vetoes", "kept where a candidate is exactly that"),
    ):
        if lists := about.get(key):
            counts = ", ".join(f"{label}: {count:,}" for label, count in lists.items())
            yield from _wrapped(f"{key} ({meaning}): {counts}")
        elif empty:
            yield f"  {key}: none"


def _wrapped(text: str, indent: int = 4) -> list[str]:
    text = f"  {text}"
    return textwrap.wrap(
        text,
        _WIDTH,
        subsequent_indent=" " * indent,
        drop_whitespace=True,
        break_on_hyphens=False,
        break_long_words=False,
    )
