/* Fine and coarse tokens and lines; see models/text/tokenizer.py, which says what they are. */
#ifndef SCRUBLINE_TOKENIZE_H
#define SCRUBLINE_TOKENIZE_H

#include <stdint.h>

#include "characters.h"

/* The tokens of texts, one text after another; memory grows as it must. */
typedef struct {
    int64_t count, room;
    int64_t *starts, *ends; /* offsets in the token's text */
    int64_t *breaks;        /* line breaks before the first token of a line, 0 for others */
    uint8_t *coarse, *line; /* whether a coarse token or a line begins */
    uint8_t *classes;       /* of the first character */
} TokenTable;

void tokens_free(TokenTable *tokens);

/* Memory for the work on one text; zeros at first. */
typedef struct {
    int64_t room;
    uint8_t *classes;
    uint32_t *codes;
    int64_t *positions;
} Bench;

void bench_free(Bench *bench);

/* Adds the tokens of a text; 0, or -1 without memory. */
int tokenize(const Characters *known, const uint32_t *codes, int64_t size, Bench *bench,
             TokenTable *tokens);

#endif
