"""Views: decoders, offset maps, where they are looked for."""

import html
import itertools
import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scrubline.models.core.spans import Candidate
from scrubline.models.core.views import View
from scrubline.models.views.batches import views_of, without_pictures
from scrubline.models.views.scanning import scan
from scrubline.models.views.table import DECODERS, MOST_ROUNDS, decoded

from ...growth import assert_linear

HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            "aB9 .-_=%&#x;\\u4f/<b>{}\n\r\t\0\b\x1b[m1\u00ad\u200b\u200d\u0336\u0301＿Ａ\ud800"
            "\u2013\u2014\u2028\x85\x0c\u2074\xb9\u2009'?~'"
        ),
        st.characters(),
    ),
    max_size=80,
)


def read(text):
    return decoded(View.of(text, 0, len(text))).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("&#79;k&#x61;f&#111r; &amp;#79; &eacute;&nbsp;&lt;5", "Okafor; O é\xa0<5"),
        ("R&D, I&D; &nosuch; &#xD800; &#x110000;", None),
        ("Ok&#0;a&#x1;for Ok\\u0000a\\x00f\\000or Ok%00af=00or", "Okafor Okafor Okafor"),
        ("%4F%6Bafor 42%20Elm%20St Ada+Okafor%2C", "Okafor 42 Elm St Ada Okafor,"),
        ("50%20 of, 100%, 5%ab", None),
        ("=4F=6Bafor Ok=\nafor caf=C3=A9 caf=E9", "Okafor Okafor café café"),
        ("Title\n=====\nHR=12 Na=140 a = b", None),
        (
            r"\u004fk\x61f\117r 3\/4\/2012 \ud83d\ude00 \'4f \u79? \u{4f}",
            "OkafOr 3/4/2012   O O O",
        ),
        (r"C:\temp\new \par \rtf1 \trowd \row", None),
        ("line one\\nLine two", "line one\nLine two"),
        ("O\u200bk\u200da\u2060f\ufeffo\u00adr\ufe0f", "Okafor"),
        ("\x1b[1;31mOk\x1b[0mafor \x1b]0;title\x07x", "Okafor x"),
        ("O\bOk\bk _\ba O\x00k", "Ok a Ok"),
        ("O\u0336k\u0336", "Ok"),
        ("O\u0301k\u0301a\u0301 0\u03013\u0301 Jose\u0301", "Oka 03 Jose\u0301"),
        ("Garci\u0301a", None),
        ("O\x92Brien", "O’Brien"),
        (
            "Spr<b>ing</b>field <b>Ada</b> <5 Ok<i class='x'>a</i>f",
            "Springfield <b>Ada</b> <5 Okaf",
        ),
        ("Spr{\\b ing}field", "Springfield"),
        (
            "Spring-\nfield 03/-\n  04/2012 123-45-\n6789 Garcia-\nLopez",
            "Springfield 03/04/2012 123-45-6789 Garcia-Lopez",
        ),
        ("Plan:\n- rest\n-fluids\nfor pain -\nnone\nmeds-\n1. aspirin", None),
        ("O k a f o r,  A d a (O k a f)", "Okafor,  Ada (Okaf)"),
        (
            "03/04/19-\n57. He, 4821-\n9) ok, 9-\r4, Oka-\u2028for, Oka-\n\nfor, Oka-\r\n\r\nfor",
            "03/04/1957. He, 48219) ok, 94, Okafor, Okafor, Okafor",
        ),
        ("Oka\u2013\nfor Oka\u2011\x0cfor", "Okafor Okafor"),
        ("pain \u2013\nworse, meds-\n\n\nnone, meds-\n1) aspirin", None),
        ("03%2F04/2019 03/04%2f1957 617-555%2D0199", "03/04/2019 03/04/1957 617-555-0199"),
        ("12%3A30 42%20Elm 617%205550199 617%28", "12:30 42 Elm 617 5550199 617%28"),
        ("50%20mg 50%20 of, EF 55%2D echo, 40%2d", None),
        ("98%2L NC, 40%20mcg, 60%30 mL, 21%25 of, 5%2FU, 99%3 of, 50%20100", None),
        ("SSN: 123=2045=206789", "SSN: 123 45 6789"),
        ("HR=80 BP=20 x=2045 EF=55", None),
        ("03/<em>04</em>/1957 a<b>@</b>x.org 5.<i>5", "03/04/1957 a@x.org 5.5"),
        ("<b>Ada</b>. Well <b>5</b> - <i>6</i>", "<b>Ada</b>. Well <b>5</b> - <i>6</i>"),
        (
            'Oka</w:t></w:r><w:r w:rsidR="1"><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">for',
            "Okafor",
        ),
        ("Oka</w:t></w:r></w:p><w:p><w:r><w:t>for Oka</w:t><w:tab/><w:t>for", None),
        ("&#000000079;ka&#x0000000066;or", "Okafor"),
        (
            "SSN \xb9\xb2\xb3-\u2074\u2075-\u2076\u2077\u2078\u2079 \u2084\u2088\u2082",
            "SSN 123-45-6789 482",
        ),
        ("kg/m\xb2 10\xb9\xb2/L 7.2 x10\u2079/L Ca\xb2\u207a H\u2082O said\xb9 \xb2 x", None),
        ("I I I see", None),
        ("O.k.a.f.o.r O-k-a-f-o-r O_k_a_f", "Okafor Okafor Okaf"),
        ("A.d.a q.i.d. p.r.n. C.O.P.D.", "Ada q.i.d. p.r.n. C.O.P.D."),
        ("1 2 3 4 5", None),
        ("MRN: 1 2 3 4 5, tel. 1-2-3-4-5-6-7", "MRN: 12345, tel. 1234567"),
        ("M R N : 1 2 3 4 5", "MRN : 12345"),
        ("1 2 3 - 4 5 - 6 7 8 9, 1.2./.0.3./.1.9.5.7", "123-45-6789, 12/03/1957"),
        ("1\t2\t3\t4\t5\tO\tk\ta\tf\to\tr", None),
        ("O\u2009k\u2009a\u2009f\u2003o\u2003r", "Okafor"),
        ("Dr. B r o w n, M a r y  B r o w n", "Dr. Brown, Mary Brown"),
        ("1 2 3 of 4, 1-2-3, 5 - 10, V 1", None),
        ("9 4-year-old, 9-4-year-old, 1 0 4 y/o", "94-year-old, 94-year-old, 104 y/o"),
        ("9.4-year-old, 2-3-year-old", None),
        (
            "Ok=E2=80=8Ba=E2=80=AFf Ok%E2%80%8Ba%EF%BB%BFf 4%E2%80%895 4=E3=80=805 =E2=80=A8",
            "Oka\u202ff Okaf 4\u20095 4 5 \u2028",
        ),
        ("Mu=C3=\n=B1oz Mu=C3= \r\n=B1oz =C3=\nx", "Muñoz Muñoz Ãx"),
        ("caf=E9=08 x=81", None),
        (
            r"Mu\uc0\u241 oz Ren\u233  Lef\u232 vre Ren\u233\par Ren\u233} \u8217 ?s \u-3913 x",
            "Muñoz René Lefèvre René\\par René} ’s \uf0b7x",
        ),
        (r"Mu\u241\'f1oz Mu{\uc1\u241\'f1}oz Mu{\u241 }oz Mu\u241 ?oz", "Muñoz Muñoz Muñoz Muñoz"),
        (r"10\u201320 mg, \u2013 x, \u2019? \u0041 \u00e9 \u0041?", "10–20 mg, – x, ’? A é A?"),
        (
            r"Patient:\~Ada\~\~(O) 219\_09\_9999 Oka\-for Jo\_Ann 219\-09\-9999",
            "Patient:\xa0Ada\xa0\xa0(O) 219-09-9999 Okafor Jo-Ann 219-09-9999",
        ),
        (
            r"O\rquote Brien 617\endash 555 Oka\zwnj for \emspace\lquote x \rquotes \endash2",
            "O\u2019Brien 617\u2013555 Okafor \u2003\u2018x \\rquotes \\endash2",
        ),
        (r"C:\temp\x-1 \_____/ \~/ and\or \\nas\ulna\u2 \-- 5 \- 6", None),
        (
            r"Mu\xc3\xb1oz Mu\303\261oz Mu\'c3\'b1oz Mu\u00c3\u00b1oz Mu\\xC3\\xB1oz \xe2\x80\x8bx",
            "Muñoz Muñoz Muñoz Muñoz Muñoz x",
        ),
        (r"\x4d\x75\xc3\xb1\x6f\x7a Ren\xe9 Ren\'e9\'e8 \xc3(", "Muñoz René Renéè Ã("),
        (
            r"\\u0044\\\\u0061n Lef\\u00e8vre 3\\/4 \\ud83d\\ude00 \\x4f",
            "Dan Lefèvre 3/4   O",
        ),
        (
            r"grac-\\ne.o@x Oka-\nfor Oka-\r\nfor Oka-\n for C:\new-dir\next",
            r"grace.o@x Okafor Okafor Okafor C:\new-dir\next",
        ),
        ("4821—\n9037 4821\u2014 \r\n\n 9037", "48219037 48219037"),
        ("well—\nuntil, 5 mg—\n10, 2019—\nwas, —\n5", None),
        (
            "9<b>3</b>-year-old <b>9</b>3 y/o <i>93</i> yrs <p>93 y/o age: <b>93</b> 1<b>0</b>4 yo",
            "93-year-old  93 y/o  93 yrs  93 y/o age:  93</b> 104 yo",
        ),
        ("<b>53</b> y/o <b>93</b> mmHg image <b>93</b> <b>9.3</b> years", None),
        ("Ｏｋａｆｏｒ １２３ 𝐎𝐤 Ok😀", "Okafor 123 Ok Ok "),
    ],
)
def test_what_a_reader_sees(text, expected):
    assert read(text) == (text if expected is None else expected)


