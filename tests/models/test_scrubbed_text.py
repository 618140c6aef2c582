import pickle
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline import Scrubber
from scrubline.models.core.errors import UsageError
from scrubline.models.core.labels import CATEGORIES
from scrubline.models.scrubbed_text import _BACKGROUNDS

from ..examples import examples

RULES = Scrubber(models=None)
TEXT = "Seen 3/4/2012 <b>by</b> Dr. Halvorsen & co. MRN: 1234567."
CANARIES = ("3/4/2012", "Halvorsen", "1234567")


class Shown(HTMLParser):
    """The text that a browser shows, and the tags that make it."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.text, self.tags, self.marks = "", set(), []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "mark":
            self.marks.append(dict(attrs)["title"])

    def handle_data(self, data):
        self.text += data


def test_a_notebook_shows_the_scrubbed_text_and_nothing_of_the_original():
    result = RULES.explain(TEXT)
    page = result._repr_html_()
    shown = Shown(page)
    assert (
        shown.text
        == result.text
        == "Seen [DATE] <b>by</b> Dr. [DOCTOR] & co. MRN: [MEDICALRECORD]."
    )
    assert not any(canary in page for canary in CANARIES)
    assert shown.tags == {"div", "mark"}
    assert [title.split(" · ")[:2] for title in shown.marks] == [
        ["DATE", "redact"],
        ["DOCTOR", "redact"],
        ["MEDICALRECORD", "redact"],
    ]


def test_every_category_has_a_colour_of_its_own():
    assert _BACKGROUNDS.keys() | {"PHI"} == CATEGORIES.keys()
    assert len(set(_BACKGROUNDS.values())) == len(_BACKGROUNDS)
    (date, doctor) = re.findall(r"<mark[^>]*background:(#\w+)", RULES.explain(TEXT)._repr_html_())[
        :2
    ]
    assert (date, doctor) == (_BACKGROUNDS["DATE"], _BACKGROUNDS["NAME"])


def test_masked_text_is_labelled_and_kept_text_is_marked_otherwise(tmp_path):
    path = tmp_path / "site.toml"
    path.write_text('name = "site"\nextends = "research"\n[actions]\nEMAIL = "mask"\n')
    page = Scrubber(None, policy=str(path)).explain("on 3/4/2012 a@b.example")._repr_html_()
    assert Shown(page).text == "on 3/4/2012DATE ***********EMAIL"
    assert page.count("dashed") == 1
    assert "DATE · keep · policy" in page


@examples(50)
@given(st.text(alphabet=st.sampled_from("<>&\"'/ 0123456789-@.:aZé🙂\n"), max_size=60))
def test_any_text_is_shown_as_it_is(text):
    result = RULES.explain(text)
    shown = Shown(result._repr_html_())
    assert shown.text == result.text
    assert shown.tags <= {"div", "mark"}


def test_the_original_is_shown_only_to_whom_brings_it_and_below_a_warning():
    result = RULES.explain(TEXT)
    view = result.beside_original(TEXT)
    page = view._repr_html_()
    assert all(canary in page for canary in CANARIES)
    assert page.index("clear this output") < page.index("Halvorsen")
    assert Shown(page).tags == {"div", "mark", "p", "strong", "sup"}
    for shown in (repr(view), str(view), repr(result), f"{view}"):
        assert not any(canary in shown for canary in CANARIES)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(view)
    assert not any(canary.encode() in pickle.dumps(result) for canary in CANARIES)


@pytest.mark.parametrize("other", ["", TEXT + " ", "X" + TEXT[1:], TEXT.replace("co", "no")])
def test_another_text_is_not_taken_for_the_original(other):
    with pytest.raises(UsageError, match="not the text that was scrubbed"):
        RULES.explain(TEXT).beside_original(other)
