"""Policies: what is done with what was found, label by label, and what is not believed.

A policy is checked whole when it is made, and then only looked up; `policy_file` reads it from a
file. An allowed or vetoed phrase overrules every detector, so a patient of that very name stays in
the text: the shipped policies have none. A denied phrase overrules all of these.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from ..core.detectors import DENY, DetectorId
from ..core.errors import UsageError
from ..core.labels import HIPAA_OF, LABELS, UNKNOWN_KIND
from ..core.resources import shown_keys
from ..core.spans import Candidate
from ..core.suggestions import did_you_mean
from ..dates import DateSettings
from ..dates.written_ages import KEEP as _MAY_STAY
from ..surrogates import SurrogateSettings
from .actions import ACTIONS, KEEP, MARKER, REDACT, REMOVALS, SHIFT, SURROGATE, VIEW, check_marker
from .actions import replacement_of as _replacement_of
from .generalization import RESTRICTED_ZIP3
from .own_labels import LABEL, OwnLabel, check_own_label
from .own_rules import OwnRule
from .phrases import PhraseMatcher, fold, matcher_of_lists, matches_pattern, within
from .stand_in_settings import (
    DATE_COLUMNS,
    KEEP_DATES,
    check_dates,
    check_hipaa,
    check_scopes,
    content_of,
    said_of,
    uses,
)
from .telling import NOTHING, Telling

ANY_LABEL = "*"

VETO, ALLOW = "veto", "allow"
"""Why a candidate is rejected: its whole text is a veto phrase; it lies within an allowed one."""

_MOST_STARS = 3

Phrases = Mapping[str, frozenset[str]]
Rejecter = Callable[[str, int, int], str | None]
"""(label, start, end) of a candidate -> VETO, ALLOW, or None if it is believed."""


@dataclasses.dataclass(frozen=True, slots=True)
class Policy:
    """One checked policy, by `policy_file.load_policy` or made by hand; both are checked.

    Attributes:
        name: how the manifest calls it.
        actions: label -> action, for the labels that it names.
        default: the action of every other label, also of labels outside the native set. A label is
            kept only if it is named, so this is never "keep".
        date_columns: what happens to a column of role `date`: "drop", "keep" or "shift".
        veto: label or "*" -> case-folded phrases; a candidate whose whole text is one of them is
            rejected.
        restricted_zip3: three-digit ZIP prefixes that become 000; always holds those of the HHS
            guidance.
        hipaa: whether `keep` is refused for labels with an item in 45 CFR 164.514(b)(2)(i).
        labels: labels beside the native ones.
        texts: label or "*" -> what takes the place of redacted text; see `actions.check_marker`.
        allow: label or "*" -> phrases as `phrases.fold` gives them; a candidate that is one of
            them, or lies within one in the text, is rejected.
        deny: label -> folded phrases; each occurrence in a text becomes a candidate that nothing
            rejects and that is never kept.
        note_types: note type as `phrases.fold` gives it, `*` for any characters -> the policy that
            holds for such notes instead of this one. It is of the same name, labels and rules.
        rules: of the site's own, by name; they find, and what they find is treated like what any
            other rule finds.
        documents: what the documents table tells of a note.
        surrogates: how surrogates are made, where an action is "surrogate".
        dates: how dates are shifted, where that of DATE is "shift".

    Raises:
        UsageError: for an unknown label or action, a generalisation that does not exist, a
            forbidden `keep`, a text that cannot replace, a phrase that is not folded.
    """

    name: str
    actions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    default: str = "redact"
    date_columns: str = "drop"
    veto: Phrases = dataclasses.field(default_factory=dict, repr=False)
    restricted_zip3: frozenset[str] = RESTRICTED_ZIP3
    hipaa: bool = False
    labels: Mapping[str, OwnLabel] = dataclasses.field(default_factory=dict)
    texts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    allow: Phrases = dataclasses.field(default_factory=dict, repr=False)
    deny: Phrases = dataclasses.field(default_factory=dict, repr=False)
    note_types: Mapping[str, Policy] = dataclasses.field(default_factory=dict)
    rules: tuple[OwnRule, ...] = ()
    documents: Telling = NOTHING
    surrogates: SurrogateSettings = SurrogateSettings()  # noqa: B008, RUF009 - frozen
    dates: DateSettings = DateSettings()  # noqa: B008, RUF009 - frozen
    _allowed: PhraseMatcher | None = dataclasses.field(init=False, repr=False, compare=False)
    _denied: PhraseMatcher | None = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # A policy that is called "hipaa" is held to it, however it was made.
        object.__setattr__(self, "hipaa", self.hipaa or self.name.casefold() == "hipaa")
        for label, own in self.labels.items():
            check_own_label(label, own)
        known = self.known_labels
        either = (*known, ANY_LABEL)
        _require(self.default in REMOVALS, "default", self.default, REMOVALS)
        _require(self.date_columns in DATE_COLUMNS, "date_columns", self.date_columns, DATE_COLUMNS)
        for label, action in self.actions.items():
            _require_label(label in known, "actions", label, self.actions, known)
            _require(action in ACTIONS, f"[actions] {label}", action, tuple(ACTIONS))
            known_action = ACTIONS[action]
            if not known_action.serves(label):
                raise UsageError(
                    f"policy: [actions] {label}: {action} can be used only for "
                    f"{sorted(known_action.labels or ())}"
                )
            stays = not known_action.removes
            if stays and self.hipaa and (letter := self.hipaa_of.get(label)):
                raise UsageError(
                    f"policy: [actions] {label}: {action} is refused under hipaa, for it is in "
                    f"45 CFR 164.514(b)(2)(i)({letter}); allowed: {_allowed(label)}"
                )
        for label, text in self.texts.items():
            _require_label(label in either, "texts", label, self.texts, either)
            check_marker(f"policy: [texts] {label}", text)
        for label, phrases in self.veto.items():
            _require_label(label in either, "veto", label, self.veto, either)
            if any(not phrase.strip() or phrase != phrase.casefold() for phrase in phrases):
                raise UsageError(
                    f"policy: [veto] {label}: phrases must be case-folded and not blank"
                )
        for label in self.allow:
            _require_label(label in either, "allow", label, self.allow, either)
        for label in self.deny:
            _require_label(label in known, "deny", label, self.deny, known)
            if not ACTIONS[self.action(label)].removes:
                raise UsageError(
                    f"policy: [deny] {label}: what is denied must go, but its action is "
                    f"{self.action(label)}; allowed: {_allowed(label)}"
                )
        object.__setattr__(self, "_allowed", matcher_of_lists("allow", self.allow))
        object.__setattr__(self, "_denied", matcher_of_lists("deny", self.deny))
        _check_rules(self.rules, known)
        check_dates(self, self.date_columns)
        if self.hipaa:
            self.documents.check_hipaa()
            check_hipaa(self, self.surrogates)
        for prefix in self.restricted_zip3:
            if len(prefix) != 3 or not prefix.isascii() or not prefix.isdigit():
                raise UsageError("policy: restricted_zip3: expected strings of three digits")
        if missing := RESTRICTED_ZIP3 - self.restricted_zip3:
            raise UsageError(f"policy: restricted_zip3: {sorted(missing)} cannot be left out")
        if self.hipaa and self.date_columns != "drop":
            raise UsageError(
                f"policy: date_columns: {self.date_columns} is refused under hipaa, for dates are "
                "identifiers of 45 CFR 164.514(b)(2)(i)(C); allowed: ['drop']"
            )
        for pattern, inner in self.note_types.items():
            self._check_note_type(pattern, inner)
        check_scopes(self.scopes)

    def _check_note_type(self, pattern: str, inner: Policy) -> None:
        if not pattern or pattern != fold(pattern) or pattern.count("*") > _MOST_STARS:
            raise UsageError(
                f"policy: [note_types]: expected names that are not blank, are folded and have at "
                f"most {_MOST_STARS} `*`"
            )
        shared = (
            "name",
            "hipaa",
            "labels",
            "date_columns",
            "restricted_zip3",
            "rules",
            "documents",
            "surrogates",
            "dates",
        )
        if inner.note_types or any(getattr(inner, f) != getattr(self, f) for f in shared):
            raise UsageError(
                f"policy: [note_types]: a note type has no note types, and shares {list(shared)}"
            )

    @property
    def known_labels(self) -> tuple[str, ...]:
        """The native labels and the site's own."""
        return (*LABELS, *self.labels)

    @property
    def hipaa_of(self) -> Mapping[str, str]:
        """Label -> the letter of its item in 45 CFR 164.514(b)(2)(i), own labels included."""
        if not self.labels:
            return HIPAA_OF
        return HIPAA_OF | {name: own.hipaa for name, own in self.labels.items() if own.hipaa}

    def for_note_type(self, note_type: str | None) -> Policy:
        """The policy for the notes of a type: this one, unless [note_types] names the type.

        Compared case-folded, white space runs as one blank. A name wins over patterns; of patterns
        that match, the one with the most characters beside `*` wins, then the first by name.
        """
        if note_type is None or not self.note_types:
            return self
        name = fold(note_type)
        if name in self.note_types:
            return self.note_types[name]
        for pattern in sorted(self.note_types, key=lambda p: (p.count("*") - len(p), p)):
            if "*" in pattern and matches_pattern(pattern, name):
                return self.note_types[pattern]
        return self

    def action(self, label: str) -> str:
        """The action named for a label, before any look at the text."""
        return self.actions.get(label, self.default)

    def decide(self, label: str, covered: str) -> tuple[str, str | None]:
        """What becomes of one stretch: the action that its text leads to, and the replacement.

        A pure function of label and text. An action that looks at the text turns into "keep" where
        the text may stay, and into "redact" where it is not understood.

        Returns:
            action: one of ACTIONS.
            replacement: None for "keep".
        """
        action = self.actions.get(label, self.default)
        look = ACTIONS[action].look
        if look is not None and not ACTIONS[action].is_blind(label):
            seen = look(label, covered, self.restricted_zip3)
            if seen is None:
                action = REDACT
            elif seen == _MAY_STAY:
                action = KEEP
            else:
                return action, seen
        return action, self.replacement_of(action, label, len(covered))

    def remove(self, label: str, length: int) -> tuple[str, str | None]:
        """What becomes of a stretch that must go whatever its text: by an action that is blind."""
        action = self.actions.get(label, self.default)
        if not ACTIONS[action].goes(label):
            action = REDACT
        return action, self.replacement_of(action, label, length)

    def replacement_of(self, action: str, label: str, length: int) -> str | None:
        """What takes the place of `length` code points; see `actions.replacement_of`."""
        return _replacement_of(action, label, length, self.marker(label) if self.texts else MARKER)

    def marker(self, label: str) -> str:
        """What takes the place of redacted text, `{label}` standing for the label."""
        return self.texts.get(label) or self.texts.get(ANY_LABEL, MARKER)

    def shown(self, action: str, label: str, covered: str, *, fragment: bool = False) -> str:
        """What the scrubbed text has in place of a stretch, by its row in the audit.

        Not of what is filled in late (`Action.is_late`): `stand_ins` has that.

        Args:
            action: that of the row, one of ACTIONS.
            fragment: that of the row; a fragment has no marker beside its entity's.
        """
        known = ACTIONS[action]
        if known.look is not None and not known.is_blind(label):
            return known.look(label, covered, self.restricted_zip3) or ""
        replacement = self.replacement_of(action, label, len(covered))
        if replacement is None:
            return covered
        return "" if fragment and not known.fills else replacement

    def vetoes(self, label: str, covered: str) -> bool:
        """Whether the stretch is just a phrase that is never PHI under this label."""
        if not self.veto:
            return False
        folded = covered.casefold()
        return any(folded in self.veto.get(key, ()) for key in (label, ANY_LABEL))

    def rejecter(self, text: str) -> Rejecter | None:
        """What decides whether a candidate in this text is believed; None if every one is.

        Allowed is a candidate, white space at its edges left out, that is an allowed phrase or lies
        wholly within one that the text holds as whole words. Nothing around it can make a candidate
        allowed that is longer than the phrase. O(text), then O(log n) a candidate.
        """
        if self.believes_all:
            return None
        allow = self.allow
        holds = within(self._allowed.find(text)) if self._allowed is not None else None

        def reject(label: str, start: int, end: int) -> str | None:
            covered = text[start:end]
            if self.vetoes(label, covered):
                return VETO
            if holds is None:
                return None
            end -= len(covered) - len(covered.rstrip())
            start += len(covered) - len(covered.lstrip())
            if start >= end:
                return None
            if holds(label, start, end) or holds(ANY_LABEL, start, end):
                return ALLOW
            folded = fold(covered)
            allowed = any(folded in allow.get(key, ()) for key in (label, ANY_LABEL))
            return ALLOW if allowed else None

        return reject

    @property
    def believes_all(self) -> bool:
        """Whether no candidate is ever rejected: there is nothing to veto and nothing to allow."""
        return self._allowed is None and not self.veto

    @property
    def denies(self) -> bool:
        """Whether there is a deny-list, also if only for some note types."""
        return self._denied is not None or any(p.denies for p in self.note_types.values())

    def denied(self, text: str) -> list[Candidate]:
        """A candidate for each occurrence of a denied phrase; see `PhraseMatcher.find`."""
        if self._denied is None:
            return []
        detector = str(DetectorId(DENY))
        return [Candidate(s, e, label, detector, 1.0) for s, e, label in self._denied.find(text)]

    @property
    def detector_hashes(self) -> dict[str, str]:
        """Name -> hash of the detectors that the policy adds: deny-lists, rules of one's own."""
        denied = {str(DetectorId(DENY)): _digest(self._denied_content())} if self.denies else {}
        return denied | {rule.detector: rule.hash for rule in self.rules}

    def _denied_content(self) -> dict[str, Any]:
        inner = {name: p._denied_content() for name, p in self.note_types.items()}
        return {"deny": _phrase_hashes(self.deny), "note_types": inner}

    @property
    def keep_dates(self) -> bool:
        """Whether columns of role `date` pass."""
        return self.date_columns == KEEP_DATES

    @property
    def scopes(self) -> tuple[Policy, ...]:
        """It, and those of its note types."""
        return (self, *self.note_types.values())

    @property
    def shifts_dates(self) -> bool:
        """Whether dates are shifted, if only in some notes."""
        return uses(SHIFT, self.scopes)

    @property
    def puts_surrogates(self) -> bool:
        """Whether any label gets surrogates, if only in some notes."""
        return uses(SURROGATE, self.scopes)

    @property
    def puts_views(self) -> bool:
        """Whether any label gets values of the identifier view, if only in some notes."""
        return uses(VIEW, self.scopes)

    @property
    def needs_key(self) -> bool:
        """Whether what takes the place of PHI is made with the master key."""
        return self.shifts_dates or self.puts_surrogates or self.puts_views

    @property
    def kept(self) -> tuple[str, ...]:
        """The labels that are kept whatever their text, sorted; the manifest names them."""
        return tuple(
            sorted(label for label, action in self.actions.items() if not ACTIONS[action].removes)
        )

    def to_dict(self) -> dict[str, Any]:
        """What is said of it in a manifest: name, hash, what stays, and how long the lists are.

        Of note types only what is not as everywhere else. No phrase is in it.
        """

        def one(policy: Policy) -> dict[str, Any]:
            return {
                "kept": list(policy.kept),
                "vetoes": _counts(policy.veto),
                "allowed": _counts(policy.allow),
                "denied": _counts(policy.deny),
            }

        mine = one(self)
        types = {
            name: {key: value for key, value in one(inner).items() if value != mine[key]}
            for name, inner in sorted(self.note_types.items())
        }
        about: dict[str, Any] = {"name": self.name, "hash": self.fingerprint}
        about |= {"date_columns": self.date_columns, **mine, "note_types": types}
        if self.documents != NOTHING:
            about["documents"] = dataclasses.asdict(self.documents)
        about |= said_of(self.scopes, self.surrogates, self.dates)
        return about | ({"rules": [rule.name for rule in self.rules]} if self.rules else {})

    @property
    def fingerprint(self) -> str:
        """SHA-256, as hex, of all that decides; not of the name, nor of how the file is written."""
        return _digest(self._content())

    def _content(self) -> dict[str, Any]:
        # The default and the text for all labels are in it, so what follows them need not be: a
        # policy of before there was this label is still the same.
        own = {*self.actions, *self.texts}
        labels = [label for label in self.known_labels if label != UNKNOWN_KIND or label in own]
        content: dict[str, Any] = {
            "actions": {label: self.action(label) for label in labels},
            "default": self.default,
            "date_columns": self.date_columns,
            "veto": {label: sorted(phrases) for label, phrases in self.veto.items() if phrases},
            "restricted_zip3": sorted(self.restricted_zip3),
            "hipaa": self.hipaa,
        }
        if self.texts:
            content["texts"] = {label: self.marker(label) for label in (*labels, ANY_LABEL)}
        if self.labels:
            content["labels"] = {name: own.hipaa for name, own in self.labels.items()}
        content |= {
            key: hashes
            for key, phrases in (("allow", self.allow), ("deny", self.deny))
            if (hashes := _phrase_hashes(phrases))
        }
        if self.documents != NOTHING:
            content["documents"] = dataclasses.asdict(self.documents)
        if self.rules:
            content["rules"] = {rule.name: rule.hash for rule in self.rules}
        content |= content_of([self], self.surrogates, self.dates)
        if self.note_types:
            content["note_types"] = {p: inner._content() for p, inner in self.note_types.items()}
        return content


