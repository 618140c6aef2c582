from scrubline.models.core.labels import CATEGORIES, CATEGORY_OF, HIPAA_OF, LABELS


def test_the_label_set_is_that_of_i2b2_2014():
    # 25 sub-categories, and three categories that have none.
    assert len(CATEGORIES) == 7
    assert len(LABELS) == len(set(LABELS)) == 29
    assert [c for c, labels in CATEGORIES.items() if labels == (c,)] == [
        "PROFESSION",
        "AGE",
        "DATE",
    ]


def test_every_label_has_its_category():
    assert set(CATEGORY_OF) == set(LABELS)
    assert all(label in CATEGORIES[category] for label, category in CATEGORY_OF.items())


def test_hipaa_items_are_letters_of_the_rule_and_of_known_labels():
    assert set(HIPAA_OF) <= set(LABELS)
    # Q is the full-face photograph, which no text holds.
    assert set(HIPAA_OF.values()) == set("ABCDEFGHIJKLMNOPR")


def test_what_safe_harbor_does_not_list_has_no_letter():
    assert set(LABELS) - set(HIPAA_OF) == {"DOCTOR", "PROFESSION", "STATE", "COUNTRY"}


def test_labels_can_stand_in_brackets_and_tags():
    assert all(label.isascii() and label == label.upper() and " " not in label for label in LABELS)
