/* What is known of code points, and texts as rows of them. */
#ifndef SCRUBLINE_CHARACTERS_H
#define SCRUBLINE_CHARACTERS_H

#include <stdint.h>

#define CODE_POINTS 0x110000

/* Classes, as in models/text/characters.py: kind * 4 + detail. */
enum { WHITE_KIND, LETTER_KIND, DIGIT_KIND, SIGN_KIND };
enum { SPACE = 0, BREAK = 1, LOWER = 4, UPPER = 5, CASELESS = 6, MARK = 16 };

/* Traits: what `str` says of a code point, as in models/text/characters.py; the value of a decimal digit
   is in the four bits from VALUE_SHIFT on. */
enum {
    IS_ALPHA = 1,
    IS_UPPER = 2,
    IS_TITLE = 4,
    IS_LOWER = 8,
    IS_DECIMAL = 16,
    IS_SPACE = 32,
    IS_ALNUM = 64
};
#define VALUE_SHIFT 8

/* What is said of a word by its flags. */
enum { STARTS_ALNUM = 1, ALL_SMALL = 2, TELLS = 4 };

typedef struct {
    uint8_t classes[CODE_POINTS];
    uint16_t traits[CODE_POINTS];
} Characters;

#endif
