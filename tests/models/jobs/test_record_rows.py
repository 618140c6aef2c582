"""Records of which values go: whether their texts are found again, and read as they were."""

import base64

import pyarrow as pa
import pytest
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.message_columns import MessageNesting
from scrubline.models.jobs.record_rows import unstable_rows
from scrubline.models.messages.table import GRAMMARS

PAGE = base64.b64encode(b"<p>Zelda</p>").decode()
HL7 = f"MSH|^~\\&|A\rOBX|1|ED|x||S^TEXT^HTML^Base64^{PAGE}\rOBX|2|TX|x||Zelda"
# As markup only because it is said to be.
SAID = HL7.replace(PAGE, base64.b64encode(b"Seen: &lt;Zelda").decode())
FHIR = (
    '{"resourceType": "Binary", "id": "1", "language": "en", "contentType": "text/html", '
    f'"data": "{PAGE}"}}'
)
CCDA = (
    '<ClinicalDocument xmlns="urn:hl7-org:v3"><title language="en" mediaType="text/html" '
    f'representation="B64">{PAGE}</title></ClinicalDocument>'
)
CCDA_SAID = CCDA.replace(PAGE, base64.b64encode(b"Seen: &lt;Zelda").decode())


@pytest.mark.parametrize(
    ("name", "record", "gone", "is_stable"),
    [
        ("hl7", HL7, "OBX-3", True),
        ("hl7", HL7, "OBX-5(ED).1", True),
        ("hl7", HL7, "OBX-5(ED).3", True),
        ("hl7", SAID, "OBX-5(ED).3", False),
        ("hl7", HL7, "OBX-5(ED).4", False),
        ("hl7", HL7, "OBX-2", False),
        ("fhir", FHIR, "Binary.language", True),
        ("fhir", FHIR, "Binary.contentType", False),
        ("ccda", CCDA, "title@language", True),
        # Its beginning says what it is, too.
        ("ccda", CCDA, "title@mediaType", True),
        ("ccda", CCDA_SAID, "title@mediaType", False),
        ("ccda", CCDA, "title@representation", False),
    ],
)
def test_texts_are_found_again_and_read_as_they_were(name, record, gone, is_stable):
    columns = Columns.of_record(name, [(gone, "drop")])
    nesting, node = MessageNesting(GRAMMARS[name]), columns.nested[name]
    before = nesting.open(pa.array([record, None]), name, node)
    assert not before.errors and gone in before.leaves
    kept = {leaf: own.cells for leaf, own in before.leaves.items() if leaf != gone}
    after = nesting.open(before.closed(kept), name, node)
    assert unstable_rows(before, after, columns.named("text")) == (set() if is_stable else {0})
