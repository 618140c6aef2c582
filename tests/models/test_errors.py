import pytest
from scrubline.models import errors
from scrubline.models.errors import (
    BundleError,
    DocumentError,
    GateHeld,
    OverBudget,
    RunFailed,
    ScrublineError,
    StorageError,
    UsageError,
    error_class,
)


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ValueError("John Smith"), "ValueError"),
        (UnicodeDecodeError("utf-8", b"Smith", 0, 1, "Smith"), "UnicodeDecodeError"),
        (DocumentError("BadId"), "BadId"),
        (OverBudget("tokens"), "OverBudget:tokens"),
        (type("Inner", (KeyError,), {})("Smith"), "Inner"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_only_the_class_of_an_error_is_told(error, shown):
    assert error_class(error) == shown
    assert "Smith" not in error_class(error)


@pytest.mark.parametrize(
    ("kind", "parent"),
    [
        (BundleError, UsageError),
        (StorageError, RunFailed),
        (OverBudget, DocumentError),
        (UsageError, ScrublineError),
        (RunFailed, ScrublineError),
        (GateHeld, ScrublineError),
        (DocumentError, ScrublineError),
    ],
)
def test_kinds_decide_exit_codes(kind, parent):
    assert issubclass(kind, parent)


def test_exit_codes_never_overlap():
    # One error must not be two of: refused (2), failed but resumable (1), held back (3).
    ends = (UsageError, RunFailed, GateHeld, DocumentError)
    for name in vars(errors):
        kind = getattr(errors, name)
        if (
            isinstance(kind, type)
            and issubclass(kind, ScrublineError)
            and kind is not ScrublineError
        ):
            assert sum(issubclass(kind, end) for end in ends) == 1
