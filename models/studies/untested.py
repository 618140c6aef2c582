"""Claims of the papers that no study here tests, and why."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class UntestedClaim:
    """A claim of a paper that no study here tests.

    Attributes:
        paper: as `Study.source` begins.
        where: section, table or figure.
        claim: the paper's, with its figures.
        why: why it is not tested.
    """

    paper: str
    where: str
    claim: str
    why: str


_HIDE = "Gardner et al. 2010"
_SZEGED = "Szarvas et al. 2006"
_HITSZ = "Liu et al. 2015"
_WI_DEID = "He et al. 2015"
_STAT_DEID = "Tafvizi et al. 2010"

UNTESTED: tuple[UntestedClaim, ...] = (
    UntestedClaim(
        _HIDE,
        "§1",
        "Rule-based systems do not carry over from one institution to another; statistical ones"
        " move to another domain or genre much more rapidly, given annotated notes.",
        "What counts is the time that people need for rules and for annotation. It was not"
        " measured.",
    ),
    UntestedClaim(
        _HIDE,
        "§3.1",
        "The extraction covers far more than the HIPAA identifiers, such as sensitive attributes.",
        "Scrubline finds PHI and has no labels for sensitive attributes such as diagnoses. A"
        " recipe learns whatever labels its corpus has; the corpora of the studies have no such"
        " labels.",
    ),
    UntestedClaim(
        _HIDE,
        "§3.1",
        "Data linking assigns what all reports say of one patient to that patient, in a view by"
        " person.",
        "Scrubline does not have this: it treats every note by itself.",
    ),
    UntestedClaim(
        _HIDE,
        "§3.1",
        "Extraction and linking alternate: what is known of a patient helps to find more PHI.",
        "Scrubline does not have this: what is found in one note is not used in another.",
    ),
    UntestedClaim(
        _HIDE,
        "§3.1",
        "The identifier view allows k-anonymity, l-diversity and differential privacy, which"
        " cannot otherwise be applied to text.",
        "Scrubline has neither an identifier view nor any of the three.",
    ),
    UntestedClaim(
        _HIDE,
        "§3.1",
        "Identifiers in the notes are removed, or replaced by the values of the anonymised view.",
        "Scrubline removes, masks or generalises each identifier by a policy; it has no anonymised"
        " view to take values from.",
    ),
    UntestedClaim(
        _HIDE,
        "§3.2",
        "A web page on which annotation and training alternate lets users make training sets"
        " quickly.",
        "Scrubline has no such page, only commands that annotate notes in advance and train"
        " further. How quickly people annotate was not measured.",
    ),
    UntestedClaim(
        _HIDE,
        "§3.2",
        "HIDE, on Django and CouchDB, imports data from many sources, is part of the pipeline of"
        " caTIES, and is being tested at several institutions.",
        "This is about another product and its users.",
    ),
    UntestedClaim(
        _HIDE,
        "§6.2",
        "On the full PhysioNet corpus, 1,836 notes, for which Neamatullah et al. are said to"
        " report P .967 and R .749, HIDE would score as on the 163 used.",
        "The corpus is under a data-use agreement; whoever has signed it can read it with format"
        " `physionet`. That paper's two figures seem to be exchanged, since .967 is then called a"
        " level of recall.",
    ),
    UntestedClaim(
        _HIDE,
        "§6.3",
        "F .977 is slightly better than the .975 of Carafe, which should do as well with the same"
        " features.",
        "Carafe is another product, and its figure is on i2b2 2006, which is under a data-use"
        " agreement.",
    ),
    UntestedClaim(
        _HIDE,
        "§6.4, §7",
        "CRFsuite is one of the fastest implementations of CRFs, so HIDE is one of the fastest"
        " CRF-based systems.",
        "No other implementation and no other such system is compared. Scrubline trains its CRFs"
        " with CRFsuite too.",
    ),
    UntestedClaim(
        _HIDE,
        "§7",
        "More specialised features could help on extremely unstructured text, and dictionaries of"
        " one's own institution on its notes.",
        "A suggestion without an experiment. No notes of an institution are at hand together with"
        " its own lists.",
    ),
    UntestedClaim(
        _HIDE,
        "§7",
        "The header of an HL7 version 2 message, which has much of the PHI, can serve as a"
        " dictionary for its report.",
        "Scrubline does not have this: rules find identifiers in HL7 fields that stand in a note,"
        " but use no header for another text. No open corpus has reports with their headers.",
    ),
    UntestedClaim(
        _SZEGED,
        "Introduction, Conclusions",
        "The model was made for newswire, on which it was slightly better than all that had been"
        " published on the CoNLL task; regular expressions, headings and the iteration are all that"
        " was added.",
        "A comparison with the systems of other papers, on another corpus.",
    ),
    UntestedClaim(
        _SZEGED,
        "Iterative learning",
        'Trusting phrases behind trigger words such as "dr." made results worse, probably since'
        ' ambiguity was added to the corpus: "He" in "Dr. He" made all others a doctor.',
        "The paper gave it up, and the recipe trusts phrases under headings alone. Its surrogates"
        " are in a corpus under a data-use agreement.",
    ),
    UntestedClaim(
        _SZEGED,
        "Experiments",
        "DOCTOR, PATIENT and HOSPITAL score about as names do in newswire; what is better comes"
        " from the structure of the documents.",
        "A comparison with another system on another corpus.",
    ),
    UntestedClaim(
        _SZEGED,
        "Experiments",
        "Recall can probably be raised by tuning C4.5 and AdaBoost, at worst at a cost in"
        " precision.",
        "A suggestion without an experiment. The studies keep the paper's parameters of C4.5;"
        " Scrubline's recall dial changes biases instead.",
    ),
    UntestedClaim(
        _SZEGED,
        "Experiments",
        "Results are probably close to the inconsistency of the annotation; agreement between"
        " annotators is not known.",
        "It takes several annotations of the same notes. The corpora of the studies have one.",
    ),
    UntestedClaim(
        _SZEGED,
        "Experiments",
        "Phrase-level F is a good measure but perhaps not the best: recall should count for more,"
        " and a family name left in is worse than a small part of a hospital's name.",
        "A judgement, which no experiment decides.",
    ),
    UntestedClaim(
        _SZEGED,
        "Conclusions",
        "On authentic notes the model would do even better: lists of first names fail on"
        " surrogates, and ambiguity was added on purpose.",
        "Authentic notes cannot be had.",
    ),
    UntestedClaim(
        _HITSZ,
        "Abstract, §6",
        "The system is among the best of the i2b2 2014 challenge.",
        "The other systems are not at hand, and the corpus is under a data-use agreement.",
    ),
    UntestedClaim(
        _HITSZ,
        "§5",
        "The token CRF is better on some categories probably because it captures more meaningful"
        " context.",
        "An explanation without an experiment.",
    ),
    UntestedClaim(
        _HITSZ,
        "§5",
        "More semantic resources, such as Wikipedia, should help where categories are easily"
        " confused.",
        "A plan without an experiment; the recipe has no such resource.",
    ),
    UntestedClaim(
        _HITSZ,
        "§5",
        "Parting PHI from other entities may need deeper understanding of context, such as"
        " extraction of relations.",
        "A plan without an experiment; the recipe extracts no relations.",
    ),
    UntestedClaim(
        _WI_DEID,
        "§1",
        "Removing PHI by hand takes much time and costs much.",
        "It takes people to test this.",
    ),
    UntestedClaim(
        _WI_DEID,
        "§1",
        "De-identification of the corpus of 2014 is a harder task than that of 2006: its notes are"
        " not tokenised, and it has far more categories.",
        "Both corpora are under data-use agreements.",
    ),
    UntestedClaim(
        _WI_DEID,
        "§1, §4",
        "Irregular tokens, abbreviations and lines cut at a fixed width make the tokenizer and the"
        " part-of-speech tagger less precise; restoring whole sentences should help.",
        "The paper gives no figures, and no clinical notes are at hand with tokens and parts of"
        " speech checked by people.",
    ),
    UntestedClaim(
        _WI_DEID,
        "§2.2",
        "GENIA's part-of-speech tagger is chosen over OpenNLP's since it was trained on biomedical"
        " text.",
        "The paper gives no figures, and the recipe has neither: its tagger is trained on a general"
        " treebank.",
    ),
    UntestedClaim(
        _WI_DEID,
        "§3.2, §4",
        "The best official run was fourth in the i2b2 2014 challenge; the improved system would"
        " have been second.",
        "The other systems are not at hand, and the corpus is under a data-use agreement.",
    ),
    UntestedClaim(
        _WI_DEID,
        "§4",
        "A sentence splitter and a tokenizer trained on clinical text could improve the"
        " preprocessing.",
        "A plan without an experiment; no such tools are at hand.",
    ),
    UntestedClaim(
        _STAT_DEID,
        "§1",
        "De-identification by people is slow, expensive and highly variable.",
        "It takes people to test this.",
    ),
    UntestedClaim(
        _STAT_DEID,
        "§1",
        "Incomplete utterances and medical language make discharge summaries unsuitable for many"
        " tools made for everyday language.",
        "The paper gives no figures, and no clinical notes are at hand with parses checked by"
        " people.",
    ),
    UntestedClaim(
        _STAT_DEID,
        "§1",
        "Removing an expression whenever in doubt is unacceptable, since useful information is"
        " lost.",
        "A judgement, which no experiment decides.",
    ),
    UntestedClaim(
        _STAT_DEID,
        "§5.6",
        "No larger annotated corpus of discharge summaries is available.",
        "This was said of 2010.",
    ),
)
"""In the order of the papers, and of the claims in each."""
