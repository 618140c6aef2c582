/* The words of a text, as models/recognisers/casing.py cuts them, and which of them are alike. */
#ifndef SCRUBLINE_VOCABULARY_H
#define SCRUBLINE_VOCABULARY_H

#include <stdint.h>

#include "strings.h"

/* What a code point can be; bits, as in models/recognisers/casing.py. */
enum { LETTER = 1, HYPHEN = 2, APOSTROPHE = 4, ACCENT = 8, LAYOUT = 16, BLANK = 32 };

typedef struct {
    int64_t longest; /* code points; longer words are as none: their key is empty */
    Table words;     /* those met, all digits 0; the index of one is its row */
} Vocabulary;

typedef struct {
    int64_t *rows;
    int64_t count, room;
} Column;

typedef struct {
    Column starts, ends, rows; /* of each word */
    Column heads;              /* words that may begin a line, a column or an item */
    Column fresh;              /* words whose rows are new, in the order of these */
} Cut;

void cut_free(Cut *cut);

/* The words of a text; 0, or -1 without memory. Rows that are new then are none: they are forgotten.
   `classes` has all code points of the text. */
int cut_words(Vocabulary *vocabulary, const uint8_t *classes, const uint32_t *codes, int64_t size, Cut *cut);

#endif
