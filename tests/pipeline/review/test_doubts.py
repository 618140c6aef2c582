"""Uncertain words of what is read: found in the background, never waited for."""

import threading

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.risk.scoring import UncertainToken
from scrubline.models.scrubber import Scrubber
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.certifying.review_folder import ReviewFolder
from scrubline.pipeline.options import Options
from scrubline.pipeline.review.doubts import Doubts, open_models
from scrubline.pipeline.review.texts import ReviewedOutput
from scrubline.pipeline.run import scrub

from ...waiting import GUARD_SECONDS
from ..conftest import COLUMNS, write_corpus
from .conftest import Reader
from .test_people import of_twice, read


class StandIn:
    """Tells the word "mail" of every text, and what it was asked."""

    def __init__(self, p=0.31):
        self.p, self.asked = p, []

    def uncertain(self, text, *, note_type=None, markup=None):
        self.asked.append((text, note_type, markup))
        at = text.find("mail")
        return [UncertainToken(at, at + 4, self.p)] if at >= 0 else []


@pytest.fixture
def with_doubts(reader):
    """Makes a reader whose desk has what tells uncertain words."""

    def make(opener, name="ana", **more):
        ana = reader(name, **more)
        ana.desk._doubts = Doubts(ana.output, opener)
        return ana

    return make


def places(shown):
    return [(one["start"], one["end"], one["p"]) for one in shown["uncertain"]]


def with_mail(reader):
    """A text in which the stand-in finds something."""
    texts = reader.output.texts
    return next(text for text in sorted(texts) if "mail" in reader.output.original(text))


def address(text):
    return f"{text[0]}?field={text[1]}"


def test_words_are_told_once_they_are_known(with_doubts):
    models = StandIn()
    ana = with_doubts(lambda: models)
    text = with_mail(ana)
    ana.call("GET", f"/api/document/{address(text)}")
    assert ana.desk._doubts.wait(GUARD_SECONDS)
    shown = ana.call("GET", f"/api/document/{address(text)}")
    original = ana.output.original(text)
    at = original.index("mail")
    assert (at, at + 4, 0.31) in places(shown)
    assert places(shown) == sorted(places(shown))
    # The next one of the queue was asked for as well, each once, as the run read them.
    assert len(models.asked) == 2
    assert models.asked[0] == (original, ana.output.texts[text].queued.note_type, "plain")


def test_a_text_is_shown_while_the_models_are_opened(with_doubts):
    go_on = threading.Event()

    def opener():
        assert go_on.wait(GUARD_SECONDS)
        return StandIn()

    ana = with_doubts(opener)
    text = with_mail(ana)
    before = ana.call("GET", f"/api/document/{address(text)}")
    assert 0.31 not in [one["p"] for one in before["uncertain"]]
    assert not ana.desk._doubts.wait(0)
    go_on.set()
    assert ana.desk._doubts.wait(GUARD_SECONDS)
    after = ana.call("GET", f"/api/document/{address(text)}")
    assert 0.31 in [one["p"] for one in after["uncertain"]]


def test_without_the_models_a_text_is_shown_all_the_same(with_doubts, caplog):
    def opener():
        raise UsageError("the bundle of Ann Poe is missing")

    ana = with_doubts(opener)
    text = with_mail(ana)
    for _ in range(2):
        shown = ana.call("GET", f"/api/document/{address(text)}")
        assert 0.31 not in [one["p"] for one in shown["uncertain"]]
        assert ana.desk._doubts.wait(GUARD_SECONDS)
    assert "UsageError" in caplog.text and "Ann Poe" not in caplog.text


