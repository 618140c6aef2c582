"""What tests of attributes of a model share."""

import pytest
from scrubline.models.features import known_words


@pytest.fixture(scope="module", params=[8_000, 3])
def piece(request):
    """Batches as they come, and cut behind nearly every document."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(known_words, "_AT_ONCE", request.param)
        yield request.param
