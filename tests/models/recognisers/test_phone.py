from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import phone


def found(text: str) -> list[tuple[str, str]]:
    return [(text[c.start : c.end], c.label) for c in phone.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ward 34 direct line 01924 550 341", ["01924 550 341"]),
        ("NOK Linda 07911 123 608/GP", ["07911 123 608"]),
        ("rang 028 3086 0297.", ["028 3086 0297"]),
        ("Mobile   087 610 4429   NOK", ["087 610 4429"]),
        ("mum, Raelene 0491 577 644\n", ["0491 577 644"]),
        ("(+61 491 570 156), no answer", ["+61 491 570 156"]),
        ("+44 (0)20 7946 0958", ["+44 (0)20 7946 0958"]),
        ("number given 1800 550 219.", ["1800 550 219"]),
        ("t (03) 9417 5586", ["(03) 9417 5586"]),
        ("Ph : 94480 71263 (son)", ["94480 71263"]),
        ("Hoque 01812-440973/age", ["01812-440973"]),
        ("Dr Sujatha 08963-703021.", ["08963-703021"]),
        ("nephew HP 8381 0136 (informed)", ["8381 0136"]),
        ("dr aina hp 0197570127", ["0197570127"]),
        ("(02) 8965 0116 loc. 118.", ["(02) 8965 0116", "118"]),
        ("FY1, bleep 2276, GMC", ["2276"]),
        ("turns 0600 1400 2200; 02 1200 1800", []),
        ("at 0800 1200 1600", []),
        ("counts 60000 70000", []),
        ("NHS No 0123 456 789", []),
        ("CHI 0101301234", []),
        ("sats 9104 2286", []),
        ("0400 500 600 ml", []),
    ],
)
def test_numbers_of_other_countries(text, expected):
    assert [number for number, _ in found(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("phone 301-555-0116.", [("301-555-0116", "PHONE")]),
        ("(406)555-0171", [("(406)555-0171", "PHONE")]),
        ("(617) 555-0100", [("(617) 555-0100", "PHONE")]),
        ("505.555.0133. ", [("505.555.0133", "PHONE")]),
        ("+1 617 555 0100", [("+1 617 555 0100", "PHONE")]),
        ("T 603-555-0141   F 603-555-0142", [("603-555-0141", "PHONE"), ("603-555-0142", "FAX")]),
        (
            "faxed packet to 555-0129. nephew, 555-0130",
            [("555-0129", "FAX"), ("555-0130", "PHONE")],
        ),
        ("fax: (617) 555-0111", [("(617) 555-0111", "FAX")]),
        ("by phone (216 555 0184), he", [("216 555 0184", "PHONE")]),
        ("Téléc. 613-555-0151", [("613-555-0151", "FAX")]),
        ("phone/fax 617-555-0111", [("617-555-0111", "PHONE")]),
        ("call 617-555-0111 x4419", [("617-555-0111", "PHONE"), ("4419", "PHONE")]),
        ("617-555-0111x4419", [("617-555-0111", "PHONE"), ("4419", "PHONE")]),
        ("lic  x4419", [("4419", "PHONE")]),
        ("ext. 225", [("225", "PHONE")]),
        ("pager 71120, pgr 2-7734", [("71120", "PHONE"), ("2-7734", "PHONE")]),
        ("beeper #3312", [("3312", "PHONE")]),
        ("cell 6175550100", [("6175550100", "PHONE")]),
        ("tel 555 0133", [("555 0133", "PHONE")]),
        ("+44 20 7946 0958", [("+44 20 7946 0958", "PHONE")]),
        ("Tfno: 956 203 145 y 956 203 146.", [("956 203 145", "PHONE"), ("956 203 146", "PHONE")]),
        (
            "Tel.: 93 416 97 00 Fax: 973 70 52 63",
            [("93 416 97 00", "PHONE"), ("973 70 52 63", "FAX")],
        ),
        ("🙂 teléfono 🙂 617–555–0100", [("617–555–0100", "PHONE")]),
    ],
)
def test_numbers_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "500-1000 mg",
        "heparin 500-1000",
        "shift 700-1500",
        "0700-1500",
        "platelets 150-400",
        "MRN 555-0116",
        "MRN: 301-555-0116",
        "acct 6175550100",
        "steri x4, A&O x3",
        "x 2000 units",
        "2x1000",
        "SSN 123-45-6789",
        "12-555-01167",
        "1234567890",
        "07/04/2012",
        "peptide 166 pmol/L (298-2350)",
        "OMIM +603967",
        "ICD 250.00",
        "4.0-11.0",
        "vitamin D 1000 IU",
        "HPN-9876543210",
        "BP 120/80",
        "call 911",
        "exit 2",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in phone.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "[[617-555-0100]]/[[0101]]",
        "[[617-555-0100]]/[[617-555-0101]]",
        "T: [[617.555.0100]] F: [[617.555.0101]] M: [[617.555.0102]]",
        "call [[617-555-0100]] L arm swollen",
        "called patient [[617-555-0100]]",
        "Medicare [[1-800-555-0142]]",
        "Phone # [[617-555-0100]]",
        "[[1 (617) 555-0100]]",
        "call back at [[5-0417]]",
        "text page [[12345]]",
        "Pager: [[(617) 555-0100]] #[[1234]]",
        "FX: [[(218) 555-0112]]",
        "fx [[970.555.0191]]",
        "Ph. [[207 555 0120]]    Fx. [[207 555 0125]]",
        "work [[915-555-0128]] x[[31]]",
        "[[775-555-0163]]  ext [[212]]",
        "[[775-555-0163]], ext. [[2]]",
        "[[617-555-0100]] (x[[5521]])",
        "CCC-SLP  x[[3-7745]]",
        "ext [[5-0417]]",
        "extension [[12345]]",
        "pager [[906-555-0133]]",
        "pager # [[71120]]",
        "pager number is [[71120]]",
        "beeper  [[0417]]",
        "BEEPER [[1187]]",
        "Stroke pager [[34417]].",
        "pgr [[7719]]",
        "PAGED AT [[7719]].",
        "S. Adler MD  #[[50221]]",
        "p [[31234]]",
        "RN p [[31234]]",
        "c: [[617-555-0100]]",
        "cell #[[617-555-0100]]",
        "H: [[775-555-0161]]   C: [[775-555-0162]]",
        "call [[1-800-FLOWERS]] now",
        "[[1-800-QUIT-NOW]]",
        "[[(800) GET-HELP]]",
        "[[888-HELP-NOW]]",
        "[[1-800-555-0188]]",
        "+ [[+44 20 7946 0417]], CARDIFF",
        "Mobile: [[0490 39 07 81]]",
        "Phone:\n[[60-56-85-91]]",
        "phone: [[9469 9966]]",
        "call me at [[0494 92 82 32]] I'd",
        "Fax: [[001-253-366-9781]]",
        "Tel.: [[02216/325-15423]], Fax: [[02216/325-15338]]",
        "Fax: [[+43 (453) 14-592-12098]]",
        "desk: [[+1-604-696-5272]]x[[565]]",
        "Telephone [[757 555 0120]]",
        "Rosa Cabral fax [[973-555-0106]]. 2 PbB",
        "Fax: [[345-899-3560]]x[[4587]]",
    ],
)
def test_other_forms_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "paged at 0200",
        "paged 2212",
        "p 5000",
        "P 72, R 18",
        "p 31234 ml",
        "p12345",
        "p. 12",
        "MD  5000",
        "Phone 8/22 0830",
        "work 330-1130",
        "home 1010 w/ owen",
        "work: 1200-1500",
        "home: 2014-08-07 10",
        "1-800-555",
        "800-1200 ml",
        "1-800-flowers",
        "B-800 CELLS-AB",
        "ext: no edema, 12345 steps",
        "ext 2+ edema",
        "x3 days, x12",
        "x 1000 mg",
        "pg 2 of 3",
        "fx of the hip 2012",
        "right wrist fx 3/4/12",
        "cell count 12345",
        "contact isolation 12",
        "mobile 1234",
        "office visit 99213",
        "direct bilirubin 0.2",
        "desk 12",
        "tel 12",
        "MD #3",
    ],
)
def test_other_near_misses_are_left_alone(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Taxi PP 4417 left", []),
        ("PP 4417", [("4417", "PHONE")]),
    ],
)
def test_plates_of_taxis_are_no_pagers(text, expected):
    assert found(text) == expected
