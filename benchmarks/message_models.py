"""Whether FHIR that the models of `fhir.resources` take is taken once it is scrubbed."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from typing import Any

MODELS = {"R5": "fhir.resources", "R4B": "fhir.resources.R4B"}
"""Version of FHIR -> the package of its models."""

_CHOICE = "Expect any of field value from this list"


class Validated:
    """Looks at records with the models, up to a number of those that they take."""

    def __init__(self, most: int) -> None:
        self._left = most
        self.counts: Counter[str] = Counter()

    def look(self, record: str, out: str, way: str) -> None:
        """Counts what a version's models say of a record that they took before.

        Args:
            way: which of its values went, see `message_checks`.
        """
        for version in MODELS if self._left else ():
            if errors_of(record, version):
                continue
            self._left -= 1
            errors = errors_of(out, version)
            lacks = errors and all(kind == "missing" or "missing" in kind for kind in errors)
            came = "taken" if not errors else "lacks what is required" if lacks else "not taken"
            self.counts[f"{version}, {way}: {came}"] += 1
            for kind in sorted(errors if came == "not taken" else ()):
                self.counts[f"{version}, {way}: {kind}"] += 1
            return


def errors_of(record: str, version: str) -> set[str]:
    """The kinds of errors that a record has for the models of a version."""
    models = importlib.import_module(MODELS[version])
    try:
        kind = json.loads(record)["resourceType"]
        model = models.get_fhir_model_class(kind)
        model.model_validate_json(record)
    except Exception as error:
        of_each = getattr(error, "errors", None)
        return set(map(_kind_of, of_each())) if of_each else {type(error).__name__}
    return set()


def _kind_of(error: dict[str, Any]) -> str:
    """The kind of an error; one of the names of a choice may be missing, too."""
    return "missing" if _CHOICE in error["msg"] else str(error["type"])