@pytest.mark.parametrize("edits", DECODERS.values(), ids=DECODERS.keys())
@given(text=HOSTILE)
def test_the_edits_of_every_decoder_can_be_applied(edits, text):
    found = edits(text)
    position = 0
    for low, high, replacement in found:
        assert position <= low < high <= len(text)
        assert len(replacement) <= high - low
        position = high
    View.of(text, 0, len(text)).edited(found)


@given(text=HOSTILE)
def test_offsets_grow_and_unchanged_characters_are_their_own(text):
    view = decoded(View.of(text, 0, len(text)))
    assert len(view.text) <= len(text)
    assert (np.diff(view.starts) >= 0).all() and (np.diff(view.ends) >= 0).all()
    assert (view.starts < view.ends).all()
    for character, low, high, changed in zip(
        view.text, view.starts.tolist(), view.ends.tolist(), view.changed.tolist(), strict=True
    ):
        assert 0 <= low < high <= len(text)
        assert changed or text[low:high] == character


WORDS = st.text(alphabet="abcdeXYZ0123456789 ,:/\n", min_size=1, max_size=40)
WRITERS = {
    "decimal": lambda t: "".join(f"&#{ord(c)};" for c in t),
    "hexadecimal": lambda t: "".join(f"&#x{ord(c):X};" for c in t),
    "twice": lambda t: html.escape("".join(f"&#{ord(c)};" for c in t)),
    "percent": lambda t: "".join(f"%{ord(c):02x}" for c in t),
    "quoted": lambda t: "".join(f"={ord(c):02X}" for c in t),
    "JSON": lambda t: "".join(f"\\u{ord(c):04x}" for c in t),
    "joiner": lambda t: "\u200d".join(t),
    "NUL": lambda t: "\0".join(t),
    "struck": lambda t: "".join(c if c.isspace() else c + "\u0336" for c in t),
    "ANSI": lambda t: "".join(f"\x1b[31m{c}\x1b[0m" for c in t),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS.keys())
