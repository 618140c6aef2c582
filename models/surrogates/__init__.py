"""What stands in place of PHI: names, numbers and places that are nobody's, keyed, not stored."""

from .ages import age_surrogate
from .contacts import names_of
from .drawer import ATTEMPTS, NOBODY, Known
from .lexicon import pools_hash
from .pools import characters_of
from .settings import SurrogateSettings
from .surrogates import KEEPS, MAKERS, Surrogate, SurrogateNames, Surrogates

__all__ = [
    "ATTEMPTS",
    "KEEPS",
    "MAKERS",
    "NOBODY",
    "Known",
    "Surrogate",
    "SurrogateNames",
    "SurrogateSettings",
    "Surrogates",
    "age_surrogate",
    "characters_of",
    "names_of",
    "pools_hash",
]
