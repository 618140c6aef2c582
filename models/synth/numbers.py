"""Numbers that identify, in realistic shapes.

Telephones of North America have the exchange 555, addresses of machines are of the documentation
ranges (RFC 5737), social security numbers begin with 000, 666 or 9, which are never issued.
"""

from __future__ import annotations

from collections.abc import Callable

from .drawing import Draw
from .filling import Maker, Note, NotePiece, Pieces, plain, refuse_extras
from .lists import words
from .parsing import Slot
from .people import domain

MRN = (
    "######", "#######", "########", "#######", "########", "##-##-##", "###-##-##", "##-##-###",
    "9##-###", "9###-###-#", "A######", "A#######", "AA######", "AA-####", "AA-#####",
    "AAA######", "00######", "000######", "9-###-###", "### ## ##", "### ### ###", "E9#######",
    "MR######", "M#######", "H#########", "9#########", "##.##.###", "A#-####", "AA####A",
    "#####",
)  # fmt: skip
ACCOUNT = (
    "9#########", "V##########", "A##########", "9###########", "9#######", "AA########",
    "9####-####", "V000########", "HAR#########", "9##-#####-##", "AC-######", "E########",
    "#########-#",
)  # fmt: skip
PLAN = (
    "AAA9########", "AAA###A#####", "A########", "9########", "9##########", "A########-##",
    "9########-01", "AA#########", "A ### ## ####", "AA####A###", "9###-####-##A",
    "AAA ### ### ###", "9A##-AA#-AA##", "9#########A", "###-##-####A", "H##########",
    "ZGP#########", "W#########", "A9##########", "AA######A", "##-#######-##",
)  # fmt: skip
GROUP = ("#####", "######", "9####-##", "AA####", "0######", "AAA-####", "9#####-###", "A#####")
ID = (
    "9####", "9#####", "9######", "9#######", "AA-####", "AA-#####", "A##-####", "A##-#####",
    "AA##-#####", "AAA-##-####", "AAA#####", "##-AA-####", "A-#####", "AA-##-####", "####-####",
    "AA9######", "A##-######", "AAA-####-##", "9###-AA-##", "##A-###A####", "AA####-#", "####/##",
    "AA.####.##",
)  # fmt: skip
ACCESSION = (
    "A##-####", "A##-#####", "AA##-####", "AAA-##-####", "9#######", "9######", "S##-#####",
    "SP-##-####", "##-######", "C##-####", "A#######", "##:A####A", "##-AA-####", "AA-####-##",
    "H##-####", "RAD##-#####", "9###-####", "AA########",
)  # fmt: skip
JOB = (
    "#####", "######", "9#######", "A####", "##-####", "AA######", "9######/####", "D#####",
    "T-#####",
)  # fmt: skip
LICENSE = (
    "A#####", "AA#####", "RN######", "A.#######", "AA-######", "#####", "######", "PT-0#####",
    "MD######L", "RN-####", "LCSW####", "9###-####", "AA####A", "G#####", "035.######", "PA#####",
    "0#########",
)  # fmt: skip
SERIAL = (
    "AAA######A", "AA#######", "A#######", "#########", "AAA-#######", "AA####-###", "##A#####",
    "AAA####", "9######", "A###-A####", "SN#######", "AA##-######", "PVY######", "####-AA-####",
    "BLB######A", "##########",
)  # fmt: skip
LOT = (
    "A######", "AA####", "#####AA", "####A", "A##A#", "AA###AA", "######", "9#######", "A####-##",
    "##A###", "AAAA###AA",
)  # fmt: skip
UNIT = (
    "W#### ## ######", "W###########", "W############ ##", "##AA#####", "A#### ## ######",
    "AA######",
)  # fmt: skip
PLATE = (
    "AAA-####", "AAA ####", "###-AAA", "#AAA###", "AA#-##A", "AAA####", "AA ####", "A## AAA",
    "9AAA###", "AA## AAA",
)  # fmt: skip
VIN = ("#A#AA##A#AA######", "#AAAA##A####A####", "9AAAA##A9A#######")
FLEET = ("A-##", "##", "A###", "AA-##", "###", "AMB-##", "A##A")
BIOID = (
    "FP-######", "DNA-####-##", "PV-######", "IR-AA####", "AA-FP-####", "BIO-#####", "PH####-##",
    "IRIS-######", "VP-####-A", "IMG-######", "FPR#######", "AFIS-#######", "PALM-####",
    "RET-####-A", "DNA##-#####", "PHOTO-####",
)  # fmt: skip
DL = (
    "A#######", "A###-####-####", "#########", "AA######", "##-###-###", "A########",
    "AAA##A####", "########",
)  # fmt: skip


