import re
from pathlib import Path

from scrubline.models.core.labels import LABELS, SCORED_AS_HIPAA
from scrubline.models.evaluation import METRICS

PAGE = (Path(__file__).parents[3] / "docs/evaluation.md").read_text(encoding="utf-8")


def test_every_metric_has_a_row_in_the_order_of_the_report():
    rows = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
    assert [name for name, *_ in rows] == list(METRICS)


def test_the_hipaa_labels_of_the_page_are_those_that_count():
    (rule,) = re.findall(r"^5\. \*HIPAA\*: (.*?) The script's README", PAGE, re.M | re.S)
    assert set(re.findall(r"[A-Z-]{3,}", rule)) & set(LABELS) == SCORED_AS_HIPAA