def _check_rules(rules: tuple[OwnRule, ...], known: tuple[str, ...]) -> None:
    names = [rule.name for rule in rules]
    if names != sorted(set(names)):
        raise UsageError("policy: rules: expected rules in order of their names, each once")
    for rule in rules:
        if unknown := set(rule.labels) - set(known):
            raise UsageError(f"policy: rules: {rule.name}: unknown labels {sorted(unknown)}")


def _counts(phrases: Phrases) -> dict[str, int]:
    return {label: len(some) for label, some in sorted(phrases.items())}


def _phrase_hashes(phrases: Phrases) -> dict[str, str]:
    return {
        label: hashlib.sha256("\n".join(sorted(some)).encode("utf-8", "surrogatepass")).hexdigest()
        for label, some in phrases.items()
        if some
    }


def _digest(content: dict[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _allowed(label: str) -> list[str]:
    return [action.name for action in ACTIONS.values() if action.removes and action.serves(label)]


def _require(holds: bool, where: str, value: str, allowed: tuple[str, ...]) -> None:
    if not holds:
        # A value may stand where a phrase was meant.
        shown = repr(value) if LABEL.fullmatch(value) else "the value"
        meant = did_you_mean(value, allowed)
        raise UsageError(f"policy: {where}: {shown} is unknown{meant}; allowed: {list(allowed)}")


def _require_label(
    holds: bool, key: str, label: str, table: Mapping[str, object], allowed: tuple[str, ...]
) -> None:
    if not holds:
        raise UsageError(
            f"policy: [{key}]: unknown {shown_keys([label], tuple(table))}"
            f"{did_you_mean(label, allowed)}; "
            f"allowed: {list(allowed)}"
        )
