"""Link Grammar: the parser of sentences, where the system has it.

Source: Sleator and Temperley 1991, "Parsing English with a Link Grammar". Nothing of it ships with
the package. Debian's packages are `liblink-grammar5` and `link-grammar-dictionaries-en` (LGPL-2.1);
the library is opened through `ctypes`.

A parse depends on the sentence alone, not on time or machine: no word may be left out (parsing with
gaps takes a hundred times as long), there is no limit of time, no other attempt with looser rules,
no guessing of misspelt words, and chance, which the library asks for among more parses than 100,
always begins with the same number.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from collections.abc import Sequence

from ..core.errors import UsageError
from .recorded_links import LINK_NAME, SentenceLinks

PACKAGES = "liblink-grammar5 link-grammar-dictionaries-en"
_LINKAGES = 100
_WALLS = frozenset({"LEFT-WALL", "RIGHT-WALL", "###LEFT-WALL###", "###RIGHT-WALL###"})
_POINTER, _SIZE, _INT, _TEXT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_char_p
_FUNCTIONS: dict[str, tuple[object, tuple[object, ...]]] = {
    "linkgrammar_get_version": (_TEXT, ()),
    "linkgrammar_get_dict_version": (_TEXT, (_POINTER,)),
    "lg_error_set_handler": (_POINTER, (_POINTER, _POINTER)),
    "dictionary_create_lang": (_POINTER, (_TEXT,)),
    "parse_options_create": (_POINTER, ()),
    "parse_options_set_verbosity": (None, (_POINTER, _INT)),
    "parse_options_set_linkage_limit": (None, (_POINTER, _INT)),
    "parse_options_set_min_null_count": (None, (_POINTER, _INT)),
    "parse_options_set_max_null_count": (None, (_POINTER, _INT)),
    "parse_options_set_islands_ok": (None, (_POINTER, _INT)),
    "parse_options_set_spell_guess": (None, (_POINTER, _INT)),
    "parse_options_set_max_parse_time": (None, (_POINTER, _INT)),
    "parse_options_set_repeatable_rand": (None, (_POINTER, _INT)),
    "sentence_create": (_POINTER, (_TEXT, _POINTER)),
    "sentence_parse": (_INT, (_POINTER, _POINTER)),
    "sentence_num_valid_linkages": (_INT, (_POINTER,)),
    "sentence_delete": (None, (_POINTER,)),
    "linkage_create": (_POINTER, (_SIZE, _POINTER, _POINTER)),
    "linkage_delete": (None, (_POINTER,)),
    "linkage_get_num_words": (_SIZE, (_POINTER,)),
    "linkage_get_num_links": (_SIZE, (_POINTER,)),
    "linkage_get_link_lword": (_SIZE, (_POINTER, _SIZE)),
    "linkage_get_link_rword": (_SIZE, (_POINTER, _SIZE)),
    "linkage_get_link_label": (_TEXT, (_POINTER, _SIZE)),
    "linkage_get_word": (_TEXT, (_POINTER, _SIZE)),
    "linkage_get_word_char_start": (_SIZE, (_POINTER, _SIZE)),
    "linkage_get_word_char_end": (_SIZE, (_POINTER, _SIZE)),
}
"""What is used of the library -> its result and its arguments."""


class LinkParser:
    """The parser, with its English dictionary. One for a process; not for threads.

    Attributes:
        version: of the library and of its dictionary.
    """

    def __init__(self) -> None:
        """Opens the library; reading the dictionary takes about a second.

        Raises:
            UsageError: if the system lacks the library or its English dictionary.
        """
        library = _library()
        if library is None:
            raise UsageError(
                "links need the Link Grammar parser: install it (Debian: apt-get install"
                f" {PACKAGES})"
            )
        self._library = library
        # Its messages quote the sentence.
        library.lg_error_set_handler(None, None)
        self._options = options = library.parse_options_create()
        library.parse_options_set_verbosity(options, 0)
        library.parse_options_set_linkage_limit(options, _LINKAGES)
        library.parse_options_set_min_null_count(options, 0)
        library.parse_options_set_max_null_count(options, 0)
        library.parse_options_set_islands_ok(options, 0)
        library.parse_options_set_spell_guess(options, 0)
        library.parse_options_set_max_parse_time(options, -1)
        library.parse_options_set_repeatable_rand(options, 1)
        self._dictionary = library.dictionary_create_lang(b"en")
        if not self._dictionary:
            raise UsageError(
                "links need the English dictionary of the Link Grammar parser: install it (Debian:"
                f" apt-get install {PACKAGES})"
            )
        own = (
            library.linkgrammar_get_version(),
            library.linkgrammar_get_dict_version(self._dictionary),
        )
        self.version = ", dictionary ".join(text.decode("ascii", "replace") for text in own)

    def parse(
        self, sentence: str, starts: Sequence[int], ends: Sequence[int]
    ) -> SentenceLinks | None:
        """The links of a sentence; None if it has no parse.

        A word of the parser belongs to the token that has its first character; links to the walls,
        and within one token, are left out.

        Args:
            sentence: without control characters.
            starts: where its tokens start, in code points.
            ends: where they end.
        """
        try:
            text = sentence.encode()
        except UnicodeEncodeError:
            return None
        library = self._library
        opened = library.sentence_create(text, self._dictionary)
        if not opened:
            return None
        try:
            found = library.sentence_parse(opened, self._options)
            if found <= 0 or library.sentence_num_valid_linkages(opened) <= 0:
                return None
            linkage = library.linkage_create(0, opened, self._options)
            if not linkage:
                return None
            try:
                return self._links(linkage, starts, ends)
            finally:
                library.linkage_delete(linkage)
        finally:
            library.sentence_delete(opened)

    def _links(self, linkage: int, starts: Sequence[int], ends: Sequence[int]) -> SentenceLinks:
        library = self._library
        token_at = {}
        for token, (start, end) in enumerate(zip(starts, ends, strict=True)):
            token_at.update(dict.fromkeys(range(start, end), token))
        token_of = []
        for word in range(library.linkage_get_num_words(linkage)):
            name = library.linkage_get_word(linkage, word).decode("utf-8", "replace")
            start = library.linkage_get_word_char_start(linkage, word)
            end = library.linkage_get_word_char_end(linkage, word)
            token_of.append(None if name in _WALLS or start >= end else token_at.get(start))
        links = set()
        for link in range(library.linkage_get_num_links(linkage)):
            left = token_of[library.linkage_get_link_lword(linkage, link)]
            right = token_of[library.linkage_get_link_rword(linkage, link)]
            label = library.linkage_get_link_label(linkage, link).decode("ascii", "replace")
            if left is None or right is None or left == right:
                continue
            if LINK_NAME.fullmatch(label):
                links.add((min(left, right), max(left, right), label))
        return tuple(sorted(links))


def is_installed() -> bool:
    """Whether the system has the library; it may still lack the English dictionary."""
    return _library() is not None


@functools.cache
def open_parser() -> LinkParser:
    """The parser of this process.

    Raises:
        UsageError: see `LinkParser`.
    """
    return LinkParser()


@functools.cache
def _library() -> ctypes.CDLL | None:
    for name in ("liblink-grammar.so.5", ctypes.util.find_library("link-grammar")):
        if name is None:
            continue
        try:
            library = ctypes.CDLL(name)
            for function, (result, arguments) in _FUNCTIONS.items():
                getattr(library, function).restype = result
                getattr(library, function).argtypes = arguments
        except (OSError, AttributeError):
            continue
        return library
    return None
