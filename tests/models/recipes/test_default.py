"""The recipe `default`: what it labels, on made-up Spanish and English notes."""

import pytest
from scrubline import dictionaries
from scrubline.models.bundles.tagger import Tagger
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.recipes import RECIPES, Recipe
from scrubline.models.recipes.default import ENGLISH, SPANISH, Lists, default
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train

NAMES = ("Ana Gil", "Eva Ruiz-Sanz", "Luz de la Mata", "José Mª Vela")
STREETS = ("C/ Mayor, 3", "Avda. del Sol s/n", "Plaza Nueva 2, 1º B", "Paseo de Gracia 10")
TOWNS = ("Madrid", "Vitoria-Gasteiz", "Sevilla", "O Rosal")


def note(number: int) -> AnnotatedDocument:
    """A form, a sentence and a signature; the parts vary apart from each other."""
    name, street, town = NAMES[number % 4], STREETS[number // 2 % 4], TOWNS[number // 3 % 4]
    pieces = [
        ("Nombre: ", None), (name, "NAME"), (".\nFecha: ", None), (f"{number + 1}/02/2014", "DATE"),
        ("  Edad: ", None), (f"{30 + number} años", "AGE"), (".\nAcudió el ", None),
        (f"{number + 1} de mayo de 2013", "DATE"), (" con fiebre de 38,5 grados.\n", None),
        ("Remitido por: Dra. ", None), (name, "NAME"), (" ", None), (street, "STREET"),
        (f" 280{number + 10} ", None), (town, "CITY"), (". Tel. ", None),
        (f"91 345 67 {number + 10}", "PHONE"), (" E-mail: ", None),
        (f"x{number}@hospital.es", "EMAIL"), ("\n", None),
    ]  # fmt: skip
    text, spans = "", []
    for piece, label in pieces:
        if label:
            spans.append(Annotation(len(text), len(text) + len(piece), label))
        text += piece
    return AnnotatedDocument(f"d{number}", text, tuple(spans))


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    recipe = RECIPES["default"]
    lists = {name: dictionaries.load(name) for name in recipe.dictionaries}
    corpus = [note(number) for number in range(14)]
    return Tagger(train(recipe, corpus, dictionaries=lists, name="tiny"), labels_as="own")


@pytest.mark.parametrize("number", [14, 17])
@pytest.mark.slow
def test_finds_in_an_unseen_note_what_stands_where_it_stood(tagger: Tagger, number: int) -> None:
    document = note(number)
    features = tagger.featurize([document.text], tokenize_documents([document.text]))
    found = {(c.start, c.end, c.label) for c in tagger.label_document(features, 0)}
    assert found == {(s.start, s.end, s.label) for s in document.spans}


@pytest.mark.parametrize("text", ["", "\n", "::\n:", "\x00\ud800 1/2/", "º" * 300, "a@" * 300])
def test_hostile_texts_are_labelled(tagger: Tagger, text: str) -> None:
    features = tagger.featurize([text, None], tokenize_documents([text, None]))
    assert all(0 <= c.start < c.end <= len(text) for c in tagger.label_document(features, 0))
    assert tagger.label_document(features, 1) == []


@pytest.mark.parametrize("lists", [SPANISH, ENGLISH], ids=["es", "en"])
def test_lists_of_each_language_take_the_same_roles(lists: Lists) -> None:
    recipe = default(lists)
    assert set(recipe.dictionaries) == set(lists.all)
    assert Recipe.from_json(recipe.as_json()) == recipe
    assert set(lists.all) <= dictionaries.DICTIONARIES.keys()
