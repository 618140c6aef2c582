"""The tables of docs/hl7-fields.md are those of the package."""

from pathlib import Path

from scrubline.models.messages.hl7_fields import fields, types

PAGE = Path(__file__).parents[3] / "docs/hl7-fields.md"

IDENTIFIERS = {
    "A": "names",
    "B": "places below the state",
    "C": "dates",
    "DEF": "phone, fax, e-mail",
    "G": "social security",
    "H": "medical record",
    "I": "health plan",
    "J": "account",
    "K": "certificate, licence",
    "M": "devices",
    "R": "other unique numbers",
}


def with_table(page, name, table):
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, rest = page.split(begin)
    return before + begin + table + end + rest.split(end)[1]


def identifiers():
    rows = ["| | identifier | fields |", "| --- | --- | --- |"]
    for letters, what in IDENTIFIERS.items():
        found = [f for f in fields() if set(letters) & set(f.hipaa) and "." not in f.key]
        if letters == "C":
            # There are hundreds of events.
            found = [f for f in found if f.role != "date"]
            what += ": of birth; each field with role `date` too"
        keys = ", ".join(f.key for f in found)
        rows.append(f"| {', '.join(letters)} | {what} | {keys} |")
    return "\n".join(rows) + "\n"


def type_table():
    rows = ["| component | role | name |", "| --- | --- | --- |"]
    for name, components in types().items():
        rows += [f"| {name}.{n} | {c.role} | {c.name} |" for n, c in enumerate(components, 1)]
    return "\n".join(rows) + "\n"


def field_table():
    rows = []
    segment = ""
    for field in fields():
        if field.segment != segment:
            segment = field.segment
            head = ["| field | type | role | name | |", "| --- | --- | --- | --- | --- |"]
            rows += ["", f"### {segment}", *head] if rows else [f"### {segment}", *head]
        cells = (field.key, field.type, field.role, field.name, field.hipaa)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def test_the_page_has_the_tables(request):
    """Made new by `pytest tests/models/messages --update-golden`."""
    page = PAGE.read_text(encoding="utf-8")
    made = with_table(page, "identifiers", identifiers())
    made = with_table(made, "types", type_table())
    made = with_table(made, "fields", field_table())
    if request.config.getoption("--update-golden"):
        PAGE.write_text(made, encoding="utf-8")
    else:
        assert made == page