@given(text=WORDS)
def test_what_was_written_is_read(write, text):
    # What is spaced out or wrapped in the text itself is read too. Digits alone may be a value.
    text = f"ab{text}"
    assert read(write(text)) == read(text)


@given(text=WORDS)
def test_so_deep_one_may_be_written_in_another(text):
    written = "".join(f"&#{ord(c)};" for c in text)
    for _ in range(MOST_ROUNDS - 1):
        written = html.escape(written)
    assert read(written) == read(text)
    assert read(html.escape(written)) != read(text)


@given(texts=st.lists(HOSTILE, max_size=5))
def test_a_text_is_looked_at_wherever_it_stands_among_others(texts):
    places, _ = scan(texts)
    for at, text in enumerate(texts):
        alone, _ = scan([text])
        assert places.get(at) == alone.get(0)


BETWEEN = "-\u2013\u2014=\n\r\t \\%&#<>/{}_.+;~\x0b\xb9\xb2\u2074\xad\u0301\xa0b4n"
"""What decoders and the scan tell apart, put between the halves of identifiers."""


@pytest.mark.parametrize("halves", [("Dr. Pember", "ton came"), ("MRN: 12", "34567 x")])
def test_nothing_is_decoded_but_where_the_scan_looks(halves):
    texts = [
        "".join(between).join(halves)
        for length in (1, 2, 3)
        for between in itertools.product(BETWEEN, repeat=length)
    ]
    places, _ = scan(texts)
    unseen = [text for at, text in enumerate(texts) if at not in places]
    assert 1_000 < len(unseen) < len(texts) - 1_000
    assert [t for t in unseen if decoded(View.of(t, 0, len(t))).text != t] == []


