"""Cross-validation and search: the same whatever the number of processes, and resumable."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import stat

import pytest
from scrubline.dictionaries import Dictionary
from scrubline.models.bundles.bundle import make_bundle
from scrubline.models.core.errors import RunFailed, UsageError
from scrubline.models.corpora import AnnotatedDocument
from scrubline.models.features import Word, at
from scrubline.models.recipes import Extension, Learner, Propagation, Recipe
from scrubline.models.scrubber import Scrubber
from scrubline.models.storage.private_files import named_private_folder
from scrubline.models.training import crossvalidation
from scrubline.models.training.crossvalidation import best_of, cross_validate
from scrubline.models.training.folds import make_folds, training_part
from scrubline.models.training.preparing import fit, make_dictionaries, prepare
from scrubline.models.training.processes import run_tasks
from scrubline.models.training.reporting import report_json, report_markdown
from scrubline.models.training.settings import Setting, grid

from .notes import CORPUS, LISTS, RECIPE

pytestmark = pytest.mark.slow

FOLDS = make_folds(CORPUS, 3)
ONE = (Setting((), RECIPE),)


def same(outcomes):
    """Outcomes without what a clock says."""
    return [dataclasses.replace(outcome, seconds=0.0) for outcome in outcomes]


def tried(settings=ONE, **options):
    return cross_validate(settings, CORPUS, FOLDS, **{"dictionaries": LISTS, **options})


def by_hand(recipe: Recipe, fold: int):
    """A fold as it is by the long way: train a bundle, open it, tag the texts."""
    part = [CORPUS[d] for d in training_part(FOLDS, fold)]
    made = make_dictionaries(recipe, part, LISTS)
    models = {p.recipe.kind: fit(p, seed=recipe.seed) for p in prepare(recipe, part, made)}
    bundle = make_bundle("x", recipe=recipe, models=models, dictionaries=made)
    scrubber = Scrubber(bundle, recognisers=(), native_labels=False)
    found = scrubber.entities(*(CORPUS[d].text for d in FOLDS[fold]))
    return [[(c.start, c.end, c.label) for c in one] for one in found]


TWO = Recipe(
    "two",
    (
        RECIPE.taggers[0],
        dataclasses.replace(
            RECIPE.taggers[0],
            layer="character",
            scheme="BIOES",
            features=at(Word(), -3, -2, -1, 0, 1, 2, 3),
        ),
    ),
)
EXTENDED = dataclasses.replace(RECIPE, extensions=(Extension("sites", (), ("HOSPITAL",)),))


@pytest.mark.parametrize(
    "recipe",
    [RECIPE, TWO, dataclasses.replace(TWO, vote="both"), EXTENDED],
    ids=["one", "two", "vote", "extended"],
)
def test_a_fold_finds_what_a_bundle_trained_on_the_others_finds(recipe):
    (outcome,) = tried((Setting((), recipe),))
    for fold, held in enumerate(FOLDS):
        found = [[(s.start, s.end, s.label) for s in outcome.found[d]] for d in held]
        assert found == by_hand(recipe, fold)
    assert 0 < outcome.scored.strict.f1 <= 1


def test_a_fold_carries_over_what_a_bundle_does(monkeypatch):
    # The surname stands again, where nothing but the name above tells what it is.
    signed = [
        dataclasses.replace(document, text=f"{document.text}\n{name.split()[1]}")
        for document in CORPUS
        for name in [document.text[document.spans[0].start : document.spans[0].end]]
    ]
    monkeypatch.setattr(f"{__name__}.CORPUS", signed)
    again = dataclasses.replace(RECIPE, propagation=Propagation(("DOCTOR",), ("DOCTOR",), 3, 0.1))
    plain, outcome = tried((Setting((), RECIPE), Setting((), again)))
    for fold, held in enumerate(FOLDS):
        found = [[(s.start, s.end, s.label) for s in outcome.found[d]] for d in held]
        assert found == by_hand(again, fold)
    assert all(set(one) <= set(more) for one, more in zip(plain.found, outcome.found, strict=True))
    assert sum(map(len, plain.found)) < sum(map(len, outcome.found))


SETTINGS = grid(RECIPE, [("max_iterations", ("1", "4")), ("leave_out", ("none", "prefix+suffix"))])


def test_any_number_of_processes_finds_the_same():
    told: set[tuple[int, int]] = set()
    one = tried(SETTINGS, on_iteration=lambda s, f, i, x: told.add((s, f)))
    assert len(told) == 12
    again: set[tuple[int, int]] = set()
    two = tried(SETTINGS, jobs=2, on_iteration=lambda s, f, i, x: again.add((s, f)))
    assert same(one) == same(two)
    assert told == again
    assert one[0].setting.name == "max_iterations=1 leave_out=none"
    assert one[best_of(one)].f1 == max(outcome.f1 for outcome in one)


def test_of_equals_the_smaller_then_the_first_is_best():
    (outcome,) = tried()
    bigger = dataclasses.replace(outcome, bytes=outcome.bytes + 1)
    assert best_of([bigger, outcome, outcome]) == 1
    worse = dataclasses.replace(outcome, by_fold=(dataclasses.replace(outcome.by_fold[0]),))
    assert best_of([outcome, worse]) in (0, 1)


class Killed(BaseException):
    pass


@pytest.fixture
def work(tmp_path):
    return named_private_folder(str(tmp_path / "work"), "--work")


@pytest.mark.parametrize("after", [1, 2, 5])
def test_a_search_that_was_killed_goes_on(work, after):
    done: list[tuple[int, int, bool]] = []

    def finished(setting, fold, trial, kept):
        done.append((setting, fold, kept))
        if len(done) == after:
            raise Killed

    with pytest.raises(Killed):
        tried(SETTINGS, work=work, on_trial=finished)
    assert len(list(work.iterdir())) == after
    first, done[:] = done[:], []
    found = tried(
        SETTINGS, work=work, jobs=2, on_trial=lambda s, f, trial, kept: done.append((s, f, kept))
    )
    assert [(s, f) for s, f, kept in done if kept] == [(s, f) for s, f, _ in first]
    assert len(done) == 12
    assert same(found) == same(tried(SETTINGS))


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(path.read_bytes().replace(b"DOCTOR", b"DOCTER", 1)),
    ],
)
def test_a_damaged_trial_is_tried_again(work, damage):
    good = tried(work=work)
    damage(min(work.iterdir()))
    kept: list[bool] = []
    found = tried(work=work, on_trial=lambda s, f, trial, was: kept.append(was))
    assert sorted(kept) == [False, True, True]
    assert same(found) == same(good)


@pytest.mark.parametrize(
    "changed",
    [
        {"documents": [*CORPUS[:-1], dataclasses.replace(CORPUS[-1], spans=CORPUS[-1].spans[:1])]},
        {"folds": make_folds(CORPUS, 3, seed=1)},
        {"settings": grid(RECIPE, [("sampling", ("window:2",))])},
        {"dictionaries": {"sites": Dictionary("sites", ("Oakton",), "0" * 64)}},
    ],
    ids=["corpus", "folds", "recipe", "list"],
)
def test_a_trial_of_something_else_is_not_taken(work, changed):
    tried(work=work)
    kept: list[bool] = []
    values = {"settings": ONE, "documents": CORPUS, "folds": FOLDS, "dictionaries": LISTS}
    cross_validate(
        **{**values, **changed}, work=work, on_trial=lambda s, f, trial, was: kept.append(was)
    )
    assert kept == [False] * 3


def test_the_work_folder_is_the_owners_and_holds_no_text(work):
    tried(work=work)
    for path in work.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        content = path.read_bytes()
        assert not any(name.encode() in content for name in ("Ann", "Oakton", "fever"))
    assert stat.S_IMODE(work.stat().st_mode) == 0o700


def test_folders_that_others_may_read_are_refused(tmp_path):
    open_folder = tmp_path / "open"
    open_folder.mkdir(mode=0o755)
    with pytest.raises(UsageError, match="--work must belong to you"):
        named_private_folder(str(open_folder), "--work")
    (tmp_path / "file").write_text("")
    for path in ("s3://bucket/work", "memory::work", str(tmp_path / "file")):
        with pytest.raises(UsageError, match="--work"):
            named_private_folder(path, "--work")


def test_a_fold_without_phi_to_learn_from_is_told():
    corpus = [CORPUS[0], *(AnnotatedDocument(f"n{i}", "No fever.") for i in range(3))]
    with pytest.raises(UsageError, match="fold . of 4: nothing to learn"):
        cross_validate(ONE, corpus, make_folds(corpus, 4), dictionaries=LISTS, jobs=2)


def test_words_of_held_out_documents_extend_no_list(monkeypatch):
    seen = []

    def spy(recipe, documents, lists, label_map=None):
        seen.append({d.doc_id for d in documents})
        return make_dictionaries(recipe, documents, lists, label_map)

    monkeypatch.setattr(crossvalidation, "make_dictionaries", spy)
    tried((Setting((), EXTENDED),))
    assert seen == [{CORPUS[d].doc_id for d in training_part(FOLDS, fold)} for fold in range(3)]


def test_the_report_names_the_best_and_holds_no_text():
    outcomes = tried(SETTINGS)
    page = report_markdown(outcomes, recipe="tiny", folds=3)
    values = json.dumps(report_json(outcomes, recipe="tiny", folds=3))
    best = outcomes[best_of(outcomes)]
    assert f"Best: `{best.setting.name}`" in page
    assert json.loads(values)["settings"][json.loads(values)["best"]]["mean strict f1"] == best.f1
    assert len([line for line in page.split("\n") if line.startswith("| ")]) == 2 + len(SETTINGS)
    for text in (page, values):
        assert not any(name in text for name in ("Ann", "Oakton", "d1 "))
    assert "| fold |" in report_markdown(tried(), recipe="tiny", folds=3)


# -- processes


@pytest.mark.parametrize("jobs", [1, 2, 3, 9])
def test_tasks_come_back_each_once(jobs):
    def work(task, tell):
        tell(task, 1, 0.5)
        return task * task

    told = []
    tasks = run_tasks(work, range(5), jobs=jobs, on_iteration=lambda *words: told.append(words))
    found = dict(tasks)
    assert found == {n: n * n for n in range(5)}
    assert sorted(told) == [(n, 1, 0.5) for n in range(5)]
    assert list(run_tasks(work, [], jobs=jobs)) == []


def test_a_child_that_fails_tells_no_text():
    def work(task, tell):
        raise ValueError("Mr. Smith")

    with pytest.raises(RunFailed, match="failed: ValueError$"):
        dict(run_tasks(work, [0, 1], jobs=2))


def test_a_child_that_is_killed_is_told():
    def work(task, tell):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(RunFailed, match="died, .*fewer --jobs"):
        dict(run_tasks(work, [0, 1], jobs=2))


def test_children_say_nothing(capfd):
    def work(task, tell):
        os.write(1, b"told by a child")
        os.write(2, b"told by a child")
        print("told by a child")
        return task

    assert dict(run_tasks(work, [0, 1, 2], jobs=2)) == {0: 0, 1: 1, 2: 2}
    # The parent may say something as it forks: gRPC does, where another test has used it.
    assert "told by a child" not in "".join(capfd.readouterr())


def test_learners_of_two_kinds_share_features_in_one_search():
    lbfgs = dataclasses.replace(
        RECIPE,
        taggers=(
            dataclasses.replace(RECIPE.taggers[0], learner=Learner.of("lbfgs", max_iterations=5)),
        ),
    )
    calls = []

    def counted(*values):
        calls.append(1)
        return prepare(*values)

    tried((*ONE, Setting((("algorithm", "lbfgs"),), lbfgs)), prepared_by=counted)
    assert len(calls) == 1
