"""What a run keeps of how people are found."""

import pytest
from scrubline.models.core import code_hash
from scrubline.models.redaction import stand_in_settings
from scrubline.models.roster import people


@pytest.mark.parametrize(
    "path",
    [
        *("models/roster/name_runs.py", "models/roster/word_lists.py", "models/roster/normal.py"),
        *("models/roster/guard.py", "models/dates/reading.py"),
        "dictionaries/words/frequent_words_en.txt",
    ],
)
def test_any_code_and_list_by_which_people_are_found_counts(monkeypatch, path):
    before = people.people_code_hash()
    _edited(monkeypatch, path)
    assert people.people_code_hash() != before


@pytest.mark.parametrize("path", ["models/redaction/stand_ins.py", "models/jobs/people_of_note.py"])
def test_the_code_that_fills_in_surrogates_counts(monkeypatch, path):
    before = stand_in_settings._code("surrogates")
    _edited(monkeypatch, path)
    assert stand_in_settings._code("surrogates") != before


def _edited(monkeypatch, path):
    """Another content of one file, and nothing remembered."""
    files = dict(code_hash.installed())
    assert path in files
    files[path] = files[path]._replace(sha256="0" * 64)
    for module in (code_hash, stand_in_settings):
        monkeypatch.setattr(module, "installed", lambda: files)
    monkeypatch.setattr(code_hash, "hash_of_room", code_hash.hash_of_room.__wrapped__)
    monkeypatch.setattr(people, "hash_of_room", code_hash.hash_of_room)
    monkeypatch.setattr(stand_in_settings, "hash_of_room", code_hash.hash_of_room)
    monkeypatch.setattr(people, "people_code_hash", people.people_code_hash.__wrapped__)