_FEW = 5
"""Numbers with fewer shapes are of official forms, and have no other."""


def _of_shapes(shapes: tuple[str, ...], label: str) -> Maker:
    """Numbers of listed shapes; a tenth of a shape made up on the spot, where there are many."""

    def make(draw: Draw) -> str:
        known = len(shapes) < _FEW or draw.chance(0.9)
        shape = draw.pick(shapes) if known else _any_shape(draw)
        return draw.shaped(shape)

    return plain(make, label)


def _any_shape(draw: Draw) -> str:
    """Two or three groups of digits or capitals."""
    groups = [
        draw.pick(("#", "#", "#", "A")) * draw.between(2, 5) for _ in range(draw.between(1, 3))
    ]
    shape = draw.pick(("-", "-", "", ".", " ")).join(groups)
    return shape if shape.count("#") >= 3 else shape + "-####"


def phone_number(draw: Draw) -> str:
    """A telephone number in one of the manners of writing."""
    area, line = draw.shaped("9##"), draw.shaped("####")
    if draw.chance(0.06):
        return draw.pick(
            (
                draw.shaped(r"020 7\946 0###"),
                draw.shaped(r"0113 4\96 0###"),
                draw.shaped(r"+44 1632 \960###"),
                draw.shaped(r"01632 \960###"),
                draw.shaped("(03) 5550 ####"),
                draw.shaped("+61 2 5550 ####"),
                draw.shaped("+52 55 5555 ####"),
            )
        )
    return draw.pick(
        (
            f"{area}-555-{line}",
            f"{area}-555-{line}",
            f"{area}-555-{line}",
            f"({area}) 555-{line}",
            f"({area}) 555-{line}",
            f"({area})555-{line}",
            f"{area}.555.{line}",
            f"{area} 555 {line}",
            f"1-{area}-555-{line}",
            f"+1 {area} 555 {line}",
            f"+1 ({area}) 555-{line}",
            f"555-{line}",
            f"555-{line}",
            f"555.{line}",
            f"{area}555{line}",
            f"{area}/555-{line}",
            f"{area}-555 {line}",
            f"555 {line}",
        )
    )


def _phone(note: Note, slot: Slot) -> Pieces:
    """A number, at times with an extension, which is a PHONE of its own."""

    def new() -> tuple[str, str, str]:
        draw = note.draw
        number = phone_number(draw)
        if not draw.chance(0.08):
            return number, "", ""
        between = draw.pick((" ext. ", " ext ", " x", ", ext. ", " Ext. ", "x"))
        return number, between, draw.shaped("####")[: draw.between(2, 4)]

    refuse_extras(note, slot)
    number, between, extension = note.drawn(slot, new)
    pieces = [NotePiece(number, "PHONE")]
    return [*pieces, NotePiece(between), NotePiece(extension, "PHONE")] if extension else pieces


def _pager(draw: Draw) -> str:
    return draw.shaped(
        draw.pick(("#####", "####", "9-####", "##-####", "555-####", "9##-555-####"))
    )


def _ext(draw: Draw) -> str:
    return draw.shaped(draw.pick(("9###", "9####", "9##", "#-####", "9###")))


def _url(draw: Draw) -> str:
    address = domain(draw)
    start = draw.pick(("", "www.", "https://", "https://www.", "http://", "https://portal.", "my."))
    path = ""
    if draw.chance(0.45):
        path = "/" + draw.pick(words("domain_words"))
        if draw.chance(0.3):
            path += draw.pick(("/", "?id=", "#")) + draw.shaped("####")
    return f"{start}{address}{path}"


