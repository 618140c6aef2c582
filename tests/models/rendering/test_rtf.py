r"""RTF: what is read, what goes, and how replacements are written."""

import pytest
from scrubline.models.core.errors import DocumentError, OverBudget
from scrubline.models.rendering.rtf import DEEPEST, render
from scrubline.models.rendering.rtf_words import WORDS

from ...growth import assert_linear
from . import laws
from .laws import REPLACEMENTS, assert_every_stretch, assert_reads, assert_writes

FONTS = (
    r"{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fcharset204 Arial;}{\f2\fcharset128 MS Mincho;}"
    r"{\f3\fcharset238 Times New Roman;}{\f4\fcharset1 Arial;}{\f5\cpg1253 Arial;}}"
)
HEAD = r"{\rtf1\ansi\ansicpg1252\deff0" + FONTS


def document(body: str) -> str:
    return f"{HEAD}{body}}}"


def cleaned(body: str) -> str:
    result = laws.cleaned(render, document(body))
    assert result.startswith(HEAD) and result.endswith("}")
    return result[len(HEAD) : -1]


READ = {
    "nothing": (r"", ""),
    "text": (r"\pard\plain Seen by Dr. Smith", "Seen by Dr. Smith"),
    # Names split by what is not seen.
    "groups": (r"Spr{\b ing}field", "Springfield"),
    "switches": (r"Spr\b ing\b0 field", "Springfield"),
    "runs": (
        r"{\rtlch\fcs1 \af0 \ltrch\fcs0 \insrsid12345678 Smi}{\ltrch\fcs0 \f1\charrsid9 th}",
        "Smith",
    ),
    "line ends of the source": ("Sm\r\nith\n\\b\nx", "Smithx"),
    "bookmark": (r"Smi{\*\bkmkstart x}th", "Smith"),
    "optional hyphen": (r"Smi\-th", "Smith"),
    "picture": (r"Smi{\pict\pngblip 0123abcd}th", "Smith"),
    "unknown destination": (r"Smi{\*\foo x{y}\'41}th", "Smith"),
    "unknown word": (r"Smi\foo th\foo5 x", "Smithx"),
    "hidden": (r"Qui{\v xxx}mby", "Quimby"),
    "hidden by a switch": (r"Qui\v xxx\v0 mby\v1\'41\u66?\emdash\~\{\plain a", "Quimbya"),
    "hidden paragraphs": (r"a\par{\v b\par c\line}d", "a\nd"),
    "hidden cells": (r"\trowd\cellx9 a{\v b\cell}c\cell\row", "a\tc\t\n"),
    "hidden parts": (r"a{\v{\field{\*\fldinst x}{\fldrslt b}}{\footnote c}}d", "ad"),
    "deleted": (r"a{\deleted b}c", "abc"),
    # Characters.
    "symbols": (r"\{a\}\\b\~c\_d", "{a}\\b c-d"),
    "words": (
        r"a\emdash b\endash c\lquote d\rquote e\ldblquote f\rdblquote g\bullet h\tab i",
        "a\u2014b\u2013c\u2018d\u2019e\u201cf\u201dg\u2022h\ti",
    ),
    "wide blanks": (r"a\emspace b\enspace c\qmspace d", "a b c d"),
    "bytes": (r"Mu\'f1oz \'80\'A0x", "Muñoz € x"),
    "bytes of a font": (r"\f1\'cf\'f0\f0\'cf{\f3\'b3}\'b3\plain\f5\'e1", "ПрÏł³α"),
    "font of the document": (r"\f4\'e9\f99\'e9", "éé"),
    "two bytes": (r"\f2\'8e\'52\'93c\'83A", "山田ア"),
    "half of two bytes": (r"\f2\'8e\b x\'8e", "\ufffdx\ufffd"),
    "two bytes over a line end": ("\\f2\\'8e\r\n\\'52", "山"),
    "unicode": (
        r"\u321?\u243\'f3d\u378 ?",
        "Łódź",
    ),
    "negative": (r"\u-3913?", "\uf0b7"),
    "fallbacks": (r"\uc0\u233x\uc2\u233\'e9\'e9x{\uc1\u233?x}\u233ab", "éxéxéxé"),
    "fallback at the end of a group": (r"{\u233}x", "éx"),
    "no word is a fallback": (r"\u233\par x", "é\nx"),
    "pairs": (r"\u-10179?\u-8704?\u55357?\u56832?", "😀😀"),
    "pairs of LibreOffice": (r"\uc0 \u55357\uc1 \u56832\'3f.", "😀."),
    "halves of pairs": (r"\u-10179?x\u-8704?", "\ufffdx\ufffd"),
    "decoded characters": ("Muñoz\xa0山", "Muñoz 山"),
    "written twice": (r"a{\upr{b\'e9}{\*\ud{c\u233?}}}d", "acéd"),
    # Joins.
    "paragraphs": (r"a\par b\line c\page d\sect e\column f", "a\nb\nc\nd\ne\nf"),
    "escaped line end": ("a\\\nb\\\r\nc", "a\nb\nc"),
    "table": (r"\trowd\cellx1000 a\cell b\cell\row c\nestcell d\nestrow", "a\tb\t\nc\td\n"),
    "header": (r"{\header\pard A\par}b", "A\n\nb"),
    "footnote": (r"a{\super\chftn}{\footnote\pard\plain b} c", "a\nb\n c"),
    "annotation": (
        r"a{\*\atnid AB}{\*\atnauthor Anna}\chatn{\*\annotation{\*\atndate 123}b}c",
        "a\nAB\nAnna\nb\nc",
    ),
    "shape": (r"a{\shp{\*\shpinst\shpleft1{\sp{\sn x}{\sv y}}{\shptxt b\par}}}c", "a\nb\n\nc"),
    "field": (r"a {\field{\*\fldinst HYPERLINK x}{\fldrslt{\ul b}}} c", "a b c"),
    "list": (r"{\listtext\'b7\tab}a{\pntext 1.\tab}b", "\xb7\ta1.\tb"),
    "object": (r"a{\object\objemb{\*\objdata 00}{\result{\pict 00}b}}c", "abc"),
    "binary": (r"a{\pict\bin5 }{}{}}b\bin2 {}c", "abc"),
}


