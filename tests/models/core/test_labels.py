from scrubline.models.core.labels import (
    CATEGORIES,
    CATEGORY_OF,
    HIPAA_OF,
    LABELS,
    SCORED_AS_HIPAA,
    UNKNOWN_KIND,
)


def test_the_label_set_is_that_of_i2b2_2014_and_phi_of_unknown_kind():
    # 25 sub-categories, and three categories that have none; and PHI.
    assert len(CATEGORIES) == 8
    assert len(LABELS) == len(set(LABELS)) == 29
    assert [c for c, labels in CATEGORIES.items() if labels == (c,)] == [
        "PROFESSION",
        "AGE",
        "DATE",
        UNKNOWN_KIND,
    ]
    assert HIPAA_OF[UNKNOWN_KIND] == "R" and UNKNOWN_KIND not in SCORED_AS_HIPAA


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
