import tomllib

from hypothesis import given
from hypothesis import strategies as st
from scrubline.pipeline.options.new_config import ConfigLine, config_text

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS, TEXTS, TEXTS)
def test_any_name_and_value_comes_back(name, value, comment):
    lines = [ConfigLine(name, "drop", comment)]
    settings = [ConfigLine("input", [value, "b"], comment), ConfigLine("header", False)]
    loaded = tomllib.loads(config_text("one\ntwo", settings, {"": lines}))
    assert loaded == {"input": [value, "b"], "header": False, "column": {name: "drop"}}


def test_lines_that_are_off_are_comments():
    text = config_text("", [ConfigLine("key_file", "k", "make one", is_off=True)], {"x": []})
    assert '# key_file = "k"  # make one\n' in text
    assert tomllib.loads(text) == {}
