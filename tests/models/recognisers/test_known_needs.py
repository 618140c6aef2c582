"""What is kept of the needs of patterns is what is read off them; what is damaged is not used."""

import pytest
from scrubline.models.core import kept_files
from scrubline.models.recognisers import known_needs, matching
from scrubline.models.recognisers.prefilter import needs

SOURCES = (r"\b(?:batch|serial)(?:es)?[: ]{1,4}\d{1,3}", r"[^a]+", r"^Ward \d", r"(?P<no>x)(?P=no)")


@pytest.fixture(autouse=True)
def patterns(monkeypatch, tmp_path):
    monkeypatch.setenv(kept_files.FOLDER, str(tmp_path))
    monkeypatch.setattr(matching, "_PATTERNS", [])
    kept_files.cache_folder.cache_clear()
    known_needs._learn.cache_clear()
    made = [matching.Prefiltered(one, case) for one in SOURCES for case in CASES]
    monkeypatch.setattr(matching, "_PATTERNS", made)
    yield made
    kept_files.cache_folder.cache_clear()
    known_needs._learn.cache_clear()


CASES = tuple(known_needs.Case)


def learn(patterns):
    for one in patterns:
        vars(one).pop("needs", None)
    known_needs._learn.cache_clear()
    known_needs.learn_needs()
    return [vars(one).get("needs") for one in patterns]


def no_reading(monkeypatch):
    monkeypatch.setattr(matching, "needs", lambda source, case: pytest.fail("read off anew"))


def test_what_is_kept_is_what_is_read_off(patterns, monkeypatch, tmp_path):
    expected = [needs(one.source, one.case) for one in patterns]
    assert learn(patterns) == expected
    (path,) = tmp_path.iterdir()
    assert path.suffix == ".needs"
    no_reading(monkeypatch)
    kept = learn(patterns)
    assert kept == expected
    assert all(type(r.case) is known_needs.Case for need in kept for r in need.each)


@pytest.mark.parametrize("place", [3, 20, 70, -1])
def test_a_file_that_was_changed_anywhere_is_made_anew(patterns, monkeypatch, tmp_path, place):
    expected = learn(patterns)
    (path,) = tmp_path.iterdir()
    content = bytearray(whole := path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    assert learn(patterns) == expected
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-1])
    assert learn(patterns) == expected


def test_other_patterns_have_a_file_of_their_own(patterns, monkeypatch, tmp_path):
    learn(patterns)
    learn(patterns[:-1])
    monkeypatch.setattr(matching, "_PATTERNS", patterns[:-1])
    learn(patterns[:-1])
    assert len(list(tmp_path.iterdir())) == 2
    names = {known_needs.name_of(some) for some in (patterns, patterns[:-1], patterns[1:])}
    assert len(names) == 3


def test_without_a_cache_they_are_read_off(patterns, monkeypatch, tmp_path):
    monkeypatch.setenv(kept_files.FOLDER, "0")
    kept_files.cache_folder.cache_clear()
    expected = [needs(one.source, one.case) for one in patterns]
    assert learn(patterns) == expected
    assert not list(tmp_path.iterdir())
