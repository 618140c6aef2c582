"""Lists of single digits and letters that notes are full of are no identifiers in disguise."""

import functools

import pytest
from scrubline import Scrubber

from benchmarks.disguises import one_pass

full = functools.cache(lambda: Scrubber("en-default"))  # opened by the first test that asks
LISTS = (
    "ECG leads V 1 2 3 4 5 6 normal",
    "V 1 2 3 4 5 6",
    "Pain scale: 0 1 2 3 4 5 6 7 8 9 10",
    "GTPAL 4-3-0-1-3",
    "G P: 4-3-0-1-3",
    "NIHSS 0-0-1-0-2-0 on arrival",
    "NIHSS items: 0 0 1 0 2 0 0 1",
    "PHQ-9 items 1.2.3.1.0.2.1.0.1",
    "PHQ-9: 1-2-3-1-0-2-1-0-1, total 11",
    "GAD-7 1-2-3-1-0-2-1",
    "GAD-7 item scores 1 2 3 1 0 2 1",
    "Apgar 2 2 1 2 2",
    "Apgar components 2-2-1-2-2 at 5 min",
    "Motor strength 5 5 5 5 5 4 4",
    "Motor 5-5-5-5-4 on the right",
    "Ribs 3-4-5-6-7 fractured on the left",
    "CN 2 3 4 5 6 7 intact",
    "Levels C 2 3 4 5 6 7",
    "Laminectomy at L 1 2 3 4 5",
    "Teeth 1 2 3 4 5 6 7 8 9 extracted",
    "Teeth # 2.3.4.5.6 missing",
    "Medrol 6-5-4-3-2-1 taper",
    "prednisone taper 6-5-4-3-2-1 as directed",
    "Prednisone 8 7 6 5 4 3 2 1 then stop",
    "R E S P : C T A B",
    "R E S P: clear",
    "V I T A L  S I G N S",
    "V I T A L S I G N S",
    "P H Y S I C A L  E X A M",
    "A S S E S S M E N T  A N D  P L A N",
    "H.E.E.N.T. normal",
    "H-E-E-N-T: normal",
    "C-V: R-R-R, no murmur",
    "M_R_I brain",
    "M-R-I brain and C-T-A neck",
    "Digit span 5 8 2 6 9 forward",
    "Digit span backward: 4-1-5-7-9",
    "Serial 7s: 9 3, 8 6, 7 9",
    "World backwards: D-L-R-O-W",
    "Spelled W-O-R-L-D correctly",
    "1\t2\t3\t4\t5\t6",
    "Day\t1\t2\t3\t4\t5\t6\t7",
    "WBC\t5\t6\t7\t8\t9\t4",
    "HLA A B C typed",
    "vitamins A D E K",
    "Hepatitis A B C D E panel",
    "Vitamins A.D.E.K. daily",
    "Stool chart 1-2-1-3-4-2",
    "Glasgow 4 5 6, then 3 4 5",
    "Bristol 1 2 3 4 5 6 7",
    "Dermatomes 2 3 4 5 6 spared",
    "Counts 1 2 3 4 5 backwards",
    "A B C D E approach: airway patent",
    "| 1 | 2 | 3 | 4 | 5 |",
    "MMSE: 5 5 3 4 3 2 1 of 30",
    "ROM 0-1-2-3-4 of 5",
    "Toes 1-2-3-4-5 warm",
    "N/V/D/C denied",
    "Dolor EVA: 1 2 3 4 5 6 7 8 9 10",
    "Fuerza 5 5 5 5 5 4",
    "Pauta descendente 6-5-4-3-2-1",
    "Apgar 9 1 0, luego 2-2-2-1-2",
    "Piezas 1 2 3 4 5 6 ausentes",
    "Niveles C 3 4 5 6 7",
    "MUNDO al revés: O-D-N-U-M",
    "S I G N O S V I T A L E S",
    "S I G N O S  V I T A L E S",
    "E X P L O R A C I Ó N  F Í S I C A",
    "M O T I V O  D E  I N G R E S O",
    "T R A T A M I E N T O",
    "L A B S  /  I M A G I N G",
    "P L A N :",
    "D I S C H A R G E S U M M A R Y",
    "H I S T O R Y  O F  P R E S E N T  I L L N E S S",
    "C A R D I A C : R R R",
    "N E U R O : A A O x 3",
    "P-L-A-N",
    "R.E.S.P. clear",
    "S_O_A_P note",
    "Derivaciones V 1 2 3 4 5 6 sin cambios",
)


@pytest.mark.parametrize("line", LISTS)
@pytest.mark.parametrize("around", ["{}", "Exam on arrival.\n{}\nStable."], ids=["alone", "within"])
def test_the_second_pass_leaves_clinical_lists(line, around):
    text = around.format(line)
    with one_pass():
        before = full().scrub(text)
    assert full().scrub(text) == before


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("MRN 4 8 2 1 9 0 stable", "MRN  stable"),
        ("MRN: 4-8-2-1-9-0 stable", "MRN:  stable"),
        ("Tel: 6.1.7.5.5.5.0.1.9.9 home", "Tel:  home"),
        ("Phone ( 6 1 7 ) 5 5 5 - 0 1 9 9 home", "Phone  home"),
        ("reached at 6 1 7 - 5 5 5 - 0 1 9 9 today", "reached at  today"),
        ("SSN 1 2 3 4 5 6 7 8 9 known", "SSN  known"),
        ("known as 1 2 3 - 4 5 - 6 7 8 9 here", "known as  here"),
        ("DOB: 0 3 / 0 4 / 1 9 5 7", "DOB: "),
        ("seen 0-3-/-0-4-/-1-9-5-7 again", "seen  again"),
        ("Account Number: A C 4 4 7 1 9 0 2", "Account Number: "),
        ("Seen by Dr. B r o w n today", "Seen by Dr.  today"),
        ("Patient: M a y  B r o w n", "Patient: "),
        ("NHC: 4 5 2 1 7 6 3", "NHC: "),
    ],
)
def test_identifiers_beside_a_word_or_in_their_groups_are_found(text, kept):
    spans = [span for span in full().spans(text) if span.replacement is not None]
    for span in reversed(spans):
        text = text[: span.start] + text[span.end :]
    assert text == kept
