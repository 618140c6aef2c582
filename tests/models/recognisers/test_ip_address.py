from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import ip_address


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [
        (c.start, text[c.start : c.end]) for c in ip_address.recognise(Document(text), Context())
    ]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "from [[192.168.1.250]], port",
        "IP [[1.2.3.4]]",
        "host [[2001:db8::8a2e:370:7334]].",
        "[[2001:0db8:85a3:0000:0000:8a2e:0370:7334]]",
        "[[10.0.0.1:8080]] up",
        "[[192.168.10.0/24]] net",
        "[[192.168.1.10:443]]",
        "Login IP [[198.51.100.77]]   user",
        "TERMINAL [[192.0.2.17]] ",
        "IP\n[[2001:db8:417:9::22]] (logged",
        "[[fe80::1%eth0]] up",
        "[[fe80::1ff:fe23:4567:890a%3]]",
        "[[2001:db8::/32]] range",
        "[[2001:db8:abcd:12::/64]]",
        "[ [[2001:db8::8a2e:370:7334]] ]:443 x",
        "[[::ffff:192.0.2.128]]",
        "ip [[::1]]",
        "ipv6 [[1::2]]",
        "[[1:2:3:4:5:6:7:abcd]]",
        "address [[41.173.96.26]] blocked",
        "[[255.255.255.255]]",
        "host [[2001:DB8::1]]: down",
        "MAC [[00:1b:44:11:3a:b7]]",
        "[[00-1B-44-11-3A-B7]] card",
        "[[001b.4411.3ab7]]",
        "mac 🙂 [[aa:bb:cc:dd:ee:ff]]",
        "server [[9.9.9.9]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "version 10.12.13.14",
        "section 1.2.3.4; 1.2.3.4.5; 300.1.1.1; 1.1.1.999",
        "12:30:45, a::b, 1::2, 10:30:20:15, ::",
        "v1.2.3.4",
        "10.10.10",
        "01.02.03.04",
        "10.0.0.1.5",
        "ratio 1:2:3",
        "08:30:00",
        "12:15:30:45",
        "12-10-15-08-30-00",
        "12:10:15:08:30:00",
        "20:16:04:11:08:15",
        "a:b:c",
        "dead:beef",
        "face::",
        "0800: 0900: 1000:",
        "2012.01.02.1",
        "rev 192.168.1.1",
        "1.2.3.4",
        "1234.5678.9012",
        "add:dad",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
