"""The attribute rows of single documents of a batch."""

import numpy as np
import pytest
from scrubline.models.core.feature_rows import Features, Indexed

# Three documents of two, none and one sequences; three, one and two items in these.
COLUMNS = {
    "attribute_ids": np.array([7, 1, 1, 2, 0, 5, 7]),
    "item_offsets": np.array([0, 2, 2, 3, 4, 6, 7]),
    "starts": np.array([0, 3, 5, 9, 0, 4]),
    "ends": np.array([2, 4, 8, 12, 3, 6]),
    "sequence_offsets": np.array([0, 3, 4, 6]),
    "document_offsets": np.array([0, 2, 2, 3]),
}
KINDS = {
    "strings": Features(tuple(f"a{n}" for n in range(8)), **COLUMNS),
    "ids": Indexed(**COLUMNS | {"attribute_ids": COLUMNS["attribute_ids"].astype(np.int32)}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("document", "ids", "items", "starts", "sequences"),
    [
        (0, [7, 1, 1, 2], [0, 2, 2, 3, 4], [0, 3, 5, 9], [0, 3, 4]),
        (1, [], [0], [], [0]),
        (2, [0, 5, 7], [0, 2, 3], [0, 4], [0, 2]),
    ],
)
def test_one_document_stands_alone_as_document_0(kind, document, ids, items, starts, sequences):
    own = KINDS[kind].of_document(document)
    assert type(own) is type(KINDS[kind])
    assert own.attribute_ids.tolist() == ids
    assert own.item_offsets.tolist() == items
    assert own.starts.tolist() == starts
    assert own.sequence_offsets.tolist() == sequences
    assert own.document_offsets.tolist() == [0, len(sequences) - 1]