@pytest.mark.parametrize("case", READ)
def test_what_is_read(case):
    body, text = READ[case]
    assert_reads(render, document(body), text)


KEPT = {
    "formats": r"\pard\plain\s1\ql\fi-360\li720\sb120 \b\i\fs24 x\b0 y",
    "table": r"\trowd\trgaph108\clbrdrt\brdrw10\brdrs \clvertalc\cellx4500 x\cell\row",
    "colours": r"{\colortbl;\red0\green128\blue255;}x",
    "styles": r"{\stylesheet{\s0\ql Normal;}{\*\cs10 \additive Strong;}{\s1 heading 1;}}x",
    "lists": r"{\*\listtable{\list{\listlevel\levelnfc23{\leveltext\'01"
    r"\u-3913 ?;}{\levelnumbers;}\fi-360}{\listname ;}\listid12345}}"
    r"{\*\listoverridetable{\listoverride\listid12345\listoverridecount0\ls1}}x",
    "symbols": r"a\~b\-c\_d\{e\}\\",
}


@pytest.mark.parametrize("case", KEPT)
def test_formats_stay(case):
    assert cleaned(KEPT[case]) == KEPT[case]


REMOVED = {
    "hidden": (r"a{\v b\par\'41}c\v d\u233?{\b e}\v0 f", r"a{\v }c\v {\b }\v0 f"),
    "sessions": (
        r"{\*\rsidtbl\rsid4815}{\fcs0\insrsid48151623 x}\pararsid7\charrsid48151623{y}\b\rsid1 z",
        r"{\*\rsidtbl}{\fcs0{}x}{y}\b{}z",
    ),
    "unknown words behind a word": (
        r"\b\smith \foo  x\listid1234567\foo  y",
        r"\b{} x\listid1{} y",
    ),
    "numbers of lists": (
        r"{\list\listtemplateid48151623\listid48151623}{\list\listid1}{\list\listid-48151624}"
        r"{\listoverride\listid48151623\ls1}{\listoverride\listid-48151624 x\ls2}x",
        r"{\list\listid2}{\list\listid1}{\list\listid3}"
        r"{\listoverride\listid2\ls1}{\listoverride\listid3 \ls2}x",
    ),
    "info": (r"{\info{\author A}{\creatim\yr2019\mo3}}x", r"{\info}x"),
    "generator": (r"{\*\generator A;}x", r"{\*\generator}x"),
    "variables": (r"{\*\docvar {a}{b}}{\*\userprops{\propname a}}x", r"{\*\docvar}{\*\userprops}x"),
    "bookmarks": (r"{\*\bkmkstart a}x{\*\bkmkend a}", r"{\*\bkmkstart}x{\*\bkmkend}"),
    "field": (r"{\field{\*\fldinst{A}}{\fldrslt x}}", r"{\field{\*\fldinst}{\fldrslt x}}"),
    "picture": (r"{\*\shppict{\pict\picw10 00ff}}x", r"{\*\shppict{\pict}}x"),
    "object": (
        r"{\object\objemb{\*\objclass A}{\result x}}",
        r"{\object\objemb{\*\objclass}{\result x}}",
    ),
    "shape": (r"{\shp{\*\shpinst{\sp{\sn a}{\sv b}}}}x", r"{\shp{\*\shpinst{\sp}}}x"),
    "unknown destination": (r"a{\*\smith b}x", r"a{}x"),
    "star before other things": (r"a{\* b}{\*{c}}x", r"a{}{}x"),
    "unknown word": (r"a\smith b\smith5 c", "abc"),
    "unknown word behind another": (r"\b\smith x\i\smith5x", r"\b{}x\i{}x"),
    "unknown symbols": (r"a\1\2\3x", "ax"),
    "long numbers": (r"\li123456789 a\b1234567\par123 x", r"\li a\b\par x"),
    "number of no character": (r"a\u5551234567 x", "ax"),
    "style": (
        r"{\stylesheet{\s1\b Smith;}{\s2 Normal;}}x",
        r"{\stylesheet{\s1\b ;}{\s2 Normal;}}x",
    ),
    "font": (r"{\fonttbl{\f9 Smith{\*\falt Arial};}}x", r"{\fonttbl{\f9 {\*\falt Arial};}}x"),
    "dates of revisions": (r"{\revised\revauth1\revdttm123 x}", r"{\revised\revauth1{}x}"),
    "written twice": (r"{\upr{Ann\'e9}{\*\ud{x}}}", r"{\upr{}{\*\ud{x}}}"),
    "binary": (r"a\bin3 {}{x", "ax"),
    "list": (r"{\*\listtable{\list{\listname Smith;}}}x", r"{\*\listtable{\list{\listname ;}}}x"),
}