def test_one_text_that_fails_stops_no_other(with_doubts):
    class Failing(StandIn):
        def uncertain(self, text, **more):
            if not self.asked:
                self.asked.append(None)
                raise ValueError(text)
            return super().uncertain(text, **more)

    models = Failing()
    ana = with_doubts(lambda: models)
    first, second = [t for t in sorted(ana.output.texts) if "mail" in ana.output.original(t)][:2]
    assert ana.desk._doubts.of(first) in (None, ())
    assert ana.desk._doubts.wait(GUARD_SECONDS)
    ana.desk._doubts.ask(second)
    assert ana.desk._doubts.wait(GUARD_SECONDS)
    assert [one.p for one in ana.desk._doubts.of(second)] == [0.31]


def test_what_was_removed_is_not_uncertain(with_doubts):
    class Everything(StandIn):
        def uncertain(self, text, **more):
            return [UncertainToken(at, at + 1, 0.2) for at in range(len(text))]

    ana = with_doubts(Everything)
    text = with_mail(ana)
    ana.desk._doubts.ask(text)
    assert ana.desk._doubts.wait(GUARD_SECONDS)
    shown = ana.call("GET", f"/api/document/{address(text)}")
    boxes = [(one["start"], one["end"]) for one in shown["segments"] if one["removed"]]
    assert boxes and shown["uncertain"]
    assert not [one for one in places(shown) for a, b in boxes if a < one[1] and one[0] < b]


def test_a_campaign_is_told_nothing(with_doubts, campaign):
    drawn, models = campaign(), StandIn()
    ben = with_doubts(lambda: models, "ben", campaign="spring", drawn=drawn)
    text, shown = ben.take()
    assert "uncertain" not in shown
    assert models.asked == []


def test_the_difference_of_two_readers_has_what_the_model_says_of_it(with_doubts, reader):
    ana = reader("ana")
    ana_texts = [t for t in of_twice(ana, twice=True) if "mail" in ana.output.original(key(t))]
    text = ana_texts[0]
    at = ana.output.original(key(text)).index("mail")
    word = {"start": at, "end": at + 4, "label": "EMAIL", "was": None}
    label = next(one for one in ana.output.labels)
    read(ana, text, [{**word, "label": label}])
    read(reader("ben"), text, [])
    eva = with_doubts(StandIn, "eva", is_adjudicator=True)
    eva.desk._doubts.ask(key(text))
    assert eva.desk._doubts.wait(GUARD_SECONDS)
    (difference,) = eva.call("GET", f"/api/differences/{text}")["differences"]
    assert difference["model"] == {"tag": "O", "p": 0.31}


def key(url):
    doc, _, field = url.partition("?field=")
    return doc, field


def test_the_models_of_a_run_are_opened_and_tell_words(tmp_path, key_file):
    write_corpus(tmp_path / "in", notes=12, files=1, broken=False)
    scrub(
        Storage(),
        Options(
            inputs=(str(tmp_path / "in"),),
            output=str(tmp_path / "out"),
            models=("meddocan-hide",),
            recognisers=(),
            columns=COLUMNS,
            key_source=key_file,
            progress=False,
        ),
    )
    folder = ReviewFolder.of(str(tmp_path / "out"))
    ana = Reader(str(tmp_path / "out"), key_file, "ana", folder=folder)
    ana.begin()
    assert ana.output.job.models
    doubts = ana.desk._doubts = Doubts(ana.output, lambda: open_models(ana.output.job))
    doubts.ask(*ana.output.texts)
    assert doubts.wait(GUARD_SECONDS)
    models = Scrubber("meddocan-hide", recognisers=())
    told = 0
    for text in sorted(ana.output.texts):
        expected = models.uncertain(ana.output.original(text), markup="plain")
        assert list(doubts.of(text)) == expected
        told += len(expected)
        shown = ana.call("GET", f"/api/document/{address(text)}")
        assert {(one.start, one.end, one.p) for one in expected} <= set(places(shown))
    assert told


def test_models_that_are_others_now_tell_nothing(tmp_path, output, key_file):
    opened = ReviewedOutput(Storage(), output, key_file, ())
    assert opened.job.models == ()
    assert open_models(opened.job).detectors == ()
