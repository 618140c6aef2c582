"""What clients send and get, as JSON. No answer of the server repeats what it was sent."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any, NoReturn

from ...models.core.errors import DocumentError
from ...models.formats.role_texts import PLAIN
from ...models.rendering.kinds import LAYERS
from ...models.scrubbed_text import ScrubbedText


class Refused(Exception):  # noqa: N818 - an answer, no error of the program
    """A request that is answered with an error.

    Attributes:
        status: of HTTP.
        code: a fixed word.
        why: what to do, for people.
    """

    def __init__(self, status: int, code: str, why: str) -> None:
        super().__init__(code)
        self.status, self.code, self.why = status, code, why

    def as_json(self) -> dict[str, str]:
        """The body of the answer."""
        return {"error": self.code, "message": self.why}


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Asked:
    """The texts of a request, with a note type each.

    Attributes:
        texts: strings or None.
        note_types: as many.
        is_one: whether it was a single text, whose answer is not a list.
        markup: in which all are written; None if the beginning of each tells.
    """

    texts: tuple[str | None, ...]
    note_types: tuple[str | None, ...]
    is_one: bool
    markup: str | None = None


_FORM = (
    'expected {"text": TEXT} or {"texts": [TEXT, ...]}, with "note_type" and "markup" or without'
)


def read_request(body: bytes, most_texts: int) -> Asked:
    """The texts in the body of a request.

    Raises:
        Refused: if it is something else.
    """
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused(400, "BadJson", "the body is not JSON in UTF-8") from None
    if not isinstance(value, dict) or len({"text", "texts"} & value.keys()) != 1:
        raise Refused(400, "BadRequest", _FORM)
    if not value.keys() <= {"text", "texts", "note_type", "markup"}:
        raise Refused(400, "BadRequest", f"there are keys that are unknown; {_FORM}")
    is_one = "text" in value
    texts = [value["text"]] if is_one else value["texts"]
    if not isinstance(texts, list) or not all(t is None or isinstance(t, str) for t in texts):
        raise Refused(400, "BadRequest", _FORM)
    if len(texts) > most_texts:
        raise Refused(413, "TooManyTexts", f"at most {most_texts} texts in a request")
    note_type = value.get("note_type")
    if note_type is not None and not isinstance(note_type, str):
        raise Refused(400, "BadRequest", "note_type is a text or null")
    markup = value.get("markup")
    if markup not in (None, *LAYERS, PLAIN):
        kinds = ", ".join((*LAYERS, PLAIN))
        raise Refused(400, "BadRequest", f"markup is one of {kinds}, or null: the texts tell")
    return Asked(tuple(texts), (note_type,) * len(texts), is_one, markup)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def answer(asked: Asked, found: Sequence[Any]) -> tuple[int, dict[str, Any]]:
    """Status and body: of several texts a result each, of which those that failed have an error."""
    results = [_result(one) for one in found]
    if not asked.is_one:
        return 200, {"results": results}
    (result,) = results
    return (422 if "error" in result else 200), result


def _result(found: Any) -> dict[str, Any]:
    if isinstance(found, DocumentError):
        return {"error": found.code}
    if isinstance(found, ScrubbedText):
        return found.as_json()
    return {"text": None, "spans": []}
