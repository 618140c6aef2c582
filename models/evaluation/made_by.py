"""What made some predictions, as `annotate` writes it with each document, told on one line.

Any file may hold such an entry, so it is believed only where it has the very form that we write:
what is told of it reaches reports, and must be names and hashes and nothing else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from ..corpora import AnnotatedDocument

MADE_BY = "made_by"
"""Key of `AnnotatedDocument.meta`."""

_KEYS = {"models", "rules", "policy"}
_MODEL = re.compile(r"[\w.+-]{1,64}@[0-9a-f]{12}", re.ASCII)
_POLICY = re.compile(r"[\w.+-]{1,64}", re.ASCII)


def made_by(models: Iterable[tuple[str, str]], rules: int, policy: str) -> dict[str, object]:
    """The entry for a document's meta.

    Args:
        models: name and hash of each bundle.
        rules: how many.
        policy: its name.
    """
    names = [f"{name}@{found[:12]}" for name, found in models]
    return {"models": names, "rules": rules, "policy": policy}


def told(documents: Sequence[AnnotatedDocument]) -> str:
    """What made the predictions, and a digest by which two predictions can be told apart.

    "unknown" stands where the documents do not say it, or not all the same.
    """
    found = {_told(document.meta.get(MADE_BY)) for document in documents}
    what = found.pop() if len(found) == 1 else None
    return f"{what or 'models and policy unknown'}; digest {digest(documents)}"


def digest(documents: Iterable[AnnotatedDocument]) -> str:
    """The first 12 hex digits of SHA-256 over the labelled spans, whatever the order."""
    total = hashlib.sha256()
    for document in sorted(documents, key=lambda document: document.doc_id):
        for span in sorted((span.start, span.end, span.label) for span in document.spans):
            total.update(repr(span).encode("utf-8", "surrogatepass"))
        total.update(b"\n")
    return total.hexdigest()[:12]


def _told(entry: object) -> str | None:
    if not isinstance(entry, dict) or entry.keys() != _KEYS:
        return None
    models, rules, policy = entry["models"], entry["rules"], entry["policy"]
    if not isinstance(models, list) or type(rules) is not int:
        return None
    if not isinstance(policy, str) or not _POLICY.fullmatch(policy):
        return None
    if not all(isinstance(model, str) and _MODEL.fullmatch(model) for model in models):
        return None
    return f"models {', '.join(models) or 'none'}; {rules:,} rules; policy {policy}"
