"""What is answered instead of what was asked for."""

from __future__ import annotations

from typing import Any


class DeskRefusal(Exception):  # noqa: N818 - an answer, no error of the program
    """A request that is answered with an error.

    Attributes:
        status: of HTTP.
        code: a fixed word.
        why: what and where, for people; never text of a note.
        more: further members of the answer.
    """

    def __init__(self, status: int, code: str, why: str, **more: Any) -> None:
        super().__init__(code)
        self.status, self.code, self.why, self.more = status, code, why, more

    def as_json(self) -> dict[str, Any]:
        """The body of the answer."""
        return {"error": self.code, "message": self.why, **self.more}


def unsaved(error: Exception) -> DeskRefusal:
    """The answer where something could not be written; of the error, its number alone."""
    number = getattr(error, "errno", None)
    return DeskRefusal(
        503,
        "NotSaved",
        f"it cannot be written ({type(error).__name__}, errno {number}): nothing was saved, and "
        "nothing is shown that cannot be logged. Is the disk full?",
    )
