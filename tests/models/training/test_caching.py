from __future__ import annotations

import dataclasses
import functools
import stat

import pytest
from scrubline.dictionaries import Dictionary
from scrubline.models.corpora import AnnotatedDocument
from scrubline.models.recipes import Recipe
from scrubline.models.storage.private_files import named_private_folder
from scrubline.models.training import caching, train
from scrubline.models.training.caching import prepare_cached
from scrubline.models.training.preparing import prepare
from scrubline.models.training.settings import changed

from .notes import CORPUS, LISTS, RECIPE

TWO = Recipe(
    "two",
    (RECIPE.taggers[0], dataclasses.replace(RECIPE.taggers[0], layer="character", scheme="BIOES")),
)
ODD = [
    *CORPUS[:6],
    AnnotatedDocument("empty", ""),
    AnnotatedDocument("odd", "\ud800 a|b\\\x00 é🙂"),
]


@pytest.fixture
def folder(tmp_path):
    return named_private_folder(str(tmp_path / "cache"), "--cache")


@pytest.fixture
def prepared(monkeypatch):
    """Counts how often features are made."""
    calls = []

    def counted(*values):
        calls.append(1)
        return prepare(*values)

    monkeypatch.setattr(caching, "prepare", counted)
    return calls


@pytest.mark.parametrize("recipe", [RECIPE, TWO], ids=["one", "two"])
def test_a_cached_training_gives_the_same_bytes(folder, prepared, recipe):
    by_cache = functools.partial(prepare_cached, folder)
    plain, first, second = (
        train(recipe, ODD, dictionaries=LISTS, name="tiny", prepared_by=by)
        for by in (prepare, by_cache, by_cache)
    )
    assert plain.files == first.files == second.files
    assert len(prepared) == 1
    (path,) = folder.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_learner_and_sampling_share_an_entry(folder, prepared):
    for values in ([("max_iterations", "3")], [("sampling", "window:2")]):
        recipe = changed(RECIPE, values)
        (one,) = prepare_cached(folder, recipe, CORPUS, LISTS)
        assert one.recipe == recipe.taggers[0]
    assert len(prepared) == 1


@pytest.mark.parametrize(
    ("recipe", "corpus", "lists"),
    [
        (changed(RECIPE, [("leave_out", "prefix")]), CORPUS, LISTS),
        (RECIPE, CORPUS[:-1], LISTS),
        (RECIPE, [dataclasses.replace(CORPUS[0], spans=()), *CORPUS[1:]], LISTS),
        (RECIPE, CORPUS, {"sites": Dictionary("sites", ("Oakton",), LISTS["sites"].sha256)}),
    ],
    ids=["features", "documents", "spans", "list"],
)
def test_what_differs_is_another_entry(folder, prepared, recipe, corpus, lists):
    prepare_cached(folder, RECIPE, CORPUS, LISTS)
    prepare_cached(folder, recipe, corpus, lists)
    assert len(prepared) == 2
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: b"",
        lambda raw: raw[:-3],
        lambda raw: raw[:70] + bytes([raw[70] ^ 1]) + raw[71:],
        lambda raw: raw[::-1],
        lambda raw: b"0" * 64 + raw[64:],
    ],
)
def test_a_damaged_entry_is_made_anew_with_a_warning(folder, prepared, caplog, damage):
    by_cache = functools.partial(prepare_cached, folder)
    good = train(RECIPE, CORPUS, dictionaries=LISTS, name="tiny", prepared_by=by_cache)
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    again = train(RECIPE, CORPUS, dictionaries=LISTS, name="tiny", prepared_by=by_cache)
    assert again.files == good.files
    assert len(prepared) == 2
    assert "feature cache is damaged" in caplog.text
    assert path.read_bytes() == whole


def test_a_sound_file_of_something_else_is_not_believed(folder, prepared):
    prepare_cached(folder, RECIPE, CORPUS, LISTS)
    prepare_cached(folder, RECIPE, CORPUS[:5], LISTS)
    first, second = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    first.write_bytes(second.read_bytes())
    (one,) = prepare_cached(folder, RECIPE, CORPUS, LISTS)
    assert len(one.features.document_offsets) == len(CORPUS) + 1
    assert len(prepared) == 3
