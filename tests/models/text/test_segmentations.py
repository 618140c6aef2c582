"""The contract of every layer, and what each makes of chosen texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.text.characters import LINE_BREAKS
from scrubline.models.text.joined import KINDS, kinds_of
from scrubline.models.text.segmentations import SEGMENTATIONS, Layer
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples

HOSTILE = st.text(
    st.one_of(
        st.sampled_from("aAzZ019 .,:;/-_@()+\n\r\tºª'’\x00\ud800\udc00\ufeff\u0301\u2028éÑß🙂"),
        st.characters(),
    ),
    max_size=80,
) | st.lists(
    st.sampled_from(
        [
            *("a@b.es", "www.x.es", "12/03/2014", "12-3-14", "3 de", "mayo", "de", "del", "2012"),
            *("91 345 67 89", "+34", "600123456", "3,5", "E-28046", "28046", "s/n", "C/", "Dr."),
            *("Sta.", "J.", "Pérez", "Vitoria-Gasteiz", "Díaz", "NºCol", "EE.UU.", "S.A.", "º"),
            *(".", ",", "-", "\n", "\r\n", "/", "1", "MartínezNºCol"),
        ]
    ),
    max_size=20,
).flatmap(lambda words: st.sampled_from([" ".join(words), "".join(words)]))

layers = pytest.mark.parametrize("layer", SEGMENTATIONS.values(), ids=SEGMENTATIONS.keys())


def items(layer: Layer, *texts: str | None) -> list[list[tuple[int, int]]]:
    """The bounds of the items of each document."""
    found = layer(texts, tokenize_documents(texts))
    rows = found.document_offsets.tolist()
    pairs = list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))
    return [pairs[begin:end] for begin, end in zip(rows, rows[1:], strict=False)]


@layers
@examples(150)
@given(text=HOSTILE)
def test_items_are_ordered_and_disjoint_and_hold_all_that_is_not_blank(
    layer: Layer, text: str
) -> None:
    (found,) = items(layer, text)
    edges = [edge for bounds in found for edge in bounds]
    assert edges == sorted(edges)
    assert all(start < end for start, end in found)
    assert not edges or (edges[0] >= 0 and edges[-1] <= len(text))
    inside = {place for start, end in found for place in range(start, end)}
    assert all(place in inside or character.isspace() for place, character in enumerate(text))


@layers
@examples(40)
@given(texts=st.lists(HOSTILE | st.none(), max_size=4))
def test_items_of_a_document_depend_on_its_text_alone(
    layer: Layer, texts: list[str | None]
) -> None:
    found = items(layer, *texts)
    assert found == items(layer, *texts)
    assert found == [[] if text is None else items(layer, text)[0] for text in texts]


@layers
def test_a_failed_document_has_no_items_though_it_has_tokens(layer: Layer) -> None:
    tokens = tokenize_documents(["a b", "c d", "e"])
    found = layer(["a b", None, "e"], tokens)
    assert np.diff(found.document_offsets).tolist() in ([2, 0, 1], [3, 0, 1])
    assert found.starts[-1] == 0


@layers
@pytest.mark.parametrize(
    "piece",
    ["a", "1", ".", "A.", "a-", "1 ", "1/", "1 de ", "a.a", "@", "A-", "9-9.", "a\n", "º", "Aa"],
)
def test_a_huge_text_of_one_repeated_piece_costs_little(layer: Layer, piece: str) -> None:
    text = piece * 100_000
    # A pattern that backtracks would take minutes.
    (found,) = items(layer, text)
    assert found[0][0] == 0
    assert found[-1][1] == len(text.rstrip()) or text[-1].isspace()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("Ann Lee", "Ann|Lee"),
        # e-mail addresses
        ("mail: ann.b_c-2@h1.org.uk.", "mail|:|ann.b_c-2@h1.org.uk|."),
        ("E-mail.jo@ya.com", "E|-|mail|.|jo@ya.com"),
        ("@home a@", "@|home|a|@"),
        ("ver http://www.x.es/a_b/ hoy", "ver|http://www.x.es/a_b/|hoy"),
        # numeric dates
        ("el 12/03/2014, 1-2-99 y 01.02.2003.", "el|12/03/2014|,|1-2-99|y|01.02.2003|."),
        ("2014-03-12 03/2014 12//03/2014", "2014-03-12|03/2014|12//03/2014"),
        ("45/03/2014 12/03/2014/7", "45|/|03|/|2014|12|/|03|/|2014|/|7"),
        # written dates
        ("el 3 de mayo de 2012 o mayo del 2012", "el|3 de mayo de 2012|o|mayo del 2012"),
        ("3-mayo-2012, mayo 2012, 3 de Mayo.", "3-mayo-2012|,|mayo 2012|,|3 de Mayo|."),
        ("mayo del año 2012, dic-08, mayo/98", "mayo del año 2012|,|dic-08|,|mayo/98"),
        ("27/011/2014 mayo-08-2", "27/011/2014|mayo|-|08|-|2"),
        ("on May 3, 2012 or 3 May 2012", "on|May 3, 2012|or|3 May 2012"),
        ("45 de mayo; may be; 3 mayo", "45|de|mayo|;|may|be|;|3|mayo"),
        ("3 de\nmayo", "3|de|mayo"),
        # telephone numbers
        ("Tel 913 45 67 89, 91 345 67 89", "Tel|913 45 67 89|,|91 345 67 89"),
        ("+34 600 123 456, (+34) 600123456", "+|34 600 123 456|,|(|+|34|)|600123456"),
        ("34 91 345 67 89 +56 600123456", "34 91 345 67 89|+|56 600123456"),
        ("913-456-789, 913.456.789", "913-456-789|,|913.456.789"),
        ("913 45 67 89 12", "913|45|67|89|12"),
        ("84 15006", "84|15006"),
        # other numbers
        ("3,5 mg; 1.250 g; 1.2.3", "3,5|mg|;|1.250|g|;|1|.|2|.|3"),
        ("E-28046 Madrid", "E-28046|Madrid"),
        # abbreviations
        ("Dr. Gil, Avda. Sta. Ana", "Dr.|Gil|,|Avda.|Sta.|Ana"),
        ("J. Gil; vitamina C. la", "J.|Gil|;|vitamina|C|.|la"),
        ("S.A. y D.F. EE.UU.", "S.A.|y|D.F.|EE.UU."),
        ("C/ Mayor s/n y C/Sol", "C/|Mayor|s/n|y|C/|Sol"),
        ("B/C", "B|/|C"),
        # hyphens
        ("Vitoria-Gasteiz, Ana-Eva-Luz", "Vitoria-Gasteiz|,|Ana-Eva-Luz"),
        ("Madrid-España post-op X-2", "Madrid|-|España|post|-|op|X|-|2"),
        # ordinal signs
        ("NºCol 3ºB 2ª Mª GilNºCol", "Nº|Col|3|º|B|2|ª|Mª|Gil|Nº|Col"),
    ],
    ids=str,
)
def test_merged_items(text: str, expected: str) -> None:
    (found,) = items(SEGMENTATIONS["merged"], text)
    assert "|".join(text[start:end] for start, end in found) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" ", [" "]),
        ("\n", []),
        ("Ann Lee", ["Ann", " ", "Lee"]),
        ("Ann,  Lee", ["Ann", ",", "  ", "Lee"]),
        (" 5\tmg\r\n\n  po ", [" ", "5", "\t", "mg", "  ", "po", " "]),
        ("a \n b", ["a", " ", " ", "b"]),
        ("a\u00a0\u2003b\u2028c", ["a", "\u00a0\u2003", "b", "c"]),
        ("🙂 é", ["🙂", " ", "é"]),
    ],
)
def test_items_with_blanks(text: str, expected: list[str]) -> None:
    (found,) = items(SEGMENTATIONS["with-blanks"], text)
    assert [text[start:end] for start, end in found] == expected


@examples(100)
@given(text=HOSTILE)
def test_with_blanks_every_character_but_line_breaks_is_in_an_item(text: str) -> None:
    found, words = (items(SEGMENTATIONS[name], text)[0] for name in ("with-blanks", "fine"))
    assert set(words) <= set(found)
    others = [text[start:end] for start, end in found if (start, end) not in set(words)]
    assert all(other.isspace() and not set(other) & set(LINE_BREAKS) for other in others)
    inside = {place for start, end in found for place in range(start, end)}
    assert all(text[place] in LINE_BREAKS for place in range(len(text)) if place not in inside)


@given(words=st.lists(HOSTILE.map(lambda text: "".join(text.split())[:40]).filter(bool)))
def test_every_word_has_at_most_one_kind_whatever_stands_beside_it(words: list[str]) -> None:
    found = kinds_of(words)
    assert len(found) == len(words)
    assert found == [kinds_of([word])[0] for word in words]
    assert all(kind is None or kind in KINDS for kind in found)


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("a@b.es", "email"),
        ("1/2/2014", "date"),
        ("3 de mayo", "written_date"),
        ("600123456", "phone"),
        ("2014", "year"),
        ("2114", None),
        ("3,5", "decimal"),
        ("Dr.", "abbreviation"),
        ("J.", "initial"),
        ("C/", "slashed"),
        ("Ana", None),
        (" ", None),
        (".", None),
    ],
)
def test_kinds(word: str, kind: str | None) -> None:
    assert kinds_of([word]) == [kind]


def test_kinds_of_no_words() -> None:
    assert kinds_of([]) == []