def _ip(draw: Draw) -> str:
    if draw.chance(0.1):
        return "2001:db8:" + draw.pick((":", "0:0:0:0:0:")) + f"{draw.below(9999):x}"
    network = draw.pick(("192.0.2", "198.51.100", "203.0.113"))
    return f"{network}.{draw.between(1, 254)}"


def _ssn(note: Note, slot: Slot) -> Pieces:
    def new() -> str:
        area = note.draw.pick(("000", "666", note.draw.shaped(r"\9##")))
        return f"{area}{note.draw.shaped('####')}{note.draw.digits(2)}"

    refuse_extras(note, slot, forms=("last4",))
    digits = note.remember("ssn", new)
    if slot.form == "last4":
        return [NotePiece(digits[-4:], "SSN")]
    between = note.remember("ssn sign", lambda: note.draw.pick(("-", "-", "-", "-", " ", "")))
    return [NotePiece(f"{digits[:3]}{between}{digits[3:5]}{between}{digits[5:]}", "SSN")]


def _mrn(note: Note, slot: Slot) -> Pieces:
    if slot.index:
        return _of_shapes(MRN, "MEDICALRECORD")(note, slot)
    refuse_extras(note, slot)
    number = note.remember("mrn", lambda: _of_shapes(MRN, "MEDICALRECORD")(note, slot)[0].text)
    return [NotePiece(number, "MEDICALRECORD")]


def _dea(draw: Draw) -> str:
    """Two letters and seven digits; the last is the check digit (21 CFR 1306, DEA numbers)."""
    digits = draw.digits(6)
    check = sum(map(int, digits[::2])) + 2 * sum(map(int, digits[1::2]))
    return draw.pick("ABFM") + draw.shaped("A") + digits + str(check % 10)


SHAPES: dict[str, tuple[tuple[str, ...], str]] = {
    "account": (ACCOUNT, "ACCOUNT"),
    "plan": (PLAN, "HEALTHPLAN"),
    "group": (GROUP, "HEALTHPLAN"),
    "idnum": (ID, "IDNUM"),
    "case": (ID, "IDNUM"),
    "claim": (ID, "IDNUM"),
    "order": (ID, "IDNUM"),
    "auth": (ID, "IDNUM"),
    "study": (ID, "IDNUM"),
    "badge": (("####", "#####", "9###", "A####", "AA-###", "######"), "IDNUM"),
    "rx": (("9######", "9######-#####", "#######", "RX######", "9#####"), "IDNUM"),
    "accession": (ACCESSION, "IDNUM"),
    "job": (JOB, "IDNUM"),
    "license": (LICENSE, "LICENSE"),
    "npi": (("1#########",), "LICENSE"),
    "clia": (("##D#######",), "LICENSE"),
    "dl": (DL, "LICENSE"),
    "serial": (SERIAL, "DEVICE"),
    "lot": (LOT, "DEVICE"),
    "bloodunit": (UNIT, "DEVICE"),
    "plate": (PLATE, "VEHICLE"),
    "vin": (VIN, "VEHICLE"),
    "fleet": (FLEET, "VEHICLE"),
    "bioid": (BIOID, "BIOID"),
}
"""Slot -> shapes and label."""

_MADE: dict[str, tuple[Callable[[Draw], str], str]] = {
    "fax": (phone_number, "FAX"),
    "ext": (_ext, "PHONE"),
    "pager": (_pager, "PHONE"),
    "url": (_url, "URL"),
    "ip": (_ip, "IPADDR"),
    "dea": (_dea, "LICENSE"),
}

SLOTS: dict[str, Maker] = {
    **{name: _of_shapes(shapes, label) for name, (shapes, label) in SHAPES.items()},
    **{name: plain(make, label) for name, (make, label) in _MADE.items()},
    "phone": _phone,
    "ssn": _ssn,
    "mrn": _mrn,
}