@pytest.mark.parametrize("case", REMOVED)
def test_what_is_not_seen_is_removed(case):
    body, expected = REMOVED[case]
    assert cleaned(body) == expected
    assert render(document(expected)).text == render(document(body)).text


CANARY = "Qzx7391846"


@pytest.mark.parametrize("star", ["", r"\*"])
def test_no_destination_leaks(star):
    for word in (*sorted(WORDS), "smith", "john"):
        for inner in (CANARY, f"{{{CANARY}}}", f"{{\\b {CANARY}}}", f"{{\\*\\x{{{CANARY}}}}}"):
            body = f"a{{{star}\\{word} {inner}}}b"
            assert CANARY not in cleaned(body) or CANARY in render(document(body)).text, word


def test_metadata_leaks_nowhere():
    inside = (r"\info", r"\*\userprops", r"\*\generator", r"\*\fldinst", r"\*\bkmkstart", r"\pict")
    inside += (r"\object", r"\*\objdata", r"\*\datafield", r"\*\xmlnstbl", r"\*\mailmerge")
    inside += (r"\*\filetbl", r"\*\revtbl", r"\*\rsidtbl", r"\*\themedata", r"\*\smith", r"\*")
    inside += (r"\fonttbl", r"\colortbl", r"\stylesheet", r"\*\listtable", r"\title", r"\company")
    for word in inside:
        body = f"a{{{word} {CANARY}}}b"
        assert CANARY not in cleaned(body)
        assert render(document(body)).text == "ab"


