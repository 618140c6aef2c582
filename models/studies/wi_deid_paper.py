"""What He et al. 2015 (WI-deId) report: the figures that studies stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping

Triple = tuple[float, float, float]
"""P, R and F of the paper."""

LEVELS: Mapping[str, str] = {
    "i2b2 token": "i2b2_2014_token",
    "i2b2 strict": "strict",
    "i2b2 relaxed": "i2b2_2014_relaxed",
    "HIPAA token": "i2b2_2014_hipaa_token",
    "HIPAA strict": "i2b2_2014_hipaa_strict",
    "HIPAA relaxed": "i2b2_2014_hipaa_relaxed",
}
"""Level of Table 3 -> our metric."""

RUNS: Mapping[str, tuple[Triple, ...]] = {
    "best official": (
        (0.9571, 0.9051, 0.9304),
        (0.9229, 0.8505, 0.8852),
        (0.9252, 0.8526, 0.8874),
        (0.9708, 0.9371, 0.9536),
        (0.9414, 0.8957, 0.9180),
        (0.9444, 0.8986, 0.9209),
    ),
    "unofficial 1": (
        (0.9664, 0.9287, 0.9471),
        (0.9468, 0.8909, 0.9180),
        (0.9485, 0.8925, 0.9196),
        (0.9805, 0.9541, 0.9671),
        (0.9645, 0.9305, 0.9472),
        (0.9662, 0.9322, 0.9489),
    ),
    "unofficial 2": (
        (0.9733, 0.9304, 0.9514),
        (0.9561, 0.8925, 0.9232),
        (0.9586, 0.8949, 0.9256),
        (0.9844, 0.9551, 0.9695),
        (0.9695, 0.9294, 0.9490),
        (0.9724, 0.9322, 0.9519),
    ),
}
"""Table 3: run -> micro P, R and F of the paper at each of `LEVELS`."""

TYPES: Mapping[str, Triple] = {
    "PATIENT": (0.9580, 0.8294, 0.8890),
    "DOCTOR": (0.9368, 0.8766, 0.9057),
    "USERNAME": (0.9888, 0.9565, 0.9724),
    "NAME": (0.9670, 0.8852, 0.9243),
    "PROFESSION": (0.8218, 0.4637, 0.5929),
    "HOSPITAL": (0.9132, 0.7691, 0.8350),
    "ORGANIZATION": (0.9545, 0.2561, 0.4038),
    "STREET": (0.9600, 0.8824, 0.9195),
    "CITY": (0.8482, 0.8385, 0.8433),
    "STATE": (0.9357, 0.8421, 0.8864),
    "COUNTRY": (0.8933, 0.5726, 0.6979),
    "ZIP": (1.0, 0.9500, 0.9744),
    "LOCATION-OTHER": (0.0, 0.0, 0.0),
    "LOCATION": (0.9526, 0.7987, 0.8689),
    "AGE": (0.9583, 0.8730, 0.9137),
    "DATE": (0.9791, 0.9701, 0.9746),
    "PHONE": (0.9484, 0.9395, 0.9439),
    "FAX": (0.0, 0.0, 0.0),
    "EMAIL": (0.0, 0.0, 0.0),
    "CONTACT": (0.9531, 0.9312, 0.9420),
    "MEDICALRECORD": (0.9739, 0.9739, 0.9739),
    "DEVICE": (0.0, 0.0, 0.0),
    "IDNUM": (0.8629, 0.7744, 0.8162),
    "ID": (0.9514, 0.9088, 0.9296),
}
"""Table 4: label, or category for its rows "Overall" -> strict P, R and F of the paper."""

UNSPLIT: Mapping[str, tuple[float, float]] = {
    "NAME": (0.8753, 0.9243),
    "PROFESSION": (0.4314, 0.5929),
    "LOCATION": (0.8255, 0.8689),
    "AGE": (0.6999, 0.9137),
    "DATE": (0.9140, 0.9746),
    "CONTACT": (0.9296, 0.9420),
    "ID": (0.9125, 0.9296),
    "total": (0.8638, 0.9232),
}
"""Table 5: category -> F of the paper without and with the splitting."""

ERRORS: Mapping[str, float] = {
    "type": 0.1204,
    "extent": 0.1529,
    "missing": 0.6442,
    "spurious": 0.0825,
}
"""Table 6: error group -> share of all errors in the paper."""

EXTENTS: Mapping[str, int] = {"short": 114, "long": 78, "short and long": 10}
"""Table 8: how many of the paper's 202 extent errors are of each kind."""

MISSED: Mapping[str, tuple[float | None, float | None]] = {
    "PATIENT": (0.095, None),
    "DOCTOR": (0.093, None),
    "USERNAME": (0.033, None),
    "PROFESSION": (0.515, 0.096),
    "HOSPITAL": (0.194, 0.027),
    "ORGANIZATION": (0.506, 0.0),
    "STREET": (0.055, 0.0),
    "CITY": (0.083, 0.016),
    "STATE": (0.075, 0.012),
    "COUNTRY": (0.322, 0.014),
    "ZIP": (0.0, 0.0),
    "LOCATION-OTHER": (0.692, 0.0),
    "AGE": (0.113, 0.023),
    "DATE": (0.018, 0.008),
    "PHONE": (0.024, 0.009),
    "FAX": (0.5, 0.0),
    "EMAIL": (1.0, 0.0),
    "MEDICALRECORD": (0.002, 0.005),
    "DEVICE": (1.0, 0.0),
    "IDNUM": (0.135, 0.006),
}
"""Table 7: label -> share of missing and of spurious spans of the paper; None where our copy of it
cannot be read. Spans with errors of extent are not counted."""
