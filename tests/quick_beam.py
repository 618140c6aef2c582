"""What Beam asks of the same classes some thousand times in each pipeline is answered once.

Which arguments a method of a DoFn takes, which of them are of state, and how it returns depend on
its class alone, and what a class of options reads from some words on both. To ask for it takes more
than a third of a run over some notes.
"""

from __future__ import annotations

import argparse
import copy
import functools
import logging
import types
from collections.abc import Callable, Sequence
from typing import Any

from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.transforms import core, userstate


def answer_once() -> None:
    """Changes Beam in this process; what it answers stays the same."""
    arguments = _by_method(core.get_function_args_defaults)
    # Beam's own lists, which a caller might change.
    core.get_function_args_defaults = lambda function: tuple(map(list, arguments(function)))
    core._check_fn_use_yield_and_return = _by_method(core._check_fn_use_yield_and_return)
    userstate.get_dofn_specs = _by_class(userstate.get_dofn_specs)
    PipelineOptions.__init__ = _by_words(PipelineOptions.__init__)


def _by_method(ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
    known: dict[Any, Any] = {}

    @functools.wraps(ask)
    def asked(function: Any) -> Any:
        if not isinstance(function, types.MethodType) or isinstance(function.__self__, type):
            return ask(function)
        if (key := function.__func__) not in known:
            known[key] = ask(function)
        return known[key]

    return asked


def _by_class(ask: Callable[[Any], tuple[set[Any], set[Any]]]) -> Callable[[Any], Any]:
    stateless: set[type] = set()

    @functools.wraps(ask)
    def asked(dofn: Any) -> tuple[set[Any], set[Any]]:
        # Of a DoFn around a function, it is the function that says what it takes, by its defaults.
        wraps = isinstance(dofn, core.CallableWrapperDoFn)
        if type(dofn) in stateless and not (wraps and _defaults(dofn)):
            return set(), set()
        found = ask(dofn)
        if not any(found) and not (wraps and _defaults(dofn)):
            stateless.add(type(dofn))
        return found

    return asked


def _defaults(dofn: core.CallableWrapperDoFn) -> bool:
    """Whether the function may have defaults: all but a plain one without."""
    function = dofn._process_argspec_fn() if dofn._fullargspec is None else None
    is_plain = isinstance(function, types.FunctionType) and not hasattr(function, "__wrapped__")
    return not is_plain or bool(function.__defaults__ or function.__kwdefaults__)


def _by_words(read: Callable[..., None]) -> Callable[..., None]:
    known: dict[Any, dict[str, Any]] = {}

    @functools.wraps(read)
    def begin(self: Any, flags: Sequence[str] | None = None, **given: Any) -> None:
        key = None if flags is None else (type(self), tuple(flags))
        if key not in known or given:
            read(self, flags, **given)
            if key is not None:
                known[key] = copy.deepcopy(vars(self._visible_options))
            return
        logging.basicConfig()
        self._flags = flags
        self._visible_options = argparse.Namespace(**copy.deepcopy(known[key]))
        self._all_options = dict(vars(self._visible_options))

    return begin
