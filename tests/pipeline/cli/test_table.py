import importlib
import inspect

import pytest
from scrubline.pipeline.cli.parser import make_parser
from scrubline.pipeline.cli.table import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_one_way_to_run(name):
    module = importlib.import_module(f"scrubline.pipeline.{COMMANDS[name].module}")
    assert list(inspect.signature(module.run).parameters) == ["parsed"]
    assert module.run.__annotations__["return"] == "ExitCode"


def test_the_help_lists_the_commands_in_the_order_of_the_table():
    choices = next(a for a in make_parser()._actions if a.dest == "command").choices
    assert list(choices) == list(COMMANDS)
