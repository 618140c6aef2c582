"""The version: of the package, of every manifest and report, and of the code in each fingerprint.

`setup.py` reads this file without importing it, so it holds nothing else.
"""

VERSION = "0.11.0"
