"""A second, plain way from what a note writes to what the roster has: for tests alone."""

import re
import unicodedata

from scrubline.models.synth.record_people import short_names

MISREAD = (("0", "o"), ("1", "l"), ("i", "l"), ("5", "s"), ("8", "b"), ("rn", "m"), ("vv", "w"),
           ("cl", "d"))  # fmt: skip


def folded(text):
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ı", "i"))
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def words_of(text):
    return re.findall(r"[^\W_]+", folded(text))


def as_read(word):
    for read, true in MISREAD:
        word = word.replace(read, true)
    return word


def is_one_edit(a, b):
    """Whether a letter was lost, added, changed or swapped with the next, at most."""
    if abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    a, b = a[start:], b[start:]
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]:
        return True
    return a[1:] == b[1:] or a[1:] == b or a == b[1:]


class Traces:
    """Names of one person in the roster."""

    def __init__(self, names, language):
        self.words = {word for name in names for word in words_of(name)}
        self.glued = {"".join(words_of(name)) for name in names}
        self.letters = {word[0] for word in self.words}
        self.short = set(self.words)
        known = short_names(language)
        for name in names:
            for first in re.findall(r"[^\s,]+", name):
                self.short.update(folded(short) for short in known.get(first, ()))
                start = "".join(words_of(first))
                self.short.update((start[:3], start[:4], folded(first)))

    def finds(self, text, written):
        text = re.sub(r"-\s*\n\s*", "", text) if written == "wrapped" else text
        words = words_of(text)
        if written == "nickname":
            return all(word in self.short for word in words)
        if written == "initials":
            return all(word in self.words or set(word) <= self.letters for word in words)
        if written == "spelled":
            whole = "".join(words)
            return whole in self.words or any(whole in glued for glued in self.glued)
        if written == "ocr":
            read = {as_read(word) for word in self.words}
            return all(as_read(word) in read or len(word) == 1 for word in words)
        if written == "typo":
            near = {*self.words, *self.glued, *self.short}
            return all(
                any(is_one_edit(word, known) for known in near) or self._are_initials(word)
                for word in words
            )
        return all(word in self.words or word in self.letters for word in words)

    def _are_initials(self, word):
        """Whether letters begin names, but for one of them."""
        return len(word) <= 5 and sum(letter not in self.letters for letter in word) <= 1
