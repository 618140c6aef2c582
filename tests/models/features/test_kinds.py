"""The contract of every property kind, and what each gives for chosen texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.dictionaries import load
from scrubline.dictionaries.trie import TokenTrie
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.core.tokens import Tokens
from scrubline.models.features import (
    KINDS,
    Beside,
    Character,
    CharacterClass,
    CharacterNgrams,
    Cluster,
    Count,
    DayMonth,
    Digits,
    Elsewhere,
    Feature,
    Field,
    Frequency,
    Gazetteer,
    Kind,
    KnownAffix,
    Length,
    Line,
    Link,
    Nearby,
    Nearest,
    Normal,
    Prefix,
    Section,
    SectionHeading,
    Sentence,
    Shape,
    Spacing,
    Suffix,
    Tag,
    Tree,
    Word,
    at,
    feature_from_json,
    feature_to_json,
    gazetteer_from_phrases,
    known_affixes,
    property_from_json,
    property_to_json,
    together,
)
from scrubline.models.features.base import Property
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.items import SEGMENTATIONS
from scrubline.models.features.native_maps import folds
from scrubline.models.recipes import Learner, TaggerRecipe
from scrubline.models.text.characters import assigned
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples

EXAMPLES: tuple[Property, ...] = (
    Word(),
    Word(fold=True),
    Word(fold=True, digits=True),
    Prefix(1),
    Prefix(4, whole=True),
    Suffix(3, fold=True),
    Shape(),
    Shape(collapsed=True, digit="#", other="-"),
    CharacterClass(("ALPHA",)),
    CharacterClass(("INITCAPS", "HASDIGIT", "ISPUNCT", "ISSPACE")),
    CharacterClass(("ALPHA", "REALNUMBER"), alphabet="unicode"),
    Length(),
    Length(most=4),
    Character(),
    Character(blank=True),
    CharacterNgrams(1),
    CharacterNgrams(3, fold=True),
    Gazetteer("cities"),
    Gazetteer("cities", "bioes"),
    Frequency("cities"),
    Frequency("cities", most=3),
    Cluster("brown"),
    Cluster("brown", 2, fold=True),
    Section(),
    SectionHeading("cities"),
    *(Sentence(aspect) for aspect in ("length", "end", "bracket", "quoted", "index", "rest")),
    *(
        Line(aspect)
        for aspect in ("index", "rest", "number", "field", "gap", "below", "tenth", "size")
    ),
    Count(),
    Count("document", scaled=True, fold=True),
    Count("sequence", scaled=True),
    Tag("pos"),
    Tree("pos"),
    Tree("pos", depth=0),
    *(Link("pos", side, place) for side in ("left", "right") for place in (1, 2)),
    Normal(),
    Normal(plain=True),
    Kind(),
    *(Field(a) for a in ("line", "above", "below", "last", "inner", "since", "coming")),
    Field("line", longest=3),
    DayMonth(),
    Digits(1),
    KnownAffix("x", "suffix", ("k", "s")),
    KnownAffix("x", "prefix", ("ne", "ss")),
    Elsewhere(),
    Elsewhere(most=1),
    Nearest("x", "before", "far", ("email", "date"), ("cities",)),
    Nearest("x", "behind", "sort", (), ("cities",)),
    Nearest("y", "before", "word", (), ("cities",)),
    Nearby("x", 1, ("cities",)),
    Nearby("x", 12, ("cities",), written_large=True),
    Nearby("x", 1_000, ("cities",)),
    Beside("before"),
    Beside("behind", "lower"),
    Spacing(),
)
IDS = [f"{example.KIND}-{example.key}" for example in EXAMPLES]

CITIES = TokenTrie([("new", "york"), ("york",), ("a",), ("ss", "1")], [9, 1, 0, 3])
BROWN = {"a": "0110", "York": "01", "york": "10", "1": ""}
HOSTILE = st.text(
    st.one_of(
        st.sampled_from("aA1 .:()\"'|\\=[]\n\r\t-%/,\x00\ud800\udc00\ufeff\u0130\u2028éß🙂º"),
        st.characters(),
    ),
    max_size=60,
) | st.lists(
    st.sampled_from(
        [
            "New",
            "York",
            "a",
            "1",
            "3/4",
            "5/6/20",
            "Sep 5",
            "\u017fep 5",
            "Name:",
            "(",
            '"',
            ".",
            "\n",
            " ",
            "|",
            "ß",
        ]
    )
).map(" ".join)


def recipe_of(
    *declared: Property | Feature,
    layer: str = "fine",
    sequence: str = "line",
    max_sequence: int = 1000,
    offsets: tuple[int, ...] = (0,),
) -> TaggerRecipe:
    features = tuple(
        feature
        for one in declared
        for feature in ((one,) if isinstance(one, Feature) else at(one, *offsets))
    )
    return TaggerRecipe(
        layer=layer,
        sequence=sequence,
        features=features,
        scheme="BIO",
        learner=Learner("lbfgs"),
        max_sequence=max_sequence,
    )


def attributes(
    texts: list[str | None], recipe: TaggerRecipe, **resources: object
) -> list[list[str]]:
    """The attribute strings of each item of all documents."""
    tokens = tokenize_documents(texts)
    given_resources = {
        "gazetteers": {"cities": CITIES},
        "clusters": {"brown": BROWN},
        "tags": {"pos": ["", "NN", "B|=\\x"][: len(tokens)] + ["VB"] * (len(tokens) - 3)},
    }
    found = featurize(texts, tokens, recipe, **(given_resources | resources))
    names, ids, offsets = found.attributes, found.attribute_ids, found.item_offsets
    assert len(set(names)) == len(names)
    assert set(ids.tolist()) == set(range(len(names))), "every attribute of the table occurs"
    for name in names:
        assert "\x00" not in name
        name.encode()
    rows = [
        [names[i] for i in ids[start:end]] for start, end in zip(offsets, offsets[1:], strict=False)
    ]
    assert all(len(set(row)) == len(row) for row in rows), "an attribute occurs once in an item"
    return rows


def values(declared: Property, text: str, **options: object) -> list[list[str]]:
    """The values of each item of one text."""
    head = f"{declared.key}[0]="
    rows = attributes([text], recipe_of(declared, **options))
    assert all(name.startswith(head) for row in rows for name in row)
    return [[name.removeprefix(head) for name in row] for row in rows]


def test_every_kind_has_an_example() -> None:
    assert {example.KIND for example in EXAMPLES} == KINDS.keys()
    assert all(KINDS[example.KIND] is type(example) for example in EXAMPLES)


def test_different_properties_have_different_keys_without_reserved_characters() -> None:
    assert len({example.key for example in EXAMPLES}) == len(EXAMPLES)
    assert all(set(example.key).isdisjoint("[]=|\\\x00") for example in EXAMPLES)


@pytest.mark.parametrize("declared", EXAMPLES, ids=IDS)
def test_json_round_trip(declared: Property) -> None:
    assert property_from_json(property_to_json(declared)) == declared
    feature = together((declared, -1), (Word(digits=True), 2))
    assert feature_from_json(feature_to_json(feature)) == feature


@pytest.mark.parametrize("layer", list(SEGMENTATIONS))
@pytest.mark.parametrize("declared", EXAMPLES, ids=IDS)
@examples(6)
@given(
    texts=st.lists(HOSTILE, min_size=1, max_size=3), sequence=st.sampled_from(["line", "sentence"])
)
def test_every_kind_is_deterministic_and_sees_only_its_document(
    declared: Property, layer: str, texts: list[str], sequence: str
) -> None:
    if isinstance(declared, Tag | Tree | Link):
        texts = texts[:1]
    recipe = recipe_of(declared, layer=layer, sequence=sequence, max_sequence=7, offsets=(-2, 0, 1))
    together_ = attributes([*texts, None], recipe)
    assert together_ == attributes([*texts, None], recipe)
    assert together_ == [row for text in texts for row in attributes([text], recipe)]


@pytest.mark.parametrize("declared", EXAMPLES, ids=IDS)
def test_no_text_and_blank_texts(declared: Property) -> None:
    for layer in SEGMENTATIONS:
        for sequence in ("line", "sentence", "document"):
            recipe = recipe_of(declared, layer=layer, sequence=sequence)
            for texts in ([], [""], [None], ["\n\n", None, ""]):
                assert attributes(texts, recipe) == []
            blank = attributes([" \t"], recipe)
            assert len(blank) == {"character": 2, "with-blanks": 1}.get(layer, 0)


@pytest.fixture(scope="module", params=["a" * 10_000_000, "A( " * 20_000], ids=["word", "line"])
def huge(request: pytest.FixtureRequest) -> tuple[str, Tokens]:
    return request.param, tokenize_documents([request.param])


@pytest.mark.parametrize("declared", EXAMPLES, ids=IDS)
def test_a_huge_word_and_a_long_line_cost_little(
    declared: Property, huge: tuple[str, Tokens]
) -> None:
    text, tokens = huge
    tags = {"pos": ["NN"] * len(tokens)}
    recipe = recipe_of(declared)
    found = featurize([text], tokens, recipe, {"cities": CITIES}, tags, clusters={"brown": BROWN})
    assert len(found.starts) == len(tokens)
    assert all(len(name) < 300 for name in found.attributes)


@pytest.mark.parametrize(
    ("declared", "text", "expected"),
    [
        (Word(), "Dr Ada", ["Dr", "Ada"]),
        (Word(fold=True), "STRASSE Straße", ["strasse", "strasse"]),
        (Word(digits=True), "t98", ["t", "00"]),
        (Prefix(2), "Ada i", ["Ad", None]),
        (Prefix(2, whole=True), "Ada i", ["Ad", "i"]),
        (Suffix(2), "Ada i", ["da", None]),
        (Suffix(2, fold=True, whole=True), "ADA I", ["da", "i"]),
        (Shape(), "Ada é 42 /", ["Aaa", "a", "00", "/"]),
        (Shape(digit="#", other="-"), "Ada 42 /", ["Aaa", "##", "-"]),
        (Shape(collapsed=True), "Adda 4200", ["Aa", "0"]),
        (CharacterClass(("ALPHA", "NUMBER")), "Ada é 42 /", ["ALPHA", None, "NUMBER", None]),
        (CharacterClass(("ALPHA",), alphabet="unicode"), "É /", ["ALPHA", None]),
        (Length(most=3), "a bb ccc dddd", ["1", "2", "3+", "3+"]),
        (Character(), "Ada 7", ["A", "7"]),
        (Gazetteer("cities"), "New York or NEW", ["1", "1", None, None]),
        (Gazetteer("cities", "bioes"), "New\nYork, york", ["B", "E", None, "S"]),
        (Frequency("cities"), "New York or NEW york a", ["4", "4", None, "4", "4", "0"]),
        (Frequency("cities", 3), "New York york", ["3", "3", "1"]),
        (Cluster("brown"), "a York X 1", ["0110", "01", None, ""]),
        (Cluster("brown", 1, fold=True), "A YORK", ["0", "1"]),
        (Sentence("index"), "a b c d.", ["0", "1", "2", "2", "3"]),
        (Sentence("rest"), "a b c d.", ["3", "2", "2", "1", "0"]),
        (Sentence("length"), "a b c", ["2", "2", "2"]),
        (Sentence("end"), "a b.", ["1", "1", "1"]),
        (Sentence("end"), "a b", ["0", "0"]),
        (Sentence("bracket"), "( a )", ["0", "0", "0"]),
        (Sentence("bracket"), "( a ]", ["1", "1", "1"]),
        (Sentence("bracket"), "a )", ["1", "1"]),
        (Sentence("quoted"), 'a " b " c', ["0", "0", "1", "1", "0"]),
        (Line("index"), "a b\nc", ["0", "1", "0"]),
        (Line("rest"), "a b\nc", ["1", "0", "0"]),
        (Line("number"), "a\n\nb\nc", ["0", "1", "2"]),
        (Line("field"), "Date of  Visit: today", [None, None, None, None, "date of visit"]),
        (Line("field"), ": a\nb c", [None, None, None, None]),
        (Line("field"), "a b c d e f g h : x", [None] * 10),
        (Line("gap"), "Age: 7 or 8 b", [None, None, "1", "2", "2", "3"]),
        (Count(), "a b a\na", ["2", "1", "2", "1"]),
        (Count("document"), "a b a\na", ["2", "1", "2", "2"]),
        (Count(fold=True), "a b A", ["2", "1", "2"]),
        (Count(scaled=True), "a b a c", ["1", "2", "1", "2"]),
        (Count(scaled=True), "a a", ["0", "0"]),
        (Line("below"), "a\n\nb\nc", ["2", "1", "0"]),
        (Line("tenth"), "a\nb\nc\nd", ["0", "2", "5", "7"]),
        (Line("size"), "a b\nc", ["2", "2", "1"]),
        (Normal(), "Édad 53 x1", ["édad", "00", "x", "0"]),
        (Normal(plain=True), "Édad Mª", ["edad", "ma"]),
        (Kind(), "En 2014 fue", [None, "year", None]),
        (Field("line"), "Edad: 5\nx", ["edad", "edad", "edad", None]),
        (Field("line", longest=2), "Edad: 5", [None] * 3),
        (Field("above"), "Edad: 5\nx\ny", [None] * 3 + ["edad", None]),
        (Field("below"), "x\nEdad: 5", ["edad", None, None, None]),
        (Field("last"), "x\nEdad: 5\ny\nz", [None, "edad", "edad", "edad", "edad", "edad"]),
        (Field("inner"), "Edad: 5 Sexo: H", [None, None, "edad", "edad", "edad", "sexo"]),
        (Field("inner"), ": a\nb", [None] * 3),
        (Field("inner"), "EDAD: a\nedad: b", [None, None, "edad"] * 2),
        (Field("since"), "Edad: 5 Sexo: H", [None, None, "1", "2", "3", "1"]),
        (
            Field("since"),
            "a:" + " b" * 14,
            [None] * 2 + [str(n) for n in range(1, 13)] + [None] * 2,
        ),
        (Field("coming"), "Edad: 5 Sexo: H", ["edad", "edad", "sexo", "sexo", "sexo", None]),
        (Nearest("x", "behind", "sort", (), ("cities",)), "b york c a", ["cities"] * 3 + [None]),
        (
            Nearest("x", "behind", "far", (), ("cities",)),
            "b c New York",
            ["cities.2", "cities.1", None, None],
        ),
        (
            Nearest("x", "before", "far", (), ("cities",)),
            "New York b c",
            [None, None, "cities.1", "cities.2"],
        ),
        (
            Nearest("x", "before", "far", ("year",), ("cities",)),
            "York 2014 b",
            [None, "cities.1", "year.1"],
        ),
        (Nearest("x", "before", "far", (), ("cities",)), "York\nb", [None, None]),
        (Nearby("x", 1, ("cities",)), "b york c a", ["1", "0", "2", "0"]),
        # Each item of a phrase counts, none counts itself, and lines do not matter.
        (Nearby("x", 2, ("cities",)), "New York\nb", ["1", "1", "2"]),
        (Nearby("x", 9, ("cities",), written_large=True), "York york b", ["0", "1", "1"]),
        (Nearby("x", 9, ("cities",)), "York " * 9 + "b", ["4"] * 10),
        (Nearby("x", 99, ("cities",)), "York " * 80, ["6"] * 80),
        (
            Nearest("x", "before", "far", (), ("cities",)),
            "York" + " b" * 33,
            [None] + [f"cities.{n.bit_length()}" for n in range(1, 33)] + [None],
        ),
        (Nearest("x", "behind", "word", (), ("cities",)), "b York", ["york", None]),
        (Nearest("x", "before", "word", (), ("cities",)), "New York b", [None, None, "york"]),
        (Beside("before"), "Ana - 53 x", [None, "ana", "ana", "00"]),
        (Beside("behind"), "Ana -\nb", [None, None, None]),
        (Beside("behind", "lower"), "a Ana b", ["b", "b", None]),
        (DayMonth(), "3/4/2020 b", [None] * 6),
        (DayMonth(), "3/24/2020 3/21 a", [None] * 5 + ["week/"] * 3 + [None]),
        (DayMonth(), "1/2/20 12-30", [None] * 5 + ["week-"] * 3),
        (DayMonth(), "2020-05-04 5/4 1/9", [None] * 5 + ["same/"] * 3 + ["far/"] * 3),
        (DayMonth(), "2020-05-05 5/5 2/6", [None] * 5 + ["scale/"] * 6),
        (DayMonth(), "Mar 3 7/8 5/9", [None] * 2 + ["far/"] * 3 + ["season/"] * 3),
        (DayMonth(), "3/21 13/14 0-3", ["alone/"] * 3 + ["no/"] * 3 + ["no-"] * 3),
        (DayMonth(), "120/80 1/2/3 3.4", [None] * 11),
        (DayMonth(), "3/21 \u017fep 5", ["alone/"] * 3 + [None] * 2),
        (Spacing(), "a.b  c\nd", ["20", "00", "02", "21", "12"]),
        (Tag("pos"), "a b c d", [None, "NN", "B\\p=\\\\x", "VB"]),
    ],
    ids=str,
)
def test_one_value_each(declared: Property, text: str, expected: list[str | None]) -> None:
    assert values(declared, text) == [[] if one is None else [one] for one in expected]


@pytest.mark.parametrize(
    ("declared", "text", "expected"),
    [
        (
            CharacterClass(("ALPHA", "ALLCAPS", "ROMAN")),
            "IV a",
            [["ALPHA", "ALLCAPS", "ROMAN"], ["ALPHA"]],
        ),
        (CharacterNgrams(2), "abab a", [["ab", "ba"], []]),
        (CharacterNgrams(1, fold=True), "Aa", [["a"]]),
        (
            Elsewhere(),
            "Name: Ann Lee\nDoctor: Lee de\nlee LEE Ann Bo",
            [[], [], [], ["doctor"], [], [], ["name"], [], [], ["name", "doctor"], ["name"], []],
        ),
        (Elsewhere(most=1), "A: Lee\nB: Lee\nLee", [[]] * 2 + [["b"], [], [], ["a"], ["a"]]),
    ],
    ids=str,
)
def test_many_values(declared: Property, text: str, expected: list[list[str]]) -> None:
    assert values(declared, text) == expected


@pytest.mark.parametrize(
    ("declared", "text", "expected"),
    [
        (Word(), "ab c", ["a", "b", "·", "c"]),
        (Character(blank=True), "a b", ["a", "&#", "b"]),
        (Tag("pos"), "x ab c", [None, None, "B-NN", "E-NN", None, "S-B\\p=\\\\x"]),
        (Cluster("brown"), " York a", [None, *"BIIE", None, "S"]),
        (Gazetteer("cities"), "x New York", [None, None, *"11111111"]),
        (Gazetteer("cities", "bioes"), " new york a", [None, *"BIIIIIIE", None, "S"]),
        (Frequency("cities"), " new york a", [None, *"44444444", None, "0"]),
        (Count(), "aba", ["2", "1", "2"]),
        (Line("index"), "ab c", ["0", "0", "0", "1"]),
    ],
    ids=str,
)
def test_characters(declared: Property, text: str, expected: list[str | None]) -> None:
    found = [row[0] if row else None for row in values(declared, text, layer="character")]
    if isinstance(declared, Cluster):
        codes = {"York": "01", "a": "0110"}
        expected = [e and f"{e}-{codes['a' if i == 6 else 'York']}" for i, e in enumerate(expected)]
    assert found == [" " if one == "·" else one for one in expected]


def test_digits_are_counted_in_fine_tokens() -> None:
    text = "98101 9810 98101-12 A98101 \u0669\u0668\u0661\u0660\u0661"
    assert [bool(row) for row in values(Digits(5), text)][:3] == [True, False, True]
    words = [bool(row) for row in values(Digits(5), text, layer="word")]
    assert words == [True, False, True, False, False]
    found = [row[0] if row else "-" for row in values(Digits(3), "a 123 4", layer="character")]
    assert found == ["-", "-", "B-1", "I-1", "E-1", "-", "-"]


def test_known_affixes_are_of_longer_words() -> None:
    suffix = KnownAffix("x", "suffix", ("itis", "emia"))
    text = "Tonsillitis itis aitis abITIS anemia stra\u00dfitis emi"
    assert [bool(row) for row in values(suffix, text)] == [1, 0, 0, 1, 1, 1, 0]
    prefix = KnownAffix("x", "prefix", ("ss",))
    assert [bool(row) for row in values(prefix, "\u00dfab \u00dfa ssab sab")] == [1, 0, 1, 0]


def test_affixes_of_a_list_are_grouped_by_side_and_length() -> None:
    written = ["peri-", "-itis", "-Emia", "whole", "-both-", "hemi-", "-oscopy"]
    assert known_affixes("a", written) == (
        KnownAffix("a.4", "prefix", ("hemi", "peri")),
        KnownAffix("a.4", "suffix", ("emia", "itis")),
        KnownAffix("a.6", "suffix", ("oscopy",)),
    )
    shipped = [one.strip("-") for one in load("clinical_affixes_en").phrases]
    assert {"peri", "itis", "ectomy"} <= set(shipped) and min(map(len, shipped)) == 4


@pytest.mark.parametrize(
    "affixes",
    [(), ("a", "ab"), ("a", "a"), ("A",), ("x" * 33,)],
    ids=["none", "two", "same", "case", "long"],
)
def test_affixes_that_are_none_are_refused(affixes) -> None:
    with pytest.raises(UsageError, match="^affix: "):
        KnownAffix("x", "suffix", affixes)


def test_section_gives_the_heading_above() -> None:
    text = "note\nFAMILY HISTORY:\nnone known"
    tokens = tokenize_documents([text])
    expected = [
        [] if section < 0 else [tokens.section_names[section]] for section in tokens.sections
    ]
    assert values(Section(), text) == expected
    assert expected[0] == []
    assert expected[-1] != []


HEADINGS = TokenTrie([("family", "history"), ("plan",), ("meds",), ("history",)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A heading in a line of its own holds over blank lines and fields, up to the next one.
        ("x\nFAMILY HISTORY:\na\n\nBP: 1 b\nc", "- fff f ffff f"),
        ("FAMILY HISTORY\na\nMEDS\nb", "fff mm"),
        ("FAMILY HISTORY:\na\nEXAM:\nb", "ffff -- -"),
        ("FAMILY HISTORY:\na\nTHE FACTS\nb", "ffff -- -"),
        # One with text behind it holds for its paragraph.
        ("Meds: a\nb\n\nc", "mmm m -"),
        ("Meds: a\r\nb\r\n\r\nc", "mmm m -"),
        ("MEDS:\na\nPlan: b\n\nc", "mm m ppp -"),
        # The whole heading is listed, at the beginning of its line, in capitals or with a colon.
        ("The Plan: a", "----"),
        ("plan a\nPlan", "-- -"),
        ("Plan:a\nPlan B: c", "--- ----"),
        ("PAST FAMILY HISTORY:\na", "---- -"),
        ("a b c d e f g h PLAN: a", "-----------"),
    ],
)
@pytest.mark.parametrize("layer", ["fine", "word", "character"])
def test_a_heading_holds_as_long_as_its_kind_does(text: str, expected: str, layer: str) -> None:
    names = {"f": "family history", "p": "plan", "m": "meds"}
    declared = SectionHeading("cities")
    head = f"{declared.key}[0]="
    rows = attributes([text], recipe_of(declared, layer=layer), gazetteers={"cities": HEADINGS})
    items = SEGMENTATIONS[layer]([text], tokenize_documents([text]))
    # Every item has the value of the fine token that it begins in.
    fine = tokenize_documents([text]).starts.tolist()
    marks = expected.replace(" ", "")
    assert len(fine) == len(marks)
    for start, row in zip(items.starts.tolist(), rows, strict=True):
        mark = marks[max(n for n, begin in enumerate(fine) if begin <= start)]
        assert row == ([head + names[mark]] if mark != "-" else [])


def test_a_heading_ends_with_its_document() -> None:
    rows = attributes(
        ["MEDS\na", "b", "MEDS"], recipe_of(SectionHeading("x")), gazetteers={"x": HEADINGS}
    )
    assert [len(row) for row in rows] == [1, 1, 0, 1]


TREES = ["", "C14.280.067;C23", "C14.280", "D03"]


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (0, [[], ["C"], ["C"], ["D"]]),
        (1, [[], ["C", "C14", "C23"], ["C", "C14"], ["D", "D03"]]),
        (
            11,
            [
                [],
                ["C", "C14", "C14.280", "C14.280.067", "C23"],
                ["C", "C14", "C14.280"],
                ["D", "D03"],
            ],
        ),
    ],
)
def test_a_place_in_a_tree_is_all_places_above_it(depth: int, expected: list[list[str]]) -> None:
    head = f"tree{depth}.t[0]="
    rows = attributes(["a b c d"], recipe_of(Tree("t", depth)), tags={"t": TREES})
    assert [[name.removeprefix(head) for name in row] for row in rows] == expected


def test_a_character_has_the_places_of_its_token() -> None:
    rows = attributes(["a bc"], recipe_of(Tree("t", 1), layer="character"), tags={"t": ["", "A01"]})
    assert rows == [[], [], *[["tree1.t[0]=A", "tree1.t[0]=A01"]] * 2]


@pytest.mark.parametrize(
    ("side", "place", "expected"),
    [
        ("left", 1, [None, "D the", None]),
        ("left", 2, [None] * 3),
        ("right", 1, ["D cat", "S ran", None]),
        ("right", 2, [None, "X .", None]),
    ],
)
def test_links_by_side_and_place(side: str, place: int, expected: list[str | None]) -> None:
    column = ["\n\nD cat\n\n", "D the\n\nS ran\nX .\n", ""]
    rows = attributes(["the cat ran"], recipe_of(Link("l", side, place)), tags={"l": column})
    head = f"link.{side}{place}.l[0]="
    assert rows == [[f"{head}{one}"] if one else [] for one in expected]


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (Tree, ("a b",)),
        (Tree, ("a", 12)),
        (Tree, ("a", -1)),
        (Link, ("a b", "left")),
        (Link, ("a", "up")),
        (Link, ("a", "left", 0)),
        (Link, ("a", "left", 3)),
    ],
)
def test_trees_and_links_refuse_parameters(make: type, parameters: tuple[object, ...]) -> None:
    with pytest.raises(UsageError):
        make(*parameters)


def test_coarse_items_take_the_tag_of_their_first_fine_token() -> None:
    text = "on 3/4/12 ok"
    rows = attributes(
        [text],
        recipe_of(Tag("pos"), Word(), layer="coarse"),
        tags={"pos": ["IN", "CD", "P1", "P2", "P3", "P4", "UH"]},
    )
    assert [name for row in rows for name in row] == [
        "tag.pos[0]=IN",
        "w[0]=on",
        "tag.pos[0]=CD",
        "w[0]=3/4/12",
        "tag.pos[0]=UH",
        "w[0]=ok",
    ]


def test_gazetteer_from_phrases_cuts_and_folds_as_text_is_cut() -> None:
    phrases = ["St. Mary's", "NEW YORK", "3/4", " ", "ÉCOLE"]
    for layer in ("fine", "coarse", "character"):
        trie = gazetteer_from_phrases(phrases, layer)
        assert len(trie) == 4
        recipe = recipe_of(Gazetteer("cities"), layer=layer)
        for phrase in ("st. mary's", "New York", "3/4", "école"):
            rows = attributes([f"in {phrase} x"], recipe, gazetteers={"cities": trie})
            inside = rows[3:-2] if layer == "character" else rows[1:-1]
            assert all(row == ["in.cities[0]=1"] for row in inside)
    with pytest.raises(UsageError, match="layer must be one of"):
        gazetteer_from_phrases([], "words")


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        (Prefix, {"n": 0}),
        (Suffix, {"n": 33}),
        (Prefix, {"n": True}),
        (Length, {"most": 1}),
        (CharacterNgrams, {"n": 9}),
        (Shape, {"upper": ""}),
        (Shape, {"other": "|"}),
        (Shape, {"digit": "00"}),
        (CharacterClass, {"names": ()}),
        (CharacterClass, {"names": ("ALPHA", "ALPHA")}),
        (CharacterClass, {"names": ("^a$",)}),
        (CharacterClass, {"names": ("ALPHA",), "alphabet": "utf-8"}),
        (Gazetteer, {"name": "a b"}),
        (Gazetteer, {"name": ""}),
        (Gazetteer, {"name": "x", "mode": "bio"}),
        (Cluster, {"name": "x=", "prefix": 0}),
        (Cluster, {"name": "x", "prefix": -1}),
        (Sentence, {"aspect": "mood"}),
        (Line, {"aspect": "length"}),
        (Count, {"scope": "corpus"}),
        (Tag, {"name": "../pos"}),
        (Field, {"aspect": "title"}),
        (Field, {"aspect": "line", "longest": 0}),
        (Field, {"longest": 3, "aspect": "inner"}),
        (Elsewhere, {"most": 0}),
        (Nearest, {"name": "x", "side": "left", "gives": "far"}),
        (Nearest, {"name": "x", "side": "before", "gives": "all"}),
        (Nearest, {"name": "x", "side": "before", "gives": "far", "kinds": ("city",)}),
        (Nearest, {"name": "x", "side": "before", "gives": "far", "dictionaries": ("a b",)}),
        (Beside, {"side": "left"}),
        (Beside, {"side": "before", "sort": "upper"}),
        (Nearby, {"width": 0, "name": "x", "dictionaries": ("cities",)}),
        (Nearby, {"width": 1_001, "name": "x", "dictionaries": ("cities",)}),
        (Nearby, {"dictionaries": (), "name": "x", "width": 1}),
        (Nearby, {"dictionaries": ("cities", "cities"), "name": "x", "width": 1}),
        (Nearby, {"dictionaries": ("a b",), "name": "x", "width": 1}),
        (Nearby, {"name": "a b", "dictionaries": ("cities",), "width": 1}),
    ],
)
def test_bad_parameters_are_refused_by_name(
    kind: type[Property], parameters: dict[str, object]
) -> None:
    with pytest.raises(UsageError, match=f"{kind.KIND}: ({'|'.join(parameters)})"):
        kind(**parameters)
    listed = {n: list(v) if isinstance(v, tuple) else v for n, v in parameters.items()}
    complete = {"kind": kind.KIND} | _defaults(kind) | listed
    with pytest.raises(BundleError):
        property_from_json(complete)


def _defaults(kind: type[Property]) -> dict[str, object]:
    example = next(example for example in EXAMPLES if type(example) is kind)
    return {name: v for name, v in property_to_json(example).items() if name != "kind"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "must be an object"),
        ([], "must be an object"),
        ({}, "unknown kind NoneType"),
        ({"kind": "os.system"}, "unknown kind 'os.system'; known: affix, beside, character"),
        ({"kind": ["word"]}, "unknown kind list"),
        ({"kind": "prefix"}, "prefix: parameters n, fold, whole are missing"),
        ({"kind": "section", "__class__": "x"}, "unknown parameters '__class__'"),
        ({"kind": "section", 3: "x"}, "unknown parameters int"),
        ({"kind": "prefix", "n": "3", "fold": False, "whole": False}, "n must be a whole number"),
        ({"kind": "prefix", "n": True, "fold": False, "whole": False}, "n must be a whole number"),
        ({"kind": "prefix", "n": 10**30, "fold": False, "whole": False}, "from 1 to 32"),
        ({"kind": "prefix", "n": 3.0, "fold": False, "whole": False}, "n must be a whole number"),
        ({"kind": "word", "fold": 1, "digits": False}, "fold must be true or false"),
        ({"kind": "class", "names": "ALPHA", "alphabet": "ascii"}, "names must be a list"),
        ({"kind": "class", "names": [[]], "alphabet": "ascii"}, "names must be a list"),
        ({"kind": "tag", "name": None}, "name must be a string"),
    ],
)
def test_hostile_json_is_refused_by_name(data: object, message: str) -> None:
    with pytest.raises(BundleError, match=message):
        property_from_json(data)


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        [],
        "ab",
        [[]],
        [[{"kind": "section"}]],
        [[{"kind": "section"}, "0"]],
        [[{"kind": "section"}, True]],
        [[{"kind": "section"}, 33]],
        [[{"kind": "section"}, 0], [{"kind": "section"}, 0]],
    ],
)
def test_hostile_feature_json_is_refused(data: object) -> None:
    with pytest.raises(BundleError):
        feature_from_json(data)


@pytest.mark.parametrize("layer", list(SEGMENTATIONS))
def test_frequency_adds_up_what_differs_only_in_case(layer: str) -> None:
    trie = gazetteer_from_phrases(["Ann Lee", "ANN LEE", " ", "Ann"], layer, [5, 3, 7, 1])
    recipe = recipe_of(Frequency("cities"), layer=layer)
    rows = attributes(["ann lee\nx"], recipe, gazetteers={"cities": trie})
    inside = rows[: {"character": 7, "with-blanks": 3}.get(layer, 2)]
    assert all(row == ["freq20.cities[0]=4"] for row in inside)
    assert not any(rows[len(inside) :])


def test_frequency_of_a_gazetteer_without_weights() -> None:
    trie = gazetteer_from_phrases(["Ann"], "fine")
    rows = attributes(["ann x"], recipe_of(Frequency("cities")), gazetteers={"cities": trie})
    assert rows == [["freq20.cities[0]=0"], []]


@pytest.mark.parametrize("parameters", [{"most": 0}, {"most": 61}, {"name": "a b"}])
def test_frequency_refuses_parameters_out_of_range(parameters: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="frequency: "):
        Frequency(**({"name": "a"} | parameters))  # type: ignore[arg-type]


def test_every_gazetteer_of_a_landmark_must_be_given() -> None:
    declared = Nearest("x", "before", "far", (), ("cities", "countries"))
    assert declared.needs == (("gazetteer", "cities"), ("gazetteer", "countries"))
    assert Tag("pos").needs == (("tag", "pos"),)
    assert Word().needs == ()
    with pytest.raises(UsageError, match="needs the gazetteer 'countries'"):
        attributes(["a"], recipe_of(declared))


def test_what_is_of_several_landmarks_counts_as_the_first() -> None:
    declared = Nearest("x", "before", "sort", ("year",), ("cities", "numbers"))
    rows = attributes(
        ["2014 York x"],
        recipe_of(declared),
        gazetteers={"cities": CITIES, "numbers": TokenTrie([("2014",), ("york",)])},
    )
    assert rows == [[], ["nearest.x.before.sort[0]=year"], ["nearest.x.before.sort[0]=cities"]]


def test_an_item_inside_a_phrase_sees_the_landmarks_around_it() -> None:
    near = Nearest("x", "behind", "far", (), ("cities",))
    assert values(near, "x New York y York") == [
        ["cities.1"],
        ["cities.2"],
        ["cities.2"],
        ["cities.1"],
        [],
    ]


def test_what_folding_changes_is_told_by_page_as_by_character():
    changed = {code: chr(code).casefold() for code in assigned()}
    expected = {code: fold for code, fold in changed.items() if fold != chr(code)}
    assert list(folds().items()) == list(expected.items())
