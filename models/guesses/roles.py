"""Which role a column may have, by its name and by what a sample shows of its values.

Conservative on purpose. A column that goes out as it is needs both: a name that promises a code,
and values that are few, short and repeated. Ids are hashed or become keys, free text is scrubbed;
each is safe if the guess was wrong. Everything else is left out.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping

from ..formats.column_roles import DOC_KEY, PATIENT_KEY, Role
from .column_facts import ColumnFacts, Form

LEAST_FOR_CODES = 20
"""With fewer values, it cannot be told that a few codes repeat."""

MOST_CODES = 60
"""Different values of a column of codes."""

_IDENTIFYING = {
    *("name", "names", "surname", "lastname", "firstname", "first", "last", "given", "family"),
    *("initials", "author", "doctor", "physician", "provider", "clinician", "nurse", "user"),
    *("signed", "signer", "editor", "nombre", "apellido", "apellidos", "nom", "vorname"),
    *("address", "street", "city", "town", "county", "zip", "zipcode", "postcode", "postal"),
    *("place", "location", "direccion", "adresse", "strasse", "ort", "plz", "hospital", "facility"),
    *("phone", "telephone", "tel", "fax", "mobile", "email", "mail", "url", "web", "ip"),
    *("ssn", "passport", "license", "licence", "account", "insurance", "policy", "plate"),
    *("age", "edad", "alter", "photo", "image", "employer", "occupation", "relative", "contact"),
    *("nachname", "anschrift", "straße", "telefon", "handy", "arzt", "kasse", "beruf"),
}
_BIRTH = ("birth", "dob", "born", "geb", "nac", "naiss")
_DEATH = ("death", "decease", "died", "falle", "sterb", "todes")
_ID_WORDS = {
    *("id", "ids", "identifier", "uid", "uuid", "guid", "key", "no", "nr", "num", "number"),
    *("nummer", "kennung"),
    *("csn", "mrn", "accession", "encounter", "visit", "hadm", "stay", "nhs"),
}
_NOTE_WORDS = {
    *("note", "notes", "doc", "document", "report", "row", "record", "text", "nota"),
    *("befund", "bericht", "brief", "dokument", "notiz"),
}
_PATIENT_WORDS = {"patient", "pat", "pt", "subject", "person", "mrn", "nhs", "member", "paciente"}
_TYPE_WORDS = {"type", "category", "kind", "class", "tipo", "typ", "art"}
_DATE_WORDS = {
    *("date", "datetime", "time", "timestamp", "ts", "day", "month", "year", "dt", "created"),
    *("updated", "charted", "fecha", "datum", "when", "at"),
    *("zeit", "zeitpunkt", "tag", "monat", "jahr"),
}
_CODE_WORDS = {
    *("sex", "gender", "ward", "unit", "department", "dept", "service", "specialty", "speciality"),
    *("status", "code", "codes", "icd", "loinc", "snomed", "language", "lang", "version"),
    *("type", "category", "kind", "class", "priority", "urgency", "section", "format"),
    *("sexo", "estado", "servicio"),
    *("geschlecht", "station", "abteilung", "fachrichtung", "sprache", "typ", "art"),
}
_UNITS = {
    *("ward", "unit", "department", "dept", "service", "specialty", "speciality", "type"),
    *("category", "kind", "class", "section", "servicio", "tipo"),
    *("station", "abteilung", "fachrichtung", "typ", "art"),
}
"""Of these, codes may look like names of people: `Internal Medicine`."""
_TEXT_WORDS = {
    *("text", "note", "notes", "comment", "comments", "report", "narrative", "body", "content"),
    *("impression", "findings", "history", "remark", "remarks", "summary", "description"),
    *("message", "texto", "nota", "informe", "befund", "letter", "assessment", "plan", "freetext"),
    *("bericht", "brief", "anamnese", "epikrise", "diagnose", "beurteilung", "verlauf"),
    *("bemerkung", "kommentar", "therapie", "freitext", "notiz"),
}
_GERMAN = {
    *("patient", "fall", "geburt", "aufnahme", "entlassung", "entlass", "behandlung", "arzt"),
    *("befund", "bericht", "brief", "dokument", "notiz", "text", "art", "typ", "name", "nachname"),
    *("vorname", "datum", "zeit", "tag", "nummer", "nr", "id", "kennung", "ort", "wohn", "adresse"),
    *("anschrift", "telefon", "straße", "strasse", "haus", "post", "leitzahl", "station"),
    *("diagnose", "abteilung", "kranken", "kasse", "versicherung", "versicherten"),
    *("untersuchung", "labor", "erstellung", "verlauf", "therapie", "operation", "op"),
    *("pflege", "visite", "eintrag"),
}
"""Words of which German names of columns are made, and their parts."""

_JOINTS = ("", "s", "n", "en", "es")
_LONGEST = max(map(len, _GERMAN))
_UPPER, _LOWER = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿ"
_PART = re.compile(f"[{_UPPER}]+(?![{_LOWER}])|[{_UPPER}]?[{_LOWER}]+|[^\\W\\d_{_UPPER}{_LOWER}]+")


@dataclasses.dataclass(frozen=True, slots=True)
class RoleGuess:
    """A role, and why, in a few words that hold no value."""

    role: Role
    why: str


def guess_roles(
    facts: Mapping[str, ColumnFacts], many: Collection[str] = ()
) -> dict[str, RoleGuess]:
    """A role for each column; at most one is `id`, one `patient`, one `type`.

    Without a column that may be the id, none has this role; likewise for free text.

    Args:
        facts: of every column, in the order of the columns; of nested ones, by path.
        many: those of which a row may have several values.
    """
    guesses = {name: guess_role(name, facts[name]) for name in facts}
    for name in many:
        guesses[name] = _of_many(name, guesses[name])
    for name in (DOC_KEY, PATIENT_KEY):
        if name in guesses and guesses[name].role not in (Role.ID, Role.PATIENT):
            guesses[name] = RoleGuess(Role.DROP, "a name that the output uses")
    for role, instead in ((Role.PATIENT, Role.HASH), (Role.TYPE, Role.DROP), (Role.ID, Role.HASH)):
        first, *others = [n for n, guess in guesses.items() if guess.role is role] or [""]
        for name in others:
            guesses[name] = RoleGuess(instead, f"{guesses[name].why}; but so is another column")
    if all(guess.role is not Role.ID for guess in guesses.values()):
        single = {name: one for name, one in facts.items() if name not in many}
        guesses |= _some_id(single, guesses)
    return guesses


def _of_many(name: str, guess: RoleGuess) -> RoleGuess:
    """A role that items of a list and entries of a map can have."""
    if guess.role in (Role.ID, Role.PATIENT):
        return RoleGuess(Role.HASH, guess.why)
    if guess.role is Role.TYPE or (guess.role is Role.TEXT and name.endswith("{}.key")):
        return RoleGuess(Role.DROP, guess.why)
    return guess


def _some_id(
    facts: Mapping[str, ColumnFacts], guesses: Mapping[str, RoleGuess]
) -> dict[str, RoleGuess]:
    """The column that can be an id if none is called so: whichever it is, it becomes a key."""
    short = (Form.CODE, Form.NUMBER)
    able = [
        name
        for name, one in facts.items()
        if one.is_unique and not one.unfit and one.share(*short) == 1
    ]
    for wanted in (Role.HASH, Role.DROP, Role.PATIENT):
        for name in able:
            if guesses[name].role is wanted:
                return {name: RoleGuess(Role.ID, "no name says id, but no value repeats")}
    return {}


def guess_role(name: str, facts: ColumnFacts) -> RoleGuess:
    """The role that one column may have, whatever the others are."""
    words = set(words_of(name))
    if not facts.values:
        return RoleGuess(Role.DROP, "no value in the sample")
    if facts.forms[Form.NESTED]:
        return RoleGuess(Role.DROP, "nested values")
    if facts.mean_length is not None and facts.forms[Form.FREE]:
        return _longer(words, facts)
    if any(sign in word for word in words for sign in _DEATH):
        return RoleGuess(Role.DROP, "a day of death, by its name")
    if any(sign in word for word in words - _IDENTIFYING for sign in _BIRTH):
        # A policy that keeps dates would let it out: it takes somebody who has read that policy.
        return RoleGuess(Role.DROP, "a day of birth: birth, if the policy shifts dates")
    if words & _IDENTIFYING and not words & _ID_WORDS:
        return RoleGuess(Role.DROP, "names or other identifiers, by its name")
    if facts.share(Form.CONTACT, Form.NAME, Form.PERSON) > 0.5 and not words & _CODE_WORDS:
        return RoleGuess(Role.DROP, "names or addresses, by the sample")
    return _id(words, facts) or _date(words, facts) or _code(words, facts) or _rest(words, facts)


def _longer(words: set[str], facts: ColumnFacts) -> RoleGuess:
    if facts.share(Form.FREE) >= 0.5 or words & _TEXT_WORDS:
        return RoleGuess(Role.TEXT, "free text")
    return RoleGuess(Role.DROP, "some values are free text: text, if they may stay")


def _id(words: set[str], facts: ColumnFacts) -> RoleGuess | None:
    if not words & _ID_WORDS and words != {"patient"}:
        return None
    if words & _DATE_WORDS and facts.share(Form.DATE) == 1:
        return None  # `visit_date`
    if facts.unfit or facts.share(Form.CODE, Form.NUMBER, Form.CONTACT, Form.DATE) < 1:
        return None
    if words & _PATIENT_WORDS:
        return RoleGuess(Role.PATIENT, "identifies the patient, by its name")
    if facts.is_unique and (words & _NOTE_WORDS or words == {"id"}):
        return RoleGuess(Role.ID, "identifies the row: no value repeats")
    return RoleGuess(Role.HASH, "another id, by its name")


def _date(words: set[str], facts: ColumnFacts) -> RoleGuess | None:
    if words & _DATE_WORDS and facts.share(Form.DATE, Form.NUMBER) == 1 and facts.forms[Form.DATE]:
        return RoleGuess(Role.DATE, "dates: the policy decides")
    return None


def _code(words: set[str], facts: ColumnFacts) -> RoleGuess | None:
    """Types of note and codes, which go out as they are."""
    few = facts.distinct <= min(MOST_CODES, facts.values // 4)
    odd = [Form.FREE, Form.DATE, Form.CONTACT, Form.NESTED, Form.PERSON]
    if not words & _UNITS:
        odd.append(Form.NAME)
    if not (words & _CODE_WORDS and few and facts.values >= LEAST_FOR_CODES):
        return None
    if facts.share(*odd) or words & _IDENTIFYING:
        return None
    if words & _TYPE_WORDS and (words & _NOTE_WORDS or len(words) == 1):
        return RoleGuess(Role.TYPE, f"kinds of note: {facts.distinct} different values")
    return RoleGuess(Role.PASS, f"codes: {facts.distinct} different values; passes unchanged")


def _rest(words: set[str], facts: ColumnFacts) -> RoleGuess:
    prose = facts.share(Form.WORDS, Form.NAME, Form.PERSON, Form.FREE) >= 0.5
    if words & _TEXT_WORDS and not words & _TYPE_WORDS and prose:
        return RoleGuess(Role.TEXT, "free text, by its name")
    if words & _CODE_WORDS:
        return RoleGuess(
            Role.DROP, "codes, or names? Too many, too few or odd values: pass, if they may stay"
        )
    if facts.share(Form.TRUTH) == 1:
        return RoleGuess(Role.DROP, "true or false: pass, if it may stay")
    if facts.share(Form.NUMBER) == 1:
        return RoleGuess(Role.DROP, "numbers: pass, if they identify no one")
    return RoleGuess(Role.DROP, "not clear what it is")


def words_of(name: str) -> list[str]:
    """The words of a column's name, lower case: `noteId`, `NOTE_ID` and `note-id` have the same.

    Of a German compound also its parts: of `Patientenname` these are `patient` and `name`.
    """
    found: list[str] = []
    for word in _PART.findall(name):
        found.append(word.lower())
        if (parts := _parts(word.lower())) != found[-1:]:
            found += parts
    return found


def _parts(word: str) -> list[str]:
    """The German words that a word consists of, wholly; none if it does not."""
    for end in range(min(len(word), _LONGEST), 1, -1):
        if word[:end] in _GERMAN:
            for joint in filter(word[end:].startswith, _JOINTS):
                rest = word[end + len(joint) :]
                more = _parts(rest)
                if more or not rest:
                    return [word[:end], *more]
    return []
