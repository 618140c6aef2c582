"""Writes the lists that come from packages; the others are edited by hand. Not run at install.

pip install names==0.3.0 faker==40.54.0
python dictionaries/build.py
"""

from __future__ import annotations

import importlib
import importlib.metadata
import unicodedata
from collections.abc import Iterable
from pathlib import Path

VERSIONS = {"names": "0.3.0", "faker": "40.54.0"}
SURNAMES_FROM_CENSUS = 5000
"""By frequency; rarer ones are mostly ordinary words as well."""

FOLDER = Path(__file__).parent / "names"


def main() -> None:
    """Checks the versions, then writes `names/first_names_*.txt` and `names/surnames_*.txt`."""
    for package, expected in VERSIONS.items():
        if (found := importlib.metadata.version(package)) != expected:
            raise SystemExit(f"{package} {expected} is needed, {found} is installed")
    english = importlib.import_module("faker.providers.person.en_US").Provider
    spanish = importlib.import_module("faker.providers.person.es_ES").Provider
    _write(
        "first_names_en", [*_census("female.first"), *_census("male.first"), *english.first_names]
    )
    _write("surnames_en", [*_census("all.last")[:SURNAMES_FROM_CENSUS], *english.last_names])
    _write("first_names_es", spanish.first_names)
    _write("surnames_es", spanish.last_names)


def _census(part: str) -> list[str]:
    """The names of a file of the 1990 census, most frequent first; they come in capitals."""
    package = Path(str(importlib.import_module("names").__file__)).parent
    lines = (package / f"dist.{part}").read_text(encoding="ascii").splitlines()
    return [line.split()[0].capitalize() for line in lines]


def _write(name: str, phrases: Iterable[str]) -> None:
    kept = {unicodedata.normalize("NFC", phrase.strip()) for phrase in phrases}
    # One-letter "names" of the census are initials.
    kept = {phrase for phrase in kept if len(phrase) > 1}
    (FOLDER / f"{name}.txt").write_text(
        "\n".join(sorted(kept)) + "\n", encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    main()
