"""States of the United States by name, postal abbreviation, division and region (Census Bureau)."""

from __future__ import annotations

from collections.abc import Mapping

_NAMES = """
AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware
DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa
KS Kansas|KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota
MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey
NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon
PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah
VT Vermont|VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming
AS American Samoa|GU Guam|MP Northern Mariana Islands|PR Puerto Rico|VI Virgin Islands
"""

_DIVISIONS = {
    "Northeast": {
        "New England": "CT ME MA NH RI VT",
        "Middle Atlantic": "NJ NY PA",
    },
    "Midwest": {
        "East North Central": "IL IN MI OH WI",
        "West North Central": "IA KS MN MO NE ND SD",
    },
    "South": {
        "South Atlantic": "DC DE FL GA MD NC SC VA WV",
        "East South Central": "AL KY MS TN",
        "West South Central": "AR LA OK TX",
    },
    "West": {
        "Mountain": "AZ CO ID MT NV NM UT WY",
        "Pacific": "AK CA HI OR WA",
    },
}

ELSEWHERE = "elsewhere"
"""Of the territories, which lie in no division."""

STATE_OF: Mapping[str, str] = {
    name.casefold(): code
    for entry in _NAMES.strip().replace("\n", "|").split("|")
    for code, _, long in (entry.partition(" "),)
    for name in (code, long, ".".join(code) + ".")
}
"""Case-folded name or abbreviation -> postal abbreviation."""

DIVISION_OF: Mapping[str, str] = {
    state: division
    for divisions in _DIVISIONS.values()
    for division, states in divisions.items()
    for state in states.split()
}
REGION_OF: Mapping[str, str] = {
    state: region
    for region, divisions in _DIVISIONS.items()
    for states in divisions.values()
    for state in states.split()
}