REFUSED = {
    "no document": "x",
    "empty": "",
    "other group": r"{\b x}",
    "open group": r"{\rtf1 x",
    "open groups": r"{\rtf1{{{x}",
    "text behind": r"{\rtf1 x}y",
    "group behind": r"{\rtf1 x}{y}",
    "brace behind": r"{\rtf1 x}}",
    "cut escape": "{\\rtf1 x\\",
    "cut byte": r"{\rtf1 x\'4}",
    "no byte": r"{\rtf1 x\'zz}",
    "cut binary": r"{\rtf1\bin99 x}",
    "long binary": r"{\rtf1\bin99999999999999999999 x}",
    "open destination": r"{\rtf1{\info x",
    "many fallbacks": r"{\rtf1\uc99\u233 Smith}",
    "text as a fallback": r"{\rtf1\uc5\u233 Smithx}",
    "letters behind what is not seen": r"{\rtf1\u8203 S\u8203 m}",
    "bytes behind what is not seen": r"{\rtf1\u8203\'53\u8203\'6d}",
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    with pytest.raises(DocumentError) as error:
        render(REFUSED[case])
    assert error.value.code == "UnmappedMarkup"


def test_text_before_any_font_is_in_that_of_the_document():
    source = r"{\rtf1\ansi\deff1{\fonttbl{\f0 A;}{\f1\fcharset204 B;}}\'cf\f0\'e9}"
    assert render(source).text == "Пé"


def test_what_may_stand_around_it():
    assert render("\ufeff\r\n{\\rtf1 x}\r\n\0").text == "x"


def test_depth_is_bounded():
    def deep(groups):
        return "{\\rtf1" + "{" * groups + "x" + "}" * groups + "}"

    assert render(deep(DEEPEST - 1)).text == "x"
    for source in (deep(DEEPEST), "{\\rtf1{\\info" + "{" * DEEPEST + "}" * DEEPEST + "}}"):
        with pytest.raises(OverBudget, match="depth"):
            render(source)


WRITTEN = {
    "text": (r"\b x", "Anna", r"\b Anna"),
    "signs": (r"\b x", "{a}\\", r"\b \{a\}\\"),
    "line feed": (r"ax", "b\nc\td", r"ab\line c\tab d"),
    "other letters": (r"\uc0 x", "ñ山🙂a", r"\uc0 {\uc1\u241?\u23665?\u-10179?\u-8638?}a"),
    # A control word without a blank behind it must not go on.
    "behind a word": (r"\b\'78", "Anna", r"\b{}Anna"),
    "a number behind a word": (r"\b\'78", "5", r"\b{}5"),
    "a sign behind a word": (r"\b\'78", "{", r"\b\{"),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_how_a_replacement_is_written(case):
    body, replacement, expected = WRITTEN[case]
    source = document(body)
    where = render(source).text.index("x")
    assert_writes(render, source, where, replacement, document(expected))


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@pytest.mark.parametrize(
    "body",
    [
        r"\b\'4a\u111?h{\i n} \b0 Smi\-th\par x",
        r"\uc0 \u55357\uc1 \u56832\'3f.\u233\emdash a\u233\foo ?b",
        r"\f2\'8e\'52\'8e\foo A\'8e\tab A{\fldrslt b}",
    ],
)
def test_every_stretch_can_be_replaced(body, replacement):
    assert_every_stretch(render, document(body), replacement)


REPEATED = (
    *(
        "x",
        "\\b ",
        "\\b",
        "\\par ",
        "{}",
        "{\\b x}",
        "\\'e9",
        "\\u233?",
        "\\u233 ",
        "\\foo ",
        "\\1",
    ),
    *(
        "{\\*\\x y}",
        "{\\pict 00}",
        "\\bin1 }",
        "\r\n",
        "{\\footnote x}",
        "\\f2\\'8e",
        "\xa0",
        "\\u-10179?",
    ),
)


@pytest.mark.parametrize("part", REPEATED)
def test_time_is_linear(part):
    def work(source):
        opened = render(source)
        opened.edits([(0, 1, "y")] if opened.text and 0 not in opened.joins else [])

    def prepare(size):
        return document(part * (size // len(part)))

    assert_linear(prepare, work, 20_000, repr(part))


def test_hostile_documents():
    for source in (
        "{\\rtf1" + "{" * 10_000_000,
        "{\\rtf1" + "}" * 1_000_000,
        "{\\rtf1" + "{\\*\\x" * 1_000_000,
        "{\\rtf1{\\pict " + "0" * 10_000_000,
        "{\\rtf1" + "\\" * 1_000_001,
        "{\\rtf1\\b" + "1" * 1_000_000,
        "{\\rtf1\\" + "b" * 1_000_000,
        "{\\rtf1\\u" + "1" * 1_000_000,
        " " * 1_000_000,
    ):
        with pytest.raises(DocumentError):
            render(source)
    assert render(document("\0\ud800\b")).text == "\0\ud800\b"
