"""Observers of a run: every event reaches every one, and counters add up."""

import inspect

import pytest
from scrubline.pipeline.observer import MetricsTotal, Observers, RunObserver

EVENTS = {
    name: len(inspect.signature(event).parameters) - 1
    for name, event in vars(RunObserver).items()
    if not name.startswith("_")
}


class Noting(RunObserver):
    """Notes every event in a list that several may share."""

    def __init__(self, name, noted):
        self.name, self.noted = name, noted

    def __getattribute__(self, name):
        if name in EVENTS:
            return lambda *given: self.noted.append((self.name, name, given))
        return super().__getattribute__(name)


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_reaches_all_observers_in_order(name):
    noted = []
    given = tuple(range(EVENTS[name]))
    getattr(Observers(Noting("one", noted), Noting("two", noted)), name)(*given)
    assert noted == [("one", name, given), ("two", name, given)]


@pytest.mark.parametrize("name", EVENTS)
def test_an_observer_may_leave_any_event_out(name):
    assert getattr(RunObserver(), name)(*range(EVENTS[name])) is None
    assert set(vars(Observers)) >= set(EVENTS)


def test_what_an_observer_raises_ends_the_run():
    class Failing(RunObserver):
        def checked(self):
            raise OSError

    with pytest.raises(OSError):
        Observers(Failing(), RunObserver()).checked()


def test_metrics_add_up_and_maxima_stay():
    total = MetricsTotal()
    total.units_done([1], {"Write": {"documents": 2, "ms_max": 7}})
    total.units_done([], {"Write": {"documents": 3, "ms_max": 5}, "Scrub": {"documents": 1}})
    assert total.metrics == {"Write": {"documents": 5, "ms_max": 7}, "Scrub": {"documents": 1}}
