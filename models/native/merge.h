/* The layer "merged": fine tokens joined where several write one thing; see models/text/joined.py,
   which says what is joined, and layers/patterns.py, which compiles it. */
#ifndef SCRUBLINE_MERGE_H
#define SCRUBLINE_MERGE_H

#include <stdint.h>

#include "characters.h"
#include "strings.h"
#include "tokenize.h"

/* A pattern over categories, each an ASCII character. */
enum { OP_MATCH, OP_END, OP_SET, OP_SPLIT, OP_JUMP, OP_LOOK };

typedef struct {
    int32_t op;
    /* SET: the place of its bits in `sets`. SPLIT: where to go on, first choice first. JUMP: where
       to. LOOK: behind how many characters (0 ahead), whether it must not match; the body follows,
       and where it goes on is `c`. */
    int32_t a, b, c;
} Step;

typedef struct {
    int64_t n_steps, n_sets, n_entries;
    Step *steps;
    uint64_t (*sets)[2];
    int32_t *entries;        /* first step of each alternative */
    uint64_t (*firsts)[2];   /* characters that each can begin with */
    uint64_t (*required)[2]; /* and that each cannot do without */
} Program;

/* What joins the tokens of a text, and tells the kinds of words. */
typedef struct {
    const Characters *known;
    Map fold;
    Table folded, raw; /* category of words, case-folded and as they are */
    char digits[10];   /* category of numbers of so many digits, 0 for none of its own */
    Program joins;
    Program kinds;     /* one entry a kind */
} Merger;

void merger_free(Merger *merger);

/* What tokens become. Memory grows as it must. */
typedef struct {
    int64_t count, room;
    int64_t *starts, *ends;
} Items;

void items_free(Items *items);

/* Memory for the work on one text; zeros at first. */
typedef struct {
    int64_t room;
    char *signature;  /* [2 * room + 2] */
    int64_t *rows;    /* of each character of the signature its token */
    int64_t *starts, *ends;
    uint8_t *line, *inner; /* whether a line begins; whether joined to the one before */
    int64_t count, length;
    Codes folded;
} Desk;

void desk_free(Desk *desk);

/* Adds the items of a text with at least one token; 0, or -1 without memory. */
int merge_text(const Merger *merger, const uint32_t *codes, const int64_t *starts, const int64_t *ends,
               const uint8_t *line, int64_t count, Desk *desk, Items *items);

/* The kind of a word as if it were all of a text: an entry of `kinds`, -1 for none; -2 without
   memory. */
int32_t kind_of_word(const Merger *merger, const uint32_t *codes, int64_t size, Bench *bench,
                     TokenTable *tokens, Desk *desk);

#endif
