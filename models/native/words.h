/* The words of a batch: interned, and what properties say of them. */
#ifndef SCRUBLINE_WORDS_H
#define SCRUBLINE_WORDS_H

#include <stdint.h>

#include "merge.h"
#include "strings.h"

/* As in models/features/base.py: longer words are seen by their first and last halves. */
#define LONGEST_WORD 256

/* How a column is made of a word. */
enum { AS_IT_IS, PREFIX, SUFFIX, COLLAPSED, LENGTH, CLASSES, KIND, FOLDED, FLAGS, WAYS };

enum { STARTS_ALNUM = 1, ALL_SMALL = 2, TELLS = 4 }; /* of FLAGS */

typedef struct {
    int32_t way;   /* of the above */
    int32_t map;   /* what is done to the characters first, -1 for nothing */
    int32_t table; /* where the result is looked up, -1 for none */
    int32_t n;     /* code points of a prefix or suffix; the most of a length */
    int32_t least; /* shorter words have no value */
    int32_t first; /* place in `numbers`: of kinds, of lengths; -1 for none */
} WordColumn;

/* A rule about the categories of a word's characters, each one bit; see
   models/features/character_class.py. */
enum { RUN, HAS, ONLY, ENDS };

typedef struct {
    uint32_t set;
    int32_t fewest, most; /* most -1 is without bound */
} Segment;

typedef struct {
    int32_t kind, first, count; /* segments, or groups of categories */
    int32_t skip;               /* characters that HAS passes over */
    int32_t number;             /* of the value, -1 for one that nobody asks for */
} Class;

/* The value of KIND columns that means: look the word up. */
#define LOOK_UP (-2)

typedef struct {
    const Characters *known;
    Merger *merger; /* for kinds; borrowed */
    int32_t n_maps, n_tables, n_columns, n_classes;
    Map *maps;
    Table *tables;
    WordColumn *columns;
    int32_t *numbers;
    int64_t n_numbers;
    Class *classes;
    Segment *segments;
    int64_t n_segments;
    /* What has been met: of each word its row of values; folded forms; sets of classes. */
    Table words, folded;
    int32_t *rows;
    int64_t room;    /* rows */
    int64_t *stamps; /* the batch that a word was last met in */
    int64_t *places; /* and its place there */
    int64_t batch;
    uint64_t *sets; /* distinct sets of classes, at most MOST_SETS */
    int64_t n_sets;
    Codes mapped;
    Bench bench;
    TokenTable tokens;
    Desk desk;
} Words;

#define MOST_SETS 4096

void words_free(Words *words);

/* Forgets what has been met if it is more than so many words or so many code points of them. */
void words_forget(Words *words, int64_t most_words, int64_t most_codes);

/* The place of a word among those of the batch: as in an earlier call, or `next`. Its row is
   `*row`, an index into `rows`. -1 without memory. */
int64_t word_place(Words *words, const uint32_t *codes, int64_t size, int64_t next, int64_t *row);

#endif
