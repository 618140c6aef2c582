from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import hl7


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in hl7.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "PID|1||[[0992817]]||SORIANO^BENEDICTO||19470904|M",
        "PID|||[[69914]]^^^WVH||O'SHAUGHNESSY^C",
        "PID|1||[[0038045]]^^^CTX^MR~[[000-61-8045]]^^^SSA^SS||FINCH^SAMUEL",
        "PID|1|[[A123]]|[[B-456]]^^^X|[[C789]]|N^A",
        "MSH|^~\\&|LAB|ORG|EMR|ORG|201604110815||ORU^R01|[[9917720]]|P|2.4",
        "MSH|^~\\&|A|B|C|D|20240514055012-0500||ORU^R01|[[Q88104417]]|T|2.3",
        "OBR|1||[[H16-4471]]|CBC W DIFF",
        "OBR|1|[[2405140017]]|[[W7719002]]|BCID2^X",
        "OBR|1|[[L15-601-0093]]^LAB|[[8842917]]|LIVER",
        "OBR|1|||X|||201506|||[[PHLEB44]]||||||",
        "PV1||I|ICU^04^A||||[[1550041799]]^FROST^HOLLY",
        "PV1|1|O|LVTX^^^CYPRESS||||[[1760009982]]^A^B|[[1234567893]]^C^D",
        "IN1|1|PPO|[[AETNA01]]|||||[[0411773]]|",
        "ORC|RE|[[4417]]^P|[[77120]]^F",
        "x\nPID|1||[[0992817]]\nNK1|1",
        "x\r\nPID|1||[[0992817]]\r\nNK1|1",
        "🙂\nPID|1||[[0992817]]",
        "PID|1||[[MS 334 17]]^^^X",
        "pid|1||[[0992817]]",
        "PID|1||[[12]]~[[34]]~[[56]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "PID|1||||ROE^JO",
        "PID|1",
        "PID||",
        "PID 12345",
        "xPID|1||0992817",
        "x PID|1||0992817",
        "OBX|1|NM|WBC||5.1|10*3",
        "NTE|1||12345",
        "NK1|1|ROE|SPO|||6175550100",
        "PID|1||^^^X",
        "PID|1||A^^^X",
        "PID|1||name only^X",
        "PID|1||5^^^X",
        "MSH|^~\\&",
        "MSH",
        "PV1|1|O|LVTX 123",
        "OBR|1|||5.1",
        "IN1|1|PPO 123|",
        "PID|1|||||19470904|M|||7 ELM CT^^X^MT^59501",
        "|||||",
        "PID | 1 | | 0992817",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