@given(
    pieces=st.lists(
        st.sampled_from([*BETWEEN, "9 4 Y/O", "104", "a", "Lopez", "\n", "u241", "xc3"])
    )
)
def test_nothing_is_decoded_in_a_text_at_which_the_scan_does_not_look(pieces):
    text = "".join(pieces)
    assume(not scan([text])[0])
    assert decoded(View.of(text, 0, len(text))).text == text


@pytest.mark.parametrize(
    "age", ["9 4 y/o", "9 4 Y/O", "9-4-Year-old", "1 0 4 YEARS OLD", "9_4yo", "1.0.4 yrs"]
)
def test_an_age_over_89_that_is_spaced_out_is_looked_at_in_any_case(age):
    text = f"The patient is a {age} retired"
    assert "".join(view.text for view in views_of(text, scan([text])[0][0])) != text


def test_a_candidate_covers_whole_escapes():
    text = "Mr. &#79;kafo&#114; left"
    view = decoded(View.of(text, 0, len(text)))
    low = view.text.index("Okafor")
    found = view.original(Candidate(low, low + 6, "PATIENT", "x", 1.0))
    assert text[found.start : found.end] == "&#79;kafo&#114;"


def test_views_have_changed_lines_and_those_around():
    lines = [f"line {n}" for n in range(20)]
    lines[5] = "li&#110;e 5"
    lines[15] = "li&#110;e 15"
    text = "\n".join(lines)
    first, second = views_of(text, scan([text])[0][0])
    assert first.text.split() == " ".join(f"line {n}" for n in range(3, 8)).split()
    assert second.text.strip().endswith("line 17")
    changed = [
        c for c, flag in zip(first.text, first.changed_lines().tolist(), strict=True) if flag
    ]
    assert "".join(changed).strip() == "line 5"


def test_plain_notes_are_not_looked_into():
    text = "BP 128/74, HR=80. Pain 5/10 - better; R&D. SpO2 98%. q.d. <3 days\n- one\n- two\n" * 50
    assert views_of(text, scan([text])[0].get(0, [])) == []


@pytest.mark.parametrize(
    "unit",
    [
        *("&#79;", "&amp;", "%4F", "% ", "=4F", "\\u004f", "\\", "{\\b ", "<b", "a<b>"),
        *("O\u200d", "O\0", "_\b", "\x1b[", "\x1b]a", "a\u0336", "a\u0301", "a\u0301\u0301"),
        *("a-\n", "a=\n", "a ", "a.", "a.-.", "9 4", "a\n&#79;\n\n\n\n"),
        *("J o h n ", "J-o-h-n-", "J.o.h.n.", "J_o_h_n_", "J O H N ", "w w w . "),
        *(
            "\\xc3",
            "\\\\",
            "\\uc0\\u241 ",
            "=C3=\n",
            "9<b>",
            "\\zwj ",
            "<b>9",
            "age <b>",
            "4\u2014\n",
            "\\~",
        ),
    ],
)
def test_time_grows_with_the_length(unit):
    def view(text):
        return views_of(text, scan([text])[0].get(0, []))

    assert_linear(lambda size: unit * (size // len(unit)), view, 12_000)


def test_pictures_are_no_text_in_disguise():
    picture = "iVBORw0KGgoAAAANSUhEUg" * 40
    assert len(without_pictures(f'<img src="data:image/png;base64,{picture}"> x')) < 20
    assert "89504e47" not in without_pictures("{\\rtf1 {\\pict " + "89504e470d0a1a0a" * 9 + "}}")
    assert json.dumps(picture) == without_pictures(json.dumps(picture))


PIXELS = "89504e470d0a1a0a" * 9


@pytest.mark.parametrize(
    ("rtf", "left"),
    [
        ("{\\rtf1 {\\*\\shppict{\\pict{\\*\\blipuid 0af1}\\pngblip\n@\n@}}x}", 0),
        ("{\\rtf1 {\\pict{\\sn \\}}@}{\\pict @}}", 0),
        ("{\\rtf1 {\\pict{\\pict @}@}@}", 1),
        ("{\\rtf1 {\\object{\\*\\objdata @}{\\result{\\pict @}}}}", 1),
        ("{\\rtf1 {\\picture @}@}", 2),
        ("{\\rtf1 {\\pict @", 1),
        ("{\\rtf1 }\\pict @}", 1),
        ("{\\pict @}", 1),
    ],
)
def test_only_the_pictures_of_rtf_are_left_out(rtf, left):
    assert without_pictures(rtf.replace("@", PIXELS)).count(PIXELS) == left


def test_pictures_that_do_not_end_take_no_longer():
    assert_linear(lambda size: "{\\rtf1 " + "{\\pict " * size, without_pictures, 6_000)
